"""`SparseOp`, the base class of ops on sparse matrices, and conversions to variables."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import disconnected
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.type import check_dtype, result_dtype
from relgraph.sparse.matrices import (
    OTHER_FORMAT,
    assembled,
    canonical,
    checked,
    elements,
    in_format,
    majors,
    sampled,
)
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.basic import TensorOp, as_argument, merged_lengths
from relgraph.tensor.math import BLAS_DTYPES, cast
from relgraph.tensor.shapes import as_shape_vector, lengths
from relgraph.tensor.type import TensorType


def is_sparse_variable(x: Any) -> bool:
    """Return whether `x` is a variable of a `SparseTensorType`."""
    return isinstance(x, Variable) and isinstance(x.type, SparseTensorType)


def as_sparse_variable(x: Any, name: str | None = None) -> Any:
    """Return `x` as a sparse variable; a logic variable or term is returned as it is.

    Parameters
    ----------
    x
        A sparse variable, or a matrix or array of `scipy.sparse`, which becomes a constant: of
        the format csc if that is its format, else csr.
    name
        The name, if the result is a constant.

    Raises
    ------
    TypeError
        If `x` is neither; `csr_from_dense` converts dense tensors.
    """
    if isinstance(x, Apply):
        x = x.default_output()
    if is_sparse_variable(x) or isinstance(x, LogicTerm):
        return x
    if sp.issparse(x) and x.ndim == 2:
        return sparse_type_of(x, x.shape).make_constant(x, name)
    kind = x.type if isinstance(x, Variable) else type(x).__name__
    raise TypeError(f"{x} is a {kind}, not a sparse matrix; csr_from_dense(x) converts tensors")


def sparse_type_of(value: Any, shape: Sequence[int | None] = (None, None)) -> SparseTensorType:
    """Return the type of a matrix of SciPy: csr, unless its format is csc."""
    fmt = "csc" if value.format == "csc" else "csr"
    return SparseTensorType(fmt, check_dtype(value.dtype), shape)


class SparseOp(TensorOp):
    """Base class of ops on sparse matrices.

    Attributes
    ----------
    kinds
        For each input ``sparse`` or ``tensor``.
    """

    kinds: ClassVar[tuple[str, ...]] = ("sparse",)

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != len(self.kinds):
            raise TypeError(f"{self} takes {len(self.kinds)} inputs, not {len(inputs)}")
        return [
            as_sparse_argument(v, str(self), i) if kind == "sparse" else as_argument(v, self, i)
            for i, (v, kind) in enumerate(zip(inputs, self.kinds, strict=True))
        ]


def as_sparse_argument(x: Any, what: str, position: int = 0) -> Any:
    """Return an argument as a sparse variable; errors name the function and the position."""
    try:
        return as_sparse_variable(x)
    except TypeError as error:
        raise TypeError(f"{what}: input {position}: {error}") from None


def check_same(what: str, x: Any, y: Any) -> None:
    """Raise an error if two sparse types differ in their format, or in a length that is known.

    Raises
    ------
    TypeError
        If the formats differ.
    ValueError
        If the static shapes do.
    """
    if x.format != y.format:
        raise TypeError(f"{what}: the first input is {x.format}, the second {y.format}")
    check_shapes(what, x.shape, y.shape)


def check_shapes(what: str, x: Sequence[Any], y: Sequence[Any]) -> None:
    """Raise a ValueError if two shapes differ in a length that is known in both."""
    if any(n is not None and m is not None and n != m for n, m in zip(x, y, strict=True)):
        raise ValueError(f"{what}: the inputs have the shapes {tuple(x)} and {tuple(y)}")


def vector_of(dtype: str) -> TensorType:
    """Return the type of vectors of a dtype, of any length."""
    return TensorType(dtype, (None,))


def is_format_of(format: str, x: Any) -> bool:
    """Return whether a format is that of the sparse variable `x`."""
    return bool(x.type.format == format)


def have_one_format(x: Any, y: Any) -> bool:
    """Return whether two sparse variables have one format."""
    return bool(x.type.format == y.type.format)


def have_one_blas_dtype(x: Any, y: Any) -> bool:
    """Return whether two variables, sparse or dense, have one dtype, which the BLAS has."""
    return bool(x.type.dtype == y.type.dtype) and x.type.dtype in BLAS_DTYPES


def have_no_single_row(x: Any, y: Any) -> bool:
    """Return whether neither of two matrices is known to have one row."""
    return bool(x.type.shape[0] != 1 != y.type.shape[0])


class Stored(SparseOp):
    """The stored elements of a sparse matrix, as a vector: a view."""

    view_map = {0: [0]}

    def output_types(self, *input_types: Any) -> list[TensorType]:
        return [vector_of(input_types[0].dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return values[0].data

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [_with_stored(x, g)]


class Indices(SparseOp):
    """One of the two vectors that say where elements are stored: a view.

    Parameters
    ----------
    part
        ``indices`` for the column of each stored element (in CSC its row), ``indptr`` for where
        those of each row (in CSC: column) begin and end.
    """

    __props__ = ("part",)
    view_map = {0: [0]}
    connected_inputs = ()

    def __init__(self, part: str) -> None:
        self.part = part

    def __str__(self) -> str:
        return self.part

    def output_types(self, *input_types: Any) -> list[TensorType]:
        if self.part == "indices":
            return [vector_of("int32")]
        n = input_types[0].shape[0 if input_types[0].format == "csr" else 1]
        return [TensorType("int32", (None if n is None else n + 1,))]

    def compute(self, node: Apply, *values: Any) -> Any:
        found = getattr(values[0], self.part)
        if found.dtype != np.int32:
            raise ValueError(f"{self.part}: the matrix is too large for indices of int32")
        return found


class WithStored(SparseOp):
    """A sparse matrix with other elements stored at its places: it shares the storage of both."""

    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor")
    view_map = {0: [0, 1]}
    keeps_shape = True
    connected_inputs = (1,)

    def output_types(self, pattern: Any, data: Any) -> list[Any]:
        if data.ndim != 1:
            raise TypeError(f"{self.name}: stored elements are a vector, not a {data}")
        return [pattern.clone(dtype=data.dtype)]

    def compute(self, node: Apply, x: Any, data: Any) -> Any:
        if len(data) != x.nnz:
            raise ValueError(f"{self.name}: {len(data)} elements for {x.nnz} places")
        return assembled(x.format, data, x.indices, x.indptr, x.shape)

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        return [disconnected(), _sampled(x, g)]


class Sampled(SparseOp):
    """The elements of a sparse matrix at the places that another one of its format stores."""

    kinds: ClassVar[tuple[str, ...]] = ("sparse", "sparse")
    view_map = {0: [1]}
    connected_inputs = (1,)

    def output_types(self, pattern: Any, x: Any) -> list[TensorType]:
        check_same(self.name, pattern, x)
        return [vector_of(x.dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        check_shapes(self.name, values[0].shape, values[1].shape)
        return sampled(*values)

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        return [disconnected(), _with_stored(x, g)]


class Transposed(SparseOp):
    """The transpose of a sparse matrix, in the other format: it shares the storage."""

    name = "transpose"
    view_map = {0: [0]}

    def output_types(self, x: Any) -> list[Any]:
        return [SparseTensorType(OTHER_FORMAT[x.format], x.dtype, *self.output_shapes(x.shape))]

    def compute(self, node: Apply, x: Any) -> Any:
        return assembled(OTHER_FORMAT[x.format], x.data, x.indices, x.indptr, x.shape[::-1])

    def output_shapes(self, x: Any) -> list[Any]:
        return [tuple(x[::-1])]

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [_transposed(g)]


class WithoutZeros(SparseOp):
    """A sparse matrix without the zeros that are stored."""

    name = "remove0"
    keeps_shape = True

    def output_types(self, *input_types: Any) -> list[Any]:
        return list(input_types)

    def compute(self, node: Apply, *values: Any) -> Any:
        made = values[0].copy()
        made.eliminate_zeros()
        return made

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g]


class ChangeFormat(SparseOp):
    """A sparse matrix in the other format.

    Parameters
    ----------
    format
        The new format.
    """

    __props__ = ("format",)
    name = "as_format"
    keeps_shape = True

    def __init__(self, format: str) -> None:
        self.format = format

    def output_types(self, x: Any) -> list[Any]:
        if x.format == self.format:
            raise TypeError(f"{self}: the input has this format already")
        return [x.clone(format=self.format)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return in_format(values[0], self.format)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [as_format(g, x.type.format)]


def as_format(x: Any, fmt: str) -> Any:
    """Return a sparse variable in a format, ``csr`` or ``csc``; itself if it has it."""
    return x if x.type.format == fmt else ChangeFormat(fmt)(x)


_stored = Stored()
_indices = Indices("indices")
_indptr = Indices("indptr")
_with_stored = WithStored()
_sampled = Sampled()
_transposed = Transposed()
_without_zeros = WithoutZeros()


class FromPlaces(SparseOp):
    """The sparse matrix of some elements at given places; those at one place are added.

    Its inputs are the elements, their rows, their columns, and the two lengths.

    Parameters
    ----------
    format
        The format of the matrix.
    """

    __props__ = ("format",)
    kinds: ClassVar[tuple[str, ...]] = ("tensor",) * 5
    connected_inputs = (0,)

    def __init__(self, format: str) -> None:
        self.format = format

    def output_types(self, data: Any, rows: Any, columns: Any, *sides: Any) -> list[Any]:
        for t, ndim in ((data, 1), (rows, 1), (columns, 1), (sides[0], 0), (sides[1], 0)):
            if t.ndim != ndim or (t is not data and t.numpy_dtype.kind not in "iu"):
                raise TypeError(
                    f"{self.name}: a {t} in place of "
                    f"{'a vector of integers' if ndim else 'a length'}"
                )
        return [SparseTensorType(self.format, data.dtype)]

    def compute(self, node: Apply, data: Any, rows: Any, columns: Any, n: Any, m: Any) -> Any:
        outer, inner = (rows, columns) if self.format == "csr" else (columns, rows)
        sides = (n, m) if self.format == "csr" else (m, n)
        for which, length in ((outer, sides[0]), (inner, sides[1])):
            if len(which) != len(data):
                raise ValueError(f"{self.name}: {len(data)} elements at {len(which)} places")
            if len(which) and not 0 <= which.min() <= which.max() < length:
                raise IndexError(f"{self.name}: an index is not below {length}, or negative")
        order = np.argsort(outer, kind="stable")
        indptr = np.zeros(int(sides[0]) + 1, "int32")
        np.cumsum(np.bincount(outer.astype("int64"), minlength=int(sides[0])), out=indptr[1:])
        return checked(self.format, data[order], inner[order].astype("int32"), indptr, (n, m))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(node.inputs[3:])]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        g = _elements(g, inputs[1], inputs[2])
        return [g, *[disconnected() for _ in inputs[1:]]]


class Elements(SparseOp):
    """The elements of a sparse matrix at given rows and columns, two vectors from 0 on."""

    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor", "tensor")
    connected_inputs = (0,)

    def output_types(self, x: Any, rows: Any, columns: Any) -> list[TensorType]:
        for t in (rows, columns):
            if t.ndim != 1 or t.numpy_dtype.kind not in "iu":
                raise TypeError(f"{self.name}: a {t} in place of a vector of integers")
        return self.of_dtype(x.dtype, x, rows, columns)

    def compute(self, node: Apply, x: Any, rows: Any, columns: Any) -> Any:
        if len(rows) != len(columns):
            raise ValueError(f"{self.name}: {len(rows)} rows and {len(columns)} columns")
        for axis, which in enumerate((rows, columns)):
            if len(which) and not 0 <= which.min() <= which.max() < x.shape[axis]:
                raise IndexError(
                    f"{self.name}: an index along axis {axis}, of length {x.shape[axis]}, is "
                    "beyond it"
                )
        return elements(x, rows, columns)

    def output_shapes(self, x: Any, rows: Any, columns: Any) -> list[Any]:
        return [rows]

    def input_gradients(self, g: Any, out: Any, x: Any, *places: Any) -> list[Any]:
        made = FromPlaces(x.type.format)(g, *places, *sides_of(x))
        return [made, disconnected(), disconnected()]


class Compressed(SparseOp):
    """The sparse matrix of a format with some stored elements, indices and index pointers.

    Its inputs are these three vectors, and the shape. It shares their storage where they are in
    canonical form; otherwise elements at one place are added.

    Parameters
    ----------
    format
        The format of the matrix.
    """

    __props__ = ("format",)
    kinds: ClassVar[tuple[str, ...]] = ("tensor",) * 4
    view_map = {0: [0, 1, 2]}
    connected_inputs = (0,)

    def __init__(self, format: str) -> None:
        self.format = format

    def __str__(self) -> str:
        return self.format.upper()

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != 4:
            raise TypeError(f"{self} takes data, indices, indptr and shape, not {len(inputs)}")
        parts = [as_argument(v, self, i) for i, v in enumerate(inputs[:3])]
        indices = [v if v.type.dtype == "int32" else cast(v, "int32") for v in parts[1:]]
        return [parts[0], *indices, as_shape_vector(inputs[3], str(self))]

    def output_types(self, *input_types: Any) -> list[Any]:
        for i, t in enumerate(input_types):
            if t.ndim != 1:
                raise TypeError(f"{self}: input {i} is a {t}, not a vector")
        return [SparseTensorType(self.format, input_types[0].dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return checked(self.format, *values)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        shape = node.inputs[3]
        return [(shape[0], shape[1])]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        outer, inner = _majors(inputs[2]), inputs[1]
        rows, columns = (outer, inner) if self.format == "csr" else (inner, outer)
        g = _elements(g, rows, columns)
        return [g, disconnected(), disconnected(), disconnected()]


class Majors(SparseOp):
    """The row of each stored element of a CSR matrix (column, of CSC), given its index pointers."""

    kinds: ClassVar[tuple[str, ...]] = ("tensor",)
    connected_inputs = ()

    def output_types(self, *input_types: Any) -> list[TensorType]:
        return [vector_of("int64")]

    def compute(self, node: Apply, *values: Any) -> Any:
        return majors(values[0])


def sides_of(x: Any) -> tuple[Any, Any]:
    """Return the lengths of the axes of a matrix as integer variables or constants."""
    n, m = (as_argument(side, "sides") for side in lengths(x))
    return n, m


_elements = Elements()
_majors = Majors()


COMPARISONS = ("eq", "neq", "lt", "le", "gt", "ge")
"""The comparisons of two sparse matrices, whose results are sparse too."""


class SparsePair(SparseOp):
    """Base class of ops that combine two sparse matrices of one shape, element by element."""

    kinds: ClassVar[tuple[str, ...]] = ("sparse", "sparse")
    keeps_shape = True

    def dtype_of(self, x: str, y: str) -> str:
        """Return the dtype of the output, given those of the inputs."""
        return result_dtype(x, y)

    def output_types(self, x: Any, y: Any) -> list[Any]:
        check_same(str(self), x, y)
        dtype = self.dtype_of(x.dtype, y.dtype)
        return [SparseTensorType(x.format, dtype, merged_lengths(x.shape, y.shape))]

    def combined(self, x: Any, y: Any) -> Any:
        """Return what two matrices of the dtype in which they are combined make."""
        raise NotImplementedError(f"{self} combines nothing")

    def compute(self, node: Apply, x: Any, y: Any) -> Any:
        check_shapes(str(self), x.shape, y.shape)
        dtype = result_dtype(x.dtype.name, y.dtype.name)
        made = self.combined(x.astype(dtype, copy=False), y.astype(dtype, copy=False))
        return canonical(made)


class AddSparse(SparsePair):
    """The sum of two sparse matrices; where it is zero nothing is stored."""

    name = "add"

    def combined(self, x: Any, y: Any) -> Any:
        return x + y

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        return [g, g]


class SubSparse(SparsePair):
    """The difference of two sparse matrices; where it is zero nothing is stored."""

    name = "sub"

    def dtype_of(self, x: str, y: str) -> str:
        dtype = result_dtype(x, y)
        if dtype == "bool":
            raise TypeError("sub: booleans have no difference; compare them by neq")
        return dtype

    def combined(self, x: Any, y: Any) -> Any:
        return x - y

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        return [g, _with_stored(g, -_stored(g))]


class CompareSparse(SparsePair):
    """A comparison of two sparse matrices.

    One that is true of two zeros stores nearly all elements, as SciPy's does.

    Parameters
    ----------
    comparison
        One of `COMPARISONS`.
    """

    __props__ = ("comparison",)
    converts = True
    connected_inputs = ()

    def __init__(self, comparison: str) -> None:
        self.comparison = comparison
        self.function = getattr(operator, {"neq": "ne"}.get(comparison, comparison))

    def __str__(self) -> str:
        return self.comparison

    def dtype_of(self, x: str, y: str) -> str:
        return "bool"

    def combined(self, x: Any, y: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
            return self.function(x, y).asformat(x.format)


_add_sparse = AddSparse()
_sub_sparse = SubSparse()

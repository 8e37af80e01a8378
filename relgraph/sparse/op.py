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
from relgraph.tensor.basic import TensorOp, as_argument
from relgraph.tensor.math import cast
from relgraph.tensor.shapes import as_shape_vector, lengths
from relgraph.tensor.signatures import parsed
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
    """Base class of ops on sparse matrices, which are in brackets in a signature.

    Attributes
    ----------
    kinds
        For each input ``sparse`` or ``tensor``.
    makes_sparse
        Whether the output is sparse.
    integers
        The positions of the inputs that are integers.
    """

    kinds: ClassVar[tuple[str, ...]] = ("sparse",)
    makes_sparse: ClassVar[bool] = True
    integers: ClassVar[tuple[int, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "signature" in vars(cls):
            inputs, _, output = cls.signature.partition("->")
            cls.kinds = tuple(_KINDS[letter] for letter in inputs if letter in _KINDS)
            cls.makes_sparse = output.startswith("[")

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != len(self.kinds):
            raise TypeError(f"{self} takes {len(self.kinds)} inputs, not {len(inputs)}")
        return [
            as_sparse_argument(v, str(self), i) if kind == "sparse" else as_argument(v, self, i)
            for i, (v, kind) in enumerate(zip(inputs, self.kinds, strict=True))
        ]

    def output_types(self, *input_types: Any) -> list[Any]:
        for i, (t, core) in enumerate(zip(input_types, parsed(self.signature).inputs, strict=True)):
            if t.ndim > len(core):
                raise TypeError(f"{self}: input {i} is a {t}; wanted is a rank of {len(core)}")
            if i in self.integers and t.numpy_dtype.kind not in "iu":
                raise TypeError(f"{self}: input {i} is a {t}, and integers are wanted")
        formats = [t.format for t in input_types if isinstance(t, SparseTensorType)]
        if len(set(formats)) > 1:
            raise TypeError(f"{self}: the inputs have the formats {' and '.join(formats)}")
        (kind,) = super().output_types(*input_types)
        if not self.makes_sparse:
            return [kind]
        return [SparseTensorType(self.output_format(*formats), kind.dtype, kind.shape)]

    def output_dtypes(self, *dtypes: str) -> Sequence[str]:
        """Return the dtype of the output: by default the common one of the `connected_inputs`."""
        connected = range(len(dtypes)) if self.connected_inputs is None else self.connected_inputs
        return super().output_dtypes(*[t for i, t in enumerate(dtypes) if i in connected])

    def output_format(self, *formats: str) -> str:
        """Return the format of the output, for those of the sparse inputs."""
        return formats[0]


class FormatOp(SparseOp):
    """Base class of ops that make a matrix of a given format.

    Parameters
    ----------
    format
        The format of the matrix.
    """

    __props__ = ("format",)

    def __init__(self, format: str) -> None:
        self.format = format

    def output_format(self, *formats: str) -> str:
        return self.format


_KINDS = {"[": "sparse", "(": "tensor"}


def as_sparse_argument(x: Any, what: str, position: int = 0) -> Any:
    """Return an argument as a sparse variable; errors name the function and the position."""
    try:
        return as_sparse_variable(x)
    except TypeError as error:
        raise TypeError(f"{what}: input {position}: {error}") from None


def is_format_of(format: str, x: Any) -> bool:
    """Return whether a format is that of the sparse variable `x`."""
    return bool(x.type.format == format)


def have_one_format(x: Any, y: Any) -> bool:
    """Return whether two sparse variables have one format."""
    return bool(x.type.format == y.type.format)


def have_no_single_row(x: Any, y: Any) -> bool:
    """Return whether neither of two matrices is known to have one row."""
    return bool(x.type.shape[0] != 1 != y.type.shape[0])


class Stored(SparseOp):
    """The stored elements of a sparse matrix, as a vector: a view."""

    signature = "[m,n]->(places)"
    view_map = {0: [0]}

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
    signature = "[m,n]->(places)"
    view_map = {0: [0]}
    connected_inputs = ()

    def __init__(self, part: str) -> None:
        self.part = part

    def __str__(self) -> str:
        return self.part

    def output_types(self, *input_types: Any) -> list[TensorType]:
        if self.part == "indices":
            return [TensorType("int32", (None,))]
        n = input_types[0].shape[0 if input_types[0].format == "csr" else 1]
        return [TensorType("int32", (None if n is None else n + 1,))]

    def compute(self, node: Apply, *values: Any) -> Any:
        found = getattr(values[0], self.part)
        if found.dtype != np.int32:
            raise ValueError(f"{self.part}: the matrix is too large for indices of int32")
        return found


class WithStored(SparseOp):
    """A sparse matrix with other elements stored at its places: it shares the storage of both."""

    signature = "[m,n],(places)->[m,n]"
    view_map = {0: [0, 1]}
    keeps_shape = True
    connected_inputs = (1,)

    def compute(self, node: Apply, x: Any, data: Any) -> Any:
        if len(data) != x.nnz:
            raise ValueError(f"{self.name}: {len(data)} elements for {x.nnz} places")
        return assembled(x.format, data, x.indices, x.indptr, x.shape)

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        return [disconnected(), _sampled(x, g)]


class Sampled(SparseOp):
    """The elements of a sparse matrix at the places that another one of its format stores."""

    signature = "[m,n],[m,n]->(places)"
    view_map = {0: [1]}
    connected_inputs = (1,)

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        return sampled(*values)

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        return [disconnected(), _with_stored(x, g)]


class Transposed(SparseOp):
    """The transpose of a sparse matrix, in the other format: it shares the storage."""

    name = "transpose"
    signature = "[m,n]->[n,m]"
    view_map = {0: [0]}

    def output_format(self, *formats: str) -> str:
        return OTHER_FORMAT[formats[0]]

    def compute(self, node: Apply, x: Any) -> Any:
        return assembled(OTHER_FORMAT[x.format], x.data, x.indices, x.indptr, x.shape[::-1])

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [_transposed(g)]


class WithoutZeros(SparseOp):
    """A sparse matrix without the zeros that are stored."""

    name = "remove0"
    signature = "[m,n]->[m,n]"
    keeps_shape = True

    def compute(self, node: Apply, *values: Any) -> Any:
        made = values[0].copy()
        made.eliminate_zeros()
        return made

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g]


class ChangeFormat(FormatOp):
    """A sparse matrix in the other format."""

    name = "as_format"
    signature = "[m,n]->[m,n]"
    keeps_shape = True

    def output_format(self, *formats: str) -> str:
        if formats[0] == self.format:
            raise TypeError(f"{self}: the input has this format already")
        return self.format

    def compute(self, node: Apply, *values: Any) -> Any:
        return in_format(values[0], self.format)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [as_format(g, x.type.format)]


def as_format(x: Any, format: str) -> Any:
    """Return a sparse variable in a format, ``csr`` or ``csc``; itself if it has it."""
    return x if x.type.format == format else ChangeFormat(format)(x)


_stored = Stored()
_indices = Indices("indices")
_indptr = Indices("indptr")
_with_stored = WithStored()
_sampled = Sampled()
_transposed = Transposed()
_without_zeros = WithoutZeros()


class FromPlaces(FormatOp):
    """The sparse matrix of some elements at given places; those at one place are added.

    Its inputs are the elements, their rows, their columns, and the two lengths.
    """

    signature = "(places),(places),(places),(),()->[m,n]"
    integers = (1, 2, 3, 4)
    connected_inputs = (0,)

    def compute(self, node: Apply, data: Any, rows: Any, columns: Any, n: Any, m: Any) -> Any:
        outer, inner = (rows, columns) if self.format == "csr" else (columns, rows)
        sides = (n, m) if self.format == "csr" else (m, n)
        self.check(node, data, rows, columns)
        for which, length in ((outer, sides[0]), (inner, sides[1])):
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

    signature = "[m,n],(places),(places)->(places)"
    integers = (1, 2)
    connected_inputs = (0,)

    def compute(self, node: Apply, x: Any, rows: Any, columns: Any) -> Any:
        self.check(node, x, rows, columns)
        for axis, which in enumerate((rows, columns)):
            if len(which) and not 0 <= which.min() <= which.max() < x.shape[axis]:
                raise IndexError(
                    f"{self.name}: an index along axis {axis}, of length {x.shape[axis]}, is "
                    "beyond it"
                )
        return elements(x, rows, columns)

    def input_gradients(self, g: Any, out: Any, x: Any, *places: Any) -> list[Any]:
        made = FromPlaces(x.type.format)(g, *places, *lengths(x))
        return [made, disconnected(), disconnected()]


class Compressed(FormatOp):
    """The sparse matrix of a format with some stored elements, indices and index pointers.

    Its inputs are these three vectors, and the shape. It shares their storage where they are in
    canonical form; otherwise elements at one place are added.
    """

    signature = "(data),(indices),(indptr),(sides)->[m,n]"
    view_map = {0: [0, 1, 2]}
    connected_inputs = (0,)

    def __str__(self) -> str:
        return self.format.upper()

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != 4:
            raise TypeError(f"{self} takes data, indices, indptr and shape, not {len(inputs)}")
        parts = [as_argument(v, self, i) for i, v in enumerate(inputs[:3])]
        indices = [v if v.type.dtype == "int32" else cast(v, "int32") for v in parts[1:]]
        return [parts[0], *indices, as_shape_vector(inputs[3], str(self))]

    def compute(self, node: Apply, *values: Any) -> Any:
        return checked(self.format, *values)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        shape = node.inputs[3]
        return [(shape[0], shape[1])]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        outer, inner = Majors()(inputs[2]), inputs[1]
        rows, columns = (outer, inner) if self.format == "csr" else (inner, outer)
        g = _elements(g, rows, columns)
        return [g, disconnected(), disconnected(), disconnected()]


class Majors(SparseOp):
    """The row of each stored element of a CSR matrix (column, of CSC), given its index pointers."""

    signature = "(indptr)->(places)"
    connected_inputs = ()
    fixed_dtype = "int64"

    def compute(self, node: Apply, *values: Any) -> Any:
        return majors(values[0])


_elements = Elements()


COMPARISONS = ("eq", "neq", "lt", "le", "gt", "ge")
"""The comparisons of two sparse matrices, whose results are sparse too."""


class SparsePair(SparseOp):
    """Base class of ops that combine two sparse matrices of one shape, element by element."""

    signature = "[m,n],[m,n]->[m,n]"
    keeps_shape = True

    def combined(self, x: Any, y: Any) -> Any:
        """Return what two matrices of the dtype in which they are combined make."""
        raise NotImplementedError(f"{self} combines nothing")

    def compute(self, node: Apply, x: Any, y: Any) -> Any:
        self.check(node, x, y)
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

    def output_dtypes(self, *dtypes: str) -> Sequence[str]:
        if set(dtypes) == {"bool"}:
            raise TypeError("sub: booleans have no difference; compare them by neq")
        return super().output_dtypes(*dtypes)

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
    fixed_dtype = "bool"

    def __init__(self, comparison: str) -> None:
        self.comparison = comparison
        self.function = getattr(operator, {"neq": "ne"}.get(comparison, comparison))

    def __str__(self) -> str:
        return self.comparison

    def combined(self, x: Any, y: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
            return self.function(x, y).asformat(x.format)


_add_sparse = AddSparse()
_sub_sparse = SubSparse()

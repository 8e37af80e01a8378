"""Sparse matrices made of elements and their places, and elements at given places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import disconnected
from relgraph.sparse.matrices import checked, elements, majors
from relgraph.sparse.op import SparseOp, vector_of
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.basic import as_argument
from relgraph.tensor.math import cast
from relgraph.tensor.shapes.shape import as_shape_vector, lengths
from relgraph.tensor.type import TensorType


class FromPlaces(SparseOp):
    """The sparse matrix of some elements at given places; those at one place are added.

    Its inputs are the elements, their rows, their columns, and the two lengths.

    Parameters
    ----------
    format
        The format of the matrix.
    """

    __props__ = ("format",)
    name = "from_places"
    kinds: ClassVar[tuple[str, ...]] = ("tensor",) * 5

    def __init__(self, format: str) -> None:
        self.format = format

    def output_types(self, *input_types: Any) -> list[Any]:
        data, rows, columns, *sides = input_types
        for t, ndim in ((data, 1), (rows, 1), (columns, 1), (sides[0], 0), (sides[1], 0)):
            if t.ndim != ndim or (t is not data and t.numpy_dtype.kind not in "iu"):
                raise TypeError(
                    f"{self.name}: a {t} in place of "
                    f"{'a vector of integers' if ndim else 'a length'}"
                )
        return [SparseTensorType(self.format, data.dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        data, rows, columns, n, m = values
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

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True], [False], [False], [False], [False]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        g = _elements(output_gradients[0], inputs[1], inputs[2])
        return [g, *[disconnected() for _ in inputs[1:]]]


class Elements(SparseOp):
    """The elements of a sparse matrix at given rows and columns, two vectors from 0 on."""

    __props__ = ()
    name = "elements"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor", "tensor")

    def output_types(self, *input_types: Any) -> list[TensorType]:
        x, rows, columns = input_types
        for t in (rows, columns):
            if t.ndim != 1 or t.numpy_dtype.kind not in "iu":
                raise TypeError(f"{self.name}: a {t} in place of a vector of integers")
        return [TensorType(x.dtype, rows.shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        x, rows, columns = values
        if len(rows) != len(columns):
            raise ValueError(f"{self.name}: {len(rows)} rows and {len(columns)} columns")
        for axis, which in enumerate((rows, columns)):
            if len(which) and not 0 <= which.min() <= which.max() < x.shape[axis]:
                raise IndexError(
                    f"{self.name}: an index along axis {axis}, of length {x.shape[axis]}, is "
                    "beyond it"
                )
        return elements(x, rows, columns)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[1]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True], [False], [False]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        x: Any = inputs[0]
        made = FromPlaces(x.type.format)(output_gradients[0], *inputs[1:], *sides_of(x))
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

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True], [False], [False], [False]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        outer, inner = _majors(inputs[2]), inputs[1]
        rows, columns = (outer, inner) if self.format == "csr" else (inner, outer)
        g = _elements(output_gradients[0], rows, columns)
        return [g, disconnected(), disconnected(), disconnected()]


class Majors(SparseOp):
    """The row of each stored element of a CSR matrix (column, of CSC), given its index pointers."""

    __props__ = ()
    name = "majors"
    kinds: ClassVar[tuple[str, ...]] = ("tensor",)

    def output_types(self, *input_types: Any) -> list[TensorType]:
        return [vector_of("int64")]

    def compute(self, node: Apply, *values: Any) -> Any:
        return majors(values[0])

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False]]


def sides_of(x: Any) -> tuple[Any, Any]:
    """Return the lengths of the axes of a matrix as integer variables or constants."""
    n, m = (as_argument(side, "sides") for side in lengths(x))
    return n, m


_elements = Elements()
_majors = Majors()

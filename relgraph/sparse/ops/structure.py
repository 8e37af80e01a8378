"""Sparse matrices as stored elements and the places where they are stored.

An op takes the stored elements of a matrix, another puts a vector in their place: what is computed
of stored elements in between is computed by tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import disconnected
from relgraph.sparse.matrices import OTHER_FORMAT, assembled, in_format, sampled
from relgraph.sparse.op import SparseOp, check_same, check_shapes, vector_of
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.type import TensorType


class Stored(SparseOp):
    """The stored elements of a sparse matrix, as a vector: a view."""

    __props__ = ()
    name = "stored"
    view_map = {0: [0]}

    def output_types(self, *input_types: Any) -> list[TensorType]:
        return [vector_of(input_types[0].dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return values[0].data

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [_with_stored(inputs[0], output_gradients[0])]


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

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False]]


class WithStored(SparseOp):
    """A sparse matrix with other elements stored at its places: it shares the storage of both."""

    __props__ = ()
    name = "with_stored"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor")
    view_map = {0: [0, 1]}

    def output_types(self, *input_types: Any) -> list[Any]:
        pattern, data = input_types
        if data.ndim != 1:
            raise TypeError(f"{self.name}: stored elements are a vector, not a {data}")
        return [pattern.clone(dtype=data.dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        x, data = values
        if len(data) != x.nnz:
            raise ValueError(f"{self.name}: {len(data)} elements for {x.nnz} places")
        return assembled(x.format, data, x.indices, x.indptr, x.shape)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [True]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [disconnected(), _sampled(inputs[0], output_gradients[0])]


class Sampled(SparseOp):
    """The elements of a sparse matrix at the places that another one of its format stores."""

    __props__ = ()
    name = "sampled"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "sparse")
    view_map = {0: [1]}

    def output_types(self, *input_types: Any) -> list[TensorType]:
        pattern, x = input_types
        check_same(self.name, pattern, x)
        return [vector_of(x.dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        check_shapes(self.name, values[0].shape, values[1].shape)
        return sampled(*values)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [True]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [disconnected(), _with_stored(inputs[0], output_gradients[0])]


class Transposed(SparseOp):
    """The transpose of a sparse matrix, in the other format: it shares the storage."""

    __props__ = ()
    name = "transpose"
    view_map = {0: [0]}

    def output_types(self, *input_types: Any) -> list[Any]:
        (x,) = input_types
        return [SparseTensorType(OTHER_FORMAT[x.format], x.dtype, x.shape[::-1])]

    def compute(self, node: Apply, *values: Any) -> Any:
        (x,) = values
        return assembled(OTHER_FORMAT[x.format], x.data, x.indices, x.indptr, x.shape[::-1])

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(shapes[0][::-1])]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [_transposed(output_gradients[0])]


class WithoutZeros(SparseOp):
    """A sparse matrix without the zeros that are stored."""

    __props__ = ()
    name = "remove0"

    def output_types(self, *input_types: Any) -> list[Any]:
        return list(input_types)

    def compute(self, node: Apply, *values: Any) -> Any:
        made = values[0].copy()
        made.eliminate_zeros()
        return made

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [output_gradients[0]]


class ChangeFormat(SparseOp):
    """A sparse matrix in the other format.

    Parameters
    ----------
    format
        The new format.
    """

    __props__ = ("format",)
    name = "as_format"

    def __init__(self, format: str) -> None:
        self.format = format

    def output_types(self, *input_types: Any) -> list[Any]:
        (x,) = input_types
        if x.format == self.format:
            raise TypeError(f"{self}: the input has this format already")
        return [x.clone(format=self.format)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return in_format(values[0], self.format)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [as_format(output_gradients[0], inputs[0].type.format)]


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

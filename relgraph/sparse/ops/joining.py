"""Parts of sparse matrices, and matrices joined along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import scipy.sparse as sp

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import disconnected
from relgraph.scalar.dtypes import result_dtype
from relgraph.sparse.matrices import canonical
from relgraph.sparse.op import SparseOp, as_sparse_argument
from relgraph.sparse.ops.places import FromPlaces
from relgraph.sparse.ops.products import DotSparse
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.assembly.creation import arange, ones
from relgraph.tensor.math import lt, switch
from relgraph.tensor.shapes.shape import lengths, shape_i


class TakeRows(SparseOp):
    """Some rows of a sparse matrix, given by a vector of indices; negative ones count from the
    end."""

    __props__ = ()
    name = "take_rows"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor")

    def output_types(self, *input_types: Any) -> list[Any]:
        x, index = input_types
        if index.ndim != 1 or index.numpy_dtype.kind not in "iu":
            raise TypeError(f"{self.name}: a {index} in place of a vector of integers")
        return [x.clone(shape=(index.shape[0], x.shape[1]))]

    def compute(self, node: Apply, *values: Any) -> Any:
        x, index = values
        n = x.shape[0]
        if len(index) and not -n <= index.min() <= index.max() < n:
            raise IndexError(f"{self.name}: an index is out of bounds for {n} rows")
        return canonical(x[index.astype("int64")])

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[1][0], shapes[0][1])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True], [False]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        """Return the gradients of the rows, added up where they are from: by a product with the
        matrix that has a one for each row taken."""
        x, index = inputs
        g: Any = output_gradients[0]
        n, count = shape_i(x, 0), shape_i(index, 0)
        place = switch(lt(index, 0), index + n, index)
        one = ones((count,), dtype=g.type.dtype)
        origin = FromPlaces(g.type.format)(one, place, arange(count), n, count)
        return [DotSparse(structured=False)(origin, g), disconnected()]


class JoinSparse(SparseOp):
    """Sparse matrices of one format, below each other or side by side.

    Parameters
    ----------
    axis
        0 for below each other, 1 for side by side.
    """

    __props__ = ("axis",)

    def __init__(self, axis: int) -> None:
        if axis not in (0, 1):
            raise ValueError(f"sparse matrices are joined along axis 0 or 1, not {axis!r}")
        self.axis = axis

    def __str__(self) -> str:
        return "hstack" if self.axis else "vstack"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if not inputs:
            raise TypeError(f"{self}: there is nothing to join")
        return [as_sparse_argument(v, str(self), i) for i, v in enumerate(inputs)]

    def output_types(self, *input_types: Any) -> list[Any]:
        along = [t.shape[self.axis] for t in input_types]
        other = None
        for i, t in enumerate(input_types):
            n = t.shape[1 - self.axis]
            if t.format != input_types[0].format:
                raise TypeError(f"{self}: input {i} is {t.format}, not {input_types[0].format}")
            if None not in (n, other) and n != other:
                raise ValueError(
                    f"{self}: axis {1 - self.axis} has length {other} in the inputs before, {n} in "
                    f"input {i}"
                )
            other = n if other is None else other
        total = None if None in along else sum(along)
        shape = (other, total) if self.axis else (total, other)
        dtype = result_dtype(*[t.dtype for t in input_types])
        return [SparseTensorType(input_types[0].format, dtype, shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        if len({v.shape[1 - self.axis] for v in values}) > 1:
            raise ValueError(f"{self}: the shapes are {', '.join(str(v.shape) for v in values)}")
        stack = sp.hstack if self.axis else sp.vstack
        kind = node.outputs[0].type
        joined = canonical(stack(values, format=kind.format, dtype=kind.numpy_dtype))
        return joined.copy() if len(values) == 1 else joined

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        total = sum(shape[self.axis] for shape in shapes)
        other = shapes[0][1 - self.axis]
        return [(other, total) if self.axis else (total, other)]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        g = output_gradients[0]
        ends = [0]
        for x in inputs:
            ends.append(ends[-1] + lengths(x)[self.axis])
        return [take(g, arange(start, stop), self.axis) for start, stop in pairwise(ends)]


def take(x: Any, index: Any, axis: int) -> Any:
    """Return the rows (axis 0) or columns (axis 1) of a sparse variable at a vector of indices."""
    return _take_rows(x, index) if axis == 0 else _take_rows(x.T, index).T


_take_rows = TakeRows()

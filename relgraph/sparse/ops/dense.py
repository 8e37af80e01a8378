"""Between sparse matrices and dense tensors: conversions, samples and sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import disconnected
from relgraph.sparse.matrices import canonical, csr_or_csc, places, sums_along
from relgraph.sparse.op import SparseOp, check_shapes, vector_of
from relgraph.sparse.ops.structure import _with_stored
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.assembly.creation import alloc
from relgraph.tensor.reductions.reduction import reduced_dtype
from relgraph.tensor.shapes.shape import lengths
from relgraph.tensor.type import TensorType


class DenseFromSparse(SparseOp):
    """A sparse matrix as a dense one.

    Parameters
    ----------
    structured
        Whether the gradient is that by the stored elements alone: zero elsewhere.
    """

    __props__ = ("structured",)
    name = "dense_from_sparse"

    def __init__(self, structured: bool = True) -> None:
        self.structured = bool(structured)

    def __str__(self) -> str:
        return self.name

    def output_types(self, *input_types: Any) -> list[TensorType]:
        return [TensorType(input_types[0].dtype, input_types[0].shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return values[0].toarray()

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [gradient_of_elements(inputs[0], output_gradients[0], self.structured)]


class SparseFromDense(SparseOp):
    """A dense matrix as a sparse one, which stores what is not zero.

    Parameters
    ----------
    format
        The format of the sparse matrix.
    """

    __props__ = ("format",)
    kinds: ClassVar[tuple[str, ...]] = ("tensor",)

    def __init__(self, format: str) -> None:
        self.format = format

    def __str__(self) -> str:
        return f"{self.format}_from_dense"

    def output_types(self, *input_types: Any) -> list[Any]:
        (x,) = input_types
        if x.ndim != 2:
            raise TypeError(f"{self}: the input is a {x}, not a matrix")
        return [SparseTensorType(self.format, x.dtype, x.shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        return canonical(csr_or_csc(self.format, values[0]))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [_dense(output_gradients[0])]


class SampledDense(SparseOp):
    """The elements of a dense matrix at the places that a sparse one stores.

    An axis of the dense matrix broadcasts if its length is known to be 1.
    """

    __props__ = ()
    name = "sampled_dense"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor")

    def output_types(self, *input_types: Any) -> list[TensorType]:
        pattern, y = input_types
        if y.ndim != 2:
            raise TypeError(f"{self.name}: input 1 is a {y}, not a matrix")
        check_shapes(self.name, pattern.shape, _open_where_one(y.shape))
        return [vector_of(y.dtype)]

    def compute(self, node: Apply, *values: Any) -> Any:
        pattern, y = values
        index: list[Any] = []
        which = zip(node.inputs[1].type.shape, y.shape, pattern.shape, places(pattern), strict=True)
        for static, n, m, place in which:
            if static != 1 and n != m:
                raise ValueError(
                    f"{self.name}: the shapes are {pattern.shape} and {y.shape}; only an axis "
                    "whose length is known to be 1 broadcasts"
                )
            index.append(0 if static == 1 else place)
        found = y[tuple(index)]
        return found if found.ndim else np.full(pattern.nnz, found)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [True]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        pattern, y = inputs
        g = _with_stored(pattern, output_gradients[0])
        ones = [axis for axis, n in enumerate(y.type.shape) if n == 1]
        if len(ones) == 2:
            return [disconnected(), SparseSum(None)(g).dimshuffle("x", "x")]
        if ones:
            order = ("x", 0) if ones == [0] else (0, "x")
            return [disconnected(), SparseSum(ones[0])(g).dimshuffle(*order)]
        return [disconnected(), _dense(g)]


def _open_where_one(shape: Sequence[int | None]) -> list[int | None]:
    return [None if n == 1 else n for n in shape]


class SparseSum(SparseOp):
    """The sum of the elements of a sparse matrix, or their sums along an axis.

    It has the dtype of NumPy's sums.

    Parameters
    ----------
    axis
        0, 1, or None for all elements.
    structured
        Whether the gradient is that by the stored elements alone.
    """

    __props__ = ("axis", "structured")

    def __init__(self, axis: int | None = None, structured: bool = False) -> None:
        if axis not in (None, 0, 1):
            raise ValueError(f"sp_sum: axis is {axis!r}, not 0, 1 or None")
        self.axis = axis
        self.structured = bool(structured)

    name = "sp_sum"

    def __str__(self) -> str:
        return self.name if self.axis is None else f"{self.name}{{axis={self.axis}}}"

    def output_types(self, *input_types: Any) -> list[TensorType]:
        (x,) = input_types
        shape = () if self.axis is None else (x.shape[1 - self.axis],)
        return [TensorType(reduced_dtype(np.add, x.dtype), shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        (x,) = values
        dtype = node.outputs[0].type.dtype
        if self.axis is None:
            return np.asarray(np.add.reduce(x.data, dtype=dtype))
        return sums_along(x, self.axis, dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [() if self.axis is None else (shapes[0][1 - self.axis],)]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        x: Any = inputs[0]
        g: Any = output_gradients[0]
        new = {None: ("x", "x"), 0: ("x", 0), 1: (0, "x")}[self.axis]
        spread = g.dimshuffle(*new)
        if not self.structured:
            spread = alloc(spread, *lengths(x))
        return [gradient_of_elements(x, spread, self.structured)]


def gradient_of_elements(x: Any, g: Any, structured: bool) -> Any:
    """Return the gradient by a sparse matrix, given that by its elements as a dense matrix.

    Parameters
    ----------
    x
        The sparse matrix.
    g
        A matrix that broadcasts to its shape; of its shape if not `structured`.
    structured
        Whether the gradient is zero where `x` stores nothing.
    """
    if structured:
        return _with_stored(x, _sampled_dense(x, g))
    return SparseFromDense(x.type.format)(g)


_dense = DenseFromSparse()
_sampled_dense = SampledDense()

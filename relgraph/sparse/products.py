"""Between sparse matrices and dense tensors: conversions, samples and sums."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from relgraph.graph.basic import Apply
from relgraph.graph.type import disconnected
from relgraph.scalar.type import is_complex
from relgraph.sparse.matrices import CLASSES, canonical, places, sums_along
from relgraph.sparse.op import (
    FormatOp,
    FromPlaces,
    SparseOp,
    _sampled,
    _stored,
    _transposed,
    _with_stored,
    as_format,
    as_sparse_argument,
)
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.assembly import Join, alloc, arange, ones
from relgraph.tensor.math import _dot, conjugated, lt, switch
from relgraph.tensor.reductions import reduced_dtype
from relgraph.tensor.shapes import lengths, shape_i
from relgraph.tensor.signatures import common_lengths
from relgraph.tensor.type import TensorType


class StructuredOp(SparseOp):
    """Base class of ops with a choice of gradients by a sparse input.

    Parameters
    ----------
    structured
        Whether the gradient is that by the stored elements alone: zero elsewhere.
    """

    __props__ = ("structured",)

    def __init__(self, structured: bool = True) -> None:
        self.structured = bool(structured)

    def __str__(self) -> str:
        return self.name


class DenseFromSparse(StructuredOp):
    """A sparse matrix as a dense one.

    Parameters
    ----------
    structured
        Whether the gradient is that by the stored elements alone: zero elsewhere.
    """

    name = "dense_from_sparse"
    signature = "[m,n]->(m,n)"
    keeps_shape = True

    def compute(self, node: Apply, *values: Any) -> Any:
        return values[0].toarray()

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [gradient_of_elements(x, g, self.structured)]


class SparseFromDense(FormatOp):
    """A dense matrix as a sparse one, which stores what is not zero."""

    signature = "(m,n)->[m,n]"
    keeps_shape = True

    def __str__(self) -> str:
        return f"{self.format}_from_dense"

    def compute(self, node: Apply, *values: Any) -> Any:
        return canonical(CLASSES[self.format](values[0]))

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [_dense(g)]


class SampledDense(SparseOp):
    """The elements of a dense matrix at the places that a sparse one stores.

    An axis of the dense matrix broadcasts if its length is known to be 1.
    """

    signature = "[m,n],(k,l)->(places)"
    connected_inputs = (1,)

    def output_types(self, pattern: Any, y: Any) -> list[TensorType]:
        self.check_broadcasting((pattern, y), y.shape, pattern.shape, y.shape)
        return super().output_types(pattern, y)

    def check_broadcasting(self, inputs: Any, static: Any, pattern: Any, y: Any) -> None:
        """Raise a ValueError unless a dense matrix broadcasts to the shape of a sparse one.

        Parameters
        ----------
        inputs
            What errors call them.
        static
            The static shape of the dense one.
        pattern, y
            Their shapes.
        """
        common_lengths(self.name, inputs, [(None, None), static], [pattern, y], ((), ()))

    def compute(self, node: Apply, pattern: Any, y: Any) -> Any:
        static = node.inputs[1].type.shape
        self.check_broadcasting(node.inputs, static, pattern.shape, y.shape)
        index = [0 if n == 1 else place for n, place in zip(static, places(pattern), strict=True)]
        found = y[tuple(index)]
        return found if found.ndim else np.full(pattern.nnz, found)

    def input_gradients(self, g: Any, out: Any, pattern: Any, y: Any) -> list[Any]:
        g = _with_stored(pattern, g)
        ones = [axis for axis, n in enumerate(y.type.shape) if n == 1]
        if not ones:
            return [disconnected(), _dense(g)]
        axis = ones[0] if len(ones) == 1 else None
        return [disconnected(), SparseSum(axis)(g).dimshuffle(*_WITH_AXES[axis])]


_WITH_AXES = {None: ("x", "x"), 0: ("x", 0), 1: (0, "x")}
"""How a sum over an axis, or over both, gets those of length 1 in their place."""


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
    signature = "[m,n]->()"

    def __init__(self, axis: int | None = None, structured: bool = False) -> None:
        if axis not in (None, 0, 1):
            raise ValueError(f"sp_sum: axis is {axis!r}, not 0, 1 or None")
        self.axis = axis
        self.structured = bool(structured)
        self.signature = {None: "[m,n]->()", 0: "[m,n]->(n)", 1: "[m,n]->(m)"}[axis]

    name = "sp_sum"

    def __str__(self) -> str:
        return self.name if self.axis is None else f"{self.name}{{axis={self.axis}}}"

    def output_dtypes(self, *dtypes: str) -> Sequence[str]:
        return [reduced_dtype(np.add, dtypes[0])]

    def compute(self, node: Apply, x: Any) -> Any:
        dtype = node.outputs[0].type.dtype
        if self.axis is None:
            return np.asarray(np.add.reduce(x.data, dtype=dtype))
        return sums_along(x, self.axis, dtype)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        spread = g.dimshuffle(*_WITH_AXES[self.axis])
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


BLOCK_ELEMENTS = 1 << 18
"""How many numbers `SampledProduct` gathers at a time."""


class DotDense(StructuredOp):
    """The product of a sparse matrix and a dense matrix or vector, which is dense."""

    name = "structured_dot"
    signature = "[m,k],(k,n?)->(m,n?)"

    def compute(self, node: Apply, x: Any, y: Any) -> Any:
        self.check(node, x, y)
        dtype = node.outputs[0].type.dtype
        wide = "float32" if dtype == "float16" else dtype  # SciPy has no sparse float16
        product = x.astype(wide, copy=False) @ y.astype(wide, copy=False)
        with np.errstate(over="ignore"):
            return np.asarray(product, dtype)

    def input_gradients(self, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
        turned = self(adjoint(x), g)
        y = conjugated(y)
        if y.type.ndim == 1:
            g, y = g.dimshuffle(0, "x"), y.dimshuffle(0, "x")
        if self.structured:
            return [_with_stored(x, _sampled_product(x, g, y)), turned]
        return [SparseFromDense(x.type.format)(_dot(g, y.T)), turned]


class DotSparse(StructuredOp):
    """The product of two sparse matrices of one format, which is sparse."""

    name = "true_dot"
    signature = "[m,k],[k,n]->[m,n]"

    def compute(self, node: Apply, x: Any, y: Any) -> Any:
        self.check(node, x, y)
        dtype = node.outputs[0].type.dtype
        return canonical(x.astype(dtype, copy=False) @ y.astype(dtype, copy=False))

    def input_gradients(self, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
        """Return gradients in the format of the product; structured ones at the places of the
        inputs."""
        fmt = g.type.format
        found = [self(g, as_format(adjoint(y), fmt)), self(as_format(adjoint(x), fmt), g)]
        if not self.structured:
            return found
        return [
            _with_stored(v, _sampled(v, gradient))
            for v, gradient in zip((x, y), found, strict=True)
        ]


class SampledProduct(SparseOp):
    """The elements of ``x @ y.T`` at the places that a sparse matrix stores, as a vector.

    Its inputs are the sparse matrix and `x` and `y`, dense matrices of as many columns.
    """

    connected_inputs = (1, 2)
    signature = "[m,n],(m,k),(n,k)->(places)"

    def compute(self, node: Apply, pattern: Any, x: Any, y: Any) -> Any:
        self.check(node, pattern, x, y)
        rows, columns = places(pattern)
        found = np.empty(len(rows), node.outputs[0].type.dtype)
        step = max(BLOCK_ELEMENTS // max(x.shape[1], 1), 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            found[part] = np.einsum("ij,ij->i", x[rows[part]], y[columns[part]])
        return found

    def input_gradients(self, g: Any, out: Any, pattern: Any, x: Any, y: Any) -> list[Any]:
        g = _with_stored(pattern, g)
        return [
            disconnected(),
            _dot_dense(g, conjugated(y)),
            _dot_dense(_transposed(g), conjugated(x)),
        ]


def adjoint(x: Any) -> Any:
    """Return the conjugate transpose of a sparse variable."""
    turned = _transposed(x)
    return _with_stored(turned, _stored(turned).conj()) if is_complex(x.type.dtype) else turned


_dot_dense = DotDense()
_sampled_product = SampledProduct()


class TakeRows(SparseOp):
    """Some rows of a sparse matrix, given by a vector of indices; negative ones count from the
    end."""

    signature = "[m,n],(k)->[k,n]"
    integers = (1,)
    connected_inputs = (0,)

    def compute(self, node: Apply, x: Any, index: Any) -> Any:
        n = x.shape[0]
        if len(index) and not -n <= index.min() <= index.max() < n:
            raise IndexError(f"{self.name}: an index is out of bounds for {n} rows")
        return canonical(x[index.astype("int64")])

    def input_gradients(self, g: Any, out: Any, x: Any, index: Any) -> list[Any]:
        """Return the gradients of the rows, added up where they are from: by a product with the
        matrix that has a one for each row taken."""
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
        for i, t in enumerate(input_types):
            if t.format != input_types[0].format:
                raise TypeError(f"{self}: input {i} is {t.format}, not {input_types[0].format}")
        (kind,) = Join(self.axis).output_types(*input_types)
        return [SparseTensorType(input_types[0].format, kind.dtype, kind.shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        if len({v.shape[1 - self.axis] for v in values}) > 1:
            raise ValueError(f"{self}: the shapes are {', '.join(str(v.shape) for v in values)}")
        stack = sp.hstack if self.axis else sp.vstack
        kind = node.outputs[0].type
        joined = canonical(stack(values, format=kind.format, dtype=kind.numpy_dtype))
        return joined.copy() if len(values) == 1 else joined

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return Join(self.axis).output_shapes(*shapes)

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        ends = [0]
        for x in inputs:
            ends.append(ends[-1] + lengths(x)[self.axis])
        return [take(g, arange(start, stop), self.axis) for start, stop in pairwise(ends)]


def take(x: Any, index: Any, axis: int) -> Any:
    """Return the rows (axis 0) or columns (axis 1) of a sparse variable at a vector of indices."""
    return _take_rows(x, index) if axis == 0 else _take_rows(x.T, index).T


_take_rows = TakeRows()

"""`MatMul`, and NumPy's functions for products: dot, matmul, outer, tensordot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import result_dtype
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.blas_calls import products
from relgraph.tensor.contraction import BLAS_DTYPES, MatrixProduct, _dot, check_inner, conjugate
from relgraph.tensor.math import mul
from relgraph.tensor.memory_layout import laid_out
from relgraph.tensor.reductions.reduction import sum_like
from relgraph.tensor.shapes.reshaping import flatten, reshape, swapaxes, transpose
from relgraph.tensor.shapes.shape import lengths, product
from relgraph.tensor.type import TensorType


class MatMul(MatrixProduct):
    """The products of the matrices in two stacks; at least one input has three axes.

    The axes before the last two broadcast if their static length is 1.
    """

    def __str__(self) -> str:
        return "matmul"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        for which, t in (("first", x), ("second", y)):
            if t.ndim < 2:
                raise TypeError(f"matmul: the {which} input is a {t}, no matrix or stack of them")
        check_inner(self, x, y, -1, -2)
        ndim = max(x.ndim, y.ndim) - 2
        batch = [
            _batch_length(n, m, axis)
            for axis, n, m in zip(
                range(ndim), _padded(x.shape[:-2], ndim), _padded(y.shape[:-2], ndim), strict=True
            )
        ]
        shape = (*batch, x.shape[-2], y.shape[-1])
        return [TensorType(result_dtype(x.dtype, y.dtype), shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = inputs
        check_inner(self, x, y, -1, -2)
        ndim = max(x.ndim, y.ndim) - 2
        known = [_padded(v.type.shape[:-2], ndim) for v in node.inputs]
        actual = [_padded(v.shape[:-2], ndim) for v in inputs]
        for axis, (n, m) in enumerate(zip(*actual, strict=True)):
            if n != m and not (n == 1 == known[0][axis] or m == 1 == known[1][axis]):
                raise ValueError(
                    f"matmul: axis {axis} of {node.inputs[0]} has length {n}, of "
                    f"{node.inputs[1]} {m}; only an axis whose length is known to be 1 broadcasts"
                )
        with np.errstate(all="ignore"):
            output_storage[0][0] = self.products(x, y)

    def products(self, x: Any, y: Any) -> Any:
        """Return the products of two stacks of arrays, by the same way for each layout."""
        return products(laid_out(x), laid_out(y))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x, y = shapes
        ndim = max(len(x), len(y)) - 2
        static = _padded(node.inputs[0].type.shape[:-2], ndim)
        pairs = zip(static, _padded(x[:-2], ndim), _padded(y[:-2], ndim), strict=True)
        return [(*[m if known == 1 else n for known, n, m in pairs], x[-2], y[-1])]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x, y = inputs
        g = output_grads[0]
        gx = self(g, swapaxes(conjugate(y), -1, -2))
        gy = self(swapaxes(conjugate(x), -1, -2), g)
        return [_sum_batch(gx, x), _sum_batch(gy, y)]


class BatchedDot(MatMul):
    """The products of the matrices in two stacks of one dtype that the BLAS has.

    It takes the BLAS's way for each layout in memory, where `MatMul` takes the same one for all:
    transposed matrices are not copied.
    """

    def __str__(self) -> str:
        return "batched_dot"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        if x.dtype != y.dtype or x.dtype not in BLAS_DTYPES:
            raise TypeError(
                f"{self}: the inputs are {x} and {y}; wanted is one dtype of "
                f"{', '.join(BLAS_DTYPES)}"
            )
        return super().output_types(x, y)

    def products(self, x: Any, y: Any) -> Any:
        return products(x, y)


def _padded(batch: Sequence[Any], ndim: int) -> tuple[Any, ...]:
    """Return the shape of a stack with axes of length 1 added in front."""
    return (1,) * (ndim - len(batch)) + tuple(batch)


def _batch_length(n: int | None, m: int | None, axis: int) -> int | None:
    if n == 1 or m == 1:
        return m if n == 1 else n
    if n is not None and m is not None and n != m:
        raise ValueError(
            f"matmul: axis {axis} has length {n} in the first input, {m} in the second"
        )
    return m if n is None else n


def _sum_batch(g: Any, x: Any) -> Any:
    """Return the gradient `g`, summed over the axes along which the stack `x` was broadcast."""
    missing = g.type.ndim - x.type.ndim
    batch = x.type.shape[:-2]
    if missing == 0 and not any(
        n == 1 and m != 1 for n, m in zip(batch, g.type.shape[missing:-2], strict=True)
    ):
        return g
    return sum_like(g, x)


_matmul = MatMul()
_batched_dot = BatchedDot()


def dot(a: Any, b: Any) -> Any:
    """Return the dot product, as `numpy.dot` does.

    A scalar multiplies the other argument. Otherwise the product sums over the last axis of `a` and
    the last but one of `b`, or the only one if `b` is a vector.

    Raises
    ------
    ValueError
        If the static lengths of these axes differ.
    """
    a, b = as_argument(a, "dot", 0), as_argument(b, "dot", 1)
    if isinstance(a, LogicTerm) or isinstance(b, LogicTerm):
        return _dot(a, b)
    n, m = a.type.ndim, b.type.ndim
    if n == 0 or m == 0:
        return mul(a, b)
    if n <= 2 and m <= 2:
        return _dot(a, b)
    return tensordot(a, b, ((n - 1,), (max(m - 2, 0),)))


def matmul(a: Any, b: Any) -> Any:
    """Return ``a @ b``, as `numpy.matmul` does; more than two axes make a stack of matrices.

    Raises
    ------
    TypeError
        If an argument has rank 0.
    ValueError
        If the static lengths of the axes that are summed over differ.
    """
    a, b = as_argument(a, "dot", 0), as_argument(b, "dot", 1)
    if isinstance(a, LogicTerm) or isinstance(b, LogicTerm):
        return _dot(a, b)
    n, m = a.type.ndim, b.type.ndim
    if n == 0 or m == 0:
        raise TypeError(f"matmul: {a if n == 0 else b} has rank 0; multiply by it with *")
    if n <= 2 and m <= 2:
        return _dot(a, b)
    if n == 1:
        stack = _matmul(a.dimshuffle("x", 0), b)
        return stack.dimshuffle(*range(m - 2), m - 1)
    if m == 1:
        return _matmul(a, b.dimshuffle(0, "x")).dimshuffle(*range(n - 1))
    return _matmul(a, b)


def batched_dot(a: Any, b: Any) -> Any:
    """Return the products of the matrices or vectors in two stacks of the same length.

    Parameters
    ----------
    a, b
        Stacks along the first axis: of matrices (rank 3) or of vectors (rank 2).

    Raises
    ------
    TypeError
        If an argument has another rank.
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    for v in (a, b):
        if v.type.ndim not in (2, 3):
            raise TypeError(f"batched_dot: {v} is a {v.type}, no stack of vectors or matrices")
    left = a if a.type.ndim == 3 else a.dimshuffle(0, "x", 1)
    right = b if b.type.ndim == 3 else b.dimshuffle(0, 1, "x")
    dropped = [axis for axis, v in ((1, a), (2, b)) if v.type.ndim == 2]
    return _matmul(left, right).dimshuffle(*[i for i in range(3) if i not in dropped])


def outer(a: Any, b: Any) -> Any:
    """Return the matrix of the products of each element of `a` and each of `b`, both flattened.

    Parameters
    ----------
    a, b
        Tensors, which are flattened.

    Examples
    --------
    >>> outer([1, 2], [3, 4]).eval()
    array([[3, 4],
           [6, 8]])
    """
    return flatten(a).dimshuffle(0, "x") * flatten(b).dimshuffle("x", 0)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the product of `a` and `b`, summed over pairs of axes.

    Parameters
    ----------
    a, b
        Tensors. The result has the other axes of `a`, followed by those of `b`.
    axes
        An int n for the last n axes of `a` and the first n of `b`, in order; or a pair of an axis
        or axes of `a` and an axis or axes of `b`.

    Raises
    ------
    ValueError
        If there are not as many axes of `a` as of `b`, or the static lengths of a pair differ.
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    n, m = a.type.ndim, b.type.ndim
    if isinstance(axes, int):
        if not 0 <= axes <= min(n, m):
            raise ValueError(f"tensordot: {axes} axes of tensors with {n} and {m} dimensions")
        axes = (range(n - axes, n), range(axes))
    a_axes, b_axes = (_several(given, t.type.ndim) for given, t in zip(axes, (a, b), strict=True))
    if len(a_axes) != len(b_axes):
        raise ValueError(f"tensordot: {len(a_axes)} axes can't meet {len(b_axes)}")
    a_rest = [i for i in range(n) if i not in a_axes]
    b_rest = [i for i in range(m) if i not in b_axes]
    a_lengths, b_lengths = lengths(a), lengths(b)
    for i, j in zip(a_axes, b_axes, strict=True):
        p, q = a_lengths[i], b_lengths[j]
        if isinstance(p, int) and isinstance(q, int) and p != q:
            raise ValueError(
                f"tensordot: axis {i} of the first has length {p}, {j} of the second {q}"
            )
    rows = [a_lengths[i] for i in a_rest]
    columns = [b_lengths[j] for j in b_rest]
    left = reshape(
        transpose(a, [*a_rest, *a_axes]), (product(rows), product([a_lengths[i] for i in a_axes]))
    )
    right = reshape(
        transpose(b, [*b_axes, *b_rest]),
        (product([b_lengths[j] for j in b_axes]), product(columns)),
    )
    return reshape(_dot(left, right), (*rows, *columns))


def _several(axes: Any, ndim: int) -> list[int]:
    several = [axes] if isinstance(axes, int) else list(axes)
    return [normalize_axis(axis, ndim, "tensordot") for axis in several]

"""Products: dot, matmul, tensordot, einsum, kron, chains of matrices; transposes and traces.

The cheapest order of a chain is found by dynamic programming on known lengths: T. Cormen, C.
Leiserson, R. Rivest and C. Stein, Introduction to Algorithms, 15.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from relgraph.graph.utils import LogicTerm
from relgraph.scalar.type import is_discrete
from relgraph.tensor.basic import TensorOp, as_argument, as_tensor_variable, normalize_axis
from relgraph.tensor.fortran import products
from relgraph.tensor.linalg import diagonals
from relgraph.tensor.linalg.matrix_op import fitted_gradient
from relgraph.tensor.math import MatrixProduct, _dot, cast, check_blas, conjugated, mul
from relgraph.tensor.memory import laid_out
from relgraph.tensor.reductions import any as any_
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.shapes import flatten, lengths, product, reshape, swapaxes, transpose
from relgraph.tensor.type import TensorType


class MatMul(MatrixProduct):
    """The products of the matrices in two stacks; at least one input has three axes.

    The axes before the last two broadcast if their static length is 1.
    """

    name = "matmul"
    signature = "(m,k),(k,n)->(m,n)"

    def product(self, x: Any, y: Any) -> Any:
        return products(laid_out(x), laid_out(y))

    def input_gradients(self, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
        gx = self(g, swapaxes(conjugated(y), -1, -2))
        gy = self(swapaxes(conjugated(x), -1, -2), g)
        return [fitted_gradient(gx, x), fitted_gradient(gy, y)]


class BatchedDot(MatMul):
    """The products of the matrices in two stacks of one dtype that the BLAS has.

    It takes the BLAS's way for each layout in memory, where `MatMul` takes the same one for all:
    transposed matrices are not copied.
    """

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        check_blas(self, input_types, [t.ndim for t in input_types])
        return super().output_types(*input_types)

    def product(self, x: Any, y: Any) -> Any:
        return products(x, y)


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


def matmul(a: Any, b: Any, dtype: Any = None) -> Any:
    """Return ``a @ b``, as `numpy.matmul` does; more than two axes make a stack of matrices.

    Parameters
    ----------
    a, b
        Tensors of rank 1 or more.
    dtype
        The dtype to compute in; None for that of both.

    Raises
    ------
    TypeError
        If an argument has rank 0.
    ValueError
        If the static lengths of the axes that are summed over differ.
    """
    a, b = as_argument(a, "dot", 0), as_argument(b, "dot", 1)
    if dtype is not None:
        a, b = cast(a, dtype), cast(b, dtype)
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


class Kron(TensorOp):
    """The blocks ``x[i, j] * y`` of two matrices, put together as one matrix."""

    nin = 2
    ranks = (2,)

    def array_formula(self, xp: Any, x: Any, y: Any) -> Any:
        blocks = x[:, None, :, None] * y[None, :, None, :]
        return blocks.reshape(x.shape[0] * y.shape[0], x.shape[1] * y.shape[1])

    def output_shapes(self, x: Any, y: Any) -> list[Any]:
        return [tuple(product(pair) for pair in zip(x, y, strict=True))]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        x, y = (conjugated(v) for v in inputs)
        (n, m), (p, q) = lengths(x), lengths(y)
        blocks = reshape(g, (n, p, m, q))
        return [
            fitted_gradient(tensordot(blocks, y, [[1, 3], [0, 1]]), inputs[0]),
            fitted_gradient(tensordot(x, blocks, [[0, 1], [0, 2]]), inputs[1]),
        ]


_kron = Kron()


Order = int | tuple[Any, Any]
"""The position of a factor, or a pair of orders whose product is taken."""


def cheapest_order(shapes: Sequence[tuple[int, int]]) -> tuple[Order, int]:
    """Return the order of a product of matrices with the fewest multiplications, and their number.

    Of several orders with as many, the one from the left is taken.

    Parameters
    ----------
    shapes
        The shapes of the factors; adjacent ones fit.
    """
    count = len(shapes)
    sides = [shapes[0][0], *[columns for _, columns in shapes]]
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sides[i] * sides[k + 1] * sides[j + 1], -k)
                for k in range(i, j)
            ]
            cost[i, j], k = min(options)
            split[i, j] = -k
    built: dict[tuple[int, int], Order] = {(i, i): i for i in range(count)}
    for i, j in sorted(split, key=lambda pair: pair[1] - pair[0]):
        k = split[i, j]
        built[i, j] = (built[i, k], built[k + 1, j])
    return built[0, count - 1], cost[0, count - 1]


def product_in_order(order: Order, factors: Sequence[Any], product: Any) -> Any:
    """Return the product of some factors in an order; `product` takes two of them."""
    if isinstance(order, int):
        return factors[order]
    left, right = order
    return product(
        product_in_order(left, factors, product), product_in_order(right, factors, product)
    )


Label = str
Labels = tuple[Label, ...]
Named = tuple[Any, Labels]
"""A tensor, and the names of its axes."""


def einsum(subscripts: str, *operands: Any, optimize: Any = None) -> Any:
    """Return a sum of products of tensors, as `numpy.einsum` does.

    Two tensors at a time are contracted, as products of (stacks of) matrices where axes are summed
    over. Where all static lengths are known, NumPy's `einsum_path` says in which order.

    Parameters
    ----------
    subscripts
        A letter for each axis of each tensor, separated by commas; behind ``->`` those of the
        result. ``...`` means axes that broadcast.
    operands
        The tensors.
    optimize
        Is accepted, as NumPy has it, and not read.

    Raises
    ------
    TypeError
        If `subscripts` is no text.
    ValueError
        If it does not fit the tensors.
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: the subscripts are a text, not {subscripts!r}")
    tensors = [as_argument(v, "einsum", i) for i, v in enumerate(operands)]
    given, wanted = _parse(subscripts, tensors)
    named = [_without_repeats(v, labels) for v, labels in zip(tensors, given, strict=True)]
    for positions in _path(subscripts, tensors):
        chosen = [named[i] for i in positions]
        named = [v for i, v in enumerate(named) if i not in positions]
        others = {*wanted, *(label for _, labels in named for label in labels)}
        named.append(_contracted(chosen[0], chosen[1], others) if len(chosen) == 2 else chosen[0])
    return _arranged(named[0], wanted)


def _parse(subscripts: str, tensors: Sequence[Any]) -> tuple[list[Labels], Labels]:
    """Return the names of the axes of each tensor, and of the result."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(tensors):
        raise ValueError(f"einsum: {subscripts!r} names {len(parts)} tensors, not {len(tensors)}")
    given = [
        _labels(part, v.type.ndim, i)
        for i, (part, v) in enumerate(zip(parts, tensors, strict=True))
    ]
    spread = max((labels for labels in given), key=_spread_count, default=())
    dots = tuple(label for label in spread if not label.isalpha())
    counts = Counter(label for part in parts for label in part if label.isalpha())
    if not arrow:
        return given, (*dots, *sorted(label for label, n in counts.items() if n == 1))
    before, ellipsis, after = output.partition("...")
    wanted = (*before, *(dots if ellipsis else ()), *after)
    for label in wanted:
        if label.isalpha() and label not in counts:
            raise ValueError(f"einsum: the result's axis {label} is no axis of an input")
        if not label.isalpha() and label not in dots:
            raise ValueError(f"einsum: {label!r} in {subscripts!r} is no letter")
    if len(set(wanted)) < len(wanted):
        raise ValueError(f"einsum: an axis of the result is named twice in {output!r}")
    return given, wanted


def _spread_count(labels: Labels) -> int:
    return sum(not label.isalpha() for label in labels)


def _labels(part: str, ndim: int, position: int) -> Labels:
    """Return the names of the axes of one tensor; axes under ``...`` count from the last one."""
    before, ellipsis, after = part.partition("...")
    letters = before + after
    if not all(label.isalpha() for label in letters):
        raise ValueError(f"einsum: {part!r} holds something that is no letter")
    missing = ndim - len(letters)
    if missing < 0 or (missing and not ellipsis):
        raise ValueError(
            f"einsum: {part!r} names {len(letters)} axes of input {position}, which has {ndim}"
        )
    return (*before, *[str(k) for k in range(missing - 1, -1, -1)], *after)


def _path(subscripts: str, tensors: Sequence[Any]) -> list[tuple[int, ...]]:
    """Return which of the tensors that are left are contracted at each step."""
    if len(tensors) < 3:
        return [tuple(range(len(tensors)))]
    shapes = [v.type.shape for v in tensors]
    if any(None in shape for shape in shapes):
        # the last is what has been made so far
        return [(0, 1), *[(0, left - 1) for left in range(len(tensors) - 1, 1, -1)]]
    empty = [np.broadcast_to(np.empty(()), shape) for shape in shapes]
    path = np.einsum_path(subscripts, *empty, optimize="greedy")[0][1:]
    steps: list[tuple[int, ...]] = []
    for step in path:
        # more than two at once are taken in pairs
        first, *rest = sorted(step, reverse=True)
        count = len(tensors) - sum(len(s) - 1 for s in steps)
        for k in rest:
            steps.append((k, first) if first != k else (k,))
            first, count = count - 2, count - 1
    return steps


def _without_repeats(v: Any, labels: Labels) -> Named:
    """Return a tensor with its diagonal along axes of the same name."""
    while len(set(labels)) < len(labels):
        label = next(name for name, n in Counter(labels).items() if n > 1)
        i = labels.index(label)
        j = labels.index(label, i + 1)
        v = diagonals.diagonal(v, 0, i, j)
        labels = (*labels[:i], *labels[i + 1 : j], *labels[j + 1 :], label)
    return v, labels


def _summed(named: Named, kept: Collection[Label]) -> Named:
    """Return a tensor summed over the axes that are not kept."""
    v, labels = named
    dropped = tuple(i for i, label in enumerate(labels) if label not in kept)
    if not dropped:
        return named
    return sum_(v, axis=dropped, dtype=v.type.dtype), tuple(n for n in labels if n in kept)


def _spread_dropped(named: Named, other: Named) -> Named:
    """Return a tensor without the axes of length 1 that broadcast against another one."""
    v, labels = named
    others = dict(zip(other[1], other[0].type.shape, strict=True))
    kept = [
        i
        for i, (label, n) in enumerate(zip(labels, v.type.shape, strict=True))
        if not (n == 1 and label in others and others[label] != 1)
    ]
    if len(kept) == len(labels):
        return named
    return v.dimshuffle(*kept), tuple(labels[i] for i in kept)


def _contracted(x: Named, y: Named, kept: Collection[Label]) -> Named:
    """Return the product of two tensors, summed over the axes that are not kept."""
    x, y = _spread_dropped(x, y), _spread_dropped(y, x)
    x = _summed(x, {*kept, *y[1]})
    y = _summed(y, {*kept, *x[1]})
    both = [n for n in x[1] if n in y[1]]
    batch = [n for n in both if n in kept]
    inner = [n for n in both if n not in kept]
    left = [n for n in x[1] if n not in both]
    right = [n for n in y[1] if n not in both]
    labels = (*batch, *left, *right)
    if not inner:
        return mul(_spread(x, labels), _spread(y, labels)), labels
    rows = _grouped(x, batch, left, inner)
    columns = _grouped(y, batch, inner, right)
    made = matmul(rows, columns)
    if len(left) == len(right) == 1:
        return made, labels
    sizes = {**_sizes(y), **_sizes(x)}
    return reshape(made, tuple(sizes[n] for n in labels)), labels


def _sizes(named: Named) -> dict[Label, Any]:
    return dict(zip(named[1], lengths(named[0]), strict=True))


def _spread(named: Named, labels: Sequence[Label]) -> Any:
    v, own = named
    return v.dimshuffle(*[own.index(n) if n in own else "x" for n in labels])


def _grouped(named: Named, batch: list[Label], first: list[Label], second: list[Label]) -> Any:
    """Return a stack of matrices whose sides are the axes of two groups."""
    v, own = named
    order = [own.index(n) for n in (*batch, *first, *second)]
    v = transpose(v, order)
    if len(first) == len(second) == 1:
        return v
    sizes = lengths(v)
    k = len(batch)
    sides = [product(sizes[k : k + len(first)]), product(sizes[k + len(first) :])]
    return reshape(v, (*sizes[:k], *sides))


def _arranged(named: Named, wanted: Labels) -> Any:
    """Return a tensor with the axes that are wanted, in order."""
    v, labels = _summed(named, wanted)
    return transpose(v, [labels.index(n) for n in wanted]) if labels != wanted else v


def matrix_transpose(x: Any) -> Any:
    """Return the transposes of the matrices in a stack: the last two axes change places.

    Parameters
    ----------
    x
        A matrix, or a stack of them.

    Examples
    --------
    >>> matrix_transpose([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    x = as_argument(x, "matrix_transpose", 0)
    if not isinstance(x, LogicTerm) and x.type.ndim < 2:
        raise TypeError(f"matrix_transpose: the input is a {x.type}, not of two axes or more")
    return swapaxes(x, -1, -2)


def diagonal(x: Any, offset: int = 0) -> Any:
    """Return the diagonals of the matrices in a stack, as `numpy.linalg.diagonal` does.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    offset
        How far the diagonal is above the main one; below it if negative.

    Examples
    --------
    >>> diagonal([[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    return diagonals.diagonal(x, offset, -2, -1)


def trace(x: Any, offset: int = 0) -> Any:
    """Return the sums of the diagonals of the matrices in a stack.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    offset
        How far the diagonal is above the main one; below it if negative.

    Examples
    --------
    >>> trace([[1, 2], [3, 4]]).eval()
    array(5)
    """
    return diagonals.trace(x, offset, -2, -1)


def vecdot(x1: Any, x2: Any, axis: int = -1) -> Any:
    """Return the sums of the products of the conjugate of `x1` and `x2` along an axis.

    Parameters
    ----------
    x1, x2
        Tensors whose shapes broadcast.
    axis
        The axis.

    Examples
    --------
    >>> vecdot([1, 2], [3, 4]).eval()
    array(11)
    """
    x1, x2 = as_argument(x1, "vecdot", 0), as_argument(x2, "vecdot", 1)
    products = conjugated(x1) * x2
    if isinstance(products, LogicTerm) or not is_discrete(products.type.dtype):
        return sum_(products, axis=axis)
    if products.type.dtype == "bool":
        return any_(products, axis=axis)
    return sum_(products, axis=axis, dtype=products.type.dtype)


def kron(a: Any, b: Any) -> Any:
    """Return the Kronecker product, as `numpy.kron` does: each element of `a` times `b`.

    The one of fewer axes gets axes of length 1 in front.
    """
    a, b = as_argument(a, "kron", 0), as_argument(b, "kron", 1)
    ndim = max(a.type.ndim, b.type.ndim)
    if ndim == 0:
        return a * b
    if a.type.ndim == b.type.ndim == 2:
        return _kron(a, b)
    a, b = (as_tensor_variable(v, ndim=ndim) for v in (a, b))
    spread_a: list[Any] = []
    spread_b: list[Any] = []
    for i in range(ndim):
        spread_a += [i, "x"]
        spread_b += ["x", i]
    shape = [n * m for n, m in zip(lengths(a), lengths(b), strict=True)]
    return reshape(a.dimshuffle(*spread_a) * b.dimshuffle(*spread_b), shape)


def multi_dot(arrays: Sequence[Any]) -> Any:
    """Return the product of several matrices, as `numpy.linalg.multi_dot` does.

    Where all static lengths are known it is taken in the order with the fewest multiplications,
    else from the left.

    Parameters
    ----------
    arrays
        At least two matrices; the first and the last one may be vectors.

    Raises
    ------
    TypeError
        If another rank is among them.
    ValueError
        If there are less than two.
    """
    factors = [as_argument(v, "multi_dot", i) for i, v in enumerate(arrays)]
    if len(factors) < 2:
        raise ValueError(f"multi_dot takes at least 2 matrices, not {len(factors)}")
    for i, v in enumerate(factors):
        ends = i in (0, len(factors) - 1)
        if v.type.ndim != 2 and not (ends and v.type.ndim == 1):
            raise TypeError(f"multi_dot: input {i} is a {v.type}, not a matrix")
    shapes = [as_matrix_shape(v.type.shape, first=i == 0) for i, v in enumerate(factors)]
    if any(None in shape for shape in shapes):
        made = factors[0]
        for v in factors[1:]:
            made = matmul(made, v)
        return made
    order, _ = cheapest_order(shapes)
    return product_in_order(order, factors, matmul)


def as_matrix_shape(shape: tuple[Any, ...], first: bool) -> Any:
    """Return the shape that a factor of a chain has as a matrix: a vector stands at an end."""
    if len(shape) == 2:
        return shape
    return (1, *shape) if first else (*shape, 1)

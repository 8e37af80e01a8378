"""What products of matrices cost, which are trivial, and right sides of the laws in
`relations.matrices`. Where a length is not known the answer is no.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from relations.kit.guards import (
    constant_number,
    containing_any_of,
    depends_on_levels,
    requires_heads,
)
from relations.kit.vocabulary import finite as any_finite
from relations.kit.vocabulary import rounding as any_rounding
from relations.kit.vocabulary import stable as any_stable
from relgraph.graph.basic import Constant
from relgraph.tensor.assembly import Eye, eye
from relgraph.tensor.indexing import getitem
from relgraph.tensor.linalg.diagonals import trace
from relgraph.tensor.linalg.products import (
    as_matrix_shape,
    cheapest_order,
    product_in_order,
)
from relgraph.tensor.math import Dot, _dot, cast
from relgraph.tensor.shapes import lengths, reshape, shape_i

TAGS = ("linear_algebra",)

rounding, finite, stable = (
    partial(kind, tags=TAGS, complex=True) for kind in (any_rounding, any_finite, any_stable)
)
"""Kinds of laws about matrices, of complex numbers too."""


def are_square(x: Any, y: Any) -> bool:
    """Return whether two factors of a product are known to be square matrices."""
    shapes = (x.type.shape, y.type.shape)
    if any(len(shape) != 2 for shape in shapes):
        return False
    return all(shape[0] is not None and shape[0] == shape[1] for shape in shapes)


def have_no_single_row_or_column(x: Any, y: Any) -> bool:
    """Return whether two matrices are not known to have one row or column."""
    return 1 not in (*x.type.shape, *y.type.shape)


def shrinks_left(x: Any, y: Any) -> bool:
    """Return whether the product of `x` and `y` is known to have fewer elements than `x`."""
    if y.type.ndim < 2:
        return True
    return y.type.ndim == 2 and _is_shorter(y.type.shape[1], x.type.shape[-1])


def shrinks_right(x: Any, y: Any) -> bool:
    """Return whether the product of `x` and `y` is known to have fewer elements than `y`."""
    if x.type.ndim < 2 or y.type.ndim < 2:
        return bool(x.type.ndim < 2)
    return x.type.ndim == 2 and _is_shorter(x.type.shape[0], y.type.shape[-2])


def _is_shorter(a: int | None, b: int | None) -> bool:
    return a is not None and b is not None and a < b


@depends_on_levels(1)
def is_identity_matrix(x: Any) -> bool:
    """Return whether `x` is an `Eye` of as many rows as columns, or a constant, with ones on its
    diagonal and zeros beside it."""
    node = x.owner
    if node is not None and isinstance(node.op, Eye):
        rows, columns, place = node.inputs
        return rows is columns and constant_number(place) == 0
    if not isinstance(x, Constant):
        return False
    data = np.asarray(x.data)
    square = data.ndim == 2 and data.shape[0] == data.shape[1]
    return square and bool(np.array_equal(data, np.eye(len(data))))


def is_column_by_row(x: Any, y: Any) -> bool:
    """Return whether ``x @ y`` is the outer product of a column `x` and a row `y`."""
    p, q = x.type.shape, y.type.shape
    return len(p) == len(q) == 2 and bool(p[1] == q[0] == 1)


MOST_FACTORS = 24
"""How long a chain is looked at; the time grows with the cube."""


@requires_heads(containing_any_of(_dot))
@depends_on_levels(3)
def cheapest_chain(x: Any, y: Any) -> Any:
    """Return ``x @ y`` in the order with the fewest multiplications; None if it has it already.

    The factors are those of products of matrices below; a vector may be the first or the last.
    """
    factors, cost = _flattened(x, y)
    shapes = [as_matrix_shape(v.type.shape, i == 0) for i, v in enumerate(factors)]
    if len({v.type.dtype for v in factors}) > 1:
        return None
    if len(factors) < 3 or any(None in shape for shape in shapes):
        return None
    order, least = cheapest_order(shapes)
    return product_in_order(order, factors, _dot) if least < cost else None


def _flattened(x: Any, y: Any) -> tuple[list[Any], int]:
    """Return the factors of a product, and the multiplications that it takes as it stands."""
    factors, cost = [x, y], _cost(x, y)
    i = 0
    while i < len(factors):
        inner = factors[i].owner.inputs if isinstance(factors[i].head, Dot) else []
        # a vector ends a chain
        ends = (i == 0, i == len(factors) - 1)
        fits = all(v.type.ndim == 2 or end for v, end in zip(inner, ends, strict=False))
        if inner and fits and len(factors) < MOST_FACTORS:
            factors[i : i + 1] = inner
            cost += _cost(*inner)
        else:
            i += 1
    return factors, cost


def _cost(x: Any, y: Any) -> int:
    """Return how many multiplications a product takes, as far as the lengths are known."""
    return math.prod([n for n in (*x.type.shape[:-1], *y.type.shape) if n is not None])


@depends_on_levels(2)
def cheapest_cycle(x: Any, y: Any, z: Any) -> Any:
    """Return the trace of ``x @ y @ z`` as that of ``y @ z @ x`` or ``z @ x @ y``, whichever takes
    the fewest multiplications; None if it is the first or can't be told."""
    shapes = [v.type.shape for v in (x, y, z)]
    if any(len(shape) != 2 or None in shape for shape in shapes) or shapes[0][0] != shapes[2][1]:
        return None
    orders = ((x, y, z), (y, z, x), (z, x, y))
    costs = [_cost(p, q) + p.type.shape[0] * q.type.shape[1] for p, q, _ in orders]
    best = costs.index(min(costs))
    if best == 0:
        return None
    least = orders[best]
    # the trace of (p @ q) @ r takes p @ q, and one multiplication for each of its elements
    return trace(_dot(_dot(least[0], least[1]), least[2]))


def is_narrower(z: Any, y: Any) -> bool:
    """Return whether ``y @ z`` is known to have fewer columns than `y`, both matrices, or `z` is a
    vector."""
    if y.type.ndim != 2 or z.type.ndim not in (1, 2):
        return False
    if z.type.ndim == 1:
        return bool(y.type.shape[1] != 1)
    return _is_shorter(z.type.shape[1], y.type.shape[1])


def is_tall(x: Any) -> bool:
    """Return whether a matrix is known to have at least twice as many rows as columns."""
    return _is_tall(x.type.shape)


def is_wide(x: Any) -> bool:
    """Return whether a matrix is known to have at least twice as many columns as rows."""
    return _is_tall(x.type.shape[::-1])


def _is_tall(shape: Sequence[Any]) -> bool:
    return len(shape) == 2 and None not in shape and shape[0] > 1 and 2 * shape[1] <= shape[0]


def are_sides_of(d: Any, u: Any, v: Any) -> bool:
    """Return whether `d` and the product of two matrices `u` and `v` are known to be square, and of
    one shape."""
    n = u.type.shape[0]
    return bool(d.type.shape == (n, n) and v.type.shape[1:] == (n,))


def is_vector_or_matrix(x: Any) -> bool:
    """Return whether `x` has one axis or two."""
    return x.type.ndim in (1, 2)


def identity_like(x: Any) -> Any:
    """Return the identity matrix of as many rows as `x` has, in its dtype."""
    return eye(_rows(x), dtype=x.type.dtype)


def row_count(x: Any) -> Any:
    """Return the number of rows of a matrix as a number of its dtype."""
    return cast(_rows(x), x.type.dtype)


def _rows(x: Any) -> Any:
    n = x.type.shape[-2]
    return shape_i(x, x.type.ndim - 2) if n is None else n


def is_as_long_as_diagonal(i: Any, x: Any) -> bool:
    """Return whether a vector is known to be as long as the diagonal of a matrix."""
    shape = x.type.shape
    return len(shape) == 2 and None not in shape and i.type.shape == (min(shape),)


def rows_of_diagonal(x: Any, y: Any) -> Any:
    """Return the rows of `x` that the diagonal of ``x @ y`` is made of."""
    return x if _make_square(x, y) else getitem(x, slice(None, lengths(y)[1]))


def columns_of_diagonal(x: Any, y: Any) -> Any:
    """Return the columns of `y` that the diagonal of ``x @ y`` is made of."""
    return y if _make_square(x, y) else getitem(y, (slice(None), slice(None, lengths(x)[0])))


def _make_square(x: Any, y: Any) -> bool:
    """Return whether the product of two matrices is known to be square."""
    n = x.type.shape[0]
    return n is not None and bool(n == y.type.shape[1])


def fit(x: Any, y: Any) -> bool:
    """Return whether the product of two matrices is known to be defined."""
    n = x.type.shape[1]
    return bool(n is not None and n == y.type.shape[0])


def as_table(v: Any, x: Any, y: Any) -> Any:
    """Return a vector as a matrix of as many rows as `x` has columns, and of the columns of `y`."""
    return reshape(v, (lengths(x)[1], lengths(y)[1]))

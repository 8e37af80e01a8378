"""Which of several orders of a product is the cheapest, where all lengths are known."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.assembly.creation import arange
from relgraph.tensor.contraction import Dot, _dot
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.lawkit.guards.dependence import (
    containing_any_of,
    depends_on_levels,
    requires_heads,
)
from relgraph.tensor.linalg.functions.chains import cheapest_order, product_in_order
from relgraph.tensor.reductions.reduction import sum as sum_

MOST_FACTORS = 24
"""How long a chain is looked at; the time grows with the cube."""


@requires_heads(containing_any_of(_dot))
@depends_on_levels(3)
def cheapest_chain(x: Any, y: Any) -> Any:
    """Return ``x @ y`` in the order with the fewest multiplications; None if it has it already.

    The factors are those of products of matrices below; a vector may be the first or the last.
    """
    factors, cost = _flattened(x, y)
    shapes = [_matrix_shape(v, i == 0) for i, v in enumerate(factors)]
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
        node = factors[i].owner
        if node is not None and isinstance(node.op, Dot) and len(factors) < MOST_FACTORS:
            inner = node.inputs
            if all(v.type.ndim == 2 for v in inner[1:-1]) and _stays_a_chain(inner, i, factors):
                factors[i : i + 1] = inner
                cost += _cost(*inner)
                continue
        i += 1
    return factors, cost


def _stays_a_chain(inner: Any, i: int, factors: Any) -> bool:
    """Return whether the factors of factor `i` can stand in its place: a vector ends a chain."""
    first_is_free = inner[0].type.ndim == 2 or i == 0
    last_is_free = inner[-1].type.ndim == 2 or i == len(factors) - 1
    return first_is_free and last_is_free


def _cost(x: Any, y: Any) -> int:
    known = [n for n in (*x.type.shape[:-1], *y.type.shape) if n is not None]
    total = 1
    for n in known:
        total *= n
    return total


def _matrix_shape(v: Any, first: bool) -> Any:
    shape = v.type.shape
    return shape if len(shape) == 2 else ((1, *shape) if first else (*shape, 1))


@depends_on_levels(2)
def cheapest_cycle(x: Any, y: Any, z: Any, i: Any) -> Any:
    """Return the trace of ``x @ y @ z`` as that of ``y @ z @ x`` or ``z @ x @ y``, whichever takes
    the fewest multiplications; None if it is the first or can't be told.

    Parameters
    ----------
    i
        A vector that counts from 0 on; for a trace as far as there are rows.
    """
    shapes = [v.type.shape for v in (x, y, z)]
    if any(len(shape) != 2 or None in shape for shape in shapes) or shapes[0][0] != shapes[2][1]:
        return None
    if i.type.shape[0] != shapes[0][0]:
        return None
    orders = ((x, y, z), (y, z, x), (z, x, y))
    costs = [_cost(p, q) + p.type.shape[0] * q.type.shape[1] for p, q, _ in orders]
    best = costs.index(min(costs))
    if best == 0:
        return None
    least = orders[best]
    # the trace of (p @ q) @ r takes p @ q, and one multiplication for each of its elements
    product = _dot(_dot(least[0], least[1]), least[2])
    along = arange(product.type.shape[0])
    return sum_(getitem(product, (along, along)))


def is_narrower(z: Any, y: Any) -> bool:
    """Return whether ``y @ z`` is known to have fewer columns than `y`, both matrices, or `z` is a
    vector."""
    if y.type.ndim != 2 or z.type.ndim not in (1, 2):
        return False
    if z.type.ndim == 1:
        return bool(y.type.shape[1] != 1)
    columns = (z.type.shape[1], y.type.shape[1])
    return None not in columns and columns[0] < columns[1]


def is_tall(x: Any) -> bool:
    """Return whether a matrix is known to have at least twice as many rows as columns."""
    shape = x.type.shape
    return len(shape) == 2 and None not in shape and shape[0] > 1 and 2 * shape[1] <= shape[0]


def is_wide(x: Any) -> bool:
    """Return whether a matrix is known to have at least twice as many columns as rows."""
    shape = x.type.shape
    return len(shape) == 2 and None not in shape and shape[1] > 1 and 2 * shape[0] <= shape[1]


def are_sides_of(d: Any, u: Any, v: Any) -> bool:
    """Return whether `d` and ``u @ v`` are known to be square, of one shape and dtype."""
    n = u.type.shape[0]
    dtypes = {x.type.dtype for x in (d, u, v)}
    return bool(d.type.shape == (n, n) and v.type.shape[1] == n and len(dtypes) == 1)

"""Fills, which repeat a value in the shape of a template: they move outward until none is needed.

``second(a, x)`` is `x`, filled into the shape of the template `a`. An elementwise op is applied to
`x` and not to all the copies of it: the fill is done afterwards, or not at all where another
argument has the shape anyway.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, several, whereo
from relgraph.tensor import DimShuffle, Elemwise, add, alloc, mul, second
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.shapes import covers_shapeo
from relgraph.tensor.lawkit.guards.types import realo
from relgraph.tensor.lawkit.layout.filling import (
    ALLOCATED_RANKS,
    alloc_like,
    are_real,
    broadcasts_to_known_shape,
    covers_dimshuffled,
    covers_lengths,
    has_lengths,
    has_room_for,
    is_not_allocated_like,
    is_not_fill,
    is_total,
    shape_source,
    stretches_to,
    unfilled,
    widest_template,
    with_first_axes,
    without_first_axes,
)
from relgraph.tensor.lawkit.vocabulary import Law, any_dtype_law, lvars

a, b, n, o, p, s, x, xs, y, ys, z = lvars("a b n o p s x xs y ys z")

f = Elemwise(s, p)
"""Any elementwise op."""

not_a_fill = whereo(is_not_fill, s)
total = whereo(is_total, s, x, y)
"""That `f` is no fill, and has a value for all elements of `x` and `y`. An integer has no negative
power, and before `x` is filled into an empty tensor nobody asks for one."""


def fill_law(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "exact") -> Law:
    """Return a law about fills, for tensors of any dtype."""
    return any_dtype_law(name, lhs, rhs, *conditions, sound=sound, tags=("fill_cut",))


SINKS = (
    fill_law("fill-sink", f(second(a, x)), second(a, f(x))),
    fill_law("fill-sink-1-of-2", f(second(a, x), y), second(a, f(x, y)), total),
    fill_law("fill-sink-2-of-2", f(x, second(a, y)), second(a, f(x, y)), total),
    fill_law("fill-sink-1-of-3", f(second(a, x), y, z), second(a, f(x, y, z))),
    fill_law("fill-sink-2-of-3", f(x, second(a, y), z), second(a, f(x, y, z))),
    fill_law("fill-sink-3-of-3", f(x, y, second(a, z)), second(a, f(x, y, z))),
    # all at once, since a sum of many may have many fills:
    # second(b, x) + y + second(c, z) → second(a, x + y + z), where a is the wider of b and c
    fill_law(
        "fill-sink-add",
        add(second(b, x), several(xs)),
        second(a, add(x, several(ys))),
        computo(a, widest_template, b, xs),
        computo(ys, unfilled, a, xs),
        sound="rounding",
    ),
    fill_law(
        "fill-sink-mul",
        mul(second(b, x), several(xs)),
        second(a, mul(x, several(ys))),
        computo(a, widest_template, b, xs),
        computo(ys, unfilled, a, xs),
        realo(x),  # a complex product with an infinity is nan or not by the order of its factors
        whereo(are_real, xs),
        sound="rounding",
    ),
)


def _fill_of_alloc(ndim: int) -> Law:
    """Return the law that what is allocated, and then filled, is filled at once."""
    n = lvars("".join(f"n{i}," for i in range(ndim)))
    lhs, rhs = second(a, alloc(x, *n)), second(a, x)
    return fill_law(f"fill-of-alloc-{ndim}d", lhs, rhs, whereo(has_room_for, a, *n))


CUTS = (
    *map(_fill_of_alloc, ALLOCATED_RANKS),
    fill_law("fill-cut", second(a, x), x, covers_shapeo(x, a), whereo(is_not_allocated_like, x, a)),
    fill_law("fill-of-fill", second(b, second(a, x)), second(b, x), covers_shapeo(b, a)),
    fill_law(
        "fill-cut-moved-1",
        f(DimShuffle(n, o)(second(a, x)), y),
        f(DimShuffle(n, o)(x), y),
        whereo(covers_dimshuffled, y, o, a),
    ),
    fill_law(
        "fill-cut-moved-2",
        f(y, DimShuffle(n, o)(second(a, x))),
        f(y, DimShuffle(n, o)(x)),
        whereo(covers_dimshuffled, y, o, a),
    ),
)

LIKE = (
    # what is filled into the shape of a result needs the shape alone
    fill_law(
        "fill-like",
        second(a, y),
        second(x, y),  # second(exp(x) + c, y) → second(x, y)
        computo(x, shape_source, a),
        whereo(is_found, x),
    ),
    fill_law(
        "fill-known",
        second(a, x),
        z,  # alloc(x, *a.shape)
        whereo(broadcasts_to_known_shape, x, a),
        computo(z, alloc_like, x, a),
    ),
)


def _of_rank(ndim: int) -> tuple[Law, ...]:
    """Return the laws about allocations of a rank."""
    n = lvars("".join(f"n{i}," for i in range(ndim)))
    full = alloc(x, *n)

    def one(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
        return fill_law(f"alloc-{name}-{ndim}d", lhs, rhs, *conditions)

    return (
        one("unneeded", full, x, whereo(has_lengths, x, *n)),
        # alloc([[2]], n, m) → alloc(2, n, m)
        one("smaller", full, alloc(y, *n), computo(y, without_first_axes, x), whereo(is_found, y)),
        # alloc(x, 1, 1) → x.dimshuffle("x", "x")
        one("of-ones", full, y, computo(y, with_first_axes, x, *n), whereo(is_found, y)),
        one("fill", second(full, y), alloc(y, *n), whereo(stretches_to, y, *n)),
        one("sink", f(full), alloc(f(x), *n)),
        one("cut-1-of-2", f(full, y), f(x, y), not_a_fill, whereo(covers_lengths, y, *n)),
        one("cut-2-of-2", f(y, full), f(y, x), not_a_fill, whereo(covers_lengths, y, *n)),
        one("sink-1-of-2", f(full, y), alloc(f(x, y), *n), total, whereo(stretches_to, y, *n)),
        one("sink-2-of-2", f(y, full), alloc(f(y, x), *n), total, whereo(stretches_to, y, *n)),
    )


ALLOCATIONS = tuple(law for rank in ALLOCATED_RANKS for law in _of_rank(rank))

"""Values repeated in the shape of something else: they sink, outward, until nothing needs them.

``second(a, x)`` is `x`, filled into the shape of `a`. An elementwise op had better be applied to
`x` than to all the copies of it; so the filling is done afterwards, or, where the other arguments
have the shape anyway, not at all.
"""

from __future__ import annotations

from typing import Any

from relgraph import scalar
from relgraph.graph.kanren import computo, several, whereo
from relgraph.tensor import DimShuffle, Elemwise, add, alloc, mul, second
from relgraph.tensor.lawkit.arithmetic.terms import is_found
from relgraph.tensor.lawkit.guards.types import spanso
from relgraph.tensor.lawkit.layout.extents import (
    allocated_like,
    covers,
    covers_moved,
    has_lengths,
    knows_shape,
    lies_within,
)
from relgraph.tensor.lawkit.layout.fills import shape_source, widest_template, without_fills
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

a, b, n, o, p, s, x, xs, y, ys, z = lvars("a b n o p s x xs y ys z")

f = Elemwise(s, p)
"""Any op that goes element by element."""


def is_no_fill(scalar_op: object) -> bool:
    """Return whether an elementwise op computes anything."""
    return scalar_op is not scalar.second


no_fillo = whereo(is_no_fill, s)


def sinks(scalar_op: object, u: Any, v: Any) -> bool:
    """Return whether an op computes something, and that also if nothing is left to compute it for.

    An integer can't be raised to a negative power, and to fill an empty tensor nobody asked for it.
    """
    floats = any(w.type.dtype[0] in "fc" for w in (u, v))
    return is_no_fill(scalar_op) and (scalar_op is not scalar.pow or floats)


sinkso = whereo(sinks, s, x, y)


def anylaw(name: str, lhs: object, rhs: object, *conditions: object, sound: str = "exact") -> Law:
    """Return a law that holds between any dtypes: it says nothing about values."""
    return law(
        name, lhs, rhs, *conditions, sound=sound, tags=("fill_cut",), mixed=True, complex=True
    )


SINKS = (
    anylaw("fill-sink", f(second(a, x)), second(a, f(x))),
    anylaw("fill-sink-1-of-2", f(second(a, x), y), second(a, f(x, y)), sinkso),
    anylaw("fill-sink-2-of-2", f(x, second(a, y)), second(a, f(x, y)), sinkso),
    anylaw("fill-sink-1-of-3", f(second(a, x), y, z), second(a, f(x, y, z))),
    anylaw("fill-sink-2-of-3", f(x, second(a, y), z), second(a, f(x, y, z))),
    anylaw("fill-sink-3-of-3", f(x, y, second(a, z)), second(a, f(x, y, z))),
    # all at once: a sum of many may have many of them
    anylaw(
        "fill-sink-add",
        add(second(b, x), several(xs)),
        second(a, add(x, several(ys))),
        computo(a, widest_template, b, xs),
        computo(ys, without_fills, a, xs),
        sound="rounding",
    ),
    anylaw(
        "fill-sink-mul",
        mul(second(b, x), several(xs)),
        second(a, mul(x, several(ys))),
        computo(a, widest_template, b, xs),
        computo(ys, without_fills, a, xs),
        sound="rounding",
    ),
)

CUTS = (
    anylaw("fill-cut", second(a, x), x, spanso(x, a)),
    anylaw("fill-of-fill", second(b, second(a, x)), second(b, x), spanso(b, a)),
    anylaw(
        "fill-cut-moved-1",
        f(DimShuffle(n, o)(second(a, x)), y),
        f(DimShuffle(n, o)(x), y),
        whereo(covers_moved, y, o, a),
    ),
    anylaw(
        "fill-cut-moved-2",
        f(y, DimShuffle(n, o)(second(a, x))),
        f(y, DimShuffle(n, o)(x)),
        whereo(covers_moved, y, o, a),
    ),
)

LIKE = (
    # what is filled into the shape of a result needs the shape alone: exp(x) + c has that of x
    anylaw(
        "fill-like", second(a, y), second(x, y), computo(x, shape_source, a), whereo(is_found, x)
    ),
    anylaw(
        "fill-known", second(a, x), z, whereo(knows_shape, a, x), computo(z, allocated_like, a, x)
    ),
)


def _of_rank(ndim: int) -> tuple[Law, ...]:
    """Return the laws about allocations of a rank."""
    n = lvars(" ".join(f"n{i}" for i in range(ndim)))
    full = alloc(x, *n)

    def one(name: str, lhs: object, rhs: object, *conditions: object) -> Law:
        return anylaw(f"alloc-{name}-{ndim}d", lhs, rhs, *conditions)

    return (
        one("unneeded", full, x, whereo(has_lengths, x, *n)),
        one("fill", second(full, y), alloc(y, *n), whereo(lies_within, y, *n)),
        one("sink", f(full), alloc(f(x), *n)),
        one("cut-1-of-2", f(full, y), f(x, y), no_fillo, whereo(covers, y, *n)),
        one("cut-2-of-2", f(y, full), f(y, x), no_fillo, whereo(covers, y, *n)),
        one("sink-1-of-2", f(full, y), alloc(f(x, y), *n), sinkso, whereo(lies_within, y, *n)),
        one("sink-2-of-2", f(y, full), alloc(f(y, x), *n), sinkso, whereo(lies_within, y, *n)),
    )


ALLOCATIONS = (*_of_rank(1), *_of_rank(2), *_of_rank(3))

"""Sums of increments: increments of one tensor, one after the other.

A sum of two increments makes two copies of the tensor; an increment of an increment makes none that
can't be overwritten. The document's ``inc(a, b, i) + inc(a, c, i) → inc(inc(a, b, i), c, i)`` holds
where `a` is zero, as in a gradient. What holds of any `a` is ``inc(a, b, i) + z → inc(a + z, b,
i)``; the document's line follows from it by ``0 + x → x``.

The other terms may have increments in them too. These are done at the same time, one after the
other on the sum of the rest: in the laws below `x` is the sum of all the other terms, written so.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, several, whereo
from relgraph.graph.unify import ConstrainedVar
from relgraph.tensor import add, second
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor
from relgraph.tensor.indexing.subtensor import IncSubtensor
from relgraph.tensor.lawkit.parts.increments import (
    has_no_broadcast_axis,
    sum_incremented_last,
)
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

b, c, e, x, y, zs = lvars("b c e x y zs")

whole = ConstrainedVar(has_no_broadcast_axis, prefix="whole")
"""A tensor that no axis of which broadcasts: it has the shape of any sum it is part of."""

zeros = second(y, 0)


def serialized(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that makes an increment of a sum out of a sum with an increment."""
    return law(
        name,
        lhs,
        rhs,
        *conditions,
        sound="rounding",
        tags=("inc_subtensor_serialize",),
        complex=True,
    )


def _with_indices(count: int) -> tuple[Law, ...]:
    """Return the laws for increments with a number of variables in their index."""
    i = lvars("".join(f"i{k}," for k in range(count))) if count else []
    inc, put = IncSubtensor(e, False, False), IncSubtensor(e, False, True)
    laws = (
        serialized(
            f"inc-serialize-{count}",
            add(inc(whole, b, *i), several(zs)),
            inc(x, b, *i),  # x = whole + z, for one other term z
            computo(x, sum_incremented_last, whole, zs),
        ),
        serialized(
            f"inc-instead-of-zeros-{count}",
            add(put(zeros, b, *i), several(zs)),
            inc(x, b, *i),  # x = z, for one other term z
            whereo(has_no_broadcast_axis, y),
            computo(x, sum_incremented_last, zs),
            whereo(has_no_broadcast_axis, x),
        ),
    )
    return laws if count < 2 else laws[:1]


def _by_arrays(count: int) -> Law:
    """Return the law for increments of elements that a number of arrays name."""
    i = lvars("".join(f"i{k}," for k in range(count)))
    inc = AdvancedIncSubtensor(e, False, False)
    left, right = add(inc(whole, b, *i), several(zs)), inc(x, b, *i)
    summed = computo(x, sum_incremented_last, whole, zs)
    return serialized(f"inc-by-arrays-serialize-{count}", left, right, summed)


def _past(count: int) -> Law:
    """Return the law for two increments of the same elements, with a number of others between; of
    those that follow each other `inc-twice` says it."""
    inc = IncSubtensor(e, False, False)

    def past(z: Any) -> Any:
        for k in range(count):
            f, d = lvars(f"f{k} d{k}")
            z = IncSubtensor(f, False, False)(z, d)
        return z

    left, right = inc(past(inc(x, c)), b), past(inc(x, c + b))
    return law(f"inc-past-{count}", left, right, sound="rounding", complex=True)


# Increments may be made in any order, so those of the same elements are one.
TOGETHER = tuple(map(_past, range(1, 6)))

SERIALIZE = (
    *_with_indices(0),
    *_with_indices(1),
    *_with_indices(2),
    _by_arrays(1),
    _by_arrays(2),
)

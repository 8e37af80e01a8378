"""Increments of parts of one tensor, one after the other.

Two increments that are added up make two copies of the tensor; one increment of the other needs
none that can't be overwritten. The document's ``inc(a, b, i) + inc(a, c, i) → inc(inc(a, b, i), c,
i)`` holds where `a` is zero, as in a gradient. What holds of any `a` is ``inc(a, b, i) + z →
inc(a + z, b, i)``; the document's line follows from it once ``0 + x → x`` has done the rest.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import whereo
from relgraph.graph.unify import ConstrainedVar
from relgraph.tensor import second
from relgraph.tensor.advanced_subtensor import AdvancedIncSubtensor
from relgraph.tensor.subtensor import IncSubtensor
from relgraph.tensor.terms import Law, law, lvars

b, e, y, z = lvars("b e y z")


def broadcasts_nowhere(a: Any) -> bool:
    """Return whether no axis of `a` broadcasts: a sum with it has its shape."""
    return not any(a.type.broadcastable)


whole = ConstrainedVar(broadcasts_nowhere, prefix="whole")
"""A tensor that has the shape of any sum it is part of."""

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
    """Return the laws for increments that have a number of variables in their index."""
    i = lvars(" ".join(f"i{k}" for k in range(count))) if count else []
    inc, put = IncSubtensor(e, False, False), IncSubtensor(e, False, True)
    laws = (
        serialized(f"inc-serialize-{count}", inc(whole, b, *i) + z, inc(whole + z, b, *i)),
        serialized(
            f"inc-instead-of-zeros-{count}",
            put(zeros, b, *i) + whole,
            inc(whole, b, *i),
            whereo(broadcasts_nowhere, y),
        ),
    )
    return laws if count < 2 else laws[:1]


def _by_arrays(count: int) -> Law:
    """Return the law for increments at the places that a number of arrays say."""
    i = lvars(" ".join(f"i{k}" for k in range(count)))
    inc = AdvancedIncSubtensor(e, False, False)
    left, right = inc(whole, b, *i) + z, inc(whole + z, b, *i)
    return serialized(f"inc-by-arrays-serialize-{count}", left, right)


SERIALIZE = (
    *_with_indices(0),
    *_with_indices(1),
    *_with_indices(2),
    _by_arrays(1),
    _by_arrays(2),
)

"""Increments of parts of one tensor, one after the other.

Two increments that are added up make two copies of the tensor; one increment of the other needs
none that can't be overwritten. The document's ``inc(a, b, i) + inc(a, c, i) → inc(inc(a, b, i), c,
i)`` holds where `a` is zero, as in a gradient. What holds of any `a` is ``inc(a, b, i) + z →
inc(a + z, b, i)``; the document's line follows from it once ``0 + x → x`` has done the rest.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, several, whereo
from relgraph.graph.unify import ConstrainedVar
from relgraph.tensor import add, second
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor
from relgraph.tensor.indexing.subtensor import IncSubtensor
from relgraph.tensor.lawkit.arithmetic.increments import added_in_turn, broadcasts_nowhere
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

b, e, x, y, zs = lvars("b e x y zs")

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
        serialized(
            f"inc-serialize-{count}",
            add(inc(whole, b, *i), several(zs)),
            inc(x, b, *i),
            computo(x, added_in_turn, whole, zs),
        ),
        serialized(
            f"inc-instead-of-zeros-{count}",
            add(put(zeros, b, *i), several(zs)),
            inc(x, b, *i),
            whereo(broadcasts_nowhere, y),
            computo(x, added_in_turn, zs),
            whereo(broadcasts_nowhere, x),
        ),
    )
    return laws if count < 2 else laws[:1]


def _by_arrays(count: int) -> Law:
    """Return the law for increments at the places that a number of arrays say."""
    i = lvars(" ".join(f"i{k}" for k in range(count)))
    inc = AdvancedIncSubtensor(e, False, False)
    left, right = add(inc(whole, b, *i), several(zs)), inc(x, b, *i)
    in_turn = computo(x, added_in_turn, whole, zs)
    return serialized(f"inc-by-arrays-serialize-{count}", left, right, in_turn)


SERIALIZE = (
    *_with_indices(0),
    *_with_indices(1),
    *_with_indices(2),
    _by_arrays(1),
    _by_arrays(2),
)

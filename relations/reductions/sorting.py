"""Elements in order: what doesn't ask for it is done without."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import whereo
from relgraph.tensor import CAReduce
from relgraph.tensor import max as max_
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.arithmetic.multiplicity import has_length_one_along
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.axis_orders import includes_axis
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

a, b, s, x = lvars("a b s x")


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "exact") -> Law:
    """Return a law that holds for tensors of any real dtype."""
    return law(name, lhs, rhs, *conditions, sound=sound, mixed=True)


def rounded(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that is right but for rounding and the sign of zero."""
    return of_any(name, lhs, rhs, *conditions, sound="rounding")


def last(v: Any) -> Any:
    """Return the last of what is along the first axis of `v`."""
    return Subtensor((-1,))(v)


def is_single(v: Any, axis: int) -> bool:
    """Return whether an axis is known to have length 1."""
    return has_length_one_along(v, (axis,))


taken = AdvancedSubtensor((Placeholder.ARRAY,))

ORDER = (
    of_any("sort-twice", Sort(a)(Sort(a)(x)), Sort(a)(x)),
    of_any("sort-one", Sort(a)(x), x, whereo(is_single, x, a)),
    of_any("sort-by-argsort", taken(x, ArgSort(0)(x)), Sort(0)(x), ranko(x, 1)),
    of_any(
        "reduce-of-sort",
        CAReduce(s, b)(Sort(a)(x)),
        CAReduce(s, b)(x),
        whereo(includes_axis, b, a),
        sound="rounding",
    ),
    rounded("greatest-of-sort", last(Sort(0)(x)), max_(x, axis=0), ranko(x, 2)),
    rounded("greatest-of-sorted-vector", last(Sort(0)(x)), max_(x), ranko(x, 1)),
)

"""Sorted elements: what does not depend on their order is computed without sorting."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import whereo
from relgraph.tensor import CAReduce
from relgraph.tensor import max as max_
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.axes import has_length_one, includes_axis
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

a, b, s, x = lvars("a b s x")


def sorting_law(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "exact") -> Law:
    """Return a law for tensors of any real dtype."""
    return law(name, lhs, rhs, *conditions, sound=sound, mixed=True)


def rounded(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that is right but for rounding and the sign of zero."""
    return sorting_law(name, lhs, rhs, *conditions, sound="rounding")


def last(v: Any) -> Any:
    """Return ``v[-1]``."""
    return Subtensor((-1,))(v)


taken = AdvancedSubtensor((Placeholder.ARRAY,))
"""Indexing by one array: ``taken(x, positions)`` is ``x[positions]``."""

ORDER = (
    sorting_law("sort-twice", Sort(a)(Sort(a)(x)), Sort(a)(x)),
    sorting_law("sort-one", Sort(a)(x), x, whereo(has_length_one, x, a)),
    sorting_law("sort-by-argsort", taken(x, ArgSort(0)(x)), Sort(0)(x), ranko(x, 1)),
    sorting_law(
        "reduce-of-sort",
        CAReduce(s, b)(Sort(a)(x)),
        CAReduce(s, b)(x),
        whereo(includes_axis, b, a),
        sound="rounding",
    ),
    rounded("greatest-of-sort", last(Sort(0)(x)), max_(x, axis=0), ranko(x, 2)),
    rounded("greatest-of-sorted-vector", last(Sort(0)(x)), max_(x), ranko(x, 1)),
)

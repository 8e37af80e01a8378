"""The terms of a sum, for laws about what stands around it: a logarithm, a root, a quotient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.lawkit.numbers.nests import SUM, Nest, nest_of
from relgraph.tensor.math import add, sub

# as deep as sums are looked into: a change further down is seen when something else changes too
_NESTED = 3


def nest_of_terms(fgraph: Any, terms: Sequence[Variable]) -> Nest:
    """Return the nest of a sum of some terms, wherever that stands."""
    return nest_of(fgraph, SUM, add, terms)


def nest_of_sides(fgraph: Any, x: Variable, y: Variable) -> Nest:
    """Return the nest of a difference, wherever that stands."""
    return nest_of(fgraph, SUM, sub, (x, y))


def added_leaves(fgraph: Any, terms: Sequence[Variable]) -> tuple[Variable, ...] | None:
    """Return the leaves of a sum of some terms; None if some are subtracted."""
    nest = nest_of_terms(fgraph, terms)
    return None if any(nest.below) else tuple(nest.leaves)


@depends_on_levels(_NESTED)
def terms_of_sum(arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments of a sum, with those of nested ones in their place."""
    found, stack = [], [*reversed(arguments)]
    while stack:
        var = stack.pop()
        if var.head is add:
            stack.extend(reversed(var.owner.inputs))
        else:
            found.append(var)
    return found


for _function in (nest_of_terms, nest_of_sides, added_leaves):
    _function.__dict__.update(asks_graph=True, depth=_NESTED)

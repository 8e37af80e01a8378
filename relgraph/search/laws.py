"""The laws of a search: the book, and what greedy rewriting can not use, as both ways help."""

from __future__ import annotations

from functools import cache
from typing import Any

import relations
from relgraph.graph.kanren import whereo
from relgraph.graph.kanren.explanation.explain import NoSuchDirection
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.terms.term import Term
from relgraph.tensor import sum as sum_
from relgraph.tensor.lawkit.guards.shapes import broadcast_alike
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars
from relgraph.tensor.math import _dot

a, x, y, z = lvars("a x y z")


def finite(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law of numbers that are finite."""
    return law(name, lhs, rhs, *conditions, sound="finite")


DISTRIBUTION = (
    finite("distribute-add", x * y + x * z, x * (y + z)),
    finite("distribute-add-one", x * y + x, x * (y + 1)),
    finite("distribute-sub", x * y - x * z, x * (y - z)),
    finite("distribute-sub-one", x * y - x, x * (y - 1)),
    finite("distribute-one-sub", x - x * y, x * (1 - y)),
    finite("divide-add", x / z + y / z, (x + y) / z),
    finite("divide-sub", x / z - y / z, (x - y) / z),
)

DIFFERENCES = (
    law("subtract-sum", x - (y + z), (x - y) - z, sound="rounding"),
    law("subtract-difference", x - (y - z), (x - y) + z, sound="rounding"),
    law("add-difference", x + (y - z), (x + y) - z, sound="rounding"),
)

alike = whereo(broadcast_alike, x, y)

SUMS = (
    # the terms meet in another order, and so do infinities of both signs
    finite("sum-of-add", sum_(x + y, axis=a), sum_(x, axis=a) + sum_(y, axis=a), alike),
    finite("sum-of-sub", sum_(x - y, axis=a), sum_(x, axis=a) - sum_(y, axis=a), alike),
)

PRODUCTS = (
    finite("dot-associates", _dot(_dot(x, z), y), _dot(x, _dot(z, y)), ranko(z, 2)),
    finite("dot-distributes-left", _dot(z, x) + _dot(z, y), _dot(z, x + y), alike),
    finite("dot-distributes-right", _dot(x, z) + _dot(y, z), _dot(x + y, z), alike),
    finite("dot-subtracts-left", _dot(z, x) - _dot(z, y), _dot(z, x - y), alike),
    finite("dot-subtracts-right", _dot(x, z) - _dot(y, z), _dot(x - y, z), alike),
)

TABLES = (*DISTRIBUTION, *DIFFERENCES, *SUMS, *PRODUCTS)

EITHER_WAY = frozenset({"exp-mul-exp", "dot-transposed", "sum-scalar-mul"})
"""Laws of the book that are used backward too, although that side is larger."""


@cache
def book() -> tuple[Any, ...]:
    """Return the laws of the book as a search uses them, and those of this page.

    A law of the book is used backward too if its left side is not the larger one: ``x → --x`` can
    be said of everything, and again.
    """
    phases = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
    laws = dict.fromkeys(law for phase in phases for law in phase)
    return (*(way for law in laws for way in _ways(law)), *TABLES)


def _ways(law: Relation) -> list[Any]:
    if law.name in EITHER_WAY:
        return [law]
    if not isinstance(law, Law) or size(law.lhs) > size(law.rhs):
        return [law.forward]
    try:
        return [law.forward, law.backward]
    except NoSuchDirection:
        return [law.forward]


def size(side: Any) -> int:
    """Return how many ops there are on a side of a law."""
    return 1 + sum(map(size, side.args)) if isinstance(side, Term) else 0

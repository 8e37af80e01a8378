"""Each identity holds for real numbers, wherever both sides have a value."""

from __future__ import annotations

import numpy as np
import pytest

from relations.cancellation import squares
from relations.identities import OF_NUMBERS
from relgraph.formulas.expressions import named
from relgraph.formulas.true_values import Known
from relgraph.search.candidates import BOTH_WAYS, CANCELLATION, CONDITIONAL, equations
from relgraph.search.equations import built, equations_of
from relgraph.search.reals import RealEGraph

NAMES = ("x", "y", "z", "t")

BETWEEN = {
    "magnitude-of-negative": (-4.0, -0.1),
    "arccosh-by-log": (1.1, 4.0),
    "root-of-square-and-one-term": (0.1, 4.0),
    "root-of-square-less-one-term": (-4.0, -0.1),
    "root-of-square-and-less": (1.2, 2.0),
}
"""Laws that hold on a part of the numbers alone; the others hold between 0.05 and 0.95."""


def points(low: float, high: float) -> Known:
    random = np.random.default_rng(3)
    columns = {n: random.uniform(low, high, 12) for n in NAMES}
    return Known(columns, np.ones(12), np.full(12, 200))


@pytest.mark.parametrize("law", (*OF_NUMBERS, *BOTH_WAYS), ids=lambda law: law.name)
def test_sides_are_equal(law) -> None:
    directions = equations_of(law)
    assert directions
    low, high = BETWEEN.get(law.name, (0.05, 0.95))
    graph = RealEGraph(points(low, high))
    one = directions[0]
    inputs = {k: named(n) for k, n in enumerate(NAMES[: one.count])}
    left, right = (graph.add(built(side, inputs)) for side in (one.left, one.right))
    known = ~(np.isnan(left.true) | np.isnan(right.true))
    assert known.sum() >= 3
    np.testing.assert_allclose(left.true[known], right.true[known], rtol=1e-15, atol=1e-290)


def test_names_are_their_own() -> None:
    names = [law.name for law in (*OF_NUMBERS, *CANCELLATION)]
    assert len(names) == len(set(names))


ROOTS = ("hypot", "hypot-by-constant", "hypot-of-scaled")
SQUARES = ("written-out-square", "written-out-square-less")
OF_ANY_NUMBER = (*ROOTS, *SQUARES, "weighted-squares", "weighted-squares-less")
"""Laws about any number of terms: `root-of-square-and-one-term` has the roots two at a time,
`square-of-sum` and `square-of-difference` the squares of two terms."""


def test_all_of_the_book_against_cancellation_is_used_but_what_is_no_equation() -> None:
    used = {e.name for e in equations()}
    assert len([law for law in CONDITIONAL if law.name in used]) >= 45
    assert {"root-of-square-and-one-term", "square-of-sum", "square-of-difference"} <= used
    of_axes = squares.NORMS
    laws = [law for law in CANCELLATION if law not in of_axes]
    others = [law.name for law in laws if law.name not in used]
    # those are about the axes of an array too
    assert [name for name in others if not name.endswith("-spread")] == list(OF_ANY_NUMBER)
    assert {name.removesuffix("-spread") for name in others} - {*OF_ANY_NUMBER} <= used

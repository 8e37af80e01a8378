"""Classes are closed under congruence, and know why their expressions are equal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from relgraph.search.accuracy.derivation import ReplayError, Step, derivation
from relgraph.search.accuracy.egraph import EGraph
from relgraph.search.accuracy.equations import (
    NotTranslated,
    equations_of,
    matches,
)
from relgraph.search.accuracy.expressions import apply, named, number
from relgraph.search.accuracy.formulas import parsed
from relgraph.search.accuracy.true_values import Known
from relgraph.tensor import abs as abs_
from relgraph.tensor import exp, log, sqrt
from relgraph.tensor import sum as sum_
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y, z = lvars("x y z")


def graph(**columns: list[float]) -> EGraph:
    arrays = {k: np.array(v) for k, v in columns.items()}
    count = len(next(iter(arrays.values())))
    return EGraph(Known(arrays, np.ones(count), np.full(count, 100)), 1000)


def applied(g: EGraph, one, text: str) -> bool:
    """Apply a law once in the class of an expression; return whether it was admitted."""
    g.add(parsed(text))
    before = len(g.refused)
    for bound in matches(one.left, g.find(parsed(text)), [(None,) * one.count]):
        g.apply(one, bound)
    g.rebuild()
    return len(g.refused) == before


def test_what_is_made_of_equals_is_equal() -> None:
    g = graph(a=[1.0, 2.0], b=[1.0, 2.0])
    outer = [g.add(parsed(f"exp(sqrt({v}) + 1)")) for v in "ab"]
    assert outer[0].root() is not outer[1].root()
    g.join(named("a"), named("b"), ("arithmetic", None))
    g.rebuild()
    assert outer[0].root() is outer[1].root()


def test_a_product_has_no_order() -> None:
    g = graph(a=[1.0], b=[2.0])
    assert g.add(parsed("a * b")) is g.add(parsed("b * a"))
    assert g.add(parsed("a / b")) is not g.add(parsed("b / a"))
    steps = derivation(g, parsed("exp(a * b)"), _added(g, "exp(b * a)"))
    assert [s.by for s in steps] == ["commutes"]
    assert steps.replay() is parsed("exp(b * a)")


def _added(g: EGraph, text: str):
    g.add(parsed("exp(a * b)"))
    g.add(parsed(text))
    return parsed(text)


def test_a_law_is_applied_where_it_is_true_at_every_point() -> None:
    (positive,) = equations_of(law("positive", abs_(x), x, sound="domain"))
    assert applied(graph(a=[1.0, 2.0]), positive, "abs(a)")
    g = graph(a=[1.0, -2.0])
    assert not applied(g, positive, "abs(a)")
    assert g.add(parsed("abs(a)")) is not g.add(named("a"))


def test_numbers_are_computed() -> None:
    g = graph(a=[1.0])
    assert g.add(parsed("a * (1 / 3 + 2 / 3)")) is g.add(parsed("a * 1"))
    assert g.add(parsed("sqrt(4 / 9)")).constant is number(Fraction(2, 3))
    assert g.add(parsed("sqrt(2)")).constant is None
    assert g.add(parsed("1 / 0")).constant is None


def test_a_derivation_replays() -> None:
    g = graph(a=[1.0, 2.0], b=[3.0, 0.5])
    merge = equations_of(law("exp-of-sum", exp(x + y), exp(x) * exp(y), sound="finite"))[1]
    cancel = equations_of(law("log-of-exp", log(exp(x)), x, sound="finite"))[0]
    start = "sqrt(log(exp(b) * exp(a)))"
    assert applied(g, merge, "exp(b) * exp(a)")
    assert applied(g, cancel, "log(exp(b) * exp(a))")
    g.add(parsed(start))
    end = parsed("sqrt(b + a)")
    g.add(end)
    steps = derivation(g, parsed(start), end)
    assert steps.laws == ["exp-of-sum", "log-of-exp"] and steps.exact
    assert steps.replay() is end
    assert "exp-of-sum (backward)" in str(steps)


def test_a_wrong_step_is_no_step() -> None:
    one = equations_of(law("log-of-exp", log(exp(x)), x, sound="finite"))[0]
    wrong = Step("log-of-exp", (), parsed("log(exp(a))"), named("b"), one)
    with pytest.raises(ReplayError, match="log-of-exp"):
        wrong.check()
    for by, before, after in (
        ("arithmetic", "1 + 1", "3"),
        ("commutes", "a - b", "b - a"),
        ("scaled-product", "a * b * c", "a * b"),
    ):
        with pytest.raises(ReplayError, match=by):
            Step(by, (), parsed(before), parsed(after)).check()


def test_laws_that_say_more_are_not_translated() -> None:
    for one in (law("a sum", sum_(x), sum_(-x), sound="domain"),):
        with pytest.raises(NotTranslated, match="a sum"):
            equations_of(one)


def test_a_stable_law_has_one_direction() -> None:
    sides = sqrt(x * x), abs_(x)
    assert len(equations_of(law("one way", *sides, sound="stable"))) == 1
    assert len(equations_of(law("both ways", *sides, sound="domain"))) == 2
    assert apply("neg", number(1)) is apply("neg", number(1))

"""What is equal, and why: congruence, and conditions of laws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from relations.kit.guards import is_positive_number, nonnegativeo
from relations.kit.type_guards import integero, realo
from relations.kit.vocabulary import Law, law, lvars
from relgraph.formulas.expressions import Expr, apply, named, number
from relgraph.formulas.parsing import parsed
from relgraph.formulas.true_values import Known
from relgraph.graph.kanren.goals import computo, one_cliento, whereo
from relgraph.search.candidates import equations
from relgraph.search.derivation import Instance, ReplayError, derivation, instances
from relgraph.search.equations import NotTranslated, equations_of
from relgraph.search.reals import Computed, RealEGraph
from relgraph.tensor import abs as abs_
from relgraph.tensor import constant, exp, log, mul, sqrt
from relgraph.tensor import sum as sum_
from tests.search.accuracy.replays import leads

x, y, z = lvars("x y z")


def graph(**columns: list[float]) -> RealEGraph:
    arrays = {k: np.array(v) for k, v in columns.items()}
    count = len(next(iter(arrays.values())))
    return RealEGraph(Known(arrays, np.ones(count), np.full(count, 100)))


def applied(g: RealEGraph, one, text: str) -> bool:
    """Apply a law once in the class of an expression; return whether it says something new."""
    g.add(parsed(text))
    before = len(g.joined)
    for match in one.matches(g, g.find(parsed(text))):
        for equal in one.sides(g, match):
            g.unite(*equal)
    g.rebuild()
    return len(g.joined) > before


def test_what_is_made_of_equals_is_equal() -> None:
    g = graph(a=[1.0, 2.0], b=[1.0, 2.0])
    outer = [g.add(parsed(f"exp(sqrt({v}) + 1)")) for v in "ab"]
    assert outer[0].root() is not outer[1].root()
    g.join(named("a"), named("b"), Computed("arithmetic"))
    g.rebuild()
    assert outer[0].root() is outer[1].root()


def test_a_product_has_no_order() -> None:
    g = graph(a=[1.0], b=[2.0])
    assert g.add(parsed("a * b")) is g.add(parsed("b * a"))
    assert g.add(parsed("a / b")) is not g.add(parsed("b / a"))
    start, end = parsed("exp(a * b)"), parsed("exp(b * a)")
    g.add(start)
    g.add(end)
    steps = derivation(start, instances(g, start, end))
    assert [s.name for s in steps] == ["commutativity"] and leads(steps, start, end)


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
    steps = derivation(parsed(start), instances(g, parsed(start), end))
    assert steps.laws == ["exp-of-sum", "log-of-exp"]
    assert leads(steps, parsed(start), end)
    assert "exp-of-sum (backward)" in str(steps)


def test_a_wrong_step_is_no_step() -> None:
    one = equations_of(law("log-of-exp", log(exp(x)), x, sound="finite"))[0]
    wrong = Instance("log-of-exp", (), parsed("log(exp(a))"), named("b"), one)
    with pytest.raises(ReplayError, match="log-of-exp"):
        wrong.check()
    for by, before, after in (
        ("arithmetic", "1 + 1", "3"),
        ("commutativity", "a - b", "b - a"),
        ("scaled-product", "a * b * c", "a * b"),
    ):
        with pytest.raises(ReplayError, match=by):
            Instance(by, (), parsed(before), parsed(after)).check()


def test_a_stable_law_has_one_direction() -> None:
    sides = sqrt(x * x), abs_(x)
    assert len(equations_of(law("one way", *sides, sound="stable"))) == 1
    assert len(equations_of(law("both ways", *sides, sound="domain"))) == 2
    assert apply("neg", number(1)) is apply("neg", number(1))


# Conditions of laws: asked of the true values, of the terms, or known of all floats.

c, d, k = lvars("c d k")

MAGNITUDE = law("magnitude", abs_(x), x, nonnegativeo(x), sound="rounding")
POSITIVE = whereo(is_positive_number, c)
ROOT = law("root", sqrt(c * (x * x)), sqrt(c) * abs_(x), POSITIVE, sound="finite")
POWERS = law("powers", (x**c) ** d, x**k, computo(k, mul, c, d), sound="finite")


def applied_to(one: Law, text: str, **columns: list[float]) -> tuple[RealEGraph, Expr]:
    """Return an e-graph in which a law was applied to an expression, and that expression."""
    g, expr = graph(**columns), parsed(text)
    found = g.add(expr)
    for equation in equations_of(one):
        if not equation.backward:
            for match in equation.matches(g, found):
                for equal in equation.sides(g, match):
                    g.unite(*equal)
    g.rebuild()
    return g, expr


def steps(one: Law, text: str, new: str, **columns: list[float]) -> list[str]:
    """Return the steps from an expression to another, if a law leads there."""
    graph, expr = applied_to(one, text, **columns)
    other = parsed(new)
    if graph.add(other) is not graph.find(expr):
        return []
    found = derivation(expr, instances(graph, expr, other))
    assert leads(found, expr, other)
    return [str(s).partition(". ")[2] for s in found]


def test_signs_are_asked_of_the_true_values() -> None:
    expected = ["magnitude where x >= 0: abs(x) → x"]
    assert steps(MAGNITUDE, "abs(x)", "x", x=[0.0, 2.0]) == expected
    assert steps(MAGNITUDE, "abs(x)", "x", x=[-1.0, 2.0]) == []
    # of what represents it, and what is no value is not asked
    assert steps(MAGNITUDE, "abs(log(x))", "log(x)", x=[-1.0, 2.0]) == [
        "magnitude where log(x) >= 0: abs(log(x)) → log(x)"
    ]


def test_constants_are_asked_of_the_term() -> None:
    expected = ["root: sqrt(3.0 * (x * x)) → sqrt(3.0) * abs(x)"]
    assert steps(ROOT, "sqrt(3 * (x * x))", "sqrt(3) * abs(x)", x=[1.5]) == expected
    assert steps(ROOT, "sqrt(y * (x * x))", "sqrt(y) * abs(x)", x=[1.5], y=[3.0]) == []


def test_what_is_computed_is_computed_again_by_a_replay() -> None:
    expected = ["powers: (x ** 0.5) ** 3.0 → x ** (0.5 * 3.0)", "arithmetic: 0.5 * 3.0 → 1.5"]
    assert steps(POWERS, "(x**0.5)**3", "x**1.5", x=[1.5]) == expected
    (equation, *_) = equations_of(POWERS)
    wrong = Instance("powers", (), parsed("(x**0.5)**3"), parsed("x**1.25"), equation)
    with pytest.raises(ReplayError, match="powers"):
        wrong.check()


def third_of(number: Any) -> Any:
    """Return the float that is nearest to a third of a constant."""
    return constant(number.data / 3)


def test_a_number_that_was_rounded_is_no_answer() -> None:
    thirds = law("thirds", x**c, (x**k) ** 3, computo(k, third_of, c), sound="finite")
    assert len(steps(thirds, "x**1.5", "(x**0.5)**3", x=[1.5])) == 1
    # a third of 2 is 0.6666666666666666, but for a rest
    graph, expr = applied_to(thirds, "x**2", x=[1.5])
    assert [n.term for n in graph.find(expr).all_nodes()] == [expr]


def test_a_condition_is_known_of_all_floats_or_is_not_translated() -> None:
    one = law("real", log(abs_(x)), log(x), realo(x), one_cliento(x), sound="domain")
    assert [e.conditions for e in equations_of(one)] == [None, None]
    with pytest.raises(NotTranslated, match="a sum"):
        equations_of(law("a sum", sum_(x), sum_(-x), sound="domain"))
    with pytest.raises(NotTranslated, match="no law of floats"):
        equations_of(law("whole", abs_(x), x, integero(x), sound="domain"))
    with pytest.raises(NotTranslated, match="whole of its right side"):
        equations_of(law("all", x + y, k, computo(k, mul, x, y), sound="finite"))


def test_where_an_identity_says_it_holds() -> None:
    positive = next(e for e in equations() if e.name == "product-of-powers" and not e.backward)
    text, new = "x**y * x**0.5", "x**(y + 0.5)"
    assert steps(positive.law, text, new, x=[2.0], y=[3.0])[0].startswith(
        "product-of-powers where x > 0:"
    )
    # of whole powers it holds beyond that, and says nothing
    negative = steps(positive.law, "x**y * x**2", "x**(y + 2)", x=[-2.0], y=[3.0])
    assert negative == ["product-of-powers: x ** y * x ** 2.0 → x ** (y + 2.0)"]

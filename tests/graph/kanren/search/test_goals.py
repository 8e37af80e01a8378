"""`whereo` and `computo`, with open ends and in laws."""

from __future__ import annotations

import pytest
from etuples import etuple
from kanren import eq, lall, run
from kanren.constraints import neq
from kanren.core import ifa, ldisj, succeed
from unification import var

from relgraph.graph.basic import as_string
from relgraph.graph.kanren import computo, law, logic_variables, whereo
from relgraph.graph.kanren.goals import renamed_goal, solutions
from relgraph.graph.kanren.state import GuardedState
from relgraph.graph.notation import number_of
from relgraph.scalar import add, exp, float64, neg
from relgraph.scalar.type import ScalarVariable

x, y, z, w = logic_variables("x y z w", ScalarVariable._ops)
a, b = float64("a"), float64("b")


def twice(v):
    return 2 * number_of(v)


def test_conditions_read_as_calls():
    assert str(whereo(twice, x, y)) == "twice(x, y)"
    assert str(computo(z, twice, x)) == "z = twice(x)"


def test_renaming_reaches_into_terms_and_expressions():
    p, q = var(), var()
    goal = computo(etuple(add, x, [y]), twice, x + y).rename({x: p, y: q})
    assert set(goal.binds) == {p, q}
    assert set(goal.open_variables()) == {p, q}
    assert str(goal.variables[0]) == f"{p} + {q}"
    assert computo(z, twice, x).binds == [z]
    assert whereo(twice, x).binds == []


def test_goals_of_any_kind_are_renamed():
    p = x.fresh()
    assert run(0, p, renamed_goal(eq(x, a), {x: p})) == (a,)
    assert run(0, x, renamed_goal(eq(x, a), {x: p})) == (x,)


def test_branches_do_not_share_constraints():
    q = var()
    for other in (neq(q, 1), ifa(neq(q, 1), neq(q, 1)), ldisj(neq(q, 1), neq(q, 1))):
        goal = lall(ldisj(other, succeed), eq(q, 1))
        assert [s[q] for s in solutions(goal, GuardedState())] == [1]


def test_a_computed_number_is_found_in_a_constant():
    forth = law("twice", x / y, z - x, computo(z, twice, y), sound="domain")
    assert as_string([], forth.forward.transform(None, (a / 3.0).owner))[0] == "sub(6.0, a)"
    half = law(
        "half", neg(x) * y, x / z, computo(x, twice, y), computo(z, twice, y), sound="domain"
    )
    node = (neg(float64.make_constant(6.0)) * 3.0).owner
    for answer in (half.forward.transform(None, node), half.forward.search(None, node)):
        assert as_string([], answer)[0] == "true_div(6.0, 6.0)"
    wrong = (neg(float64.make_constant(5.0)) * 3.0).owner
    assert half.forward.transform(None, wrong) is half.forward.search(None, wrong) is False


def test_the_order_of_conditions_does_not_matter():
    def small(n):
        return n < 10

    for conditions in (
        (computo(z, twice, y), whereo(small, z)),
        (whereo(small, z), computo(z, twice, y)),
    ):
        shrink = law("shrink", x / y, x * z, *conditions, sound="domain")
        assert as_string([], shrink.forward.transform(None, (a / 3.0).owner))[0] == "mul(a, 6.0)"
        assert shrink.forward.transform(None, (a / 30.0).owner) is False


def test_variables_of_conditions_alone_are_renamed_too():
    double = law(
        "double", x / y, x / z, computo(w, twice, y), computo(z, lambda v: v, w), sound="domain"
    )
    middle, q = var(), var()
    (answer,) = run(0, q, lall(double(a / 3.0, middle), double(middle, q)))
    assert as_string([], [answer])[0] == "true_div(a, 12.0)"


def test_conditions_are_abstract():
    with pytest.raises(TypeError, match="is not a goal"):
        law("odd", exp(x), x, "positive")

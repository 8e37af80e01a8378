"""Goals: `whereo`, `computo`, and those for ops with any number of arguments."""

from __future__ import annotations

import pytest
from cons import cons
from etuples import etuple
from etuples.core import ExpressionTuple
from kanren import conde, eq, lall, run
from unification import var

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import as_string, equal_computations
from relgraph.graph.kanren import argumentso, build, computo, eacho, law, logic_variables, whereo
from relgraph.graph.kanren.goals import renamed_goal, solutions
from relgraph.graph.kanren.state import GuardedState
from relgraph.graph.notation import number_of
from relgraph.scalar import add, float64, neg
from relgraph.scalar.type import ScalarVariable
from relgraph.tensor.elemwise import Elemwise
from tests.graph.kanren.instances import answer_of

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


def test_a_computed_number_is_found_in_a_constant():
    forth = law("twice", x / y, z - x, computo(z, twice, y), sound="domain")
    assert as_string([], forth.forward.transform(None, (a / 3.0).owner))[0] == "sub(6.0, a)"
    half = law(
        "half", neg(x) * y, x / z, computo(x, twice, y), computo(z, twice, y), sound="domain"
    )
    right, wrong = (neg(float64.make_constant(number)) * 3.0 for number in (6.0, 5.0))
    assert as_string([], [answer_of(half.forward, right)])[0] == "true_div(6.0, 6.0)"
    assert answer_of(half.forward, wrong) is False


def test_variables_of_conditions_alone_are_renamed_too():
    double = law(
        "double", x / y, x / z, computo(w, twice, y), computo(z, lambda v: v, w), sound="domain"
    )
    middle, q = var(), var()
    (answer,) = run(0, q, lall(double(a / 3.0, middle), double(middle, q)))
    assert as_string([], [answer])[0] == "true_div(a, 12.0)"


# Goals for ops with any number of arguments.

u, v, c = at.dvectors("a", "b", "c")


def test_a_node_is_taken_apart():
    op, args = var(), var()
    ((found_op, found),) = run(0, (op, args), argumentso(at.add(u, v, c), op, args))
    assert found_op is at.add and type(found) is ExpressionTuple and list(found) == [u, v, c]
    assert run(0, args, argumentso(at.add(u, v), at.mul, args)) == ()
    assert run(0, args, argumentso(u, op, args)) == ()
    first, rest = var(), var()
    ((x, others),) = run(0, (first, rest), argumentso(at.add(u, v), op, cons(first, rest)))
    assert x is u and list(others) == [v]


def test_properties_of_the_op_may_be_bound():
    scalar, pattern, args = lvars("s p args")
    ((found,),) = run(0, (scalar,), argumentso(at.exp(u), etuple(Elemwise, scalar, pattern), args))
    assert found is at.exp.scalar_op


@pytest.mark.parametrize("args", [etuple(u, v, c), [u, v, c]])
def test_a_term_is_put_together(args):
    term = var()
    (made,) = run(0, term, argumentso(term, at.add, args))
    assert equal_computations([build(made)], [at.add(u, v, c)])


def test_each_item_is_related_to_its_like():
    items = var()

    def exp_of(x, y):
        return eq(x, etuple(at.exp, y))

    (found,) = run(0, items, eacho(exp_of, etuple(at.exp(u), at.exp(v)), items))
    assert type(found) is ExpressionTuple and list(found) == [u, v]
    (found,) = run(0, items, eacho(exp_of, items, [u, v]))
    assert [build(x).owner.op for x in found] == [at.exp, at.exp]
    assert run(0, items, eacho(exp_of, [at.exp(u), v], items)) == ()
    assert run(0, items, eacho(exp_of, [at.exp(u)], [v, u])) == ()


def test_of_two_open_lists_it_is_mapo():
    items, others = var(), var()
    assert run(2, (items, others), eacho(eq, items, others))[0] == ([], [])


def test_several_answers_come_with_the_last_pair_fastest():
    def either(x, y):
        return conde([eq(y, x)], [eq(y, -x)])

    items = var()
    found = run(0, items, eacho(either, (1, 2), items))
    assert found == ((1, 2), (1, -2), (-1, 2), (-1, -2))


def test_lists_may_be_long():
    items = var()
    (found,) = run(0, items, eacho(eq, list(range(2_000)), items))
    assert found == list(range(2_000))
    start = GuardedState()
    (state,) = solutions(lall(eacho(lambda x, y: lall(eq(x, y)), items, [1] * 2_000)), start)
    assert state[items][-1] is not None

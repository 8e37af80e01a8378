"""Goals for ops with any number of arguments."""

from __future__ import annotations

import pytest
from cons import cons
from etuples import etuple
from etuples.core import ExpressionTuple
from kanren import conde, eq, lall, run
from unification import var

import relgraph.tensor as at
from relgraph.graph.basic import equal_computations
from relgraph.graph.kanren import argumentso, build, eacho
from relgraph.graph.kanren.goals import solutions
from relgraph.graph.kanren.state import GuardedState
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.lawkit.vocabulary import lvars

a, b, c = at.dvectors("a", "b", "c")


def test_a_node_is_taken_apart():
    op, args = var(), var()
    ((found_op, found),) = run(0, (op, args), argumentso(at.add(a, b, c), op, args))
    assert found_op is at.add and type(found) is ExpressionTuple and list(found) == [a, b, c]
    assert run(0, args, argumentso(at.add(a, b), at.mul, args)) == ()
    assert run(0, args, argumentso(a, op, args)) == ()
    first, rest = var(), var()
    ((x, others),) = run(0, (first, rest), argumentso(at.add(a, b), op, cons(first, rest)))
    assert x is a and list(others) == [b]


def test_properties_of_the_op_may_be_bound():
    scalar, pattern, args = lvars("s p args")
    ((found,),) = run(0, (scalar,), argumentso(at.exp(a), etuple(Elemwise, scalar, pattern), args))
    assert found is at.exp.scalar_op


@pytest.mark.parametrize("args", [etuple(a, b, c), [a, b, c]])
def test_a_term_is_put_together(args):
    term = var()
    (made,) = run(0, term, argumentso(term, at.add, args))
    assert equal_computations([build(made)], [at.add(a, b, c)])


def test_each_item_is_related_to_its_like():
    items = var()

    def exp_of(x, y):
        return eq(x, etuple(at.exp, y))

    (found,) = run(0, items, eacho(exp_of, etuple(at.exp(a), at.exp(b)), items))
    assert type(found) is ExpressionTuple and list(found) == [a, b]
    (found,) = run(0, items, eacho(exp_of, items, [a, b]))
    assert [build(x).owner.op for x in found] == [at.exp, at.exp]
    assert run(0, items, eacho(exp_of, [at.exp(a), b], items)) == ()
    assert run(0, items, eacho(exp_of, [at.exp(a)], [b, a])) == ()


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

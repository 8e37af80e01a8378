"""States: budgets, delayed goals, cyclic terms, constraints of kanren's own."""

from __future__ import annotations

import itertools

import pytest
from etuples import etuple
from kanren import conde, eq, lall, membero, run
from kanren.constraints import isinstanceo, neq
from unification import reify, unify, var

from relgraph.graph.kanren import KanrenRelationSub, computo, whereo
from relgraph.graph.kanren.goals import solutions
from relgraph.graph.kanren.state import (
    Budget,
    GuardedState,
    SearchBudgetError,
    extended,
    guarded,
    is_settled,
)
from relgraph.scalar import add, exp, float64

a, b = float64("a"), float64("b")


def answers(x, *goals):
    return [reify(x, s) for s in solutions(lall(*goals), GuardedState())]


def positive(n):
    return n > 0


def test_a_term_that_contains_itself_is_none():
    x, y = var(), var()
    assert unify(x, etuple(exp, x), GuardedState()) is False
    assert answers(x, eq(x, etuple(exp, x))) == []
    assert answers(x, eq(x, etuple(exp, y)), eq(y, etuple(exp, x))) == []
    assert answers(x, eq(x, [1, y]), eq(y, [x])) == []
    assert answers(x, eq(x, y), eq(y, x), eq(x, 1)) == [1]


def test_delayed_goals_wait_for_each_other():
    x, y, z = var(), var(), var()
    chain = [whereo(positive, z), computo(z, lambda n: n - 1, y), computo(y, lambda n: n * 2, x)]
    assert answers(z, *chain, eq(x, 3)) == [5]
    assert answers(z, *chain, eq(x, 0)) == []
    assert answers(z, *chain) == []
    assert not is_settled(next(iter(lall(*chain)(GuardedState()))))


def test_goals_leave_the_state_they_are_given():
    x, y = var(), var()
    start = unify(y, 1, GuardedState(delayed=(whereo(positive, x),)))
    before = (dict(start.data), start.delayed)
    assert list(whereo(positive, y)(start)) == [start]
    (waiting,) = computo(x, lambda n: n, var())(start)
    assert len(waiting.delayed) == 2
    assert extended(start, {x: 0}) is False
    assert is_settled(extended(start, {x: 1}))
    assert (start.data, start.delayed) == before


def test_branches_do_not_share_constraints():
    q = var()
    goal = conde([neq(q, 1), eq(q, 2)], [eq(q, 1)], [isinstanceo(q, str), eq(q, "s")], [eq(q, 3)])
    assert set(answers(q, goal)) == set(run(0, q, goal)) == {2, 1, "s", 3}
    nested = conde([neq(q, 1), conde([neq(q, 2), eq(q, 3)], [eq(q, 2)])], [eq(q, 1)])
    assert set(answers(q, nested)) == {3, 2, 1}


def test_constraints_hold_beside_guards():
    x, y = var(), var()
    assert answers(x, neq(x, 1), whereo(positive, x), eq(x, y), membero(y, (0, 1, 2))) == [2]
    assert answers(x, whereo(positive, x), neq(x, 1), membero(x, (0, 1, 2))) == [2]
    assert run(0, x, neq(x, 1), whereo(positive, x), membero(x, (0, 1, 2))) == (2,)


def test_states_of_kanren_keep_their_constraints():
    x, y = var(), var()
    (plain,) = neq(x, 1)({})
    assert guarded(plain).constraints
    assert extended(extended(plain, {y: 2}), {}).constraints
    assert unify(x, 1, extended(plain, {y: 2})) is False


def test_an_endless_search_names_its_relation():
    def endless(i, o):
        return lall(membero(1, var()), eq(o, b), eq(o, a))

    with pytest.raises(SearchBudgetError, match="the relation endless "):
        KanrenRelationSub(endless).search(None, exp(a).owner)


def test_budgets():
    def counting(s):
        for n in itertools.count():
            yield from eq(var(), n)(s)

    start = GuardedState(budget=Budget("counting", steps=100))
    with pytest.raises(SearchBudgetError, match="the relation counting made 100 unifications"):
        next(solutions(lall(counting, eq(0, 1)), start))
    budget = Budget("it", steps=2)
    state = GuardedState(budget=budget)
    state = unify(var(), 1, unify(var(), 1, state))
    with pytest.raises(SearchBudgetError, match="the relation it made 2 unifications"):
        unify(var(), 1, state)
    hasty = Budget("it", seconds=-1.0)
    with pytest.raises(SearchBudgetError, match="the relation it searched for -1 s"):
        for _ in range(128):
            hasty.step()


def test_an_expression_evaluates_to_what_it_is_a_view_of():
    q, head, x, y = var(), var(), var(), var()
    root = add(a, b)
    assert answers((head, x, y), eq(root, etuple(head, x, y))) == [(add, a, b)]
    assert answers(q, eq(q, root)) == [root]

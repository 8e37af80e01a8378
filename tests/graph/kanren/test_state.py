"""States and unification: budgets, delayed goals, cyclic terms, constraints."""

from __future__ import annotations

import itertools

import pytest
from cons import cons
from etuples import etuple
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from kanren import conde, eq, lall, membero, run
from kanren.constraints import isinstanceo, neq
from unification import reify, unify, var, variables

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.kanren import KanrenRelationSub, Literal, computo, whereo
from relgraph.graph.kanren.goals import solutions
from relgraph.graph.kanren.state import (
    Budget,
    GuardedState,
    SearchBudgetError,
    extended,
    fast_reify,
    fast_unify,
    guarded,
    is_settled,
)
from relgraph.graph.unify import ConstrainedVar
from relgraph.scalar import add, exp, float64
from relgraph.tensor.reductions import CAReduce

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


# Unification without generators gives what the library gives.

X, Y = lvars("x y")
U, V, W = var(), var(), var()
a_vector, b_vector = at.dvector("a"), at.dvector("b")
only_a = ConstrainedVar(lambda v: v is a_vector)

GROUND = [
    *(
        a_vector,
        b_vector,
        a_vector + b_vector,
        at.exp(a_vector),
        at.exp(at.exp(b_vector)),
        at.sum(a_vector),
        at.constant(1.0),
        Literal(1),
    ),
    *(
        at.add,
        at.exp,
        at.sum(a_vector).owner.op,
        CAReduce,
        1,
        2.0,
        True,
        None,
        "n",
        (),
        [],
        etuple(),
    ),
]
OPEN = [X, Y, U, W, at.exp(X), X + Y, at.exp(at.exp(X)), 1 + X, slice(U, 2)]


def compound(inner):
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: etuple(*items)),
        st.builds(cons, inner, inner),
        st.builds(lambda x: etuple(at.exp, x), inner),
        st.builds(lambda x, y: etuple(at.add, x, y), inner, inner),
        st.builds(lambda x: cons(at.add, x), inner),
    )


def terms(*leaves):
    return st.recursive(st.sampled_from([*leaves, *GROUND]), compound, max_leaves=6)


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error)


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(terms(), terms(*OPEN), terms(V, V, only_a))
@example(etuple(at.exp, etuple()), W, etuple(at.exp, "n"))
def test_the_same_as_the_library(p, u, v):
    # where a variable is on both sides it may come to hold itself, and the library never ends
    assume(repr(v).count(repr(V)) <= 1 and repr(v).count(repr(only_a)) <= 1)
    s = {W: p}
    theirs, ours = outcome(unify, u, v, s), outcome(fast_unify, u, v, s)
    assert s == {W: p}
    if isinstance(theirs, dict) and isinstance(ours, dict):
        assert list(theirs) == list(ours)
        assert repr(theirs) == repr(ours)
        assert (ours is s) is (theirs is s)
        assert repr(reify((u, [v]), theirs)) == repr(fast_reify((u, [v]), ours))
    elif not (theirs is s and are_equal_to_the_library_alone(reify(u, s), v)):
        assert theirs is ours


def are_equal_to_the_library_alone(x, y):
    """Return whether the library's etuples take two terms for equal of which one is longer: inside
    of an etuple they compare as many elements as the shorter one has."""
    return x == y and repr(x) != repr(y)


def test_what_was_taken_apart_is_put_together_as_it_was():
    root = at.add(a_vector, b_vector)
    s = fast_unify(cons(U, V), root, {})
    assert s is not False and s[U] is at.add
    assert fast_reify(etuple(U, X), s)[0] is at.add
    seen = etuple(at.add, a_vector, evaled_obj=root)
    assert fast_reify(seen, {U: 1}) is seen
    assert fast_reify(cons(seen[0], W), {W: seen[1:]}) is seen


def test_deep_expressions():
    deep, wanted = U, a_vector
    for _ in range(400):
        deep, wanted = etuple(at.exp, deep), etuple(at.exp, wanted)
    s = fast_unify(deep, wanted, {})
    assert s == {U: a_vector}
    inner = fast_reify(deep, s)
    for _ in range(400):
        inner = inner[1]
    assert inner is a_vector


def test_anything_may_be_declared_a_variable():
    with variables("x"):
        for u, v in ((etuple(at.exp, "x"), at.exp(a_vector)), ("x", 1), (["x"], [U])):
            assert fast_unify(u, v, {}) == unify(u, v, {})
        assert fast_reify(["x"], {"x": a_vector}) == reify(["x"], {"x": a_vector})

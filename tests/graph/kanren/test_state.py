"""Unification of etuples, terms and nodes: states, and what hand-written goals mean."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from cons import cons
from etuples import etuple, etuplize
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from kanren import conde, eq, lall, membero, run
from kanren.assoccomm import associative, commutative, eq_assoccomm
from kanren.constraints import isinstanceo, neq
from kanren.facts import fact
from kanren.goals import conso
from kanren.graph import mapo
from unification import reify, unify, var, variables

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.graph.kanren import KanrenRelationSub, Literal, build, computo, whereo
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
from relgraph.graph.traversal import equal_computations
from relgraph.graph.unify import ConstrainedVar, view
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


# Etuples in hand-written goals: functions, numbers and relative ops mean what they do in terms.


x, y, v = at.dmatrix("x"), at.dmatrix("y"), at.dvector("v")


def from_to(left: Callable[..., Any], right: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Return the relation between two etuples over the same variables."""

    def relation(in_lv: Any, out_lv: Any) -> Any:
        a, b = var(), var()
        return lall(eq(in_lv, left(a, b)), eq(out_lv, right(a, b)))

    return relation


def answer_of(relation: Callable[[Any, Any], Any], old: Any) -> Any:
    """Return the replacement, which must be the same for the rewriter, the search and `run`."""
    rewriter = KanrenRelationSub(relation)
    found = [rewriter.transform(None, old.owner) for _ in range(4)]
    found.append(rewriter.search(None, old.owner))
    q = var()
    plain = [build(answer) for answer in run(1, q, relation(old, q))]
    found.append(plain or False)
    news = [answer[0] if answer else None for answer in found]
    assert all(
        (new is None) == (news[0] is None) and (new is None or equal_computations([new], [news[0]]))
        for new in news
    )
    return news[0]


CASES: list[tuple[Any, Any, list[tuple[Any, Any]]]] = [
    (
        lambda a, b: etuple(at.dot, a, b),
        lambda a, b: etuple(at.dot, b, a),
        [(at.dot(x, y), at.dot(y, x)), (x + y, None)],
    ),
    (
        lambda a, b: etuple(at.mul, 2.0, a),
        lambda a, b: etuple(at.add, a, a),
        [(2.0 * x, x + x), (2 * x, x + x), (3.0 * x, None), (x * y, None), (x * 2.0, None)],
    ),
    (
        lambda a, b: etuple(at.mul, True, a),
        lambda a, b: a,
        [(at.mul(True, at.TensorType("bool", (None,))("p")), "p"), (1.0 * x, None)],
    ),
    (
        lambda a, b: etuple(at.log, etuple(at.softmax, a)),
        lambda a, b: etuple(at.log_softmax, a),
        [
            (at.log(at.softmax(x)), at.log_softmax(x)),
            (at.log(at.softmax(v)), at.log_softmax(v)),
            (at.log(at.softmax(x, axis=0)), None),
        ],
    ),
    (
        lambda a, b: etuple(at.exp, etuple(at.softmax(lvars("z")).op, a)),
        lambda a, b: etuple(at.softmax, a),
        [(at.exp(at.softmax(x)), at.softmax(x)), (at.exp(at.softmax(x, axis=0)), None)],
    ),
    (
        lambda a, b: etuple(lambda z: z * z + 1, a),
        lambda a, b: etuple(at.sqr, a),
        [(x * x + 1, at.sqr(x)), (x * y + 1, None), (x * x + 2, None)],
    ),
    (
        lambda a, b: etuple(at.neg, etuple(at.sub, etuple(at.square, a), b)),
        lambda a, b: etuple(at.sub, b, etuple(at.square, a)),
        [(-(at.square(x) - y), y - at.square(x))],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "expected"), CASES)
def test_they_match_what_terms_match(left: Any, right: Any, expected: Any) -> None:
    for old, new in expected:
        found = answer_of(from_to(left, right), old)
        if new is None or isinstance(new, str):
            assert (found if found is None else found.name) == new
        else:
            assert equal_computations([found], [new])


def test_numbers_unify_with_constants() -> None:
    for unifier in (unify, fast_unify):
        for number, constant in ((2.0, at.constant(2.0)), (2, at.constant(np.full((2, 3), 2)))):
            assert unifier(number, constant, {}) == {}
            assert unifier(constant, number, {}) == {}
            assert unifier(number + 1, constant, {}) is False
        assert unifier(1, at.constant(True), {}) is False
        assert unifier(1.0, v, {}) is False


def test_numpys_numbers_in_terms() -> None:
    a = lvars("a")
    for number in (np.float32(2), np.int64(2), np.float64(2)):
        double = law("double", a * number, a + a, sound="rounding")
        assert double.forward.transform(None, (x * 2).owner)
        assert not double.forward.transform(None, (x * 3).owner)


def test_a_function_that_needs_a_shape_is_refused() -> None:
    relation = from_to(lambda a, b: etuple(at.mean, a), lambda a, b: a)
    with pytest.raises(TypeError, match=r"mean\(.*\) calls a function that is no op.*on a shape"):
        KanrenRelationSub(relation).transform(None, at.mean(x).owner)


@pytest.mark.parametrize("answer", ["abc", at.dot, at.exp, [x], {"x": 1}])
def test_what_is_no_answer_is_refused(answer: Any) -> None:
    def named(in_lv: Any, out_lv: Any) -> Any:
        return eq(out_lv, answer)

    with pytest.raises(
        TypeError, match=r"the relation named, asked about sin\(x\), answered .* no"
    ):
        KanrenRelationSub(named).transform(None, at.sin(x).owner)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda a, b: etuple(at.DimShuffle(3, (0, 1, 2)), a), "DimShuffle"),
        (lambda a, b: etuple(at.dot, a, a, a), r"dot\(x, x, x\)"),
        (lambda a, b: etuple(at.specify_shape, a, (1, 2, 3)), "specify_shape"),
    ],
)
def test_an_answer_that_can_not_be_built_names_relation_and_node(wrong: Any, what: str) -> None:
    named = from_to(lambda a, b: etuple(at.exp, a), wrong)
    named.__name__ = "named"
    rewriter = KanrenRelationSub(named)
    for _ in range(3):
        with pytest.raises((TypeError, ValueError), match=rf"named, asked about exp\(x\).*{what}"):
            rewriter.transform(None, at.exp(x).owner)


@pytest.fixture
def declared():
    """The facts by which miniKanren knows which ops commute and associate."""
    before = commutative.facts.copy(), associative.facts.copy()
    for op in (at.add, at.mul):
        fact(commutative, op)
        fact(associative, op)
    yield
    commutative.facts, associative.facts = before


@pytest.mark.parametrize(
    ("left", "right", "values"),
    [
        (x + y, lambda z: etuple(at.add, y, z), {x}),
        (x + y * 2, lambda z: etuple(at.add, etuple(at.mul, 2.0, y), z), {x}),
        (at.exp(x + y), lambda z: etuple(at.exp, etuple(at.add, y, z)), {x}),
        (v * 2, lambda z: etuple(at.mul, 2, z), {v}),
        (v * 2, lambda z: etuple(at.mul, 3, z), set()),
        (x + y, lambda z: etuple(at.mul, y, z), set()),
        (x.dimshuffle(0, 1, "x") + at.dscalar("s").dimshuffle("x", "x", "x"), lambda z: z, None),
    ],
)
def test_minikanrens_own_matching_modulo_ac(
    declared: None, left: Any, right: Any, values: Any
) -> None:
    z = var()
    found = run(0, z, eq_assoccomm(left, right(z)))
    if values is None:
        assert all(equal_sums(build(answer), left) for answer in found) and found
    else:
        assert set(found) == values
    if values:
        assert set(run(0, z, eq_assoccomm(right(z), left))) == values
        assert set(run(0, z, eq_assoccomm(etuplize(left), right(z)))) == values


def equal_sums(found: Any, left: Any) -> bool:
    """Return whether two sums of two are equal but for the order."""
    return found.owner.op is left.owner.op and {
        tuple(str(u) for u in found.owner.inputs),
        tuple(str(u) for u in found.owner.inputs[::-1]),
    } >= {tuple(str(u) for u in left.owner.inputs)}


def test_a_parameter_without_items_is_one_value() -> None:
    """An op's ``()`` is seen as what is no sequence; who makes an op with it gets ``()``."""
    flat = at.dscalar("s").dimshuffle().owner.op
    seen = view(flat)
    assert seen == etuple(type(flat), 0, ())
    assert seen.evaled_obj is flat and type(seen.evaled_obj.new_order) is tuple
    assert not isinstance(seen[2], Sequence)
    assert list(seen[2]) == [] and hash(seen[2]) == hash(()) and repr(seen[2]) == "()"
    assert pickle.loads(pickle.dumps(seen[2])) is seen[2]
    n, order = lvars("n order")
    for unifier in (unify, fast_unify):
        assert unifier(etuple(at.DimShuffle, n, ()), flat, {}) == {n: 0}
        assert unifier(etuple(at.DimShuffle, n, (0,)), flat, {}) is False
    asked = law(
        "asks", at.DimShuffle(n, order)(lvars("a")), lvars("a"),
        whereo(lambda o: isinstance(o, tuple) and not o, order),
    )  # fmt: skip
    (new,) = asked.forward.transform(None, at.dscalar("s").dimshuffle().owner)
    assert new.name == "s"
    assert [a.name for a in run(1, order, asked(at.dscalar("s").dimshuffle(), order))] == ["s"]


def test_a_function_means_the_op_in_expressions_of_both_kinds():
    whole, a = etuplize(at.dot(x, y)), var()
    for pattern, expected in ((etuple(at.dot, a, y), {a: x}), (etuple(at.dot, y, a), False)):
        for pair in ((pattern, whole), (whole, pattern)):
            assert unify(*pair, {}) == expected
            assert fast_unify(*pair, {}) == expected
    # two functions, and a function beside a variable or a name, are compared as they are
    assert unify(etuple(at.dot, x, y), etuple(at.dot, x, y), {}) == {}
    assert unify(etuple(at.dot, x, y), etuple(at.outer, x, y), {}) is False
    assert unify(etuple(at.dot, x, y), etuple("dot", x, y), {}) is False
    assert unify(etuple(at.dot, x, y), etuple(a, x, y), {}) == {a: at.dot}


def test_a_relation_runs_from_an_expression_to_a_sum_of_products():
    def distributed(in_lv: Any, out_lv: Any) -> Any:
        left, terms, whole, products = var(), var(), var(), var()

        def multiplied(term: Any, product: Any) -> Any:
            return eq(product, etuple(at.dot, left, term))

        return lall(
            eq(in_lv, etuple(at.dot, left, whole)),
            conso(at.add, terms, whole),
            mapo(multiplied, terms, products),
            conso(at.add, products, out_lv),
        )

    q = var()
    for out in (at.dot(x, y) + at.dot(x, x), etuplize(at.dot(x, y) + at.dot(x, x))):
        (found,) = run(1, q, distributed(q, out))
        assert build(found).owner.inputs[0] is x


def test_an_op_says_which_logic_variables_it_takes():
    with pytest.raises(TypeError, match="ops take logic variables that lvars makes"):
        at.exp(var())

"""Etuples in hand-written goals: functions, numbers and relative ops mean what they do in terms."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from etuples import etuple, etuplize
from kanren import eq, lall, run
from kanren.assoccomm import associative, commutative, eq_assoccomm
from kanren.facts import fact
from kanren.goals import conso
from kanren.graph import mapo
from unification import unify, var

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.graph.kanren import KanrenRelationSub, build, whereo
from relgraph.graph.kanren.state import fast_unify
from relgraph.graph.traversal import equal_computations
from relgraph.graph.unify import view

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

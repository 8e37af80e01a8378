"""Partial evaluation: what a run on tracers tells of all nodes of a structure."""

from __future__ import annotations

import pytest
from etuples import etuple
from kanren import conde, conso, eq, heado, lall, membero
from kanren.assoccomm import assoc_flatten, associative
from kanren.core import Zzz, ifa
from kanren.facts import fact
from kanren.graph import mapo, reduceo, walko
from kanren.term import applyo
from unification import var

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import equal_computations
from relgraph.graph.kanren import KanrenRelationSub, computo, law, one_cliento, whereo
from relgraph.graph.kanren.partial_evaluation import Trace, partially_evaluate

x, y = lvars("x y")
a, b = at.dvector("a"), at.dvector("b")


def evaluated(relation, root, fgraph=None):
    trace = Trace(root, fgraph)
    return partially_evaluate(relation, trace), trace


def answers(relation, root):
    found, trace = evaluated(relation, root)
    assert found.reason == ""
    return [plan(trace.values) for plan in found.answers]


def same(ours, theirs):
    return len(ours) == len(theirs) and equal_computations(ours, theirs)


def undo_exp(i, o):
    return lall(eq(i, at.log(at.exp(x))), eq(o, x))


def test_a_number_is_seen_through_broadcasting():
    def one_plus(i, o):
        return lall(eq(i, at.add(1, x)), eq(o, x))

    spread = at.constant(1.0).dimshuffle("x")
    assert answers(one_plus, at.add(spread, a)) == [a]
    assert answers(one_plus, at.add(at.constant(2.0).dimshuffle("x"), a)) == []
    assert answers(one_plus, at.add(at.alloc(1.0, a.shape[0]), b)) == [b]


def test_a_relation_that_looks_at_more_than_it_unifies_is_not_staged():
    def refuses_tracers(i, o):
        return eq(o, b) if i.owner.inputs[0] is a else eq(0, 1)

    rewriter = KanrenRelationSub(refuses_tracers)
    assert rewriter.might_match(at.exp(a).owner)
    assert rewriter.transform(None, at.exp(a).owner) == [b]


@pytest.mark.parametrize(
    ("relation", "reason"),
    [
        (lambda i, o: eq(o, b) if i.owner.inputs[0].type.ndim == 1 else eq(0, 1), "a type"),
        (lambda i, o: eq(o, b if i.owner.inputs[0].name == "a" else a), "a name"),
        (
            lambda i, o: lall(eq(i, etuple(at.exp, x)), lambda s: iter([s])),
            "its goal <lambda> may look",
        ),
        (
            lambda i, o: lall(eq(i, etuple(at.exp, x)), applyo(at.log, etuple(i), o)),
            "builds a node",
        ),
        (lambda i, o: eq(o, i.owner.inputs[0].dtype), "AttributeError"),
        (
            lambda i, o: lall(eq(i, at.exp(x)), whereo(lambda v: v is i, x)),
            "holds on to",
        ),
        (
            lambda i, o: lall(eq(i, at.exp(x)), computo(o, lambda v: etuple(at.log, var()), x)),
            "term",
        ),
        (lambda i, o: lall(eq(i, at.exp(x)), law("l", at.exp(x), x)(i, o)), "its goal Law"),
        (lambda i, o: eq(i, etuple(at.exp, var())), "leaves"),
    ],
)
def test_what_takes_a_search_says_why(relation, reason):
    found, _ = evaluated(relation, at.exp(a))
    assert not found.fails
    assert reason in found.reason


def test_endless_answers_are_left_to_search():
    def endless(i, o):
        return conde([eq(o, a)], [Zzz(endless, i, o)])

    found, trace = evaluated(endless, at.exp(b))
    assert found.reason == "it has more than 20 answers"
    assert [plan(trace.values) for plan in found.answers] == [a] * 20

    def never(i, o):
        return lall(eq(i, etuple(at.exp, var())), Zzz(never, i, o))

    assert evaluated(never, at.exp(b))[0].reason == "its answers do not come to an end"


def test_goals_that_look_at_the_state_see_what_they_would_see_of_a_node():
    def distribute(i, o):
        args, new = var(), var()
        return lall(
            eq(i, etuple(at.neg, x)),
            heado(at.add, x),
            conso(at.add, args, x),
            mapo(lambda u, v: eq(v, etuple(at.neg, u)), args, new),
            conso(at.add, new, o),
        )

    same(answers(distribute, -at.add(a, b, a)), [at.add(-a, -b, -a)])

    def either(i, o):
        return ifa(eq(i, etuple(at.exp, o)), lall(eq(i, etuple(at.log, x)), eq(o, x)))

    assert answers(either, at.exp(a)) == [a]
    assert answers(either, at.log(b)) == [b]

    def one_of(i, o):
        args = var()
        return lall(conso(at.mul, args, i), membero(o, args))

    assert answers(one_of, at.mul(a, b, a)) == [a, b, a]


def test_relations_of_relations():
    def step(u, v):
        return conde([eq(u, etuple(at.log, etuple(at.exp, v)))])

    def to_the_end(i, o):
        return reduceo(step, i, o)

    deep = at.log(at.exp(at.log(at.exp(a))))
    same(answers(to_the_end, deep), [a, at.log(at.exp(a))])

    def everywhere(i, o):
        return walko(step, i, o)

    assert evaluated(everywhere, deep)[0].reason == ""
    found, _ = evaluated(lambda i, o: reduceo(lambda u, v: lambda s: iter([s]), i, o), deep)
    assert "its goal <lambda> may look" in found.reason


def test_what_is_known_of_the_associative_is_asked_again():
    def flat(i, o):
        return lall(eq(i, etuple(at.neg, x)), assoc_flatten(etuple(at.maximum, x, x), y), eq(o, y))

    found, trace = evaluated(flat, -a)
    assert len(found.answers) == 1
    before = trace.path[-1][1]
    fact(associative, at.maximum)
    try:
        assert evaluated(flat, -a)[1].path[-1][1] != before
    finally:
        associative.facts.discard((at.maximum,))


def test_conditions_are_questions():
    def halves(i, o):
        n = var()
        return lall(
            eq(i, etuple(at.add, x, y)),
            whereo(lambda u, v: u is v, x, y),
            computo(n, lambda v: 2.0, x),
            one_cliento(x),
            eq(o, etuple(at.mul, n, x)),
        )

    same(answers(halves, a + a), [2.0 * a])
    assert evaluated(halves, a + b)[0].fails


def test_a_computed_value_may_be_known_already():
    def same_product(i, o):
        return lall(
            eq(i, etuple(at.add, x, y)), computo(y, lambda u: u * u, x), computo(o, lambda u: u, x)
        )

    assert answers(same_product, at.add(a, a * a)) == [a]
    assert evaluated(same_product, at.add(a, b * b))[0].fails

    def two(i, o):
        n = var()
        return lall(eq(i, etuple(at.exp, o)), computo(n, lambda v: v.type.ndim + 1, o), eq(n, 2))

    assert answers(two, at.exp(a)) == [a]
    assert evaluated(two, at.exp(at.dmatrix()))[0].fails

"""The prefilter: which rules and relations may match nodes of a structure."""

import pytest
from cons import cons
from etuples import etuple
from kanren import conde, eq, lall
from unification import var

import relgraph.tensor as at
from relations.kit.functions import undoes
from relations.kit.vocabulary import lvars
from relgraph.graph.kanren import KanrenRelationSub, law, whereo
from relgraph.graph.kanren.rules import rules_sought
from relgraph.tensor.elemwise import DimShuffle

a, b, c = at.dvector("a"), at.dmatrix("b"), at.dvector("c")
v, x, y, s, t = lvars("v x y s t")


def undo_exp(i, o):
    return lall(eq(i, etuple(at.log, etuple(at.exp, o))))


def of_two(i, o):
    return conde([eq(i, etuple(at.exp, o))], [whereo(bool, o), eq(etuple(at.log, o), i)])


def of_a_family(i, o):
    dims, order, inner = var(), var(), var()
    shuffled = eq(i, etuple(etuple(DimShuffle, dims, order), inner))
    return lall(whereo(bool, o), shuffled, eq(inner, etuple(at.exp, o)))


def of_any(i, o):
    return conde([eq(i, etuple(at.log, o))], [eq(i, o)])


def of_none(i, o):
    return lall(eq(i, etuple(at.log, o)), eq(i, etuple(at.exp, o)))


def with_first(i, o):
    first, rest = var(), var()
    return lall(eq(i, cons(at.add, cons(first, rest))), eq(first, etuple(at.exp, o)))


def of_two_terms(i, o):
    return eq(i, cons(at.add, cons(etuple(at.exp, o), [o])))


def of_three_terms(i, o):
    return eq(i, etuple(at.add, etuple(at.exp, var()), o, var()))


INVERSE = law("inverse", at.Elemwise(s, ())(at.Elemwise(t, ())(v)), v, whereo(undoes, s, t))

# (a rewriter, what it may match, what it can't)
SOUGHT = {
    "levels": (
        law("log-exp", at.log(at.exp(x)), x, sound="finite").forward,
        [at.log(at.exp(a))],
        [at.log(a), at.exp(at.exp(a))],
    ),
    # two partners are wanted, which may be further down
    "partners": (
        law("exps", at.exp(x) * at.exp(y), at.exp(x + y), sound="finite").forward,
        [at.mul(a, at.exp(a), at.exp(c)), at.mul(at.exp(a), at.exp(a)), (at.exp(a) * c) * a],
        [at.mul(a, at.log(a)), at.mul(a, at.exp(a))],
    ),
    # conditions about the ops of arguments are evaluated
    "inverses": (INVERSE.forward, [at.sinh(at.arcsinh(a))], [at.sinh(at.sin(a))]),
    "a goal": (undo_exp, [at.log(at.exp(a))], [at.log(at.sqr(a)), at.exp(a), at.log(a)]),
    "two goals": (of_two, [at.exp(a), at.log(a)], [at.sin(a)]),
    "a family": (of_a_family, [at.exp(b).T], [b.T, at.exp(b)]),
    "anything": (of_any, [at.exp(a), at.log(a)], []),
    "nothing": (of_none, [], [at.log(at.exp(a))]),
    # the number of arguments may be open
    "a first term": (with_first, [at.exp(a) + a, at.add(at.exp(a), a, a)], [a + at.exp(a)]),
    "two terms": (of_two_terms, [at.exp(a) + a], [a + at.exp(a), at.add(at.exp(a), a, a)]),
    # in a sum of three the order does not count
    "three terms": (
        of_three_terms,
        [at.add(a, at.exp(a), a)],
        [at.add(a, at.log(a), a), at.mul(a, at.exp(a), a)],
    ),
}


@pytest.mark.parametrize("name", SOUGHT)
def test_what_may_match(name):
    sought, matches, others = SOUGHT[name]
    rewriter = KanrenRelationSub(sought) if callable(sought) else sought
    assert all(rewriter.might_match(term.owner) for term in matches)
    assert not any(rewriter.might_match(term.owner) for term in others)


def test_a_sum_of_three_matches_as_it_is_written():
    rewriter = KanrenRelationSub(of_three_terms)
    assert rewriter.closed is not None
    assert rewriter.transform(None, at.add(a, at.exp(a), a).owner) is False


def test_a_function_in_a_pattern_may_make_any_op():
    def of_product(i, o):
        first, second = var(), var()
        seen = eq(i, etuple(at.exp, etuple(at.dot, first, second)))
        return lall(seen, eq(o, etuple(at.dot, first, second)))

    product = at.dot(a, a)
    rewriter = KanrenRelationSub(of_product)
    assert rewriter.might_match(at.exp(product).owner)
    assert rewriter.transform(None, at.exp(product).owner)


def test_a_constructor_that_looks_at_its_variable_may_seek_anything():
    def by_hand(i, o):
        return eq(i, etuple(at.log if i.owner is None else at.exp, o))

    def by_outputs(i, o):
        return eq(i, etuple(at.log if isinstance(i, list) else at.exp, o))

    one, two = [at.exp(at.dvector())], [at.exp(at.dvector())] * 2
    assert rules_sought(by_hand, one) is None
    assert [rule.root for rule in rules_sought(by_outputs, one)] == [at.exp]
    assert [rule.root for rule in rules_sought(by_outputs, two)] == [at.exp, at.log]

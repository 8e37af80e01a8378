"""The prefilter: which rules and relations may match nodes of a structure."""

from cons import cons
from etuples import etuple
from kanren import conde, eq, lall
from unification import var

import relgraph.tensor as at
from relations.kit.functions import undoes
from relations.kit.vocabulary import lvars
from relgraph.graph.kanren import KanrenRelationSub, law, logic_variables, whereo
from relgraph.graph.kanren.rules import rules_sought
from relgraph.scalar import exp, float64, log, mul
from relgraph.scalar.type import ScalarVariable
from relgraph.tensor.elemwise import DimShuffle

x, y = logic_variables("x y", ScalarVariable._ops)
a, b = float64("a"), float64("b")


def test_rules_may_match_by_structure():
    rule = law("log-exp", log(exp(x)), x, sound="finite").forward.rule
    assert rule.might_match(log(exp(a)).owner)
    assert not rule.might_match(log(a).owner)
    assert not rule.might_match(exp(exp(a)).owner)
    product = law("exps", exp(x) * exp(y), exp(x + y), sound="finite").forward.rule
    assert product.might_match(mul(a, exp(a), exp(b)).owner)
    assert not product.might_match(mul(a, log(a)).owner)
    assert not product.might_match(mul(a, exp(a)).owner)  # two are wanted
    assert product.might_match(mul(exp(a), exp(a)).owner)
    assert product.might_match(((exp(a) * b) * a).owner)  # a partner may be further down


def test_conditions_about_the_ops_of_arguments_are_evaluated():
    s, t = logic_variables("s t")
    v, w = lvars("v"), at.dvector()
    pattern = at.Elemwise(s, ())(at.Elemwise(t, ())(v))
    rule = law("inverse", pattern, v, whereo(undoes, s, t)).forward.rule
    assert rule.might_match(at.sinh(at.arcsinh(w)).owner)
    assert not rule.might_match(at.sinh(at.sin(w)).owner)


def undo_exp(i, o):
    return lall(eq(i, etuple(at.log, etuple(at.exp, o))))


def test_what_a_relation_seeks_is_read_from_its_goal():
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

    a, b = at.dvector("a"), at.dmatrix("b")
    for relation, matches, others in [
        (undo_exp, [at.log(at.exp(a))], [at.log(at.sqr(a)), at.exp(a), at.log(a)]),
        (of_two, [at.exp(a), at.log(a)], [at.sin(a)]),
        (of_a_family, [at.exp(b).T], [b.T, at.exp(b)]),
        (of_any, [at.exp(a), at.log(a)], []),
        (of_none, [], [at.log(at.exp(a))]),
    ]:
        rewriter = KanrenRelationSub(relation)
        assert all(rewriter.might_match(v.owner) for v in matches)
        assert not any(rewriter.might_match(v.owner) for v in others)


def test_a_function_in_a_pattern_may_make_any_op():
    def of_product(i, o):
        first, second = var(), var()
        seen = eq(i, etuple(at.exp, etuple(at.dot, first, second)))
        return lall(seen, eq(o, etuple(at.dot, first, second)))

    product = at.dot(at.dvector(), at.dvector())
    rewriter = KanrenRelationSub(of_product)
    assert rewriter.might_match(at.exp(product).owner)
    assert rewriter.transform(None, at.exp(product).owner)


def test_the_number_of_arguments_may_be_open():
    def with_first(i, o):
        first, rest = var(), var()
        return lall(eq(i, cons(at.add, cons(first, rest))), eq(first, etuple(at.exp, o)))

    def of_two(i, o):
        return eq(i, cons(at.add, cons(etuple(at.exp, o), [o])))

    a = at.dvector("a")
    assert KanrenRelationSub(with_first).might_match((at.exp(a) + a).owner)
    assert KanrenRelationSub(with_first).might_match(at.add(at.exp(a), a, a).owner)
    assert not KanrenRelationSub(with_first).might_match((a + at.exp(a)).owner)
    assert KanrenRelationSub(of_two).might_match((at.exp(a) + a).owner)
    assert not KanrenRelationSub(of_two).might_match((a + at.exp(a)).owner)
    assert not KanrenRelationSub(of_two).might_match(at.add(at.exp(a), a, a).owner)


def test_in_a_sum_of_three_the_order_does_not_count():
    def first_is_exp(i, o):
        return eq(i, etuple(at.add, etuple(at.exp, var()), o, var()))

    a = at.dvector("a")
    rewriter = KanrenRelationSub(first_is_exp)
    assert rewriter.closed is not None
    assert rewriter.transform(None, at.add(a, at.exp(a), a).owner) is False
    assert rewriter.might_match(at.add(a, at.exp(a), a).owner)
    assert not rewriter.might_match(at.add(a, at.log(a), a).owner)
    assert not rewriter.might_match(at.mul(a, at.exp(a), a).owner)


def test_a_constructor_that_looks_at_its_variable_may_seek_anything():
    def by_hand(i, o):
        return eq(i, etuple(at.log if i.owner is None else at.exp, o))

    def by_outputs(i, o):
        return eq(i, etuple(at.log if isinstance(i, list) else at.exp, o))

    one, two = [at.exp(at.dvector())], [at.exp(at.dvector())] * 2
    assert rules_sought(by_hand, one) is None
    assert [rule.root for rule in rules_sought(by_outputs, one)] == [at.exp]
    assert [rule.root for rule in rules_sought(by_outputs, two)] == [at.exp, at.log]

"""The functions that rules become, and which rules and relations may match nodes of a structure."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from cons import cons
from etuples import etuple
from kanren import conde, eq, lall
from unification import var

import relgraph.tensor as at
from relations.kit.functions import undoes
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import as_string
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import KanrenRelationSub, NoSuchDirection, law, one_cliento, whereo
from relgraph.graph.kanren.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules import Rule, rules_sought
from relgraph.scalar import add
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.reductions import CAReduce
from tests.families.counting import calls_of
from tests.graph.kanren.instances import answer_of
from tests.graph.toys import MyOp

x, y, z, n, v, s, t = lvars("x y z n v s t")
a, b, c, d = at.dvectors(*"abcd")
matrix = at.dmatrix("b")


def text(answer):
    return False if answer is False else as_string([], answer)[0]


def both(rewriter, var):
    found = answer_of(rewriter, var)
    return found if found is False else text([found])


def test_a_constant_is_a_root_with_a_dtype_of_its_own():
    whole = at.constant(np.int8(1))
    for options, fires in (({}, False), ({"mixed": True}, True)):
        rewriter = law("self", x / x, whole, sound="finite", **options).forward
        assert (both(rewriter, a / a) is not False) is fires


def test_dtypes_of_comparisons_and_casts_do_not_count():
    positive = law("gt", at.switch(at.gt(x, 0), x, 0), at.maximum(x, 0), sound="finite").forward
    assert both(positive, at.switch(at.gt(a, 0.0), a, 0.0)) is not False
    product = law("product", x * x, at.eq(x, 2), sound="domain").forward
    assert both(product, a * a) == "cast{float64}(eq(a, {2.0}))"
    assert both(product, at.mul(a, a, b)) == "mul(eq(a, {2.0}), b)"


class Halves(MyOp):
    """Two outputs, the second of which is what a call gives."""

    default_output = 1


halves = Halves("halves", nout=2)


def test_nodes_of_several_outputs_are_matched_by_their_default():
    inner = law("inner", at.exp(halves(x)), x, sound="domain").forward
    assert both(inner, at.exp(halves(a))) == "a"
    assert both(inner, at.exp(halves(a).owner.outputs[0])) is False
    root = law("root", halves(x), x, sound="domain").forward
    node = halves(a).owner
    graph = FunctionGraph([a], [node.outputs[1]], clone=False)
    assert root.transform(graph, node) == root.search(graph, node) == {node.outputs[1]: a}


def test_clients_outside_the_match():
    pattern = etuple(at.log, etuple(at.exp, x))
    run = compile_rule(Rule("log-exp", pattern, x, one_client=True))
    inner = at.exp(a)
    outer = at.log(inner)
    alone = FunctionGraph([a], [outer], clone=False)
    assert run(alone, outer.owner) == [a]
    shared = at.exp(b)
    graph = FunctionGraph([b], [at.log(shared), shared], clone=False)
    assert run(graph, graph.outputs[0].owner) is False
    # a part that has matched a sum of other arguments is that sum
    lone = law("lone", at.exp(x + y), x, one_cliento(x + y), sound="domain").forward
    total = at.add(a, b, c)
    graph = FunctionGraph([a, b, c], [at.exp(total), total], clone=False)
    assert answer_of(lone, graph.outputs[0], graph) is False


def test_as_written():
    written = compile_rule(Rule("w", etuple(at.add, etuple(at.exp, x), y), x, as_written=True))
    assert written(None, at.add(at.exp(a), b).owner) == [a]
    assert written(None, at.add(b, at.exp(a)).owner) is False
    number = compile_rule(Rule("n", etuple(at.add, 1.0, y), y, as_written=True))
    assert number(None, at.add(1.0, b).owner) == [b]
    assert number(None, at.add(2.0, b).owner) is False


def test_rules_that_are_left_to_the_plain_matcher():
    reasons = {
        "no op at the root": Rule("r", x, y),
        "the op ~x in its pattern is open": Rule("r", etuple(x, y), y),
        "~y is open in what it builds": Rule("r", at.exp(x), y),
        "~z is open where a condition needs it": Rule("r", at.exp(x), x, [whereo(bool, z)]),
        "is a goal of another kind": Rule("r", at.exp(x), x, [lambda s: iter([s])]),
        "is open in part": Rule("r", etuple(etuple(CAReduce, add, (n, 1)), x), x),
        "too large": Rule("r", deep(60), x),
    }
    for reason, rule in reasons.items():
        with pytest.raises(NotCompilable, match=reason.replace("~", "~?")):
            compile_rule(rule)
    opaque = law("opaque", at.exp(x), x, lambda s: iter([s]), sound="domain")
    assert both(opaque.forward, at.exp(a)) == "a"


def deep(levels):
    term = x
    for _ in range(levels):
        term = at.exp(term)
    return term


def test_numbers_have_no_backward_direction():
    with pytest.raises(NoSuchDirection):
        _ = law("zero", x * 0, 0, sound="finite").backward
    minus = law("minus", -x, 0 - x, sound="rounding")
    assert both(minus.backward, 0 - a) == "neg(a)"
    assert both(minus.backward, 1 - a) is False


# The prefilter: which rules and relations may match nodes of a structure.


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
    "a family": (of_a_family, [at.exp(matrix).T], [matrix.T, at.exp(matrix)]),
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


def test_a_partner_in_a_wide_sum_is_found_without_trying_all_pairs() -> None:
    x, y = lvars("x y")
    mixture = law("mixture", x * y + (1 - x) * y, y, sound="finite")
    by_term = []
    for n in (50, 200):
        weights, terms = ([at.dvector(f"{name}{i}") for i in range(n)] for name in "wt")
        apart = [(1 - w) * t for w, t in zip(weights, terms, strict=True)]
        for partner, matches in ((terms[0], False), (weights[-1] * terms[-1], True)):
            fgraph = FunctionGraph(outputs=[at.add(partner, *apart)], clone=False)
            fgraph.merged = True
            node = fgraph.outputs[0].owner
            mixture.forward.transform(fgraph, node)
            calls, answer = calls_of(partial(mixture.forward.transform, fgraph, node))
            assert bool(answer) is matches
            by_term.append(calls / n)
    assert max(by_term[2:]) <= 1.1 * max(by_term[:2])

"""The functions that rules become, and how they are kept."""

from __future__ import annotations

import numpy as np
import pytest
from etuples import etuple

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import Apply, as_string
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import NoSuchDirection, law, whereo
from relgraph.graph.kanren.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.op import Op
from relgraph.scalar import add
from relgraph.tensor.reductions import CAReduce
from tests.graph.kanren.instances import answer_of

x, y, z, n, p = lvars("x y z n p")
a, b, c, d = (at.dvector(name) for name in "abcd")


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


class Halves(Op):
    """Two outputs, the second of which is what a call gives."""

    __props__ = ()
    default_output = 1

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[0].type(), inputs[0].type()])


halves = Halves()


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

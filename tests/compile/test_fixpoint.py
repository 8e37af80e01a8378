"""Equilibria: what they skip can't have changed, and a long way to rest is no divergence."""

import numpy as np
import pytest
from hypothesis import given, settings

import relgraph.tensor as at
from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relations.kit.vocabulary import law, lvars
from relgraph import Mode, function, grad
from relgraph.compile.database import constant_folding
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.opt.base import read_answer
from relgraph.graph.opt.merge import node_key
from relgraph.testing import graphs
from tests.arrays import assert_close
from tests.families import FAMILIES, value_and_gradient
from tests.seeds import sampled


@pytest.mark.parametrize("laws", [CANONICALIZE, STABILIZE, SPECIALIZE], ids=["c", "st", "sp"])
def test_nothing_is_left_to_do(laws):
    optimizer = EquilibriumOptimizer([*laws, constant_folding])

    @settings(max_examples=60)
    @given(graphs(matching=optimizer))
    def check(drawn):
        fgraph = FunctionGraph(outputs=drawn.outputs, clone=True)
        assert optimizer.optimize(fgraph).stop_reason == "fixpoint"
        fgraph.check_integrity()
        for node in fgraph.toposort():
            for rewriter in optimizer.local_optimizers:
                answer = rewriter.transform(fgraph, node)
                assert read_answer(fgraph, node, rewriter, answer) is None, (rewriter, node)
        keys = [node_key(node) for node in fgraph.apply_nodes]
        assert len(set(keys)) == len(keys)

    check()


@pytest.mark.parametrize("depth", [1, 5, 40])
def test_a_change_far_inside_a_nest_of_sums(depth):
    # what is simplified late lies `depth` sums below the one that is looked at
    x, ys = at.dvector("x"), at.dvectors(*[f"y{i}" for i in range(depth)])
    e = x + -at.exp(at.log(at.exp(at.log(ys[0]))))
    for y in ys:
        e = y + e
    (out,) = optimize_graph([at.log(at.exp(e))], include=("canonicalize", "stabilize"), clone=True)
    laws = [law.forward for law in (*CANONICALIZE, *STABILIZE)]
    fgraph = FunctionGraph(outputs=[out])
    for node in fgraph.toposort():
        assert not any(law.transform(fgraph, node) for law in laws)


u, v = lvars("u v")
FIRST = law("first", at.tanh(u), at.sin(u), sound="domain")
THEN = law("then", at.sin(u), -u, sound="domain")


def test_what_looks_deep_sees_a_change_of_a_later_generation():
    # when the logarithm is looked at first, what is in it is not yet what it will be
    deep = law("deep", at.log(1 + at.exp(-u)), at.sqrt(u), sound="domain")
    x = at.dvector("x")
    fgraph = FunctionGraph(outputs=[at.log(1.0 + at.exp(at.tanh(x)))])
    record = EquilibriumOptimizer([deep, FIRST, THEN]).optimize(fgraph)
    assert record.applied == {"first": 1, "then": 1, "deep": 1}
    assert fgraph.outputs[0].owner.op is at.sqrt


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_a_nest_passes_on_what_changes_in_it_after_it_was_tried(depth):
    # the nests are tried from the outside, so the inner one changes when the outer one is done
    negated = law("add-neg", u + -v, u - v, sound="rounding")
    of_difference = law("of-difference", at.exp(u - v), -u, sound="domain")
    a, b, c, *ys = at.dvectors("a", "b", "c", *[f"y{i}" for i in range(depth + 1)])
    e = ys[0] + at.exp((a + b) + -c)
    for y in ys[1:]:
        e = y + e
    fgraph = FunctionGraph(outputs=[at.abs(e)])
    record = EquilibriumOptimizer([negated, of_difference]).optimize(fgraph)
    assert record.applied == {"add-neg": 2, "of-difference": 1}
    assert fgraph.outputs[0].owner.inputs[0].owner.op is at.sub


# A long way to rest is no divergence.


@pytest.mark.parametrize(("mode", "rtol", "atol"), [("fast_run", 1e-9, 1e-12), ("strict", 0, 0)])
@pytest.mark.parametrize("name", sampled(FAMILIES, 8, "long ways to rest"))
def test_it_comes_to_rest_with_its_gradient_and_keeps_the_values(name, mode, rtol, atol):
    outputs = value_and_gradient(FAMILIES[name], at, grad, 400)
    inputs = FunctionGraph(outputs=outputs, clone=False).inputs
    values = [np.linspace(0.3, 0.7, 8**v.type.ndim).reshape((8,) * v.type.ndim) for v in inputs]
    found, expected = (function(inputs, outputs, m)(*values) for m in (mode, Mode("py", None)))
    assert_close(found, expected, rtol, atol)

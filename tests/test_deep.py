"""A chain of 32,000 nodes, and of 100,000 if what is thorough is asked for, through everything that
walks a graph: nothing here may recurse."""

import gc

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, dprint, function, grad, pprint
from relgraph.graph.basic import clone, equal_computations, graph_inputs, io_toposort
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import MergeOptimizer
from relgraph.graph.opt.merge import merged_copy
from relgraph.graph.reference import evaluate

DEPTHS = [32_000, pytest.param(100_000, marks=pytest.mark.thorough)]
OPS = [(at.tanh, np.tanh), (at.neg, np.negative), (at.sin, np.sin), (at.neg, np.negative)]
POINT = np.array([0.3, -1.0, 2.0])


def chain(x, depth):
    out = x
    for i in range(depth):
        out = OPS[i % len(OPS)][0](out)
    return out


def value_and_slope(at_x, depth):
    """Return what NumPy makes of the chain, and of its derivative."""
    value, slope = at_x, np.ones_like(at_x)
    derivatives = {np.tanh: lambda v: 1 - np.tanh(v) ** 2, np.sin: np.cos}
    for i in range(depth):
        reference = OPS[i % len(OPS)][1]
        slope = slope * derivatives.get(reference, lambda v: -1)(value)
        value = reference(value)
    return value, slope


@pytest.fixture(scope="module", params=DEPTHS)
def depth(request):
    return request.param


@pytest.fixture(scope="module")
def deep(depth):
    x = at.dvector("x")
    return x, chain(x, depth)


def test_it_is_copied(deep, depth):
    x, out = deep
    inputs, (copied,) = clone([x], [out])
    assert copied is not out
    assert len(io_toposort(inputs, [copied])) == depth
    assert list(graph_inputs([copied])) == inputs
    assert equal_computations([copied], [out], inputs, [x])
    fgraph = FunctionGraph([x], [out], clone=True)
    assert len(fgraph.clone().apply_nodes) == len(fgraph.apply_nodes) == depth


def test_it_is_printed(deep, depth):
    x, out = deep
    assert str(out) == "neg.0"
    assert repr(out)
    assert dprint(out, depth=5, file="str").count("\n") < 10
    # What is printed in full repeats a line wherever it starts from the left again.
    assert dprint(out, file="str").count("tanh [id") >= depth / 4
    assert pprint(out).count("tanh(") == depth / 4
    assert str(FunctionGraph([x], [out], clone=True)).count("tanh(") == depth / 4


def test_it_is_merged(deep, depth):
    x, out = deep
    assert len(merged_copy([out, chain(x, depth)]).apply_nodes) == depth
    fgraph = FunctionGraph([x], [out, chain(x, depth)], clone=True)
    assert len(fgraph.apply_nodes) == 2 * depth
    MergeOptimizer().optimize(fgraph)
    assert len(fgraph.apply_nodes) == depth
    assert fgraph.outputs[0] is fgraph.outputs[1]


@pytest.mark.parametrize(("linker", "optimizer"), [("py", None), ("vm", "fast_compile")])
def test_it_is_run(deep, depth, linker, optimizer):
    x, out = deep
    f = function([x], out, mode=Mode(linker, optimizer))
    np.testing.assert_allclose(f(POINT), value_and_slope(POINT, depth)[0])
    np.testing.assert_allclose(evaluate([out], {x: POINT})[0], f(POINT))


def test_it_is_differentiated(depth):
    """Half of it, for the derivative has nearly as many nodes again."""
    x = at.dvector("x")
    out = chain(x, depth // 2)
    f = function([x], grad(at.sum(out), x), mode=Mode("py", None))
    assert len(f.maker.fgraph.apply_nodes) > 0.8 * depth
    np.testing.assert_allclose(f(POINT), value_and_slope(POINT, depth // 2)[1])


def test_it_is_dropped(depth):
    """Python frees what a chain holds link by link: that may not exhaust the C stack either."""
    out = chain(at.dvector(), 2 * depth)
    assert out.owner is not None
    del out
    gc.collect()

"""Products that are batched: where it is done, where not, and what comes out."""

from collections import Counter

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, grad, ifelse
from relgraph.graph.reference import evaluate
from relgraph.tensor.linalg.blas import Dot22, Gemv
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.subtensor import Subtensor
from tests.arrays import assert_close

PRODUCTS = (Dot22, Gemv, MatMul)


def products(f):
    """Return how many nodes of each op of products a compiled graph has."""
    nodes = f.maker.fgraph.apply_nodes
    return Counter(type(n.op).__name__ for n in nodes if isinstance(n.op, PRODUCTS))


def compiled(inputs, outputs, values):
    """Compile a graph, and check that it gives what the graph as written gives."""
    f = function(inputs, outputs)
    expected = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    assert_close(f(*values), expected, rtol=1e-5 if values[0].dtype == "float32" else 1e-9)
    return f


def draw(*shape, dtype="float64"):
    return np.random.default_rng(5).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_rows_of_an_array(dtype, side):
    x, w = (at.TensorType(dtype, (None, None))(name) for name in "xw")
    dot = (lambda v: at.dot(v, w)) if side == "left" else (lambda v: at.dot(w, v))
    values = [draw(7, 4, dtype=dtype), draw(4, 4, dtype=dtype)]
    f = compiled([x, w], [at.tanh(dot(x[i])) for i in (3, 1, 2, 5)], values)
    assert products(f) == {"Dot22": 1}


@pytest.mark.parametrize("side", ["left", "right"])
def test_matrices_of_a_stack(side):
    x, w = at.dtensor3("x"), at.dmatrix("w")
    dot = (lambda v: at.dot(v, w)) if side == "left" else (lambda v: at.dot(w, v))
    f = compiled([x, w], [at.exp(dot(x[i])) for i in range(4)], [draw(4, 3, 3), draw(3, 3)])
    assert products(f) == {"MatMul": 1}


def test_few_or_scattered_rows_are_left_alone():
    x, w = at.dmatrix("x"), at.dmatrix("w")
    few = compiled([x, w], [at.exp(at.dot(x[i], w)) for i in range(3)], [draw(4, 3), draw(3, 2)])
    assert products(few) == {"Gemv": 3}
    indices = (0, 10, 20, 30)
    far = compiled([x, w], [at.exp(at.dot(x[i], w)) for i in indices], [draw(31, 3), draw(3, 2)])
    assert products(far) == {"Gemv": 4}


def test_a_row_that_is_not_there_is_an_index_error():
    x, w = at.dmatrix("x"), at.dmatrix("w")
    f = function([x, w], [at.exp(at.dot(x[i], w)) for i in range(5)])
    assert products(f) == {"Dot22": 1}
    with pytest.raises(IndexError):
        f(draw(4, 3), draw(3, 2))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_sum_of_outer_products(dtype):
    a, b, z = (at.TensorType(dtype, (None, None))(name) for name in "abz")
    outer = [a[:, i].dimshuffle(0, "x") * b[i].dimshuffle("x", 0) for i in range(7)]
    f = compiled(
        [a, b, z],
        [at.add(z, *outer)],
        [draw(3, 7, dtype=dtype), draw(7, 4, dtype=dtype), draw(3, 4, dtype=dtype)],
    )
    assert sum(products(f).values()) <= 1
    assert not any(at.mul is n.op for n in f.maker.fgraph.apply_nodes)


def test_outer_products_that_are_read_elsewhere_stay():
    a, b = at.dmatrix("a"), at.dmatrix("b")
    outer = [at.outer(at.exp(a[i]), at.exp(b[i])) for i in range(8)]
    f = compiled([a, b], [at.add(*outer), *[at.sin(v) for v in outer]], [draw(8, 2), draw(8, 3)])
    assert products(f) == {}


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (1, 1)])
def test_lengths_of_zero_and_one(shape):
    a, b = at.dmatrix("a"), at.dmatrix("b")
    out = at.add(*[at.outer(at.exp(a[i]), at.exp(b[i])) for i in range(8)])
    compiled([a, b], [out], [draw(8, shape[0]), draw(8, shape[1])])


def test_lengths_that_differ_are_refused():
    vectors = [at.dvector(f"v{i}") for i in range(8)]
    out = at.add(*[at.outer(v, v) for v in vectors])
    f = function(vectors, out)
    with pytest.raises(ValueError):
        f(*[draw(3)] * 7, draw(4))


def recurrent(steps):
    x, h, w, u, b = inputs = [
        at.dmatrix("x"), at.dvector("h"), at.dmatrix("w"), at.dmatrix("u"), at.dvector("b"),
    ]  # fmt: skip
    for t in range(steps):
        h = at.tanh(at.dot(x[t], u) + at.dot(h, w) + b)
    cost = at.sum(h**2)
    return inputs, [cost, *grad(cost, [w, u, b])]


@pytest.mark.parametrize("steps", [8, 30])
def test_a_recurrent_net_multiplies_once_for_its_inputs_and_once_for_each_gradient(steps):
    inputs, outputs = recurrent(steps)
    values = [0.3 * draw(*s) for s in ((steps, 2), (3,), (3, 3), (2, 3), (3,))]
    f = compiled(inputs, outputs, values)
    # one product a step forward, one a step but the last backward: these depend on each other
    assert products(f)["Gemv"] <= 2 * steps - 1
    assert products(f)["Dot22"] <= 3
    again = function(f.maker.fgraph.inputs, f.maker.fgraph.outputs, accept_inplace=True)
    assert products(again) == products(f)


def test_what_waits_for_a_branch_is_left_alone():
    c, x, w = at.dscalar("c"), at.dmatrix("x"), at.dmatrix("w")
    rows = [at.exp(at.dot(x[i], w)) for i in range(6)]
    f = function([c, x, w], ifelse(c, at.add(*rows), x[0]))
    assert products(f) == {"Gemv": 6}


def test_strict_and_fast_compile_do_not_batch():
    inputs, outputs = recurrent(8)
    for mode in ("strict", "fast_compile"):
        nodes = function(inputs, outputs, mode=mode).maker.fgraph.apply_nodes
        assert sum(isinstance(node.op, Subtensor) for node in nodes) == 8

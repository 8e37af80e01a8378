"""The laws about the structure of tensors together: typical models, their gradients, random graphs.

No two of them undo each other (that would raise), and none changes a value.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relations import layout, parts
from relations.matrices import products
from relations.reductions import extremes, reduction
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.graph.basic import Constant, graph_inputs
from tests.relations.applied import laws_of
from tests.relations.tables import rewritten, same_values, value_for, values_of

MODULES = (layout, parts, extremes, parts, layout, products, reduction, reduction)
LAWS = [
    law
    for module in MODULES
    for law in laws_of(module).values()
    # what holds on a condition only is not in use
    if law.sound != "domain"
]

x, w, k = at.dmatrix("x"), at.dmatrix("w"), at.dmatrix("k")
b, v = at.dvector("b"), at.dvector("v")
t = at.dtensor3("t")
labels = at.lvector("labels")
i = at.lscalar("i")


def layer_norm(x):
    mean = at.mean(x, axis=1, keepdims=True)
    return (x - mean) / at.sqrt(at.mean(at.sqr(x - mean), axis=1, keepdims=True) + 1e-5) * b + v


def cross_entropy(x):
    logits = at.dot(x, w) + b
    off = logits - at.max(logits, axis=1, keepdims=True)
    log_p = off - at.log(at.sum(at.exp(off), axis=1, keepdims=True))
    return -at.mean(log_p[at.arange(labels.shape[0]), labels])


def attention(q, k, v):
    scores = at.dot(q, k.T) / at.sqrt(3.0)
    e = at.exp(scores - at.max(scores, axis=1, keepdims=True))
    return at.dot(e / at.sum(e, axis=1, keepdims=True), v)


def convolution(x):
    taps = [b[n] * x[n : n + 1] for n in range(3)]
    return at.concatenate([at.sum(at.stack(taps), axis=0), x[:-1][1:], x[::-1][::-1]])


def filled(x):
    padded = at.set_subtensor(at.zeros((5, 5))[1:4, 1:4], x)
    return padded[1:-1, 1:-1] + padded[i, 1:4] + at.cumsum(padded, axis=0)[-1][1:4]


MODELS = {
    "layer norm": at.sum(at.sqr(layer_norm(x))),
    "cross entropy": cross_entropy(x),
    "attention": at.sum(attention(x, w, k)),
    "one row of attention": at.sum(attention(x, w, k)[i]),
    "convolution": at.sum(at.sqr(convolution(x))),
    "parts": at.sum(at.tanh(filled(x))),
    "chain": at.sum(at.dot(at.dot(at.dot(x, w), k), v)),
    "losses": at.mean(at.sqr(at.dot(x, b) - v)) + 0.1 * at.sum(at.abs(b)) + at.max(2.0 * at.abs(x)),
    "stack": at.sum(at.stack([at.sum(x), at.max(w), at.mean(k)])) * at.sum(at.join(0, x, w)),
    "batched": at.sum(at.matmul(-t, 2.0 * x.T)[i]),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_a_model_and_its_gradients(name):
    loss = MODELS[name]
    inputs = [v for v in graph_inputs([loss]) if not isinstance(v, Constant)]
    outputs = [loss, *grad(loss, [v for v in inputs if v.type.dtype == "float64"])]
    values = [value_for(v) for v in inputs]
    expected = function(inputs, outputs, mode="None")(*values)
    assert same_values(function(inputs, outputs, mode="fast_run")(*values), expected)


@st.composite
def graphs(draw):
    """Draw a matrix made of a few matrices by the ops that the laws are about."""
    pool = [x, w, k, at.dot(x, v).dimshuffle(0, "x") + at.zeros((1, 3))]

    def some():
        return draw(st.sampled_from(pool))

    def part(m):
        start = draw(st.integers(-2, 1))
        return at.join(0, m[start:], m[:start])

    def spread(m):
        axis = draw(st.integers(0, 1))
        how = draw(st.sampled_from([at.sum, at.max, at.min, at.mean]))
        return m - how(draw(st.sampled_from([m, -m, 2.0 * m])), axis=axis, keepdims=True)

    ops = {
        "turn": lambda: some().T,
        "flip": lambda: some()[::-1],
        "part": lambda: part(some()),
        "spread": lambda: spread(some()),
        "dot": lambda: at.dot(some(), draw(st.sampled_from([at.tanh, at.neg]))(some())),
        "add": lambda: some() + draw(st.sampled_from([b, b.dimshuffle(0, "x")])) * some(),
        "row": lambda: some() + some()[draw(st.integers(-3, 2))],
        "set": lambda: at.set_subtensor(some()[draw(st.integers(0, 2))], b),
        "inc": lambda: at.inc_subtensor(some()[:, draw(st.integers(-3, 2)) :], 1.5),
        "split": lambda: at.join(1, *reversed(at.split(some(), (1, 2), axis=1))),
        "totals": lambda: at.cumsum(some(), axis=draw(st.integers(0, 1))),
        "fill": lambda: at.second(some(), at.sum(some())),
        "tanh": lambda: at.tanh(some()),
    }
    for name in draw(st.lists(st.sampled_from(list(ops)), min_size=3, max_size=9)):
        pool.append(ops[name]())
    last = draw(
        st.sampled_from(
            [lambda m: m, lambda m: m[1], lambda m: at.sum(m, axis=0), lambda m: at.max(m.T)]
        )
    )
    return [last(pool[-1]), pool[-2]]


@settings(max_examples=30)
@given(graphs())
def test_random_graphs_keep_their_values(outputs):
    expected = values_of(outputs)
    assert same_values(values_of(rewritten(LAWS, outputs)), expected)

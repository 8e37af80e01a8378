"""The laws about the structure of tensors together, on typical models and their gradients.

No two of them undo each other (that would raise), and none changes a value. On random graphs the
fuzz holds the same.
"""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.graph.basic import Constant, graph_inputs
from tests.relations.applied import same_values, value_for

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

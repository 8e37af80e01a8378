"""Laws about scalar functions together, as `fast_run` applies them: they end, and agree."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from relgraph.gradient import grad
from relgraph.graph.notation import algebra
from tests.relations.applied import inputs_of, value_of

x, y, z, m = at.dvector("x"), at.dvector("y"), at.dvector("z"), at.dmatrix("m")
p = at.sigmoid(x)

# Those of tests.losses, with gradients, are right too.
EXPRESSIONS = {
    "bernoulli by hand": y * at.log(1 / (1 + at.exp(-x))) + (1 - y) * at.log(1 / (1 + at.exp(x))),
    "cross entropy": at.maximum(x, 0) - x * y + at.log1p(at.exp(-at.abs(x))),
    "normal": -0.5 * ((x - y) / at.exp(z)) ** 2 - z - 0.5 * np.log(2 * np.pi),
    "normal, naively": at.log(at.exp(-((x - y) ** 2) / (2 * z**2)) / at.sqrt(2 * np.pi * z**2)),
    "tanh of twice": (at.exp(2 * x) - 1) / (at.exp(2 * x) + 1),
    "sinh": (at.exp(x) - at.exp(-x)) / 2,
    "cosh": 0.5 * (at.exp(x) + at.exp(-x)),
    "relu": at.switch(x > 0.5, x, 0),
    "leaky": at.switch(x > 0.5, x, 0.01 * x),
    "probit": 0.5 * (1 + at.erf(x / np.sqrt(2))),
    "sigmoid by tanh": 0.5 * (1 + at.tanh(x / 2)),
    "entropy": -(p * at.log(p) + (1 - p) * at.log(1 - p)),
    "arcsinh": at.log(x + at.sqrt(x * x + 1)),
    "arctanh": 0.5 * at.log((1 + x) / (1 - x)),
    "sine and cosine": at.sin(x) ** 2 + at.cos(x) ** 2,
    "twice the angle": 2 * at.sin(x) * at.cos(x),
    "exponential": 1 - at.exp(-y * x),
    "clipped": at.minimum(at.maximum(x, 0.3), 0.6),
    "mask": at.switch(at.and_(x > 0.3, x < 0.6), 1.0, 0.0) * x,
    "power": at.exp(y * at.log(p)),
    "geometric mean": at.exp(at.mean(at.log(at.exp(m)))),
}


NUMBERS = {
    "x": np.array([0.2, 0.45, 0.7]),
    "y": np.array([0.9, 0.35, 0.6]),
    "z": np.array([1.5, 0.8, 1.1]),
    "m": np.array([[0.3, -1.2, 2.0], [0.1, 0.0, -0.5], [1.0, 0.7, 0.2]]),
}


@pytest.mark.parametrize("name", list(EXPRESSIONS))
def test_an_expression_and_its_gradient_keep_their_values(name):
    before = EXPRESSIONS[name]
    by = next(v for v in inputs_of(before) if v.name in ("x", "m"))
    both = [before, grad(at.sum(before), by)]
    after = optimize_graph(both, include=("fast_run",), exclude=("inplace",), clone=True)
    for old, new in zip(both, after, strict=True):
        assert new.type.dtype == "float64"
        np.testing.assert_allclose(value_of(new, NUMBERS), value_of(old, NUMBERS), rtol=1e-9)


UNARY = (
    *(at.exp, at.log, at.log1p, at.expm1, at.sqrt, at.sqr, at.abs, operator.neg),
    *(at.sigmoid, at.softplus, at.tanh, at.sinh, at.cosh, at.arcsinh, at.arctan),
    *(at.sin, at.cos, at.erf, at.erfc, lambda v: 1 - v, lambda v: 1 + v, lambda v: 2 * v),
    *(lambda v: v**3.0, lambda v: v**-1.0, lambda v: v / -4, lambda v: -0.5 - v),
)
BINARY = (
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(at.maximum, at.minimum, at.logaddexp),
    lambda v, w: at.switch(x > y, v, w),
    lambda v, w: at.switch(at.invert(x > z), v, 0) + at.switch(x > z, 0, w),
)
leaves = st.sampled_from([x, y, z])
trees = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.tuples(st.sampled_from(UNARY), parts),
        st.tuples(st.sampled_from(BINARY), parts, parts),
    ),
    max_leaves=6,
)


def built(tree):
    """Return the expression that a tree of functions describes."""
    return tree[0](*map(built, tree[1:])) if isinstance(tree, tuple) else tree


def spread(graph):
    """Return how far a graph's value moves when its inputs do, by about their rounding."""
    moved = [
        value_of(graph, {name: v * (1 + 1e-14 * sign) for name, v in NUMBERS.items()})
        for sign in (1, -1)
    ]
    return np.abs(moved[0] - moved[1])


@given(trees)
@settings(max_examples=60)
def test_random_expressions_keep_their_values(tree):
    before = built(tree)
    after = optimize_graph(before, include=("fast_run",), exclude=("inplace",), clone=True)
    old, new = value_of(before, NUMBERS), value_of(after, NUMBERS)
    with np.errstate(all="ignore"):
        told = np.isfinite(old) & (spread(before) < 1e-9 * (1 + np.abs(old)))
    np.testing.assert_allclose(new[told], old[told], rtol=1e-6, atol=1e-9)


@given(trees)
@settings(max_examples=200)
def test_a_random_expression_in_canonical_form_stays_as_it_is(tree):
    once = optimize_graph(built(tree), include=("canonicalize",), clone=True)
    twice = optimize_graph(once, include=("canonicalize",), clone=True)
    assert algebra(twice, 2000) == algebra(once, 2000)

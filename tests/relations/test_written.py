"""What people write, and what `fast_run` makes of it: every spelling of a thing comes to the same.

A law is of use only if what it looks for is still there once the others have put sums and products
into their canonical form.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.compile import optimize_graph
from relgraph.graph.notation import algebra
from relgraph.tensor import cosh, erf, erfc, exp, log, log1p, sigmoid, sinh, sqrt
from tests.relations.applied import assert_same_values

x, y, z = at.dvectors("x", "y", "z")
m, b, i = at.dmatrix("m"), at.tensor("bool", (None,), "b"), at.lvector("i")
most = at.max(m, axis=1, keepdims=True)
one = exp(at.constant(0.0))
ROOT = 2**0.5


def rows(e: Any) -> Any:
    return at.sum(e, axis=1, keepdims=True)


WRITTEN: dict[str, list[Any]] = {
    "-expm1(x)": [1 - exp(x), 1 + -exp(x), -(exp(x) - 1), -exp(x) + 1, one - exp(x)],
    "expm1(x)": [exp(x) - 1, -1 + exp(x), exp(x) + -1, -(1 - exp(x)), exp(x) + 2 - 3],
    "log1mexp(x)": [
        *(log(1 - exp(x)), log(1 + -exp(x)), log1p(-exp(x)), log1p(-1 * exp(x))),
        *(log(-(exp(x) - 1)), log(-at.expm1(x)), log(0.25 - exp(x) + 0.75)),
    ],
    "log1mexp(-x)": [log(1 - exp(-x)), log(1 - 1 / exp(x)), log1p(-at.reciprocal(exp(x)))],
    "softplus(x)": [
        *(log(1 + exp(x)), log(exp(x) + 1), log1p(exp(x)), log(one + exp(x)), log(exp(x) - -1)),
        *(at.maximum(x, 0) + log1p(exp(-abs(x))), -log(sigmoid(-x)), at.logaddexp(x, 0.0)),
    ],
    "-softplus(-x)": [log(sigmoid(x)), -log(1 + exp(-x)), log(1 / (1 + exp(-x)))],
    "-softplus(x)": [log(1 - sigmoid(x)), log1p(-sigmoid(x)), log(1 / (1 + exp(x)))],
    "-(softplus(-y) + x)": [log(sigmoid(y) / exp(x))],
    "-(softplus(x) + softplus(-x))": [log(exp(x) / (1 + exp(x)) ** 2)],
    "softplus(x) - x * y": [at.maximum(x, 0) - x * y + log1p(exp(-abs(x)))],
    "log1mexp(-exp(x))": [log(1 - exp(-exp(x)))],
    "log1p(x)": [log(1 + x), log(x + 1), log(x - -1), log(0.5 + x + 0.5), log(2 + x - 1)],
    "log1p(-x)": [log(1 - x), log(-x + 1), log(1 + -x)],
    "logsumexp(m, axis=1)": [
        *(log(at.sum(exp(m), axis=1)), at.max(m, axis=1) + log(at.sum(exp(m - most), axis=1))),
    ],
    "logsumexp(m, axis=1)[:, None]": [
        *(log(rows(exp(m))), log(rows(1 / exp(-m)))),
        *(most + log(rows(exp(m - most))), log(rows(exp(m - most))) + most),
    ],
    "softmax(m, axis=1)": [
        *(exp(m) / rows(exp(m)), exp(m - most) / rows(exp(m - most))),
        exp(m - log(rows(exp(m)))),
    ],
    "log_softmax(m, axis=1)": [
        *(log(exp(m) / rows(exp(m))), m - log(rows(exp(m))), log(at.softmax(m, axis=1))),
        *(log(exp(m - most) / rows(exp(m - most))), (m - most) - log(rows(exp(m - most)))),
    ],
    "logaddexp(x, y)": [log(exp(x) + exp(y)), log(1 / exp(-x) + exp(y))],
    "sqrt(x)": [x / sqrt(x), x**0.5, x * x**-0.5],
    "reciprocal(sqrt(x))": [1 / sqrt(x), sqrt(x) / x, x**-0.5],
    "x": [
        *(sqrt(x) * sqrt(x), x * y / y, (x + y) - y, x / (y / y), at.neg(-x), x * 1.0, (x * 2) / 2),
        *(log(sigmoid(x) / (1 - sigmoid(x))), 2 * (x / 4) + x / 2, 3 * (x * 2) / 6),
    ],
    "-reciprocal(x)": [at.reciprocal(-x)],
    "b": [at.switch(b, True, False)],
    "sqr(i * sqr(i))": [at.sqr(i**3)],
    "sin(2.0 * x)": [2 * at.sin(x) * at.cos(x)],
    "abs(x)": [sqrt(x**2), sqrt(x * x), at.switch(x >= 0, x, -x), at.maximum(x, -x), abs(-x)],
    "sqr(x)": [x**2, x * x, x**3 / x, -x * -x, abs(x) ** 2],
    "sigmoid(x)": [
        *(1 / (1 + exp(-x)), 1 / (exp(-x) + 1), exp(x) / (1 + exp(x)), (1 + exp(-x)) ** -1),
        *(1 - 1 / (1 + exp(x)), 0.5 * (1 + at.tanh(x / 2))),
    ],
    "sigmoid(-x)": [1 - sigmoid(x), -sigmoid(x) + 1],
    "tanh(x)": [
        *((exp(x) - exp(-x)) / (exp(x) + exp(-x)), sinh(x) / cosh(x), 2 * sigmoid(2 * x) - 1),
        *((exp(2 * x) - 1) / (exp(2 * x) + 1), (1 - exp(-2 * x)) / (1 + exp(-2 * x))),
        *(2 / (1 + exp(-2 * x)) - 1, 1 - 2 / (exp(2 * x) + 1)),
    ],
    "sinh(x)": [(exp(x) - exp(-x)) / 2, 0.5 * (exp(x) - exp(-x)), 0.5 * exp(x) - 0.5 * exp(-x)],
    "cosh(x)": [(exp(x) + exp(-x)) / 2, 0.5 * (exp(x) + exp(-x)), 0.5 * exp(x) + 0.5 * exp(-x)],
    "arctanh(x)": [0.5 * log((1 + x) / (1 - x)), log((1 + x) / (1 - x)) / 2],
    "arcsinh(x)": [log(x + sqrt(x**2 + 1)), log(sqrt(1 + x * x) + x)],
    "erfc(x)": [1 - erf(x), -erf(x) + 1, -(erf(x) - 1)],
    "-erfc(x)": [erf(x) - 1, erf(x) + -1],
    "erf(x)": [1 - erfc(x), -(erfc(x) + -1)],
    "5.0 * x": [2 * x + 3 * x, x + x + x + x + x, 10 * x / 2, 5 * (x + y - y)],
    "x / 6.0": [x / 2 / 3, x / (2 * 3)],
    "2.0 * x": [(x + y) - (y - x)],
    "10.0 * x": [sum(k * x for k in range(1, 5))],
    "3.0 * x * y": [x * y + 2 * y * x],
    "3.0 * x - 2.0 * y": [x - (y - (x - (y - x)))],
    "y - x - z": [-(x - y) - z],
    "x / z": [(x / y) / (z / y)],
    "x / (z * y)": [(x * y) / (z * y * y)],
    "x * y / z": [x * y * x / (x * z)],
    "-(x * y * z)": [-x * -y * -z],
    "2.0 * sqr(x + y)": [2 * ((x + y) * (x + y))],
    "x * y": [-x * -y, x * y * z / z, x / (1 / y)],
    "x - y": [x + -y, -(y - x), -y + x, x + -1 * y, 2 + x - (y + 2)],
    "-x": [0 - x, x * -1, x / -1, -(x + y) + y],
    "x + y": [x - -y, 1 + x - 2 + y + 1, log(exp(x) * exp(y)), log(exp(x + y))],
    "exp(x - y)": [exp(x) / exp(y), exp(x) * exp(-y), 1 / exp(y - x)],
    "log_ndtr(x)": [
        *(log(0.5 * erfc(-x / ROOT)), log(0.5 * erfc(-x * 0.5**0.5))),
        log(1 - 0.5 * erfc(x / ROOT)),
    ],
    "log_ndtr(-x)": [log(erfc(x / ROOT) / 2), log(0.5 * erfc(x * 0.5**0.5))],
    "-hypot1m1(x)": [1 - sqrt(1 + at.sqr(x))],
    "-2.0 * sqr(sinh(0.5 * x))": [1 - cosh(x)],
    "-2.0 * sigmoid(-2.0 * x)": [at.tanh(x) - 1],
    "-2.0 * sinh(x)": [exp(-x) - exp(x)],
    "2.0 * sum(x)": [at.sum(2 * x), at.sum(x + x), at.sum(x * 2)],
    "log2(x)": [log(x) / np.log(2), log(x) * (1 / np.log(2))],
    "clip(x, 0.0, 1.0)": [at.minimum(at.maximum(x, 0), 1), at.maximum(0, at.minimum(x, 1))],
}

SPELLINGS = [(after, before) for after, several in WRITTEN.items() for before in several]


def fast(e: Any) -> Any:
    return optimize_graph(
        e, include=["fast_run"], exclude=["elemwise_fusion", "inplace"], clone=True
    )


@pytest.mark.parametrize(
    ("after", "before"), SPELLINGS, ids=[algebra(before, 60) for _, before in SPELLINGS]
)
def test_what_it_becomes(after: str, before: Any) -> None:
    found = fast(before)
    assert algebra(found) == after
    assert_same_values(before, found)
    assert algebra(fast(found)) == after


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([e for _, e in SPELLINGS if e.type == x.type]), min_size=2, max_size=4)
)
def test_what_is_in_a_sum_of_others_is_found_as_well(parts: list[Any]) -> None:
    """And a third time over there is nothing to do.

    What becomes equal in the last phase, as clips do, is collected the second time only.
    """
    written = at.exp(-at.add(*parts)) * x
    twice = fast(fast(written))
    assert algebra(fast(twice), 5000) == algebra(twice, 5000)
    assert_same_values(written, twice)


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


def built(tree: Any) -> Any:
    """Return the expression that a tree of functions describes."""
    return tree[0](*map(built, tree[1:])) if isinstance(tree, tuple) else tree


@given(trees)
@settings(max_examples=200)
def test_a_random_expression_in_canonical_form_stays_as_it_is(tree: Any) -> None:
    once = optimize_graph(built(tree), include=("canonicalize",), clone=True)
    twice = optimize_graph(once, include=("canonicalize",), clone=True)
    assert algebra(twice, 2000) == algebra(once, 2000)

"""What each law about softmax does to an expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function, get_mode, optimize_graph
from relgraph.gradient import grad
from relgraph.graph.notation import algebra

x, v = at.dmatrix("x"), at.dvector("v")


def by_sum(e: Any, axis: Any) -> Any:
    return e / at.sum(e, axis=axis, keepdims=True)


def rows(e: Any) -> Any:
    return at.sum(e, axis=1, keepdims=True)


y, s = at.dmatrix("y"), at.exp(at.dmatrix("s"))
e = at.exp(x)
most, kept_most = at.max(x, axis=1), at.max(x, axis=1, keepdims=True)

CASES = [
    ("log-softmax", at.log(at.softmax(x)), "log_softmax(x, axis=1)"),
    ("exp-log-softmax", at.exp(at.log_softmax(x, axis=None)), "softmax(x, axis=None)"),
    ("softmax", by_sum(at.exp(x), 1), "softmax(x, axis=1)"),
    ("softmax", by_sum(at.exp(x), 0), "softmax(x, axis=0)"),
    ("softmax", by_sum(at.exp(x), None), "softmax(x, axis=None)"),
    ("softmax", at.exp(v) / at.sum(at.exp(v)), "softmax(v, axis=None)"),
    (
        "softmax-by-factor",
        at.exp(x) * (1 / at.sum(at.exp(x), axis=1, keepdims=True)),
        "softmax(x, axis=1)",
    ),
    (
        "softmax-shifted",
        at.softmax(x - at.max(x, axis=1, keepdims=True)),
        "softmax(x, axis=1)",
    ),
    (
        "log-softmax-shifted",
        at.log_softmax(x - at.max(x, axis=0, keepdims=True), axis=0),
        "log_softmax(x, axis=0)",
    ),
    (
        "log-softmax-of-logsumexp",
        x - at.logsumexp(x, axis=1, keepdims=True),
        "log_softmax(x, axis=1)",
    ),
    ("log-softmax-of-logsumexp", v - at.logsumexp(v), "log_softmax(v, axis=None)"),
    (
        "log-sum-exp-guarded",
        at.switch(at.isinf(most), most, at.logsumexp(x, axis=1)),
        "logsumexp(x, axis=1)",
    ),
    ("log-sum-exp-shifted", most + at.logsumexp(x - kept_most, axis=1), "logsumexp(x, axis=1)"),
    (
        "log-sum-exp-kept-shifted",
        kept_most + at.logsumexp(x - kept_most, axis=1, keepdims=True),
        "logsumexp(x, axis=1)[:, None]",
    ),
    (
        "softmax-of-weights",
        e * rows(y / rows(e)),
        "softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True)",
    ),
    (
        "softmax-of-scaled-weights",
        e * rows(y / (s * rows(e))),
        "softmax(x, axis=1) * sum(y / exp(s), axis=(1,), keepdims=True)",
    ),
    (
        "softmax-slope",
        e * (y / rows(e) - rows(e * y / at.sqr(rows(e)))),
        "softmax(x, axis=1) * (y - sum(softmax(x, axis=1) * y, axis=(1,), keepdims=True))",
    ),
    (
        "softmax-slope-of-shares",
        e * (y / rows(e) - rows(s * (y / rows(e)))),
        "softmax(x, axis=1) * (y - sum(exp(s) * y, axis=(1,), keepdims=True))",
    ),
    (
        "sum-of-softmax-slope",
        at.sum(at.softmax(x) * (y - rows(at.softmax(x) * y)), axis=1),
        "alloc(0.0, len(softmax(x, axis=1) * "
        "(y - sum(softmax(x, axis=1) * y, axis=(1,), keepdims=True))))",
    ),
    (
        "sum-of-softmax-less",
        at.sum(at.softmax(x) * rows(y) - y, axis=1),
        "alloc(0.0, len(softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True) - y))",
    ),
    (
        "sum-less-softmax",
        at.sum(y - at.softmax(x) * rows(y), axis=1),
        "alloc(0.0, len(y - softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True)))",
    ),
]

col = at.TensorType("float64", (None, 1))("col")
square = at.TensorType("float64", (3, 3))("square")
NOT_MATCHED = [
    ("softmax", at.exp(square) / at.sum(at.exp(square), axis=1)),  # by another axis
    ("softmax", at.exp(x) / at.sum(at.exp(2 * x), axis=1, keepdims=True)),
    ("softmax-shifted", at.softmax(x - at.max(x, axis=0, keepdims=True), axis=1)),
    ("log-softmax", at.log2(at.softmax(x))),
    ("log-softmax-of-logsumexp", x - at.logsumexp(x, axis=1)),
    ("log-softmax-of-logsumexp", x - at.logsumexp(x.T, axis=0, keepdims=True)),
    ("log-sum-exp-shifted", at.max(x, axis=0) + at.logsumexp(x - kept_most, axis=1)),
    ("sum-of-softmax-less", at.sum(at.softmax(x) * rows(col) - col, axis=1)),  # col is repeated
]


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("mode", ["fast_run", "unsafe"])
def test_a_cross_entropy_that_is_written_out_has_the_slope_of_the_textbook(
    shifted: bool, mode: str
) -> None:
    """``softmax(x) * sum(y) - y``, with nothing left of the maximum that was taken off."""
    least = at.max(x, axis=1, keepdims=True) if shifted else 0.0
    p = by_sum(at.exp(x - least), 1)
    loss = -at.sum(y * at.log(p))
    unfused = get_mode(mode).excluding("elemwise_fusion", "inplace")
    slope = function([x, y], grad(loss, x, stabilize=False), unfused)
    (out,) = slope.maker.fgraph.outputs
    assert algebra(out) == "softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True) - y"
    a, b = np.array([[1.0, 2.0, -1.0], [800.0, 0.0, -800.0]]), np.array([[0.0, 1, 0], [1, 0, 0]])
    low = np.exp(a - a.max(axis=1, keepdims=True))
    np.testing.assert_allclose(slope(a, b), low / low.sum(axis=1, keepdims=True) - b, atol=1e-15)


def test_a_weighted_softmax_that_is_written_out_has_the_slope_of_softmax() -> None:
    p = by_sum(at.exp(x - at.max(x, axis=1, keepdims=True)), 1)
    found = optimize_graph(
        grad(at.sum(y * p), x, stabilize=False),
        include=["fast_run"],
        exclude=["elemwise_fusion", "inplace"],
    )
    assert algebra(found) == "softmax(x, axis=1) * (y - sum(… * y, axis=(1,), keepdims=True))"


def test_the_slope_of_no_element_adds_up_to_nothing() -> None:
    f = function([x, y], at.sum(y - at.softmax(x) * rows(y), axis=1))
    assert f(np.ones((2, 0)), np.ones((2, 0))).tolist() == [0.0, 0.0]

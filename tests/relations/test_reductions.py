"""What each law about reductions does to an expression."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.compile import Mode, function, get_mode, optimize_graph
from relgraph.gradient import grad
from relgraph.graph.notation import algebra
from relgraph.tensor.assembly import Join
from relgraph.tensor.reductions import CAReduce
from tests.relations.applied import LAWS, check_fires

x, y, m, q = at.dmatrices(*"xymq")
v, w, t, z = at.dvector("v"), at.dvector("w"), at.dtensor3("t"), at.zmatrix("z")
c, s, n, i = at.dscalar("c"), at.dscalar("s"), at.lscalar("n"), at.lscalar("i")
row, col, wide = at.drow("row"), at.dcol("col"), at.tensor("float64", (None, 3), "wide")
mask, bits = at.tensor("bool", (None, None), "mask"), at.tensor("bool", (1, None), "bits")
small, single = at.tensor("int8", (None, None), "small"), at.tensor("int8", (1,), "single")
one, three = at.tensor("float64", (1,), "one"), at.tensor("float64", (3,), "three")
fixed, square = at.tensor("float64", (2, 3), "fixed"), at.tensor("float64", (3, 3), "square")
top, low, side_by_side, parity, xor = (
    at.max,
    at.min,
    Join(0),
    CAReduce(scalar.xor),
    at.Elemwise(scalar.xor),
)
joined, e, es = at.join(0, x, y), at.exp(x), at.exp(at.dmatrix("s"))
most, kept_most = at.max(x, axis=1), at.max(x, axis=1, keepdims=True)


def dropped(v):
    """Return what has one row without the axis of the rows."""
    return v.dimshuffle(1)


def count(v, axis=0):
    return at.cast(at.shape_i(v, axis), "float64")


def by_sum(e: Any, axis: Any) -> Any:
    return e / at.sum(e, axis=axis, keepdims=True)


def rows(e: Any) -> Any:
    return at.sum(e, axis=1, keepdims=True)


TABLE = """
    # reductions, and running totals
    reduce-of-reduce: sum(sum(t, axis=0), axis=1) → sum(t, axis=(0, 2))
    reduce-of-reduce: sum(sum(small, axis=0)) → sum(small)
    reduce-of-reduce: prod(prod(t, axis=1), axis=0) → prod(t, axis=(0, 1))
    reduce-of-reduce: max(max(t, axis=2)) → max(t)
    reduce-of-reduce: min(min(x, axis=1)) → min(x)
    junction-of-junctions: all(all(mask, axis=1)) → all(mask)
    junction-of-junctions: any(any(mask, axis=0)) → any(mask)
    reduce-of-dimshuffle: sum(x.T) → sum(x).dimshuffle()
    reduce-of-dimshuffle: sum(t.dimshuffle(2, 0, 1), axis=0) → sum(t, axis=2).dimshuffle(0, 1)
    reduce-of-dimshuffle: max(v.dimshuffle("x", 0), axis=1) → max(v).dimshuffle("x")
    reduce-of-reshape: sum(reshape(x, (-1,))) → sum(x)
    reduce-of-reshape: max(x.flatten()) → max(x)
    reduce-no-axis: sum(x, axis=()) → x
    reduce-scalar: sum(s) → s
    reduce-length-one: sum(row, axis=0) → dropped(row)
    reduce-length-one: max(col, axis=1) → col.dimshuffle(0)
    sum-scalar-mul: sum(c * x) → c.dimshuffle("x", "x").dimshuffle() * sum(x)
    sum-scalar-mul: sum(2.0 * x, axis=1) → 2.0 * sum(x, axis=(1,))
    sum-scalar-mul: sum(row * x, axis=0) → dropped(row) * sum(x, axis=0)
    sum-scalar-div: sum(x / 3.0, axis=1) → sum(x, axis=(1,)) / 3.0
    sum-scalar-div: sum(wide / col, axis=1) → sum(wide, axis=1) / col.dimshuffle(0)
    sum-of-switch-else-zero: sum(switch(col > 0, x, 0), axis=1)
        → switch((col > 0).dimshuffle(0), sum(x, axis=1), 0)
    sum-of-switch-then-zero: sum(switch(bits, 0, x), axis=0)
        → switch(dropped(bits), 0, sum(x, axis=0))
    sum-neg: sum(-x) → -sum(x)
    prod-sqr: prod(sqr(x)) → sqr(prod(x))
    prod-abs: prod(abs(x), axis=0) → abs(prod(x, axis=0))
    prod-inverse: prod(1 / v) → reciprocal(prod(v))
    prod-pow: prod(exp(x) ** 2.5, axis=1) → prod(exp(x), axis=1) ** constant([[2.5]]).dimshuffle(0)
    log-prod: log(prod(exp(v))) → sum(log(exp(v)))
    log-prod-of-any-sign: log(prod(v))
        → sum(log(abs(v))) + switch(lt(prod(sign(v)), 0), np.nan, 0 * prod(sign(v)))
    log-abs-prod: log(abs(prod(x, axis=1))) → sum(log(abs(x)), axis=1)
    junction-of-negations: all(~mask, axis=1) → ~any(mask, axis=1)
    junction-of-negations: any(~mask) → ~all(mask)
    any-and: any(mask & bits, axis=0) → any(mask, axis=0) & dropped(bits)
    all-or: all(mask | bits, axis=0) → all(mask, axis=0) | dropped(bits)
    sum-rows-of-dot: sum(dot(x, v)) → dot(sum(x, axis=0), v)
    sum-of-vector-matrix: sum(dot(v, x)) → dot(v, sum(x, axis=1))
    sum-of-alloc: sum(alloc(c, n, 4)) → cast{float64}(4 * n) * sum(c[None, None])
    sum-of-alloc: sum(alloc(three, n, 3), axis=0) → cast{float64}(n) * sum(three[None], axis=(0,))
    sum-of-alloc: sum(alloc(v, n, 3)) → cast{float64}(n) * sum(v[None])
    prod-of-alloc: prod(alloc(c, n)) → prod(c[None]) ** cast{float64}(n)
    reduce-of-alloc: max(alloc(three, 2, 3), axis=0) → max(three[None], axis=(0,))
    reduce-of-alloc: all(alloc(gt(c, 0), 2)) → all((c > 0.0)[None])
    sum-of-fill: sum(second(x, 2.5)) → cast{float64}(len(x) * x.shape[1]) * sum(2.5)
    sum-of-fill: sum(second(fixed, c), axis=0) → alloc(2.0 * sum(c[None, None], axis=(0,)), 3)
    sum-of-filled-number: sum(ones_like(x), axis=1)
        → alloc(x.shape[1] * sum(1.0, axis=(1,)), len(second(x, 1.0)))
    reduce-of-fill: min(second(wide, c), axis=1)
        → alloc(min(c[None, None], axis=(1,)), len(second(wide, c)))
    reduce-of-join: sum(join(0, x, y)) → sum(x) + sum(y)
    reduce-of-join: sum(join(1, x, y, t[0]), axis=1)
        → sum(x, axis=(1,)) + sum(y, axis=(1,)) + sum(t[0], axis=(1,))
    reduce-of-join: max(join(0, fixed, fixed)) → maximum(max(fixed), max(fixed))
    reduce-of-join: parity(side_by_side(mask, mask)) → xor(parity(mask), parity(mask))
    reduce-of-join: parity(side_by_side(mask)) → xor(parity(mask))
    reduce-of-vector: sum(stack([c, s])) → c + s
    reduce-of-vector: prod(stack([c, s, c])) → mul(c, s, c)
    cumulate-one: cumsum(row, axis=0) → row
    cumulate-one: cumprod(single) → cast(single, "int64")
    cumsum-of-zeros: cumsum(zeros((n, 2)), axis=0) → alloc(0.0, len(alloc(0.0, n, 2)), 2)
    cumprod-of-ones: cumprod(ones((5,))) → 1.0
    last-of-cumulate: cumsum(x, axis=1)[:, -1] → sum(x, axis=1)
    last-of-cumulate: cumprod(v)[-1] → prod(v)
    prefix-of-cumulate: cumsum(v, axis=0)[:2] → cumsum(v[:2], axis=0)
    prefix-of-cumulate: cumsum(x, axis=1)[i, :n] → cumsum(x[i, :n], axis=0)
    prefix-of-cumulate: cumprod(x, axis=1)[:, :2] → cumprod(x[:, :2], axis=1)
    prefix-of-cumulate: cumsum(z, axis=0)[:2] → cumsum(z[:2], axis=0)
    # greatest and least elements, and sorting
    extreme-increasing: top(tanh(x), axis=1) → tanh(top(x, axis=1))
    extreme-increasing: top(floor(x)) → floor(top(x))
    extreme-increasing: low(exp(x)) → exp(low(x))
    extreme-decreasing: top(erfc(x)) → erfc(low(x))
    extreme-decreasing: low(erfc(x), axis=0) → erfc(top(x, axis=0))
    extreme-above-zero: top(sqrt(sqr(x))) → sqrt(top(sqr(x)))
    extreme-above-zero: low(log1p(abs(x))) → log1p(low(abs(x)))
    min-nan-below: low(log(x), axis=1) → log(low(x, axis=1))
    extreme-neg: top(-x) → -low(x)
    extreme-neg: low(-x, axis=0) → -top(x, axis=0)
    extreme-add: top(x + row, axis=0) → top(x, axis=0) + dropped(row)
    extreme-add: low(x + 2.0) → min(x) + 2.0
    extreme-sub: top(x - col, axis=1) → top(x, axis=1) - col.dimshuffle(0)
    extreme-sub: low(x - row, axis=0) → low(x, axis=0) - dropped(row)
    extreme-of-rest: top(1.0 - x) → 1.0 - min(x)
    extreme-of-rest: low(row - x, axis=0) → dropped(row) - top(x, axis=0)
    extreme-mul: top(2.0 * x) → 2.0 * max(x)
    extreme-mul: low(x * cosh(row), axis=0) → dropped(cosh(row)) * low(x, axis=0)
    extreme-mul-negative: top(-2.0 * x) → -2.0 * min(x)
    extreme-mul-negative: low(x * -0.5) → -0.5 * max(x)
    extreme-div: top(x / 3.0) → max(x) / 3.0
    extreme-div: low(x / cosh(col), axis=1) → low(x, axis=1) / cosh(col).dimshuffle(0)
    extreme-of-cut: top(maximum(x, 0.0)) → maximum(max(x), 0.0)
    extreme-of-cut: top(minimum(x, row), axis=0) → minimum(top(x, axis=0), dropped(row))
    extreme-of-cut: low(maximum(small, 2)) → maximum(min(small), 2)
    extreme-of-cut: low(minimum(x, 1.0), axis=1) → minimum(min(x, axis=(1,)), 1.0)
    argmax-increasing: argmax(sigmoid(x), axis=1) → argmax(x, axis=1)
    argmin-increasing: argmin(exp(x)) → argmin(x)
    argmax-decreasing: argmax(erfc(x)) → argmin(x)
    argmin-decreasing: argmin(erfc(x), axis=0) → argmax(x, axis=0)
    argmax-neg: argmax(-x, axis=1) → argmin(x, axis=1)
    argmin-neg: argmin(-x) → argmax(x)
    element-at-argmax: v[argmax(v, axis=0)] → max(v)
    element-at-argmin: v[argmin(v, axis=0)] → min(v)
    element-at-argmax: v[argmax(v)] → max(v)
    element-at-argmin: v[argmin(v)] → min(v)
    sort-twice: sort(sort(x, 0), 0) → sort(x, 0)
    sort-one: sort(row, 0) → row
    reduce-of-sort: sum(sort(x), axis=1) → sum(x, axis=1)
    reduce-of-sort: max(sort(x, 0)) → max(x)
    # moments
    variance: mean(sqr(v)) - sqr(mean(v)) → sum(sqr(v - mean(v))) / len(sqr(v))
    variance: mean(sqr(m), axis=0) - sqr(mean(m, axis=0))
        → sum(sqr(m - mean(m, axis=(0,))), axis=(0,)) / len(sqr(m))
    variance: mean(sqr(square), axis=1) - sqr(mean(square, axis=1))
        → sum(sqr(square - (sum(square, axis=(1,)) / 3.0)[:, None]), axis=(1,)) / 3.0
    variance: mean(sqr(square)) - sqr(mean(square)) → sum(sqr(square - sum(square) / 9.0)) / 9.0
    covariance: mean(v * w) - mean(v) * mean(w) → covariance(v, w)
    covariance: mean(m * q, axis=1) - mean(m, axis=1) * mean(q, axis=1)
        → covariance(m, q, axis=(1,))
    covariance-by-sums: mean(v * w) - sum(v) * sum(w) / (count(v) * count(w)) → covariance(v, w)
    covariance-by-sums-and-square: mean(v * w) - sum(v) * sum(w) / sqr(count(v)) → covariance(v, w)
    # softmax
    log-softmax: log(softmax(x)) → log_softmax(x, axis=1)
    exp-log-softmax: exp(log_softmax(x, axis=None)) → softmax(x, axis=None)
    softmax: by_sum(exp(x), 1) → softmax(x, axis=1)
    softmax: by_sum(exp(x), 0) → softmax(x, axis=0)
    softmax: by_sum(exp(x), None) → softmax(x, axis=None)
    softmax: exp(v) / sum(exp(v)) → softmax(v, axis=None)
    softmax-by-factor: exp(x) * (1 / sum(exp(x), axis=1, keepdims=True)) → softmax(x, axis=1)
    softmax-shifted: softmax(x - max(x, axis=1, keepdims=True)) → softmax(x, axis=1)
    log-softmax-shifted: log_softmax(x - max(x, axis=0, keepdims=True), axis=0)
        → log_softmax(x, axis=0)
    log-softmax-of-logsumexp: x - logsumexp(x, axis=1, keepdims=True) → log_softmax(x, axis=1)
    log-softmax-of-logsumexp: v - logsumexp(v) → log_softmax(v, axis=None)
    log-sum-exp-guarded: switch(isinf(most), most, logsumexp(x, axis=1)) → logsumexp(x, axis=1)
    log-sum-exp-shifted: most + logsumexp(x - kept_most, axis=1) → logsumexp(x, axis=1)
    log-sum-exp-kept-shifted: kept_most + logsumexp(x - kept_most, axis=1, keepdims=True)
        → logsumexp(x, axis=1)[:, None]
    softmax-of-weights: e * rows(y / rows(e))
        → softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True)
    softmax-of-scaled-weights: e * rows(y / (es * rows(e)))
        → softmax(x, axis=1) * sum(y / exp(s), axis=(1,), keepdims=True)
    softmax-slope: e * (y / rows(e) - rows(e * y / sqr(rows(e))))
        → softmax(x, axis=1) * (y - sum(softmax(x, axis=1) * y, axis=(1,), keepdims=True))
    softmax-slope-of-shares: e * (y / rows(e) - rows(es * (y / rows(e))))
        → softmax(x, axis=1) * (y - sum(exp(s) * y, axis=(1,), keepdims=True))
    sum-of-softmax-slope: sum(softmax(x) * (y - rows(softmax(x) * y)), axis=1)
        → alloc(0.0, len(softmax(x, axis=1) *
        (y - sum(softmax(x, axis=1) * y, axis=(1,), keepdims=True))))
    sum-of-softmax-less: sum(softmax(x) * rows(y) - y, axis=1)
        → alloc(0.0, len(softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True) - y))
    sum-less-softmax: sum(y - softmax(x) * rows(y), axis=1)
        → alloc(0.0, len(y - softmax(x, axis=1) * sum(y, axis=(1,), keepdims=True)))
"""
LEFT_ALONE = [
    """
    # reductions, and running totals
    sum-scalar-mul: sum(small * np.int8(3))  # int8 is multiplied as int8 and summed as int64
    sum-neg: sum(-small)
    sum-of-switch-else-zero: sum(switch(col > 0, x, 0), axis=0)
    sum-of-switch-else-zero: sum(switch(bits, row, zeros_like(x)), axis=0)
    sum-scalar-mul: sum(row * x, axis=1)  # neither factor is constant along the rows
    reduce-length-one: sum(x, axis=0)
    sum-scalar-div: sum(x / col, axis=1)  # a sum of nothing is 0, and 0 divided by 0 is not
    # the roots of negative numbers are nan, that of their product may be none
    log-prod: log(prod(v))
    reduce-of-alloc: max(alloc(c, n))  # there may be no element
    reduce-of-fill: max(second(x, c))
    reduce-of-join: max(join(0, x, y))
    sum-of-alloc: sum(alloc(cast(c, "float16"), n))
    sum-of-alloc: sum(alloc(x, n, 3, 3), axis=1)
    reduce-of-join: sum(join(0, x, y), axis=1)
    sum-rows-of-dot: sum(dot(small, small), axis=0)
    # by the order of its factors a complex product with an infinity is nan or not
    reduce-of-reduce: prod(prod(z, axis=0))
    reduce-of-join: prod(join(0, z, z))
    cumulate-one: cumsum(row, axis=1)
    cumprod-of-ones: cumprod(np.full(3, complex(1.0, -0.0)))  # no one: 1-0j
    last-of-cumulate: cumsum(x, axis=1)[-1]
    prefix-of-cumulate: cumsum(x, axis=1)[:, 1:]
    prefix-of-cumulate: cumsum(x, axis=1)[:, i]
    # a single product is rounded in another way than several
    prefix-of-cumulate: cumprod(z, axis=1)[:, :2]
    prefix-of-cumulate: cumprod(z, axis=1)[i, :n]
    differences-of-cumsum: cumsum(v)[2:] - cumsum(v)[:-2]
    # greatest and least elements, and sorting
    extreme-neg: top(-small)  # the least int8 has no negative
    argmax-neg: argmax(-small, axis=0)
    extreme-add: top(small + 1)
    extreme-above-zero: top(log(x))  # log(-1) is nan, the greatest of all
    extreme-increasing: top(sqr(x))
    extreme-mul: top(c * x)
    extreme-mul-negative: top(2.0 * x)
    extreme-add: top(x + row, axis=1)
    element-at-argmax: v[argmax(v * 2)]
    argmax-increasing: argmax(floor(x))  # floor makes many elements one
    sort-twice: sort(sort(x, 0), 1)
    sort-one: sort(row, 1)
    sort-by-argsort: v[argsort(v * 2)]
    reduce-of-sort: sum(sort(x), axis=0)
    greatest-of-sort: sort(x, 1)[-1]
    # moments
    # the count is of another axis, is of something else, or is less by one
    variance: sum(sqr(m), axis=0) / count(m, 1).dimshuffle("x") - sqr(mean(m, axis=0))
    variance: sum(sqr(v)) / count(w) - sqr(mean(v))
    variance: sum(sqr(v)) / (count(v) - 1) - sqr(mean(v))
    variance: sum(sqr(square)) / 4.0 - sqr(mean(square))
    # as many squares as there are exponents
    variance: spelled(sum(one ** np.full(3, 2.0)) / 1.0 - sqr(sum(one) / 1.0))
    covariance: mean(v * w) - mean(v) * sum(w)
    # softmax
    softmax: exp(square) / sum(exp(square), axis=1)  # by another axis
    softmax: exp(x) / sum(exp(2 * x), axis=1, keepdims=True)
    softmax-shifted: softmax(x - max(x, axis=0, keepdims=True), axis=1)
    log-softmax: log2(softmax(x))
    log-softmax-of-logsumexp: x - logsumexp(x, axis=1)
    log-softmax-of-logsumexp: x - logsumexp(x.T, axis=0, keepdims=True)
    log-sum-exp-shifted: max(x, axis=0) + logsumexp(x - kept_most, axis=1)
    sum-of-softmax-less: sum(softmax(x) * rows(col) - col, axis=1)  # col is repeated
    """,
    # what is read elsewhere is joined anyway
    ("reduce-of-join", at.sum(joined), joined * 2),
]


@pytest.mark.parametrize("reduced", [at.max, at.min])
@pytest.mark.parametrize(
    ("name", "repeated"),
    [
        ("reduce-of-alloc", at.alloc(three, 3, 3)),
        ("reduce-of-fill", at.second(square, three.dimshuffle("x", 0))),
    ],
)
def test_strict_keeps_the_zero_that_is_an_extreme(reduced, name, repeated):
    """Of 0 and -0 it is one or the other, by how many elements there are."""
    out = reduced(repeated)
    check_fires(LAWS[name], out)
    f, g = (
        function([three, square], out, mode=m, on_unused_input="ignore")
        for m in ("strict", Mode("py", None))
    )
    for signs in itertools.product([0.0, -0.0, 1.0, -1.0], repeat=3):
        values = np.array(signs), np.zeros((3, 3))
        assert np.signbit(f(*values)) == np.signbit(g(*values)), signs


@pytest.mark.parametrize("name", ["sum-of-alloc", "prod-of-alloc", "reduce-of-alloc"])
def test_allocations_to_check_a_law_on_are_made(name):
    """Whatever the seed is: at one in twelve no drawn graph was an allocation."""
    result = LAWS[name].check(examples=24, seed=11)
    assert result.passed, str(result)
    assert len(result.coverage.kinds) >= 6


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

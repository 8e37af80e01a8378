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
from relgraph.tensor.along_axes import argsort, sort
from relgraph.tensor.assembly import Join
from relgraph.tensor.reductions import CAReduce
from tests.relations.applied import LAWS, check_fires, spelled

x, y, m, q = at.dmatrices(*"xymq")
v, w, t, z = at.dvector("v"), at.dvector("w"), at.dtensor3("t"), at.zmatrix("z")
c, s, n, i = at.dscalar("c"), at.dscalar("s"), at.lscalar("n"), at.lscalar("i")
row, col, wide = at.drow("row"), at.dcol("col"), at.tensor("float64", (None, 3), "wide")
mask, bits = at.tensor("bool", (None, None), "mask"), at.tensor("bool", (1, None), "bits")
small, single = at.tensor("int8", (None, None), "small"), at.tensor("int8", (1,), "single")
one, three = at.tensor("float64", (1,), "one"), at.tensor("float64", (3,), "three")
fixed, square = at.tensor("float64", (2, 3), "fixed"), at.tensor("float64", (3, 3), "square")
top, low, parity, xor = at.max, at.min, CAReduce(scalar.xor), at.Elemwise(scalar.xor)
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


TABLE = [
    # reductions, and running totals
    ("reduce-of-reduce", at.sum(at.sum(t, axis=0), axis=1), at.sum(t, axis=(0, 2))),
    ("reduce-of-reduce", at.sum(at.sum(small, axis=0)), at.sum(small)),
    ("reduce-of-reduce", at.prod(at.prod(t, axis=1), axis=0), at.prod(t, axis=(0, 1))),
    ("reduce-of-reduce", at.max(at.max(t, axis=2)), at.max(t)),
    ("reduce-of-reduce", at.min(at.min(x, axis=1)), at.min(x)),
    ("junction-of-junctions", at.all(at.all(mask, axis=1)), at.all(mask)),
    ("junction-of-junctions", at.any(at.any(mask, axis=0)), at.any(mask)),
    ("reduce-of-dimshuffle", at.sum(x.T), at.sum(x).dimshuffle()),
    (
        "reduce-of-dimshuffle",
        at.sum(t.dimshuffle(2, 0, 1), axis=0),
        at.sum(t, axis=2).dimshuffle(0, 1),
    ),
    ("reduce-of-dimshuffle", at.max(v.dimshuffle("x", 0), axis=1), at.max(v).dimshuffle("x")),
    ("reduce-of-reshape", at.sum(at.reshape(x, (-1,))), at.sum(x)),
    ("reduce-of-reshape", at.max(x.flatten()), at.max(x)),
    ("reduce-no-axis", at.sum(x, axis=()), x),
    ("reduce-scalar", at.sum(s), s),
    ("reduce-length-one", at.sum(row, axis=0), dropped(row)),
    ("reduce-length-one", at.max(col, axis=1), col.dimshuffle(0)),
    ("sum-scalar-mul", at.sum(c * x), c.dimshuffle("x", "x").dimshuffle() * at.sum(x)),
    ("sum-scalar-mul", at.sum(2.0 * x, axis=1), "2.0 * sum(x, axis=(1,))"),
    ("sum-scalar-mul", at.sum(row * x, axis=0), dropped(row) * at.sum(x, axis=0)),
    ("sum-scalar-div", at.sum(x / 3.0, axis=1), "sum(x, axis=(1,)) / 3.0"),
    ("sum-scalar-div", at.sum(wide / col, axis=1), at.sum(wide, axis=1) / col.dimshuffle(0)),
    (
        "sum-of-switch-else-zero",
        at.sum(at.switch(col > 0, x, 0), axis=1),
        at.switch((col > 0).dimshuffle(0), at.sum(x, axis=1), 0),
    ),
    (
        "sum-of-switch-then-zero",
        at.sum(at.switch(bits, 0, x), axis=0),
        at.switch(dropped(bits), 0, at.sum(x, axis=0)),
    ),
    ("sum-neg", at.sum(-x), -at.sum(x)),
    ("prod-sqr", at.prod(at.sqr(x)), at.sqr(at.prod(x))),
    ("prod-abs", at.prod(at.abs(x), axis=0), at.abs(at.prod(x, axis=0))),
    ("prod-inverse", at.prod(1 / v), at.reciprocal(at.prod(v))),
    (
        "prod-pow",
        at.prod(at.exp(x) ** 2.5, axis=1),
        at.prod(at.exp(x), axis=1) ** at.constant([[2.5]]).dimshuffle(0),
    ),
    ("log-prod", at.log(at.prod(at.exp(v))), at.sum(at.log(at.exp(v)))),
    (
        "log-prod-of-any-sign",
        at.log(at.prod(v)),
        at.sum(at.log(at.abs(v)))
        + at.switch(at.lt(at.prod(at.sign(v)), 0), np.nan, 0 * at.prod(at.sign(v))),
    ),
    ("log-abs-prod", at.log(at.abs(at.prod(x, axis=1))), at.sum(at.log(at.abs(x)), axis=1)),
    ("junction-of-negations", at.all(~mask, axis=1), ~at.any(mask, axis=1)),
    ("junction-of-negations", at.any(~mask), ~at.all(mask)),
    ("any-and", at.any(mask & bits, axis=0), at.any(mask, axis=0) & dropped(bits)),
    ("all-or", at.all(mask | bits, axis=0), at.all(mask, axis=0) | dropped(bits)),
    ("sum-rows-of-dot", at.sum(at.dot(x, v)), at.dot(at.sum(x, axis=0), v)),
    ("sum-of-vector-matrix", at.sum(at.dot(v, x)), at.dot(v, at.sum(x, axis=1))),
    ("sum-of-alloc", at.sum(at.alloc(c, n, 4)), "cast{float64}(4 * n) * sum(c[None, None])"),
    (
        "sum-of-alloc",
        at.sum(at.alloc(three, n, 3), axis=0),
        "cast{float64}(n) * sum(three[None], axis=(0,))",
    ),
    ("sum-of-alloc", at.sum(at.alloc(v, n, 3)), "cast{float64}(n) * sum(v[None])"),
    ("prod-of-alloc", at.prod(at.alloc(c, n)), "prod(c[None]) ** cast{float64}(n)"),
    ("reduce-of-alloc", at.max(at.alloc(three, 2, 3), axis=0), "max(three[None], axis=(0,))"),
    ("reduce-of-alloc", at.all(at.alloc(at.gt(c, 0), 2)), "all((c > 0.0)[None])"),
    (
        "sum-of-fill",
        at.sum(at.second(x, 2.5)),
        "cast{float64}(len(x) * x.shape[1]) * sum(2.5)",
    ),
    (
        "sum-of-fill",
        at.sum(at.second(fixed, c), axis=0),
        "alloc(2.0 * sum(c[None, None], axis=(0,)), 3)",
    ),
    (
        "sum-of-filled-number",
        at.sum(at.ones_like(x), axis=1),
        "alloc(x.shape[1] * sum(1.0, axis=(1,)), len(second(x, 1.0)))",
    ),
    (
        "reduce-of-fill",
        at.min(at.second(wide, c), axis=1),
        "alloc(min(c[None, None], axis=(1,)), len(second(wide, c)))",
    ),
    ("reduce-of-join", at.sum(at.join(0, x, y)), at.sum(x) + at.sum(y)),
    (
        "reduce-of-join",
        at.sum(at.join(1, x, y, t[0]), axis=1),
        "sum(x, axis=(1,)) + sum(y, axis=(1,)) + sum(t[0], axis=(1,))",
    ),
    ("reduce-of-join", at.max(at.join(0, fixed, fixed)), "maximum(max(fixed), max(fixed))"),
    ("reduce-of-join", parity(Join(0)(mask, mask)), xor(parity(mask), parity(mask))),
    ("reduce-of-join", parity(Join(0)(mask)), xor(parity(mask))),
    ("reduce-of-vector", at.sum(at.stack([c, s])), c + s),
    ("reduce-of-vector", at.prod(at.stack([c, s, c])), at.mul(c, s, c)),
    ("cumulate-one", at.cumsum(row, axis=0), row),
    ("cumulate-one", at.cumprod(single), at.cast(single, "int64")),
    (
        "cumsum-of-zeros",
        at.cumsum(at.zeros((n, 2)), axis=0),
        "alloc(0.0, len(alloc(0.0, n, 2)), 2)",
    ),
    ("cumprod-of-ones", at.cumprod(at.ones((5,))), "1.0"),
    ("last-of-cumulate", at.cumsum(x, axis=1)[:, -1], at.sum(x, axis=1)),
    ("last-of-cumulate", at.cumprod(v)[-1], at.prod(v)),
    ("prefix-of-cumulate", at.cumsum(v, axis=0)[:2], at.cumsum(v[:2], axis=0)),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[i, :n], at.cumsum(x[i, :n], axis=0)),
    ("prefix-of-cumulate", at.cumprod(x, axis=1)[:, :2], at.cumprod(x[:, :2], axis=1)),
    ("prefix-of-cumulate", at.cumsum(z, axis=0)[:2], at.cumsum(z[:2], axis=0)),
    # greatest and least elements, and sorting
    ("extreme-increasing", top(at.tanh(x), axis=1), at.tanh(top(x, axis=1))),
    ("extreme-increasing", top(at.floor(x)), at.floor(top(x))),
    ("extreme-increasing", low(at.exp(x)), at.exp(low(x))),
    ("extreme-decreasing", top(at.erfc(x)), at.erfc(low(x))),
    ("extreme-decreasing", low(at.erfc(x), axis=0), at.erfc(top(x, axis=0))),
    ("extreme-above-zero", top(at.sqrt(at.sqr(x))), at.sqrt(top(at.sqr(x)))),
    ("extreme-above-zero", low(at.log1p(at.abs(x))), at.log1p(low(at.abs(x)))),
    ("min-nan-below", low(at.log(x), axis=1), at.log(low(x, axis=1))),
    ("extreme-neg", top(-x), -low(x)),
    ("extreme-neg", low(-x, axis=0), -top(x, axis=0)),
    ("extreme-add", top(x + row, axis=0), top(x, axis=0) + dropped(row)),
    ("extreme-add", low(x + 2.0), "min(x) + 2.0"),
    ("extreme-sub", top(x - col, axis=1), top(x, axis=1) - col.dimshuffle(0)),
    ("extreme-sub", low(x - row, axis=0), low(x, axis=0) - dropped(row)),
    ("extreme-of-rest", top(1.0 - x), "1.0 - min(x)"),
    ("extreme-of-rest", low(row - x, axis=0), dropped(row) - top(x, axis=0)),
    ("extreme-mul", top(2.0 * x), "2.0 * max(x)"),
    ("extreme-mul", low(x * at.cosh(row), axis=0), dropped(at.cosh(row)) * low(x, axis=0)),
    ("extreme-mul-negative", top(-2.0 * x), "-2.0 * min(x)"),
    ("extreme-mul-negative", low(x * -0.5), "-0.5 * max(x)"),
    ("extreme-div", top(x / 3.0), "max(x) / 3.0"),
    ("extreme-div", low(x / at.cosh(col), axis=1), low(x, axis=1) / at.cosh(col).dimshuffle(0)),
    ("extreme-of-cut", top(at.maximum(x, 0.0)), "maximum(max(x), 0.0)"),
    ("extreme-of-cut", top(at.minimum(x, row), axis=0), at.minimum(top(x, axis=0), dropped(row))),
    ("extreme-of-cut", low(at.maximum(small, 2)), "maximum(min(small), 2)"),
    ("extreme-of-cut", low(at.minimum(x, 1.0), axis=1), "minimum(min(x, axis=(1,)), 1.0)"),
    ("argmax-increasing", at.argmax(at.sigmoid(x), axis=1), at.argmax(x, axis=1)),
    ("argmin-increasing", at.argmin(at.exp(x)), at.argmin(x)),
    ("argmax-decreasing", at.argmax(at.erfc(x)), at.argmin(x)),
    ("argmin-decreasing", at.argmin(at.erfc(x), axis=0), at.argmax(x, axis=0)),
    ("argmax-neg", at.argmax(-x, axis=1), at.argmin(x, axis=1)),
    ("argmin-neg", at.argmin(-x), at.argmax(x)),
    ("element-at-argmax", v[at.argmax(v, axis=0)], at.max(v)),
    ("element-at-argmin", v[at.argmin(v, axis=0)], at.min(v)),
    ("element-at-argmax", v[at.argmax(v)], at.max(v)),
    ("element-at-argmin", v[at.argmin(v)], at.min(v)),
    ("sort-twice", sort(sort(x, 0), 0), sort(x, 0)),
    ("sort-one", sort(row, 0), row),
    ("reduce-of-sort", at.sum(sort(x), axis=1), at.sum(x, axis=1)),
    ("reduce-of-sort", at.max(sort(x, 0)), at.max(x)),
    # moments
    (
        "variance",
        at.mean(at.sqr(v)) - at.sqr(at.mean(v)),
        "sum(sqr(v - mean(v))) / len(sqr(v))",
    ),
    (
        "variance",
        at.mean(at.sqr(m), axis=0) - at.sqr(at.mean(m, axis=0)),
        "sum(sqr(m - mean(m, axis=(0,))), axis=(0,)) / len(sqr(m))",
    ),
    (
        "variance",
        at.mean(at.sqr(square), axis=1) - at.sqr(at.mean(square, axis=1)),
        "sum(sqr(square - (sum(square, axis=(1,)) / 3.0)[:, None]), axis=(1,)) / 3.0",
    ),
    (
        "variance",
        at.mean(at.sqr(square)) - at.sqr(at.mean(square)),
        "sum(sqr(square - sum(square) / 9.0)) / 9.0",
    ),
    ("covariance", at.mean(v * w) - at.mean(v) * at.mean(w), "covariance(v, w)"),
    (
        "covariance",
        at.mean(m * q, axis=1) - at.mean(m, axis=1) * at.mean(q, axis=1),
        "covariance(m, q, axis=(1,))",
    ),
    (
        "covariance-by-sums",
        at.mean(v * w) - at.sum(v) * at.sum(w) / (count(v) * count(w)),
        "covariance(v, w)",
    ),
    (
        "covariance-by-sums-and-square",
        at.mean(v * w) - at.sum(v) * at.sum(w) / at.sqr(count(v)),
        "covariance(v, w)",
    ),
    # softmax
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
        e * rows(y / (es * rows(e))),
        "softmax(x, axis=1) * sum(y / exp(s), axis=(1,), keepdims=True)",
    ),
    (
        "softmax-slope",
        e * (y / rows(e) - rows(e * y / at.sqr(rows(e)))),
        "softmax(x, axis=1) * (y - sum(softmax(x, axis=1) * y, axis=(1,), keepdims=True))",
    ),
    (
        "softmax-slope-of-shares",
        e * (y / rows(e) - rows(es * (y / rows(e)))),
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
LEFT_ALONE = [
    # reductions, and running totals
    # int8 is multiplied as int8 and summed as int64
    ("sum-scalar-mul", at.sum(small * np.int8(3))),
    ("sum-neg", at.sum(-small)),
    ("sum-of-switch-else-zero", at.sum(at.switch(col > 0, x, 0), axis=0)),
    ("sum-of-switch-else-zero", at.sum(at.switch(bits, row, at.zeros_like(x)), axis=0)),
    # neither factor is constant along the rows
    ("sum-scalar-mul", at.sum(row * x, axis=1)),
    ("reduce-length-one", at.sum(x, axis=0)),
    # a sum of nothing is 0, and 0 divided by 0 is not
    ("sum-scalar-div", at.sum(x / col, axis=1)),
    # the roots of negative numbers are nan, that of their product may be none
    ("log-prod", at.log(at.prod(v))),
    # there may be no element
    ("reduce-of-alloc", at.max(at.alloc(c, n))),
    ("reduce-of-fill", at.max(at.second(x, c))),
    ("reduce-of-join", at.max(at.join(0, x, y))),
    ("sum-of-alloc", at.sum(at.alloc(at.cast(c, "float16"), n))),
    ("sum-of-alloc", at.sum(at.alloc(x, n, 3, 3), axis=1)),
    ("reduce-of-join", at.sum(at.join(0, x, y), axis=1)),
    # what is read elsewhere is joined anyway
    ("reduce-of-join", at.sum(joined), joined * 2),
    ("sum-rows-of-dot", at.sum(at.dot(small, small), axis=0)),
    # by the order of its factors a complex product with an infinity is nan or not
    ("reduce-of-reduce", at.prod(at.prod(z, axis=0))),
    ("reduce-of-join", at.prod(at.join(0, z, z))),
    ("cumulate-one", at.cumsum(row, axis=1)),
    ("cumprod-of-ones", at.cumprod(np.full(3, complex(1.0, -0.0)))),  # no one: 1-0j
    ("last-of-cumulate", at.cumsum(x, axis=1)[-1]),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[:, 1:]),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[:, i]),
    # a single product is rounded in another way than several
    ("prefix-of-cumulate", at.cumprod(z, axis=1)[:, :2]),
    ("prefix-of-cumulate", at.cumprod(z, axis=1)[i, :n]),
    ("differences-of-cumsum", at.cumsum(v)[2:] - at.cumsum(v)[:-2]),
    # greatest and least elements, and sorting
    # the least int8 has no negative
    ("extreme-neg", top(-small)),
    ("argmax-neg", at.argmax(-small, axis=0)),
    ("extreme-add", top(small + 1)),
    # log(-1) is nan, the greatest of all
    ("extreme-above-zero", top(at.log(x))),
    ("extreme-increasing", top(at.sqr(x))),
    ("extreme-mul", top(c * x)),
    ("extreme-mul-negative", top(2.0 * x)),
    ("extreme-add", top(x + row, axis=1)),
    ("element-at-argmax", v[at.argmax(v * 2)]),
    # floor makes many elements one
    ("argmax-increasing", at.argmax(at.floor(x))),
    ("sort-twice", sort(sort(x, 0), 1)),
    ("sort-one", sort(row, 1)),
    ("sort-by-argsort", v[argsort(v * 2)]),
    ("reduce-of-sort", at.sum(sort(x), axis=0)),
    ("greatest-of-sort", sort(x, 1)[-1]),
    # moments
    # the count is of another axis, is of something else, or is less by one
    (
        "variance",
        at.sum(at.sqr(m), axis=0) / count(m, 1).dimshuffle("x") - at.sqr(at.mean(m, axis=0)),
    ),
    ("variance", at.sum(at.sqr(v)) / count(w) - at.sqr(at.mean(v))),
    ("variance", at.sum(at.sqr(v)) / (count(v) - 1) - at.sqr(at.mean(v))),
    ("variance", at.sum(at.sqr(square)) / 4.0 - at.sqr(at.mean(square))),
    # as many squares as there are exponents
    ("variance", spelled(at.sum(one ** np.full(3, 2.0)) / 1.0 - at.sqr(at.sum(one) / 1.0))),
    ("covariance", at.mean(v * w) - at.mean(v) * at.sum(w)),
    # softmax
    ("softmax", at.exp(square) / at.sum(at.exp(square), axis=1)),  # by another axis
    ("softmax", at.exp(x) / at.sum(at.exp(2 * x), axis=1, keepdims=True)),
    ("softmax-shifted", at.softmax(x - at.max(x, axis=0, keepdims=True), axis=1)),
    ("log-softmax", at.log2(at.softmax(x))),
    ("log-softmax-of-logsumexp", x - at.logsumexp(x, axis=1)),
    ("log-softmax-of-logsumexp", x - at.logsumexp(x.T, axis=0, keepdims=True)),
    ("log-sum-exp-shifted", at.max(x, axis=0) + at.logsumexp(x - kept_most, axis=1)),
    ("sum-of-softmax-less", at.sum(at.softmax(x) * rows(col) - col, axis=1)),  # col is repeated
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

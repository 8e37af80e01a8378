"""Each law about greatest and least elements, and about sorting, at work."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.tensor.along_axes import argsort, sort

x = at.dmatrix("x")
v = at.dvector("v")
c = at.dscalar("c")
row, col = at.drow("row"), at.dcol("col")
small = at.TensorType("int8", (None, None))("small")
top, low = at.max, at.min


def no_rows(v):
    return v.dimshuffle(1)


TABLE = [
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
    ("extreme-add", top(x + row, axis=0), top(x, axis=0) + no_rows(row)),
    ("extreme-add", low(x + 2.0), "min(x) + 2.0"),
    ("extreme-sub", top(x - col, axis=1), top(x, axis=1) - col.dimshuffle(0)),
    ("extreme-sub", low(x - row, axis=0), low(x, axis=0) - no_rows(row)),
    ("extreme-of-rest", top(1.0 - x), "1.0 - min(x)"),
    ("extreme-of-rest", low(row - x, axis=0), no_rows(row) - top(x, axis=0)),
    ("extreme-mul", top(2.0 * x), "2.0 * max(x)"),
    ("extreme-mul", low(x * at.cosh(row), axis=0), no_rows(at.cosh(row)) * low(x, axis=0)),
    ("extreme-mul-negative", top(-2.0 * x), "-2.0 * min(x)"),
    ("extreme-mul-negative", low(x * -0.5), "-0.5 * max(x)"),
    ("extreme-div", top(x / 3.0), "max(x) / 3.0"),
    ("extreme-div", low(x / at.cosh(col), axis=1), low(x, axis=1) / at.cosh(col).dimshuffle(0)),
    ("extreme-of-cut", top(at.maximum(x, 0.0)), "maximum(max(x), 0.0)"),
    ("extreme-of-cut", top(at.minimum(x, row), axis=0), at.minimum(top(x, axis=0), no_rows(row))),
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
]

LEFT_ALONE = [
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
]

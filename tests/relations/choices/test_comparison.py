"""What each law about comparisons and truth values does to an expression."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relations import choices
from tests.relations.applied import (
    applied,
    assert_same_values,
    b,
    c,
    f,
    i,
    j,
    laws_of,
    u,
    w,
    written,
    x,
    y,
)

LAWS = laws_of(choices)

CASES = [
    ("lt-self", x < x, "second(x, False)"),
    ("gt-self", x > x, "second(x, False)"),
    ("eq-self", at.eq(i, i), "second(i, True)"),
    ("le-self", i <= i, "second(i, True)"),
    ("ge-self", b >= b, "second(b, True)"),
    ("neq-self", at.neq(u, u), "second(u, False)"),
    ("neq-self-of-float", at.neq(x, x), "isnan(x)"),
    ("not-eq", ~at.eq(x, y), "x != y"),
    ("not-neq", ~at.neq(x, y), "x == y"),
    ("not-lt", ~(i < j), "i >= j"),
    ("not-le", ~(i <= j), "i > j"),
    ("not-gt", ~(i > j), "i <= j"),
    ("not-ge", ~(i >= 0), "i < 0"),
    ("order-of-negatives", -x < -y, "y < x"),
    ("order-of-negatives", -x <= -y, "y <= x"),
    ("order-of-negatives", -x > -y, "y > x"),
    ("order-of-negatives", -x >= -y, "y >= x"),
    ("eq-neg-neg", at.eq(-i, -j), "i == j"),
    ("neq-neg-neg", at.neq(-x, -y), "x != y"),
    ("neg-lt-constant", -x < 0.25, "x > -0.25"),
    ("neg-le-constant", -x <= 0.25, "x >= -0.25"),
    ("neg-gt-constant", -x > 0.25, "x < -0.25"),
    ("neg-ge-constant", -x >= 0.25, "x <= -0.25"),
    ("sub-lt-zero", x - y < 0, "x < y"),
    ("sub-gt-zero", x - y > 0, "x > y"),
    ("sub-le-zero", x - y <= 0, "x <= y"),
    ("sub-ge-zero", x - y >= 0, "x >= y"),
    ("sub-eq-zero", at.eq(x - y, 0), "x == y"),
    ("eq-maximum", at.eq(at.maximum(x, 0), x), "x >= 0.0"),
    ("eq-minimum", at.eq(i, at.minimum(j, i)), "i <= j"),
    ("eq-abs-zero", at.eq(at.abs(x), 0), "x == 0.0"),
    ("neq-abs-zero", at.neq(at.abs(i), 0), "i != 0"),
    ("nonnegative-lt-zero", at.sqr(x) < 0, "second(sqr(x), False)"),
    ("zero-gt-nonnegative", at.gt(0, at.exp(x)), "second(exp(x), False)"),
    ("nonnegative-le-zero", u <= 0, "u == 0"),
    ("unsigned-ge-zero", u >= 0, "second(u, True)"),
    ("zero-le-unsigned", at.le(0, u), "second(u, True)"),
    ("eq-true", at.eq(b, True), "b"),
    ("neq-false", at.neq(x < y, False), "x < y"),
    ("eq-false", at.eq(b, False), "invert(b)"),
    ("neq-true", at.neq(b, True), "invert(b)"),
    ("flag-eq-one", at.eq(b, 1), "b"),
    ("flag-eq-one", at.eq(at.constant(np.ones((1, 1), "int8")), x < y), "x < y"),
    ("flag-neq-zero", at.neq(x < y, 0.0), "x < y"),
    ("flag-gt-zero", b > 0, "b"),
    ("flag-ge-one", b >= 1, "b"),
    ("zero-lt-flag", at.lt(0, b), "b"),
    ("one-le-flag", at.le(1, b), "b"),
    ("flag-eq-zero", at.eq(b, 0), "invert(b)"),
    ("flag-neq-one", at.neq(b, 1), "invert(b)"),
    ("flag-lt-one", b < 1, "invert(b)"),
    ("zero-ge-flag", at.ge(0, b), "invert(b)"),
    ("one-gt-flag", at.gt(1, b), "invert(b)"),
    ("isnan-discrete", at.isnan(i), "second(i, False)"),
    ("isinf-discrete", at.isinf(b), "second(b, False)"),
    ("isnan-function", at.isnan(at.exp(-x)), "isnan(x)"),
    ("isnan-add-constant", at.isnan(x + 1), "isnan(x)"),
    ("isinf-neg", at.isinf(-x), "isinf(x)"),
    ("isinf-abs", at.isinf(at.abs(x)), "isinf(x)"),
    ("and-self", b & b, "b"),
    ("or-self", i | i, "i"),
    ("xor-self", b ^ b, "second(b, False)"),
    ("xor-self-of-integer", i ^ i, "second(i, 0)"),
    ("not-not", ~~b, "b"),
    ("and-true", b & True, "b"),
    ("and-false", b & False, "second(b, False)"),
    ("or-false", b | False, "b"),
    ("or-true", b | True, "second(b, True)"),
    ("xor-false", b ^ False, "b"),
    ("xor-true", b ^ True, "invert(b)"),
    ("and-zero", i & 0, "second(i, 0)"),
    ("or-zero", i | 0, "i"),
    ("xor-zero", i ^ 0, "i"),
    ("and-minus-one", i & -1, "i"),
    ("or-minus-one", i | -1, "second(i, -1)"),
    ("xor-minus-one", i ^ -1, "invert(i)"),
    ("and-not", b & ~b, "second(b, False)"),
    ("or-not", ~b | b, "second(invert(b), True)"),
    ("absorb-and", b & (c | b), "b"),
    ("absorb-or", i | (i & j), "i"),
    ("absorb-and-not", b & (~b | c), "b & c"),
    ("absorb-or-not", b | (~b & c), "b | c"),
    ("and-and-self", b & (b & c), "b & c"),
    ("or-or-self", b | (c | b), "b | c"),
    ("de-morgan-and", ~b & ~c, "invert(b | c)"),
    ("de-morgan-or", ~i | ~j, "invert(i & j)"),
    ("xor-not-not", ~b ^ ~c, "b ^ c"),
    ("lt-or-eq", (x < y) | at.eq(y, x), "x <= y"),
    ("gt-or-eq", (x > y) | at.eq(x, y), "x >= y"),
    ("le-and-ge", (x <= y) & (x >= y), "x == y"),
    ("le-and-neq", (x <= y) & at.neq(x, y), "x < y"),
    ("ge-and-neq", (x >= y) & at.neq(x, y), "x > y"),
    ("lt-and-gt", (x < y) & (x > y), "second(x < y, False)"),
    ("order-of-two-bounds", (x > 0.25) & (x > 0.5), "x > maximum(0.25, 0.5)"),
    ("order-of-two-bounds", (x >= 0.25) & (x >= 0.5), "x >= maximum(0.25, 0.5)"),
    ("order-of-two-bounds", (x < 0.25) & (x < 0.5), "x < minimum(0.25, 0.5)"),
    ("order-of-two-bounds", (i <= 0) & (i <= 1), "i <= minimum(0, 1)"),
]

NOT_MATCHED = [
    ("eq-self", at.eq(x, x)),  # nan
    ("le-self", x <= x),
    ("neq-self-of-float", at.neq(w, w)),
    ("not-lt", ~(x < y)),
    ("not-ge", ~(x >= 0)),
    ("order-of-negatives", -i < -j),  # the least integer is its own negative
    ("neg-lt-constant", -x < i),
    ("sub-lt-zero", i - j < 0),  # it wraps around
    ("nonnegative-lt-zero", at.abs(i) < 0),
    ("nonnegative-lt-zero", at.sqr(i) < 0),
    ("unsigned-ge-zero", i >= 0),
    ("isnan-function", at.isnan(at.log(x))),
    ("isnan-add-constant", at.isnan(x + y)),
    ("and-minus-one", u & np.int8(-1)),
    ("and-not", i & ~i),
    ("lt-or-eq", (x < y) | at.eq(x, f)),
    ("order-of-two-bounds", (x > f) & (x > 1.0)),
    ("order-of-two-bounds", (x > np.int64(1)) & (x > np.uint64(2))),
]


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=[case[0] for case in CASES])
def test_what_it_does(name, before, after):
    assert written(LAWS[name], before) == after
    assert_same_values(before, applied(LAWS[name], before))


@pytest.mark.parametrize(("name", "before"), NOT_MATCHED)
def test_what_it_leaves_alone(name, before):
    assert applied(LAWS[name], before).owner.op is before.owner.op

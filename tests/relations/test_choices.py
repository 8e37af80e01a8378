"""What each law about choices, comparisons and truth values does to an expression."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph.compile import function, get_mode
from relgraph.tensor.basic import Assert, assert_

x, y, z = at.dvectors(*"xyz")
f, w, n = at.fvector("f"), at.zvector("w"), at.lscalar("n")
i, j, u = at.lvector("i"), at.lvector("j"), at.tensor("uint8", (None,), "u")
b, c = at.tensor("bool", (None,), "b"), at.tensor("bool", (None,), "c")
asserts_a, asserts_b = Assert("a"), Assert("b")

TABLE = """
    switch-true: switch(constant(True), x, y) → x
    switch-true: switch(2, f, x) → cast{float64}(f)
    switch-false: switch(0.0, w, x) → cast{complex128}(x)
    switch-minus-zero: switch(b, -0.0, 0.0) + x → second(b, 0.0) + x
    switch-else-minus-zero: switch(b, 0.0, -0.0) + x → second(b, 0.0) + x
    switch-switch: switch(x > 0, switch(x > 0, x, y), z) → switch(x > 0.0, x, z)
    switch-to-and: switch(b, True, False) → b & True
    switch-to-cast: switch(x > 0.5, 1.0, 0.0) → cast{float64}(x > 0.5)
    lift-switch: exp(switch(b, 1.0, 2.0)) → switch(b, exp(1.0), exp(2.0))
    lift-switch-first: switch(b, 1.0, -1.0) / 2 → switch(b, 1.0 / 2.0, -1.0 / 2.0)
    lift-switch-second: 2 - switch(b, 1.0, -1.0) → switch(b, 2.0 - 1.0, 2.0 - -1.0)
    add-complementary-switches: switch(b, x, 0) + z + switch(b, 0, y) → switch(b, x, y) + z
    second-where-compared: switch(x < 0, 0, x) → maximum(x, 0.0)
    second-where-compared: switch(x >= 0.5, 0.5, x) → minimum(x, 0.5)
    second-where-compared: switch(x < 0.5, 0.5, x) → maximum(x, 0.5)
    second-of-integers-where-compared: switch(i <= j, j, i) → maximum(i, j)
    first-of-integers-where-compared: switch(i > 0, i, 0) → maximum(i, 0)
    second-extreme: switch(x > y, y, x) → minimum(x, y)
    first-extreme: switch(x > 0, x, 0) → maximum(x, 0.0)
    abs-where-negative: switch(x < 0, -x, x) → abs(x)
    abs-where-positive: switch(i >= 0, i, -i) → abs(i)
    clip-to-one: clip(sin(x), -1, 1) → sin(x)
    assert-true: assert_(x, True) → x
    assert-true: assert_(x, constant([1, 2])) → x
    assert-twice: asserts_b(asserts_a(x, n), n) → assert{a}(x, n)
    remove-assert: assert_(x, n, n > 0, message="a") → x
    strict-order-with-itself: x < x → second(x, False)
    strict-order-with-itself: x > x → second(x, False)
    comparison-with-itself: eq(i, i) → second(i, True)
    comparison-with-itself: i <= i → second(i, True)
    comparison-with-itself: b >= b → second(b, True)
    neq-self: neq(u, u) → second(u, False)
    not-equality: ~eq(x, y) → x != y
    not-equality: ~neq(x, y) → x == y
    not-order: ~(i < j) → i >= j
    not-order: ~(i <= j) → i > j
    not-order: ~(i > j) → i <= j
    not-order: ~(i >= 0) → i < 0
    order-of-negatives: -x < -y → y < x
    order-of-negatives: -x <= -y → y <= x
    order-of-negatives: -x > -y → y > x
    order-of-negatives: -x >= -y → y >= x
    equality-of-negatives: eq(-i, -j) → i == j
    equality-of-negatives: neq(-x, -y) → x != y
    order-of-negative-and-constant: -x < 0.25 → x > -0.25
    order-of-negative-and-constant: -x <= 0.25 → x >= -0.25
    order-of-negative-and-constant: -x > 0.25 → x < -0.25
    order-of-negative-and-constant: -x >= 0.25 → x <= -0.25
    sign-of-difference: x - y < 0 → x < y
    sign-of-difference: x - y > 0 → x > y
    difference-compared-with-zero: x - y <= 0 → x <= y
    difference-compared-with-zero: x - y >= 0 → x >= y
    difference-compared-with-zero: eq(x - y, 0) → x == y
    eq-maximum: eq(maximum(x, 0), x) → x >= 0.0
    eq-minimum: eq(i, minimum(j, i)) → i <= j
    zero-of-abs: eq(abs(x), 0) → x == 0.0
    zero-of-abs: neq(abs(i), 0) → i != 0
    nonnegative-lt-zero: sqr(x) < 0 → second(sqr(x), False)
    constant-on-the-right: gt(0, exp(x)) → exp(x) < 0.0
    nonnegative-le-zero: u <= 0 → u == 0
    constant-on-the-right: le(0, u) → u >= 0
    flag-compared: eq(b, True) → b
    flag-compared: neq(x < y, False) → x < y
    flag-compared-otherwise: eq(b, False) → ~b
    flag-compared-otherwise: neq(b, True) → ~b
    flag-compared: eq(b, 1) → b
    constant-on-the-right: eq(constant(1), i) → i == 1
    flag-compared: eq(x < y, constant(np.ones((1, 1), "int8"))) → (x < y)[None]
    flag-compared: gt(b, np.uint64(0)) → b
    flag-compared: b >= 1 → b
    constant-on-the-right: lt(0, b) → b > 0
    constant-on-the-right: le(1, b) → b >= 1
    flag-compared-otherwise: b < 1 → ~b
    constant-on-the-right: ge(0, b) → b <= 0
    constant-on-the-right: gt(1, b) → b < 1
    isnan-discrete: isnan(i) → second(i, False)
    isnan-function: isnan(exp(-x)) → isnan(x)
    isnan-add-constant: isnan(x + 1) → isnan(x)
    idempotent-with-itself: b & b → b
    idempotent-with-itself: i | i → i
    neutral-constant: b & True → b
    absorbing-constant: b & False → second(b, False)
    neutral-constant: b | False → b
    absorbing-constant: b | True → second(b, True)
    neutral-constant: b ^ False → b
    xor-ones: b ^ True → ~b
    absorbing-constant: i & 0 → second(i, 0)
    neutral-constant: i | 0 → i
    neutral-constant: i ^ 0 → i
    neutral-constant: i & -1 → i
    absorbing-constant: i | -1 → second(i, -1)
    xor-ones: i ^ -1 → ~i
    absorb-or: i | (i & j) → i
    de-morgan: ~b & ~c → ~(b | c)
    de-morgan: ~i | ~j → ~(i & j)
    order-of-two-bounds: (x > 0.25) & (x > 0.5) → x > maximum(0.25, 0.5)
    order-of-two-bounds: (x >= 0.25) & (x >= 0.5) → x >= maximum(0.25, 0.5)
    order-of-two-bounds: (x < 0.25) & (x < 0.5) → x < minimum(0.25, 0.5)
    order-of-two-bounds: (i <= 0) & (i <= 1) → i <= minimum(0, 1)
"""

LEFT_ALONE = """
    switch-true: switch(np.array([1, 0, 1]), x, y)
    switch-not: switch(~i, x, y)  # an integer's bits
    switch-and: switch(b, switch(i, x, y), y)
    switch-neg: switch(b, -x, y)
    switch-neg-else-zero: switch(b, neg(constant([1.0, 2.0, 3.0])), 0)  # is folded
    switch-to-cast: switch(i, 1.0, 0.0)
    switch-to-cast: switch(b, 1.0, -0.0)
    switch-to-and: switch(b, i, False)
    lift-switch: exp(switch(b, x, 2.0))
    lift-switch-first: switch(b, 1, 2) ** np.int8(-1)  # raises, but of no elements
    lift-switch-second: np.int64(2) ** switch(b, 1, -1)
    second-where-compared: switch(x < y, y, x)  # y may be nan
    second-where-compared: switch(x < np.nan, np.nan, x)
    second-where-compared: switch(x > 0, x, 0)  # x may be nan
    second-of-integers-where-compared: switch(x < y, y, x)
    sign-by-cases: switch(x > 0, 1.0, switch(x < 0, -1.0, 0.0))
    clip-to-one: clip(exp(x), -1, 1)
    assert-true: assert_(x, n)
    assert-true: assert_(x, constant([1, 0]))
    assert-twice: asserts_b(asserts_a(x, n), n + 1)
    flag-compared: gt(b, np.uint64(2**64 - 1))
    comparison-with-itself: eq(x, x)  # nan
    comparison-with-itself: x <= x
    neq-self-of-float: neq(w, w)
    not-order: ~(x < y)
    not-order: ~(x >= 0)
    order-of-negatives: -i < -j  # the least integer is its own negative
    order-of-negative-and-constant: -x < i
    sign-of-difference: i - j < 0  # it wraps around
    nonnegative-lt-zero: abs(i) < 0
    nonnegative-lt-zero: sqr(i) < 0
    unsigned-ge-zero: i >= 0
    isnan-function: isnan(log(x))
    isnan-add-constant: isnan(x + y)
    neutral-constant: u & np.int8(-1)
    neutral-constant: i & True  # the other bits are zero
    neutral-constant: i & np.uint8(255)
    and-not: i & ~i
    lt-or-eq: (x < y) | eq(x, f)
    order-of-two-bounds: (x > f) & (x > 1.0)
    order-of-two-bounds: (x > np.int64(1)) & (x > np.uint64(2))
"""


def test_removal_is_for_who_asks_for_it() -> None:
    checked = assert_(x, n > 0, message="n")
    with pytest.raises(AssertionError, match="n: gt"):
        function([x, n], checked)([1.0], 0)
    for mode in ("unsafe", get_mode("o4").including("local_remove_all_assert")):
        assert function([x, n], checked, mode, on_unused_input="ignore")([1.0], 0) == [1.0]

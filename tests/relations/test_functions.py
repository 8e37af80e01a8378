"""What each law about functions of numbers does to an expression."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relations.functions import exponential, trigonometric
from relations.kit.functions import admitted_ops
from relgraph.compile import function
from relgraph.compile.optimize import optimize_graph
from relgraph.gradient import grad, hessian
from relgraph.tensor.special import ndtr
from relgraph.testing.instances.instantiation import PatternInstantiator
from relgraph.testing.random_terms import CannotInstantiate, scalar_ops
from tests.families.counting import counted_in_copy
from tests.families.rewritten import PHASES
from tests.relations.applied import LAWS, applied, inputs_of, laws_of, value_of
from tests.relations.cancellation.accuracy import true_value_and_slopes

x, y, z, k, w = at.dvectors(*"xyzkw")
f, h = at.fvectors("f", "h")
i, byte = at.lvector("i"), at.tensor("uint8", (None,), "u")
m, q, r = at.dmatrix("m"), at.dmatrix("q"), at.dscalar("r")
e, u, v = at.exp(x), at.exp(y), at.exp(z)
s, t = at.sigmoid(x), at.sigmoid(-x)
p, cosh_y = at.sigmoid(y), at.cosh(y)  # not negative, and positive
cosh_of_own = at.cosh(y - at.exp(-x) / 3.0)
total = at.sum(at.exp(m), axis=1)
rows = at.sum(at.exp(m), axis=1, keepdims=True)
mean = at.sum(at.exp(m) * q, axis=1)
column, row = k.dimshuffle(0, "x"), k.dimshuffle("x", 0)
n, labels = np.arange(3), np.array([0, 2, 1])
weights, doubled = at.constant([0.25, 0.5, 2.0]), at.constant([-0.5, -1.0, -4.0])
tenth = at.constant(np.array([0.1], "float32"))

IN_PARTS = "switch(abs(…) < 0.5, log1p(switch(…, …, 0.0)), log(switch(…, 1.0, …)))"
greatest, least = "1.7976931348623157e+308", "-1.7976931348623157e+308"
most = f"maximum(minimum(x, {greatest}), minimum(y, {greatest}), {least})"
own, other = (f"exp(minimum({name}, {greatest}) - {most})" for name in "xy")


def shifted(largest: str) -> str:
    return f"switch(abs({largest}) < inf, {largest}, 0.0)"


of_three, beside_3 = shifted("maximum(x, y, z)"), shifted("maximum(x, 1.0986122886681098)")
ROOT = 2**0.5
LOG_ERFC = (
    "switch(x < 0.5, log1p(-erf(switch(x < 0.5, x, 0.0))), "
    "log_ndtr(-1.4142135623730951 * x) + 0.6931471805599453)"
)
WITH_FACTS = {law.name: law for law in (*trigonometric.SIGNS, *trigonometric.INVERSES)}

TABLE = [
    """
    # exponentials and logarithms
    exp-scaled-log-nonnegative: exp(3 * log(abs(x))) → abs(x) ** 3.0
    expm1-log-nonnegative: expm1(log(abs(x))) → abs(x) - 1.0
    exp-log1p-nonnegative: exp(log1p(p)) → 1.0 + sigmoid(y)
    exp-scaled-log: exp(3 * log(x)) → x ** 3.0
    exp-mul-exp: exp(x) * z * exp(y) → exp(x + y) * z
    exp-mul-own-exp: exp(x) * z * exp(-exp(x)) → exp(x - exp(x)) * z
    exp-mul-vanishing: exp(x) * sigmoid(-exp(x))
        → exp(switch(sigmoid(-exp(x)) == 0.0, 0.0, x)) * sigmoid(-exp(x))
    exp-mul-vanishing: exp(-2.0 * x) * (tanh(exp(-x)) / cosh_of_own)
        → exp(switch(tanh(exp(-x)) / cosh(y - exp(-x) / 3.0) == 0.0, 0.0, -2.0 * x))
        * (tanh(exp(-x)) / cosh(y - exp(-x) / 3.0))
    expm1-mul-vanishing: expm1(x) * exp(y - exp(x))
        → expm1(switch(exp(y - exp(x)) == 0.0, 0.0, x)) * exp(y - exp(x))
    expm1-scaled: exp(x) * cosh_y - cosh_y → cosh(y) * expm1(x)
    pow-exp: exp(x) ** 3 → exp(3.0 * x)
    log-sqr-nonnegative: log(sqr(p)) → 2.0 * log(sigmoid(y))
    log-even-power: log(x**4) → 4.0 * log(abs(x))
    log-odd-power: log(x**3) → 3.0 * log(x)
    log-power: log(p**-0.5) → -0.5 * log(sigmoid(y))
    log-inverse: log(1 / cosh_y) → -log(cosh(y))
    log-mul-exp: log(p * exp(x)) → log(sigmoid(y)) + x
    log-exp-div: log(exp(x) / cosh_y) → x - log(cosh(y))
    log-by-log-two: log(x) / math.log(2) → log2(x)
    log-by-log-ten: log(x) / math.log(10) → log10(x)
    log-by-log-two: log(f) / math.log(2) → log2(f)
    log-base-two: log(x) * (1 / math.log(2)) → log2(x)
    log-base-ten: log(x) * (1 / math.log(10)) → log10(x)
    log1p: log(p + sqr(x) + 1) → log1p(sigmoid(y) + sqr(x))
    log1p-sub-nonnegative: log((p + 1) - y) → log1p(sigmoid(y) - y)
    log1p-neg-exp: log1p(-exp(-x)) → log1mexp(-x)
    log-neg-expm1: log(-expm1(-x)) → log1mexp(-x)
    difference-turned: sigmoid(x) - 1 → -sigmoid(-x)
    power-to-sigmoid: (1 + exp(x)) ** -1.5 → sigmoid(-x) ** 1.5
    div-to-power-of-sigmoid: y / (1 + exp(x)) ** 2.5 → y * sigmoid(-x) ** 2.5
    power-of-sigmoid-exp: sigmoid(-x) ** 2.5 * exp(x) → sigmoid(-x) ** 1.5 * sigmoid(x)
    power-of-sigmoid-exp: sigmoid(2 * x) ** 2.5 * exp(-2 * x)
        → sigmoid(2 * x) ** 1.5 * sigmoid(-2 * x)
    root-of-logistic-slope: sqrt(s * t) → 0.5 / cosh(x / 2.0)
    expm1-mul-sigmoid: expm1(x) * t → tanh(x / 2.0)
    expm1-mul-sigmoid: expm1(-x) * s → tanh(-x / 2.0)
    sech-slope-by-reciprocal: at.sqr(0.5 / at.cosh(x)) * at.sinh(x)
        → 0.5 / cosh(x) * (0.5 / 1.0) * tanh(x)
    tanh-by-quotient: y / at.cosh(x) ** 3 * at.sinh(x) → y / sqr(cosh(x)) * tanh(x)
    slope-of-reciprocal-power: y / x**3 * (z * sqr(x)) → y / x * z
    slope-of-reciprocal-power: y / sqrt(0.3 * s) * (s * z) → y * sqrt(0.3 * sigmoid(x)) * z / 0.3
    slope-of-squared-reciprocal-power: sqr(1 / sqr(x)) * (z * x) → 1.0 / sqr(x) * (1.0 / x * z)
    sigmoid-exp: sigmoid(x) * y * exp(-x) → sigmoid(-x) * y
    difference-turned: 1 - sigmoid(x) * 2 → -tanh(x / 2.0)
    log-mul-sigmoid: log(exp(y) * sigmoid(x)) → log(exp(y)) - softplus(-x)
    difference-turned: softplus(-x) - softplus(x) → -x
    difference-turned: x - softplus(x) → -softplus(-x)
    softplus-neg-more: y + softplus(-x) + x → y + softplus(x)
    softplus-log-nonnegative: softplus(log(abs(x))) → log1p(abs(x))
    # logarithms of products
    log-of-product: log(y * exp(x)) → log_product(x, 1.0, y)
    log-of-product: log(mul(exp(x), exp(y), z)) → log_product(x + y, 1.0, z)
    log-of-product: log(sigmoid(x) * y) → log_product(-softplus(-x), 1.0, y)
    log-of-product: log(sigmoid(x) ** 3.0 * y) → log_product(-(3.0 * softplus(-x)), 1.0, y)
    log-of-product: log(sqr(sigmoid(x)) * y) → log_product(-2.0 * softplus(-x), 1.0, y)
    log-of-product: log(softmax(x) * y) → log_product(log_softmax(x, axis=None), 1.0, y)
    log-of-product: log(total * y) → log_product(logsumexp(m, axis=1), 1.0, y)
    log-of-product: log((exp(x) + exp(y)) * z) → log_product(logaddexp(x, y), 1.0, z)
    log-of-quotient: log(y * exp(x) / z) → log_product(x, z, y)
    log-of-quotient: log((exp(x) + exp(y)) / z) → log_product(logaddexp(x, y), z)
    log-of-quotient: log(y / (exp(x) * z)) → log_product(-x, z, y)
    log-of-quotient: log(exp(x) / (y * z)) → log_product(x, y * z)
    log-of-quotient: log(softmax(x) / softmax(y))
        → log_softmax(x, axis=None) - log_softmax(y, axis=None)
    log-abs-of-product: log(abs(exp(x) * y)) → log_product(x, 1.0, abs(y))
    log-abs-of-quotient: log(abs(y * exp(x) / z)) → log_product(x, abs(z), abs(y))
    log-of-exponential: log(2.0**x) → 0.6931471805599453 * x
    log-of-product: log(add(exp(x), exp(y), 3.0) * z)
        → log_product(logaddexp(1.0986122886681098, x, y), 1.0, z)
    log-of-product: log(ndtr(x) * z) → log_product(log_ndtr(x), 1.0, z)
    log-of-product: log(2.0**x * z) → log_product(0.6931471805599453 * x, 1.0, z)
    # quotients of exponentials
    quotient-amid-factors: exp(m) * q / rows → softmax(m, axis=1) * q
    quotient-amid-factors: exp(m) / (rows * q) → softmax(m, axis=1) / q
    quotient-amid-factors: exp(m) * q / (rows * m) → softmax(m, axis=1) * q / m
    softmax-mean: mean / total
        → sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,))
    softmax-mean: sum(exp(row) * q, axis=1) / sum(exp(row), axis=1)
        → sum(softmax(k[None], axis=1) * q, axis=(1,)) / sum(softmax(k[None], axis=1), axis=(1,))
    quotient-amid-factors: mean * k / total
        → sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,)) * k
    quotient-amid-factors: mean / (total * k)
        → sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,)) / k
    quotient-amid-factors: mean * y / (total * k)
        → sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,)) * y / k
    log-sum-weighed: log(sum(exp(m) * sigmoid(q), axis=1)) → logsumexp(m + log(sigmoid(q)), axis=1)
    log-sum-weighed: log(sum(e * weights)) → logsumexp(x + log([0.25 0.5  2.  ]), axis=None)
    log-sum-weighed: log(sum(exp(m) * stack([sigmoid(r), 0.5, exp(r)]).dimshuffle(0, "x")))
        → logsumexp(m + log(make_vector{float64}(sigmoid(r), 0.5, exp(r))[:, None]), axis=None)
    log-sum-divided: log(sum(exp(m) / (2.5 * exp(q)), axis=1))
        → logsumexp(m - log(2.5 * exp(q)), axis=1)
    log-sum-weighed-quotient: log(sum(sigmoid(q) * (exp(m) / exp(q)), axis=1))
        → logsumexp(m - log(exp(q)) + log(sigmoid(q)), axis=1)
    log-sum-weighed-divided: log(sum(sigmoid(q) * exp(m) / exp(q), axis=1))
        → logsumexp(m + log(sigmoid(q)) - log(exp(q)), axis=1)
    log-mul-sum: log(total * abs(z)) → logsumexp(m, axis=1) + log(abs(z))
    log-mul-kept-sum: log(rows * abs(q)) → logsumexp(m, axis=1)[:, None] + log(abs(q))
    log-div-kept-sum: log(rows / 3.0) → logsumexp(m, axis=1)[:, None] - log(3.0)
    log-div-softmax: log(exp(q) / softmax(m)) → log(exp(q)) - log_softmax(m, axis=1)
    log-softmax-div: log(softmax(m) / 3.0) → log_softmax(m, axis=1) - log(3.0)
    log-softmax-mul: log(softmax(m) * 3.0) → log_softmax(m, axis=1) + log(3.0)
    log-sum-of-chosen-softmax: log(sum(cast(q > 0.0, "float64") * softmax(m), axis=1))
        → logsumexp(log_softmax(m, axis=1) + log(cast{float64}(q > 0.0)), axis=1)
    log-div-sigmoid: log(abs(y) / s) → log(abs(y)) - -softplus(-x)
    log-sigmoid-div: log(s / 0.25) → -softplus(-x) - log(0.25)
    sigmoid-of-one: e / (3.0 + e) → sigmoid(x - log(3.0))
    sigmoid-of-one-weighed: 2.0 * e / (3.0 + e) → 2.0 * sigmoid(x - log(3.0))
    sigmoid-of-one-unlike-one: e / (300.0 + e) → sigmoid(x) / (300.0 * sigmoid(-x) + sigmoid(x))
    sigmoid-of-one-weighed-unlike-one: 2.0 * e / (300.0 + e)
        → 2.0 * (sigmoid(x) / (300.0 * sigmoid(-x) + sigmoid(x)))
    div-by-weighed: y / (1 + 3.0 * e) → y * sigmoid(-(x + log(3.0)))
    sigmoid-squared-exp: sqr(t) * e * y → sigmoid(x) * sigmoid(-x) * y
    quotient-amid-factors: y * exp(x) / (exp(x) + exp(z)) → y * sigmoid(x - z)
    quotient-amid-factors: sinh(x) * y / cosh(x) → tanh(x) * y
    quotient-amid-factors: sinh(x) / (cosh(x) * y) → tanh(x) / y
    quotient-amid-factors: sinh(x) * y / (cosh(x) * z) → tanh(x) * y / z
    quotient-amid-factors: sinh(x) * y / sqr(cosh(x)) → tanh(x) / cosh(x) * y
    quotient-amid-factors: sinh(x) / (sqr(cosh(x)) * y) → tanh(x) / cosh(x) / y
    quotient-amid-factors: sinh(x) * y / (sqr(cosh(x)) * z) → tanh(x) / cosh(x) * y / z
    entropy-slope: mul(s, t, softplus(x)) - mul(s, t, softplus(-x)) → sigmoid(x) * sigmoid(-x) * x
    entropy-slope-scaled: mul(y, s, t, softplus(x)) - mul(y, s, t, softplus(-x))
        → y * (sigmoid(x) * sigmoid(-x) * x)
    tanh-of-sigmoid-weighed: weights + doubled * s → [0.25 0.5  2.  ] * -tanh(x / 2.0)
    log-part-of-exp-div-by-array: log(exp(m)[n, labels] / total)
        → m[[0 1 2], [0 2 1]] - log(sum(exp(m), axis=(1,)))
    log-part-of-exp-div: log(exp(m)[:, 0] / total) → m[:, 0] - log(sum(exp(m), axis=(1,)))
    log-sum-part-of-exp: log(sum(exp(m)[0])) → logsumexp(m[0], axis=None)
    log-sum-part-of-exp-by-array: log(sum(exp(m)[labels])) → logsumexp(m[[0 2 1]], axis=None)
    log-chosen-part-of-softmax-by-array: log(switch(x > 0.0, softmax(m)[n, labels], 2.0))
        → switch(x > 0.0, log_softmax(m, axis=1)[[0 1 2], [0 2 1]], log(2.0))
    log-chosen-part-of-softmax: log(switch(x > 0.0, softmax(m)[:, 1], 2.0))
        → switch(x > 0.0, log_softmax(m, axis=1)[:, 1], log(2.0))
    part-of-softmax: exp(m)[:, 0] / total → softmax(m, axis=1)[:, 0]
    part-of-softmax: e[1] / sum(e) → softmax(x, axis=None)[1]
    part-of-softmax: exp(x[1]) / sum(e) → softmax(x, axis=None)[1]
    part-of-softmax: exp(m)[0, 1] / sum(exp(m)[0]) → softmax(m[0], axis=None)[1]
    quotient-amid-factors: exp(m)[:, 0] * y / total → softmax(m, axis=1)[:, 0] * y
    slice-of-softmax: exp(m)[:, :1] / rows → softmax(m, axis=1)[:, :1]
    slice-of-softmax: exp(m)[0] / sum(exp(m)[0])[None] → softmax(m[0], axis=None)
    slice-of-softmax: exp(m)[:, 1::2] / rows → softmax(m, axis=1)[:, 1::2]
    quotient-amid-factors: exp(m)[:, :1] * m[:, 1:2] / rows → softmax(m, axis=1)[:, :1] * m[:, 1:2]
    # sums of exponentials
    log-of-sum: log(e + u) → logaddexp(x, y)
    log-of-sum: log(e + u + v + exp(x * y)) → logaddexp(x, y, z, x * y)
    log-of-sum: log(2.0 * e + u / 4.0 + 1.0)
        → logaddexp(0.0, x + 0.6931471805599453, y - 1.3862943611198906)
    log-of-sum: log(2.0**x + 10.0**y) → logaddexp(0.6931471805599453 * x, 2.302585092994046 * y)
    log-of-sum: log(sum(exp(m)) + e) → logaddexp(logsumexp(m, axis=None), x)
    log-of-sum: log(sigmoid(x) * e + u) → logaddexp(-softplus(-x) + x, y)
    log-of-difference: log(e - u) → x + log1mexp(switch(x == y, 0.0, y - x))
    log1p-of-sum: log1p(e + u) → logaddexp(0.0, x, y)
    log-in-base: log2(exp2(x) + 8.0 * 2.0**y + 4.0)
        → logaddexp(1.3862943611198906, …, …) / 0.6931471805599453
    log-in-base: log2(e - u) → (x + log1mexp(switch(x == y, 0.0, y - x))) / 0.6931471805599453
    log-in-base: log2(e + u) → logaddexp(x, y) / 0.6931471805599453
    log-in-base: log10(e + u) → logaddexp(x, y) / 2.302585092994046
    less-logaddexp: x - logaddexp(y, x) → -logaddexp(0.0, y - x)
    less-logaddexp: x - logaddexp(x, y, z)
        → switch(x == -inf, x, 0.0) - logaddexp(switch(x == -inf, x, 0.0),
        y - switch(x == -inf, 0.0, x), z - switch(x == -inf, 0.0, x))
    log-sum-exp: log(sum(exp(x))) → logsumexp(x, axis=None)
    log-sum-exp: log(sum(exp(m), axis=0)) → logsumexp(m, axis=0)
    log-sum-exp-moved: log(sum(exp(m), axis=1, keepdims=True)) → logsumexp(m, axis=1)[:, None]
    log-mean-exp: log(sum(exp(m), axis=1) / exp(y)) → logsumexp(m, axis=1) - log(exp(y))
    log-mean-exp: log(sum(exp(x)) / 3.0) → logsumexp(x, axis=None) - log(3.0)
    log-in-base: log2(sum(exp(x))) → logsumexp(x, axis=None) / 0.6931471805599453
    log-in-base: log10(sum(exp(x))) → logsumexp(x, axis=None) / 2.302585092994046
    # special functions
    difference-turned: erf(x) - 1 → -erfc(x)
    difference-turned: erfc(x) - 1 → -erf(x)
    erfc-scaled: 0.5 - 0.5 * erf(x) → 0.5 * erfc(x)
    erfc-of-neg-scaled: 0.5 + 0.5 * erf(x) → 0.5 * erfc(-x)
    difference-turned: ndtr(x) - 1 → -ndtr(-x)
    gammaln-step-positive: gammaln(cosh(x) + 1) - gammaln(cosh(x)) → log(cosh(x))
    digamma-step-positive: digamma(1 + cosh(x)) - digamma(cosh(x)) → 1.0 / cosh(x)
    # angles, hyperbolas, and any op with some facts
    tan-mul-cos: y * tan(x) * cos(x) → y * sin(x)
    pythagoras: sqr(sin(x)) + y + sqr(cos(x)) → 1.0 + y
    cosh: exp(x) + y + exp(-x) → 2.0 * cosh(x) + y
    sinh-scaled: 3 * exp(x) - 3 * exp(-x) → 3.0 * (2.0 * sinh(x))
    even-neg: sqr(-byte) → sqr(u)
    inverse-nonnegative: exp(log(abs(x))) → abs(x)
    odd-neg: sin(-x) → -sin(x)
    odd-neg: tan(-x) → -tan(x)
    odd-neg: arcsin(-x) → -arcsin(x)
    odd-neg: arctan(-x) → -arctan(x)
    odd-neg: sinh(-x) → -sinh(x)
    odd-neg: tanh(-x) → -tanh(x)
    odd-neg: arcsinh(-x) → -arcsinh(x)
    odd-neg: arctanh(-x) → -arctanh(x)
    odd-neg: erf(-x) → -erf(x)
    odd-neg: erfinv(-x) → -erfinv(x)
    even-neg: cos(-x) → cos(x)
    even-abs: cos(abs(x)) → cos(x)
    even-neg: cosh(-x) → cosh(x)
    even-abs: cosh(abs(x)) → cosh(x)
    even-neg: log_cosh(-x) → log_cosh(x)
    even-abs: log_cosh(abs(x)) → log_cosh(x)
    inverse: sinh(arcsinh(x)) → x
    inverse: arcsinh(sinh(x)) → x
    inverse: arctanh(tanh(x)) → x
    inverse: tan(arctan(x)) → x
    inverse: log1p(expm1(x)) → x
    inverse: erfinv(erf(x)) → x
    inverse-nonnegative: exp(log(p)) → sigmoid(y)
    inverse-nonnegative: exp2(log2(p)) → sigmoid(y)
    inverse-nonnegative: expm1(log1p(p)) → sigmoid(y)
    inverse-where-defined: exp(log(x)) → x
    inverse-where-defined: exp2(log2(x)) → x
    inverse-where-defined: expm1(log1p(x)) → x
    inverse-where-defined: sin(arcsin(x)) → x
    inverse-where-defined: cos(arccos(x)) → x
    inverse-where-defined: cosh(arccosh(x)) → x
    inverse-where-defined: tanh(arctanh(x)) → x
    inverse-where-defined: erf(erfinv(x)) → x
    """,
    ("log1p-sum", at.log(y + x + 1), IN_PARTS),
    ("log1p-sub", at.log((x + 1) - y), IN_PARTS),
    (
        "log-of-sum",
        at.log((e - u) + v),
        f"{of_three} + log(exp(x - {of_three}) + exp(z - {of_three}) - exp(y - {of_three}))",
    ),
    (
        "log-of-difference",
        at.log(e - 3.0),
        f"{beside_3} + log(exp(x - {beside_3}) - 3.0 * exp(-{beside_3}))",
    ),
    ("log1p-of-sum", at.log1p(2.0 + e), f"logaddexp({np.log1p(2.0)}, x)"),
    *(
        (
            f"share{ending}",
            before,
            f"{own} / ({own} + {other}){after}",
        )
        for ending, before, after in (
            ("", e / (e + u), ""),
            ("", e * z / (e + u), " * z"),
            ("", e / ((e + u) * z), " / z"),
            ("", e * x / ((e + u) * z), " * x / z"),
            ("", e / at.sqr(e + u), " / (exp(x) + exp(y))"),
            ("", e * z / at.sqr(e + u), " / (exp(x) + exp(y)) * z"),
            ("", e / (at.sqr(e + u) * z), " / (exp(x) + exp(y)) / z"),
            ("", e * x / (at.sqr(e + u) * z), " / (exp(x) + exp(y)) * x / z"),
            ("", e / (e + u) ** 3, " / (exp(x) + exp(y)) ** 2.0"),
            ("-by-reciprocal", at.sqr(1.0 / (e + u)) * e, " / (exp(x) + exp(y))"),
            ("-of-quotient", z / (e + u) ** 3 * e, " / (exp(x) + exp(y)) ** 2.0 * z"),
        )
    ),
    *(
        (f"log{ending}" if logarithm is at.log else "log-in-base", logarithm(tail), f"{after}{by}")
        for logarithm, by in (
            (at.log, ""),
            (at.log2, " / 0.6931471805599453"),
            (at.log10, " / 2.302585092994046"),
        )
        for ending, tail, after in (
            ("-erfc", at.erfc(x), LOG_ERFC),
            ("-half-erfc", 0.5 * at.erfc(x), "log_ndtr(-1.4142135623730951 * x)"),
            ("-erfc-by-two", at.erfc(x) / 2, "log_ndtr(-1.4142135623730951 * x)"),
            ("-ndtr", ndtr(x - y), "log_ndtr(x - y)"),
        )
    ),
]
LEFT_ALONE = """
    # exponentials and logarithms
    exp-scaled-log-nonnegative: exp(3 * log(x))
    log-even-power: log(x**3)
    log-odd-power: log(x**-1)
    log-odd-power: log(x**4)
    log-power: log(x**0.5)
    log-power: log(p**0)
    pow-exp: exp(x) ** y  # of 0 and infinity it is 1
    exp-mul-vanishing: exp(x) * (1 / log(at.cosh(exp(x))))  # nearly exp(-x), where it is 0
    exp-mul-vanishing: exp(x) * (sigmoid(exp(x)) / (2 + exp(x)))
    exp-mul-vanishing: exp(x) * exp(-exp(-x))
    quotient-amid-factors: byte * byte / (1 + exp(x)) ** 2.0  # the product of integers wraps around
    power-to-sigmoid: (1 + exp(x)) ** -0.5
    power-of-sigmoid-exp: sigmoid(x) ** 2.5 * exp(x)
    slope-of-reciprocal-power: y / x**2.5 * x**1.5  # of a negative number there is neither
    slope-of-reciprocal-power: y / sqrt(x) * x
    slope-of-reciprocal-power: y / x**3 * x
    pow-exp: exp(x) ** math.inf
    log-inverse: log(1 / x)  # infinite, with the sign of a zero
    log-by-log-two: log(x) / 0.69
    log-exp: log(exp(i))  # an integer is not a float
    log1p: log(i + 1)
    log1p: log(add(1.0, i, i))  # as integers they might wrap around
    exp-mul-exp: exp(f) * exp(x)  # one is of less precision
    sigmoid: 1 / (2 + exp(-x))
    sigmoid: 1 / (1 + exp(-i))
    sigmoid-of-exp: exp(x) / (1 + exp(y))
    softplus-log-nonnegative: softplus(log(x))
    softplus-by-parts: maximum(x, 0) + softplus(-abs(y))
    tanh-of-sigmoid: 3 * sigmoid(x) - 1
    sigmoid-neg: 1 - sigmoid(f) * x
    # logarithms of products
    log-of-product: log(x * y)
    log-of-exponential: log(1.0**x)
    log-of-exponential: log((-2.0) ** x)
    log-of-product: log(x**2 * y)
    log-of-quotient: log(x / y)
    log-of-quotient: log(x / (exp(y) * z * w))
    log-of-power: log(x**3)
    log-of-determinant: log(x * y - z)
    log-of-determinant: log(mul(x, y, w) - z * w)
    # quotients of exponentials
    # near 0 the first quotient may overflow
    quotient-amid-factors: cosh(x) * y / sinh(x)
    quotient-amid-factors: exp(m) * q / sum(exp(m), axis=0, keepdims=True).T
    softmax-mean: sum(exp(m) * q, axis=0) / total
    # the product may have nothing to add up where the softmax has
    softmax-mean: sum(exp(column) * q, axis=1) / sum(exp(column), axis=1)
    quotient-amid-factors: sum(exp(column) * q, 1) / (sum(exp(column), 1) * y)
    # where a weight is zero, the slope of its logarithm is not finite
    log-sum-weighed: log(sum(e * sqr(y)))
    log-sum-weighed: log(sum(exp(m) * (sigmoid(q) * q)))
    log-sum-divided: log(sum(exp(m) / -exp(q)))
    log-mul-sum: log(total * y)
    log-div-softmax: log(q / softmax(m))
    log-sigmoid-div: log(s / y)
    sigmoid-of-one: e / (y + e)
    sigmoid-of-one: e / (300.0 + e)
    sigmoid-of-one-unlike-one: e / (3.0 + e)
    sigmoid-of-one-weighed: y * e / (3.0 + e)
    tanh-slope: 1 - sqr(tanh(x)) * y
    tanh-of-sigmoid-weighed: weights + weights * s
    sigmoid-difference: s - sigmoid(y)
    log-part-of-exp-div: log(exp(m)[:, 0] / y)
    # the slope of a logarithm that is not chosen may be infinite
    log-chosen-part-of-softmax-by-array: log(switch(x > 0, softmax(m)[n, labels], y))
    part-of-softmax: exp(m)[:, 0] / sum(exp(m), axis=0)
    part-of-softmax: exp(m)[0] / total
    part-of-softmax: exp(m)[1, 1] / sum(exp(m)[0])
    slice-of-softmax: exp(m)[:1] / rows
    slice-of-softmax: exp(m)[:, :1] / sum(exp(m), axis=0, keepdims=True)
    # sums of exponentials
    log-of-sum: log(e + y)
    log-of-sum: log(e - 2.0)
    log-of-sum: log(e * y + u)  # a weight of any sign
    log-of-sum: log(sigmoid(x) + 1e-7)  # neither over- nor underflows
    log-of-sum: log(exp(f) + u)  # one is of less precision
    log-of-sum: log(exp(i) + exp(2 * i))
    log-of-difference: log(sigmoid(x) - sigmoid(y))  # their exponents are rounded
    log1p-of-sum: log1p(2.0 * e + u)  # small, it has all its digits
    log1p-of-sum: log1p(e - u)
    log-in-base: log2(exp2(x) + y)
    less-logaddexp: z - logaddexp(x, y)
    # the logarithm of a narrower weight would be rounded to its dtype
    log-of-sum: log(tenth * e + u)
    log-of-sum: log(e / tenth + u)
    log-of-sum: log(exp(x - y) / (exp(f) * exp(f)) + u)
    log-in-base: log2(tenth * exp2(x) + exp2(y))
    log-in-base: log10(tenth * e + u)
    share: e / (e + y)
    share: e / (exp(x - maximum(x, y)) + exp(y - maximum(x, y)))
    share: e / (1e-200 * e + u)  # the largest exponent is not that of the largest term
    # special functions
    erfc: 2 - erf(x)
    gammaln-step-positive: gammaln(exp(x) + 1) - gammaln(exp(x))
    gammaln-step: gammaln(x + 2) - gammaln(x)
    erfc-scaled: 0.5 - 0.25 * erf(x)
    # where it overflows, a sum that does not is another one
    erfc-of-neg-scaled: 1e308 + 1e308 * erf(x)
    log-half-erfc: log(0.25 * erfc(x))
    log-erfc: log(erfc(cast(x, "float16")))
    # angles, hyperbolas, and any op with some facts
    tan: sin(x) / cos(y)
    pythagoras: sqr(sin(x)) + sqr(cos(y))
    sinh: exp(x) - exp(-y)
    arcsinh: log(x + sqrt(sqr(y) + 1))
    arctanh: log((1 + x) / (1 - y))
    arctan2-one: arctan2(y, 2)
    odd-neg: sin(-i)
    odd-neg: sign(-x)
    odd-neg: neg(-x)
    odd-neg: exp(-x)
    even-neg: abs(-byte)
    inverse: exp(log(x))  # nan where x is negative
    inverse: log(exp(x))
    inverse-nonnegative: exp(log(x))
    inverse-where-defined: exp(log1p(x))
    inverse-where-defined: exp(log(i))
    inverse-where-defined: tan(arctan(x))  # the arc rounds to a right angle
"""


def test_float32_stays_float32():
    for before in (at.log(1 + f), at.exp(f) * at.exp(h)):
        for law in laws_of(exponential).values():
            assert applied(law, before).type.dtype == "float32"


# what is far from 1, the value, and the slopes by x, y and z, where the graph reads them
EXTREMES = [
    ("log-exp", at.log(e), (800.0, 0.0, 0.0), 800.0, (1.0,)),
    ("log-exp", at.log(e), (-800.0, 0.0, 0.0), -800.0, (1.0,)),
    ("exp-div-exp", e / u, (800.0, 799.0, 0.0), math.e, (math.e, -math.e)),
    ("log-expm1", at.log(at.expm1(x)), (800.0, 0.0, 0.0), 800.0, (1.0,)),
    ("log-expm1", at.log(at.expm1(x)), (-800.0, 0.0, 0.0), np.nan, None),
    # a term that cancels one leaves the others, however it is written
    ("log1p-sum", at.log(at.add(1, x, y)), (-1.0, 1e-20, 0.0), math.log(1e-20), None),
    ("log1p-sum", at.log(at.add(1, x, y)), (1e-9, 1e-9, 0.0), math.log1p(2e-9), None),
    ("log1p-sub", at.log((1 + x) - (-y)), (-1.0, 1e-20, 0.0), math.log(1e-20), None),
    ("log1p-sub", at.log((1 + x) - (-y)), (1e-9, 1e-9, 0.0), math.log1p(2e-9), None),
    # beside itself alone the difference of the exponents is no term
    ("less-logaddexp", x - at.logaddexp(x, x), (np.nan, 0.0, 0.0), np.nan, None),
    ("less-logaddexp", x - at.logaddexp(x, x), (1.0, 0.0, 0.0), -math.log(2), None),
    ("less-logaddexp", x - at.logaddexp(x, x, x), (np.nan, 0.0, 0.0), np.nan, None),
    ("less-logaddexp", x - at.logaddexp(x, x, x), (1.0, 0.0, 0.0), -math.log(3), None),
    ("log-of-product", at.log(at.exp(x) * y), (-800.0, -3.0, 0.0), np.nan, (1.0, -1 / 3)),
    ("log-of-product", at.log(at.exp(x) * y), (-800.0, 2.0, 0.0), np.log(2) - 800, (1.0, 0.5)),
    ("log-of-product", at.log(at.exp(x) * y), (-np.inf, -3.0, 0.0), -np.inf, (1.0, -1 / 3)),
    (
        "log-of-quotient",
        at.log(at.exp(x) / z),
        (900.0, 0.0, 1e-3),
        900 - np.log(1e-3),
        (1.0, -1000.0),
    ),
    ("log-of-power", at.log(x**y), (1e-200, 3.0, 0.0), -600 * np.log(10), (3e200, np.log(1e-200))),
    ("log-of-power", at.log(x**y), (-2.0, 2.0, 0.0), np.log(4), (-1.0, np.nan)),
    ("log-of-power", at.log(x**y), (0.0, 0.0, 0.0), 0.0, (0.0, 0.0)),
    ("log-of-power", at.log(x**y), (0.0, 2.0, 0.0), -np.inf, None),
    (
        "log-of-power-of-sigmoid",
        at.log(at.sigmoid(x) ** y),
        (-900.0, 2.0, 0.0),
        -1800.0,
        (2.0, -900.0),
    ),
]


@pytest.mark.parametrize(("name", "before", "point", "value", "slopes"), EXTREMES)
def test_at_the_ends(name, before, point, value, slopes):
    after = applied(LAWS[name], before)
    values = {key: np.array([number]) for key, number in zip("xyz", point, strict=True)}
    np.testing.assert_allclose(value_of(after, values), [value], rtol=1e-15)
    if slopes is not None:
        inputs = sorted(inputs_of(after), key=lambda v: v.name)
        found = [value_of(grad(at.sum(after), v), values).item() for v in inputs]
        np.testing.assert_allclose(found, slopes, rtol=1e-14)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ((1e200, 1e180, 1.0, 2.0), 380 * np.log(10)),
        ((1e-200, 1e-180, 1e-200, -1e-180), -380 * np.log(10) + np.log(2)),
        ((1e-200, 1e-180, 0.0, 1e300), -380 * np.log(10)),
        ((1e200, 1e180, 1e200, 1e181), np.nan),
        ((2.0, 3.0, 1.0, 5.0), 0.0),
        ((np.inf, 1.0, 2.0, 3.0), np.inf),
        ((np.inf, 1.0, np.inf, 3.0), np.nan),
    ],
)
def test_determinants_at_the_ends(entries, expected):
    found = at.log_determinant(*entries).eval()
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize(
    "entries", [(1e200, 1e180, 1.0, 2.0), (2.0, 3.0, 1.0, 4.0), (3.0, 1e-200, 2e-200, 0.5)]
)
def test_slopes_of_a_determinant(entries):
    inputs = at.dscalars("x", "y", "z", "w")
    value = at.log_determinant(*inputs)
    found = function(inputs, [value, *grad(value, inputs)])(*entries)
    expected = true_value_and_slopes(value, inputs, entries)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


a, b, c, d = INPUTS = at.dscalars(*"abcd")


exps = [at.exp(v) for v in INPUTS]


FORMULAS = {
    "four": at.log(sum(exps)),
    "weighed": at.log(2.0 * at.exp(a) + at.exp(b) / 4.0 + 0.5 * at.exp(c) + at.exp(d)),
    "with 1": at.log(1.0 + at.exp(a) + at.exp(b) + at.exp(c * d)),
    "log1p": at.log1p(sum(exps)),
    "mean": at.log(sum(exps) / 4.0),
    "by a factor": at.log(sum(exps) * 0.25),
    "among factors": at.log(3 * sum(exps) / 7),
    "subtracted": at.log(2.0 * at.exp(a) + at.exp(b) + at.exp(c) - at.exp(d)),
    "less a number": at.log(at.exp(a) + at.exp(b * c * d) - 0.5),
    "share": at.exp(a) / sum(exps),
    "share beside 1": at.exp(a) * d / (1.0 + at.exp(a) + at.exp(b) + at.exp(c)),
    "log of share": at.log(at.exp(a) / sum(exps)),
    "by a sum": 1.0 / (1.0 + at.exp(a) + at.exp(b) + at.exp(c) * at.exp(d)),
    "log10": at.log10(sum(exps)),
    "powers": at.log10(10.0**a + 10.0**b + 10.0**c + 10.0**d),
}


POINTS = (
    (0.1, 0.2, 0.3, 0.05),
    (800.0, 799.0, 801.0, -5.0),
    (-800.0, -801.0, -799.0, -802.0),
    (800.0, 800.0, 800.0, 800.0),
    (0.0, 0.0, 0.0, 0.0),
    (30.0, -5.0, -7.0, -8.0),
    (-40.0, -41.0, -39.0, -300.0),
)


@pytest.mark.parametrize("name", FORMULAS)
def test_values_and_slopes_are_true(name: str) -> None:
    cost = FORMULAS[name]
    run = function(INPUTS, [cost, *grad(cost, INPUTS)])
    for point in POINTS:
        # the logarithm of a weight rounds an exponent, and a sum that cancels has fewer digits
        size = max(map(abs, point)) if name in ("weighed", "subtracted", "powers") else 1
        expected = true_value_and_slopes(cost, INPUTS, point)
        if math.isnan(expected[0]):
            assert math.isnan(run(*point)[0])
        else:
            np.testing.assert_allclose(run(*point), expected, 8 * max(size, 1) * 2.0**-52, 1e-300)


@pytest.mark.parametrize(
    ("values", "total", "slopes", "share"),
    [
        ((math.inf, 1.0, 2.0), math.inf, (1.0, 0.0, 0.0), (1.0, 0.0)),
        ((1.0, math.inf, 2.0), math.inf, (0.0, 1.0, 0.0), (0.0, -math.inf)),
        ((-math.inf, 0.0, 0.0), math.log(2), (0.0, 0.5, 0.5), (0.0, -math.inf)),
        ((-math.inf, -math.inf, -math.inf), -math.inf, (math.nan,) * 3, (math.nan,) * 2),
        ((math.nan, 0.0, 1.0), math.nan, (math.nan,) * 3, (math.nan,) * 2),
    ],
)
def test_infinities_and_nan(values: Any, total: float, slopes: Any, share: Any) -> None:
    """The logarithm of a sum with its slopes, and the share of the first term with its own."""
    inputs = at.dscalars(*"abc")
    exps = [at.exp(v) for v in inputs]
    cost, part = at.log(at.add(*exps)), exps[0] / at.add(*exps)
    found = function(inputs, [cost, *grad(cost, inputs)])(*values)
    np.testing.assert_allclose(found, [total, *slopes], rtol=1e-15)
    np.testing.assert_array_equal(function(inputs, [part, at.log(part)])(*values), share)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_shapes_and_dtypes(dtype: str) -> None:
    shapes: Sequence[tuple[int, ...]] = ((), (2,), (2, 3), (2, 1), (1, 3))
    inputs = [
        at.tensor(dtype, tuple(n if n == 1 else None for n in shape))
        for shape in shapes[:1] + shapes[2:]
    ]
    terms = [at.exp(v) for v in inputs]
    run = function(inputs, [at.log(at.add(*terms)), terms[0] / at.add(*terms)])
    values = [np.full(shape, 800 + k, dtype) for k, shape in enumerate(shapes[:1] + shapes[2:])]
    whole, share = run(*values)
    expected = 803 + math.log(sum(math.exp(-k) for k in range(4)))
    assert whole.dtype == share.dtype == dtype
    np.testing.assert_allclose(whole, np.full((2, 3), expected), rtol=1e-6)
    np.testing.assert_allclose(share, np.full((2, 3), math.exp(800 - expected)), rtol=1e-4)


def test_curvature_where_entries_are_equal() -> None:
    inputs = at.TensorType("float64", (3,))("v")
    cost = at.log(at.add(*[at.exp(inputs[k]) for k in range(3)]))
    run = function([inputs], hessian(cost, inputs))
    for point in ([0.0, 0.0, 0.0], [900.0, 900.0, 898.0]):
        shares = np.exp(np.array(point) - max(point))
        shares /= shares.sum()
        expected = np.diag(shares) - np.outer(shares, shares)
        np.testing.assert_allclose(run(np.array(point)), expected, atol=1e-15)


def test_sums_over_what_is_joined() -> None:
    for joined in (
        at.sum(at.stack([e, u, v]), axis=0),
        at.sum(at.exp(at.stack([x, y, z])), axis=0),
        at.sum(at.stack([e, u, v], axis=1), axis=1),
    ):
        made = optimize_graph(at.log(joined), include=PHASES, clone=True)
        found = value_of(
            made, {"x": np.array([800.0]), "y": np.array([800.0]), "z": np.array([800.0])}
        )
        np.testing.assert_allclose(found, 800 + math.log(3), rtol=1e-15)


def _mixed(name: str, dtype: str, *values: float) -> tuple[Any, Any]:
    return at.TensorType(dtype, (None,))(name), np.array(values, dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32"])
def test_a_logarithm_of_a_share_is_computed_in_its_own_dtype(dtype: str) -> None:
    """Not in a narrower one, in which two of several exponents have their difference."""
    own, among, third = (
        _mixed("own", "float32", math.e, 0.1),
        _mixed("among", "float64", 0.0, 7.0),
        _mixed("third", dtype, 7.0, 3.0),
    )
    before = own[0] - at.logaddexp(own[0], among[0], third[0])
    after = applied(LAWS["less-logaddexp"], before)
    assert after is not before
    values = {v.name: value.astype(v.type.dtype) for v, value in (own, among, third)}
    np.testing.assert_allclose(value_of(after, values), value_of(before, values), rtol=1e-15)


def test_all_shares_are_of_one_scaled_sum() -> None:
    inputs = [at.dvector() for _ in range(20)]
    exps = [at.exp(v) for v in inputs]
    found = counted_in_copy([v / at.add(*exps) for v in exps], PHASES)
    # of each a bound, a difference, an exponential and a share; the largest, and the sum
    assert found.left <= 4 * 20 + 4
    assert found.made <= 6 * 20 + 10


def test_the_sum_of_no_exponentials() -> None:
    after = applied(LAWS["log-sum-exp"], at.log(at.sum(at.exp(x))))
    assert value_of(after, {"x": np.ones(0)}) == -math.inf


TAILS: dict[str, Callable[[Any], Any]] = {
    "erfc": lambda t: at.log(at.erfc(t)),
    "one less erf": lambda t: at.log(1 - at.erf(t)),
    "one and erf": lambda t: at.log(1 + at.erf(t)),
    "log1p": lambda t: at.log1p(at.erf(t)),
    "log1p of less": lambda t: at.log1p(-at.erf(t)),
    "log10": lambda t: at.log10(at.erfc(t)),
    "weighed": lambda t: at.log(3 * at.erfc(t)),
    "ndtr": lambda t: at.log(ndtr(t)),
    "by erf": lambda t: at.log(0.5 * (1 + at.erf(t / ROOT))),
    "by halves": lambda t: at.log(0.5 + 0.5 * at.erf(t / ROOT)),
    "by erfc": lambda t: at.log(at.erfc(-t / ROOT) / 2),
    "sf": lambda t: at.log(1 - ndtr(t)),
    "sf by log1p": lambda t: at.log1p(-ndtr(t)),
    "sf by erfc": lambda t: at.log(0.5 * at.erfc(t / ROOT)),
    "sf by erf": lambda t: at.log(1 - 0.5 * (1 + at.erf(t / ROOT))),
    "sf of a scale": lambda t: at.log(1 - ndtr((t - 1.0) / 2.0)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TAILS)
def test_tails_and_their_slopes_are_true(name: str, dtype: str) -> None:
    t = at.scalar("t", dtype)
    cost = TAILS[name](t)
    run = function([t], [cost, grad(cost, t)])
    limits = np.finfo(dtype)
    for point in (-40.0, -7.0, -0.75, -0.25, 0.0, 2.0**-30, 0.25, 0.75, 7.0, 40.0):
        value, slope = run(np.asarray(point, dtype))
        assert value.dtype == slope.dtype == dtype
        expected, rise = true_value_and_slopes(cost, [t], [point])
        for found, truth, moved in ((value, expected, point * rise), (slope, rise, 0)):
            allowed = 10 * limits.eps * ((1 + point**2) * abs(truth) + abs(moved))
            assert abs(float(found) - truth) <= allowed + limits.tiny, point


def test_far_out_the_slope_is_the_number() -> None:
    t = at.dscalar("t")
    cost = at.log(ndtr(t))
    run = function([t], [cost, grad(cost, t)])
    np.testing.assert_allclose(run(-1e10), [-5e19, 1e10], rtol=1e-15)
    np.testing.assert_array_equal(run(-math.inf), [-math.inf, math.inf])
    np.testing.assert_array_equal(run(math.inf), [0, 0])
    assert np.isnan(run(math.nan)).all()


@pytest.mark.parametrize("name", sorted(WITH_FACTS))
def test_the_checker_tries_every_op_with_the_fact(name):
    rule = WITH_FACTS[name].forward.rule
    instantiator = PatternInstantiator(rule, Random(0))
    admitted = admitted_ops(rule.pattern, rule.conditions, scalar_ops)
    tried = []
    for _ in range(5 * len(admitted)):  # an op may not take the arguments drawn for it
        with suppress(CannotInstantiate):
            bindings = instantiator.instantiate().bindings
            tried.append({v: bindings[v] for v in admitted[0]})
    assert len(tried) > 5 and all(given in tried for given in admitted)

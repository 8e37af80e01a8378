"""Identities for searches over many forms. They help in both directions, so no phase has them.

Every search of `relgraph.search` uses `SHARED`. `OF_NUMBERS` hold for real numbers: in floats the
sides differ in what they lose to rounding, overflow and poles, and `improve` looks for the side
that loses least.

Higham, Accuracy and Stability of Numerical Algorithms (2002), 2.8 and 27.8; Smith, Algorithm 116:
complex division (1962); Dekker (1971); Ogita, Rump and Oishi, Accurate sum and dot product (2005);
Payne and Hanek, Radian reduction for trigonometric functions (1983).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

import relgraph.tensor as at
from relations.kit.guards import are_nonnegative, are_positive, broadcast_alike
from relations.kit.type_guards import floato, ranko, same_dtypeo
from relations.kit.vocabulary import finite, law, lvars, rounding, stable
from relgraph import scalar
from relgraph.graph.kanren.goals import computed, whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    cbrt,
    cos,
    cosh,
    cosm1,
    exp,
    expm1,
    gt,
    hypot,
    log,
    log1p,
    sign,
    sin,
    sinh,
    sqrt,
    switch,
    tan,
    tanh,
)
from relgraph.tensor import sum as sum_
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.math import _dot, add_error, fma, mul_error

a, x, y, z, t = lvars("a x y z t")
log_cosh = Elemwise(scalar.log_cosh)

real = partial(law, sound="domain")
"""`law` for what holds of the numbers of a domain."""


def are_ordinary(*values: Any) -> bool:
    """Return whether some numbers are zero or of the size of one."""
    sizes = [np.abs(np.asarray(v, float)) for v in values]
    return all(bool(np.all((v == 0) | ((v > 0.1) & (v < 10)))) for v in sizes)


def is_powered(x: Any, *exponents: Any) -> bool:
    """Return whether a base is positive, and its exponents are of the size of one."""
    return are_positive(x) and are_ordinary(x, *exponents)


def is_within_an_octant(x: Any) -> bool:
    """Return whether angles are between -π/4 and π/4, but for a little."""
    return bool(np.all(np.abs(np.asarray(x, float)) < 0.7))


def are_near(x: Any, y: Any) -> bool:
    """Return whether two numbers are less than a factor of two apart."""
    quotient = np.asarray(x) / y
    return are_positive(quotient - 0.5, 2 - quotient)


powered = partial(whereo, is_powered)
angle, angles = (partial(real, domain=whereo(are_ordinary, *v)) for v in ([x], [x, y]))
"""`law` for angles of the size of a turn: the rounding of a sum of large ones is no small angle."""

positive, nonnegative = partial(whereo, are_positive), partial(whereo, are_nonnegative)
"""Where a law holds, beside where both sides have a value; of what it is applied to, its
derivation says so."""

signed_root = sign(y) * sqrt(abs_(y)) * (sign(z) * sqrt(abs_(z)))
apart = sqrt(abs_(abs_(x) - signed_root)) * sqrt(abs_(x) + signed_root)

# one of the functions that a table makes, whose type is not known
fmod: Any = at.fmod
rest = fmod(x, 2 * y)

arcs_apart, within = arctan(x) - arctan(y), positive(1 + x * y)
x_larger, y_larger = gt(abs_(x), abs_(y)), gt(abs_(y), abs_(z))


def sin_of_sum(x: Any, y: Any) -> Any:
    """Return the sine of a sum."""
    return sin(x) * cos(y) + cos(x) * sin(y)


def cos_of_sum(x: Any, y: Any) -> Any:
    """Return the cosine of a sum."""
    return cos(x) * cos(y) - sin(x) * sin(y)


product, product_lost = x * y, mul_error(x, y)
total, total_lost = x + y, add_error(x, y)
difference, difference_lost = x - y, add_error(x, -y)
by, by_lost = x / y, fma(-(x / y), y, x) / y

DISTRIBUTION = (
    finite("distribute-add", x * y + x * z, x * (y + z)),
    finite("distribute-add-one", x * y + x, x * (y + 1)),
    finite("distribute-sub", x * y - x * z, x * (y - z)),
    finite("distribute-sub-one", x * y - x, x * (y - 1)),
    finite("distribute-one-sub", x - x * y, x * (1 - y)),
    finite("divide-add", x / z + y / z, (x + y) / z),
)

DIFFERENCES = (
    rounding("subtract-sum", x - (y + z), (x - y) - z),
    rounding("subtract-difference", x - (y - z), (x - y) + z),
    rounding("add-difference", x + (y - z), (x + y) - z),
)


def have_one_shape(x: Any, y: Any) -> bool:
    """Return whether two tensors are known to have the same lengths."""
    return None not in x.type.shape and bool(x.type.shape == y.type.shape)


def summed(x: Any, axes: Any) -> Any:
    """Return the sum over some axes."""
    return sum_(x, axis=axes)


total_of_x = computed(summed, x, a)
sum_of_x, sum_of_y = sum_(x, axis=a), sum_(y, axis=a)
alike, one_shape = whereo(broadcast_alike, x, y), whereo(have_one_shape, x, y)
of_one_dtype = same_dtypeo(x, y)

SUMS = (
    # the terms meet in another order, and so do infinities of both signs
    finite("sum-of-add", sum_(x + y, axis=a), total_of_x + sum_of_y, alike, of_one_dtype),
    finite("sum-of-sub", sum_(x - y, axis=a), total_of_x - sum_of_y, alike, of_one_dtype),
    # lengths that differ are no error on the left
    finite("add-of-sums", sum_of_x + sum_of_y, sum_(x + y, axis=a), one_shape),
    finite("sub-of-sums", sum_of_x - sum_of_y, sum_(x - y, axis=a), one_shape),
)

PRODUCTS = (
    finite("dot-associates", _dot(_dot(x, z), y), _dot(x, _dot(z, y)), ranko(z, 2)),
    finite("dot-distributes-left", _dot(z, x) + _dot(z, y), _dot(z, x + y), alike),
    finite("dot-distributes-right", _dot(x, z) + _dot(y, z), _dot(x + y, z), alike),
    finite("dot-subtracts-left", _dot(z, x) - _dot(z, y), _dot(z, x - y), alike),
    finite("dot-subtracts-right", _dot(x, z) - _dot(y, z), _dot(x - y, z), alike),
)

SHARED = (*DISTRIBUTION, *DIFFERENCES, *SUMS, *PRODUCTS)

OF_NUMBERS = (
    # grouping
    finite("sum-of-three", (x + y) + z, x + (y + z)),
    finite("product-of-three", (x * y) * z, x * (y * z)),
    finite("product-by-one", (x * y) / z, x * (y / z)),
    finite("quotient-by-one", (x / y) / z, x / (y * z)),
    finite("by-a-quotient", x / (y / z), (x / y) * z),
    finite("by-swapped-quotient", x / y, 1 / (y / x)),
    finite("times-reciprocal", x * (1 / y), x / y),
    # signs
    finite("product-turned", -x * y, -(x * y)),
    law("neg-div", -x / y, -(x / y)),
    law("div-neg", x / -y, -(x / y)),
    # what cancels
    finite("product-by-first", (x * y) / x, y),
    finite("by-product-with-itself", x / (x * y), 1 / y),
    finite("common-factor-of-quotient", (x * y) / (x * z), y / z),
    # common factors
    finite("itself-twice", x + x, 2 * x),
    # fractions
    finite("sum-of-quotients", x / y + z / t, (x * t + z * y) / (y * t)),
    finite("difference-of-quotients", x / y - z / t, (x * t - z * y) / (y * t)),
    finite("sum-with-quotient", x + y / z, (x * z + y) / z),
    finite("difference-with-quotient", x - y / z, (x * z - y) / z),
    finite("quotient-less-one-term", x / y - z, (x - z * y) / y),
    finite("quotient-of-quotients", (x / y) / (z / t), (x / z) * (t / y)),
    finite("product-of-quotients", (x / y) * (z / t), (x * z) / (y * t)),
    # squares
    finite("squares-apart-as-product", x * x - y * y, (x + y) * (x - y)),
    finite("square-and-less-one", x * x - 1, (x + 1) * (x - 1)),
    finite("one-less-square-as-product", 1 - x * x, (1 + x) * (1 - x)),
    finite("square-of-sum", (x + y) * (x + y), x * x + (2 * (x * y) + y * y)),
    finite("square-of-difference", (x - y) * (x - y), x * x + (y * y - 2 * (x * y))),
    finite("square-of-product", (x * y) * (x * y), (x * x) * (y * y)),
    finite("square-of-quotient", (x / y) * (x / y), (x * x) / (y * y)),
    finite("square-of-opposite", -x * -x, x * x),
    # conjugates
    finite("difference-by-conjugate", x - y, (x * x - y * y) / (x + y)),
    finite("sum-by-conjugate", x + y, (x * x - y * y) / (x - y)),
    finite("difference-by-cubes", x - y, (x * (x * x) - y * (y * y)) / (x * x + (x * y + y * y))),
    # roots
    real("square-of-root", sqrt(x) * sqrt(x), x, domain=nonnegative(x)),
    finite("root-of-square", sqrt(x * x), abs_(x)),
    real("root-of-product", sqrt(x * y), sqrt(x) * sqrt(y), domain=nonnegative(x, y)),
    finite("root-of-product-of-like-signs", sqrt(x * y), sqrt(abs_(x)) * sqrt(abs_(y))),
    real("root-of-quotient", sqrt(x / y), sqrt(x) / sqrt(y), domain=positive(x, y)),
    real("root-with-square-taken-out", sqrt(x * (y * y)), abs_(y) * sqrt(x), domain=nonnegative(x)),
    real("root-of-quotient-by-square", sqrt(x / (y * y)), sqrt(x) / abs_(y), domain=nonnegative(x)),
    real("by-root", x / sqrt(x), sqrt(x), domain=positive(x)),
    real("one-by-root", 1 / sqrt(x), sqrt(1 / x), domain=positive(x)),
    finite("cube-of-cube-root", cbrt(x) * (cbrt(x) * cbrt(x)), x),
    finite("cube-root-of-product", cbrt(x * y), cbrt(x) * cbrt(y)),
    finite("cube-root-of-quotient", cbrt(x / y), cbrt(x) / cbrt(y)),
    finite("cube-root-of-cube", cbrt(x * (x * x)), x),
    # powers
    finite("second-power", x**2, x * x),
    finite("third-power", x**3, x * (x * x)),
    finite("fourth-power", x**4, (x * x) * (x * x)),
    finite("fifth-power", x**5, x * ((x * x) * (x * x))),
    finite("sixth-power", x**6, (x * (x * x)) * (x * (x * x))),
    real("third-part-power", x ** (1 / 3), cbrt(x), domain=powered(x)),
    real("product-of-powers", x**y * x**z, x ** (y + z), floato(x), domain=powered(x, y, z)),
    real("quotient-of-powers", x**y / x**z, x ** (y - z), domain=powered(x, y, z)),
    real("power-of-product", (x * y) ** z, x**z * y**z, domain=nonnegative(x, y)),
    real("power-of-quotient", (x / y) ** z, x**z / y**z, domain=positive(x, y)),
    real("power-of-power", (x**y) ** z, x ** (y * z), floato(x), domain=powered(x, y, z)),
    real("power-of-root", sqrt(x) ** y, x ** (y / 2), domain=powered(x, y)),
    real("root-of-power", sqrt(x**y), x ** (y / 2), domain=powered(x, y)),
    finite("power-of-opposite", x**-y, 1 / x**y),
    real("reciprocal-of-power", (1 / x) ** y, x**-y, domain=powered(x, y)),
    real("power-and-one-more", x * x**y, x ** (y + 1), floato(x), domain=powered(x, y)),
    real("power-and-one-less", x**y / x, x ** (y - 1), floato(x), domain=powered(x, y)),
    real("power-less-one-by-exponential", x**y - 1, expm1(y * log(x)), domain=powered(x, y)),
    real(
        "power-of-sum-with-one-less-one",
        (1 + x) ** y - 1,
        expm1(y * log1p(x)),
        domain=powered(1 + x, y),
    ),
    real("one-less-power-by-exponential", 1 - x**y, -expm1(y * log(x)), domain=powered(x, y)),
    real("difference-of-powers", x**z - y**z, y**z * expm1(z * log(x / y)), domain=positive(x, y)),
    real("power-above-one", (1 + x) ** y, exp(y * log1p(x)), domain=powered(1 + x, y)),
    # magnitudes
    real("magnitude-of-negative", abs_(x), -x, floato(x), domain=nonnegative(-x)),
    finite("magnitude-of-difference", abs_(x - y), abs_(y - x), floato(x)),
    finite("square-of-magnitude", abs_(x) * abs_(x), x * x),
    # exponentials
    finite("exp-of-double", exp(2 * x), exp(x) * exp(x)),
    finite("exp-of-product", exp(x * y), exp(x) ** y),
    finite("expm1-of-double", expm1(2 * x), expm1(x) * (expm1(x) + 2)),
    finite("expm1-of-opposite", expm1(-x), -expm1(x) / exp(x)),
    finite("difference-of-exps", exp(x) - exp(y), exp(y) * expm1(x - y)),
    # logarithms
    finite("log-of-root", log(sqrt(x)), log(x) / 2),
    finite("log-above-one", log(1 + x), log1p(x)),
    real("log-of-sum-by-its-first", log(x + y), log(x) + log1p(y / x), domain=positive(x)),
    real("log-of-difference-by-its-first", log(x - y), log(x) + log1p(-y / x), domain=positive(x)),
    real("log-of-quotient-near-one", log(x / y), log1p((x - y) / y), domain=whereo(are_near, x, y)),
    finite("log1p-of-quotient", log1p(x / y), log((y + x) / y)),
    finite("difference-of-log1ps", log1p(x) - log1p(y), log1p((x - y) / (1 + y))),
    finite("arcsinh-by-log", log(x + sqrt(x * x + 1)), arcsinh(x)),
    finite("arccosh-by-log", log(x + sqrt(x * x - 1)), arccosh(x)),
    real(
        "log-of-tan-by-arcsinh",
        log(tan(math.pi / 4 + x)),
        arcsinh(tan(2 * x)),
        domain=whereo(is_within_an_octant, x),
    ),
    # hyperbolic functions
    finite("log-of-cosh", log(cosh(x)), log_cosh(x)),
    finite("tanh-by-expm1", tanh(x), expm1(2 * x) / (expm1(2 * x) + 2)),
    finite("cosh-less-one-by-sinh", cosh(x) - 1, 2 * (sinh(x / 2) * sinh(x / 2))),
    finite("squares-of-cosh-and-sinh", cosh(x) * cosh(x) - sinh(x) * sinh(x), 1),
    finite("one-less-square-of-tanh", 1 - tanh(x) * tanh(x), 1 / (cosh(x) * cosh(x))),
    finite("difference-of-tanhs", tanh(x) - tanh(y), sinh(x - y) / (cosh(x) * cosh(y))),
    finite("difference-of-sinhs", sinh(x) - sinh(y), 2 * (cosh((x + y) / 2) * sinh((x - y) / 2))),
    finite("difference-of-coshs", cosh(x) - cosh(y), 2 * (sinh((x + y) / 2) * sinh((x - y) / 2))),
    finite("reciprocal-with-tanh", 1 / (1 + exp(x)), (1 - tanh(x / 2)) / 2),
    # functions of sums of angles
    angles("sin-of-sum", sin(x + y), sin_of_sum(x, y)),
    angles("cos-of-sum", cos(x + y), cos_of_sum(x, y)),
    angles("sin-of-difference", sin(x - y), sin(x) * cos(y) - cos(x) * sin(y)),
    angles("cos-of-difference", cos(x - y), cos(x) * cos(y) + sin(x) * sin(y)),
    angles("tan-of-sum", tan(x + y), (tan(x) + tan(y)) / (1 - tan(x) * tan(y))),
    angle("tan-of-quarter-and", tan(math.pi / 4 + x), (1 + tan(x)) / (1 - tan(x))),
    finite("sin-of-double", sin(2 * x), 2 * (sin(x) * cos(x))),
    finite("cos-of-double", cos(2 * x), 1 - 2 * (sin(x) * sin(x))),
    # differences of functions of angles
    angles("difference-of-sines", sin(x) - sin(y), 2 * (sin((x - y) / 2) * cos((x + y) / 2))),
    angles("difference-of-cosines", cos(x) - cos(y), -2 * (sin((x - y) / 2) * sin((x + y) / 2))),
    angles("difference-of-tangents", tan(x) - tan(y), sin(x - y) / (cos(x) * cos(y))),
    finite("cosm1-by-sine", cosm1(x), -2 * (sin(x / 2) * sin(x / 2))),
    # products of functions of angles
    finite("squares-of-sine-and-cosine", sin(x) * sin(x) + cos(x) * cos(x), 1),
    finite("one-less-square-of-sine", 1 - sin(x) * sin(x), cos(x) * cos(x)),
    finite("one-less-square-of-cosine", 1 - cos(x) * cos(x), sin(x) * sin(x)),
    finite("square-of-cosine-less-of-sine", cos(x) * cos(x) - sin(x) * sin(x), cos(2 * x)),
    angles("product-of-sines", sin(x) * sin(y), (cos(x - y) - cos(x + y)) / 2),
    angles("product-of-cosines", cos(x) * cos(y), (cos(x + y) + cos(x - y)) / 2),
    angles("product-of-sine-and-cosine", sin(x) * cos(y), (sin(x + y) + sin(x - y)) / 2),
    # ratios of functions of angles
    finite("tangent-by-sine", tan(x) / sin(x), 1 / cos(x)),
    finite("sine-by-tangent", sin(x) / tan(x), cos(x)),
    finite("tangent-of-half", (1 - cos(x)) / sin(x), tan(x / 2)),
    finite("tangent-of-half-by-sine", sin(x) / (1 + cos(x)), tan(x / 2)),
    finite("cosm1-to-sine", cosm1(x) / sin(x), -tan(x / 2)),
    # arcs
    real("difference-of-arctans", arcs_apart, arctan2(x - y, 1 + x * y), domain=within),
    real(
        "difference-of-arctans-as-arctan", arcs_apart, arctan((x - y) / (1 + x * y)), domain=within
    ),
    real("arctan-of-reciprocal", arctan(1 / x), math.pi / 2 - arctan(x), domain=positive(x)),
    real("arctan-of-quotient", arctan(x / y), arctan2(x, y), domain=positive(y)),
    finite("arccos-by-arcsin", arccos(x), math.pi / 2 - arcsin(x)),
    finite("arcsin-by-arccos", arcsin(x), math.pi / 2 - arccos(x)),
    finite("arccos-by-half-arcsin", arccos(x), 2 * arcsin(sqrt((1 - x) / 2))),
    finite("arccos-by-arctan2", arccos(x), 2 * arctan2(sqrt(1 - x), sqrt(1 + x))),
    finite("arcsin-by-arctan2", arcsin(x), arctan2(x, sqrt(1 - x * x))),
    finite("arcsin-by-arctan", arcsin(x), arctan(x / sqrt(1 - x * x))),
    finite("cosine-of-arcsin", cos(arcsin(x)), sqrt(1 - x * x)),
    finite("tangent-of-arcsin", tan(arcsin(x)), x / sqrt(1 - x * x)),
    finite("sine-of-arccos", sin(arccos(x)), sqrt(1 - x * x)),
    finite("sine-of-arctan", sin(arctan(x)), x / sqrt(1 + x * x)),
    finite("cosine-of-arctan", cos(arctan(x)), 1 / sqrt(1 + x * x)),
    # hypotenuses
    finite("root-of-sum-of-squares", sqrt(x * x + y * y), hypot(x, y)),
    finite("root-of-second-powers", sqrt(x**2 + y**2), hypot(x, y)),
    finite("root-of-three-powers", sqrt(x**2 + y**2 + z**2), hypot(hypot(x, y), z)),
    finite("root-of-one-and-square", sqrt(1 + x * x), hypot(1, x)),
    real("root-of-square-and-one-term", sqrt(x * x + y), hypot(x, sqrt(y)), domain=nonnegative(y)),
    finite("root-of-square-less-one-term", sqrt(x * x - y), hypot(x, sqrt(-y))),
    real("root-of-two-terms", sqrt(x + y), hypot(sqrt(x), sqrt(y)), domain=nonnegative(x, y)),
    finite("sum-of-squares", x * x + y * y, hypot(x, y) * hypot(x, y)),
    finite("root-of-square-and-more", sqrt(x * x + y), abs_(x) * sqrt(1 + y / x / x)),
    finite("root-of-square-and-less", sqrt(x * x - y), abs_(x) * sqrt(1 - y / x / x)),
    # discriminants
    finite(
        "root-of-square-less-product",
        sqrt(x * x - y * z),
        switch(gt(signed_root, 0), apart, hypot(x, signed_root)),
    ),
    finite("root-of-square-and-product", sqrt(x * x + y * z), sqrt(x * x - (-y) * z)),
    # orders of factors and divisors, by their size
    finite("by-larger-divisor-first", x / (y * z), switch(y_larger, x / y / z, x / z / y)),
    finite("by-smaller-divisor-first", x / (y * z), switch(y_larger, x / z / y, x / y / z)),
    finite("larger-factor-by-divisor", (x * y) / z, switch(x_larger, x / z * y, y / z * x)),
    finite("smaller-factor-by-divisor", (x * y) / z, switch(x_larger, y / z * x, x / z * y)),
    finite("largest-of-three-by-smallest", (x * y) * z, switch(x_larger, x * (y * z), y * (x * z))),
    # one term taken out of a sum
    finite("sum-by-its-first", x + y, x * (1 + y / x)),
    finite("difference-by-its-first", x - y, x * (1 - y / x)),
    finite("quotient-of-sum-by-its-first", x / (x + y), 1 / (1 + y / x)),
    finite("quotient-of-difference-by-its-first", x / (x - y), 1 / (1 - y / x)),
    finite("quotient-as-change", (x + y) / x, 1 + y / x),
    finite("quotient-as-change-down", (x - y) / x, 1 - y / x),
    # fused products and sums
    stable("fused-sum", x * y + z, fma(x, y, z)),
    stable("fused-difference", x * y - z, fma(x, y, -z)),
    stable("fused-difference-from", z - x * y, fma(-x, y, z)),
    # functions of what was rounded, corrected
    *(
        one
        for what, value, lost in (
            ("product", product, product_lost),
            ("sum", total, total_lost),
            ("difference", difference, difference_lost),
            ("quotient", by, by_lost),
        )
        for one in (
            angles(f"sin-of-{what}-corrected", sin(value), sin_of_sum(value, lost)),
            angles(f"cos-of-{what}-corrected", cos(value), cos_of_sum(value, lost)),
            finite(f"exp-of-{what}-corrected", exp(value), exp(value) * (1 + lost)),
        )
    ),
    # whole turns
    *(
        one
        for name, wave in (("sin", sin), ("cos", cos))
        for one in (
            angle(f"{name}-of-half-turns", wave(x * math.pi), wave(fmod(x, 2) * math.pi)),
            angles(f"{name}-of-part-of-half-turn", wave(x / y * math.pi), wave(rest / y * math.pi)),
            angles(f"{name}-of-half-turns-by", wave(math.pi * x / y), wave(math.pi * rest / y)),
        )
    ),
)
"""What `improve` has beside `SHARED`."""

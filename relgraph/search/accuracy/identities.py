"""Identities of real numbers, for searches over many forms: no phase applies them by itself.

Each holds for the numbers that fulfil its condition, computed without rounding. In floats the two
sides differ by what each loses, and that is what a search looks for.

Higham, Accuracy and Stability of Numerical Algorithms (2002), 2.8 and 27.8; Smith, Algorithm 116:
complex division (1962); Dekker (1971); Ogita, Rump and Oishi, Accurate sum and dot product (2005);
Payne and Hanek, Radian reduction for trigonometric functions (1983).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import relgraph.tensor as at
from relations.kit.guards import are_nonnegative, are_positive
from relations.kit.vocabulary import law, lvars
from relgraph.graph.kanren.goals import whereo
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
from relgraph.tensor.error_free import add_error, fma, mul_error

x, y, z, t = lvars("x y z t")

real = partial(law, sound="domain")
"""A law of real numbers: the sides differ in what they lose to rounding, overflow and poles."""

positive, nonnegative = partial(whereo, are_positive), partial(whereo, are_nonnegative)
"""Where a law holds, beside where both sides have a value; of what it is applied to, its
derivation says so."""

signed_root = sign(y) * sqrt(abs_(y)) * (sign(z) * sqrt(abs_(z)))
apart = sqrt(abs_(abs_(x) - signed_root)) * sqrt(abs_(x) + signed_root)

better = partial(law, sound="stable")
# one of the functions that a table makes, whose type is not known
fmod: Any = at.fmod

product, product_lost = x * y, mul_error(x, y)
total, total_lost = x + y, add_error(x, y)
difference, difference_lost = x - y, add_error(x, -y)
by, by_lost = x / y, fma(-(x / y), y, x) / y

IDENTITIES = (
    # grouping
    real("sum-of-three", (x + y) + z, x + (y + z)),
    real("product-of-three", (x * y) * z, x * (y * z)),
    real("product-by-one", (x * y) / z, x * (y / z)),
    real("quotient-by-one", (x / y) / z, x / (y * z)),
    real("by-a-quotient", x / (y / z), (x / y) * z),
    real("by-swapped-quotient", x / y, 1 / (y / x)),
    real("times-reciprocal", x * (1 / y), x / y),
    # signs
    real("product-turned", -x * y, -(x * y)),
    # what cancels
    real("product-by-first", (x * y) / x, y),
    real("by-product-with-itself", x / (x * y), 1 / y),
    real("common-factor-of-quotient", (x * y) / (x * z), y / z),
    # common factors
    real("itself-twice", x + x, 2 * x),
    # fractions
    real("sum-of-quotients", x / y + z / t, (x * t + z * y) / (y * t)),
    real("difference-of-quotients", x / y - z / t, (x * t - z * y) / (y * t)),
    real("sum-with-quotient", x + y / z, (x * z + y) / z),
    real("difference-with-quotient", x - y / z, (x * z - y) / z),
    real("quotient-less-one-term", x / y - z, (x - z * y) / y),
    real("quotient-of-quotients", (x / y) / (z / t), (x / z) * (t / y)),
    real("product-of-quotients", (x / y) * (z / t), (x * z) / (y * t)),
    # squares
    real("squares-apart-as-product", x * x - y * y, (x + y) * (x - y)),
    real("square-and-less-one", x * x - 1, (x + 1) * (x - 1)),
    real("one-less-square-as-product", 1 - x * x, (1 + x) * (1 - x)),
    real("square-of-sum", (x + y) * (x + y), x * x + (2 * (x * y) + y * y)),
    real("square-of-difference", (x - y) * (x - y), x * x + (y * y - 2 * (x * y))),
    real("square-of-product", (x * y) * (x * y), (x * x) * (y * y)),
    real("square-of-quotient", (x / y) * (x / y), (x * x) / (y * y)),
    real("square-of-opposite", -x * -x, x * x),
    # conjugates
    real("difference-by-conjugate", x - y, (x * x - y * y) / (x + y)),
    real("sum-by-conjugate", x + y, (x * x - y * y) / (x - y)),
    real(
        "difference-by-cubes",
        x - y,
        (x * (x * x) - y * (y * y)) / (x * x + (x * y + y * y)),
    ),
    # roots
    real("square-of-root", sqrt(x) * sqrt(x), x, domain=nonnegative(x)),
    real("root-of-square", sqrt(x * x), abs_(x)),
    real("root-of-product", sqrt(x * y), sqrt(x) * sqrt(y), domain=nonnegative(x, y)),
    real("root-of-product-of-like-signs", sqrt(x * y), sqrt(abs_(x)) * sqrt(abs_(y))),
    real("root-of-quotient", sqrt(x / y), sqrt(x) / sqrt(y), domain=positive(x, y)),
    real("root-with-square-taken-out", sqrt(x * (y * y)), abs_(y) * sqrt(x), domain=nonnegative(x)),
    real("root-of-quotient-by-square", sqrt(x / (y * y)), sqrt(x) / abs_(y), domain=nonnegative(x)),
    real("by-root", x / sqrt(x), sqrt(x), domain=nonnegative(x)),
    real("one-by-root", 1 / sqrt(x), sqrt(1 / x), domain=positive(x)),
    real("cube-of-cube-root", cbrt(x) * (cbrt(x) * cbrt(x)), x),
    real("cube-root-of-product", cbrt(x * y), cbrt(x) * cbrt(y)),
    real("cube-root-of-quotient", cbrt(x / y), cbrt(x) / cbrt(y)),
    real("cube-root-of-cube", cbrt(x * (x * x)), x),
    # powers
    real("second-power", x**2, x * x),
    real("third-power", x**3, x * (x * x)),
    real("fourth-power", x**4, (x * x) * (x * x)),
    real("fifth-power", x**5, x * ((x * x) * (x * x))),
    real("sixth-power", x**6, (x * (x * x)) * (x * (x * x))),
    real("third-part-power", x ** (1 / 3), cbrt(x), domain=nonnegative(x)),
    real("power-by-exponential", x**y, exp(y * log(x)), domain=positive(x)),
    real("product-of-powers", x**y * x**z, x ** (y + z), domain=positive(x)),
    real("quotient-of-powers", x**y / x**z, x ** (y - z), domain=positive(x)),
    real("power-of-product", (x * y) ** z, x**z * y**z, domain=nonnegative(x, y)),
    real("power-of-quotient", (x / y) ** z, x**z / y**z, domain=positive(x, y)),
    real("power-of-power", (x**y) ** z, x ** (y * z), domain=positive(x)),
    real("power-of-root", sqrt(x) ** y, x ** (y / 2), domain=positive(x)),
    real("root-of-power", sqrt(x**y), x ** (y / 2), domain=positive(x)),
    real("power-of-opposite", x**-y, 1 / x**y),
    real("reciprocal-of-power", (1 / x) ** y, x**-y, domain=positive(x)),
    real("power-and-one-more", x * x**y, x ** (y + 1)),
    real("power-and-one-less", x**y / x, x ** (y - 1)),
    real("power-less-one-by-exponential", x**y - 1, expm1(y * log(x)), domain=positive(x)),
    real(
        "power-of-sum-with-one-less-one",
        (1 + x) ** y - 1,
        expm1(y * log1p(x)),
        domain=positive(1 + x),
    ),
    real("one-less-power-by-exponential", 1 - x**y, -expm1(y * log(x)), domain=positive(x)),
    real("difference-of-powers", x**z - y**z, y**z * expm1(z * log(x / y)), domain=positive(x, y)),
    real("power-above-one", (1 + x) ** y, exp(y * log1p(x)), domain=positive(1 + x)),
    # magnitudes
    real("magnitude-of-positive", abs_(x), x, domain=nonnegative(x)),
    real("magnitude-of-negative", abs_(x), -x, domain=nonnegative(-x)),
    real("magnitude-of-difference", abs_(x - y), abs_(y - x)),
    real("square-of-magnitude", abs_(x) * abs_(x), x * x),
    # exponentials
    real("exp-of-double", exp(2 * x), exp(x) * exp(x)),
    real("exp-of-product", exp(x * y), exp(x) ** y),
    real("exp-of-log", exp(log(x)), x, domain=positive(x)),
    real("expm1-of-double", expm1(2 * x), expm1(x) * (expm1(x) + 2)),
    real("expm1-of-opposite", expm1(-x), -expm1(x) / exp(x)),
    real("expm1-of-log", expm1(log(x)), x - 1, domain=positive(x)),
    real("difference-of-exps", exp(x) - exp(y), exp(y) * expm1(x - y)),
    # logarithms
    real("log-of-product", log(x * y), log(x) + log(y), domain=positive(x, y)),
    real("log-of-quotient", log(x / y), log(x) - log(y), domain=positive(x, y)),
    real("log-of-reciprocal", log(1 / x), -log(x), domain=positive(x)),
    real("log-of-power", log(x**y), y * log(x), domain=positive(x)),
    real("log-of-root", log(sqrt(x)), log(x) / 2),
    real("log-above-one", log(1 + x), log1p(x)),
    real("log-of-sum", log(x + y), log(x) + log1p(y / x), domain=positive(x)),
    real("log-of-difference", log(x - y), log(x) + log1p(-y / x), domain=positive(x)),
    real("log-of-quotient-near-one", log(x / y), log1p((x - y) / y), domain=positive(y)),
    real("log1p-of-quotient", log1p(x / y), log((y + x) / y)),
    real("difference-of-log1ps", log1p(x) - log1p(y), log1p((x - y) / (1 + y))),
    real("arcsinh-by-log", log(x + sqrt(x * x + 1)), arcsinh(x)),
    real("arccosh-by-log", log(x + sqrt(x * x - 1)), arccosh(x)),
    real("log-of-tan-by-arcsinh", log(tan(math.pi / 4 + x)), arcsinh(tan(2 * x))),
    # hyperbolic functions
    real("tanh-by-expm1", tanh(x), expm1(2 * x) / (expm1(2 * x) + 2)),
    real("cosh-less-one-by-sinh", cosh(x) - 1, 2 * (sinh(x / 2) * sinh(x / 2))),
    real("squares-of-cosh-and-sinh", cosh(x) * cosh(x) - sinh(x) * sinh(x), 1),
    real("one-less-square-of-tanh", 1 - tanh(x) * tanh(x), 1 / (cosh(x) * cosh(x))),
    real("difference-of-tanhs", tanh(x) - tanh(y), sinh(x - y) / (cosh(x) * cosh(y))),
    real("difference-of-sinhs", sinh(x) - sinh(y), 2 * (cosh((x + y) / 2) * sinh((x - y) / 2))),
    real("difference-of-coshs", cosh(x) - cosh(y), 2 * (sinh((x + y) / 2) * sinh((x - y) / 2))),
    real("reciprocal-with-tanh", 1 / (1 + exp(x)), (1 - tanh(x / 2)) / 2),
    # functions of sums of angles
    real("sin-of-sum", sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
    real("cos-of-sum", cos(x + y), cos(x) * cos(y) - sin(x) * sin(y)),
    real("sin-of-difference", sin(x - y), sin(x) * cos(y) - cos(x) * sin(y)),
    real("cos-of-difference", cos(x - y), cos(x) * cos(y) + sin(x) * sin(y)),
    real("tan-of-sum", tan(x + y), (tan(x) + tan(y)) / (1 - tan(x) * tan(y))),
    real("tan-of-quarter-and", tan(math.pi / 4 + x), (1 + tan(x)) / (1 - tan(x))),
    real("sin-of-double", sin(2 * x), 2 * (sin(x) * cos(x))),
    real("cos-of-double", cos(2 * x), 1 - 2 * (sin(x) * sin(x))),
    # differences of functions of angles
    real("difference-of-sines", sin(x) - sin(y), 2 * (sin((x - y) / 2) * cos((x + y) / 2))),
    real("difference-of-cosines", cos(x) - cos(y), -2 * (sin((x - y) / 2) * sin((x + y) / 2))),
    real("difference-of-tangents", tan(x) - tan(y), sin(x - y) / (cos(x) * cos(y))),
    real("cosm1-by-sine", cosm1(x), -2 * (sin(x / 2) * sin(x / 2))),
    # products of functions of angles
    real("squares-of-sine-and-cosine", sin(x) * sin(x) + cos(x) * cos(x), 1),
    real("one-less-square-of-sine", 1 - sin(x) * sin(x), cos(x) * cos(x)),
    real("one-less-square-of-cosine", 1 - cos(x) * cos(x), sin(x) * sin(x)),
    real("square-of-cosine-less-of-sine", cos(x) * cos(x) - sin(x) * sin(x), cos(2 * x)),
    real("product-of-sines", sin(x) * sin(y), (cos(x - y) - cos(x + y)) / 2),
    real("product-of-cosines", cos(x) * cos(y), (cos(x + y) + cos(x - y)) / 2),
    real("product-of-sine-and-cosine", sin(x) * cos(y), (sin(x + y) + sin(x - y)) / 2),
    # ratios of functions of angles
    real("tangent-by-sine", tan(x) / sin(x), 1 / cos(x)),
    real("sine-by-tangent", sin(x) / tan(x), cos(x)),
    real("tangent-of-half", (1 - cos(x)) / sin(x), tan(x / 2)),
    real("tangent-of-half-by-sine", sin(x) / (1 + cos(x)), tan(x / 2)),
    real("cosm1-to-sine", cosm1(x) / sin(x), -tan(x / 2)),
    # arcs
    real(
        "difference-of-arctans",
        arctan(x) - arctan(y),
        arctan2(x - y, 1 + x * y),
        domain=positive(1 + x * y),
    ),
    real(
        "difference-of-arctans-as-arctan",
        arctan(x) - arctan(y),
        arctan((x - y) / (1 + x * y)),
        domain=positive(1 + x * y),
    ),
    real("arctan-of-reciprocal", arctan(1 / x), math.pi / 2 - arctan(x), domain=positive(x)),
    real("arctan-of-quotient", arctan(x / y), arctan2(x, y), domain=positive(y)),
    real("arccos-by-arcsin", arccos(x), math.pi / 2 - arcsin(x)),
    real("arcsin-by-arccos", arcsin(x), math.pi / 2 - arccos(x)),
    real("arccos-by-half-arcsin", arccos(x), 2 * arcsin(sqrt((1 - x) / 2))),
    real("arccos-by-arctan2", arccos(x), 2 * arctan2(sqrt(1 - x), sqrt(1 + x))),
    real("arcsin-by-arctan2", arcsin(x), arctan2(x, sqrt(1 - x * x))),
    real("arcsin-by-arctan", arcsin(x), arctan(x / sqrt(1 - x * x))),
    real("cosine-of-arcsin", cos(arcsin(x)), sqrt(1 - x * x)),
    real("tangent-of-arcsin", tan(arcsin(x)), x / sqrt(1 - x * x)),
    real("sine-of-arccos", sin(arccos(x)), sqrt(1 - x * x)),
    real("sine-of-arctan", sin(arctan(x)), x / sqrt(1 + x * x)),
    real("cosine-of-arctan", cos(arctan(x)), 1 / sqrt(1 + x * x)),
    # hypotenuses
    real("root-of-sum-of-squares", sqrt(x * x + y * y), hypot(x, y)),
    real("root-of-second-powers", sqrt(x**2 + y**2), hypot(x, y)),
    real("root-of-three-powers", sqrt(x**2 + y**2 + z**2), hypot(hypot(x, y), z)),
    real("root-of-one-and-square", sqrt(1 + x * x), hypot(1, x)),
    real("root-of-square-and-one-term", sqrt(x * x + y), hypot(x, sqrt(y)), domain=nonnegative(y)),
    real("root-of-square-less-one-term", sqrt(x * x - y), hypot(x, sqrt(-y))),
    real("root-of-two-terms", sqrt(x + y), hypot(sqrt(x), sqrt(y)), domain=nonnegative(x, y)),
    real("sum-of-squares", x * x + y * y, hypot(x, y) * hypot(x, y)),
    real(
        "root-of-square-and-more",
        sqrt(x * x + y),
        abs_(x) * sqrt(1 + y / x / x),
    ),
    real(
        "root-of-square-and-less",
        sqrt(x * x - y),
        abs_(x) * sqrt(1 - y / x / x),
    ),
    # discriminants
    real(
        "root-of-square-less-product",
        sqrt(x * x - y * z),
        switch(gt(signed_root, 0), apart, hypot(x, signed_root)),
    ),
    real(
        "root-of-square-and-product",
        sqrt(x * x + y * z),
        sqrt(x * x - (-y) * z),
    ),
    # orders of factors and divisors, by their size
    real(
        "by-larger-divisor-first",
        x / (y * z),
        switch(gt(abs_(y), abs_(z)), x / y / z, x / z / y),
    ),
    real(
        "by-smaller-divisor-first",
        x / (y * z),
        switch(gt(abs_(y), abs_(z)), x / z / y, x / y / z),
    ),
    real(
        "larger-factor-by-divisor",
        (x * y) / z,
        switch(gt(abs_(x), abs_(y)), x / z * y, y / z * x),
    ),
    real(
        "smaller-factor-by-divisor",
        (x * y) / z,
        switch(gt(abs_(x), abs_(y)), y / z * x, x / z * y),
    ),
    real(
        "largest-of-three-by-smallest",
        (x * y) * z,
        switch(gt(abs_(x), abs_(y)), x * (y * z), y * (x * z)),
    ),
    # one term taken out of a sum
    real("sum-by-its-first", x + y, x * (1 + y / x)),
    real("difference-by-its-first", x - y, x * (1 - y / x)),
    real("quotient-of-sum-by-its-first", x / (x + y), 1 / (1 + y / x)),
    real("quotient-of-difference-by-its-first", x / (x - y), 1 / (1 - y / x)),
    real("quotient-as-change", (x + y) / x, 1 + y / x),
    real("quotient-as-change-down", (x - y) / x, 1 - y / x),
    # fused products and sums
    better("fused-sum", x * y + z, fma(x, y, z)),
    better("fused-difference", x * y - z, fma(x, y, -z)),
    better("fused-difference-from", z - x * y, fma(-x, y, z)),
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
            real(
                f"sin-of-{what}-corrected",
                sin(value),
                sin(value) * cos(lost) + cos(value) * sin(lost),
            ),
            real(
                f"cos-of-{what}-corrected",
                cos(value),
                cos(value) * cos(lost) - sin(value) * sin(lost),
            ),
            real(f"exp-of-{what}-corrected", exp(value), exp(value) * (1 + lost)),
        )
    ),
    # whole turns
    *(
        one
        for name, wave in (("sin", sin), ("cos", cos))
        for one in (
            real(f"{name}-of-half-turns", wave(x * math.pi), wave(fmod(x, 2) * math.pi)),
            real(
                f"{name}-of-part-of-half-turn",
                wave(x / y * math.pi),
                wave(fmod(x, 2 * y) / y * math.pi),
            ),
            real(
                f"{name}-of-half-turns-by",
                wave(math.pi * x / y),
                wave(math.pi * fmod(x, 2 * y) / y),
            ),
        )
    ),
)
"""All of them."""

OF_THE_BOOK = """
    abs-neg abs-product abs-quotient add-neg add-sub-cancel add-zero arctanh arctanh-log1p
    arctanh-mirrored cos-less-one cos-less-one-mirrored cos-step cosh
    div-mul-cancel div-neg div-one div-self exp-div-exp exp-mul-exp expm1
    log-exp log1p-less-one log1p-less-x log1p-neg minus-one-mul
    mul-one mul-self mul-zero neg-div neg-expm1 neg-neg neg-sub neg-sub-sum one-by-exp
    pow-half pow-minus-one pow-one pow-three-halves pow-two sin-step sinh
    sqrt-exp sub-add-cancel sub-neg sub-own-difference sub-own-sum
    sub-self sub-zero tan tan-less-x tan-less-x-mirrored tanh x-less-sin
    x-less-sin-mirrored zero-div zero-sub
    odd-neg even-neg inverse inverse-nonnegative inverse-where-defined
"""
"""Names of laws of the book that are identities too, in both directions."""

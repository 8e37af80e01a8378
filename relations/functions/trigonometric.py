"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

import math
from functools import partial

from relgraph.graph.kanren import one_cliento, readerso
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cos,
    cosh,
    exp,
    length,
    log,
    log1p,
    sin,
    sinh,
    sqr,
    sqr_less_sqr,
    sqrt,
    tan,
    tanh,
)
from relgraph.tensor.lawkit.compensation import kept_apart, without_logarithm
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y = lvars("x y")

ANGLES = (
    law("arctan2-neg", arctan2(-y, x), -arctan2(y, x), sound="rounding"),
    law("arctan2-one", arctan2(y, 1), arctan(y), sound="rounding"),
)

INVERSES = (
    law("arccosh-cosh", arccosh(cosh(x)), abs_(x), sound="stable"),
    law("sin-arccos", sin(arccos(x)), sqrt(sqr_less_sqr(1, x)), sound="stable"),
    law("cos-arcsin", cos(arcsin(x)), sqrt(sqr_less_sqr(1, x)), sound="stable"),
    law("tan-arcsin", tan(arcsin(x)), x / sqrt(sqr_less_sqr(1, x)), sound="stable"),
    law("cos-arctan", cos(arctan(x)), 1 / length(1, x), sound="stable"),
    law("cosh-arcsinh", cosh(arcsinh(x)), length(1, x), sound="stable"),
)

INVERSES_WHERE_DEFINED = (
    law("sin-arctan", sin(arctan(x)), x / length(1, x), sound="finite"),
    law("sinh-arccosh", sinh(arccosh(x)), sqrt(sqr_less_sqr(x, 1)), sound="finite"),
    law("arcsin-arccos", arcsin(x) + arccos(x), math.pi / 2, sound="finite"),
)

QUOTIENTS = (
    law("tan", sin(x) / cos(x), tan(x), sound="rounding"),
    law("cotangent", cos(x) / sin(x), 1 / tan(x), sound="rounding"),
    law("tan-mul-cos", tan(x) * cos(x), sin(x), sound="rounding"),
    law("tanh", sinh(x) / cosh(x), tanh(x), sound="stable"),
    law("coth", cosh(x) / sinh(x), 1 / tanh(x), sound="stable"),
    law("tanh-mul-cosh", tanh(x) * cosh(x), sinh(x), sound="rounding"),
)

# its logarithm has its rounding, which the function that takes its place has not
unlogged = partial(readerso, without_logarithm)

# another term of the sum in which it stands has its rounding
apart = partial(readerso, kept_apart)

SQUARES = (
    law("cos-squared", 1 - sqr(sin(x)), sqr(cos(x)), unlogged(sin(x)), sound="stable"),
    law("sin-squared", 1 - sqr(cos(x)), sqr(sin(x)), unlogged(cos(x)), sound="stable"),
    law("sinh-squared", sqr(cosh(x)) - 1, sqr(sinh(x)), sound="stable"),
    law("cosh-squared", 1 + sqr(sinh(x)), sqr(cosh(x)), apart(sqr(sinh(x))), sound="rounding"),
    law("pythagoras", sqr(sin(x)) + sqr(cos(x)), 1, sound="finite"),
    law("pythagoras-hyperbolic", sqr(cosh(x)) - sqr(sinh(x)), 1, sound="finite"),
)

# beside others that read the sine and the cosine, it would be one more function, and of an angle
# that is rounded another way: what holds of any sine and cosine would hold no longer
both_read_once = (one_cliento(sin(x)), one_cliento(cos(x)))
both_hyperbolic_read_once = (one_cliento(sinh(x)), one_cliento(cosh(x)))

DOUBLE_ANGLES = (
    law("sin-double", 2 * sin(x) * cos(x), sin(2 * x), *both_read_once, sound="rounding"),
    law("sin-mul-cos", sin(x) * cos(x), sin(2 * x) / 2, *both_read_once, sound="rounding"),
    law(
        "cos-double",
        sqr(cos(x)) - sqr(sin(x)),
        cos(2 * x),
        apart(sqr(cos(x))),
        apart(sqr(sin(x))),
        sound="rounding",
    ),
    law(
        "cos-double-by-cos",
        2 * sqr(cos(x)) - 1,
        cos(2 * x),
        apart(2 * sqr(cos(x))),
        sound="rounding",
    ),
    law(
        "cos-double-by-sin",
        1 - 2 * sqr(sin(x)),
        cos(2 * x),
        apart(2 * sqr(sin(x))),
        sound="rounding",
    ),
    law(
        "sinh-double",
        2 * sinh(x) * cosh(x),
        sinh(2 * x),
        *both_hyperbolic_read_once,
        sound="rounding",
    ),
    law(
        "sinh-mul-cosh",
        sinh(x) * cosh(x),
        sinh(2 * x) / 2,
        *both_hyperbolic_read_once,
        sound="rounding",
    ),
    law(
        "cosh-double",
        sqr(cosh(x)) + sqr(sinh(x)),
        cosh(2 * x),
        apart(sqr(cosh(x))),
        apart(sqr(sinh(x))),
        sound="rounding",
    ),
)

OF_EXPONENTIALS = (
    law("sinh", exp(x) - exp(-x), 2 * sinh(x), sound="stable"),
    law("cosh", exp(x) + exp(-x), 2 * cosh(x), sound="stable"),
    law("sinh-scaled", y * exp(x) - y * exp(-x), y * (2 * sinh(x)), sound="stable"),
    law("cosh-scaled", y * exp(x) + y * exp(-x), y * (2 * cosh(x)), sound="stable"),
    law("cosh-add-sinh", cosh(x) + sinh(x), exp(x), sound="stable"),
    law("cosh-sub-sinh", cosh(x) - sinh(x), exp(-x), sound="stable"),
)

OF_LOGARITHMS = (
    law("arcsinh", log(x + sqrt(1 + sqr(x))), arcsinh(x), sound="stable"),
    law("arcsinh-of-power", log(x + sqrt(1 + x**2)), arcsinh(x), sound="stable"),
    law("arccosh", log(x + sqrt(sqr(x) - 1)), arccosh(x), sound="stable"),
    law("arccosh-of-power", log(x + sqrt(x**2 - 1)), arccosh(x), sound="stable"),
    law("arctanh", log((1 + x) / (1 - x)), 2 * arctanh(x), sound="stable"),
    law("arctanh-log1p", log1p(x) - log1p(-x), 2 * arctanh(x), sound="rounding"),
)

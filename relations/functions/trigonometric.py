"""Trigonometric and hyperbolic functions; odd and even functions, and functions of their inverses.

The last two hold of any op whose record states such facts, so a new op has these laws. Functions of
integers that wrap around, and logarithms of exponentials, whose roundings may cancel, have laws of
their own.
"""

from __future__ import annotations

import math
from functools import partial

from relations.kit import functions as kit
from relations.kit.compensation import kept_apart, without_logarithm
from relations.kit.guards import nonnegativeo
from relations.kit.vocabulary import finite, lvars, rounding, stable
from relgraph.graph.kanren import one_cliento, readerso, whereo
from relgraph.tensor import (
    Elemwise,
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
from relgraph.tensor import abs as abs_

s, t, x, y = lvars("s t x y")

# its logarithm has its rounding, which the function that takes its place has not
unlogged = partial(readerso, without_logarithm)

# another term of the sum in which it stands has its rounding
apart = partial(readerso, kept_apart)


# beside others that read the sine and the cosine, it would be one more function, and of an angle
# that is rounded another way: what holds of any sine and cosine would hold no longer
both_read_once = (one_cliento(sin(x)), one_cliento(cos(x)))
both_hyperbolic_read_once = (one_cliento(sinh(x)), one_cliento(cosh(x)))

sin2, cos2, sinh2, cosh2 = (sqr(function(x)) for function in (sin, cos, sinh, cosh))

QUOTIENTS_AND_SQUARES = (
    rounding("tan", sin(x) / cos(x), tan(x)),
    rounding("cotangent", cos(x) / sin(x), 1 / tan(x)),
    rounding("tan-mul-cos", tan(x) * cos(x), sin(x)),
    stable("tanh", sinh(x) / cosh(x), tanh(x)),
    stable("coth", cosh(x) / sinh(x), 1 / tanh(x)),
    rounding("tanh-mul-cosh", tanh(x) * cosh(x), sinh(x)),
    # squares, and double angles
    stable("cos-squared", 1 - sin2, cos2, unlogged(sin(x))),
    stable("sin-squared", 1 - cos2, sin2, unlogged(cos(x))),
    stable("sinh-squared", cosh2 - 1, sinh2),
    rounding("cosh-squared", 1 + sinh2, cosh2, apart(sinh2)),
    finite("pythagoras", sin2 + cos2, 1),
    finite("pythagoras-hyperbolic", cosh2 - sinh2, 1),
    rounding("sin-double", 2 * sin(x) * cos(x), sin(2 * x), *both_read_once),
    rounding("sin-mul-cos", sin(x) * cos(x), sin(2 * x) / 2, *both_read_once),
    rounding("cos-double", cos2 - sin2, cos(2 * x), apart(cos2), apart(sin2)),
    rounding("cos-double-by-cos", 2 * cos2 - 1, cos(2 * x), apart(2 * cos2)),
    rounding("cos-double-by-sin", 1 - 2 * sin2, cos(2 * x), apart(2 * sin2)),
    rounding("sinh-double", 2 * sinh(x) * cosh(x), sinh(2 * x), *both_hyperbolic_read_once),
    rounding("sinh-mul-cosh", sinh(x) * cosh(x), sinh(2 * x) / 2, *both_hyperbolic_read_once),
    rounding("cosh-double", cosh2 + sinh2, cosh(2 * x), apart(cosh2), apart(sinh2)),
)

INVERSES_AND_EXPONENTIALS = (
    rounding("arctan2-neg", arctan2(-y, x), -arctan2(y, x)),
    rounding("arctan2-one", arctan2(y, 1), arctan(y)),
    # inverses
    stable("arccosh-cosh", arccosh(cosh(x)), abs_(x)),
    stable("sin-arccos", sin(arccos(x)), sqrt(sqr_less_sqr(1, x))),
    stable("cos-arcsin", cos(arcsin(x)), sqrt(sqr_less_sqr(1, x))),
    stable("tan-arcsin", tan(arcsin(x)), x / sqrt(sqr_less_sqr(1, x))),
    stable("cos-arctan", cos(arctan(x)), 1 / length(1, x)),
    stable("cosh-arcsinh", cosh(arcsinh(x)), length(1, x)),
    stable("arccos-sech", arccos(1 / cosh(x)), arctan(abs_(sinh(x)))),
    # inverses where defined
    finite("sin-arctan", sin(arctan(x)), x / length(1, x)),
    finite("sinh-arccosh", sinh(arccosh(x)), sqrt(sqr_less_sqr(x, 1))),
    finite("arcsin-arccos", arcsin(x) + arccos(x), math.pi / 2),
    # of exponentials
    stable("sinh", exp(x) - exp(-x), 2 * sinh(x)),
    stable("cosh", exp(x) + exp(-x), 2 * cosh(x)),
    stable("sinh-scaled", y * exp(x) - y * exp(-x), y * (2 * sinh(x))),
    stable("cosh-scaled", y * exp(x) + y * exp(-x), y * (2 * cosh(x))),
    stable("cosh-add-sinh", cosh(x) + sinh(x), exp(x)),
    stable("cosh-sub-sinh", cosh(x) - sinh(x), exp(-x)),
    # of logarithms
    stable("arcsinh", log(x + sqrt(1 + sqr(x))), arcsinh(x)),
    stable("arccosh", log(x + sqrt(sqr(x) - 1)), arccosh(x)),
    stable("arctanh", log((1 + x) / (1 - x)), 2 * arctanh(x)),
    rounding("arctanh-log1p", log1p(x) - log1p(-x), 2 * arctanh(x)),
)

f, g = Elemwise(s, ()), Elemwise(t, ())
"""Two elementwise functions."""

odd, even = whereo(kit.is_odd_function, s), whereo(kit.is_even_function, s)
inverse = whereo(kit.undoes, s, t)
"""That `f` undoes what `g` does."""

SIGNS = (
    rounding("odd-neg", f(-x), -f(x), odd),
    rounding("even-neg", f(-x), f(x), even),
    rounding("even-abs", f(abs_(x)), f(x), even),
)

above_zero = (whereo(kit.is_defined_above_zero, t), nonnegativeo(x))

INVERSES = (
    stable("inverse", f(g(x)), x, inverse, whereo(kit.is_defined_everywhere, t)),
    stable("inverse-nonnegative", f(g(x)), x, inverse, *above_zero),
    finite("inverse-where-defined", f(g(x)), x, inverse, whereo(kit.is_defined_in_part, t)),
)

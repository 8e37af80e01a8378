"""What each law about angles and hyperbolas does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import (
    spelled,
    x,
    y,
)

CASES = [
    ("arctan2-neg", at.arctan2(-y, x), "-arctan2(y, x)"),
    ("arctan2-one", at.arctan2(y, 1), "arctan(y)"),
    ("arccosh-cosh", at.arccosh(at.cosh(x)), "abs(x)"),
    ("sin-arccos", at.sin(at.arccos(x)), "sqrt(sqr_less_sqr(1.0, x))"),
    ("cos-arcsin", at.cos(at.arcsin(x)), "sqrt(sqr_less_sqr(1.0, x))"),
    ("tan-arcsin", at.tan(at.arcsin(x)), "x / sqrt(sqr_less_sqr(1.0, x))"),
    ("cos-arctan", at.cos(at.arctan(x)), "1.0 / length(1.0, x)"),
    ("cosh-arcsinh", at.cosh(at.arcsinh(x)), "length(1.0, x)"),
    ("sin-arctan", at.sin(at.arctan(x)), "x / length(1.0, x)"),
    ("sinh-arccosh", at.sinh(at.arccosh(x)), "sqrt(sqr_less_sqr(x, 1.0))"),
    ("arcsin-arccos", at.arcsin(x) + at.arccos(x), "second(arcsin(x), 1.5707963267948966)"),
    ("tan", at.sin(x) / at.cos(x), "tan(x)"),
    ("cotangent", at.cos(x) / at.sin(x), "1.0 / tan(x)"),
    ("tan-mul-cos", y * at.tan(x) * at.cos(x), "y * sin(x)"),
    ("tanh", at.sinh(x) / at.cosh(x), "tanh(x)"),
    ("coth", at.cosh(x) / at.sinh(x), "1.0 / tanh(x)"),
    ("tanh-mul-cosh", at.tanh(x) * at.cosh(x), "sinh(x)"),
    ("cos-squared", 1 - at.sqr(at.sin(x)), "sqr(cos(x))"),
    ("sin-squared", 1 - at.sqr(at.cos(x)), "sqr(sin(x))"),
    ("sinh-squared", at.sqr(at.cosh(x)) - 1, "sqr(sinh(x))"),
    ("cosh-squared", at.sqr(at.sinh(x)) + 1, "sqr(cosh(x))"),
    ("pythagoras", at.sqr(at.sin(x)) + y + at.sqr(at.cos(x)), "1.0 + y"),
    ("pythagoras-hyperbolic", at.sqr(at.cosh(x)) - at.sqr(at.sinh(x)), "second(sqr(cosh(x)), 1.0)"),
    ("sin-double", at.sin(x) * 2 * at.cos(x), "sin(2.0 * x)"),
    ("sin-mul-cos", at.sin(x) * at.cos(x), "sin(2.0 * x) / 2.0"),
    ("cos-double", at.sqr(at.cos(x)) - at.sqr(at.sin(x)), "cos(2.0 * x)"),
    ("cos-double-by-cos", 2 * at.sqr(at.cos(x)) - 1, "cos(2.0 * x)"),
    ("cos-double-by-sin", 1 - 2 * at.sqr(at.sin(x)), "cos(2.0 * x)"),
    ("sinh-double", at.sinh(x) * 2 * at.cosh(x), "sinh(2.0 * x)"),
    ("sinh-mul-cosh", at.sinh(x) * at.cosh(x), "sinh(2.0 * x) / 2.0"),
    ("cosh-double", at.sqr(at.cosh(x)) + at.sqr(at.sinh(x)), "cosh(2.0 * x)"),
    ("sinh", at.exp(x) - at.exp(-x), "2.0 * sinh(x)"),
    ("cosh", at.exp(x) + y + at.exp(-x), "2.0 * cosh(x) + y"),
    ("sinh-scaled", 3 * at.exp(x) - 3 * at.exp(-x), "3.0 * (2.0 * sinh(x))"),
    ("cosh-scaled", at.exp(x) * y + y * at.exp(-x), "y * (2.0 * cosh(x))"),
    ("cosh-add-sinh", at.cosh(x) + at.sinh(x), "exp(x)"),
    ("cosh-sub-sinh", at.cosh(x) - at.sinh(x), "exp(-x)"),
    ("arcsinh", at.log(x + at.sqrt(at.sqr(x) + 1)), "arcsinh(x)"),
    ("arcsinh", spelled(at.log(x + at.sqrt(x**2 + 1))), "arcsinh(x)"),
    ("arccosh", at.log(x + at.sqrt(at.sqr(x) - 1)), "arccosh(x)"),
    ("arccosh", spelled(at.log(x + at.sqrt(x**2 - 1))), "arccosh(x)"),
    ("arctanh", at.log((1 + x) / (1 - x)), "2.0 * arctanh(x)"),
    ("arctanh-log1p", at.log1p(x) - at.log1p(-x), "2.0 * arctanh(x)"),
]

NOT_MATCHED = [
    ("tan", at.sin(x) / at.cos(y)),
    ("pythagoras", at.sqr(at.sin(x)) + at.sqr(at.cos(y))),
    ("sinh", at.exp(x) - at.exp(-y)),
    ("arcsinh", at.log(x + at.sqrt(at.sqr(y) + 1))),
    ("arctanh", at.log((1 + x) / (1 - y))),
    ("arctan2-one", at.arctan2(y, 2)),
]

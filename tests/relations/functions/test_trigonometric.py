"""What each law about angles and hyperbolas does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import (
    x,
    y,
)

CASES = [
    ("tan-mul-cos", y * at.tan(x) * at.cos(x), "y * sin(x)"),
    ("pythagoras", at.sqr(at.sin(x)) + y + at.sqr(at.cos(x)), "1.0 + y"),
    ("cosh", at.exp(x) + y + at.exp(-x), "2.0 * cosh(x) + y"),
    ("sinh-scaled", 3 * at.exp(x) - 3 * at.exp(-x), "3.0 * (2.0 * sinh(x))"),
]

NOT_MATCHED = [
    ("tan", at.sin(x) / at.cos(y)),
    ("pythagoras", at.sqr(at.sin(x)) + at.sqr(at.cos(y))),
    ("sinh", at.exp(x) - at.exp(-y)),
    ("arcsinh", at.log(x + at.sqrt(at.sqr(y) + 1))),
    ("arctanh", at.log((1 + x) / (1 - y))),
    ("arctan2-one", at.arctan2(y, 2)),
]

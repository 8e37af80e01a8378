"""What vanishes at zero faster than its terms do."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import spelled, x, y

CASES = [
    ("x-less-sin", x - at.sin(x)),
    ("tan-less-x", at.tan(x) - x),
    ("log1p-less-x", at.log1p(x) - x),
    ("neg-change-by", -at.cosm1(x) / y),
    ("by-neg-change", y / -at.cosm1(x)),
    ("neg-change-by", -at.x_less_sin(x) / y),
    ("by-neg-change", y / -at.x_less_sin(x)),
    ("neg-change-by", -at.tan_less_x(x) / y),
    ("by-neg-change", y / -at.tan_less_x(x)),
    ("x-less-sin-by-tan-less-x", at.x_less_sin(x) / at.tan_less_x(x)),
    ("tan-less-x-by-x-less-sin", at.tan_less_x(x) / at.x_less_sin(x)),
    ("x-less-sin-by-sin", at.x_less_sin(x) / at.sin(x)),
    ("x-less-sin-by-tan", at.x_less_sin(x) / at.tan(x)),
    ("tan-less-x-by-sin", at.tan_less_x(x) / at.sin(x)),
    ("tan-less-x-by-tan", at.tan_less_x(x) / at.tan(x)),
    ("one-by-x-less-one-by-tan", 1 / x - 1 / at.tan(x)),
    ("one-by-x-less-one-by-sin", 1 / x - 1 / at.sin(x)),
    ("cosm1-by-sin", at.cosm1(x) / at.sin(x)),
    ("cosm1-by-square", at.cosm1(x) / at.sqr(x)),
    ("cosm1-by-square", spelled(at.cosm1(x) / (x * x))),
    ("cosm1-by-square", spelled(at.cosm1(x) / x**2)),
]
EXACT = CASES


NOT_MATCHED = [
    ("x-less-sin", y - at.sin(x)),
    ("one-by-x-less-one-by-tan", 1 / y - 1 / at.tan(x)),
    ("cosm1-by-sin", at.cosm1(x) / at.sin(y)),
]

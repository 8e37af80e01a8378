"""What each law about powers and roots does to an expression."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import (
    i,
    u,
    x,
)

CASES = [
    ("sqr-neg", at.sqr(-u), "sqr(u)"),
    ("pow-neg-even", (-x) ** 4, "x ** 4.0"),
    ("pow-neg-odd", (-i) ** 3, "-(i ** 3)"),
    ("pow-abs-even", abs(x) ** 4, "x ** 4.0"),
    ("pow-of-pow", (x**3) ** -3.0, "x ** -9.0"),
    ("pow-of-sqr", at.sqr(x) ** 3, "x ** 6.0"),
    ("pow-of-sqrt", at.sqrt(x) ** 3, "x ** 1.5"),
    ("product-as-square", at.cos(x * x), "cos(sqr(x))"),
    ("power-as-square", at.cos(x**2), "cos(sqr(x))"),
    ("sqr-sqrt", at.sqr(at.sqrt(abs(x))), "abs(x)"),
    ("mul-self", u * u, "sqr(u)"),
    ("pow-two-integer", u**2, "sqr(u)"),
    ("pow-of-few-products", x**3, "x * sqr(x)"),
    ("pow-of-few-products", i**4, "sqr(sqr(i))"),
    ("pow-of-few-products", x**5, "x * sqr(sqr(x))"),
    ("pow-of-few-products", x**6, "sqr(x * sqr(x))"),
    ("pow-of-few-products", x**8, "sqr(sqr(sqr(x)))"),
    ("pow-of-few-products", x**7, "x * sqr(x * sqr(x))"),
    ("pow-of-few-products", i**16, "sqr(sqr(sqr(sqr(i))))"),
]

NOT_MATCHED = [
    ("pow-of-few-products", x**17),
    ("pow-of-few-products", x**6.5),
    ("pow-of-pow", (x**2.0) ** 0.5),
    ("pow-of-pow", (x**0.5) ** 2.0),
    ("pow-of-pow", (u ** np.uint8(16)) ** np.uint8(16)),
    ("pow-neg-even", (-x) ** 3),
    ("pow-neg-even", (-x) ** 0.5),
    ("sqrt-sqr", at.sqrt(at.sqr(i))),
    ("pow-of-sqrt", at.sqrt(x) ** 0),
    ("pow-of-sqrt", at.sqrt(x) ** np.float16(2.0**-24)),
    ("pow-of-sqrt", at.sqrt(x) ** 2.0**-1074),
    ("power-of-square", at.sqr(x) ** 0.3),
]

"""What each law about powers and roots does to an expression."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import (
    i,
    spelled,
    u,
    x,
    y,
)

CASES = [
    ("pow-zero", x**0, "second(x, 1.0)"),
    ("one-pow", 1**x, "second(x, 1.0)"),
    ("sqr-neg", at.sqr(-u), "sqr(u)"),
    ("sqr-abs", at.sqr(abs(x)), "sqr(x)"),
    ("pow-neg-even", (-x) ** 4, "x ** 4.0"),
    ("pow-neg-odd", (-i) ** 3, "-(i ** 3)"),
    ("pow-abs-even", abs(x) ** 4, "x ** 4.0"),
    ("pow-of-pow", (x**3) ** -3.0, "x ** -9.0"),
    ("pow-of-sqr", at.sqr(x) ** 3, "x ** 6.0"),
    ("pow-of-sqrt", at.sqrt(x) ** 3, "x ** 1.5"),
    ("product-as-square", at.cos(x * x), "cos(sqr(x))"),
    ("power-as-square", at.cos(x**2), "cos(sqr(x))"),
    ("power-of-square", at.sqr(x) ** y, "abs(x) ** (2.0 * y)"),
    ("power-of-square", spelled((x * x) ** y), "abs(x) ** (2.0 * y)"),
    ("sqrt-sqr", at.sqrt(at.sqr(x)), "abs(x)"),
    ("sqr-sqrt", at.sqr(at.sqrt(x)), "x"),
    ("sqr-sqrt", at.sqr(at.sqrt(abs(x))), "abs(x)"),
    ("mul-self", u * u, "sqr(u)"),
    ("pow-two", x**2, "sqr(x)"),
    ("pow-two-integer", u**2, "sqr(u)"),
    ("pow-of-few-products", x**3, "x * sqr(x)"),
    ("pow-of-few-products", i**4, "sqr(sqr(i))"),
    ("pow-of-few-products", x**5, "x * sqr(sqr(x))"),
    ("pow-of-few-products", x**6, "sqr(x * sqr(x))"),
    ("pow-of-few-products", x**8, "sqr(sqr(sqr(x)))"),
    ("pow-of-few-products", x**7, "x * sqr(x * sqr(x))"),
    ("pow-of-few-products", i**16, "sqr(sqr(sqr(sqr(i))))"),
    ("pow-half", x**0.5, "sqrt(x)"),
    ("pow-three-halves", x**1.5, "x * sqrt(x)"),
    ("pow-minus-half", x**-0.5, "reciprocal(sqrt(x))"),
    ("pow-minus-one", x**-1.0, "reciprocal(x)"),
    ("pow-minus-two", x**-2.0, "reciprocal(sqr(x))"),
    ("reciprocal-of-sqrt-sqr", at.sqr(at.reciprocal(at.sqrt(x))), "reciprocal(x)"),
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

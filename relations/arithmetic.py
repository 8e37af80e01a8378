"""Sums, products, quotients and signs."""

from __future__ import annotations

from relgraph.tensor import sqr, sqrt
from relgraph.tensor.terms import law, lvars

x, y, z = lvars("x y z")

IDENTITIES = (
    law("add-zero", x + 0, x, sound="rounding"),  # -0 + 0 is 0
    law("sub-zero", x - 0, x),
    law("mul-one", x * 1, x),
    law("div-one", x / 1, x),
    law("pow-one", x**1, x),
    law("mul-zero", x * 0, 0, sound="finite"),
    law("zero-div", 0 / x, 0, sound="finite"),
)

SIGNS = (
    law("neg-neg", -(-x), x),
    law("add-neg", x + -y, x - y),
    law("sub-neg", x - -y, x + y),
    law("neg-sub", -(x - y), y - x, sound="rounding"),  # -(x - x) is -0
    law("neg-sub-sum", -x - y, -(x + y), sound="rounding"),  # -1 - -1 is 0, and -(1 + -1) is -0
    law("mul-neg", -x * y, -(x * y), sound="rounding"),
    law("neg-div", -x / y, -(x / y)),
    law("div-neg", x / (-y), -(x / y)),
    law("minus-one-mul", -1 * x, -x),
    law("zero-sub", 0 - x, -x, sound="rounding"),  # 0 - 0 is 0, and -(0) is -0
)

CANCELLATIONS = (
    law("sub-self", x - x, 0, sound="finite"),
    law("div-self", x / x, 1, sound="finite"),
    law("mul-div-cancel", x * y / y, x, sound="finite"),
    law("div-mul-cancel", x / y * y, x, sound="finite"),
    law("add-sub-cancel", x + y - y, x, sound="finite"),
    law("sub-add-cancel", x - y + y, x, sound="finite"),
)

FRACTIONS = (
    law("mul-into-fraction", x / y * z, x * z / y, sound="finite"),
    law("div-of-fraction", x / y / z, x / (y * z), sound="finite"),
    law("div-by-fraction", x / (y / z), x * z / y, sound="finite"),
    law("clear-fraction-add", (x / y + z) * y, x + z * y, sound="finite"),
    law("clear-fraction-sub", (x / y - z) * y, x - z * y, sound="finite"),
    law("clear-sub-fraction", (z - x / y) * y, z * y - x, sound="finite"),
)

POWERS = (
    law("mul-self", x * x, sqr(x)),
    law("pow-two", x**2, sqr(x)),
    law("pow-half", x**0.5, sqrt(x), sound="finite"),  # (-inf)**0.5 is inf
    law("pow-minus-one", x**-1.0, 1 / x, sound="rounding"),
)

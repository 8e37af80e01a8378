"""What a sum or a product loses to rounding, put back into a function of it; angles, reduced.

The true value of an error is nothing: these laws are about floats. Dekker (1971); Ogita, Rump and
Oishi, Accurate sum and dot product (2005); Payne and Hanek, Radian reduction for trigonometric
functions (1983).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import relgraph.tensor as at
from relgraph.search.accuracy.identities.algebra import real
from relgraph.tensor import cos, exp, sin
from relgraph.tensor.error_free import add_error, fma, mul_error
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y, z = lvars("x y z")

better = partial(law, sound="stable")
# one of the functions that a table makes, whose type is not known
fmod: Any = at.fmod

FUSED = (
    better("fused-sum", x * y + z, fma(x, y, z)),
    better("fused-difference", x * y - z, fma(x, y, -z)),
    better("fused-difference-from", z - x * y, fma(-x, y, z)),
)

product, product_lost = x * y, mul_error(x, y)
total, total_lost = x + y, add_error(x, y)
difference, difference_lost = x - y, add_error(x, -y)
by, by_lost = x / y, fma(-(x / y), y, x) / y

CORRECTED = tuple(
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
)

TURNS = tuple(
    one
    for name, wave in (("sin", sin), ("cos", cos))
    for one in (
        real(f"{name}-of-half-turns", wave(x * math.pi), wave(fmod(x, 2) * math.pi)),
        real(
            f"{name}-of-part-of-half-turn",
            wave(x / y * math.pi),
            wave(fmod(x, 2 * y) / y * math.pi),
        ),
        real(f"{name}-of-half-turns-by", wave(math.pi * x / y), wave(math.pi * fmod(x, 2 * y) / y)),
    )
)

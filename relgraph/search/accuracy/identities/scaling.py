"""What keeps products, squares and sums from over- and underflow.

Higham, Accuracy and Stability of Numerical Algorithms (2002), 2.8 and 27.8; Smith, Algorithm 116:
complex division (1962).
"""

from __future__ import annotations

from relgraph.search.accuracy.identities.algebra import nonnegative, real
from relgraph.tensor import abs as abs_
from relgraph.tensor import gt, hypot, sign, sqrt, switch
from relgraph.tensor.lawkit.vocabulary import lvars

x, y, z, t = lvars("x y z t")

HYPOTENUSES = (
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
)

signed_root = sign(y) * sqrt(abs_(y)) * (sign(z) * sqrt(abs_(z)))
apart = sqrt(abs_(abs_(x) - signed_root)) * sqrt(abs_(x) + signed_root)

DISCRIMINANTS = (
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
)

ORDERS = (
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
)

ONE_TAKEN_OUT = (
    real("sum-by-its-first", x + y, x * (1 + y / x)),
    real("difference-by-its-first", x - y, x * (1 - y / x)),
    real("quotient-of-sum-by-its-first", x / (x + y), 1 / (1 + y / x)),
    real("quotient-of-difference-by-its-first", x / (x - y), 1 / (1 - y / x)),
    real("quotient-as-change", (x + y) / x, 1 + y / x),
    real("quotient-as-change-down", (x - y) / x, 1 - y / x),
)

"""Sines, cosines and tangents of sums, their differences and ratios, and arcs."""

from __future__ import annotations

import math

from relgraph.search.accuracy.identities.algebra import positive, real
from relgraph.tensor import (
    arccos,
    arcsin,
    arctan,
    arctan2,
    cos,
    cosm1,
    sin,
    sqrt,
    tan,
    tan_less_x,
    x_less_sin,
)
from relgraph.tensor.lawkit.vocabulary import lvars

x, y, z = lvars("x y z")

SUMS = (
    real("sin-of-sum", sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
    real("cos-of-sum", cos(x + y), cos(x) * cos(y) - sin(x) * sin(y)),
    real("sin-of-difference", sin(x - y), sin(x) * cos(y) - cos(x) * sin(y)),
    real("cos-of-difference", cos(x - y), cos(x) * cos(y) + sin(x) * sin(y)),
    real("tan-of-sum", tan(x + y), (tan(x) + tan(y)) / (1 - tan(x) * tan(y))),
    real("tan-of-quarter-and", tan(math.pi / 4 + x), (1 + tan(x)) / (1 - tan(x))),
    real("sin-of-double", sin(2 * x), 2 * (sin(x) * cos(x))),
    real("cos-of-double", cos(2 * x), 1 - 2 * (sin(x) * sin(x))),
    real("sin-of-opposite", sin(-x), -sin(x)),
    real("cos-of-opposite", cos(-x), cos(x)),
    real("tan-of-opposite", tan(-x), -tan(x)),
)

DIFFERENCES = (
    real("difference-of-sines", sin(x) - sin(y), 2 * (sin((x - y) / 2) * cos((x + y) / 2))),
    real("difference-of-cosines", cos(x) - cos(y), -2 * (sin((x - y) / 2) * sin((x + y) / 2))),
    real("difference-of-tangents", tan(x) - tan(y), sin(x - y) / (cos(x) * cos(y))),
    real("sine-of-sum-less-sine", sin(x + y) - sin(x), sin(x) * cosm1(y) + cos(x) * sin(y)),
    real("cosine-of-sum-less-cosine", cos(x + y) - cos(x), cos(x) * cosm1(y) - sin(x) * sin(y)),
    real("one-less-cosine", 1 - cos(x), -cosm1(x)),
    real("cosine-less-one", cos(x) - 1, cosm1(x)),
    real("cosm1-by-sine", cosm1(x), -2 * (sin(x / 2) * sin(x / 2))),
    real("itself-less-sine", x - sin(x), x_less_sin(x)),
    real("sine-less-itself", sin(x) - x, -x_less_sin(x)),
    real("tangent-less-itself", tan(x) - x, tan_less_x(x)),
    real("itself-less-tangent", x - tan(x), -tan_less_x(x)),
)

SQUARES = (
    real("squares-of-sine-and-cosine", sin(x) * sin(x) + cos(x) * cos(x), 1),
    real("one-less-square-of-sine", 1 - sin(x) * sin(x), cos(x) * cos(x)),
    real("one-less-square-of-cosine", 1 - cos(x) * cos(x), sin(x) * sin(x)),
    real("square-of-cosine-less-of-sine", cos(x) * cos(x) - sin(x) * sin(x), cos(2 * x)),
    real("product-of-sines", sin(x) * sin(y), (cos(x - y) - cos(x + y)) / 2),
    real("product-of-cosines", cos(x) * cos(y), (cos(x + y) + cos(x - y)) / 2),
    real("product-of-sine-and-cosine", sin(x) * cos(y), (sin(x + y) + sin(x - y)) / 2),
)

RATIOS = (
    real("tangent-as-quotient", tan(x), sin(x) / cos(x)),
    real("tangent-by-sine", tan(x) / sin(x), 1 / cos(x)),
    real("sine-by-tangent", sin(x) / tan(x), cos(x)),
    real("tangent-of-half", (1 - cos(x)) / sin(x), tan(x / 2)),
    real("tangent-of-half-by-sine", sin(x) / (1 + cos(x)), tan(x / 2)),
    real("cosm1-to-sine", cosm1(x) / sin(x), -tan(x / 2)),
)

ARCS = (
    real(
        "difference-of-arctans",
        arctan(x) - arctan(y),
        arctan2(x - y, 1 + x * y),
        domain=positive(1 + x * y),
    ),
    real(
        "difference-of-arctans-as-arctan",
        arctan(x) - arctan(y),
        arctan((x - y) / (1 + x * y)),
        domain=positive(1 + x * y),
    ),
    real("arctan-of-reciprocal", arctan(1 / x), math.pi / 2 - arctan(x), domain=positive(x)),
    real("arctan-of-quotient", arctan(x / y), arctan2(x, y), domain=positive(y)),
    real("arccos-by-arcsin", arccos(x), math.pi / 2 - arcsin(x)),
    real("arcsin-by-arccos", arcsin(x), math.pi / 2 - arccos(x)),
    real("arccos-by-half-arcsin", arccos(x), 2 * arcsin(sqrt((1 - x) / 2))),
    real("arccos-by-arctan2", arccos(x), 2 * arctan2(sqrt(1 - x), sqrt(1 + x))),
    real("arcsin-by-arctan2", arcsin(x), arctan2(x, sqrt(1 - x * x))),
    real("arcsin-by-arctan", arcsin(x), arctan(x / sqrt(1 - x * x))),
    real("quarter-less-arcsin", math.pi / 2 - arcsin(x), arccos(x)),
    real("quarter-less-arccos", math.pi / 2 - arccos(x), arcsin(x)),
    real("sine-of-arcsin", sin(arcsin(x)), x),
    real("cosine-of-arcsin", cos(arcsin(x)), sqrt(1 - x * x)),
    real("tangent-of-arcsin", tan(arcsin(x)), x / sqrt(1 - x * x)),
    real("cosine-of-arccos", cos(arccos(x)), x),
    real("sine-of-arccos", sin(arccos(x)), sqrt(1 - x * x)),
    real("tangent-of-arctan", tan(arctan(x)), x),
    real("sine-of-arctan", sin(arctan(x)), x / sqrt(1 + x * x)),
    real("cosine-of-arctan", cos(arctan(x)), 1 / sqrt(1 + x * x)),
)

"""What each law about casts does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.scalar import Cast
from relgraph.tensor import Elemwise
from tests.relations.applied import (
    b,
    f,
    h,
    i,
    u,
    x,
    y,
)

v = at.TensorType("uint8", (None,))("v")

CASES = [
    ("cast-to-own", Elemwise(Cast("float64"))(x), "x"),
    ("cast-cast", at.cast(at.cast(f, "float64"), "float16"), "cast{float16}(f)"),
    ("cast-cast", at.cast(at.cast(b, "float32"), "int8"), "cast{int8}(b)"),
    ("cast-cast", at.cast(at.cast(i, "int32"), "int8"), "cast{int8}(i)"),
    ("cast-cast", at.cast(at.cast(f, "complex64"), "complex128"), "cast{complex128}(f)"),
    ("cast-trunc", at.cast(at.trunc(x), "int64"), "cast{int64}(x)"),
    ("zero-sub-other", at.constant(0, dtype="int64") - b, "-cast{int64}(b)"),
    ("compare-casts", at.cast(f, "float64") < at.cast(h, "float64"), "f < h"),
    (
        "extreme-casts",
        at.maximum(at.cast(f, "float64"), at.cast(h, "float64")),
        "cast{float64}(maximum(f, h))",
    ),
    (
        "extreme-casts",
        at.minimum(at.cast(u, "int64"), at.cast(v, "int64")),
        "cast{int64}(minimum(u, v))",
    ),
    ("switch-cast", at.switch(at.cast(b, "float64"), x, y), "switch(b, x, y)"),
    ("isnan-cast", at.isnan(at.cast(f, "float64")), "isnan(f)"),
    ("neq-cast-zero", at.neq(at.cast(b, "int8"), 0), "b"),
    ("eq-cast-zero", at.eq(at.cast(b, "int8"), 0), "~b"),
    ("eq-cast-one", at.eq(at.cast(b, "float32"), 1), "b"),
    ("neq-cast-one", at.neq(at.cast(b, "int8"), 1), "~b"),
]

NOT_MATCHED = [
    ("cast-cast", at.cast(at.cast(x, "float32"), "float64")),  # it rounds
    ("cast-cast", at.cast(at.cast(i, "float64"), "int64")),
    ("cast-cast", at.cast(at.cast(at.ivector(), "float64"), "int8")),  # 300 is no int8
    ("cast-cast", at.cast(at.cast(i, "int8"), "int64")),
    ("cast-trunc", at.cast(at.trunc(x), "float32")),
    ("compare-casts", at.cast(f, "float64") < at.cast(i, "float64")),
    ("compare-casts", at.cast(x, "float32") < at.cast(y, "float32")),
    ("extreme-casts", at.maximum(at.cast(x, "int8"), at.cast(y, "int8"))),
    ("switch-cast", at.switch(at.cast(x, "int64"), x, y)),
    ("neq-cast-zero", at.neq(at.cast(i, "int8"), 0)),
]

"""What each law about dtypes does to an expression: casts, integers, complex numbers, rounding."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from relgraph.scalar import Cast
from relgraph.tensor import Elemwise
from tests.relations.applied import (
    b,
    f,
    h,
    i,
    u,
    value_of,
    w,
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
    ("compare-cast-flag", at.neq(at.cast(b, "int8"), 0), "b != 0"),
    ("compare-cast-flag", at.eq(at.cast(b, "int8"), 0), "b == 0"),
    ("compare-cast-flag", at.eq(at.cast(b, "float32"), 1), "b == 1.0"),
    ("compare-cast-flag", at.neq(at.cast(b, "int8"), 1), "b != 1"),
    ("int-div-one", u // 1, "u"),
    ("int-div-minus-one", i // -1, "-i"),
    ("zero-int-div", 0 // i, "second(i, 0)"),
    ("int-div-twice", i // 3 // 5, "i // 15"),
    ("mod-minus-one", i % -1, "second(i, 0)"),
    ("zero-mod", 0 % i, "second(i, 0)"),
    ("int-div-of-mod", i % 3 // 3, "second(i % 3, 0)"),
    ("div-mod", i // 3 * 3 + i % 3, "i"),
    ("sub-int-div", i - i // -3 * -3, "i % -3"),
    ("sub-mod", i - i % 3, "i // 3 * 3"),
    ("real-real", at.real(i), "i"),
    ("real-cast", at.real(at.cast(x, "complex128")), "x"),
    ("imag-cast", at.imag(at.cast(x, "complex128")), "second(cast{complex128}(x), 0.0)"),
    ("conj-cast", at.conj(at.cast(x, "complex128")), "cast{complex128}(x)"),
    ("conj-conj", at.conj(at.conj(w)), "w"),
    ("real-conj", at.real(at.conj(w)), "real(w)"),
    ("abs-conj", at.abs(at.conj(w)), "abs(w)"),
    ("round-integer", at.floor(i), "i"),
    ("round-rounded", at.ceil(at.round(x)), "round(x)"),
    ("round-rounded", at.floor(at.sign(x)), "sign(x)"),
    ("round-quotient", at.trunc(x // y), "x // y"),
    ("round-cast-integer", at.floor(at.cast(i, "float64")), "cast{float64}(i)"),
    ("rounding-of-neg", at.trunc(-x), "-trunc(x)"),
    ("rounding-of-neg", at.round(-x), "-round(x)"),
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
    ("compare-cast-flag", at.neq(at.cast(i, "int8"), 0)),
    ("int-div-minus-one", u // np.uint8(255)),
    ("int-div-twice", u // np.uint8(16) // np.uint8(16)),
    ("int-div-twice", i // -3 // 5),
    ("int-div-of-mod", i % 0 // 0),
    ("div-mod", i // 0 * 0 + i % 0),
    ("mod-self", x % x),
    ("conj-real", at.conj(w)),
    ("imag-real", at.imag(w)),
    ("angle-conj", at.angle(at.conj(x))),  # the angle of -1 is pi, not -pi
    ("real-of-parts", at.real(w + 1j * y)),
    ("round-integer", at.floor(x)),
    ("round-rounded", at.floor(at.exp(x))),
    ("round-cast-integer", at.floor(at.cast(x, "float32"))),
]


@pytest.mark.parametrize(
    ("before", "values"),
    [
        (i * 3 // 3, [2**62, -(2**62), 5]),
        (i * 4 % 4, [2**62, -7, 5]),
        (i // 2, [-7, 7, -1]),
        (i % 2, [-7, 7, -1]),
        (i // 0, [-7, 7, 0]),
        (i % 0, [-7, 7, 0]),
        (i + i - i, [2**63 - 1, -(2**63), 0]),
        (at.neg(-i) + abs(-i), [-(2**63), 2**63 - 1, 0]),
    ],
)
def test_integers_wrap_around_as_before(before, values):
    after = optimize_graph(before, include=("canonicalize", "specialize"), clone=True)
    expected, found = (value_of(graph, {"i": np.array(values)}) for graph in (before, after))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)

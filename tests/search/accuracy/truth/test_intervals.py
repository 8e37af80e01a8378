"""Intervals hold the true value, and settle on it."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from relgraph.search.accuracy.expressions import NotSupported, apply, named
from relgraph.search.accuracy.notation.formulas import parsed
from relgraph.search.accuracy.truth.intervals import UNKNOWN, Intervals
from relgraph.search.accuracy.truth.mpmath_numbers import libmp, to_float
from relgraph.search.accuracy.truth.numbers_at_points import FUNCTIONS, value_at
from relgraph.search.accuracy.truth.settling import UNDECIDED, Settler

UNARY = (
    *("abs", "arccosh", "arccos", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "cos"),
    *("cosh", "cosm1", "erf", "erfc", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p"),
    *("log2", "neg", "round", "sign", "sin", "sinh", "sqr", "sqrt", "tan", "tanh", "trunc"),
)
BINARY = (
    *("add", "arctan2", "copysign", "fmod", "hypot", "maximum", "minimum", "mod", "mul", "pow"),
    *("sqr_less_sqr", "sub", "true_div"),
)


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_an_interval_holds_the_values_within_it(name: str) -> None:
    random = np.random.default_rng(5)
    functions, checked = Intervals(60), 0
    for _ in range(60):
        ends = np.sort(random.uniform(-3, 3, (1 if name in UNARY else 2, 2)), axis=1)
        if random.random() < 0.3:
            ends[:, 1] = ends[:, 0]
        boxes = [(*map(libmp.from_float, map(float, e)), False) for e in ends]
        found = getattr(functions, name)(*boxes)
        inside = [libmp.from_float(float(random.uniform(*e))) for e in ends]
        value = value_at(name, inside, 200)
        if value is None:
            assert found is None or found[2]
            continue
        assert found is not None
        assert libmp.mpf_le(found[0], value) and libmp.mpf_le(value, found[1])
        checked += 1
    assert checked > 5


def test_a_function_of_points_is_that_of_mpmath() -> None:
    with mpmath.workprec(300):
        for name, theirs in (("exp", mpmath.exp), ("arctan", mpmath.atan), ("log1p", mpmath.log1p)):
            x = mpmath.mpf(0.3)
            found = mpmath.mpf(FUNCTIONS[name](200, x._mpf_))
            assert abs(found - theirs(x)) < mpmath.mpf(2) ** -190


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("sqrt(x + 1) - sqrt(x)", 1e20, 5e-11),
        ("(1 - cos(x)) / x**2", 1e-9, 0.5),
        ("x + 1 - x", 1e300, 1.0),
        ("exp(x) - 1", 1e-200, 1e-200),
        ("sin(pi)", 0.0, 0.0),
        ("where(x < 1, 2, 3)", 0.5, 2.0),
        ("0.1", 0.0, 0.1),
    ],
)
def test_true_values(text: str, at: float, expected: float) -> None:
    found, bits = Settler(parsed(text)).value({"x": at})
    assert bits >= 80
    assert found == expected


def test_what_no_precision_settles() -> None:
    assert Settler(parsed("1 / sin(pi)")).value({})[0] == UNDECIDED


def test_what_has_no_value() -> None:
    for text, at in (("log(x)", -1.0), ("1 / (x - x)", 1.0), ("exp(x)", 1e5), ("sqrt(x)", -1.0)):
        assert Settler(parsed(text)).value({"x": at})[0] is None


def test_conditions() -> None:
    truth = Settler(parsed("0 < x <= 1 or not x < 5"))
    assert [truth.value({"x": v})[0] for v in (0.0, 0.5, 1.0, 2.0, 5.0)] == [0, 1, 1, 0, 1]
    wide = (libmp.from_int(0), libmp.from_int(2), False)
    assert truth.interval(80, {"x": wide}) is UNKNOWN


def test_an_op_without_a_rule_is_named() -> None:
    with pytest.raises(NotSupported, match="gammaln"):
        Settler(apply("gammaln", named("x")))


def test_rounding_is_to_the_nearest_float() -> None:
    for value in (1.5, -(2.0**-1074), 1e308, 3e-310):
        assert to_float(libmp.from_float(value)) == value
    assert to_float(libmp.from_str("1e400", 200, "n")) == np.inf
    assert to_float(libmp.from_str("-1e-400", 200, "n")) == 0
    assert to_float(libmp.from_str("3e-45", 200, "n"), np.float32) == np.float32(3e-45)

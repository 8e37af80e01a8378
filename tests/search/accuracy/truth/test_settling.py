"""Intervals hold the true value, and settle on it."""

from __future__ import annotations

import numpy as np
import pytest

from relgraph.search.accuracy.expressions import NotSupported, apply, named
from relgraph.search.accuracy.formulas import parsed
from relgraph.search.accuracy.true_values import UNSETTLED, Settler
from relgraph.truth.balls import UNDECIDED, arb, is_none, precision, scalar_op, value
from relgraph.truth.ranges import NOWHERE, Range, image

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
def test_a_range_holds_the_values_within_it(name: str) -> None:
    random = np.random.default_rng(5)
    op, checked = scalar_op(name), 0
    for _ in range(60):
        ends = np.sort(random.uniform(-3, 3, (1 if name in UNARY else 2, 2)), axis=1)
        if random.random() < 0.3:
            ends[:, 1] = ends[:, 0]
        with precision(60):
            found = image(op, [Range(*map(arb, map(float, e))) for e in ends])
        with precision(200):
            true = value(op, [arb(float(random.uniform(*e))) for e in ends])
        if is_none(true):
            assert found is NOWHERE or found.partial
            continue
        assert found is not NOWHERE
        assert found.low <= true <= found.high
        checked += 1
    assert checked > 5


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
    assert Settler(parsed("1 / sin(pi)")).value({})[0] == UNSETTLED


def test_what_has_no_value() -> None:
    for text, at in (("log(x)", -1.0), ("1 / (x - x)", 1.0), ("exp(x)", 1e5), ("sqrt(x)", -1.0)):
        assert Settler(parsed(text)).value({"x": at})[0] is None


def test_conditions() -> None:
    truth = Settler(parsed("0 < x <= 1 or not x < 5"))
    assert [truth.value({"x": v})[0] for v in (0.0, 0.5, 1.0, 2.0, 5.0)] == [0, 1, 1, 0, 1]
    assert truth.range_over(80, {"x": Range(arb(0), arb(2))}) is UNDECIDED


def test_an_op_without_a_rule_is_named() -> None:
    with pytest.raises(NotSupported, match="nextafter"):
        Settler(apply("nextafter", named("x"), named("y")))

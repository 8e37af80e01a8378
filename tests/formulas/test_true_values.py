"""Points of the domain, and true values there."""

from __future__ import annotations

import numpy as np
import pytest

from relgraph.formulas.expressions import NotSupported, apply, named
from relgraph.formulas.parsing import parsed
from relgraph.formulas.true_values import UNSETTLED, EmptyDomain, Sampler, Settler, bits_of_error
from relgraph.scalar.type import from_ordinals, to_ordinals
from relgraph.truth.balls import UNDECIDED, arb, is_none, precision, scalar_op, value
from relgraph.truth.ranges import NOWHERE, Range, image


def sampler(formula: str, domain: str | None, names: str = "x", dtype=np.float64) -> Sampler:
    condition = None if domain is None else parsed(domain)
    return Sampler(parsed(formula), names.split(), condition, dtype, 0)


def test_points_are_uniform_over_the_floats() -> None:
    x = sampler("x", None).points(400, 5).inputs["x"]
    share = (to_ordinals(x) / float(to_ordinals(np.array([np.finfo(float).max]))[0])).astype(float)
    np.testing.assert_allclose(np.quantile(share, [0.25, 0.5, 0.75]), [-0.5, 0, 0.5], atol=0.12)


def test_points_of_a_small_domain_are_found() -> None:
    known = sampler("sqrt(x - y)", "1 < x < 1.001 and y > x - 1e-3 and y < x", "x y").points(8, 4)
    x, y = known.inputs["x"], known.inputs["y"]
    assert ((x > 1) & (x < 1.001) & (y < x) & (y > x - 1e-3)).all()
    np.testing.assert_allclose(known.true, np.sqrt(x - y), rtol=1e-12)


def test_points_of_a_narrow_domain_are_found_quickly() -> None:
    """One of a thousand points of the box is in it; cells are cut where they are widest."""
    some = sampler("x - y", "0.1 < y < 1 and 0.999 * y < x < 1.001 * y", "x y")
    for _ in range(2):
        x, y = some.points(64, 3).inputs.values()
        assert len(x) == 64 and (abs(x - y) < 0.0011 * y).all()


def test_points_are_found_where_hardly_any_are_in_the_domain() -> None:
    """The three sides of a triangle are of one size: one of a million points is so."""
    triangle = "a > 0 and b > 0 and c > 0 and a < b + c and b < a + c and c < a + b"
    known = sampler("a / b + c", triangle, "a b c").points(12, 20)
    a, b, c = (known.inputs[n] for n in "abc")
    assert len(known) == 12
    assert (2 * np.maximum(np.maximum(a, b), c) < a + b + c).all()
    assert np.ptp(np.log10(a)) > 50


def test_only_points_with_true_values() -> None:
    known = sampler("log(x)", None).points(50, 5)
    assert (known.inputs["x"] > 0).all()
    assert np.isfinite(known.true).all()


def test_ordinary_points() -> None:
    known = sampler("x", None).ordinary_points(50, 5)
    assert known is not None
    size = np.abs(known.inputs["x"])
    assert (size >= 0.001).all() and (size <= 1000).all()


def test_an_empty_domain() -> None:
    for domain in ("x < 1 and x > 2", "x < -1"):
        with pytest.raises(EmptyDomain, match="no point"):
            sampler("log(x)", domain).points(5, 2)


def test_float32() -> None:
    known = sampler("x * x", None, dtype=np.float32).points(20, 5)
    assert known.true.dtype == known.inputs["x"].dtype == np.float32
    assert bits_of_error(known.inputs["x"] ** 2, known.true).max() <= 1


def test_ordinals_are_the_order_of_floats() -> None:
    for dtype in (np.float64, np.float32):
        x = np.array([-np.inf, -1.5, -0.0, 0.0, 1e-30, 2.0, np.inf], dtype)
        places = to_ordinals(x)
        assert (np.diff(places) >= 0).all() and places[2] == places[3] == 0
        np.testing.assert_array_equal(from_ordinals(places, dtype), x)
        assert (to_ordinals(np.nextafter(x[1:6], np.inf)) == places[1:6] + 1).all()


def test_bits_of_error() -> None:
    true = np.array([1.0, 1.0, -1.0, 1.0, 0.0])
    found = np.array([1.0, np.nextafter(1, 2), 1.0, np.nan, 5e-324])
    bits = bits_of_error(found, true)
    assert bits[0] == 0 and bits[1] == 1 and bits[3] == 64 and bits[4] == 1
    assert 62 < bits[2] <= 64


# Intervals hold the true value, and settle on it.

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

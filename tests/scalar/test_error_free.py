"""Errors of sums and products are exact, and products that are rounded once are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.scalar.error_free import add_error, fma, mul_error
from relgraph.tensor.math import fma as tensor_fma
from relgraph.tensor.math import scaled_product
from relgraph.truth.balls import arb, precision, value
from relgraph.truth.graphs import rounded
from tests.seeds import seed_of


def drawn(random, most: int, count: int = 200):
    signs = random.choice([-1.0, 1.0], count)
    return np.ldexp(random.uniform(0.5, 1, count) * signs, random.integers(-most, most, count))


def nearest(q: Fraction) -> float:
    try:
        return float(q)
    except OverflowError:
        return np.inf if q > 0 else -np.inf


@pytest.mark.parametrize("most", [1000, 400, 40, 2])
def test_against_fractions(most: int) -> None:
    random = np.random.default_rng(seed_of("fractions", most))
    x, y, z = (drawn(random, most) for _ in range(3))
    with np.errstate(all="ignore"):
        product, total = x * y, x + y
        z[:70] = np.where(np.isfinite(product[:70]), -product[:70], 1.0)
    for a, b, c, p, s, found, lost, missed in zip(
        x, y, z, product, total, fma.impl(x, y, z), mul_error.impl(x, y), add_error.impl(x, y),
        strict=True,
    ):  # fmt: skip
        exact = Fraction(a) * Fraction(b)
        assert found == nearest(exact + Fraction(c))
        if np.isfinite(p) and abs(p) > 1e-280:
            assert lost == float(exact - Fraction(p))
        assert missed == float(Fraction(a) + Fraction(b) - Fraction(s))


def test_what_is_not_finite() -> None:
    assert np.isnan(fma.impl(np.inf, 0.0, 1.0)) and fma.impl(2.0, 3.0, np.inf) == np.inf
    assert fma.impl(0.0, 5.0, -2.0) == -2.0
    assert mul_error.impl(1e200, 1e200) == 0 and add_error.impl(1e308, 1e308) == 0


def test_dtypes() -> None:
    x = np.float32([1.1, 2.3])
    assert fma.impl(x, x, x).dtype == np.float32
    np.testing.assert_allclose(fma.impl(x, x, x), x * x + x, rtol=1e-6)
    assert fma.output_dtype("int64", "int64", "int64") == "float64"


def test_scaled_products() -> None:
    x, y, z = (at.dvector(n) for n in "xyz")
    out = scaled_product([x, y], [z])
    found = function([x, y, z], out)(*[np.array(v) for v in ([1e200, -2], [1e250, 3], [1e300, 4])])
    np.testing.assert_allclose(found, [1e150, -1.5], rtol=1e-15)
    assert str(out.owner.op.scalar_op) == "scaled_product{2,1}"


def test_gradients() -> None:
    x, y, z = (at.dvector(n) for n in "xyz")
    values = [np.array([2.0, 3.0]), np.array([5.0, -1.0]), np.array([4.0, 7.0])]
    for out, plain in (
        (tensor_fma(x, y, z), x * y + z),
        (scaled_product([x, y], [z]), x * y / z),
    ):
        ours, theirs = (
            function([x, y, z], [grad(at.sum(o), v) for v in (x, y, z)])(*values)
            for o in (out, plain)
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


SMALL = np.array([0.3, 1.0, 1e-3, 1e-8, 1e-50, 0.9, 1.9, 2.1, 7.0])
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
OPS = (
    *(scalar.cbrt, scalar.cosm1, scalar.log1pmx, scalar.x_less_sin, scalar.tan_less_x),
    *(scalar.log1p_sqr, scalar.hypot1m1),
)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("op", OPS, ids=str)
def test_values_are_the_true_ones(op, dtype):
    points = np.concatenate([SMALL, -SMALL[:1], -SMALL[2:6]]).astype(dtype)
    found = op.impl(points)
    assert found.dtype == dtype
    with precision(1000):
        expected = rounded([value(op, [arb(float(v))]) for v in points])
    tolerance = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(found, expected.astype(dtype), rtol=tolerance, atol=1e-300)


@pytest.mark.parametrize("op", OPS, ids=str)
def test_edges_are_those_of_the_formula(op):
    formulas = {
        "cbrt": np.cbrt,
        "cosm1": lambda x: np.cos(x) - 1,
        "log1pmx": lambda x: np.log1p(x) - x,
        "log1p_sqr": lambda x: np.log1p(x * x),
        "hypot1m1": lambda x: np.sqrt(1 + x * x) - 1,
        "x_less_sin": lambda x: x - np.sin(x),
        "tan_less_x": lambda x: np.tan(x) - x,
    }
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(op.impl(EDGES), formulas[op.name](EDGES))


@pytest.mark.parametrize("op", OPS, ids=str)
def test_integers_become_floats_as_in_numpy(op):
    for dtype in ("bool", "int8", "int64", "uint16"):
        assert op.output_dtype(dtype) == np.sin.resolve_dtypes((np.dtype(dtype), None))[1].name


def test_lengths():
    x = np.array([3e200, 3e-200, 0.0, np.inf, np.nan, np.inf])
    y = np.array([4e200, 4e-200, 0.0, 1.0, 1.0, np.nan])
    np.testing.assert_array_equal(at.hypot(x, y).eval(), np.hypot(x, y))
    found = at.length(x, y).eval()
    np.testing.assert_array_equal(found[:5], np.hypot(x, y)[:5])
    assert np.isnan(found[5])


@pytest.mark.parametrize("length", [0, 1, 7, 20_000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_lengths_anywhere_in_the_range(dtype, length):
    """They are roots of sums of squares where these keep their digits, and else NumPy's."""
    rng = np.random.default_rng(length)
    if dtype == "int8":
        x, y = rng.integers(-128, 128, (2, length)).astype(dtype)
    else:
        exponents = np.log2(np.finfo(dtype).smallest_subnormal), np.finfo(dtype).maxexp - 1
        sizes = 2.0 ** rng.uniform(*exponents, length)
        with np.errstate(over="ignore"):
            x, y = (rng.normal(size=(2, length)) * sizes).astype(dtype)
        x[rng.random(length) < 0.1] = 0
        y[rng.random(length) < 0.1] = 0
    with np.errstate(all="ignore"):
        found, expected = scalar.length.impl(x, y), np.hypot(x, y)
        finite = np.isfinite(expected)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found[~finite], expected[~finite])
        assert np.all(abs(found - expected)[finite] <= np.spacing(expected[finite]))


def test_differences_of_squares():
    tiny, near = 2.0**-53, 1 + 2.0**-30
    x = np.array([1.0, 1.0, near, 3e200, 3e200, 1.7e308, 1e-200, np.inf, np.inf])
    y = np.array([tiny, -tiny, 1.0, 3e200, 1.0, -1.7e308, 0.0, 1.0, np.inf])
    exact = 2.0**-29 + 2.0**-60
    expected = np.array([1.0, 1.0, exact, 0.0, np.inf, 0.0, 0.0, np.inf, np.nan])
    for dtype in ("float64", "float32"):
        a, b = x[:2].astype(dtype), (y[:2] * (1 if dtype == "float64" else 2.0**29)).astype(dtype)
        found = scalar.sqr_less_sqr.impl(a, b)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected[:2])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(scalar.sqr_less_sqr.impl(x, y), expected)
        np.testing.assert_array_equal(scalar.sqr_less_sqr.impl(y, x), -expected)
    assert scalar.sqr_less_sqr.output_dtype("int8", "int8") == "float16"


@pytest.mark.parametrize("op", [at.hypot, at.length], ids=str)
def test_the_slope_of_a_length_at_the_origin_is_zero(op):
    x, y = at.dvectors("x", "y")
    slope = grad(at.sum(op(x, y)), x)
    values = {x: np.array([0.0, 3.0]), y: np.array([0.0, 4.0])}
    np.testing.assert_allclose(slope.eval(values), [0, 0.6])

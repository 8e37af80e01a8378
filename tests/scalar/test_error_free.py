"""Errors of sums and products are exact, and products that are rounded once are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.scalar.error_free import add_error, fma, mul_error
from relgraph.tensor.math import fma as tensor_fma
from relgraph.tensor.math import scaled_product
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

"""Functions of one argument beside mpmath's, and beside SciPy's at the edges; a larger grid by
``python -m tests.engines.jax.special.bessel.test_tables``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relgraph.engines.jax.special.bessel import BESSEL, airy, integrals, kelvin, whole_orders
from tests.engines.jax.special.bessel.judged import by_scipy, computed, errors, worst
from tests.engines.jax.special.bessel.true_values import ON_BOTH_SIDES, VALUES, true_value

PAGES = (whole_orders, airy, kelvin, integrals)
FUNCTIONS = {name: BESSEL[name] for page in PAGES for name in page.FUNCTIONS}

ORDINARY = [1e-8, 0.01, 0.5, 1.9, 2.1, 3.7, 5.9, 6.1, 7.9, 8.1, 12.3, 19.9, 20.1, 33.3, 60.1]
POINTS = np.array([*ORDINARY, *(-x for x in ORDINARY[::3])])
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])

# SciPy has 1e300 for what is infinite at 0.
EDGES_APART = ("it2j0y0.1", "it2i0k0.1")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return computed(FUNCTIONS, np.concatenate([POINTS, EDGES]))


@pytest.mark.parametrize("name", VALUES)
def test_values(found: dict[str, Any], name: str) -> None:
    error, at = _judged(name, found[name][: POINTS.size], POINTS)
    assert error < 1e-12, at


def _judged(name: str, found: Any, x: Any) -> tuple[float, tuple[float, ...]]:
    defined = np.array([name in ON_BOTH_SIDES or v > 0 for v in x])
    values, sizes = np.array([true_value(name, v) for v in x[defined]]).T
    assert np.isnan(found[~defined]).all()
    return worst(errors(found[defined], values, sizes), x[defined])


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in EDGES_APART])
def test_edges(found: dict[str, Any], name: str) -> None:
    error, at = worst(errors(found[name][POINTS.size :], by_scipy(name, EDGES)), EDGES)
    assert error < 1e-15, at


def test_kelvin_is_made_of_its_parts(found: dict[str, Any]) -> None:
    for k, (real, imag) in enumerate((("ber", "bei"), ("ker", "kei"), ("berp", "beip"))):
        whole = found[f"kelvin.{k}"]
        np.testing.assert_array_equal(whole.real, found[real])
        np.testing.assert_array_equal(whole.imag, found[imag])


def test_single_numbers() -> None:
    x = np.abs(np.concatenate([POINTS, EDGES])).astype("float32")
    for name, y in computed({n: BESSEL[n] for n in ("j0", "kelvin.1")}, x).items():
        assert y.dtype == (np.float32 if name == "j0" else np.complex64)
        expected = by_scipy(name, x.astype(float))
        assert np.allclose(y[: POINTS.size], expected[: POINTS.size], rtol=1e-5, atol=0)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 40, 300), 10 ** rng.uniform(-9, 1.7, 200)])
    x = np.concatenate([x, -x])
    for name, y in computed({name: BESSEL[name] for name in VALUES}, x).items():
        print(name, *_judged(name, y, x))

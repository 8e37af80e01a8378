"""Bessel functions of real orders beside SciPy's; a larger grid by
``python -m tests.engines.jax.special.bessel.test_orders``.

Where SciPy is not right, `TRUE` has the values by mpmath.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

from relgraph.engines.jax.special.bessel import BESSEL
from relgraph.engines.jax.special.bessel.orders import FUNCTIONS
from tests.engines.jax.special.bessel.judged import by_scipy, computed, errors, pairs, worst

ORDERS = [0, 1, 2, 3.99, 4, 9, 30, 100, -1, -2, -7, 0.5, 1.5, -0.5, -2.5, 0.3, 12.6, -0.3, -12.6]
ORDERS += [1e-9, -1e-9, 0.9999999999]
ARGUMENTS = [1e-5, 0.01, 0.3, 1, 2.999, 3, 4.01, 5.7, 8, 12.6, 25, 30.1, 57, 100, 300, 650]
NEGATIVE = [-0.5, -2.5, -10, -100]
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan]

# (name, order, argument): value by mpmath with 40 digits, where SciPy has another one.
TRUE: dict[tuple[str, float, float], complex] = {
    ("jv", 1000.3, 1e6): 3.519978586646590358e-4,
    ("yn", 1.0, 1e6): -3.310433767241762889e-4,
    ("iv", 55.5, 712.0): 2.836694249015454367e306,
    ("yv", -0.5, 0.0): 0.0,
    ("iv", -1.5, 0.0): -np.inf,
    ("yve", 100.0, 1e-5): -np.inf,
}

WHOLE = ("jn", "yn", "kn")


V, X = pairs(ORDERS, ARGUMENTS + NEGATIVE + EDGES)
COMPARED = V.size
V, X = np.append(V, [v for _, v, _ in TRUE]), np.append(X, [x for *_, x in TRUE])


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return computed({name: BESSEL[name] for name in FUNCTIONS}, V, X)


def _errors(name: str, found: Any, v: Any, x: Any) -> Any:
    """Return errors relative to SciPy's values, where it oscillates to its envelope."""
    expected = by_scipy(name, v.astype("int64") if name in ("yn", "kn") else v, x)
    size = np.abs(x)
    envelope = 0.0
    if name[0] in "jy":
        oscillates = (size > np.abs(v)) | (v < 0) & (v != np.round(v))
        envelope = np.where(oscillates, np.abs(scipy.special.hankel1(np.abs(v), size)), 0.0)
    return errors(found, expected, np.nan_to_num(envelope))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(found: dict[str, Any], name: str) -> None:
    compared = np.arange(V.size) < COMPARED
    if name in WHOLE:
        compared &= np.round(V) == V
    elif name[0] in "yi":
        # SciPy has other signs of infinite values
        compared &= np.where(X == 0, V >= 0, ~np.isinf(found[name]))
    error, at = worst(_errors(name, found[name], V, X)[compared], V[compared], X[compared])
    assert error < 1e-12, at


@pytest.mark.parametrize("name, v, x", TRUE)
def test_what_scipy_has_wrong(found: dict[str, Any], name: str, v: float, x: float) -> None:
    value = found[name][(v == V) & (x == X)]
    assert errors(value, TRUE[name, v, x])[0] < 1e-12


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for low, high, most in ((0, 5, 10), (-5, 5, 50), (0, 60, 60), (0, 500, 700), (0, 5, 1e4)):
        v, x = rng.uniform(low, high, 20000), rng.uniform(0, most, 20000)
        v[::5] = np.round(v[::5])
        for name, y in computed({n: BESSEL[n] for n in FUNCTIONS if n not in WHOLE}, v, x).items():
            print(name, (low, high, most), *worst(_errors(name, y, v, x), v, x))

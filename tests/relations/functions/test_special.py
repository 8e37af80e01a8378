"""What each law about special functions does to an expression."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function, optimize_graph
from relgraph.gradient import grad
from relgraph.printing import pprint
from relgraph.tensor.special import ndtr
from tests.relations.applied import (
    x,
    y,
)

ROOT = 2**0.5
LOG_ERFC = (
    "switch(x < 0.5, log1p(-erf(switch(x < 0.5, x, 0.0))), "
    "log_ndtr(-1.4142135623730951 * x) + 0.6931471805599453)"
)

CASES = [
    ("difference-turned", at.erf(x) - 1, "-erfc(x)"),
    ("difference-turned", at.erfc(x) - 1, "-erf(x)"),
    ("erfc-scaled", 0.5 - 0.5 * at.erf(x), "0.5 * erfc(x)"),
    ("erfc-of-neg-scaled", 0.5 + 0.5 * at.erf(x), "0.5 * erfc(-x)"),
    ("difference-turned", ndtr(x) - 1, "-ndtr(-x)"),
    *(
        (f"log{ending}" if logarithm is at.log else "log-in-base", logarithm(tail), f"{after}{by}")
        for logarithm, by in (
            (at.log, ""),
            (at.log2, " / 0.6931471805599453"),
            (at.log10, " / 2.302585092994046"),
        )
        for ending, tail, after in (
            ("-erfc", at.erfc(x), LOG_ERFC),
            ("-half-erfc", 0.5 * at.erfc(x), "log_ndtr(-1.4142135623730951 * x)"),
            ("-erfc-by-two", at.erfc(x) / 2, "log_ndtr(-1.4142135623730951 * x)"),
            ("-ndtr", ndtr(x - y), "log_ndtr(x - y)"),
        )
    ),
    ("gammaln-step-positive", at.gammaln(at.cosh(x) + 1) - at.gammaln(at.cosh(x)), "log(cosh(x))"),
    ("digamma-step-positive", at.digamma(1 + at.cosh(x)) - at.digamma(at.cosh(x)), "1.0 / cosh(x)"),
]

NOT_MATCHED = [
    ("erfc", 2 - at.erf(x)),
    ("gammaln-step-positive", at.gammaln(at.exp(x) + 1) - at.gammaln(at.exp(x))),
    ("gammaln-step", at.gammaln(x + 2) - at.gammaln(x)),
    ("erfc-scaled", 0.5 - 0.25 * at.erf(x)),
    # where it overflows, a sum that does not is another one
    ("erfc-of-neg-scaled", 1e308 + 1e308 * at.erf(x)),
    ("log-half-erfc", at.log(0.25 * at.erfc(x))),
    ("log-erfc", at.log(at.erfc(at.cast(x, "float16")))),
]


def below(t: Any) -> Any:
    """Return the true value of ``ndtr``."""
    return mpmath.erfc(-t / mpmath.sqrt(2)) / 2


TAILS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "erfc": (lambda t: at.log(at.erfc(t)), lambda t: mpmath.log(mpmath.erfc(t))),
    "one less erf": (lambda t: at.log(1 - at.erf(t)), lambda t: mpmath.log(mpmath.erfc(t))),
    "one and erf": (lambda t: at.log(1 + at.erf(t)), lambda t: mpmath.log(mpmath.erfc(-t))),
    "log1p": (lambda t: at.log1p(at.erf(t)), lambda t: mpmath.log(mpmath.erfc(-t))),
    "log1p of less": (lambda t: at.log1p(-at.erf(t)), lambda t: mpmath.log(mpmath.erfc(t))),
    "log10": (lambda t: at.log10(at.erfc(t)), lambda t: mpmath.log10(mpmath.erfc(t))),
    "weighed": (lambda t: at.log(3 * at.erfc(t)), lambda t: mpmath.log(3 * mpmath.erfc(t))),
    "ndtr": (lambda t: at.log(ndtr(t)), lambda t: mpmath.log(below(t))),
    "by erf": (lambda t: at.log(0.5 * (1 + at.erf(t / ROOT))), lambda t: mpmath.log(below(t))),
    "by halves": (lambda t: at.log(0.5 + 0.5 * at.erf(t / ROOT)), lambda t: mpmath.log(below(t))),
    "by erfc": (lambda t: at.log(at.erfc(-t / ROOT) / 2), lambda t: mpmath.log(below(t))),
    "sf": (lambda t: at.log(1 - ndtr(t)), lambda t: mpmath.log(below(-t))),
    "sf by log1p": (lambda t: at.log1p(-ndtr(t)), lambda t: mpmath.log(below(-t))),
    "sf by erfc": (lambda t: at.log(0.5 * at.erfc(t / ROOT)), lambda t: mpmath.log(below(-t))),
    "sf by erf": (
        lambda t: at.log(1 - 0.5 * (1 + at.erf(t / ROOT))),
        lambda t: mpmath.log(below(-t)),
    ),
    "sf of a scale": (
        lambda t: at.log(1 - ndtr((t - 1.0) / 2.0)),
        lambda t: mpmath.log(below(-(t - 1) / 2)),
    ),
}


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (0.5 * at.erfc(-x / ROOT), "log_ndtr(x)"),
        (at.erfc(x / ROOT) / 2, "log_ndtr(-x)"),
        (0.5 * at.erfc(x * 0.5**0.5), "log_ndtr(-x)"),
        (0.5 * at.erfc(-x * 0.5**0.5), "log_ndtr(x)"),
        (1 - 0.5 * at.erfc(x / ROOT), "log_ndtr(x)"),
    ],
)
def test_the_roots_of_two_in_a_normal_distribution_cancel(tail, expected):
    phases = ["canonicalize", "stabilize", "specialize"]
    assert pprint(optimize_graph(at.log(tail), include=phases), minimal=True) == expected


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TAILS)
def test_tails_and_their_slopes_are_true(name: str, dtype: str) -> None:
    formula, _ = TAILS[name]
    t = at.scalar("t", dtype)
    cost = formula(t)
    run = function([t], [cost, grad(cost, t)])
    limits = np.finfo(dtype)
    for point in (-40.0, -7.0, -0.75, -0.25, 0.0, 2.0**-30, 0.25, 0.75, 7.0, 40.0):
        value, slope = run(np.asarray(point, dtype))
        assert value.dtype == slope.dtype == dtype
        expected, rise = true_tail(name, point)
        with mpmath.workdps(420):
            for found, truth, moved in ((value, expected, point * rise), (slope, rise, 0)):
                allowed = 10 * limits.eps * ((1 + point**2) * abs(truth) + abs(moved))
                assert abs(mpmath.mpf(float(found)) - truth) <= allowed + limits.tiny, point


@cache
def true_tail(name: str, point: float) -> tuple[Any, Any]:
    """Return the true logarithm and its slope, to more digits than doubles go down to."""
    _, true = TAILS[name]
    with mpmath.workdps(420):
        exact, step = mpmath.mpf(point), mpmath.mpf(10) ** -60
        return true(exact), (true(exact + step) - true(exact - step)) / (2 * step)


def test_far_out_the_slope_is_the_number() -> None:
    t = at.dscalar("t")
    cost = at.log(ndtr(t))
    run = function([t], [cost, grad(cost, t)])
    np.testing.assert_allclose(run(-1e10), [-5e19, 1e10], rtol=1e-15)
    np.testing.assert_array_equal(run(-math.inf), [-math.inf, math.inf])
    np.testing.assert_array_equal(run(math.inf), [0, 0])
    assert np.isnan(run(math.nan)).all()


@pytest.mark.parametrize("linker", ["jax", "dask"])
def test_other_engines_know_what_comes_out(linker: str) -> None:
    pytest.importorskip(linker)
    t = at.dvector("t")
    cost = at.log(0.5 * (1 + at.erf(t / ROOT)))
    outputs = [cost, grad(at.sum(cost), t)]
    values = np.array([-40.0, -1.0, 0.0, 3.0])
    expected = function([t], outputs)(values)
    found = function([t], outputs, mode=Mode(linker=linker))(values)
    np.testing.assert_allclose(found, expected, rtol=1e-13)

"""What each law about special functions does to an expression."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.tensor.special import ndtr
from tests.relations.applied import (
    x,
    y,
)
from tests.relations.cancellation.accuracy import true_value_and_slopes

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


TAILS: dict[str, Callable[[Any], Any]] = {
    "erfc": lambda t: at.log(at.erfc(t)),
    "one less erf": lambda t: at.log(1 - at.erf(t)),
    "one and erf": lambda t: at.log(1 + at.erf(t)),
    "log1p": lambda t: at.log1p(at.erf(t)),
    "log1p of less": lambda t: at.log1p(-at.erf(t)),
    "log10": lambda t: at.log10(at.erfc(t)),
    "weighed": lambda t: at.log(3 * at.erfc(t)),
    "ndtr": lambda t: at.log(ndtr(t)),
    "by erf": lambda t: at.log(0.5 * (1 + at.erf(t / ROOT))),
    "by halves": lambda t: at.log(0.5 + 0.5 * at.erf(t / ROOT)),
    "by erfc": lambda t: at.log(at.erfc(-t / ROOT) / 2),
    "sf": lambda t: at.log(1 - ndtr(t)),
    "sf by log1p": lambda t: at.log1p(-ndtr(t)),
    "sf by erfc": lambda t: at.log(0.5 * at.erfc(t / ROOT)),
    "sf by erf": lambda t: at.log(1 - 0.5 * (1 + at.erf(t / ROOT))),
    "sf of a scale": lambda t: at.log(1 - ndtr((t - 1.0) / 2.0)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TAILS)
def test_tails_and_their_slopes_are_true(name: str, dtype: str) -> None:
    t = at.scalar("t", dtype)
    cost = TAILS[name](t)
    run = function([t], [cost, grad(cost, t)])
    limits = np.finfo(dtype)
    for point in (-40.0, -7.0, -0.75, -0.25, 0.0, 2.0**-30, 0.25, 0.75, 7.0, 40.0):
        value, slope = run(np.asarray(point, dtype))
        assert value.dtype == slope.dtype == dtype
        expected, rise = true_value_and_slopes(cost, [t], [point])
        for found, truth, moved in ((value, expected, point * rise), (slope, rise, 0)):
            allowed = 10 * limits.eps * ((1 + point**2) * abs(truth) + abs(moved))
            assert abs(float(found) - truth) <= allowed + limits.tiny, point


def test_far_out_the_slope_is_the_number() -> None:
    t = at.dscalar("t")
    cost = at.log(ndtr(t))
    run = function([t], [cost, grad(cost, t)])
    np.testing.assert_allclose(run(-1e10), [-5e19, 1e10], rtol=1e-15)
    np.testing.assert_array_equal(run(-math.inf), [-math.inf, math.inf])
    np.testing.assert_array_equal(run(math.inf), [0, 0])
    assert np.isnan(run(math.nan)).all()

"""What each law about logarithms of products does, and that what it leaves neither over- nor
underflows."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.tensor.special import ndtr
from tests.relations.applied import (
    LAWS,
    applied,
    inputs_of,
    value_of,
    x,
    y,
    z,
)
from tests.relations.cancellation.accuracy import true_value_and_slopes

m, w = at.dmatrix("m"), at.dvector("w")
total = at.sum(at.exp(m), axis=1)

CASES = [
    ("log-of-product", at.log(y * at.exp(x)), "log_product(x, 1.0, y)"),
    ("log-of-product", at.log(at.mul(at.exp(x), at.exp(y), z)), "log_product(x + y, 1.0, z)"),
    ("log-of-product", at.log(at.sigmoid(x) * y), "log_product(-softplus(-x), 1.0, y)"),
    (
        "log-of-product",
        at.log(at.sigmoid(x) ** 3.0 * y),
        "log_product(-(3.0 * softplus(-x)), 1.0, y)",
    ),
    (
        "log-of-product",
        at.log(at.sqr(at.sigmoid(x)) * y),
        "log_product(-2.0 * softplus(-x), 1.0, y)",
    ),
    ("log-of-product", at.log(at.softmax(x) * y), "log_product(log_softmax(x, axis=None), 1.0, y)"),
    ("log-of-product", at.log(total * y), "log_product(logsumexp(m, axis=1), 1.0, y)"),
    (
        "log-of-product",
        at.log((at.exp(x) + at.exp(y)) * z),
        "log_product(logaddexp(x, y), 1.0, z)",
    ),
    ("log-of-quotient", at.log(y * at.exp(x) / z), "log_product(x, z, y)"),
    ("log-of-quotient", at.log((at.exp(x) + at.exp(y)) / z), "log_product(logaddexp(x, y), z)"),
    ("log-of-quotient", at.log(y / (at.exp(x) * z)), "log_product(-x, z, y)"),
    ("log-of-quotient", at.log(at.exp(x) / (y * z)), "log_product(x, y * z)"),
    (
        "log-of-quotient",
        at.log(at.softmax(x) / at.softmax(y)),
        "log_softmax(x, axis=None) - log_softmax(y, axis=None)",
    ),
    ("log-abs-of-product", at.log(at.abs(at.exp(x) * y)), "log_product(x, 1.0, abs(y))"),
    (
        "log-abs-of-quotient",
        at.log(at.abs(y * at.exp(x) / z)),
        "log_product(x, abs(z), abs(y))",
    ),
    ("log-of-exponential", at.log(2.0**x), "0.6931471805599453 * x"),
    (
        "log-of-product",
        at.log(at.add(at.exp(x), at.exp(y), 3.0) * z),
        "log_product(logaddexp(1.0986122886681098, x, y), 1.0, z)",
    ),
    ("log-of-product", at.log(ndtr(x) * z), "log_product(log_ndtr(x), 1.0, z)"),
    ("log-of-product", at.log(2.0**x * z), "log_product(0.6931471805599453 * x, 1.0, z)"),
]

NOT_MATCHED = [
    ("log-of-product", at.log(x * y)),
    ("log-of-exponential", at.log(1.0**x)),
    ("log-of-exponential", at.log((-2.0) ** x)),
    ("log-of-product", at.log(x**2 * y)),
    ("log-of-quotient", at.log(x / y)),
    ("log-of-quotient", at.log(x / (at.exp(y) * z * w))),
    ("log-of-power", at.log(x**3)),
    ("log-of-determinant", at.log(x * y - z)),
    ("log-of-determinant", at.log(at.mul(x, y, w) - z * w)),
]


# what is far from 1, the value, and the slopes by x, y and z, where the graph reads them
EXTREMES = [
    ("log-of-product", at.log(at.exp(x) * y), (-800.0, -3.0, 0.0), np.nan, (1.0, -1 / 3)),
    ("log-of-product", at.log(at.exp(x) * y), (-800.0, 2.0, 0.0), np.log(2) - 800, (1.0, 0.5)),
    ("log-of-product", at.log(at.exp(x) * y), (-np.inf, -3.0, 0.0), -np.inf, (1.0, -1 / 3)),
    (
        "log-of-quotient",
        at.log(at.exp(x) / z),
        (900.0, 0.0, 1e-3),
        900 - np.log(1e-3),
        (1.0, -1000.0),
    ),
    ("log-of-power", at.log(x**y), (1e-200, 3.0, 0.0), -600 * np.log(10), (3e200, np.log(1e-200))),
    ("log-of-power", at.log(x**y), (-2.0, 2.0, 0.0), np.log(4), (-1.0, np.nan)),
    ("log-of-power", at.log(x**y), (0.0, 0.0, 0.0), 0.0, (0.0, 0.0)),
    ("log-of-power", at.log(x**y), (0.0, 2.0, 0.0), -np.inf, None),
    (
        "log-of-power-of-sigmoid",
        at.log(at.sigmoid(x) ** y),
        (-900.0, 2.0, 0.0),
        -1800.0,
        (2.0, -900.0),
    ),
]


@pytest.mark.parametrize(("name", "before", "point", "value", "slopes"), EXTREMES)
def test_at_the_ends(name, before, point, value, slopes):
    after = applied(LAWS[name], before)
    values = {key: np.array([number]) for key, number in zip("xyz", point, strict=True)}
    np.testing.assert_allclose(value_of(after, values), [value], rtol=1e-15)
    if slopes is not None:
        inputs = sorted(inputs_of(after), key=lambda v: v.name)
        found = [value_of(grad(at.sum(after), v), values).item() for v in inputs]
        np.testing.assert_allclose(found, slopes, rtol=1e-14)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ((1e200, 1e180, 1.0, 2.0), 380 * np.log(10)),
        ((1e-200, 1e-180, 1e-200, -1e-180), -380 * np.log(10) + np.log(2)),
        ((1e-200, 1e-180, 0.0, 1e300), -380 * np.log(10)),
        ((1e200, 1e180, 1e200, 1e181), np.nan),
        ((2.0, 3.0, 1.0, 5.0), 0.0),
        ((np.inf, 1.0, 2.0, 3.0), np.inf),
        ((np.inf, 1.0, np.inf, 3.0), np.nan),
    ],
)
def test_determinants_at_the_ends(entries, expected):
    found = at.log_determinant(*entries).eval()
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize(
    "entries", [(1e200, 1e180, 1.0, 2.0), (2.0, 3.0, 1.0, 4.0), (3.0, 1e-200, 2e-200, 0.5)]
)
def test_slopes_of_a_determinant(entries):
    inputs = at.dscalars("x", "y", "z", "w")
    value = at.log_determinant(*inputs)
    found = function(inputs, [value, *grad(value, inputs)])(*entries)
    expected = true_value_and_slopes(value, inputs, entries)
    np.testing.assert_allclose(found, expected, rtol=1e-14)

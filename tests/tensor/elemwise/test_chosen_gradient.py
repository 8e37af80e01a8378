"""The gradient of a branch that is not taken is zero, however steep the branch is."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import grad

NAIVE = Mode("py", None)
POINTS = np.array([-1000.0, -1.0, 0.0, 1.0, 1000.0])
BRANCHES = {
    "elu": (lambda x: at.where(x > 0, x, at.exp(x) - 1), [0.0, np.exp(-1.0), 1.0, 1.0, 1.0]),
    "mirrored": (lambda x: at.where(x <= 0, at.exp(x), x), [0.0, np.exp(-1.0), 1.0, 1.0, 1.0]),
    "inside": (
        lambda x: at.where(x > 0, at.sqrt(at.log(at.maximum(x, 0))), 0.0),
        # at 1 the root is steep, and taken
        [0.0, 0.0, 0.0, np.inf, 0.5 / np.sqrt(np.log(1000)) / 1000],
    ),
    "power": (lambda x: at.where(x > 0, 0.0, x**2) * x, [3e6, 3.0, 0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("mode", [NAIVE, None], ids=["naive", "fast_run"])
@pytest.mark.parametrize("name", BRANCHES)
def test_what_is_not_taken_has_no_slope(name, mode):
    formula, expected = BRANCHES[name]
    x = at.dvector("x")
    slope = grad(at.sum(formula(x)), x, stabilize=False)
    np.testing.assert_allclose(function([x], slope, mode=mode)(POINTS), expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(3, 1), (1, 4), (3, 4)], ids=str)
def test_the_condition_may_be_larger_than_what_is_chosen(shape):
    x, c = at.tensor("float64", shape), at.tensor("bool", (3, 4))
    slope = grad(at.sum(at.where(c, at.exp(x), 2.0)), x)
    chosen = np.arange(12).reshape(3, 4) % 3 == 0
    value = np.random.default_rng(0).normal(size=shape)
    full = np.where(chosen, np.exp(value), 0)
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    found = function([x, c], slope, mode=NAIVE)(value, chosen)
    np.testing.assert_allclose(found, full.sum(axis=axes, keepdims=True))


def test_a_sum_passes_its_gradient_on_as_it_is():
    x, y, c = at.dvector("x"), at.dvector("y"), at.tensor("bool", (None,))
    first, second = grad(at.sum(at.where(c, x + y, 0.0)), [x, y])
    assert first is second

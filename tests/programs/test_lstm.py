"""The LSTM over 50 steps: its loss beside NumPy, its gradient beside the steps written out."""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at

from . import lstm

SIZE = 5


@pytest.fixture(scope="module")
def written_out():
    inputs, loss, grads = lstm.build(relgraph, at, SIZE, unrolled=lstm.STEPS)
    values = lstm.values(3, 4, SIZE)
    return values, relgraph.function(inputs, [loss, *grads], mode="o1")(*values)


@pytest.mark.parametrize("mode", ["strict", "o1", "o4"])
def test_loss_and_gradients(mode: str, written_out) -> None:
    values, expected = written_out
    inputs, loss, grads = lstm.build(relgraph, at, SIZE)
    found = relgraph.function(inputs, [loss, *grads], mode=mode)(*values)
    np.testing.assert_allclose(found[0], lstm.by_numpy(*values), rtol=1e-12)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-13)


def test_gradients_beside_finite_differences() -> None:
    inputs, _, grads = lstm.build(relgraph, at, SIZE)
    values = lstm.values(3, 4, SIZE)
    found = relgraph.function(inputs, grads)(*values)
    rng = np.random.default_rng(1)
    for which, slope in zip(range(2, 6), found, strict=True):
        along = rng.normal(size=slope.shape)
        results = []
        for sign in (1, -1):
            moved = list(values)
            moved[which] = values[which] + sign * 1e-6 * along
            results.append(lstm.by_numpy(*moved))
        difference = (results[0] - results[1]) / 2e-6
        np.testing.assert_allclose((slope * along).sum(), difference, rtol=1e-5, atol=1e-8)

"""Programs as users write them, small here, against NumPy, SciPy and finite differences."""

from typing import Any

import numpy as np
import pytest

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.sparse.products import DenseFromSparse
from relgraph.tensor.linalg.systems import Inverse
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.random import RandomStream

from . import dropout, gaussian_process, kalman, lstm, sparse_logistic

SEED = 7


def difference(function: Any, values: list[Any], which: int, step: Any) -> Any:
    """Return what a function changes by when one of its arguments moves by twice a step."""
    ends = [
        function(*[v + sign * step if k == which else v for k, v in enumerate(values)])
        for sign in (1, -1)
    ]
    return ends[0] - ends[1]


def test_training_is_that_of_numpy_with_the_same_seed() -> None:
    batch, targets, weights = dropout.data(12, 6, 8, 3)
    step, shared = dropout.training_step(relgraph, at, RandomStream(SEED), weights)
    draw = np.random.default_rng(SEED).spawn(1)[0].random
    losses = []
    for _ in range(20):
        expected, weights = dropout.by_hand(batch, targets, weights, draw)
        losses.append(step(batch, targets))
        np.testing.assert_allclose(losses[-1], expected, rtol=1e-9)
    for found, w in zip(shared, weights, strict=True):
        np.testing.assert_allclose(found.get_value(), w, rtol=1e-8, atol=1e-12)
    assert len(set(map(float, losses))) == 20
    assert np.mean(losses[-5:]) < np.mean(losses[:5])


def test_likelihood_and_gradient() -> None:
    """The value is NumPy's, the gradients are those of the textbook and finite differences."""
    values = gaussian_process.data(40)
    found = gaussian_process.likelihood_and_gradient(relgraph, at)(*values)
    expected = gaussian_process.by_hand(*values)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    for i in range(2, 5):
        change = difference(lambda *v: gaussian_process.by_hand(*v)[0], values, i, 1e-5)
        np.testing.assert_allclose(found[i - 1], change / 2e-5, rtol=1e-5)


# The Kalman filter over 100 steps, beside NumPy; its gradient beside finite differences.


@pytest.mark.parametrize("mode", ["None", "strict", "o1", "o4"])
def test_likelihood_and_means(mode: str) -> None:
    inputs, log_likelihood, means = kalman.build(relgraph, at)
    values = kalman.values()
    found = relgraph.function(inputs, [log_likelihood, means], mode=mode)(*values)
    for a, b in zip(found, kalman.by_numpy(*values), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_gradient_by_the_covariances() -> None:
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    values = kalman.values(steps=100)
    with relgraph.config.change_flags(check_costs=True):
        function = relgraph.function(inputs, relgraph.grad(log_likelihood, inputs[3:5]))
    slopes = function(*values)
    rng = np.random.default_rng(1)
    for which, slope in zip((3, 4), slopes, strict=True):
        along = rng.normal(size=slope.shape)
        along = along + along.T  # a covariance stays symmetric
        step = 1e-5 * values[which][0, 0]
        change = difference(lambda *v: kalman.by_numpy(*v)[0], values, which, step * along)
        np.testing.assert_allclose((slope * along).sum(), change / (2 * step), rtol=1e-6)


def test_gradient_node_by_node() -> None:
    """Steps that overwrite what they are given run in an order in which nothing is lost."""
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    wanted = relgraph.grad(log_likelihood, inputs[3:5])
    found = [
        relgraph.function(inputs, wanted, mode=relgraph.Mode(linker))(*kalman.values())
        for linker in ("py", "vm")
    ]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_no_inverse_is_computed() -> None:
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    f = relgraph.function(inputs, log_likelihood)
    (op,) = [n.op for n in f.maker.fgraph.apply_nodes if isinstance(n.op, Scan)]
    assert not any(isinstance(node.op, Inverse) for node in op.nodes)


# The LSTM over 50 steps: its loss beside NumPy, its gradient beside the steps written out.

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
        change = difference(lstm.by_numpy, values, which, 1e-6 * along)
        np.testing.assert_allclose((slope * along).sum(), change / 2e-6, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("size", [(50, 20, 0.1), (3000, 300, 0.003)])
def test_loss_and_gradient(size: tuple[int, int, float]) -> None:
    features, labels, weights = sparse_logistic.data(*size)
    function = sparse_logistic.loss_and_gradient(relgraph, at, sparse)
    loss, gradient = function(features, labels, weights)
    expected_loss, expected_gradient = sparse_logistic.by_hand(features, labels, weights)
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9, atol=1e-14)
    ops = [node.op for node in function.maker.fgraph.apply_nodes]
    assert not any(isinstance(op, DenseFromSparse) for op in ops)


def test_certain_predictions() -> None:
    """Where a probability rounds to 0 or 1 the loss is that of the scores."""
    features, labels, weights = sparse_logistic.data(50, 20, 0.3)
    function = sparse_logistic.loss_and_gradient(relgraph, at, sparse)
    found = function(features, labels, weights * 1e3)
    for one, two in zip(
        found, sparse_logistic.by_hand(features, labels, weights * 1e3), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)

"""Programs as users write them, small here, against NumPy, SciPy and finite differences."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.sparse.products import DenseFromSparse
from relgraph.tensor.linalg import assume, det, inv
from relgraph.tensor.linalg.systems import Inverse
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.random import RandomStream
from tests.differences import differences
from tests.tensor.linalg.matrices import positive, some

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


# Programs of linear algebra as people write them first, with their gradients.


def test_gaussian_process_marginal_likelihood():
    x, y = at.dmatrix("x"), at.dvector("y")
    log_scale, log_length, log_noise = at.dscalars("log_scale", "log_length", "log_noise")
    squares = at.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=2)
    kernel = at.exp(log_scale) * at.exp(-squares / (2 * at.exp(2 * log_length)))
    noisy = assume(kernel + at.exp(log_noise) * at.eye(x.shape[0]), "positive definite")
    n = x.shape[0]
    likelihood = (
        -0.5 * (y @ inv(noisy) @ y) - 0.5 * at.log(det(noisy)) - 0.5 * n * at.log(2 * np.pi)
    )
    parameters = [log_scale, log_length, log_noise]
    inputs = [x, y, *parameters]
    f = function(inputs, [likelihood, *grad(likelihood, parameters)])

    def reference(x, y, scale, length, noise):
        squares = ((x[:, None] - x[None]) ** 2).sum(-1)
        covariance = np.exp(scale - squares / (2 * np.exp(2 * length))) + np.exp(noise) * np.eye(
            len(x)
        )
        return scipy.stats.multivariate_normal(np.zeros(len(x)), covariance).logpdf(y)

    values = [some(12, 2), some(12), np.array(0.3), np.array(-0.2), np.array(-2.0)]
    found = f(*values)
    np.testing.assert_allclose(found[0], reference(*values))
    for k, slope in enumerate(found[1:], 2):
        np.testing.assert_allclose(slope, differences(reference, values, k), rtol=1e-5)
    names = [str(node.op) for node in f.maker.fgraph.toposort()]
    assert sum(name.startswith("cholesky") for name in names) == 1
    assert not any(name == "det" for name in names)
    # the determinant of a covariance of 400 points underflows
    many = [np.linspace(0, 400, 400)[:, None], np.ones(400), *values[2:4], np.array(-9.0)]
    np.testing.assert_allclose(f(*many)[0], reference(*many))


def test_ridge_regression():
    x, y, penalty = at.dmatrix("x"), at.dvector("y"), at.dscalar("penalty")
    weights = inv(x.T @ x + penalty * at.eye(x.shape[1])) @ x.T @ y
    loss = at.sum((y - x @ weights) ** 2)
    f = function([x, y, penalty], [weights, loss, grad(loss, penalty)])
    values = [some(20, 3), some(20), np.array(0.7)]

    def fit(x, y, penalty):
        return np.linalg.solve(x.T @ x + penalty * np.eye(3), x.T @ y)

    def residual(x, y, penalty):
        return np.sum((y - x @ fit(x, y, penalty)) ** 2)

    found = f(*values)
    np.testing.assert_allclose(found[0], fit(*values))
    np.testing.assert_allclose(found[1], residual(*values))
    np.testing.assert_allclose(found[2], differences(residual, values, 2), rtol=1e-5)
    assert not any(str(node.op) == "inv" for node in f.maker.fgraph.toposort())


def test_multivariate_normal_log_density():
    x, mean, covariance = at.dvector("x"), at.dvector("mean"), at.dmatrix("covariance")
    sigma = assume(covariance, "positive definite")
    k = x.shape[0]
    density = at.exp(-0.5 * (x - mean) @ inv(sigma) @ (x - mean)) / at.sqrt(
        (2 * np.pi) ** k * det(sigma)
    )
    log_density = at.log(density)
    f = function([x, mean, covariance], [log_density, *grad(log_density, [mean, covariance])])
    values = [some(4), some(4) + 0.5, positive(4, 4)]

    def reference(x, mean, covariance):
        return scipy.stats.multivariate_normal(mean, (covariance + covariance.T) / 2).logpdf(x)

    found = f(*values)
    np.testing.assert_allclose(found[0], reference(*values))
    np.testing.assert_allclose(found[1], differences(reference, values, 1), rtol=1e-5)
    np.testing.assert_allclose(found[2], differences(reference, values, 2), rtol=1e-5, atol=1e-8)
    # far out, the density itself is zero
    values[0] = values[0] + 100
    np.testing.assert_allclose(f(*values)[0], reference(*values))

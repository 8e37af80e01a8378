"""Programs of linear algebra as people write them first, with their gradients."""

import numpy as np
import scipy.stats

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad
from relgraph.tensor.linalg import assume, det, inv
from tests.differences import differences
from tests.tensor.linalg.matrices import positive, some


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

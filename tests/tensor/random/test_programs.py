"""What people write first: a Monte-Carlo estimate, a step of variational inference, dropout."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, grad, shared
from relgraph.tensor.random import RandomStream

MODES = ["fast_compile", "fast_run", "strict"]


@pytest.mark.parametrize("mode", MODES)
def test_an_estimate_of_pi(mode):
    n = at.lscalar("n")
    points = RandomStream(3).uniform(-1, 1, size=(n, 2))
    inside = (points**2).sum(axis=1) <= 1
    estimate = function([n], 4 * inside.mean(), mode=mode)
    (generator,) = np.random.default_rng(3).spawn(1)
    for count in (1000, 20_000):
        p = generator.uniform(-1, 1, size=(count, 2))
        expected = 4 * ((p**2).sum(axis=1) <= 1).mean()
        np.testing.assert_allclose(estimate(count), expected, rtol=1e-14)
    assert abs(estimate(200_000) - np.pi) < 0.02


@pytest.mark.parametrize("mode", MODES)
def test_a_step_of_variational_inference(mode):
    """The evidence bound of a normal mean with a normal prior, by draws from the posterior."""
    data = np.array([1.2, 0.7, 2.1, 1.6])
    mean, log_scale = shared(np.array(0.0), "mean"), shared(np.array(0.0), "log_scale")
    draws = 8
    z = RandomStream(5).normal(mean, at.exp(log_scale), size=draws)
    log_joint = -0.5 * (z**2) - 0.5 * ((data[:, None] - z) ** 2).sum(axis=0)
    bound = log_joint.mean() + log_scale
    slopes = grad(bound, [mean, log_scale])
    updates = [(v, v + 0.05 * g) for v, g in zip([mean, log_scale], slopes, strict=True)]
    step = function([], bound, updates=updates, mode=mode)

    (generator,) = np.random.default_rng(5).spawn(1)
    m, s = 0.0, 0.0
    for _ in range(5):
        noise = generator.standard_normal(draws)
        z_ = m + np.exp(s) * noise
        expected = (-0.5 * z_**2 - 0.5 * ((data[:, None] - z_) ** 2).sum(0)).mean() + s
        np.testing.assert_allclose(step(), expected, rtol=1e-12)
        by_z = (-z_ + (data[:, None] - z_).sum(0)) / draws
        m, s = m + 0.05 * by_z.sum(), s + 0.05 * ((by_z * noise * np.exp(s)).sum() + 1.0)
        np.testing.assert_allclose(mean.get_value(), m, rtol=1e-12)
        np.testing.assert_allclose(log_scale.get_value(), s, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_training_with_dropout(mode):
    rng = np.random.default_rng(0)
    inputs, targets = rng.normal(size=(6, 4)), rng.normal(size=6)
    start = [rng.normal(size=(4, 5)), rng.normal(size=5)]
    w1, w2 = (shared(w) for w in start)
    x, y = at.dmatrix("x"), at.dvector("y")
    keep = 0.8
    hidden = at.tanh(at.dot(x, w1))
    mask = RandomStream(11).bernoulli(keep, size=hidden.shape)
    cost = ((at.dot(hidden * mask / keep, w2) - y) ** 2).mean()
    updates = [(w, w - 0.1 * g) for w, g in zip([w1, w2], grad(cost, [w1, w2]), strict=True)]
    train = function([x, y], [cost, mask], updates=updates, mode=mode)

    (generator,) = np.random.default_rng(11).spawn(1)
    a, b = start
    for _ in range(3):
        kept = generator.binomial(1, keep, size=(6, 5))
        h = np.tanh(inputs @ a)
        error = (h * kept / keep) @ b - targets
        found, mask_ = train(inputs, targets)
        np.testing.assert_array_equal(mask_, kept)
        np.testing.assert_allclose(found, (error**2).mean(), rtol=1e-12)
        by_output = 2 * error[:, None] / 6
        by_hidden = by_output * b * kept / keep * (1 - h**2)
        a, b = a - 0.1 * inputs.T @ by_hidden, b - 0.1 * (by_output * h * kept / keep).sum(0)
        np.testing.assert_allclose(w1.get_value(), a, rtol=1e-12)
        np.testing.assert_allclose(w2.get_value(), b, rtol=1e-12)

    # the same network without dropout draws nothing
    predict = function([x], at.dot(at.tanh(at.dot(x, w1)), w2), mode=mode)
    np.testing.assert_allclose(predict(inputs), np.tanh(inputs @ a) @ b, rtol=1e-12)

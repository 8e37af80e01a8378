"""Likelihoods and divergences that go by way of the density itself.

``m`` has the functions: those of `jax.numpy`, `jax.nn` and `jax.scipy`, or mpmath's in their place.
"""

import math

from tests.bridges.jax.naive.formula import Naive, each

DATA = [0.3, -1.2, 2.5, 60.0]
FAR = [90.0, -80.0, 120.0, 3.0]


def normal_pdf(m, x, mu, sigma):
    return m.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def gaussian(m, x, mu, sigma):
    return -m.sum(m.log(normal_pdf(m, x, mu, sigma)))


def gaussian_product(m, x, mu, sigma):
    return -m.log(m.prod(normal_pdf(m, x, mu, sigma)))


def mixture(m, x, mu):
    weights = 0.25 * normal_pdf(m, x, mu[0], 1.0) + 0.75 * normal_pdf(m, x, mu[1], 2.0)
    return -m.sum(m.log(weights))


def laplace(m, x, mu):
    return -m.sum(m.log(m.exp(-m.abs(x - mu) / 0.5) / (2 * 0.5)))


def poisson(m, k, rate):
    return -m.sum(m.log(rate**k * m.exp(-rate) / m.exp(m.gammaln(k + 1))))


def gumbel(m, x):
    return -m.sum(m.log(m.exp(-(x + m.exp(-x)))))


def weibull(m, x):
    return -m.sum(m.log(1.5 * x**0.5 * m.exp(-(x**1.5))))


def multivariate(m, x, scale):
    d = len(x)
    covariance = scale * m.eye(d)
    density = m.exp(-0.5 * x @ m.linalg.inv(covariance) @ x) / m.sqrt(
        m.linalg.det(2 * math.pi * covariance)
    )
    return -m.log(density)


WHERE = ((DATA, [0.1], [1.0]), (FAR, [0.5], [1.5]))

FUNCTIONS = (
    Naive("Gaussian likelihood", gaussian, WHERE, fixed=1),
    Naive("Gaussian likelihood as a product", gaussian_product, WHERE, fixed=1),
    Naive("mixture of Gaussians", mixture, ((DATA, [0.0, 1.0]), (FAR, [-1.0, 2.0])), fixed=1),
    Naive("Laplace likelihood", laplace, ((DATA, [0.1]), ([900.0, -800.0], [0.5])), fixed=1),
    Naive(
        "Poisson likelihood",
        poisson,
        (([3.0, 0.0], [2.0, 0.5]), ([300.0, 5.0], [250.0, 900.0])),
        fixed=1,
    ),
    Naive("Gumbel likelihood", gumbel, each(-7.0, -1.0, 0.5, 900.0)),
    Naive("Weibull likelihood", weibull, each(0.01, 1.0, 200.0)),
    Naive(
        "Gaussian in many dimensions",
        multivariate,
        (([1.0, 2.0, 3.0], 0.5), ([50.0, -30.0, 20.0], 1.5)),
    ),
)

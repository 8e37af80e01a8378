"""Logarithms of densities, as the logarithm of the textbook's formula."""

import math

from tests.losses.loss import loss


def gaussian(m, x, mu, s):
    z = (x - mu) / s
    return m.sum(m.log(m.exp(-(z**2) / 2) / (s * math.sqrt(2 * math.pi))))


def normal_pdf(m, x, mu, sigma):
    return m.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def gaussian_product(m, x, mu, sigma):
    return -m.log(m.prod(normal_pdf(m, x, mu, sigma)))


def mixture(m, x, mu):
    weights = 0.25 * normal_pdf(m, x, mu[0], 1.0) + 0.75 * normal_pdf(m, x, mu[1], 2.0)
    return -m.sum(m.log(weights))


def multivariate(m, x, scale):
    covariance = scale * m.eye(3)
    density = m.exp(-0.5 * x @ m.linalg.inv(covariance) @ x) / m.sqrt(
        m.linalg.det(2 * math.pi * covariance)
    )
    return -m.log(density)


def laplace(m, x, mu, b):
    return m.sum(m.log(m.exp(-m.abs(x - mu) / b) / (2 * b)))


def logistic(m, x, mu, s):
    z = m.exp(-(x - mu) / s)
    return m.sum(m.log(z / (s * (1 + z) ** 2)))


def gumbel(m, x, mu, b):
    z = (x - mu) / b
    return m.sum(m.log(m.exp(-(z + m.exp(-z))) / b))


def weibull(m, x, k, scale):
    return m.sum(m.log(k / scale * (x / scale) ** (k - 1) * m.exp(-((x / scale) ** k))))


def student(m, x, nu):
    constants = m.gammaln((nu + 1) / 2) - m.gammaln(nu / 2) - 0.5 * m.log(nu * math.pi)
    return m.sum(constants - (nu + 1) / 2 * m.log(1 + x**2 / nu))


def poisson(m, k, eta):
    rate = m.exp(eta)
    return m.sum(k * m.log(rate) - rate - m.gammaln(k + 1))


def poisson_by_powers(m, k, rate):
    return -m.sum(m.log(rate**k * m.exp(-rate) / m.exp(m.gammaln(k + 1))))


def negative_binomial(m, k, r, z):
    p = 1 / (1 + m.exp(-z))
    ways = m.gammaln(k + r) - m.gammaln(k + 1) - m.gammaln(r)
    return m.sum(ways + r * m.log(1 - p) + k * m.log(p))


def gamma(m, x, a, b):
    return m.sum(m.log(x ** (a - 1) * m.exp(-x / b) / b**a) - m.gammaln(a))


def beta(m, x, a, b):
    ways = m.gammaln(a + b) - m.gammaln(a) - m.gammaln(b)
    return m.sum(m.log(x ** (a - 1) * (1 - x) ** (b - 1)) + ways)


def von_mises(m, x, mu, kappa):
    # The Bessel function by its series, which is enough up to kappa = 5.
    bessel = sum((kappa**2 / 4) ** k / float(math.factorial(k)) ** 2 for k in range(30))
    return m.sum(m.log(m.exp(kappa * m.cos(x - mu)) / (2 * math.pi * bessel)))


def bernoulli(m, y, z):
    p = 1 / (1 + m.exp(-z))
    return m.log(m.prod(p**y * (1 - p) ** (1 - y)))


DATA = [0.3, -1.2, 2.5, 60.0]
FAR = [90.0, -80.0, 120.0, 3.0]

LOSSES = (
    loss(
        "Gaussian", gaussian, ([0.3], [0.1], [2.0]), ([60.0], [1.0], [1.0]), ([3.0], [1.0], [1e-3])
    ),
    loss("Gaussian by a product", gaussian_product, (DATA, 0.1, 1.0), (FAR, 0.5, 1.5), fixed=1),
    loss("mixture of two Gaussians", mixture, (DATA, [0.0, 1.0]), (FAR, [-1.0, 2.0]), fixed=1),
    loss(
        "Gaussian in many dimensions",
        multivariate,
        ([1.0, 2.0, 3.0], 0.5),
        ([50.0, -30.0, 20.0], 1.5),
    ),
    loss("Laplace", laplace, ([0.3], [0.1], [2.0]), ([900.0], [1.0], [1.0])),
    loss(
        "logistic",
        logistic,
        ([0.3], [0.1], [2.0]),
        ([900.0], [1.0], [1.0]),
        ([-900.0], [1.0], [1.0]),
    ),
    loss("Gumbel", gumbel, ([0.3], [0.1], [2.0]), ([-8.0], [1.0], [1.0]), ([900.0], [1.0], [1.0])),
    loss(
        "Weibull", weibull, ([0.3], [1.5], [2.0]), ([90.0], [2.0], [1.0]), ([1e-200], [3.0], [1.0])
    ),
    loss("Student's t", student, ([0.3], [4.0]), ([1e200], [3.0]), ([1e-10], [5.0])),
    loss("Poisson", poisson, ([3.0], [0.5]), ([0.5], [-800.0]), ([30.0], [6.0]), fixed=1),
    loss(
        "Poisson by powers",
        poisson_by_powers,
        ([3.0, 0.0], [2.0, 0.5]),
        ([300.0, 5.0], [250.0, 900.0]),
        fixed=1,
    ),
    loss(
        "negative binomial",
        negative_binomial,
        ([3.0], [2.0], [0.4]),
        ([3.0], [2.0], [-900.0]),
        ([3.0], [2.0], [60.0]),
        fixed=1,
    ),
    loss("gamma", gamma, ([0.3], [2.5], [1.5]), ([900.0], [2.0], [1.0]), ([1e-200], [4.0], [1.0])),
    loss("beta", beta, ([0.3], [2.5], [1.5]), ([1e-200], [4.0], [2.0]), ([1e-3], [300.0], [2.0])),
    loss("von Mises", von_mises, ([0.3], [0.1], [2.0]), ([2.9], [0.1], [5.0])),
    loss(
        "Bernoulli by a product",
        bernoulli,
        ([1.0, 0.0], [0.3, -0.2]),
        ([0.0, 1.0], [800.0, -790.0]),
        fixed=1,
    ),
)

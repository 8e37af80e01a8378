"""Distributions from which both libraries draw the same numbers, by NumPy's generator."""

from __future__ import annotations

from relgraph.bridges.pytensor.names import present

NAMES: dict[str, str] = {
    "tensor.random.basic.UniformRV": "uniform",
    "tensor.random.basic.TriangularRV": "triangular",
    "tensor.random.basic.BetaRV": "beta",
    "tensor.random.basic.NormalRV": "normal",
    "tensor.random.basic.LogNormalRV": "lognormal",
    "tensor.random.basic.GammaRV": "gamma",
    "tensor.random.basic.ExponentialRV": "exponential",
    "tensor.random.basic.LaplaceRV": "laplace",
    "tensor.random.basic.LogisticRV": "logistic",
    "tensor.random.basic.WeibullRV": "weibull",
    "tensor.random.basic.VonMisesRV": "vonmises",
    "tensor.random.basic.WaldRV": "wald",
    "tensor.random.basic.PoissonRV": "poisson",
    "tensor.random.basic.GeometricRV": "geometric",
    "tensor.random.basic.BinomialRV": "binomial",
    "tensor.random.basic.HyperGeometricRV": "hypergeometric",
}
"""From the address of a class of PyTensor's ops to the distribution that draws the same numbers."""

OF_CLASSES: dict[type, str] = present(NAMES)
"""The same by the classes themselves."""

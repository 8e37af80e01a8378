"""Distributions from which both libraries draw the same numbers, by NumPy's generator."""

from __future__ import annotations

from pytensor.tensor.random import basic

NAMES: dict[type, str] = {
    basic.UniformRV: "uniform",
    basic.TriangularRV: "triangular",
    basic.BetaRV: "beta",
    basic.NormalRV: "normal",
    basic.LogNormalRV: "lognormal",
    basic.GammaRV: "gamma",
    basic.ExponentialRV: "exponential",
    basic.LaplaceRV: "laplace",
    basic.LogisticRV: "logistic",
    basic.WeibullRV: "weibull",
    basic.VonMisesRV: "vonmises",
    basic.WaldRV: "wald",
    basic.PoissonRV: "poisson",
    basic.GeometricRV: "geometric",
    basic.BinomialRV: "binomial",
    basic.HyperGeometricRV: "hypergeometric",
}
"""From a class of PyTensor's ops to the distribution that draws the same numbers."""

__all__ = ["NAMES"]

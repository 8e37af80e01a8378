"""Draws from distributions, where NumPy's generator gives the same numbers in both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytensor.tensor.random import basic

import relgraph.tensor as at
from relgraph.tensor.random.distributions import DISTRIBUTIONS
from relgraph.tensor.random.random_variable import RandomVariable
from relgraph.tensor.type import TensorType

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


def drawn(reader: Any, node: Any, rng: Any, size: Any, *parameters: Any) -> Any:
    """Read a draw; one whose shape is a vector of unknown length is held."""
    op = node.op
    distribution = DISTRIBUTIONS[NAMES[type(op)]]
    dtype = node.outputs[1].type.dtype
    sized = isinstance(size.type, TensorType)
    if sized and size.type.shape[0] is None:
        return None
    if dtype != ("int64" if distribution.is_discrete else "float64"):
        return None
    shape = [at.cast(size, "int64")] if sized else []
    made = RandomVariable(distribution, sized, dtype)
    return made(rng, *shape, *parameters, return_list=True)


TABLE: dict[type, Callable[..., Any]] = dict.fromkeys(NAMES, drawn)

__all__ = ["NAMES", "TABLE"]

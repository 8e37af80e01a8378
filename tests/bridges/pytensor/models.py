"""Five models as they are written with PyTensor: a log density, and values for its parameters.

The formulas are those of textbooks. On ordinary values they are right; on the others an exponential
over- or underflows, and the result is nan or infinite. `Model.truth` computes the
same formulas with as many bits as they need.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytensor
import pytensor.tensor as pt

from relgraph.bridges.pytensor import from_pytensor
from relgraph.graph.basic import Constant
from relgraph.graph.traversal import io_toposort
from relgraph.truth.graphs import rounded, true_values

RNG = np.random.default_rng(17)
HALF_LOG_TWO_PI = math.log(2 * math.pi) / 2

ROWS = RNG.normal(size=(20, 3))
CLASSES = RNG.integers(0, 2, size=20)
COUNTS = RNG.integers(0, 6, size=20)
POINTS = RNG.normal(size=15)
SCHOOLS = RNG.normal(size=8) * 3
TIMES = np.sort(RNG.uniform(0, 10, size=30))
DISTANCES = (TIMES[:, None] - TIMES[None, :]) ** 2
SERIES = np.sin(TIMES)


class Model(NamedTuple):
    """A model.

    Attributes
    ----------
    parameters
        PyTensor's inputs.
    density
        The log density.
    ordinary, extreme
        Values of the parameters.
    """

    parameters: list[Any]
    density: Any
    ordinary: list[Any]
    extreme: list[Any]

    def outputs(self, density: Any) -> list[Any]:
        """Return a density and its gradients, which PyTensor makes."""
        return [density, *pytensor.grad(density, self.parameters)]

    def truth(self, values: Sequence[Any]) -> list[Any]:
        """Return the true density and its gradients at values of the parameters."""
        inputs, outputs = from_pytensor(self.outputs(self.density), self.parameters)
        nodes = list(io_toposort(inputs, outputs))
        known = {v: v.data for n in nodes for v in n.inputs if isinstance(v, Constant)}
        known.update(zip(inputs, values, strict=True))
        return [rounded(true_values(nodes, known, out)) for out in outputs]


def hierarchical() -> Model:
    """Eight means around one, whose spread has a half-Cauchy prior; the logarithm of the spread."""
    mean, log_spread, means = pt.scalar("mean"), pt.scalar("log_spread"), pt.vector("means")
    spread = pt.exp(log_spread)
    prior = math.log(2) - math.log(math.pi) - pt.log1p(spread**2) + log_spread
    z = (means - mean) / spread
    density = prior + (-(z**2) / 2 - pt.log(pt.sqrt(2 * math.pi) * spread)).sum()
    density += (-((SCHOOLS - means) ** 2) / 2).sum()

    values = [0.3, 0.5, SCHOOLS * 0.5]
    return Model([mean, log_spread, means], density, values, [0.3, 400.0, SCHOOLS * 0.5])


def logistic() -> Model:
    """A logistic regression, its likelihood written with probabilities."""
    weights = pt.vector("weights")
    p = 1 / (1 + pt.exp(-pt.dot(ROWS, weights)))
    density = (CLASSES * pt.log(p) + (1 - CLASSES) * pt.log(1 - p)).sum()

    return Model([weights], density, [np.ones(3)], [np.array([900.0, -800.0, 1000.0])])


def poisson() -> Model:
    """Counts with a logarithmic link and an offset."""
    weights, offset = pt.vector("weights"), pt.scalar("offset")
    rate = pt.exp(offset + pt.dot(ROWS, weights))
    density = (COUNTS * pt.log(rate) - rate - pt.gammaln(COUNTS + 1)).sum()

    return Model([weights, offset], density, [np.ones(3) / 2, 0.3], [np.ones(3), -900.0])


def mixture() -> Model:
    """A mixture of Gaussians, the logarithm of a sum of weighted densities."""
    scores, centres = pt.vector("scores"), pt.vector("centres")
    weights = pt.special.softmax(scores)
    z = POINTS[:, None] - centres[None, :]
    each = -(z**2) / 2 - pt.log(math.sqrt(2 * math.pi))
    density = pt.log(pt.exp(pt.log(weights) + each).sum(axis=1)).sum()

    ordinary = [np.array([0.1, 0.4, -0.2]), np.array([-1.0, 0.0, 1.5])]
    extreme = [np.array([800.0, 1.0, 799.0]), np.array([-60.0, 80.0, 55.0])]
    return Model([scores, centres], density, ordinary, extreme)


def gaussian_process() -> Model:
    """A Gaussian process, its marginal likelihood written with an inverse and a determinant."""
    log_scale = pt.scalar("log_scale")
    shape = np.exp(-DISTANCES / 2) + 0.1 * np.eye(len(TIMES))
    covariance = pt.exp(log_scale) * shape
    fit = pt.dot(SERIES, pt.dot(pt.linalg.inv(covariance), SERIES))
    density = -fit / 2 - pt.log(pt.linalg.det(covariance)) / 2 - len(TIMES) * HALF_LOG_TWO_PI

    return Model([log_scale], density, [0.7], [-35.0])


MODELS: dict[str, Callable[[], Model]] = {
    "hierarchical": hierarchical,
    "logistic": logistic,
    "poisson": poisson,
    "mixture": mixture,
    "gaussian_process": gaussian_process,
}

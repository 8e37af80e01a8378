"""The log marginal likelihood of a Gaussian process, and its gradient.

C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning (2006), 2.3 and 5.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

FULL_SIZE = {"rows": 500}


def data(rows: int, seed: int = 0) -> tuple[Any, Any, Any, Any, Any]:
    """Return points, their values, and a lengthscale, an amplitude and a noise."""
    rng = np.random.default_rng(seed)
    points = np.sort(rng.uniform(-3, 3, rows))
    values = np.sin(2 * points) + 0.3 * rng.normal(size=rows)
    return points, values, np.asarray(0.7), np.asarray(1.3), np.asarray(0.4)


def likelihood_and_gradient(library: Any, tensor: Any) -> Any:
    """Return the function of points, values, lengthscale, amplitude and noise that gives the log
    marginal likelihood, and its gradients by the last three."""
    linalg = tensor.linalg
    points, values = tensor.dvector("points"), tensor.dvector("values")
    scale, amplitude, noise = (tensor.dscalar(n) for n in ("scale", "amplitude", "noise"))
    distances = points.dimshuffle(0, "x") - points.dimshuffle("x", 0)
    kernel = amplitude**2 * tensor.exp(-0.5 * (distances / scale) ** 2)
    covariance = kernel + noise**2 * tensor.eye(points.shape[0])
    factor = linalg.cholesky(covariance)
    whitened = linalg.solve_triangular(factor, values, lower=True)
    likelihood = (
        -0.5 * (whitened**2).sum()
        - tensor.log(tensor.diagonal(factor)).sum()
        - 0.5 * points.shape[0] * np.log(2 * np.pi)
    )
    gradients = library.grad(likelihood, [scale, amplitude, noise])
    return library.function([points, values, scale, amplitude, noise], [likelihood, *gradients])


def by_hand(points: Any, values: Any, scale: Any, amplitude: Any, noise: Any) -> list[Any]:
    """Return the same by NumPy, with the traces of (5.9) for the gradients."""
    squares = (points[:, None] - points) ** 2
    kernel = amplitude**2 * np.exp(-0.5 * squares / scale**2)
    identity = np.eye(len(points))
    factor = cho_factor(kernel + noise**2 * identity, lower=True)
    solution = cho_solve(factor, values)
    likelihood = (
        -0.5 * values @ solution
        - np.log(np.diag(factor[0])).sum()
        - 0.5 * len(points) * np.log(2 * np.pi)
    )
    inner = np.outer(solution, solution) - cho_solve(factor, identity)
    slopes = [kernel * squares / scale**3, 2 * kernel / amplitude, 2 * noise * identity]
    return [likelihood, *[0.5 * np.sum(inner * slope) for slope in slopes]]

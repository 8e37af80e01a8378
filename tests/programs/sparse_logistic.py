"""Logistic regression on a sparse matrix of features: the loss and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

FULL_SIZE = {"rows": 100_000, "columns": 10_000, "density": 1e-3}


def data(rows: int, columns: int, density: float, seed: int = 0) -> tuple[Any, Any, Any]:
    """Return features, labels of 0 and 1, and weights."""
    rng = np.random.default_rng(seed)
    features = sp.random_array((rows, columns), density=density, format="csr", rng=rng)
    labels = (rng.random(rows) < 0.5).astype("float64")
    return features, labels, rng.normal(size=columns)


def loss_and_gradient(library: Any, tensor: Any, sparse: Any) -> Any:
    """Return the function of features, labels and weights that gives the loss and its gradient.

    The loss is written as in a textbook; it is for the library to compute it where probabilities
    are nearly 0 or 1.
    """
    features, labels = sparse.csr_matrix("features"), tensor.dvector("labels")
    weights = tensor.dvector("weights")
    scores = sparse.structured_dot(features, weights.dimshuffle(0, "x"))[:, 0]
    p = tensor.sigmoid(scores)
    likelihood = labels * tensor.log(p) + (1 - labels) * tensor.log(1 - p)
    loss = -likelihood.mean() + 0.01 * (weights**2).sum()
    gradient = library.grad(loss, weights)
    return library.function([features, labels, weights], [loss, gradient])


def by_hand(features: Any, labels: Any, weights: Any) -> tuple[Any, Any]:
    """Return the loss and its gradient by SciPy's sparse matrices."""
    scores = features @ weights
    losses = np.logaddexp(0, scores) - labels * scores
    slopes = (expit(scores) - labels) / len(labels)
    return losses.mean() + 0.01 * (weights**2).sum(), features.T @ slopes + 0.02 * weights

"""Training of a net with a hidden layer, half of whose units are dropped at each step.

N. Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting (2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax

FULL_SIZE = {"rows": 256, "inputs": 784, "hidden": 512, "classes": 10}
KEPT, RATE = 0.5, 0.1


def data(rows: int, inputs: int, hidden: int, classes: int, seed: int = 0) -> tuple[Any, ...]:
    """Return a batch of inputs, their classes as rows of 0 and one 1, and the first weights."""
    rng = np.random.default_rng(seed)
    batch = rng.normal(size=(rows, inputs))
    targets = np.eye(classes)[rng.integers(0, classes, rows)]
    shapes = [(inputs, hidden), (hidden, classes)]
    weights = [rng.normal(size=shape) / np.sqrt(shape[0]) for shape in shapes]
    return batch, targets, [weights[0], np.zeros(hidden), weights[1], np.zeros(classes)]


def training_step(library: Any, tensor: Any, stream: Any, first: list[Any]) -> tuple[Any, Any]:
    """Return the function of a batch and its targets that does a step and returns the loss, and the
    shared weights that it updates.

    Parameters
    ----------
    stream
        A `RandomStream` of the library.
    first
        The weights to begin with.
    """
    batch, targets = tensor.dmatrix("batch"), tensor.dmatrix("targets")
    w1, b1, w2, b2 = weights = [library.shared(w) for w in first]
    hidden = tensor.maximum(tensor.dot(batch, w1) + b1, 0)
    drawn = stream.uniform(0.0, 1.0, size=(batch.shape[0], b1.shape[0]))
    kept = tensor.switch(tensor.lt(drawn, KEPT), hidden / KEPT, 0)
    scores = tensor.dot(kept, w2) + b2
    loss = (tensor.logsumexp(scores, axis=1) - (targets * scores).sum(axis=1)).mean()
    slopes = library.grad(loss, weights)
    updates = [(w, w - RATE * g) for w, g in zip(weights, slopes, strict=True)]
    return library.function([batch, targets], loss, updates=updates), weights


def by_hand(batch: Any, targets: Any, weights: list[Any], draw: Any) -> tuple[Any, list[Any]]:
    """Return the loss, and the weights after a step; `draw` gives uniform numbers of a shape."""
    w1, b1, w2, b2 = weights
    before = batch @ w1 + b1
    mask = (draw((len(batch), len(b1))) < KEPT) / KEPT
    kept = np.maximum(before, 0) * mask
    scores = kept @ w2 + b2
    loss = -(targets * log_softmax(scores, axis=1)).sum(axis=1).mean()
    by_scores = (softmax(scores, axis=1) - targets) / len(batch)
    by_hidden = by_scores @ w2.T * mask * (before > 0)
    slopes = [batch.T @ by_hidden, by_hidden.sum(0), kept.T @ by_scores, by_scores.sum(0)]
    return loss, [w - RATE * g for w, g in zip(weights, slopes, strict=True)]

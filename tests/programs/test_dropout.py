import numpy as np

import relgraph
import relgraph.tensor as at
from relgraph.tensor.random import RandomStream

from . import dropout

SEED = 7


def test_training_is_that_of_numpy_with_the_same_seed() -> None:
    batch, targets, weights = dropout.data(12, 6, 8, 3)
    step, shared = dropout.training_step(relgraph, at, RandomStream(SEED), weights)
    draw = np.random.default_rng(SEED).spawn(1)[0].random
    losses = []
    for _ in range(20):
        expected, weights = dropout.by_hand(batch, targets, weights, draw)
        losses.append(step(batch, targets))
        np.testing.assert_allclose(losses[-1], expected, rtol=1e-9)
    for found, w in zip(shared, weights, strict=True):
        np.testing.assert_allclose(found.get_value(), w, rtol=1e-8, atol=1e-12)
    assert len(set(map(float, losses))) == 20
    assert np.mean(losses[-5:]) < np.mean(losses[:5])

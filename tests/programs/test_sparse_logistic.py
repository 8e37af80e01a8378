import numpy as np
import pytest

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.sparse.products import DenseFromSparse

from . import sparse_logistic


@pytest.mark.parametrize("size", [(50, 20, 0.1), (3000, 300, 0.003)])
def test_loss_and_gradient(size: tuple[int, int, float]) -> None:
    features, labels, weights = sparse_logistic.data(*size)
    function = sparse_logistic.loss_and_gradient(relgraph, at, sparse)
    loss, gradient = function(features, labels, weights)
    expected_loss, expected_gradient = sparse_logistic.by_hand(features, labels, weights)
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9, atol=1e-14)
    ops = [node.op for node in function.maker.fgraph.apply_nodes]
    assert not any(isinstance(op, DenseFromSparse) for op in ops)


def test_certain_predictions() -> None:
    """Where a probability rounds to 0 or 1 the loss is that of the scores."""
    features, labels, weights = sparse_logistic.data(50, 20, 0.3)
    function = sparse_logistic.loss_and_gradient(relgraph, at, sparse)
    found = function(features, labels, weights * 1e3)
    for one, two in zip(
        found, sparse_logistic.by_hand(features, labels, weights * 1e3), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)

import numpy as np

import relgraph.tensor as at
from relgraph.testing.judge.evaluation import evaluate_all

X = at.TensorType("float32", (None,))("x")


def test_inputs_are_not_overwritten():
    out = at.set_subtensor(X[:1], 5.0, inplace=True)
    value = np.zeros(2, "float32")
    found = evaluate_all([X], [out], [value])
    assert found[out].tolist() == [5.0, 0.0]
    assert value.tolist() == [0.0, 0.0]

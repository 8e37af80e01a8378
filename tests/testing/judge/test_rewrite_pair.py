"""Two graphs that are evaluated together."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.judge.rewrite_pair import EvaluationError, RewritePair
from tests.testing.judge.evaluated_graphs import x, y


def test_an_error_names_the_graph_that_raised_it():
    old, new = x + y, x[5]
    pair = RewritePair([x, y], old, at.stack([new, new]), [x, y])
    with pytest.raises(EvaluationError) as found:
        pair.run([np.ones(2), np.ones(2)])
    assert found.value.in_new
    with pytest.raises(EvaluationError) as found:
        pair.run([np.ones(2), np.ones(3)])
    assert not found.value.in_new

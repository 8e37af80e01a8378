"""Two graphs that are evaluated together."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.judge.evaluation import EvaluationError, RewritePair
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


def test_what_the_new_side_reads_behind_a_leaf_is_a_part_of_both():
    """``(x + 1) - 1 → x``: the law has looked behind ``x + 1``, and its rounding counts."""
    inner = x + 1
    for new in (x, at.neg(x)):
        pair = RewritePair([x], inner - 1, new, [inner])
        assert pair.pattern_leaves == [] and len(pair.nodes_of(pair.old)) == 2
    kept = RewritePair([x], inner - 1, inner + 0, [inner])
    assert kept.pattern_leaves == [inner] and len(kept.nodes_of(kept.old)) == 1

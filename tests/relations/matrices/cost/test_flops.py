"""What expressions of the table cost before and after, that the values stay, and that the
documentation's page shows the table."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.tensor.linalg import assume, det
from tests.relations.applied import inputs_of
from tests.relations.matrices.cost.__main__ import PAGE, page
from tests.relations.matrices.cost.expressions import (
    TABLE,
    cost,
    made,
    matrix,
    rewritten,
    value_of_input,
)


@pytest.mark.parametrize(
    ("text", "laws", "before", "after"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_the_cost_before_and_after(text, laws, before, after):
    written = made(text)
    found = rewritten(written, laws)
    values = {v.name: value_of_input(v) for v in inputs_of(written)}
    assert cost(written, values) == before
    assert cost(found, values) <= after
    (expected,) = evaluate([written], {v: values[v.name] for v in inputs_of(written)})
    (computed,) = evaluate([found], {v: values[v.name] for v in inputs_of(found)})
    assert computed.dtype == expected.dtype
    np.testing.assert_allclose(computed, expected, rtol=1e-8, atol=1e-10)


def test_the_logarithm_of_a_determinant_that_underflows():
    """The density of many variables is right where its determinant is no number."""
    size = 400
    covariance = assume(matrix("covariance", size, size), "positive definite")
    value = 1e-3 * np.eye(size)
    written = at.log(det(covariance))
    found = rewritten(written, "o4")
    (v,) = inputs_of(found)
    np.testing.assert_allclose(evaluate([found], {v: value}), size * np.log(1e-3))


def test_the_page_shows_the_table():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "write it anew: python -m tests.relations.matrices.cost"
    )

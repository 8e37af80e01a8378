"""What was declared of matrices goes when it has been used."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.tensor.linalg import assume, solve
from relgraph.tensor.linalg.matrix_op import Assume
from tests.relations.matrices.inputs import x

TABLE = [("assumption-used", assume(x, "lower triangular"), x)]


def test_no_declaration_is_left_in_a_function():
    y = at.dvector("y")
    f = function([x, y], solve(assume(x, "upper triangular"), y))
    assert not any(isinstance(node.op, Assume) for node in f.maker.fgraph.toposort())
    value = np.array([[2.0, 1.0], [0.0, 4.0]])
    np.testing.assert_allclose(f(value, np.ones(2)), np.linalg.solve(value, np.ones(2)))

"""Small graphs of two vectors and a matrix with the values of their variables."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.testing.judge.evaluation import RewritePair

x, y, m = at.dvector("x"), at.dvector("y"), at.dmatrix("m")


def evaluated(out, **given):
    """Return the nodes that compute `out`, the values of all variables, and `out`."""
    inputs = [v for v in (x, y, m) if v.name in given]
    pair = RewritePair(inputs, out, out, inputs)
    values = pair.run([np.array(given[v.name]) for v in inputs])
    return pair.nodes_of(out), values, out

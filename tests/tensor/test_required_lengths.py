"""`Op.required_lengths`: what an op says of lengths is what its `perform` insists on."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import performed
from relgraph.tensor.linalg import inv, matmul, slogdet, solve
from relgraph.tensor.linalg.blas import Gemm, GemvAdd, Ger
from relgraph.tensor.shapes import SpecifyShape

x, y = at.dvectors("x", "y")
A, B, C = at.dmatrices("A", "B", "C")
T = at.dtensor3("T")
a, b = at.dscalars("a", "b")
row = at.TensorType("float64", (1, None))("row")

NODES = [
    at.add(A, B, row).owner,
    at.switch(A, B, C).owner,
    at.dot(A, B).owner,
    at.dot(x, A).owner,
    at.dot(A, x).owner,
    at.dot(x, y).owner,
    at.join(0, A, B).owner,
    at.join(1, A, B, C).owner,
    matmul(T, B).owner,
    solve(A, x).owner,
    solve(A, B).owner,
    solve(T, B).owner,
    inv(A).owner,
    slogdet(A)[0].owner,
    Gemm()(A, a, B, C, b).owner,
    GemvAdd()(x, a, A, y, b).owner,
    Ger()(A, a, x, y).owner,
    SpecifyShape((3, None))(A).owner,
]


def _axes(node):
    return [[(i, axis) for axis in range(v.type.ndim)] for i, v in enumerate(node.inputs)]


def _values(node, longer=None):
    """Return values whose axes are of length 3 where they don't broadcast; `longer` of length 4."""
    values = []
    for v, axes in zip(node.inputs, _axes(node), strict=True):
        static = zip(axes, v.type.shape, strict=True)
        shape = [1 if n == 1 else 3 + (axis == longer) for axis, n in static]
        values.append(np.random.default_rng(len(values)).uniform(1, 2, shape))
    return values


@pytest.mark.parametrize("node", NODES, ids=str)
def test_equal_lengths_are_accepted(node):
    performed(node, _values(node))


CHANGED = [
    (node, axis)
    for node in NODES
    for group in node.op.required_lengths(node, _axes(node))
    if len(group) > 1
    for axis in group
    if not isinstance(axis, int)
]


@pytest.mark.parametrize("node, changed", CHANGED, ids=str)
def test_a_length_that_differs_is_refused(node, changed):
    with pytest.raises(ValueError):
        performed(node, _values(node, changed))

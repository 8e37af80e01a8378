"""Shapes, lengths, and what changes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.basic import Constant
from relgraph.graph.reference import evaluate, performed
from relgraph.tensor.linalg import inv, matmul, slogdet, solve
from relgraph.tensor.linalg.blas import Gemm, GemvAdd, Ger
from relgraph.tensor.shapes import Shape, Shape_i, SpecifyShape, as_lengths, product


def test_what_is_known_is_a_constant():
    x = at.tensor("float64", (2, None))
    assert isinstance(at.shape_i(x, 0), Constant)
    assert at.shape_i(x, -1).owner.op is Shape_i(1)
    assert at.shape(x).owner.op is Shape()
    assert isinstance(at.shape(at.tensor("float64", (2, 3))), Constant)
    assert at.shape(x).type.shape == (2,)


def test_lengths():
    n = at.lscalar("n")
    assert as_lengths(3, "f") == (3,)
    assert as_lengths([2, n], "f") == (2, n)
    assert as_lengths(at.constant([2, 3]), "f") == (2, 3)
    assert as_lengths(np.array([2, 3]), "f") == (2, 3)
    assert len(as_lengths(at.tensor("int64", (2,)), "f")) == 2
    assert product([2, 3]) == 6
    assert product([1, n]) is n


# The same elements in another shape, or with their axes in another order.


def count(*shape):
    return np.arange(np.prod(shape), dtype="float64").reshape(shape)


@given(st.permutations([1, 2, 3, 2]), st.integers(0, 3), st.booleans())
def test_one_length_is_what_remains(shape, at_place, partly):
    x = count(3, 4)
    v, n = at.dmatrix(), at.lscalar()
    wanted = list(shape)
    wanted[at_place] = -1
    symbolic = [n if partly and k != -1 and i == 3 else k for i, k in enumerate(wanted)]
    out = at.reshape(v, symbolic)
    (found,) = evaluate([out], {v: x, n: np.array(shape[3])})
    np.testing.assert_array_equal(found, x.reshape(wanted))
    assert out.type.is_valid_value(found)


def test_symbolic_shapes(against_numpy):
    against_numpy(
        lambda v, w: at.reshape(v, w.shape), lambda v, w: v.reshape(w.shape), count(6), count(2, 3)
    )
    against_numpy(
        lambda v, w: at.reshape(v, (w.shape[1], 2)),
        lambda v, w: v.reshape(3, 2),
        count(6),
        count(2, 3),
    )


def test_what_is_known_of_a_shape():
    x = at.tensor("float64", (2, 3))
    assert at.reshape(x, (-1, 2)).type.shape == (3, 2)
    assert at.reshape(at.dmatrix(), (-1, 2)).type.shape == (None, 2)
    assert at.reshape(x, (at.lscalar(), 2)).type.shape == (None, 2)
    assert at.reshape(at.dvector(), at.shape(at.dcol())).type.shape == (None, 1)
    assert at.flatten(x).type.shape == (6,)


def test_it_is_a_view():
    x = at.dmatrix()
    a = count(2, 3)
    for out in (at.reshape(x, (6,)), at.specify_shape(x, (2, None)), at.transpose(x)):
        assert out.owner.op.view_map == {0: [0]}
        assert np.shares_memory(evaluate([out], {x: a})[0], a)


def test_flatten(against_numpy):
    x = count(2, 3, 4)
    for n, shape in ((1, -1), (2, (2, -1)), (3, (2, 3, 4))):
        against_numpy(lambda v, n=n: at.flatten(v, n), lambda v, s=shape: v.reshape(s), x)
    against_numpy(lambda v: at.flatten(v, 2), lambda v: v.reshape(0, 12), x[:0])


def test_specify_shape():
    x = at.dmatrix("x")
    y = at.specify_shape(x, (2, None))
    assert y.type.shape == (2, None)
    assert at.specify_shape(y, (2, None)) is y
    n = at.lscalar("n")
    checked = at.specify_shape(x, (n, 2))
    assert evaluate([checked], {x: count(3, 2), n: 3})[0].shape == (3, 2)
    with pytest.raises(AssertionError, match="specify_shape: x has another shape"):
        evaluate([checked], {x: count(4, 2), n: 3})
    assert str(SpecifyShape((2, None))) == "specify_shape{2, ?}"


def test_squeeze_checks_what_is_not_known():
    x = at.dmatrix("x")
    y = at.squeeze(x, 0)
    np.testing.assert_array_equal(evaluate([y], {x: count(1, 3)})[0], count(3))


# `Op.required_lengths`: what an op says of lengths is what its `perform` insists on.


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

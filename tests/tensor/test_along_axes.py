"""Ops along one axis: cumulative sums, sorting and what moves elements."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, scalar
from relgraph.gradient import Rop, grad, hvp
from relgraph.graph.basic import equal_computations
from relgraph.graph.reference import evaluate
from relgraph.tensor.along_axes import (
    ArgSort,
    Cumulate,
    Sort,
    argsort,
    cumprod,
    cumsum,
    roll,
    sort,
    tile,
)
from relgraph.tensor.assembly import Join
from relgraph.tensor.fft import DFT
from tests.seeds import SEED


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64", "float32", "float16"])
def test_every_bit_is_that_of_numpy(dtype):
    """Of one product of complex numbers too, which NumPy rounds in another way than several."""
    rng = np.random.default_rng(SEED)
    x = at.TensorType(dtype, (None, None))()
    values = rng.normal(size=(6, 4))
    if dtype.startswith("complex"):
        values = values + 1j * rng.normal(size=(6, 4))
    values = values.astype(dtype)
    for (rows, columns), axis in itertools.product(np.ndindex(7, 5), (0, 1)):
        value = values[:rows, :columns]
        made = evaluate([cumsum(x, axis), cumprod(x, axis)], {x: value})
        for found, cumulated in zip(made, (np.cumsum, np.cumprod), strict=True):
            expected = cumulated(value.copy(), axis=axis)
            assert found.dtype == expected.dtype
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "value",
    [[[2.0, 0.0, 3.0], [0.0, -1.0, 0.0]], [[0.0, 0.0, 0.0]], [[1.5, -2.0, 0.5]], [[], []]],
    ids=["zeros", "zeros alone", "no zero", "empty"],
)
def test_derivatives_of_higher_order(value, axis):
    """Against the derivatives of products that are written out."""
    value = np.array(value)
    weights = [np.cos(np.arange(value.size) + k).reshape(value.shape) for k in range(3)]

    def third(cumulated):
        x = at.dmatrix()
        cost = at.sum(weights[0] * cumulated(x))
        found = []
        for w in (weights[1], weights[2], None):
            slope = grad(cost, x, stabilize=False, disconnected_inputs="ignore")
            found.append(slope)
            if w is not None:
                cost = at.sum(w * slope)
        return evaluate(found, {x: value})

    def written_out(x):
        rows = [x[(slice(None),) * axis + (i,)] for i in range(value.shape[axis])]
        made = [rows[0]] if rows else []
        for row in rows[1:]:
            made.append(made[-1] * row)
        return at.stack(made, axis=axis) if rows else x

    for found, expected in zip(third(lambda x: cumprod(x, axis)), third(written_out), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", ["None", "fast_run"])
def test_the_slope_of_logarithms_of_sums_is_linear(mode):
    """It depends on the slope of the cost in the same way where that is zero."""
    x, t = at.dvector("x"), at.dvector("t")
    out = at.logcumsumexp(x)
    value, along = np.array([0.0, 1.0, -80.0, 80.0]), np.array([1.0, 2.0, -1.0, 0.5])
    f = function([x, t], [Rop(out, x, t), hvp(at.sum(out**2), x, t)], mode=mode)
    moved, bent = f(value, along)
    weights = np.tril(np.exp(value - np.logaddexp.accumulate(value)[:, None]))
    np.testing.assert_allclose(moved, weights @ along, rtol=1e-14)
    sums = np.logaddexp.accumulate(value)
    shares = along - (weights @ along)[:, None]
    expected = 2 * weights.T @ (weights @ along) + 2 * sums @ (weights * shares)
    np.testing.assert_allclose(bent, expected, rtol=1e-13)


# Elements repeated or moved along an axis.


X = np.arange(6.0).reshape(2, 3)


def test_rolls_of_what_is_empty_and_by_a_variable():
    empty, n = at.TensorType("float64", (0, None))("empty"), at.lscalar("n")
    assert roll(empty, 1, 0) is empty
    v = at.dvector("v")
    for values in (np.arange(4.0), np.zeros(0)):
        (found,) = evaluate([roll(v, n, 0)], {v: values, n: np.array(-5)})
        np.testing.assert_array_equal(found, np.roll(values, -5))


def test_tiles_as_often_as_a_variable_says():
    n, m, v, x = at.lscalar("n"), at.lscalar("m"), at.dvector("v"), at.dmatrix("x")
    reps = at.TensorType("int64", (2,))("reps")
    for a, b in ((0, 2), (1, 1), (3, 2)):
        values = {n: a, m: b, v: np.arange(4.0), x: X, reps: np.array([b, a])}
        for built, expected in (
            (tile(v, n), np.tile(np.arange(4.0), a)),
            (tile(v, (m, n)), np.tile(np.arange(4.0), (b, a))),
            (tile(x, n), np.tile(X, a)),
            (tile(x, (n, 2)), np.tile(X, (a, 2))),
            (tile(v, reps), np.tile(np.arange(4.0), (b, a))),
            (tile(v, np.array([2, 3])), np.tile(np.arange(4.0), (2, 3))),
        ):
            found, shape = evaluate([built, at.shape(built)], values)
            np.testing.assert_array_equal(found, expected)
            assert tuple(shape) == expected.shape
    assert evaluate([tile(v, n)], {n: 2, v: np.zeros(0)})[0].shape == (0,)


# Sorting.


def test_types():
    x = at.TensorType("float32", (2, None))("x")
    assert sort(x, 0).type == x.type
    assert argsort(x).type == at.TensorType("int64", (2, None))
    assert str(Sort(1)) == "sort{axis=1}"
    assert str(argsort(x).owner.op) == "argsort{axis=1}"
    with pytest.raises(ValueError, match="axis 2"):
        sort(x, 2)


# Nodes count the axis from the front, and have the gradients of `L_op` as `grad`.


OPS = [
    ArgSort(-1),
    Cumulate(scalar.add, -1),
    Cumulate(scalar.maximum, -1),
    DFT(-1, True, "ortho"),
    Join(-1),
    Sort(-1),
]


@pytest.mark.parametrize("op", OPS, ids=str)
def test_nodes_count_the_axis_from_the_front(op):
    found = op(at.dmatrix("x")).owner.op
    assert type(found) is type(op)
    assert found.props_dict() == {**op.props_dict(), "axis": 1}


@pytest.mark.parametrize("op", OPS, ids=str)
def test_there_is_no_such_axis(op):
    with pytest.raises(ValueError, match=f"{op.name}: axis -1 of an array with 0 dimensions"):
        op(at.dscalar("x"))


def test_grad_is_that_of_L_op():
    x, g = at.dvectors("x", "g")
    (found,) = Cumulate(scalar.mul, 0).grad([x], [g])
    (wanted,) = Cumulate(scalar.mul, 0).L_op([x], [at.cumprod(x)], [g])
    assert equal_computations([found], [wanted])

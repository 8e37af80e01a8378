"""Cumulative sums and products."""

import itertools

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.along_axes import Cumulate, Recurrence, cumprod, cumsum
from tests.seeds import SEED


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_cumulative_sums_and_products(against_numpy, axis, dtype):
    x = np.array([[1, 2, 3], [4, 5, 6]]).astype(dtype)
    against_numpy(lambda v: cumsum(v, axis), lambda v: np.cumsum(v, axis), x)
    against_numpy(lambda v: cumprod(v, axis), lambda v: np.cumprod(v, axis), x)
    if dtype == "float64":
        verify_grad(lambda v: cumsum(v, axis), [x])
        verify_grad(lambda v: cumprod(v, axis), [x])


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
        for found, function in zip(made, (np.cumsum, np.cumprod), strict=True):
            expected = function(value.copy(), axis=axis)
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


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_recurrence(dtype):
    """As it is defined, along each axis."""
    rng = np.random.default_rng(0)
    factors, terms = (rng.normal(size=(4, 3)).astype(dtype) for _ in range(2))
    for axis in (0, 1):
        made = [np.take(terms, 0, axis)]
        for t in range(1, terms.shape[axis]):
            made.append(np.take(factors, t, axis) * made[-1] + np.take(terms, t, axis))
        against_reference(Recurrence(axis), np.stack(made, axis), factors, terms)
    verify_grad(Recurrence(0), [rng.normal(size=(3, 2)), rng.normal(size=(3, 2))])
    verify_grad(Recurrence(0), [rng.normal(size=4), rng.normal(size=4)])


def against_reference(op, expected, *values):
    inputs = [at.TensorType(v.dtype.name, (None,) * v.ndim)() for v in values]
    (found,) = evaluate([op(*inputs)], dict(zip(inputs, values, strict=True)))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    first = [v[:, 0].copy() for v in values]
    inputs = [at.TensorType(v.dtype.name, (None,))() for v in first]
    (found,) = evaluate([Recurrence(0)(*inputs)], dict(zip(inputs, first, strict=True)))
    assert found.dtype == expected.dtype


def test_errors():
    with pytest.raises(TypeError, match="neither add nor mul"):
        Cumulate(at.maximum.scalar_op, 0)
    with pytest.raises(ValueError, match="cumsum: axis 2"):
        cumsum(at.dmatrix(), 2)
    with pytest.raises(TypeError, match=r"recurrence\{axis=1\}: .* wanted is one rank"):
        Recurrence(1)(at.dvector(), at.dvector())
    with pytest.raises(ValueError, match="axis 0 has length 2 in input 0, 3 in input 1"):
        Recurrence(0)(np.ones(2), np.ones(3))

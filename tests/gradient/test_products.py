"""Jacobians, whole and as products with vectors."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import DisconnectedInputError, Lop, Rop, hessian, jacobian
from relgraph.graph.reference import evaluate

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
X = np.array([0.5, -1.0, 2.0])


def f(x):
    return at.dot(at.constant(A), at.tanh(x))


def expected():
    return A * (1 - np.tanh(X) ** 2)


def test_Lop():
    x, row = at.dvector(), at.dvector()
    (found,) = evaluate([Lop(f(x), x, row)], {x: X, row: np.array([1.0, -2.0])})
    np.testing.assert_allclose(found, np.array([1.0, -2.0]) @ expected())
    a, b = Lop([x * 2, x**2], [x, row], [row, row], disconnected_inputs="ignore")
    found = evaluate([a, b], {x: X, row: np.ones(3)})
    np.testing.assert_allclose(found, [2 + 2 * X, np.zeros(3)])
    with pytest.raises(ValueError, match="Lop: 2 eval_points for 1 variables"):
        Lop(x, x, [x, x])


def test_Rop():
    x, column = at.dvector(), at.dvector()
    direction = np.array([1.0, -2.0, 0.5])
    (found,) = evaluate([Rop(f(x), x, column)], {x: X, column: direction})
    np.testing.assert_allclose(found, expected() @ direction)
    y = at.dvector()
    outs = Rop([x * y, at.sum(y)], [x, y], [column, column])
    found = evaluate(outs, {x: X, y: X + 1, column: direction})
    np.testing.assert_allclose(found[0], direction * (2 * X + 1))
    np.testing.assert_allclose(found[1], direction.sum())


def test_Rop_of_a_linear_function_and_of_a_constant():
    x, y = at.dvector(), at.dvector("y")
    (found,) = evaluate([Rop(3 * x, x, x)], {x: X})
    np.testing.assert_allclose(found, 3 * X)
    with pytest.raises(DisconnectedInputError, match=r"Rop: .* is not a differentiable function"):
        Rop(y * 2, x, x)
    (found,) = evaluate([Rop(y * 2, x, x, disconnected_outputs="ignore")], {y: X})
    np.testing.assert_array_equal(found, np.zeros(3))


def test_jacobian():
    x = at.dvector()
    (found,) = evaluate([jacobian(f(x), x)], {x: X})
    np.testing.assert_allclose(found, expected())
    m, v = at.dmatrix(), at.tensor("float64", (3,))
    jm, jv = jacobian(at.specify_shape(at.dot(m, v), (2,)), [m, v])
    found = evaluate([jm, jv], {m: A, v: X})
    assert found[0].shape == (2, 2, 3)
    np.testing.assert_allclose(found[0][1], [[0, 0, 0], X])
    np.testing.assert_allclose(found[1], A)
    (found,) = evaluate([jacobian(at.sum(x**2), x)], {x: X})
    np.testing.assert_allclose(found, 2 * X)


def test_jacobian_of_nothing():
    x = at.dvector()
    (found,) = evaluate([jacobian(at.specify_shape(x, (0,)), x)], {x: X})
    assert found.shape == (0, 3)


def test_jacobian_needs_a_length():
    with pytest.raises(ValueError, match=r"how many rows there are must be known.*specify_shape"):
        jacobian(at.dvector() * 2, at.dvector())
    with pytest.raises(ValueError, match="flatten it"):
        jacobian(at.dmatrix(), at.dvector())


def test_hessian():
    x = at.tensor("float64", (3,))
    found = evaluate([hessian(at.sum(x**3) + at.prod(x), x)], {x: X})[0]
    a, b, c = X
    np.testing.assert_allclose(found, [[6 * a, c, b], [c, 6 * b, a], [b, a, 6 * c]])
    assert evaluate([hessian(at.sum(x), x)], {x: X})[0].tolist() == np.zeros((3, 3)).tolist()
    with pytest.raises(ValueError, match=r"hessian: .* not a vector"):
        hessian(at.sum(at.dmatrix()), at.dmatrix())

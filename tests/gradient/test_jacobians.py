"""Jacobians, whole and as products with vectors."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import Lop, Rop, grad, hessian, hvp, jacobian
from relgraph.graph.reference import evaluate

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
X = np.array([0.5, -1.0, 2.0])


def test_Lop():
    x, row = at.dvector(), at.dvector()
    a, b = Lop([x * 2, x**2], [x, row], [row, row], disconnected_inputs="ignore")
    found = evaluate([a, b], {x: X, row: np.ones(3)})
    np.testing.assert_allclose(found, [2 + 2 * X, np.zeros(3)])


def test_Rop():
    x, y, column = at.dvectors(3)
    direction = np.array([1.0, -2.0, 0.5])
    outs = Rop([x * y, at.sum(y)], [x, y], [column, column])
    found = evaluate(outs, {x: X, y: X + 1, column: direction})
    np.testing.assert_allclose(found[0], direction * (2 * X + 1))
    np.testing.assert_allclose(found[1], direction.sum())


def test_Rop_of_a_linear_function_and_of_a_constant():
    x, y = at.dvector(), at.dvector("y")
    (found,) = evaluate([Rop(3 * x, x, x)], {x: X})
    np.testing.assert_allclose(found, 3 * X)
    (found,) = evaluate([Rop(y * 2, x, x, disconnected_outputs="ignore")], {y: X})
    np.testing.assert_array_equal(found, np.zeros(3))


def test_jacobian():
    x = at.dvector()
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


def test_rows_are_computed_by_a_loop_where_the_length_is_not_known():
    x, y = at.dvector("x"), at.dmatrix("y")
    both = evaluate(jacobian(at.dot(y, at.tanh(x)), [x, y]), {x: X, y: A})
    np.testing.assert_allclose(both[0], A * (1 - np.tanh(X) ** 2))
    assert both[1].shape == (2, 2, 3)
    cost = at.sum(x**3) + at.prod(x)
    a, b, c = X
    found = evaluate([hessian(cost, x)], {x: X})[0]
    np.testing.assert_allclose(found, [[6 * a, c, b], [c, 6 * b, a], [b, a, 6 * c]])


def test_hvp():
    x, u = at.tensor("float64", (3,)), at.dvector()
    cost = at.sum(x**3) + at.prod(x)
    direction = np.array([1.0, -2.0, 0.5])
    whole, product = evaluate([hessian(cost, x), hvp(cost, x, u)], {x: X, u: direction})
    np.testing.assert_allclose(product, whole @ direction)
    y, m = at.dvector("y"), at.dmatrix()
    # the gradient by x is y, and one variable may be the gradient by several
    for cost, expected in (
        (at.sum(x * y) + at.sum(y**2), [direction, direction * 3]),
        (at.sum(x + y) ** 2, [4 * direction.sum() * np.ones(3)] * 2),
    ):
        found = evaluate(hvp(cost, [x, y], [u, u]), {x: X, y: X, u: direction})
        np.testing.assert_allclose(found, expected)
    (found,) = evaluate([hvp(at.sum(m**2), m, m)], {m: A})
    np.testing.assert_allclose(found, 2 * A)
    (found,) = evaluate([hvp(at.sum(x), x, u)], {x: X, u: direction})
    np.testing.assert_array_equal(found, np.zeros(3))


def test_outputs_that_are_functions_of_each_other_or_the_same():
    x = at.dvector("x")
    y = at.sin(x)
    z = y**2
    row = np.array([1.0, 2.0, 3.0])
    found = evaluate([Lop([y, z, y], x, [row, row, row]), Lop([x, z], x, [row, row])], {x: X})
    both = row * 2 * np.sin(X) * np.cos(X)
    np.testing.assert_allclose(found, [2 * row * np.cos(X) + both, row + both])
    # what is known of a gradient is all there is of it
    (found,) = evaluate([grad(None, x, known_grads={y: row, z: row})], {x: X})
    np.testing.assert_allclose(found, row * np.cos(X))


M = np.array([[0.2, -0.5, 1.0], [0.3, 0.7, -0.4], [-0.6, 0.1, 0.8]])
FUNCTIONS = {
    "linear": lambda x: at.dot(M, x),
    "of a linear one": lambda x: at.tanh(at.dot(M, x)) * x,
    "normalized": lambda x: at.exp(x) / at.sum(at.exp(x)),
    "softmax": lambda x: at.softmax(x),
    "switch": lambda x: at.switch(x > 0, x**3, at.sin(x)),
    "steps": lambda x: at.floor(x + 0.3) * x + (x > 0) * x,
    "parts": lambda x: at.concatenate([x[:1] ** 2, x[1:] * x[0]]),
    "replaced": lambda x: at.set_subtensor(x[1:], at.exp(x[:2])),
    "repeated": lambda x: x[np.array([0, 0, 2])] * x,
    "max": lambda x: at.max(x) * at.sqr(x),
    "prod": lambda x: at.prod(x) * x,
    "cumulated": lambda x: at.cumsum(x**2),
    "matrix": lambda x: at.dot(at.outer(x, x), at.sigmoid(x)),
}


def differences(value, h):
    """Return by how much a function of a point near X changes with each element of it."""
    return np.stack([(value(X + h * e) - value(X - h * e)) / (2 * h) for e in np.eye(3)], axis=-1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_differences(name):
    x, row, column = at.tensor("float64", (3,)), at.dvector(), at.dvector()
    out = FUNCTIONS[name](x)
    u, w = np.array([0.3, -1.2, 0.7]), np.array([1.1, 0.4, -0.9])
    givens = {x: X, row: w, column: u}
    jac = differences(lambda at_x: evaluate([out], {x: at_x})[0], 1e-6)
    products = [Rop(out, x, column), Lop(out, x, row), jacobian(out, x)]
    for found, expected in zip(evaluate(products, givens), (jac @ u, w @ jac, jac), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    slope = Lop(out, x, row)
    second = differences(lambda at_x: evaluate([slope], {**givens, x: at_x})[0], 1e-6)
    (found,) = evaluate([hessian(at.sum(out * row), x)], givens)
    np.testing.assert_allclose(found, second, rtol=1e-6, atol=1e-8)

"""What is no variable, or no value of one, is named, in whichever place it stands."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import Lop, Rop, grad, hessian, hvp, jacobian, verify_grad
from relgraph.graph.reference import evaluate

x, s = at.dvector("x"), at.dscalar("s")
known = at.TensorType("float64", (3,))("known")
cost = (x**2).sum()
NO_VARIABLES = [0.0, 3, None, "x", np.ones(3), at.exp, x.type]

PLACES = {
    "grad: wrt": lambda v: grad(cost, v),
    "grad: wrt ": lambda v: grad(cost, [x, v]),
    "grad: known_grads": lambda v: grad(None, x, known_grads={v: x}),
    "grad: consider_constant": lambda v: grad(cost, x, consider_constant=[v]),
    "Lop: f": lambda v: Lop(v, x, x),
    "grad: wrt  ": lambda v: Lop(x * 2, v, x),
    "Rop: f": lambda v: Rop(v, x, x),
    "Rop: f ": lambda v: Rop([x * 2, v], [x], [x]),
    "Rop: wrt": lambda v: Rop(x * 2, v, x),
    "jacobian: wrt": lambda v: jacobian(known * 2, v),
    "hessian: wrt": lambda v: hessian((known**2).sum(), v),
    "hvp: wrt": lambda v: hvp(cost, v, x),
}


# An array is no key of a dict.
CASES = [
    (place, value)
    for place in PLACES
    for value in NO_VARIABLES
    if place != "grad: known_grads" or not isinstance(value, np.ndarray)
]


@pytest.mark.parametrize(("place", "value"), CASES, ids=lambda x: str(x).strip())
def test_what_is_no_variable(place, value):
    with pytest.raises(TypeError, match=f"{place.strip()} holds .*, which is no variable"):
        PLACES[place](value)


@pytest.mark.parametrize("value", [0.0, 3, "x", np.ones(3), at.exp, x.type])
def test_what_is_no_cost(value):
    for build in (
        lambda: grad(value, x),
        lambda: hvp(value, x, x),
        lambda: hessian(value, known),
    ):
        with pytest.raises(TypeError, match=r"the cost is .*, which is no variable"):
            build()


POINTS = {
    "known_grads of mul.0": lambda v: grad(None, x, known_grads={x * 2: v}),
    "Lop: the eval_point of mul.0": lambda v: Lop(x * 2, x, v),
    "Rop: the eval_point of x": lambda v: Rop(x * 2, x, v),
    "hvp: the eval_point of x": lambda v: hvp(cost, x, v),
}


@pytest.mark.parametrize("place", POINTS)
def test_values_of_another_type_name_their_variable(place):
    for value in (0.0, None, "x", x.type, 1j * np.ones(3)):
        with pytest.raises(TypeError, match=f"{place}: expected TensorType"):
            POINTS[place](value)
    with pytest.raises(ValueError, match=f"{place} has 0 dimensions"):
        POINTS[place](s)
    np.testing.assert_array_equal(evaluate([POINTS[place](np.ones(3))], {x: np.ones(3)})[0], 2)


def test_numbers_are_values_of_scalars():
    (found,) = evaluate([Rop(s**2, s, 1)], {s: 3.0})
    assert found == 6
    first, second = evaluate(Rop([s * 2, x * s], [s, x], [1, np.ones(3)]), {s: 2.0, x: np.ones(3)})
    assert first == 2
    np.testing.assert_array_equal(second, [3, 3, 3])


def test_constants_may_be_one_variable():
    (found,) = evaluate([grad((x * x**2).sum(), x, consider_constant=x**2)], {x: np.ones(3)})
    np.testing.assert_array_equal(found, [3, 3, 3])
    square = x**2
    (found,) = evaluate([grad((x * square).sum(), x, consider_constant=square)], {x: np.ones(3)})
    np.testing.assert_array_equal(found, [1, 1, 1])


def test_what_no_gradient_can_be_verified_of():
    with pytest.raises(TypeError, match=r"verify_grad: fun is 0\.0, not a function"):
        verify_grad(0.0, [np.ones(3)])
    with pytest.raises(TypeError, match=r"verify_grad: pt is array.*, not a list"):
        verify_grad(at.exp, np.ones(3))


def test_a_policy_is_a_word():
    with pytest.raises(ValueError, match="disconnected_inputs is array"):
        grad(cost, x, disconnected_inputs=np.ones(3))


@pytest.mark.parametrize("call", [lambda v: grad(x.sum(), v), lambda v: Rop(x**2, v, [x])])
def test_variables_in_a_set_have_no_order(call):
    with pytest.raises(TypeError, match="wrt is a set, which has no order"):
        call({x})
    assert grad((x * x).sum(), [x], consider_constant={x}, disconnected_inputs="ignore")

"""Gradients of naive formulas, which are stabilized first: as right as their values, and no more
than that is changed."""

from __future__ import annotations

import itertools
from functools import partial
from random import Random

import mpmath
import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import dprint, function
from relgraph.gradient import (
    DisconnectedInputError,
    Lop,
    NullTypeGradError,
    Rop,
    backward,
    consider_constant,
    disconnected_grad,
    grad,
    hessian,
    hvp,
    jacobian,
    zero_grad,
)
from relgraph.graph.basic import Apply, Constant, equal_computations, graph_inputs
from relgraph.graph.op import Op
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import MethodNotDefined
from tests.gradient.naive_formulas import MATRICES, NUMBERS, OF_A_MATRIX, OF_A_NUMBER
from tests.losses.truth import MPMATH, Inputs, difference
from tests.relations.applied import value_for
from tests.relations.test_reach import EXAMPLES
from tests.seeds import seed_of

FAR = np.array([1000.0, -1000.0, 0.0])
DIGITS, STEP = 520, 60
"""What is near 1 has up to 434 zeros or nines; a difference quotient has as many as its step."""


def naive(x):
    return at.exp(x) / (1 + at.exp(x))


def slope(v):
    """The slope of the logistic function."""
    v = np.asarray(v)
    low = np.exp(-np.abs(v))
    return low / (1 + low) ** 2


def assert_near(found, true, condition, rounding):
    """A few roundings of the value and of the point, and of numbers of the size of `rounding`."""
    allowed = 1e-14 * np.abs(true) + 4e-15 * condition + rounding
    assert found.shape == true.shape
    far = ~((found == true) | (np.abs(found - true) <= allowed))
    assert not far.any(), f"{found[far]} where {true[far]} is right"


def truth_of_number(formula, number):
    """Return what a formula gives, its slope, and how far each moves at most when the number does
    by a part of itself."""
    with mpmath.workdps(2 * DIGITS):
        point = [mpmath.mpf(number)]
        slope = partial(difference, lambda point: formula(MPMATH, point[0]), i=0)
        found, by_number = formula(MPMATH, point[0]), slope(point)
        moves = (abs(point[0] * v) for v in (by_number, difference(slope, point, 0)))
        return [float(v) for v in (found, by_number, *moves)]


@pytest.mark.parametrize("name", OF_A_NUMBER)
def test_a_formula_of_a_number(name):
    x = at.dvector("x")
    out = OF_A_NUMBER[name](at, x)
    wanted = [out, grad(at.sum(out), x)]
    if "tanh" in name:
        # where the tanh is there anyway its slope is 1 - tanh**2, which costs next to nothing
        value, gradient = (function([x], var)(NUMBERS) for var in wanted)
    else:
        value, gradient = function([x], wanted)(NUMBERS)
    each = np.array([truth_of_number(OF_A_NUMBER[name], number) for number in NUMBERS])
    true_value, true_slope, *conditions = each.T
    assert_near(value, true_value, conditions[0], 1e-300)
    assert_near(gradient, true_slope, conditions[1], 1e-300)


CURVES = {
    "log of a square": (lambda x: at.log(1 + x**2), [-2 * (1e6 - 1) / (1e6 + 1) ** 2] * 2 + [2]),
    "log cosh": (lambda x: at.log(at.cosh(x)), [0, 0, 1]),
    "sech": (lambda x: 1 / at.cosh(x), [0, 0, -1]),
}


@pytest.mark.parametrize("name", CURVES)
def test_second_derivatives(name):
    formula, expected = CURVES[name]
    x = at.dvector("x")
    slopes = grad(at.sum(formula(x)), x)
    found = function([x], grad(at.sum(slopes), x))(FAR)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def truth(formula, values):
    """Return what a formula gives, the slope of the sum of it, and how far the values move at most
    when the point does, each element by a part of itself."""
    inputs = Inputs([values], "float64")
    with mpmath.workdps(DIGITS):

        def at_point(flat):
            return np.asarray(formula(MPMATH, *inputs.apart(flat)), dtype=object)

        flat, step = inputs.flat(), mpmath.mpf(10) ** -STEP
        found = at_point(flat)
        moved = [at_point([*flat[:i], x + step, *flat[i + 1 :]]) for i, x in enumerate(flat)]
        moves = [(v - found) / step for v in moved]
        slopes = np.reshape([np.sum(move) for move in moves], np.shape(values))
        condition = sum(abs(x * move) for x, move in zip(flat, moves, strict=True))
        return [np.asarray(v, float) for v in (found, slopes, condition)]


@pytest.mark.parametrize("which", range(len(MATRICES)))
@pytest.mark.parametrize("name", OF_A_MATRIX)
def test_a_formula_of_a_matrix(name, which):
    x = at.dmatrix("x")
    out = OF_A_MATRIX[name](at, x)
    value, gradient = function([x], [out, grad(at.sum(out), x)])(MATRICES[which])
    true_value, true_slope, condition = truth(OF_A_MATRIX[name], MATRICES[which])
    # shares are all of a size near 1, and some cancel
    assert_near(np.asarray(value), true_value, condition, 2e-15)
    sizes = np.sum(np.abs(MATRICES[which]), axis=1, keepdims=True)
    assert_near(gradient, true_slope, sizes * np.abs(true_slope), 2e-15)


def test_a_gradient_is_stable_before_any_optimization():
    x = at.dvector("x")
    (found,) = evaluate([grad(at.sum(naive(x)), x)], {x: FAR})
    np.testing.assert_allclose(found, slope(FAR))
    with np.errstate(all="ignore"):
        (as_written,) = evaluate([grad(at.sum(naive(x)), x, stabilize=False)], {x: FAR})
    assert np.isnan(as_written[0])


def test_what_has_nothing_to_be_stabilized_is_differentiated_as_it_is():
    x, y = at.dvector("x"), at.dvector("y")
    for cost in (at.sum(x * y + y), at.sum(at.exp(x) * y), at.dot(x, 1 * y) ** 2 + at.sum(x - x)):
        found, as_written = (grad(cost, [x, y], stabilize=stable) for stable in (True, False))
        assert equal_computations(found, as_written)


def test_the_graph_of_the_cost_stays_as_it_is():
    x = at.dvector("x")
    shared = at.exp(x)
    first, second = at.sum(shared / (1 + shared)), at.sum(at.log(1 + shared))
    both = [first, second]
    before = dprint(both, file="str")
    gradients = [grad(cost, [x, shared]) for cost in both]
    assert dprint(both, file="str") == before
    assert shared.owner.inputs == [x]
    values = {x: np.array([0.5, -2.0])}
    e = np.exp(values[x])
    found = [evaluate(g, values) for g in gradients]
    np.testing.assert_allclose(found[0], [slope(values[x]), 1 / (1 + e) ** 2])
    np.testing.assert_allclose(found[1], [e / (1 + e), 1 / (1 + e)])


def test_by_a_variable_inside():
    x = at.dvector("x")
    inner = at.log(1 + at.exp(x))
    cost = at.sum(at.log(1 + at.exp(inner)))
    by_inner, by_x = grad(cost, [inner, x])
    f = function([x], [by_inner, by_x])
    e = np.array([1.0, 0.0, 0.5])
    outer = 1 - 1 / (2 + np.exp(np.minimum(FAR, 700)))
    np.testing.assert_allclose(f(FAR), [outer, outer * e], rtol=1e-14)
    # the variable itself is in the gradient by it: it can be given
    given = function([inner], by_inner)
    np.testing.assert_allclose(given(FAR), 1 / (1 + np.exp(-np.maximum(FAR, -700))), atol=1e-300)
    assert evaluate([grad(cost, cost)]) == [1.0]


def test_one_variable_inside_another():
    x = at.dscalar("x")
    a = at.exp(x)
    b = 1 + a
    c = a / b
    found = evaluate(grad(c, [c, b, a, x]), {x: 0.5})
    e = np.exp(0.5)
    np.testing.assert_allclose(found, [1, -e / (1 + e) ** 2, slope(0.5) / e, slope(0.5)])


def test_one_of_several_outputs_inside():
    x = at.dvector("x")
    low, high = at.split(x, (1, 2))
    cost = at.sum(at.log(1 + at.exp(low))) + at.sum(naive(high))
    found = function([x], grad(cost, [low, high, x]))(np.array([1000.0, 1000.0, 0.0]))
    np.testing.assert_allclose(found[0], [1])
    np.testing.assert_allclose(found[1], [0, 0.25])
    np.testing.assert_allclose(found[2], [1, 0, 0.25])


FIXED, x, origin = at.tensor("float64", (3,), "FIXED"), at.dvector("x"), at.dvector("origin")
i, ALONG = at.lvector("i"), np.array([1.0, 2.0, 3.0])
GIVEN = {FIXED: FAR, x: FAR, origin: np.zeros(2), i: np.array([1, 2, 1])}
p, e = naive(x), at.exp(origin)
total = 1 + e
SLOPES = {
    "from a known one": (lambda: grad(None, x, known_grads={p: ALONG}), ALONG * slope(FAR)),
    # nothing is added to what is known, wherever the laws would have gone
    "not the cost": (lambda: grad(at.log(p).sum(), x, known_grads={p: ALONG}), ALONG * slope(FAR)),
    "beside a constant": (lambda: grad(at.sum(e / total), origin, consider_constant=[total]), 0.5),
    "beside another": (
        lambda: grad(at.sum(naive(origin)), origin, consider_constant=[total]),
        0.25,
    ),
    "by a constant": (lambda: grad(at.sum(at.log(total)), total, consider_constant=[total]), 0.5),
    **{
        # as a whole it is a sigmoid, and its denominator is none of the gradient's business
        stop.__name__: (lambda s=stop: grad(at.sum(e / s(total) + naive(origin)), origin), 0.75)
        for stop in (zero_grad, consider_constant, disconnected_grad)
    },
    "behind zero_grad": (lambda: grad(at.sum(zero_grad(naive(origin))), origin), 0),
    "of zero_grad": (lambda: grad(zero_grad(at.sum(naive(origin))), origin), 0),
    "by integers": (lambda: grad(at.sum(naive(x * i) + at.log(1 + at.exp(i))), i), 0),
    "beside integers": (lambda: grad(at.sum(naive(x * i)), x), slope(FAR)),
    "Rop": (lambda: Rop(naive(FIXED), FIXED, ALONG), slope(FAR) * ALONG),
    "Lop": (lambda: Lop(naive(FIXED), FIXED, ALONG), slope(FAR) * ALONG),
    "jacobian": (lambda: jacobian(naive(FIXED), FIXED), np.diag(slope(FAR))),
    "hessian": (lambda: hessian(at.sum(at.log(1 + at.exp(FIXED))), FIXED), np.diag(slope(FAR))),
    "hvp": (lambda: hvp(at.sum(at.log(1 + at.exp(FIXED))), FIXED, ALONG), slope(FAR) * ALONG),
}


@pytest.mark.parametrize("name", SLOPES)
def test_slopes(name):
    make, wanted = SLOPES[name]
    found = function([*GIVEN], make(), on_unused_input="ignore")(*GIVEN.values())
    np.testing.assert_allclose(found, wanted)


def test_errors_are_those_of_the_graph_as_it_was_written():
    x, y = at.dvector("x"), at.dvector("y")
    cost = at.sum(naive(x))
    with pytest.raises(DisconnectedInputError, match="not a differentiable function of y"):
        grad(cost, y)
    with pytest.warns(UserWarning, match="not a differentiable function of y"):
        g = grad(cost, [x, y], disconnected_inputs="warn")[1]
    np.testing.assert_array_equal(evaluate([g], {y: np.ones(2)})[0], [0, 0])
    assert grad(cost, y, disconnected_inputs="ignore", return_disconnected="None") is None
    with pytest.raises(DisconnectedInputError):
        grad(at.sum(disconnected_grad(naive(x))), x)
    with pytest.raises(DisconnectedInputError):
        grad(cost + at.cast(y.shape[0], "float64"), y)
    # laws take y out of it, yet it was there
    cost = at.sum(naive(x) + at.switch(at.constant(True), x, y))
    (found,) = evaluate([grad(cost, y)], {x: np.ones(2), y: np.ones(2)})
    np.testing.assert_array_equal(found, [0, 0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dtypes(dtype):
    x = at.TensorType(dtype, (None,))("x")
    far = np.array([80.0, -80.0, 0.0], dtype)
    for formula in (naive, lambda v: at.log(1 + at.exp(v)), lambda v: at.log(at.cosh(v))):
        g = grad(at.sum(formula(x)), x)
        assert g.type.dtype == dtype
        assert np.isfinite(function([x], g)(far)).all()


def test_a_matrix_is_stabilized_once_and_not_once_a_row(monkeypatch):
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return stabilized(*arguments)

    stabilized = backward.stabilized
    monkeypatch.setattr(backward, "stabilized", counted)
    x = at.TensorType("float64", (5,))("x")
    jacobian(naive(x), x)
    assert len(calls) == 1
    calls.clear()
    hessian(at.sum(naive(x)), x)
    assert len(calls) == 2
    calls.clear()
    for derivative in (jacobian, Lop, Rop, hessian, hvp):
        more = [x] if derivative in (Lop, Rop, hvp) else []
        out = at.sum(naive(x)) if derivative in (hessian, hvp) else naive(x)
        derivative(out, x, *more, stabilize=False)
    assert not calls


def differentiated(cost, inputs, stabilize):
    """Return the gradients, None where there is none, or the kind of error."""
    try:
        return grad(
            cost,
            inputs,
            disconnected_inputs="ignore",
            return_disconnected="None",
            stabilize=stabilize,
        )
    except (NullTypeGradError, NotImplementedError, MethodNotDefined) as error:
        return [type(error)]


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_what_the_laws_are_shown_with_has_the_same_gradients_and_connections(part):
    names = Random(seed_of("gradients of examples")).sample(sorted(EXAMPLES), len(EXAMPLES))
    for name in names[part::2]:
        for expression in EXAMPLES[name]:
            inputs = [v for v in graph_inputs([expression]) if not isinstance(v, Constant)]
            dense = isinstance(expression.type, at.TensorType)  # sparse ones: tests/sparse
            if not dense or np.dtype(expression.type.dtype).kind != "f" or not inputs:
                continue
            cost = at.sum(expression)
            new, old = (differentiated(cost, inputs, stable) for stable in (True, False))
            assert [type(g) for g in new] == [type(g) for g in old], name
            pairs = [(a, b) for a, b in zip(new, old, strict=True) if hasattr(a, "type")]
            assert all(a.type.dtype == b.type.dtype for a, b in pairs)
            try:
                with np.errstate(all="ignore"):
                    values = {v: value_for(v) for v in inputs}
                    expected = evaluate([b for _, b in pairs], values)
            except (ValueError, IndexError, AssertionError):
                continue
            with np.errstate(all="ignore"):
                found = evaluate([a for a, _ in pairs], values)
                (value,) = evaluate([expression], values)
            for a, b in zip(found, expected, strict=True):
                # what is not a number has no slope either, whatever a formula says
                told = np.isfinite(b) & (b.shape != value.shape or ~np.isnan(value))
                tolerance = 1e-9 if b.dtype == "float64" else 1e-3
                np.testing.assert_allclose(a[told], b[told], tolerance, tolerance, err_msg=name)


class Call(Op):
    """Its input plus a number that is another one at each call; a draw, say, or a clock."""

    __props__ = ()
    pure = False
    count = itertools.count()

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + float(next(self.count))

    def grad(self, inputs, output_gradients):
        return list(output_gradients)


def test_a_call_is_not_made_again_for_its_gradient():
    x = at.dvector("x")
    call = Call()(x)
    cost = at.log(1 + at.exp(call)).sum()
    value, slope_ = function([x], [call, grad(cost, x)])([-3.0, 1000.0])
    np.testing.assert_allclose(slope_, 1 / (1 + np.exp(-value)), rtol=1e-14)
    run = function([x], [cost, grad(cost, x)])
    assert sum(node.op is Call() for node in run.maker.fgraph.apply_nodes) == 1


def test_what_a_call_is_made_on_is_stabilized_too():
    x = at.dvector("x")
    call = Call()(at.log(1 + at.exp(x)))
    run = function([x], grad(call.sum(), x))
    np.testing.assert_array_equal(run([1000.0, -1000.0, 0.0]), [1.0, 0.0, 0.5])
    # a call that is itself differentiated, or named
    cost = at.log(1 + at.exp(call)).sum()
    by_x, by_call = function([x], grad(cost, [x, call]))([1000.0, 0.0])
    np.testing.assert_allclose(by_x, by_call * [1.0, 0.5], rtol=1e-14)


def test_a_formula_that_a_call_reads_is_stabilized_with_its_other_readers():
    x = at.dvector("x")
    p = at.softmax(x)
    cost = (at.log(p) * Call()(p)).sum()
    assert np.isfinite(function([x], grad(cost, x))([1000.0, 0.0])).all()

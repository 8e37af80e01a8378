"""`grad`: what it returns, what it refuses, and how deep and wide it goes."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, scalar
from relgraph.gradient import (
    DisconnectedInputError,
    DisconnectedType,
    GradientError,
    Lop,
    Rop,
    consider_constant,
    disconnected_grad,
    grad,
    grad_clip,
    grad_scale,
    hessian,
    hvp,
    jacobian,
    subgraph_grad,
    verify_grad,
    zero_grad,
)
from relgraph.gradient.backward import Stopwatch, grad_stopwatch
from relgraph.graph.basic import Apply, Variable, applys_between
from relgraph.graph.op import Op
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.graph.type import disconnected, undefined
from relgraph.scalar import add, float64, mul, sin
from relgraph.scalar.composite import Composite
from relgraph.settings import config
from tests.families.counting import calls_of
from tests.refusals import check_refused
from tests.tensor.linalg.matrices import check_complex_gradient


class Given(Op):
    """An op whose gradient is whatever the test says."""

    def __init__(self, *results):
        self.results = results

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[0].type()])

    def grad(self, inputs, output_gradients):
        return self.results[0] if len(self.results) == 1 else list(self.results)

    def __str__(self):
        return "given"


class Plain(Given):
    def grad(self, inputs, output_gradients):
        return Op.grad(self, inputs, output_gradients)


@pytest.fixture
def x():
    return at.dscalar("x")


def test_one_or_several(x):
    y = at.dscalar("y")
    cost = x * y
    assert grad(cost, x).type is x.type
    gs = grad(cost, [x, y])
    assert isinstance(gs, list)
    assert evaluate(gs, {x: 2.0, y: 3.0}) == [3.0, 2.0]
    assert isinstance(grad(cost, (x,)), list)


def test_terms_are_added_in_one_node():
    v = at.dvector("v")
    g = grad(at.sum(at.add(*[at.exp(v) for _ in range(10)])), v)
    assert g.owner.op is at.add
    assert len(g.owner.inputs) == 10
    both = grad(at.sum(at.exp(v) + at.sin(v)), v)
    assert len(both.owner.inputs) == 2


# Gradients, and what they are at some values of the variables.

one, s, t, v = at.constant(1.0), at.dscalar("s"), at.dscalar("t"), at.dvector("v")
i, z, number = at.lvector("i"), at.zscalar("z"), float64("number")
V = np.array([1.5, -2.0])
GIVEN = {s: 3.0, t: 10.0, v: V, i: np.array([1, 2]), z: 1 + 2j, number: 2.0}
square, inner = s**2, at.exp(v)
SLOPES = {
    "by a variable inside": (lambda: grad(at.sum(inner**2), inner), 2 * np.exp(V)),
    "by what is behind it": (lambda: grad(at.sum(inner**2), v), 2 * np.exp(2 * V)),
    "by itself": (lambda: grad(square, square), 1),
    "real, of a complex cost": (lambda: grad((s * (2 + 3j)) ** 2, s), 6 * ((2 + 3j) ** 2).real),
    "complex": (lambda: grad(at.sqr(at.abs(z)), z), 2 * (1 + 2j)),
    "by integers": (lambda: grad(at.sum(i * v), i), [0, 0]),
    "beside integers": (lambda: grad(at.sum(i * v), v), [1, 2]),
    "of steps": (lambda: grad(at.sum(at.floor(v)), v), [0, 0]),
    "of a choice": (lambda: grad(at.sum(at.switch(v > 0, v**2, -v)), v), [3, -1]),
    "of a mask": (lambda: grad(at.sum((v > 0) * v + at.cast(v, "int64")), v), [1, 0]),
    **{
        f"of the power {n}": (lambda n=n: grad(s**n, s), n * 3.0 ** (n - 1))
        for n in (0, 1, 2, 3, -1, 0.5, 2.5)
    },
    "of numbers": (lambda: grad(scalar.exp(number) + number**2, number), np.exp(2.0) + 4),
    "of a product": (lambda: grad(square * s, s), 27),
    "beside a constant": (lambda: grad(square * s, s, consider_constant=[square]), 9),
    "by the constant": (lambda: grad(square * s, square, consider_constant=[square]), 3),
    "beside one constant": (lambda: grad(square * s, s, consider_constant=square), 9),
    "beside an equal one": (lambda: grad(square * s, s, consider_constant=s**2), 27),
    "from a known one": (lambda: grad(None, s, known_grads={square: t}), 60),
    "from one, not the cost": (lambda: grad(at.exp(square), s, known_grads={square: one}), 6),
    "from a number": (lambda: grad(None, s, known_grads={square: 2.0}), 12),
    "by what is known": (lambda: grad(None, square, known_grads={square: t}), 10),
    "beside an op without one": (lambda: grad(Plain()(s) + t, t), 1),
    "beside one that is None": (lambda: grad(Given(None, at.constant(2.0))(s, t), t), 2),
    "beside an output": (lambda: grad(at.sum(at.split(v, (1, 1))[0] ** 2), v), [3, 0]),
    "along a number": (lambda: Rop(square, s, 1), 6),
    "along a number and an array": (lambda: Rop(v * s, [s, v], [1, np.ones(2)]), V + 3),
    "clipped": (lambda: grad(at.sum(grad_clip(v, -1, 1) ** 2), v), [1, -1]),
    "clipped on its way": (lambda: grad(at.sum(grad_clip(v**2, -0.5, 0.5)), v), V),
    "scaled": (lambda: grad(at.sum(grad_scale(v, -1) ** 2), v), -2 * V),
    "clipped and scaled, what goes forward": (lambda: grad_clip(grad_scale(v, 3), 0, 1), V),
}


@pytest.mark.parametrize("name", SLOPES)
def test_slopes(name):
    make, wanted = SLOPES[name]
    slope = make()
    assert slope.type.dtype == ("complex128" if np.iscomplexobj(wanted) else "float64")
    (found,) = evaluate([slope], GIVEN)
    np.testing.assert_allclose(found, wanted)
    assert np.shape(found) == np.shape(wanted)


def deep(n):
    v = e = at.dvector()
    for _ in range(n):
        e = -e
    return at.sum(e), v


def wide(n):
    v = at.dvector()
    return at.sum(at.add(*[at.neg(v) for _ in range(n)])), v


@pytest.mark.parametrize("build", [deep, wide])
def test_work_is_in_step_with_the_graph(build):
    calls = []
    for n in (200, 2_000):
        cost, v = build(n)
        made, _ = calls_of(lambda cost=cost, v=v: grad(cost, v))
        calls.append(made)
    assert calls[1] < 11 * calls[0]
    assert len(grad(*wide(5000)).owner.inputs) == 5000


def test_dtype_and_shape_are_those_of_the_variable():
    x, y = at.fvector("x"), at.dvector("y")
    gx, gy = grad(at.sum(x * y), [x, y])
    assert (gx.type.dtype, gy.type.dtype) == ("float32", "float64")
    row, m = at.drow(), at.dmatrix()
    assert grad(at.sum(row * m), row).type.shape == (1, None)
    w = at.tensor("float64", (3, 1))
    assert grad(at.sum(at.dot(m, w)), w).type.shape == (3, 1)


def through_steps(x):
    """Functions of a vector that depend on it, but are constant nearly everywhere."""
    whole = at.cast(x, "int64")
    return {
        "comparison": (x > 0) * 1.0,
        "equality": at.eq(x, 0) * 1.0,
        "question": at.isnan(x) * 1.0,
        "logic": ((x > 0) & ~(x < 2)) * 1.0,
        "cast": whole * 1.0,
        "integers": (whole // 2) * 1.0,
        "reduction": at.max(whole) * 1.0,
        "product": at.dot(whole, whole) * 1.0,
        "shape": whole.reshape((-1,))[0] * 1.0,
        "join": at.concatenate([whole, whole]) * 1.0,
        "argmax": at.argmax(x) * 1.0,
        "condition": at.switch(x, 1.0, 2.0),
        "boolean condition": at.switch(x > 0, 1.0, 2.0),
    }


@pytest.mark.parametrize("name", through_steps(at.dvector()))
def test_steps_are_connected(name):
    x = at.dvector("x")
    g = grad(at.sum(through_steps(x)[name]), x)
    assert g.type == x.type
    np.testing.assert_array_equal(evaluate([g], {x: np.array([1.5, -2.0])})[0], [0, 0])


def test_what_steps_get_is_not_computed():
    """A mask has no gradient, so none is made for it."""
    x = at.dvector("x")
    mask = x > 0
    product = mask * x
    g = grad(at.sum(product), x)
    assert [node.op for node in io_toposort([mask, product], [g])].count(at.mul) == 1


def test_constants_do_not_mix():
    """What is remembered of one node's gradient is not taken for another's."""
    x, f = at.dvector("x"), at.fvector("f")
    for factor in (2.0, 3.0, np.array([4.0, 5.0])):
        (g,) = evaluate([grad(at.sum(x * factor), x)], {x: np.ones(2)})
        np.testing.assert_array_equal(g, np.broadcast_to(factor, 2))
    assert grad(at.sum(f * 2), f).type.dtype == "float32"
    with config.change_flags(floatX="float32"):
        assert grad(at.sum(x * 2), x).type.dtype == "float64"


def test_disconnected_variables(x):
    y = at.dvector("y")
    for cost in (x * 2, x * y.shape[0], x * disconnected_grad(at.sum(y)), x * at.zeros_like(y)[0]):
        with pytest.raises(DisconnectedInputError, match="not a differentiable function of y"):
            grad(cost, y)
        with pytest.warns(UserWarning, match="not a differentiable function of y"):
            g = grad(cost, y, disconnected_inputs="warn")
        np.testing.assert_array_equal(evaluate([g], {y: np.ones(2)})[0], [0, 0])
    cost = x * 2
    ignore = {"disconnected_inputs": "ignore"}
    assert grad(cost, y, return_disconnected="None", **ignore) is None
    kind = grad(cost, y, return_disconnected="disconnected", **ignore).type
    assert isinstance(kind, DisconnectedType)
    gx, _ = grad(cost, [x, y], **ignore)
    assert evaluate([gx]) == [2.0]


def test_barriers(x):
    for stop in (zero_grad, consider_constant):
        assert evaluate([stop(x)], {x: 3.0}) == [3.0]
        assert evaluate([grad(stop(x**2), x)], {x: 3.0}) == [0.0]
        assert evaluate([grad(x * stop(x**2), x)], {x: 3.0}) == [9.0]
    assert evaluate([grad(x * disconnected_grad(x**2), x)], {x: 3.0}) == [9.0]


# Gradients of ops with many inputs: in step with their number, and right where a factor is 0.


def edges(outputs) -> int:
    return sum(len(node.inputs) for node in applys_between([], outputs))


@pytest.mark.parametrize("op", [at.mul, at.add, at.maximum, at.minimum, at.logaddexp, at.stack])
def test_gradients_grow_with_the_number_of_inputs(op) -> None:
    def size(count: int) -> int:
        inputs = [at.dscalar() for _ in range(count)]
        out = op(inputs) if op is at.stack else op(*inputs)
        return edges(grad(out if out.type.ndim == 0 else out.sum(), inputs))

    assert size(400) <= 4.2 * size(100)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 9])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products(count, zeros) -> None:
    rng = np.random.default_rng(count)
    points = [rng.uniform(0.5, 1.5, 2) for _ in range(count)]
    for i in range(zeros):
        points[count // 2 - i][0] = 0.0
    verify_grad(lambda *factors: at.mul(*factors), points)


def test_the_gradient_of_three_factors_is_three_products() -> None:
    x, y, z = (at.dscalar(n) for n in "xyz")
    gradients = grad(at.mul(x, y, z), [x, y, z])
    assert [len(g.owner.inputs) for g in gradients] == [3, 3, 3]


def test_factors_are_multiplied_in_the_dtype_of_the_product() -> None:
    x, y, z = at.bvector("x"), at.fvector("y"), at.dvector("z")
    product = at.mul(x, x, y, z, x, y)
    by_y, by_z = grad(product.sum(), [y, z])
    assert (by_y.type.dtype, by_z.type.dtype) == ("float32", "float64")
    point = {x: np.array([100], "int8"), y: np.array([3e30], "float32"), z: np.array([1e-30])}
    found = evaluate([by_y, by_z], point)
    np.testing.assert_allclose(found[0], [1e6 * 2.0 * 3.0], rtol=1e-6)
    np.testing.assert_allclose(found[1], [1e6 * np.float64(np.float32(3e30)) ** 2], rtol=1e-12)


@pytest.mark.parametrize("function", [at.arctan2, at.power, at.float_power, at.log_determinant])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_slopes_are_computed_in_the_dtype_of_the_output(function, dtype: str) -> None:
    """The square of 100 is no int8, and the logarithm of an int8 is a float16."""
    count = 4 if function is at.log_determinant else 2
    values = [np.array([100, 7], dtype), np.array([0.3, 1.7]), *[np.array([60, 80], dtype)] * 2]
    slopes = []
    for points in (values[:count], [v.astype("float64") for v in values[:count]]):
        xs = [at.TensorType(v.dtype.name, (2,))() for v in points]
        slope = grad(function(*xs).sum(), xs[1])
        slopes.append(evaluate([slope], dict(zip(xs, points, strict=True)))[0])
    np.testing.assert_allclose(*slopes, rtol=1e-14)


def test_complex_factors() -> None:
    y, w = at.dscalar("y"), at.zscalar("w")
    by_y, by_w = grad(at.real(at.mul(y, w, w, y, y)), [y, w])
    found = evaluate([by_y, by_w], {y: np.array(2.0), w: np.array(1 + 2j)})
    np.testing.assert_allclose(found, [3 * 4 * ((1 + 2j) ** 2).real, np.conj(2 * 8 * (1 + 2j))])


def test_a_wide_product_is_differentiated_and_run() -> None:
    inputs = [at.dscalar() for _ in range(2_000)]
    f = function(inputs, grad(at.mul(*inputs), inputs), mode="fast_compile")
    values = [1.0 + (-1) ** i * 1e-3 for i in range(2_000)]
    np.testing.assert_allclose(f(*values), np.prod(values) / values)


def test_what_a_composite_reads_often_gets_one_sum() -> None:
    x = float64("x")
    fused = Composite([x], [add(*[sin(mul(x, float(i))) for i in range(8)])])
    (g,) = fused.L_op([x], fused.make_node(x).outputs, [float64("g")])
    assert isinstance(g, Variable)
    assert g.owner is not None and len(g.owner.inputs) == 8


# The stopwatch behind the time of `grad` in profiles.


def test_runs_add_up_and_nested_ones_count_once() -> None:
    clock = Stopwatch()
    with clock.running():
        with clock.running():
            pass
        assert clock.seconds == 0
    first = clock.seconds
    assert first > 0
    with clock.running():
        pass
    assert clock.seconds > first


def test_it_stops_when_the_block_raises() -> None:
    clock = Stopwatch()
    for _ in range(2):
        before = clock.seconds
        try:
            with clock.running():
                raise KeyError
        except KeyError:
            assert clock.seconds > before


def test_grad_is_timed() -> None:
    x = at.dscalar("x")
    before = grad_stopwatch.seconds
    grad(at.exp(x), x)
    assert grad_stopwatch.seconds > before


# What is wrong is named.

REFUSED = {
    "TypeError: rank 0": lambda: grad(v, s),
    "TypeError: must be float or complex": lambda: grad(at.lscalar("i"), s),
    "TypeError: which is no variable": lambda: grad(3.0, s),
    "TypeError: wrt holds 's'": lambda: grad(s, "s"),
    "TypeError: wrt is a set, which has no order": lambda: grad(s, {s}),
    "TypeError: Rop: wrt is a set, which has no order": lambda: Rop(v**2, {v}, [v]),
    "ValueError: neither a cost": lambda: grad(None, s),
    "ValueError: disconnected_inputs is 'no'": lambda: grad(s, s, disconnected_inputs="no"),
    "ValueError: disconnected_inputs is array": lambda: grad(s, s, disconnected_inputs=np.ones(3)),
    "ValueError: return_disconnected is 'no'": lambda: grad(s, s, return_disconnected="no"),
    "ValueError: known_grads of s has 1 dimensions": lambda: grad(None, s, known_grads={s: v}),
    "MethodNotDefined: given .* has no gradient": lambda: grad(Plain()(s), s),
    "NullTypeGradError: by s: given is not differentiable by its input 0": lambda: grad(
        Given(None, one)(s, t), s
    ),
    "NullTypeGradError: given is not differentiable by its input 0": lambda: grad(
        Given(None, one)(at.exp(s), t), s
    ),
    "NullTypeGradError: given, input 1: on purpose": lambda: grad(
        Given(one, undefined("on purpose"))(s, t), t
    ),
    "NullTypeGradError: itself undefined: because": lambda: grad(undefined("because"), s),
    "DisconnectedInputError: function of t": lambda: grad(Given(one, disconnected())(s, t), t),
    "ValueError: the gradient of given has 3 elements for 2 inputs": lambda: grad(
        Given(s, s, s)(s, t), s
    ),
    r"TypeError: the gradient of given is .* not a list or a tuple": lambda: grad(Given(s)(s), s),
    r"TypeError: given gives 1\.0 for input 0, which is no variable": lambda: grad(
        Given(1.0, s)(s, t), s
    ),
    "ValueError: given for input 0 has 1 dimensions where s": lambda: grad(Given(v, s)(s, t), s),
    "ValueError: grad_clip: 0 is less than 1": lambda: grad_clip(s, 1, 0),
    "ValueError: neither a cost nor a start": lambda: subgraph_grad([s], [t]),
    "ValueError: Lop: 2 eval_points for 1 variables": lambda: Lop(v, v, [v, v]),
    "DisconnectedInputError: Rop: .* is not a differentiable function": lambda: Rop(s * 2, t, t),
    "ValueError: flatten it": lambda: jacobian(at.dmatrix(), v),
    r"ValueError: hessian: .* not a vector": lambda: hessian(at.sum(at.dmatrix()), at.dmatrix()),
    "DisconnectedInputError: function of s": lambda: hvp(at.sum(v), s, t),
    "ValueError: hvp: 2 eval_points for 1 variables": lambda: hvp(at.sum(v), v, [v, v]),
    r"TypeError: verify_grad: fun is 0\.0, not a function": lambda: verify_grad(0.0, [np.ones(3)]),
    r"TypeError: verify_grad: pt is array.*, not a list": lambda: verify_grad(at.exp, np.ones(3)),
    "TypeError: argument 0 is int64, not real": lambda: verify_grad(at.neg, [np.array([1])]),
    "TypeError: the function gives gt.0, not one real variable": lambda: verify_grad(
        lambda x: x > 0, [np.ones(3)]
    ),
    r"TypeError: the function gives \[.*, not one real variable": lambda: verify_grad(
        lambda x: [x, x], [np.ones(3)]
    ),
}


@pytest.mark.parametrize("error", REFUSED)
def test_what_is_wrong_is_named(error):
    check_refused(error, REFUSED[error])


# What is no variable, or no value of one, is named, in whichever place it stands.

x_vector = at.dvector("x")
known = at.TensorType("float64", (3,))("known")
cost = (x_vector**2).sum()
NO_VARIABLES = [0.0, 3, None, "x", np.ones(3), at.exp, x_vector.type]

PLACES = {
    "grad: wrt": lambda v: grad(cost, v),
    "grad: wrt ": lambda v: grad(cost, [x_vector, v]),
    "grad: known_grads": lambda v: grad(None, x_vector, known_grads={v: x_vector}),
    "grad: consider_constant": lambda v: grad(cost, x_vector, consider_constant=[v]),
    "Lop: f": lambda v: Lop(v, x_vector, x_vector),
    "grad: wrt  ": lambda v: Lop(x_vector * 2, v, x_vector),
    "Rop: f": lambda v: Rop(v, x_vector, x_vector),
    "Rop: f ": lambda v: Rop([x_vector * 2, v], [x_vector], [x_vector]),
    "Rop: wrt": lambda v: Rop(x_vector * 2, v, x_vector),
    "jacobian: wrt": lambda v: jacobian(known * 2, v),
    "hessian: wrt": lambda v: hessian((known**2).sum(), v),
    "hvp: wrt": lambda v: hvp(cost, v, x_vector),
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


@pytest.mark.parametrize("value", [0.0, 3, "x", np.ones(3), at.exp, x_vector.type])
def test_wrong_arguments_what_is_no_cost(value):
    for build in (
        lambda: grad(value, x_vector),
        lambda: hvp(value, x_vector, x_vector),
        lambda: hessian(value, known),
    ):
        with pytest.raises(TypeError, match=r"the cost is .*, which is no variable"):
            build()


POINTS = {
    "known_grads of mul.0": lambda v: grad(None, x_vector, known_grads={x_vector * 2: v}),
    "Lop: the eval_point of mul.0": lambda v: Lop(x_vector * 2, x_vector, v),
    "Rop: the eval_point of x": lambda v: Rop(x_vector * 2, x_vector, v),
    "hvp: the eval_point of x": lambda v: hvp(cost, x_vector, v),
}


@pytest.mark.parametrize("place", POINTS)
def test_values_of_another_type_name_their_variable(place):
    for value in (0.0, None, "x", x_vector.type, 1j * np.ones(3)):
        with pytest.raises(TypeError, match=f"{place}: expected TensorType"):
            POINTS[place](value)
    with pytest.raises(ValueError, match=f"{place} has 0 dimensions"):
        POINTS[place](s)
    np.testing.assert_array_equal(
        evaluate([POINTS[place](np.ones(3))], {x_vector: np.ones(3)})[0], 2
    )


def test_constants_may_be_a_set():
    square = x_vector * x_vector
    options = {"consider_constant": {x_vector}, "disconnected_inputs": "ignore"}
    assert grad(square.sum(), [x_vector], **options)


def test_the_gradient_of_a_part_starts_where_that_of_the_next_one_ends():
    x, t = at.dvector("x"), at.dvector("t")
    first, second = at.dmatrix("first"), at.dmatrix("second")
    hidden = at.tanh(at.dot(x, first))
    fit = at.sum((at.tanh(at.dot(hidden, second)) - t) ** 2)
    penalty = at.sum(first**2)
    of_second, at_hidden = subgraph_grad([second], [hidden], cost=fit)
    parts = subgraph_grad([first], [x], start={hidden: at_hidden[0]}, cost=penalty, details=True)
    random = np.random.default_rng(0)
    given = {x: np.ones(3), t: np.ones(2)}
    given |= {first: random.normal(size=(3, 4)), second: random.normal(size=(4, 2))}
    whole = evaluate(grad(fit + penalty, [first, second, x]), given)
    found = evaluate([*parts[0], *of_second, *parts[1]], given)
    for one, other in zip(found, whole, strict=True):
        np.testing.assert_allclose(one, other)
    of_start, of_cost = (evaluate([group[0]], given)[0] for group in parts[2:])
    np.testing.assert_allclose(of_start + of_cost, found[0])


# `verify_grad`, and gradients of ops that `tests/every_op` has no examples of.


ANY = np.array([[0.3, -1.7, 2.2], [-0.6, 1.1, -2.9]])
UNIT = ANY / 3


OF_COMPLEX = {
    **{name: getattr(at, name) for name in ("conj", "real", "imag", "angle", "sinc")},
    **{name: getattr(at, name) for name in ("log1pmx", "log1p_sqr", "fmax", "float_power")},
    "power": at.power,
    "power of negative numbers": lambda z: at.power(at.real(z) - 2, z),
    "float_power of negative numbers": lambda z: at.float_power(at.real(z) - 2, z),
}


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_complex_numbers(name):
    """The gradient by z is that by its real part and, times i, that by its imaginary part."""
    function, values = OF_COMPLEX[name], (np.array([0.7 + 0.4j]), np.array([-0.6 - 0.3j]))
    of_two = name in ("fmax", "power", "float_power")
    check_complex_gradient(function, *values[: 1 + of_two])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_coarse_dtypes(dtype):
    verify_grad(lambda x: at.sum(at.tanh(x)), [UNIT.astype(dtype)])


def test_casts():
    verify_grad(lambda x: at.cast(x, "float64") ** 2, [ANY.astype("float32")])


class WrongCube(Op):
    """A cube whose gradient forgets a factor."""

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 3

    def grad(self, inputs, output_gradients):
        return [output_gradients[0] * inputs[0] ** 2]


def test_a_wrong_gradient_is_found():
    with pytest.raises(GradientError, match=r"element \(0,\) of argument 1") as info:
        verify_grad(lambda y, x: y + WrongCube()(x), [np.ones(2), np.array([1.0, 2.0])])
    assert info.value.argument == 1
    assert info.value.index == (0,)
    assert info.value.numeric == pytest.approx(3 * info.value.analytic)

"""Scalar ops: nodes, dtypes, values, and special functions."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

import relgraph.tensor as at
from relgraph import scalar
from relgraph.gradient import grad
from relgraph.graph.basic import Apply, as_string
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar import Composite, ScalarOp, add, float32, float64, int64, mul, true_div
from relgraph.scalar.error_free import fma
from relgraph.scalar.named import ScipyOp
from relgraph.scalar.op import FloatOp
from relgraph.scalar.type import DTYPES, check_dtype
from tests.refusals import check_refused

OPS = [op for op in vars(scalar).values() if isinstance(op, ScalarOp)]


def test_the_documents_example() -> None:
    x, y, z = float64("x"), float64("y"), float64("z")
    a = add(z, mul(true_div(mul(y, x), y), true_div(z, x)))
    assert as_string([x, y, z], [a]) == ["add(z, mul(true_div(mul(y, x), y), true_div(z, x)))"]
    assert str(add(x, y)) == "add.0"
    assert repr(add).startswith("<relgraph.scalar.basic.Add at 0x")
    assert repr(mul).startswith("<relgraph.scalar.basic.Mul at 0x")
    assert add(x, y, z).owner.inputs == [x, y, z]


def test_the_documents_nodes() -> None:
    for node in (
        add.make_node(int64(), int64()), add.make_node(1, 2), add.make_node(int64(), 79)
    ):  # fmt: skip
        assert isinstance(node, Apply)
        assert node.out.type is int64
    storage = [None]
    add.perform(node, (3, 7), (storage,))  # type: ignore[arg-type]
    assert storage[0] == 10
    assert type(storage[0]) is np.int64


@pytest.mark.parametrize("op", OPS, ids=str)
def test_ops_are_interned(op: ScalarOp) -> None:
    assert type(op)() is op
    assert pickle.loads(pickle.dumps(op)) is op
    assert str(op) == op.name


@pytest.mark.parametrize("op", OPS, ids=str)
def test_scalars_and_arrays_agree(op: ScalarOp) -> None:
    """What `perform` gives for a number is what `impl` gives for an array, in the dtype said."""
    count = 3 if op.nin < 0 else op.nin
    for dtype in DTYPES:
        xs = [scalar.get_scalar_type(dtype)(name) for name in "xyz"[:count]]
        try:
            out = op(*xs)
        except TypeError as error:
            assert op.name in str(error)
            continue
        values = [np.dtype(dtype).type(v) for v in (1, 0, 1)[:count]]
        if op is scalar.pow:
            values = values[::-1]
        (result,) = evaluate([out], dict(zip(xs, values, strict=True)))
        assert type(result) is out.type.numpy_dtype.type
        with np.errstate(all="ignore"):
            array = np.asarray(op.impl(*[np.full((2, 3), v) for v in values]))
        assert array.shape == (2, 3)
        assert array.dtype == out.dtype
        assert np.array_equal(array, np.full((2, 3), result), equal_nan=array.dtype.kind in "fc")


def test_numbers_are_weak() -> None:
    f = scalar.float32("f")
    assert (f + 1).type is scalar.float32
    assert (scalar.int8("i") + 1.5).type is float64
    assert (scalar.bool("b") + True).type is scalar.bool
    assert (scalar.int8("i") < 2**40).type is scalar.bool
    assert (scalar.int8("i") < 2**63).owner.inputs[1].type is scalar.uint64


@given(st.integers(-128, 127), st.integers(-128, 127))
def test_integers_wrap_around(i: int, j: int) -> None:
    x, y = scalar.int8("x"), scalar.int8("y")
    results = evaluate([x + y, x - y, x * y, -x, abs(x)], {x: i, y: j})
    with np.errstate(all="ignore"):
        a, b = np.array([i], "int8"), np.array([j], "int8")
        expected = [a + b, a - b, a * b, -a, abs(a)]
    assert [int(r) for r in results] == [int(e[0]) for e in expected]


def test_division_by_zero_is_silent() -> None:
    x, i = float64("x"), int64("i")
    results = evaluate([x / 0, -x / 0, scalar.log(x - x), i // 0, i % 0], {x: 1.0, i: 3})
    assert results == [math.inf, -math.inf, -math.inf, 0, 0]


def gradients(out: Any, g: Any) -> Any:
    return out.owner.op.L_op(out.owner.inputs, [out], [g])


def test_gradients_are_scalar_graphs() -> None:
    x, y, g = float64("x"), float64("y"), float64("g")
    by_x, by_y = gradients(x * y, g)
    assert as_string([x, y, g], [by_x, by_y]) == ["mul(g, y)", "mul(g, x)"]
    assert gradients(x + y, g) == [g, g]
    for zero in (*gradients(x < y, g), *gradients(scalar.int8("i") + 1, g)):
        assert zero.type is float64
        assert zero.owner.op is scalar.second
        assert zero.owner.inputs[1].data == 0
    assert evaluate([gradients(scalar.switch(x, y, 1.0), g)[0]], {x: 2.0}) == [0]
    assert gradients(scalar.second(x, y), g)[0] is None
    assert add.grad([x, y], [g]) == [g, g]
    (by_x,) = gradients(scalar.floor(x), g)
    assert evaluate([by_x], {x: 1.5, g: math.nan}) == [0]


def test_the_sigmoids_gradient_uses_its_own_value() -> None:
    x, g = float64("x"), float64("g")
    out = scalar.sigmoid(x)
    out.name = "s"
    assert as_string([out, g], gradients(out, g)) == ["mul(mul(g, s), sub(1.0, s))"]


def test_connection_patterns() -> None:
    x, y = float64("x"), float64("y")
    for out, pattern in [
        (x * y, [[True], [True]]),
        (x < y, [[True], [True]]),
        (scalar.second(x, y), [[False], [True]]),
        (scalar.switch(x, x, y), [[True], [True], [True]]),
    ]:
        assert out.owner.op.connection_pattern(out.owner) == pattern


@pytest.mark.parametrize("dtype", ["bool", "int8"])
@pytest.mark.parametrize(
    "op", [scalar.erf, scalar.tanh, scalar.sin, scalar.arctan, scalar.sqrt, scalar.sigmoid]
)
def test_gradients_by_discrete_numbers(op: ScalarOp, dtype: str) -> None:
    # A boolean can't be negated, and the square of an int8 may not fit into one.
    x, y, g = scalar.get_scalar_type(dtype)("x"), float64("y"), float64("g")
    value = 1 if dtype == "bool" else 100
    found = evaluate(gradients(op(x), g), {x: np.array(value, dtype)[()], g: 2.0})
    expected = evaluate(gradients(op(y), g), {y: float(value), g: 2.0})
    assert np.allclose(found, expected, rtol=1e-2)


# What clipping does with zeros at its bounds, and with bounds beyond the dtype.

ZEROS = np.array([-0.0, 0.0, -0.5, 0.5, np.nan])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("low", "high"), [(-1, 0), (0, 1), (-0.0, 1), (-1, 1), (0, 0)])
def test_a_zero_between_numbers_stays_as_it_is(dtype, low, high):
    x = at.tensor(dtype, (None,))
    value = ZEROS.astype(dtype)
    found, expected = at.clip(x, low, high).eval({x: value}), np.clip(value, low, high)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    for number in value:
        single = scalar.clip.impl(number, low, high)
        assert np.signbit(single) == np.signbit(np.clip(number, low, high))


@pytest.mark.parametrize(("low", "high"), [(-1, 3), (-5, 300), (2, 300), (-(10**30), 10**30)])
def test_what_no_number_of_the_dtype_passes_is_no_bound(low, high):
    value = np.array([0, 2, 5, 255], "uint8")
    x = at.tensor("uint8", (None,))
    found = at.clip(x, low, high)
    assert found.type.dtype == "uint8"
    np.testing.assert_array_equal(found.eval({x: value}), np.clip(value, low, high))


# Special functions: what is not said of all ops elsewhere.


def test_logaddexp_of_any_number_of_arguments() -> None:
    x, y, z = (scalar.float64(name) for name in "xyz")
    values = {x: 800.0, y: 799.0, z: -math.inf}
    assert evaluate([scalar.logaddexp(x)], values)[0] == 800
    for out in (scalar.logaddexp(x, y), scalar.logaddexp(x, y, z), scalar.logaddexp(z, y, x)):
        np.testing.assert_allclose(evaluate([out], values)[0], 800 + math.log1p(math.exp(-1)))


def test_logaddexp_of_integers_is_a_float() -> None:
    i, j, k = (scalar.int8(name) for name in "ijk")
    out = scalar.logaddexp(i, j, k)
    assert out.type.dtype == np.logaddexp(np.int8(1), np.int8(1)).dtype
    expected = math.log(math.exp(1) + math.exp(2) + math.exp(3))
    np.testing.assert_allclose(evaluate([out], {i: 1, j: 2, k: 3})[0], expected, rtol=1e-2)


def test_the_slope_of_log1mexp_at_zero():
    x = at.dvector("x")
    (found,) = evaluate([grad(at.sum(at.log1mexp(x)), x)], {x: [0.0, -0.0, -1e-300, -2.0]})
    np.testing.assert_allclose(found, [-np.inf, -np.inf, -1e300, -1 / math.expm1(2.0)])


def _log_product(y, z, *xs):
    with mp.workprec(4000):
        product = mp.exp(mp.mpf(y)) / mp.mpf(z)
        for x in xs:
            product *= mp.mpf(x)
        return float(mp.log(product)) if product > 0 else -np.inf if product == 0 else np.nan


LOG_PRODUCTS = [
    *[
        (dtype, values)
        for dtype in ("float64", "float32")
        for values in [
            (0.5, 2.0, 3.0),
            (0.5, -2.0, -3.0, 4.0),
            (-2000.0, 1e-30, 2.0),
            (2000.0, -1e30, -2.0, 1e-30),
            (-1000.0, -1e-30, 2.0),
            (90.0, 1.0, 1e-38, 1e-5),
            (-3.0, 5.0),
            (700.0, 2.0, 0.0),
        ]
    ],
    # nearly one: they have the digits of the product, also where an exponential leaves the range
    ("float64", (-709.782712893384, 1.0, 1.7976931348623157e308)),
    ("float64", (709.782712893384, 1.7976931348623157e308)),
    ("float64", (-1381.5510557964274, 1.0, -1e300, -1e300)),
    ("float64", (740.5, 1.0, 2.5e-322)),
    ("float32", (-88.72284, 1.0, 3.4028235e38)),
    ("float32", (138.15511, 1e30, 1e-30)),
    ("float16", (-11.086, 1.0, 65504.0)),
]


@pytest.mark.parametrize(("dtype", "values"), LOG_PRODUCTS)
def test_logarithms_of_products(dtype, values):
    given = [np.array([v], dtype) for v in values]
    found = scalar.log_product.impl(*given)
    assert found.dtype == dtype
    expected = _log_product(*[float(v.item()) for v in given])
    few = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(found, [expected], rtol=few, atol=few if abs(expected) < 0.1 else 0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((-np.inf, 2.0, -3.0), -np.inf),
        ((-np.inf, 2.0, np.inf), np.nan),
        ((np.inf, 2.0, 3.0), np.inf),
        ((np.inf, 2.0, 0.0), np.nan),
        ((0.5, -0.0, 3.0), np.nan),
        ((0.5, 0.0, 3.0), np.inf),
        ((0.5, np.inf, 3.0), -np.inf),
        ((np.nan, 2.0, 3.0), np.nan),
        ((0.5, 2.0, np.nan), np.nan),
    ],
)
def test_logarithms_of_products_at_the_edges(values, expected):
    with np.errstate(all="ignore"):
        plain = np.log(np.exp(values[0]) * values[2] / values[1])
    np.testing.assert_array_equal(plain, expected)
    np.testing.assert_array_equal(scalar.log_product.impl(*values), expected)


def test_an_op_has_numpys_ufunc_of_its_name_unless_it_computes_itself() -> None:
    class Cosh(FloatOp):
        """The hyperbolic cosine."""

    class Arcsinh(FloatOp):
        """A function of the same name, which is another."""

        def impl(self, *values: Any) -> Any:
            return values[0] + 1

    assert Cosh().ufunc is np.cosh
    assert Cosh().nin == 1
    assert Arcsinh().impl(2.0) == 3.0
    with pytest.raises(MethodNotDefined):
        Arcsinh().ufunc  # noqa: B018


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x << 1,
        lambda x: x >> 1,
        lambda x: 1 << x,
        lambda x: 100 >> x,
        lambda x: np.int64(1) << x,
        lambda x: np.int64(100) >> x,
        lambda x: divmod(x, 2)[0],
        lambda x: divmod(7, x)[0],
        lambda x: divmod(7, x)[1],
        lambda x: divmod(np.int64(7), x)[1],
        lambda x: x & 6,
        lambda x: 6 | x,
        lambda x: x ^ 6,
        lambda x: ~x,
        lambda x: x % 2,
        lambda x: 7 // x,
    ],
)
@pytest.mark.parametrize("variable", [int64("x"), at.lscalar("x"), at.lvector("x")], ids=str)
def test_operators_of_integers(use: Any, variable: Any) -> None:
    value = np.int64(5) if variable.type.ndim == 0 else np.array([5, 3])
    (found,) = evaluate([use(variable)], {variable: value})
    expected = np.asarray(use(value))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("use", [round, math.floor, math.ceil, math.trunc])
def test_rounding_by_pythons_functions(use: Any) -> None:
    x = float64("x")
    assert [evaluate([use(x)], {x: v})[0] for v in (2.5, -1.25)] == [use(2.5), use(-1.25)]


@pytest.mark.parametrize("use", [int, float, complex])
@pytest.mark.parametrize("variable", [float64("x"), at.dscalar("x")], ids=["number", "tensor"])
def test_no_conversion_to_a_number(use: Any, variable: Any) -> None:
    with pytest.raises(TypeError, match=r"x .* is symbolic, not a number"):
        use(variable)


x, y, b, i = float64("x"), float64("y"), scalar.bool("b"), scalar.int8("i")
z, v, u, w = scalar.complex64("z"), at.zvector("v"), at.tensor("uint8", (None,)), at.dvector("w")
product = Composite([x, y], [x * y])

REFUSED = {
    # ops
    "TypeError: invert is not defined for input 0 of dtype float64": lambda: scalar.invert(x),
    "TypeError: and_ is not defined for input 1 of dtype float64": lambda: scalar.and_(b, x),
    "TypeError: sub is not defined for input 0 of dtype bool": lambda: scalar.sub(b, b),
    "TypeError: exp takes 1 input, not 2": lambda: scalar.exp(x, x),
    "TypeError: cast{int8} of a complex64 would drop": lambda: scalar.cast(z, "int8"),
    "OverflowError: add: input 1 is -1, out of the range": lambda: scalar.uint8("u") + -1,
    "OverflowError: out of the range": lambda: i < 2**64,
    "OverflowError: clip: input . is 300, out of the range of uint8": lambda: at.clip(u, 300, 400),
    "OverflowError: clip: input . is -1, out of the range of uint8": lambda: at.clip(u, -5, -1),
    "TypeError: logaddexp is not defined for input 0 of dtype complex64": (
        lambda: scalar.logaddexp(z, z)
    ),
    "TypeError: log_product takes at least 2 inputs, not 1": lambda: scalar.log_product(x),
    "TypeError: fma is not defined": lambda: fma.output_dtype("complex128", "float64", "float64"),
    "ValueError: ScipyOp: there is no sqrt": lambda: ScipyOp("sqrt"),
    "ValueError: y is neither an input of the inner graph nor a constant": (
        lambda: Composite([x], [x * y])
    ),
    "TypeError: input 1 is of dtype float32 where float64 is wanted": lambda: product(x, float32()),
    "TypeError: takes 2 inputs, not 1": lambda: product(x),
    # gradients
    "MethodNotDefined: digamma has no gradient for complex numbers": (
        lambda: grad(at.sum(at.abs(at.digamma(v))), v)
    ),
    "MethodNotDefined: agm": lambda: grad(at.special.agm(w, w).sum(), w),
    # types, variables and constants
    "TypeError: 300 .* is not a value of dtype int8": lambda: scalar.int8.filter(300),
    "TypeError: 1.5 .* is not a value of dtype int8": lambda: scalar.int8.filter(1.5),
    "TypeError: not a value of dtype bool": lambda: scalar.bool.filter(1),
    "TypeError: not a value of dtype float32": lambda: float32.filter(np.float64(0.1)),
    "TypeError: not a value of dtype float64": lambda: float64.filter(1j),
    r"TypeError: one number of dtype float64 is wanted, not \[1.0\]": lambda: float64.filter([1.0]),
    "TypeError: one number of dtype float64 is wanted, not '1'": lambda: float64.filter("1"),
    "TypeError: not the variable x": lambda: float64.filter(x),
    "TypeError: a numpy float64 is wanted": lambda: float64.filter(1.0, strict=True),
    "TypeError: is complex": lambda: float64.filter(1j, allow_downcast=True),
    "TypeError: one number": lambda: scalar.constant([1, 2]),
    "TypeError: x is a number": lambda: x[0],
    "TypeError: x is a number ": lambda: x @ x,
    "TypeError: x is a number  ": lambda: np.ones(3) @ x,
    "TypeError: no truth value": lambda: bool(x),
    "TypeError: 'flaot' is not a dtype": lambda: check_dtype("flaot"),
}


@pytest.mark.parametrize("error", REFUSED)
def test_what_is_wrong_is_named(error: str) -> None:
    check_refused(error.strip(), REFUSED[error])

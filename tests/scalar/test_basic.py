"""Scalar ops: nodes, dtypes, values and what the documents show."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from relgraph import scalar
from relgraph.graph.basic import Apply, as_string
from relgraph.graph.reference import evaluate
from relgraph.scalar import ScalarOp, add, float64, int64, mul, true_div
from relgraph.scalar.type import DTYPES

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


def test_wrong_dtypes_and_counts() -> None:
    x, b = float64("x"), scalar.bool("b")
    with pytest.raises(TypeError, match="invert is not defined for input 0 of dtype float64"):
        scalar.invert(x)
    with pytest.raises(TypeError, match="and_ is not defined for input 1 of dtype float64"):
        scalar.and_(b, x)
    with pytest.raises(TypeError, match="sub is not defined for input 0 of dtype bool"):
        scalar.sub(b, b)
    with pytest.raises(TypeError, match="exp takes 1 input, not 2"):
        scalar.exp(x, x)
    with pytest.raises(TypeError, match=r"cast{int8} of a complex64 would drop"):
        scalar.cast(scalar.complex64("z"), "int8")
    with pytest.raises(OverflowError, match="add: input 1 is -1, out of the range of uint8"):
        scalar.uint8("u") + -1


def test_numbers_are_weak() -> None:
    f = scalar.float32("f")
    assert (f + 1).type is scalar.float32
    assert (scalar.int8("i") + 1.5).type is float64
    assert (scalar.bool("b") + True).type is scalar.bool
    assert (scalar.int8("i") < 2**40).type is scalar.bool
    assert (scalar.int8("i") < 2**63).owner.inputs[1].type is scalar.uint64
    with pytest.raises(OverflowError, match="out of the range"):
        scalar.int8("i") < 2**64  # noqa: B015


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


def test_rounding_is_half_to_even() -> None:
    x = float64("x")
    assert [evaluate([scalar.round(x)], {x: v})[0] for v in (0.5, 1.5, 2.5, -0.5)] == [0, 2, 2, 0]


def test_special_functions() -> None:
    x = float64("x")
    for op, f in [
        (scalar.erf, scipy.special.erf), (scalar.sigmoid, scipy.special.expit),
        (scalar.gammaln, scipy.special.gammaln), (scalar.softplus, lambda v: np.logaddexp(0, v)),
    ]:  # fmt: skip
        for v in (-800.5, -1.5, 0.0, 2.0, 800.5):
            assert evaluate([op(x)], {x: v})[0] == f(v)


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

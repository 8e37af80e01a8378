"""Tensor variables: constructors, methods, operators and constants."""

import math
import pickle
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.settings import config
from relgraph.tensor.type import TensorConstant, TensorVariable


@pytest.mark.parametrize(
    ("make", "dtype", "shape"),
    [
        (at.scalar, "float64", ()), (at.vector, "float64", (None,)), (at.bscalar, "int8", ()),
        (at.wvector, "int16", (None,)), (at.imatrix, "int32", (None, None)),
        (at.lrow, "int64", (1, None)), (at.fcol, "float32", (None, 1)),
        (at.dtensor3, "float64", (None,) * 3), (at.ctensor4, "complex64", (None,) * 4),
        (at.zmatrix, "complex128", (None, None)),
    ],
)  # fmt: skip
def test_constructors(make: Any, dtype: str, shape: Any) -> None:
    x = make("x")
    assert isinstance(x, TensorVariable)
    assert x.type == at.TensorType(dtype, shape)
    assert (x.name, x.dtype, x.ndim) == ("x", dtype, len(shape))
    assert make().name is None


def test_constructors_take_what_they_leave_open() -> None:
    assert at.vector("x", dtype="int8").dtype == "int8"
    assert at.matrix("A", shape=(2, None)).type.shape == (2, None)
    assert at.tensor("int8", (True, 3), "t").type.shape == (1, 3)
    with config.change_flags(floatX="float32"):
        assert at.matrix().dtype == at.tensor().dtype == at.constant(0.5).dtype == "float32"
        assert at.dmatrix().dtype == "float64"


def test_plural_constructors() -> None:
    x, y = at.dvectors("x", "y")
    assert (x.name, y.name, x.dtype) == ("x", "y", "float64")
    assert [A.type.ndim for A in at.imatrices(3)] == [2, 2, 2]
    assert at.scalars("a", dtype="int8")[0].dtype == "int8"


VALUE = np.array([[1.0, -2.0, 3.5], [0.0, 5.0, -6.5]])


@pytest.mark.parametrize(
    "use",
    [
        lambda x: -x, lambda x: +x, lambda x: abs(x), lambda x: x + 1, lambda x: 1 + x,
        lambda x: x - 1, lambda x: 1 - x, lambda x: x * 2, lambda x: 2 * x, lambda x: x / 2,
        lambda x: 2 / (x + 9), lambda x: x // 2, lambda x: 2 // (x + 9), lambda x: x % 2,
        lambda x: x**2, lambda x: 2.0**x, lambda x: x @ x.T, lambda x: x < 1, lambda x: x <= 1,
        lambda x: x > 1, lambda x: x >= 1, lambda x: ~(x > 1), lambda x: (x > 0) & (x < 2),
        lambda x: (x > 0) | (x < 2), lambda x: (x > 0) ^ (x < 2), lambda x: divmod(x, 2)[1],
        lambda x: x.sum(), lambda x: x.sum(axis=0), lambda x: x.sum(axis=1, keepdims=True),
        lambda x: x.prod(axis=0), lambda x: x.mean(), lambda x: x.max(axis=1), lambda x: x.min(),
        lambda x: (x > 0).any(axis=0), lambda x: (x > 0).all(), lambda x: x.argmax(axis=1),
        lambda x: x.var(axis=0), lambda x: x.std(), lambda x: x.dot(x.T), lambda x: x.T,
        lambda x: x.transpose(), lambda x: x.transpose(1, 0), lambda x: x.transpose((1, 0)),
        lambda x: x.swapaxes(0, 1), lambda x: x.reshape(3, 2), lambda x: x.reshape((3, 2)),
        lambda x: x.reshape(-1), lambda x: x.ravel(), lambda x: x.flatten(), lambda x: x.copy(),
        lambda x: x.clip(-1, 2), lambda x: x.round(), lambda x: x.astype("int64"),
        lambda x: x.real, lambda x: x.imag, lambda x: x.conj(), lambda x: x[0], lambda x: x[:, 1],
        lambda x: x[..., ::2], lambda x: x.T.squeeze(), lambda x: x.diagonal(), lambda x: x.trace(),
        lambda x: x.take([0], axis=1), lambda x: np.ones(3) * x, lambda x: np.float64(2) - x,
        lambda x: x.cumsum(axis=1), lambda x: x.cumprod(0), lambda x: x.repeat(2, axis=1),
        lambda x: np.array(2.0) / (x + 9), lambda x: x.argmin(), lambda x: x.conjugate(),
    ],
)  # fmt: skip
def test_methods_and_operators_are_numpys(use: Any) -> None:
    x = at.dmatrix("x")
    out = use(x)
    (result,) = evaluate([out], {x: VALUE})
    expected = np.asarray(use(VALUE))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, strict=True)


def test_what_numpy_has_no_word_for() -> None:
    x = at.dmatrix("x")
    results = evaluate(
        [x.shape, x.size, x.shape[1], x.dimshuffle(1, "x", 0), math.floor(x), round(x),
         math.ceil(x), math.trunc(x)],
        {x: VALUE},
    )  # fmt: skip
    assert results[0].tolist() == [2, 3]
    assert (results[1], results[2]) == (6, 3)
    assert results[3].shape == (3, 1, 2)
    for found, f in zip(results[4:], (np.floor, np.round, np.ceil, np.trunc), strict=True):
        assert np.array_equal(found, f(VALUE))
    assert x.broadcastable == (False, False)
    assert x.copy(name="y").name == "y"
    assert x.astype("float64") is x


def test_a_symbol_is_unpacked_and_compared_as_itself() -> None:
    x = at.dvector("x")
    with pytest.raises(TypeError):
        1 in x  # noqa: B015
    first, second = at.tensor("float64", (2,), "p")
    assert first.type.ndim == second.type.ndim == 0
    assert (x == x) is True
    assert (x == at.dvector("x")) is False
    assert len({x, x, at.dvector("x")}) == 2


def test_as_tensor_variable() -> None:
    x = at.dvector("x")
    assert at.as_tensor_variable(x) is x
    assert at.as_tensor_variable(at.exp(x).owner).owner.op is at.exp
    assert at.as_tensor_variable(1).type == at.TensorType("int64", ())
    assert at.as_tensor_variable(True).dtype == "bool"
    assert at.as_tensor_variable(1.0, name="one").name == "one"
    assert at.as_tensor_variable(np.float32(1)).dtype == "float32"
    assert at.as_tensor_variable(x, ndim=2).type.shape == (1, None)
    assert at.as_tensor_variable(at.drow(), ndim=1).type.shape == (None,)
    assert at.as_tensor_variable([[1, 2]], ndim=3).type.shape == (1, 1, 2)
    stacked = at.as_tensor_variable([x[0], 2.0])
    assert evaluate([stacked], {x: [5.0]})[0].tolist() == [5, 2]


def test_constants_are_copies() -> None:
    data = np.ones(3)
    c = at.constant(data)
    data[0] = 2
    assert c.data.tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        c.data[0] = 2
    assert at.constant(1, dtype="int8", ndim=2).type == at.TensorType("int8", (1, 1))
    assert at.constant(c).equals(c)
    assert pickle.loads(pickle.dumps(c)).equals(c)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1, True), (True, 1, False), (1, 1.0, False), (0.0, -0.0, False),
        (np.nan, float("nan"), True), (np.float32(1), 1.0, False), ([1, 2], [1, 2], True),
        ([1], [[1]], False), ([1, 2], [1, 3], False), (np.arange(99), np.arange(99), True),
        (np.arange(99), np.arange(99) + 1, False), (np.zeros((0, 2)), np.zeros((2, 0)), False),
        (np.array([1, np.nan]), np.array([1, -np.nan]), True),
        (np.ones((2, 3)), np.asfortranarray(np.ones((2, 3))), True),
    ],
)  # fmt: skip
def test_constants_are_equal_by_type_and_bits(a: Any, b: Any, equal: bool) -> None:
    x, y = at.constant(a), at.constant(b)
    assert x.equals(y) is equal
    assert (x.signature() == y.signature()) is equal
    assert hash(x.signature()) == hash(at.constant(a).signature())


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (2, 2), (True, True), ([2.0, 2.0], 2.0), ([[3], [3]], 3), ([1, 2], None), ([], None),
        ([0.0, -0.0], None), ([-0.0, -0.0], -0.0), ([1j, 1j], 1j), ([1.0, np.nan], None),
    ],
)  # fmt: skip
def test_unique_value(data: Any, value: Any) -> None:
    found = at.constant(data).unique_value()
    assert type(found) is type(value)
    assert found == value
    assert value != 0 or math.copysign(1, found.real) == math.copysign(1, value.real)


def test_unique_value_of_nans() -> None:
    assert math.isnan(at.constant([np.nan, -np.nan]).unique_value())


def test_constants_print_short() -> None:
    assert str(at.constant(2.5)) == "2.5"
    assert str(at.constant([2.5, 2.5])) == "{2.5}"
    assert str(at.constant([1, 2])) == "[1, 2]"
    assert str(at.constant(np.eye(2))) == "constant(2, 2)"
    assert str(at.constant(1, name="one")) == "one"
    assert isinstance(at.constant(1), TensorConstant)


def test_the_unique_value_of_complex_constants_is_one_in_both_parts():
    def unique(*numbers):
        return at.constant(np.array(numbers)).unique_value()

    assert unique(complex(1, 0.0), complex(1, -0.0)) is None
    assert unique(complex(np.nan, 0), complex(0, np.nan)) is None
    assert str(unique(complex(np.nan, 2), complex(np.nan, 2))) == "(nan+2j)"
    assert unique(1.0, np.nan) is None

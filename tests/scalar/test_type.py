"""Scalar types, variables and constants, and what denotes a dtype."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph import scalar
from relgraph.scalar.type import (
    DTYPES,
    can_cast_exactly,
    check_dtype,
    converted_exactly,
    get_scalar_type,
    result_dtype,
    value_bits,
    weak_dtype,
)
from relgraph.settings import config


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_has_a_type(dtype: str) -> None:
    kind = getattr(scalar, dtype)
    assert kind is scalar.ScalarType(dtype) is scalar.get_scalar_type(np.dtype(dtype))
    assert pickle.loads(pickle.dumps(kind)) is kind
    x = kind("x")
    assert (x.name, x.dtype, x.ndim, str(kind)) == ("x", dtype, 0, dtype)
    one = kind.filter(True if dtype == "bool" else 1)
    assert type(one) is np.dtype(dtype).type
    assert kind.filter(one, strict=True) is one


def test_filter() -> None:
    assert scalar.float32.filter(0.1) == np.float32(0.1)
    assert scalar.int8.filter(3.0) == 3
    assert scalar.int8.filter(3.7, allow_downcast=True) == 3


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1, True), (True, 1, False), (1, 1.0, False), (0.0, -0.0, False),
        (np.nan, -np.nan, True), (np.float32(1), np.float64(1), False),
    ],
)  # fmt: skip
def test_constants_are_equal_by_dtype_and_bits(a: Any, b: Any, equal: bool) -> None:
    x, y = scalar.constant(a), scalar.constant(b)
    assert x.equals(y) is equal
    assert (x.signature() == y.signature()) is equal


def test_constants() -> None:
    assert scalar.constant(1).type is scalar.int64
    assert scalar.constant(1.0).type is scalar.float64
    assert scalar.constant(1, dtype="int8").type is scalar.int8
    assert scalar.constant(np.float32(1)).type is scalar.float32
    assert str(scalar.constant(1.5)) == "1.5"
    assert scalar.constant(2).unique_value() == 2
    with config.change_flags(floatX="float32"):
        assert scalar.constant(0.1).type is scalar.float32
    x = scalar.int8("x")
    assert scalar.as_scalar(x) is x
    assert scalar.as_scalar(2).equals(scalar.constant(2))


def test_operators() -> None:
    x = scalar.float64("x")
    assert (x + 1).owner.op is scalar.add
    assert (2**x).owner.op is scalar.pow
    assert (x < 1).type is scalar.bool
    assert x.astype("int8").type is scalar.int8
    assert x.astype("float64") is x


def test_fit() -> None:
    x = scalar.float64("x")
    assert x.type.fit(1, x).type is scalar.float64
    assert x.type.fit(scalar.float32("y"), x).type is scalar.float64
    assert x.type.fit(scalar.constant(1), x).equals(scalar.constant(1.0))
    assert x.type.fit(scalar.int64("i"), x) is None
    assert x.type.fit(1j, x) is None
    b = scalar.bool("b")
    assert b.type.fit(1, b) is None
    assert b.type.fit(True, b).equals(scalar.constant(True))


def test_values_eq() -> None:
    t = scalar.float64
    assert t.values_eq(np.nan, np.nan) and not t.values_eq(1.0, 1.1)
    assert t.values_eq_approx(1.0, 1.0 + 1e-12) and not t.values_eq_approx(1.0, 1.1)


@given(st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.integers(-(2**63), 2**63 - 1))
def test_preserved_values_come_back(source: str, target: str, number: int) -> None:
    data = np.array(number % 256, "int64").astype(source)
    converted = converted_exactly(data, target)
    if can_cast_exactly(source, target):
        assert converted is not None
    if converted is not None:
        assert converted.dtype == target
        assert converted == data


@pytest.mark.parametrize(
    ("number", "source", "target"),
    [
        (-1, "int8", "uint8"),
        (-1, "int64", "uint64"),
        (200, "uint8", "int8"),
        (-1, "int8", "uint64"),
    ],
)
def test_an_integer_that_wraps_around_is_not_preserved(
    number: int, source: str, target: str
) -> None:
    assert converted_exactly(np.array([1, number], source), target) is None


def test_dtypes() -> None:
    assert check_dtype(float) == "float64"
    assert result_dtype("uint16", "int16", "float32") == "float32"
    assert weak_dtype(float, ("float32",)) == "float32"
    assert weak_dtype(float, ("int8",)) == "float64"
    assert weak_dtype(int, ("bool",)) == "int64"
    assert not can_cast_exactly("int64", "float64")
    assert can_cast_exactly("int32", "float64")
    assert not can_cast_exactly("complex64", "float64")


def test_complex_numbers_with_a_nan_differ_in_the_other_part() -> None:
    values = [complex(np.nan, 0), complex(np.nan, 1), complex(np.inf, np.nan), complex(0, np.nan)]
    assert len({value_bits(np.complex128(v)) for v in values}) == len(values)
    assert value_bits(np.complex128(complex(-np.nan, 1))) == value_bits(np.complex128(values[1]))
    array = np.array(values)
    assert value_bits(array[::-1]) == b"".join(value_bits(v) for v in array[::-1])


# What represents a dtype, and what doesn't.

x = at.dvector("x")
DENOTED = [
    (float, "float64"),
    (int, np.dtype(int).name),
    (bool, "bool"),
    (complex, "complex128"),
    (np.float32, "float32"),
    (np.dtype("int16"), "int16"),
    ("f4", "float32"),
    (">f8", "float64"),
    ("floatX", "float64"),
    (get_scalar_type("float32"), "float32"),
    (at.TensorType("int8", (None, 2)), "int8"),
]
CONVERSIONS = {
    "astype": lambda dtype: x.astype(dtype),
    "cast": lambda dtype: at.cast(x, dtype),
    "Cast": lambda dtype: at.Elemwise(scalar.Cast(dtype))(x),
    "zeros": lambda dtype: at.zeros((2,), dtype=dtype),
    "ones_like": lambda dtype: at.ones_like(x, dtype=dtype),
    "arange": lambda dtype: at.arange(3, dtype=dtype),
    "tensor": lambda dtype: at.tensor(dtype, (None,)),
}


@pytest.mark.parametrize("name", CONVERSIONS)
@pytest.mark.parametrize(("dtype", "wanted"), DENOTED, ids=str)
def test_what_stands_for_a_dtype(name, dtype, wanted):
    assert CONVERSIONS[name](dtype).type.dtype == wanted


@pytest.mark.parametrize("name", CONVERSIONS)
@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("nope", "'nope' is not a dtype"),
        ("", "'' is not a dtype"),
        (3.0, r"3\.0 is not a dtype"),
        (np.floating, "is not a dtype"),
        (["f4"], "is not a dtype"),
        (np.zeros(2), "is not a dtype"),
        (scalar.Cast("float32"), r"cast\{float32\} is not a dtype"),
        (np, "is not a dtype"),
        (x, "x is a variable, not a dtype; its type is TensorType"),
        (object, "no variable has dtype object"),
        (np.longdouble, "no variable has dtype"),
        (at.TensorType, "is not a dtype"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_is_no_dtype(name, dtype, text):
    with pytest.raises(TypeError, match=text):
        CONVERSIONS[name](dtype)

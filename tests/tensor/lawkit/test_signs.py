"""What ops tell of signs."""

import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.guards.signs import is_nonnegative, is_positive

x, i = at.dvector("x"), at.TensorType("int8", (None,))("i")


@pytest.mark.parametrize(
    "v", [at.sqr(x), at.abs(x), at.exp(x), at.sqr(x) * at.sqrt(x), at.maximum(x, 0), i > 0]
)
def test_never_negative(v):
    assert is_nonnegative(v)


@pytest.mark.parametrize(
    "v", [x, -at.exp(x), at.log(x), i, at.abs(i), at.sqr(i), at.sqr(i) + at.abs(i)]
)
def test_may_be_negative(v):
    """The least int8 is -128, and so is its absolute value; squares wrap around."""
    assert not is_nonnegative(v)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "int64"])
def test_lengths_and_casts(dtype):
    length = x.shape[0]
    wraps = dtype == "int8"
    assert is_nonnegative(length) and not is_positive(length)
    assert is_nonnegative(at.cast(length, dtype)) is not wraps
    assert not is_nonnegative(at.cast(i, dtype))


def test_a_small_number_is_zero_in_fewer_digits():
    assert is_positive(at.cast(1 + at.exp(at.fvector()), "float64"))
    assert not is_positive(at.cast(1 + at.exp(x), "float32"))


def test_positive():
    assert is_positive(1 + at.exp(x))
    assert is_positive(at.cosh(x))
    assert not is_positive(at.exp(x))

"""What ops tell of signs."""

import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.guards import is_nonnegative, is_positive

x, i = at.dvector("x"), at.TensorType("int8", (None,))("i")
k, u = at.lvector("k"), at.vector("u", dtype="uint8")


@pytest.mark.parametrize(
    "v",
    [
        *(at.sqr(x), at.abs(x), at.exp(x), at.sqr(x) * at.sqrt(x), at.maximum(x, 0), i > 0),
        *(at.exp(x) ** x, (1 + at.sqr(x)) ** x, 2.0**x),
    ],
)
def test_never_negative(v):
    assert is_nonnegative(v)


@pytest.mark.parametrize(
    "v",
    [
        *(x, -at.exp(x), at.log(x), i, at.abs(i), at.sqr(i), at.sqr(i) + at.abs(i)),
        # the root of -0.0 is -0.0, and one by that is minus infinity
        *(x**2.0, at.sqrt(x) ** x),
    ],
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


@pytest.mark.parametrize(
    "var",
    [
        at.sqr(x) + at.exp(x),
        at.sum(at.sqr(x)),
        at.maximum(x, 0),
        abs(x).dimshuffle("x", 0),
        at.sqr(x)[::-1],
        at.switch(x > 0, at.exp(x), 2.0),
        u,
        x > 0,
        at.constant([0.0, 1.0]),
    ],
)
def test_of_these_no_element_is_negative(var):
    assert is_nonnegative(var)


@pytest.mark.parametrize(
    "var",
    [
        x,
        at.exp(x) - 1,
        at.sqr(k) * abs(k),  # wraps around
        at.minimum(x, 0),
        at.exp(x) / at.sqrt(x),  # 1 / sqrt(-0) is -inf
        at.constant([0.0, -1.0]),
        at.zvector("z"),
    ],
)
def test_of_these_the_sign_is_not_known(var):
    assert not is_nonnegative(var)


def test_positive_is_more_than_not_negative():
    assert is_positive(at.exp(x) + 1)
    assert is_positive(at.cosh(x))
    assert not is_positive(at.exp(x))  # underflows
    assert not is_positive(at.constant([0.0]))


def test_deep_terms_are_looked_at_to_a_depth_only():
    var = at.sqr(x)
    for _ in range(5_000):
        var = at.exp(x) + var
    assert not is_nonnegative(var)

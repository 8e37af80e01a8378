"""What the guards of laws know, and what they admit not to know."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded, uniform_value
from relgraph.tensor.lawkit.guards import types as guards
from relgraph.tensor.lawkit.guards.signs import is_nonnegative, is_positive
from relgraph.tensor.lawkit.vocabulary import law, lvars

x = at.dvector("x")
i = at.lvector("i")
u = at.vector("u", dtype="uint8")


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
        at.sqr(i) * abs(i),  # wraps around
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


def test_kinds_of_dtypes():
    assert guards.is_float(x)
    assert not guards.is_float(i)
    assert guards.is_integer(u) and guards.is_unsigned(u) and not guards.is_signed(u)
    assert guards.is_discrete(x > 0) and not guards.is_integer(x > 0)
    assert not guards.is_discrete(x)


def test_what_has_the_shape_of_an_elementwise_result():
    assert guards.broadcasts_like(x, at.constant([2.0]))
    assert not guards.broadcasts_like(at.constant([2.0]), x)


def test_constants_are_seen_through_broadcasting():
    c = at.constant(2.0).dimshuffle("x", "x")
    assert guards.is_constant(c)
    assert uniform_value(c) == 2.0
    assert uniform_value(at.constant([1.0, 2.0])) is None
    assert np.isnan(uniform_value(at.constant([np.nan, np.nan])))


def test_constants_are_folded_in_the_precision_of_their_dtype():
    made = folded(at.add)(at.constant(np.float32(0.1)), at.constant(np.float32(0.2)))
    assert made.data == np.float32(0.1) + np.float32(0.2)
    assert made.type.dtype == "float32"
    wrapped = folded(at.add)(at.constant(np.uint8(200)), at.constant(np.uint8(100)))
    assert wrapped.data == 44


def test_what_is_no_constant_is_not_folded():
    with pytest.raises(TypeError, match="x is not a constant"):
        folded(at.add)(x, x)


def test_a_law_with_a_guard_and_a_computed_constant():
    a, b, y, c = lvars("a b y c")
    together = law(
        "add-constants",
        (y + a) + b,
        y + c,
        guards.constanto(a),
        guards.constanto(b),
        guards.computo(c, folded(at.add), a, b),
        sound="rounding",
    )
    var = (x + 2.0) + 3.0
    (new,) = together.forward.transform(None, var.owner)
    assert any(uniform_value(v) == 5.0 for v in new.owner.inputs)
    assert together.forward.transform(None, ((x + x) + 3.0).owner) is False

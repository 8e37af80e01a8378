"""Constants made of constants."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.kanren import computo
from relgraph.tensor.lawkit.constant_arithmetic import (
    constants_folded,
    folded,
    folded_within_limits,
    reciprocal_of,
)
from relgraph.tensor.lawkit.guards import constant_number, constanto
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y = at.dvectors("x", "y")


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
    a, b, z, c = lvars("a b z c")
    together = law(
        "add-constants",
        (z + a) + b,
        z + c,
        constanto(a),
        constanto(b),
        computo(c, folded(at.add), a, b),
        sound="rounding",
    )
    var = (x + 2.0) + 3.0
    (new,) = together.forward.transform(None, var.owner)
    assert any(constant_number(v) == 5.0 for v in new.owner.inputs)
    assert together.forward.transform(None, ((x + x) + 3.0).owner) is False


def test_a_reciprocal_has_the_dtype():
    third = reciprocal_of(at.constant(np.float32(3)))
    assert third.data == np.float32(1) / np.float32(3)
    assert third.type.dtype == "float32"


def test_constants_come_together():
    together = constants_folded(at.add)
    whole, rest = together((x, at.constant(2.0), at.constant(3.0)))
    assert whole.data == 5.0
    assert rest is x
    assert together((x, at.constant(2.0))) is None
    assert together((at.constant(2.0), at.constant(3.0))) is None
    assert together((x, at.constant(np.int8(100)), at.constant(np.int8(100)))) is None
    tall, wide = np.ones((200, 1)), np.ones((1, 200))
    assert together((at.dmatrix(), at.constant(tall), at.constant(wide))) is None


def test_what_overflows_is_not_folded():
    most = at.constant(1e308)
    assert folded_within_limits(at.add, [most, most]) is None
    assert folded_within_limits(at.add, [at.constant(np.inf), most]).data == np.inf

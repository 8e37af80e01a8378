"""Shared variables."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function, shared
from relgraph.tensor.type import TensorType


def test_type_follows_the_value() -> None:
    assert shared(np.zeros((2, 3), "float32")).type is TensorType("float32", (None, None))
    assert shared(1).type is TensorType("int64", ())
    assert shared(True).type is TensorType("bool", ())
    assert shared([1.0, 2.0], "s").name == "s"
    assert str(shared(1.0, "s")) == "s"


def test_values_are_copied_unless_borrowed() -> None:
    value = np.zeros(2)
    s = shared(value, "s")
    value[0] = 1
    assert s.get_value()[0] == 0
    s.get_value()[0] = 5
    assert s.get_value()[0] == 0
    s.get_value(borrow=True)[0] = 5
    assert s.get_value()[0] == 5
    s.set_value(value)
    value[0] = 7
    assert s.get_value()[0] == 1
    s.set_value(value, borrow=True)
    value[0] = 8
    assert s.get_value()[0] == 8


def test_values_are_checked() -> None:
    s = shared(np.zeros(2, "float32"), "s")
    with pytest.raises(TypeError, match=r"the value of s: expected .*, not a matrix of"):
        s.set_value(np.zeros((2, 2), "float32"))
    with pytest.raises(TypeError, match="the value of s"):
        s.set_value(np.zeros(2))
    s.set_value([1, 2])
    assert s.get_value().dtype == "float32"
    wide = shared(np.zeros(2, "float32"), allow_downcast=True)
    wide.set_value(np.ones(2))
    assert wide.get_value()[0] == 1
    strict = shared([1.0], strict=True)
    with pytest.raises(TypeError, match="strictly"):
        strict.set_value([2.0])


def test_what_can_be_shared() -> None:
    with pytest.raises(TypeError, match="x is symbolic"):
        shared(at.dvector("x"))
    with pytest.raises(TypeError, match="holds numbers, not 'text'"):
        shared("text")


def test_every_function_sees_the_value() -> None:
    s = shared(1.0, "s")
    f, g = function([], s * 2), function([], s.clone() * 3)
    s.set_value(10.0)
    assert (f(), g()) == (20, 30)
    s.set_value(np.array(4.0))
    assert s.eval() == 4


def test_a_default_update_can_be_taken_away() -> None:
    s = shared(1.0, "s")
    s.default_update = s + 1
    del s.default_update
    assert s.default_update is None
    assert function([], s)() == function([], s)() == 1
    s.default_update = s + 1
    assert function([], s)() == 1
    assert s.get_value() == 2

"""Nothing is modified, and nothing shared, that was not declared so."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import In, Mode, Out, function, shared
from relgraph.compile.io import DeepCopyOp
from relgraph.tensor.elemwise import Elemwise

add_inplace = Elemwise(at.add.scalar_op, {0: 0})
modes = pytest.mark.parametrize("mode", [Mode("py", None), Mode("vm", None), None])


def copies(f: Any) -> int:
    return sum(isinstance(node.op, DeepCopyOp) for node in f.maker.fgraph.apply_nodes)


def test_no_needless_copies() -> None:
    x, a = at.dvector("x"), shared(np.ones(2), "a")
    assert copies(function([x], [x + 1, x * 2])) == 0
    assert copies(function([x], x[::-1])) == 1
    assert copies(function([], updates={a: a[::-1]})) == 0, "it takes the place of its own storage"
    assert copies(function([], a, updates={a: a * 2})) == 1


@modes
def test_borrowed_results_may_share(mode: Any) -> None:
    x, a = at.dvector("x"), shared(np.ones(2), "a")
    value = np.zeros(2)
    f = function([In(x, borrow=True)], Out(x[::-1], borrow=True), mode)
    assert np.shares_memory(f(value), value)
    g = function([x], Out(x[::-1], borrow=True), mode)
    assert not np.may_share_memory(g(value), value), "the argument was not declared"
    h = function([], Out(a, borrow=True), mode)
    assert h() is a.get_value(borrow=True)
    s = at.exp(x)
    both = function([x], [Out(s, borrow=True), Out(s[::-1], borrow=True)], mode)(value)
    assert np.shares_memory(*both)
    one = function([x], [Out(s, borrow=True), s[::-1]], mode)(value)
    assert not np.may_share_memory(*one)


@modes
def test_only_mutable_arguments_are_overwritten(mode: Any) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    out = add_inplace(x, y)
    value, other = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    f = function([In(x, mutable=True), y], out, mode, accept_inplace=True)
    result = f(value, other)
    np.testing.assert_array_equal(result, [11, 22])
    np.testing.assert_array_equal(value, [11, 22])
    assert not np.may_share_memory(result, value)
    shared_storage = f(value, value)
    np.testing.assert_array_equal(shared_storage, [22, 44])
    with pytest.raises(Exception, match="overwrite"):
        function([x, y], out, mode, accept_inplace=True)
    with pytest.raises(ValueError, match="borrow=False forbids"):
        In(x, mutable=True, borrow=False)


def test_a_mutable_default_is_kept() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    out = add_inplace(x, y)
    f = function([y, In(x, value=[1.0], mutable=True)], out, accept_inplace=True)
    assert [f([5.0])[0], f([5.0])[0]] == [6, 6]


@modes
def test_shared_values_may_be_updated_in_place(mode: Any) -> None:
    a, y = shared(np.array([1.0, 2.0]), "a"), at.dvector("y")
    f = function([y], None, mode, updates={a: add_inplace(a, y)}, accept_inplace=True)
    storage = a.get_value(borrow=True)
    f([10.0, 20.0])
    assert a.get_value(borrow=True) is storage
    np.testing.assert_array_equal(storage, [11, 22])
    f(storage)
    np.testing.assert_array_equal(a.get_value(), [22, 44])

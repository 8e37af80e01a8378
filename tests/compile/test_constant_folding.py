"""Constant folding."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.compile import optimize_graph
from relgraph.compile.database import constant_folding
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.printing import Print
from relgraph.tensor.elemwise import Elemwise


def folded(var: Variable) -> Variable:
    return optimize_graph(var, include=(), custom_opt=constant_folding, clone=False)


def test_folds_all_the_way() -> None:
    x = at.dvector("x")
    c = at.constant([1.0, 2.0])
    out = folded(x + at.exp(c * 2) * 3)
    assert out.owner is not None
    constant = out.owner.inputs[1]
    assert isinstance(constant, Constant)
    np.testing.assert_array_equal(constant.data, np.exp([2.0, 4.0]) * 3)
    assert constant.type.shape == (2,)


def test_a_length_of_one_does_not_begin_to_broadcast() -> None:
    n = at.constant(1, dtype="int64")
    ones = at.alloc(at.constant(5.0), n)
    result = folded(ones)
    assert result.type.broadcastable == ones.type.broadcastable


class Failing(Op):
    """An op that can't be computed."""

    __props__ = ("folds",)

    def __init__(self, folds: bool) -> None:
        self.folds = folds

    def make_node(self, x: Any) -> Apply:
        x = at.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Any) -> None:
        raise ValueError("never")

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        assert not self.folds or fgraph is not None
        return self.folds


def test_what_is_not_folded() -> None:
    for op in (Failing(True), Failing(False), Print("now")):
        var = op(at.constant([1.0]))
        assert folded(var) is var
    large = at.alloc(at.constant(1.0), at.constant(1000), at.constant(1000))
    assert folded(large) is large
    enormous = at.alloc(at.constant(1.0), at.constant(10**7), at.constant(10**8))
    assert folded(enormous) is enormous, "it isn't even tried"
    x = at.dvector("x")
    assert constant_folding.transform(None, (x + 1).owner) is False  # type: ignore[arg-type]


def test_constants_are_not_overwritten() -> None:
    c = at.constant([1.0, 2.0])
    inplace = Elemwise(at.add.scalar_op, {0: 0})
    answer = constant_folding.transform(None, inplace(c, c * 1).owner)  # type: ignore[arg-type]
    assert answer is False, "not all inputs are constants"
    (sum_,) = constant_folding.transform(None, inplace(c, c).owner)  # type: ignore[arg-type, misc]
    np.testing.assert_array_equal(sum_.data, [2, 4])
    np.testing.assert_array_equal(c.data, [1, 2])

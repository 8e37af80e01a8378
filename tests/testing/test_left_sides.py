"""A law that no graph of its own calls matches is reported, with a word on why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.kanren import relation, whereo
from relgraph.graph.op import TypedOp
from relgraph.testing.law_check import why_never_matched

a, b, axis = lvars("a b axis")


class LastAxis(TypedOp):
    """An Op that makes its nodes with another parameter than it was called with, and is silent
    about it: the library's own say it by `relative`."""

    __props__ = ("axis",)

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def make_node(self, *inputs: Any) -> Any:
        (x,) = inputs
        if x.type.ndim == 0:
            raise ValueError("a number has no last axis")
        op: Any = LastAxis(self.axis % x.type.ndim)
        return TypedOp.make_node(op, x)

    def output_types(self, *input_types: Any) -> Sequence[Any]:
        return input_types


@pytest.mark.parametrize(
    "written",
    [
        law("t", at.softmax(a + 1), at.softmax(a), sound="finite"),
        law("t", at.sum(-a, axis=0), -at.sum(a, axis=0), sound="rounding"),
        law("t", at.cumsum(at.flip(a, axis=-1), axis=-1), a, sound="domain"),
        law("t", at.exp(a) & True, a, sound="domain", mixed=True),
        law("t", at.exp(a), a, whereo(lambda v: False, a), sound="domain"),  # only a condition
        law("t", at.sum(at.exp(a), axis=axis), at.sum(a, axis=axis), sound="domain"),  # open
        relation("t")(lambda in_lv, out_lv: whereo(bool, in_lv)),
    ],
)
def test_nothing_is_said_of_others(written: Any) -> None:
    assert why_never_matched(written, "forward") == ""


def test_a_parameter_that_nodes_do_not_have() -> None:
    silent = law("t", LastAxis(-1)(at.exp(a)), LastAxis(-1)(a), sound="rounding")
    why = why_never_matched(silent, "forward")
    assert "no graph that the same calls make is matched" in why
    assert "the law wants" in why and "(?,)" in why
    result = silent.check(examples=20)
    assert result.status == "unchecked"
    assert "no graph that the same calls make is matched" in result.reason


def test_a_call_that_makes_no_node() -> None:
    same = law("t", at.transpose(a, (0, 1)), a)
    assert "is no node: what it builds is a" in why_never_matched(same, "forward")
    result = same.check(examples=20)
    assert not result.passed
    assert "is no node" in result.reason

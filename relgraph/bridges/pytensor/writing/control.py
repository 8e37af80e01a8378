"""Branches, checks, and what is only about gradients or storage, for PyTensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytensor.tensor as pt
from pytensor.gradient import disconnected_grad, zero_grad
from pytensor.printing import Print as PyTensorPrint
from pytensor.raise_op import Assert as PyTensorAssert

from relgraph.bridges.pytensor.names import IfElse as PyTensorIfElse
from relgraph.compile.io import DeepCopyOp
from relgraph.gradient.barriers import GradientBarrier
from relgraph.printing.print_op import Print
from relgraph.tensor.assertion import Assert
from relgraph.tensor.conditional.if_else import IfElse


def branches(writer: Any, node: Any, condition: Any, *values: Any) -> Any:
    return PyTensorIfElse(node.op.count)(condition, *values, return_list=True)


def checked(writer: Any, node: Any, value: Any, *conditions: Any) -> Any:
    return PyTensorAssert(node.op.message)(value, *[pt.all(pt.neq(c, 0)) for c in conditions])


def barrier(writer: Any, node: Any, x: Any) -> Any:
    return zero_grad(x) if node.op.connected else disconnected_grad(x)


TABLE: dict[type, Callable[..., Any]] = {
    IfElse: branches,
    Assert: checked,
    Print: lambda writer, node, x: PyTensorPrint(node.op.message)(x),
    GradientBarrier: barrier,
    DeepCopyOp: lambda writer, node, x: x,
}

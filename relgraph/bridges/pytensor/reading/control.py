"""Branches, checks, graphs within graphs, and what is only about gradients or storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytensor.compile import ops
from pytensor.printing import Print

import relgraph.tensor as at
from relgraph.gradient.barriers import GradientBarrier
from relgraph.printing.print_op import Print as OurPrint
from relgraph.tensor.assertion import Assert as OurAssert
from relgraph.tensor.conditional.if_else import IfElse
from relgraph.tensor.type import TensorType


def branches(reader: Any, node: Any, condition: Any, *values: Any) -> Any:
    """Read an IfElse on tensors; a branch that is no tensor is held."""
    n = node.op.n_outs
    if not all(isinstance(v.type, TensorType) for v in values):
        return None
    return IfElse(n)(condition, *values, return_list=True)


def checked(reader: Any, node: Any, value: Any, *conditions: Any) -> Any:
    """Read an Assert; a check that raises anything but AssertionError stays what it is."""
    if node.op.exc_type is not AssertionError or not conditions:
        return None
    if not isinstance(value.type, TensorType):
        return None
    return OurAssert(node.op.msg)(value, *conditions)


def inlined(reader: Any, node: Any, *inputs: Any) -> Any:
    """Read the graph within an OpFromGraph in its place."""
    inner = node.op.fgraph
    fitting = [
        at.cast(x, v.type.dtype) if _other_dtype(x, v) else x
        for x, v in zip(inputs, inner.inputs, strict=True)
    ]
    return reader.inner(inner, fitting)


def _other_dtype(x: Any, v: Any) -> bool:
    return isinstance(x.type, TensorType) and bool(x.type.dtype != v.type.dtype)


def printed(reader: Any, node: Any, x: Any) -> Any:
    """Read a Print of the value alone."""
    op = node.op
    plain = tuple(op.attrs) == ("__str__",) and op.global_fn is Print("").global_fn
    return OurPrint(op.message)(x) if plain else None


def same(reader: Any, node: Any, x: Any) -> Any:
    """Read an op that is about storage alone; those derived from it are about gradients."""
    return x if type(node.op) in (ops.ViewOp, ops.DeepCopyOp) else None


TABLE: dict[str, Callable[..., Any]] = {
    "conditional.op.IfElse": branches,
    "raise_op.Assert": checked,
    "raise_op.CheckAndRaise": checked,
    "compile.builders.OpFromGraph": inlined,
    "printing.Print": printed,
    "compile.ops.ViewOp": same,
    "compile.ops.DeepCopyOp": same,
    "gradient.DisconnectedGrad": lambda reader, node, x: GradientBarrier(False)(x),
    "gradient.ZeroGrad": lambda reader, node, x: GradientBarrier(True)(x),
}

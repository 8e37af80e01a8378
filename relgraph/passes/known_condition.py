"""An `IfElse` whose branch is known before the run becomes that branch."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import local_optimizer
from relgraph.tensor.conditional.if_else import IfElse


@local_optimizer([IfElse])
def known_condition(fgraph: FunctionGraph, node: Apply) -> list[Variable] | bool:
    """Replace an `IfElse` by the branch taken, if the condition is constant or both are one."""
    op: Any = node.op
    then, other = op.branches(node.inputs)
    condition = node.inputs[0]
    if isinstance(condition, Constant):
        taken = then if condition.data else other
    elif all(a is b for a, b in zip(then, other, strict=True)):
        taken = then
    else:
        return False
    # An axis of length 1 that may be longer in the output must not begin to broadcast.
    same = [
        v.type.broadcastable == out.type.broadcastable
        for v, out in zip(taken, node.outputs, strict=True)
    ]
    return taken if all(same) else False

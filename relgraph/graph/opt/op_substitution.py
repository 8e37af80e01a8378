"""OpSub and OpRemove: local optimizers that replace or remove an Op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt.base import Answer, LocalOptimizer, Tracked

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class OpSub(LocalOptimizer):
    """Replace each application of `op1` by one of `op2` to the same inputs.

    Parameters
    ----------
    op1, op2
        The Op to replace, and its replacement, which makes as many outputs.
    transfer_tags
        Whether the new node and its outputs get the tags of the old ones.
    """

    depth = 1
    # On the nodes that it makes it would do nothing, or go on for ever.
    reentrant = False

    def __init__(self, op1: Op, op2: Op, transfer_tags: bool = True) -> None:
        self.op1 = op1
        self.op2 = op2
        self.inplace = bool(op2.destroy_map)
        self.transfer_tags = transfer_tags

    def tracks(self) -> Sequence[Tracked]:
        return [self.op1.tracked]

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if node.op != self.op1 and not self.op1.makes(node):
            return False
        new: Apply = self.op2.make_node(*node.inputs)
        if self.transfer_tags:
            new.copy_tag_from(node)
            for old_out, new_out in zip(node.outputs, new.outputs, strict=False):
                new_out.copy_tag_from(old_out)
        return new.outputs

    def __str__(self) -> str:
        return self.name or f"{self.op1} -> {self.op2}"


class OpRemove(LocalOptimizer):
    """Replace the outputs of each application of `op` by its inputs, one by one.

    Raises
    ------
    TypeError
        From `transform`, if the node has not as many outputs as inputs.
    """

    depth = 1
    reentrant = False

    def __init__(self, op: Op) -> None:
        self.op = op

    def tracks(self) -> Sequence[Tracked]:
        return [self.op.tracked]

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if node.op != self.op and not self.op.makes(node):
            return False
        if len(node.inputs) != len(node.outputs):
            raise TypeError(
                f"{self.op} can't be removed: it has {len(node.inputs)} inputs and "
                f"{len(node.outputs)} outputs"
            )
        return node.inputs

    def __str__(self) -> str:
        return self.name or f"{self.op}(x) -> x"

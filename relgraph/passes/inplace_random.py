"""The row ``inplace_random``: draws advance the generator that they are given, not a copy of it."""

from __future__ import annotations

from relgraph.graph.basic import Apply
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.utils import InconsistencyError
from relgraph.tensor.random.random_op import RandomOp


class InplaceRandom(GlobalOptimizer):
    """Makes each draw advance its generator in place, if nothing needs the state before it later.

    A generator that is an argument, or a shared variable without an update, keeps its state: the
    graph says by `MutableInputs` which ones may be overwritten.
    """

    inplace = True

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        # both ignore a second one
        fgraph.attach_feature(ReplaceValidate())
        fgraph.attach_feature(DestroyHandler())

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many draws are in place now that were not."""
        changed = 0
        draws = [node for node in fgraph.apply_nodes if isinstance(node.op, RandomOp)]
        for node in draws and fgraph.toposort():
            op = node.op
            if not isinstance(op, RandomOp) or op.inplace:
                continue
            outputs = [out.type.make_variable() for out in node.outputs]
            made = Apply(op.overwriting(), list(node.inputs), outputs)
            pairs = list(zip(node.outputs, made.outputs, strict=True))
            try:
                fgraph.replace_all_validate(pairs, reason="inplace_random")
            except InconsistencyError:
                continue
            changed += 1
        return changed

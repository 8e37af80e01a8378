"""The steps of loops are rewritten as the graphs around them are, by the same optimizers."""

from __future__ import annotations

from relgraph.graph.basic import Apply
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.features.destroy_handler import MutableInputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.passes.loops.open_loop import loops_in
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.type import TensorType


class OptimizeSteps(GlobalOptimizer):
    """Applies an optimizer to the step of each loop of a graph.

    Attributes
    ----------
    optimizer
        The optimizer: what a query that admits this one has given, set by the database.
    """

    optimizer: GlobalOptimizer | None = None

    def bound(self, optimizer: GlobalOptimizer) -> OptimizeSteps:
        """Return a pass like this one that applies an optimizer."""
        made = type(self)()
        made.name = self.name
        made.optimizer = optimizer
        return made

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops have another step now."""
        if self.optimizer is None:
            return 0
        return sum(self._rewrite(fgraph, node) for node in loops_in(fgraph))

    def _rewrite(self, fgraph: FunctionGraph, node: Apply) -> bool:
        op = node.op
        assert isinstance(op, Scan)
        assert self.optimizer is not None
        new = optimized_step(op, self.optimizer)
        if new is op:
            return False
        outputs = [v.type.make_variable() for v in node.outputs]
        made = Apply(new, list(node.inputs), outputs)
        pairs = list(zip(node.outputs, made.outputs, strict=True))
        fgraph.replace_all(pairs, reason=self.name or str(self))
        return True


def optimized_step(op: Scan, optimizer: GlobalOptimizer) -> Scan:
    """Return a loop whose step an optimizer has rewritten.

    A generator that is a state may be advanced in place, since each loop has its own.
    """
    graph = FunctionGraph(op.inputs, op.outputs, clone=True)
    states = range(op.n_sequences, op.n_sequences + op.n_states)
    own = [i for i in states if not isinstance(op.inputs[i].type, TensorType)]
    graph.attach_feature(MutableInputs(own))
    graph.attach_feature(ReplaceValidate())
    optimizer.optimize(graph)
    inputs, outputs = list(graph.inputs), list(graph.outputs)
    for feature in list(graph.features):
        graph.remove_feature(feature)
    return op.changed(inputs=inputs, outputs=outputs)


__all__ = ["OptimizeSteps", "optimized_step"]

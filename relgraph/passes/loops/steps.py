"""The steps of loops are rewritten as the graphs around them are, by the same optimizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.destroyhandler import MutableInputs
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer, SequenceOptimizer
from relgraph.graph.opt.navigators import InSequence
from relgraph.passes.loops.open_loop import loops_in
from relgraph.tensor.costs.never_costlier import NeverCostlier
from relgraph.tensor.loops.scan_op import Scan


class RewriteSteps(InSequence):
    """Applies the sequence that it stands in to the step of each loop of a graph."""

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops have another step now."""
        return 0 if self.sequence is None else rewrite_steps(fgraph, self.sequence)


class RewriteLoops(SequenceOptimizer, InSequence):
    """Changes the loops of a graph, if it has any, by passes.

    What stands before it in its sequence, laws that is, has been applied to the graph. First it is
    applied to the steps, and in the end again to the graph, for what has left a loop.
    """

    def apply(self, fgraph: FunctionGraph) -> Any:
        """Return the record of the passes; None if there is no loop."""
        if not loops_in(fgraph):
            return None
        before = () if self.sequence is None else self.sequence.opts[: self.place]
        rewrite_steps(fgraph, SequenceOptimizer(*before, self))
        record = super().apply(fgraph)
        for opt in before:
            opt.optimize(fgraph)
        return record


def rewrite_steps(fgraph: FunctionGraph, optimizer: GlobalOptimizer) -> int:
    """Apply an optimizer to the steps of the loops of a graph; return how many it has changed."""
    return sum(_rewrite_step(fgraph, node, optimizer) for node in loops_in(fgraph))


def _rewrite_step(fgraph: FunctionGraph, node: Apply, optimizer: GlobalOptimizer) -> bool:
    op = node.op
    assert isinstance(op, Scan)
    watching = [f for f in fgraph.features if isinstance(f, NeverCostlier)]
    new = optimized_step(op, optimizer, watching)
    if new is op:
        return False
    outputs = [v.type.make_variable() for v in node.outputs]
    made = Apply(new, list(node.inputs), outputs)
    fgraph.replace_all(zip(node.outputs, made.outputs, strict=True), reason="loop_steps")
    return True


def optimized_step(
    op: Scan, optimizer: GlobalOptimizer, watching: Sequence[NeverCostlier] = ()
) -> Scan:
    """Return a loop whose step an optimizer has rewritten.

    States may be overwritten, and generators among them advanced, since a loop has its own; what is
    collected of a step is copied before the next one.

    Parameters
    ----------
    watching
        What watches the graph around the loop: the step is watched by its like.
    """
    graph = FunctionGraph(op.inputs, op.outputs, clone=True)
    states = range(op.n_sequences, op.n_sequences + op.n_states)
    graph.attach_feature(MutableInputs(states, range(len(op.outputs))))
    graph.attach_feature(ReplaceValidate())
    inner = [check.clone() for check in watching]
    for check in inner:
        graph.attach_feature(check)
    optimizer.optimize(graph)
    for check in inner:
        check.finish(graph)
    inputs, outputs = list(graph.inputs), list(graph.outputs)
    for feature in list(graph.features):
        graph.remove_feature(feature)
    return op.changed(inputs=inputs, outputs=outputs)

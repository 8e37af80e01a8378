"""What a relation does on nodes with several outputs, as far as it can be told by their op.

Such a node is searched: the relation is asked about the list of its outputs, and about each. That
is in vain if it only asks what computes them, and wants other ops.
"""

from __future__ import annotations

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.staging.partial_evaluation import (
    Relation,
    fails_on,
    partially_evaluate,
)
from relgraph.graph.kanren.staging.tracers import HeadFits, Trace, VariableTracer
from relgraph.graph.op import Op


class WantedOps:
    """The ops that a relation asks for on nodes with several outputs.

    Parameters
    ----------
    relation
        The relation.
    """

    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        # By number of outputs, what it asked for when nothing fitted.
        self._wanted: dict[int, list[Op | type[Op]]] = {}

    def might_match_op(self, node: Apply) -> bool:
        """Return whether some node with the op of `node`, and as many outputs, may have an answer.

        Raises
        ------
        StagingMismatch
            If the relation has an answer on `node` although it has none on tracers.
        """
        count = len(node.outputs)
        if count not in self._wanted:
            asked = self._asked_in_vain(node)
            if asked is None:
                return True
            self._wanted[count] = asked
            return not fails_on(self._relation, node)
        # With the same answers the relation takes the same way.
        return any(_fits(node.op, wanted) for wanted in self._wanted[count])

    def _asked_in_vain(self, node: Apply) -> list[Op | type[Op]] | None:
        """Return which ops the relation asks for; None if one fits, or it asks for something else,
        or has an answer."""
        asked: list[Op | type[Op]] = []
        for trace in [_trace_of_all(node), *map(Trace, node.outputs)]:
            if not partially_evaluate(self._relation, trace).fails:
                return None
            for question, answer in trace.path:
                if not isinstance(question, HeadFits) or answer is not False:
                    return None
                asked.append(question.wanted)
        return asked


def _trace_of_all(node: Apply) -> Trace:
    """Return a trace whose root is the list of the outputs of a node."""
    trace = Trace(node.outputs[0])
    first = len(trace.values)
    trace.values.extend(node.outputs[1:])
    slots = [0, *range(first, len(trace.values))]
    trace.root = [VariableTracer(trace, slot) for slot in slots]
    return trace


def _fits(op: Op, wanted: Op | type[Op]) -> bool:
    return isinstance(op, wanted) if isinstance(wanted, type) else op == wanted

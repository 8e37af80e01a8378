"""A loop of one step becomes that step."""

from __future__ import annotations

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.loops.open_loop import OpenLoop
from relgraph.tensor.type import TensorType


def unroll_one_step(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Put the nodes of the step in the place of a loop that makes one step.

    One with a condition stays: how many rows it collects is not known ahead, and an axis of one row
    would begin to broadcast.
    """
    if loop.stop or not isinstance(loop.steps, Constant) or int(loop.steps.data) != 1:
        return False
    if not all(isinstance(state.inner.type, TensorType) for state in loop.states):
        return False
    stands_for: dict[Variable, Variable] = {part.inner: part.outer[0] for part in loop.sequences}
    stands_for.update((state.inner, state.first) for state in loop.states)
    stands_for.update((part.inner, part.outer) for part in loop.fixed)
    loop.substitute(stands_for)
    for state in loop.states:
        loop.replaced.update((old, state.new) for old in state.last)
    for row in loop.rows:
        array = row.value.dimshuffle("x", *range(row.value.type.ndim))  # type: ignore[attr-defined]
        loop.replaced.update((old, array) for old in row.arrays)
    loop.states, loop.rows = [], []
    return True

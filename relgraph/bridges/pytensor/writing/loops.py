"""Loops, for PyTensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytensor
import pytensor.tensor as pt
from pytensor.scan.utils import until

from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.type import TensorType


def loop(writer: Any, node: Any, steps: Any, *inputs: Any) -> Any:
    """Write a loop over tensors; one that hands on a generator is carried."""
    op = node.op
    if not all(isinstance(v.type, TensorType) for v in op.step.states):
        return None
    outer = op.parts(inputs)

    def step(*given: Any) -> Any:
        results = op.split_results(writer.inner(op.inner_inputs, op.inner_outputs, given))
        made = [*results.states, *results.rows]
        return (made, until(results.stop[0])) if results.stop else made

    traces = pytensor.scan(
        step,
        sequences=outer.sequences,
        outputs_info=[*outer.states, *[None] * op.n_rows],
        non_sequences=outer.fixed,
        n_steps=steps,
        name=op.name,
        strict=True,
        return_list=True,
        return_updates=False,
    )
    # the array of a state begins with the first one, which is the last one if no step is made
    states = [trace.owner.inputs[0] for trace in traces[: op.n_states]]
    rows = [
        trace if kept is None else trace[-kept:]
        for trace, kept in zip(traces[op.n_states :], op.kept, strict=True)
    ]
    made = [*[state[-1] for state in states], *rows]
    return [*made, pt.shape(traces[0])[0]] if op.has_condition else made


TABLE: dict[type, Callable[..., Any]] = {Scan: loop}

__all__ = ["TABLE"]

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
    states, rows = op.results.states, op.results.rows
    own = [row for row in rows if row not in states]

    def step(*given: Any) -> Any:
        made = writer.inner(op.inner_inputs, [*states, *own, *op.results.stop], given)
        return (made[:-1], until(made[-1])) if op.has_condition else made

    traces = pytensor.scan(
        step,
        sequences=outer.sequences,
        outputs_info=[*outer.states, *[None] * len(own)],
        non_sequences=outer.fixed,
        n_steps=steps,
        name=op.name,
        strict=True,
        return_list=True,
        return_updates=False,
    )
    # the array of a state begins with the first one, which is the last one if no step is made
    last = [trace.owner.inputs[0][-1] for trace in traces[: op.n_states]]
    # a state that is collected has its rows in that array
    trace_of = dict(zip([*states, *own], traces, strict=True))
    collected = [
        trace_of[row] if kept is None else trace_of[row][-kept:]
        for row, kept in zip(rows, op.kept, strict=True)
    ]
    made = [*last, *collected]
    return [*made, pt.shape(traces[0])[0]] if op.has_condition else made


TABLE: dict[type, Callable[..., Any]] = {Scan: loop}

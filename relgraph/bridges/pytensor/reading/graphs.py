"""`from_pytensor`: a graph of PyTensor's as one of this library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytensor.graph.basic import Variable as PyTensorVariable
from pytensor.graph.traversal import explicit_graph_inputs

from relgraph.bridges.pytensor.reading.reader import Reader
from relgraph.graph.basic import Variable


def from_pytensor(outputs: Any, inputs: Sequence[Any] | None = None) -> tuple[list[Variable], Any]:
    """Return a graph of PyTensor's as a graph of this library.

    Names and static lengths stay. What has no counterpart is held: its node runs PyTensor's own
    `perform`, and goes back as it was. A shared variable becomes a shared variable with a copy of
    the value that it has now; `to_pytensor` gives PyTensor's own back.

    Parameters
    ----------
    outputs
        A variable of PyTensor's, or a sequence of them.
    inputs
        The variables to take for inputs, whatever computes them. By default all that nothing
        computes and that have no value.

    Returns
    -------
    inputs
        The inputs, a list in the order of `inputs`.
    outputs
        A variable, or a list, as was given.

    Raises
    ------
    TypeError
        If an output is no variable of PyTensor's, or a shared variable has a type that can't be.
    """
    several = isinstance(outputs, list | tuple)
    wanted = list(outputs) if several else [outputs]
    for v in wanted:
        if not isinstance(v, PyTensorVariable):
            raise TypeError(f"from_pytensor: {v!r} is no variable of PyTensor's")
    given = list(dict.fromkeys(explicit_graph_inputs(wanted))) if inputs is None else list(inputs)
    reader = Reader()
    read = reader.read(wanted, given)
    ours = [reader.variable(v) for v in given]
    reader.note_origins(read, ours)
    return ours, read if several else read[0]

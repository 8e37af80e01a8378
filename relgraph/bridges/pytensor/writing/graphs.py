"""`to_pytensor`: a graph of this library as one of PyTensor's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.bridges.pytensor.writing.writer import Writer
from relgraph.graph.basic import Constant, Variable, graph_inputs
from relgraph.graph.shared_values.variable import SharedVariable


def to_pytensor(outputs: Any, inputs: Sequence[Variable] | None = None) -> tuple[list[Any], Any]:
    """Return a graph of this library as a graph of PyTensor's.

    What came from PyTensor by `from_pytensor` and has not changed is the very variable that it
    was. An op that PyTensor has no counterpart of is carried: it runs its own `perform` there, and
    comes back as it was.

    Parameters
    ----------
    outputs
        A variable, or a sequence of them.
    inputs
        The variables to take for inputs. By default all that nothing computes and that have no
        value.

    Returns
    -------
    inputs
        PyTensor's inputs, a list in the order of `inputs`.
    outputs
        A variable of PyTensor's, or a list, as was given.

    Raises
    ------
    TypeError
        If an output is no variable, PyTensor has no such type, or a shared variable is not one of
        PyTensor's.
    """
    several = isinstance(outputs, list | tuple)
    wanted = list(outputs) if several else [outputs]
    for v in wanted:
        if not isinstance(v, Variable):
            raise TypeError(f"to_pytensor: {v!r} is no variable")
    given = _free(wanted) if inputs is None else list(inputs)
    writer = Writer()
    written = writer.write(wanted, given)
    return [writer.variable(v) for v in given], written if several else written[0]


def _free(outputs: Sequence[Variable]) -> list[Variable]:
    leaves = dict.fromkeys(graph_inputs(outputs))
    return [v for v in leaves if not isinstance(v, Constant | SharedVariable)]

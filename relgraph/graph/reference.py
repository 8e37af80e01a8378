"""What a graph means: one `perform` after the other, of what is needed, with nothing optimized; and
the shapes of what a node gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.shared_values import copy_value
from relgraph.graph.utils import MissingInputError


def performed(node: Apply, inputs: Sequence[Any]) -> list[Any]:
    """Return the values of the outputs of a node, computed by the `perform` of its op."""
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, inputs, cells)
    return [cell[0] for cell in cells]


def computed(node: Apply, inputs: Sequence[Any]) -> Sequence[Any]:
    """Return the same where NumPy's warnings are turned off, in half the time for small arrays."""
    op = node.op
    if type(op).perform is not Op.perform:
        return performed(node, inputs)
    found = op.compute(node, *inputs)
    return [found] if len(node.outputs) == 1 else found


def performed_on_copies(node: Apply, inputs: Sequence[Any]) -> list[Any]:
    """Return the same; an input that the op destroys is copied before."""
    destroyed = {i for positions in node.op.destroy_map.values() for i in positions}
    given = [copy_value(x) if i in destroyed else x for i, x in enumerate(inputs)]
    return performed(node, given)


def output_shapes(
    node: Apply, shapes: Sequence[Any], known: Mapping[Variable, Any]
) -> list[tuple[int, ...]]:
    """Return the shapes of the outputs of a node: static ones, or those that the op infers.

    The shape of what has none is empty.

    Parameters
    ----------
    shapes
        The shapes of the inputs.
    known
        The values of inputs, as far as they are known.

    Raises
    ------
    MethodNotDefined
        If the op infers no shapes.
    MissingInputError
        If a shape depends on a value that is not known.
    """
    static: list[Any] = [getattr(v.type, "shape", ()) for v in node.outputs]
    if not any(None in shape for shape in static):
        return static
    inferred = node.op.infer_shape(None, node, shapes)
    return [
        tuple(int(evaluate([n], known)[0]) if isinstance(n, Variable) else int(n) for n in found)
        if hasattr(v.type, "shape")
        else ()
        for v, found in zip(node.outputs, inferred, strict=True)
    ]


def evaluate(
    outputs: Sequence[Variable], givens: Mapping[Variable, Any] | None = None
) -> list[Any]:
    """Return the values of `outputs`.

    Parameters
    ----------
    givens
        Values for the variables that the outputs depend on; each passes its type's `filter`. What
        is computed from a given variable is computed from its value, whatever its owner.

    Raises
    ------
    MissingInputError
        If the outputs depend on a variable that is neither given nor a constant.

    Nothing in `givens` is modified, since an op that destroys an input is refused (`ValueError`).
    """
    values: dict[Variable, Any] = {v: v.type.filter(value) for v, value in (givens or {}).items()}
    pending = list(reversed(outputs))
    waits_for: dict[Apply, list[Variable]] = {}
    while pending:
        v = pending[-1]
        node = v.owner
        if v in values:
            pending.pop()
        elif node is None:
            values[v] = _value_of_leaf(v, pending)
        elif wanted := [u for u in node.op.inputs_read(node, values) if u not in values]:
            if waits_for.get(node) == wanted:
                raise ValueError(f"the graph contains a cycle through {node}")
            waits_for[node] = wanted
            pending += reversed(wanted)
        elif node.op.destroy_map:
            raise ValueError(f"{node.op} destroys an input, which the reference does not do")
        else:
            found = performed(node, [values.get(u) for u in node.inputs])
            for out, value in zip(node.outputs, found, strict=True):
                values.setdefault(out, value)
    return [values[v] for v in outputs]


def _value_of_leaf(v: Variable, pending: Sequence[Variable]) -> Any:
    if isinstance(v, Constant):
        return v.data
    users = (u.owner.op for u in reversed(pending) if u.owner is not None and v in u.owner.inputs)
    where = "".join(f", which {op} needs" for op in islice(users, 1))
    raise MissingInputError(f"evaluate: no value was given for {v} ({v.type}){where}", variable=v)

"""What a graph means: one `perform` after the other, in order, with nothing optimized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.graph.utils import MissingInputError


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
    for node in io_toposort(list(values), list(outputs)):
        if node.op.destroy_map:
            raise ValueError(f"{node.op} destroys an input, which the reference does not do")
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        node.op.perform(node, [_value(v, values, node) for v in node.inputs], storage)
        for out, cell in zip(node.outputs, storage, strict=True):
            values.setdefault(out, cell[0])
    return [_value(v, values, None) for v in outputs]


def _value(v: Variable, values: dict[Variable, Any], user: Any) -> Any:
    if v in values:
        return values[v]
    if isinstance(v, Constant):
        return v.data
    where = "" if user is None else f", which {user.op} needs"
    raise MissingInputError(f"evaluate: no value was given for {v} ({v.type}){where}", variable=v)

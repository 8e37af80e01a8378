"""Helpers for writing rewriters: `check_chain` and `copy_stack_trace`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op

T = TypeVar("T", Variable, Sequence[Variable])


def check_chain(r: Variable | Apply, *chain: Op | type[Op] | None) -> bool:
    """Whether `r` is computed by a chain of Ops, each reading the next through its first input.

    Parameters
    ----------
    r
        A variable, or a node, whose first output is meant.
    chain
        Ops and Op classes from the outermost inwards. None stands for a variable that no node
        computes.
    """
    var: Variable | None = r.outputs[0] if isinstance(r, Apply) else r
    for link in chain:
        node = None if var is None else var.owner
        if link is None:
            if node is not None:
                return False
            var = None
            continue
        if node is None:
            return False
        if not (isinstance(node.op, link) if isinstance(link, type) else node.op == link):
            return False
        var = node.inputs[0] if node.inputs else None
    return True


def copy_stack_trace(from_var: Any, to_var: T) -> T:
    """Give `to_var` the places in the user's code (``tag.trace``) that `from_var` comes from.

    Parameters
    ----------
    from_var, to_var
        A variable or several. Each of the new ones gets the places of all the old ones.

    Returns
    -------
    to_var
    """
    sources = [from_var] if isinstance(from_var, Variable) else list(from_var)
    traces: list[Any] = []
    for source in sources:
        for trace in getattr(source.tag, "trace", None) or ():
            if trace not in traces:
                traces.append(trace)
    if traces:
        targets: Sequence[Variable] = [to_var] if isinstance(to_var, Variable) else to_var
        for target in targets:
            own = list(getattr(target.tag, "trace", None) or ())
            target.tag.trace = own + [trace for trace in traces if trace not in own]
    return to_var

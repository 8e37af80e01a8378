"""A replacement: what may take the place of a variable, and what happened when it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg.client_lists import Client


@dataclass(slots=True)
class Replacement:
    """What happened when a variable was replaced, as `Feature.on_replace` is told it.

    Attributes
    ----------
    var, new_var
        What was replaced, and what has taken its place.
    users
        The clients of `var` that are clients of `new_var` now: (node, input index) pairs. The list
        may be the one that the graph keeps: copy it to keep it.
    imported
        The nodes that came in, each after what it reads.
    pruned
        The nodes that went, each before what it read.
    single_use
        Variables that have lost clients and had one left then. Some of them may have gone since,
        and leaves are not always listed.
    reason
        The name of the rewrite, if the caller gave one.
    """

    var: Variable
    new_var: Variable
    users: Sequence[Client]
    imported: Sequence[Apply]
    pruned: Sequence[Apply]
    single_use: Sequence[Variable]
    reason: str | None


def fitted(old: Variable, new: Any) -> Variable:
    """Return `new` as a variable that can take the place of `old`.

    Raises
    ------
    TypeError
        If its type does not fit, and `old.type` can't convert it; the message names both.
    """
    if isinstance(new, Variable) and (old.type is new.type or old.type.is_super(new.type)):
        return new
    try:
        converted: Variable = old.type.filter_variable(new)
    except (TypeError, ValueError) as error:
        kind = new.type if isinstance(new, Variable) else type(new).__name__
        raise TypeError(
            f"{new}, of type {kind}, can't replace {old}, of type {old.type}: {error}"
        ) from error
    return converted


def described(var: Any) -> str:
    """Return `var` and the node that computes it, as text."""
    owner = getattr(var, "owner", None)
    return str(var) if owner is None else f"{var} of {owner}"

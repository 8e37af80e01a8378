"""Copies of graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.traversal import io_toposort

if TYPE_CHECKING:
    from relgraph.graph.basic import Variable


def clone(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool | None = None,
) -> tuple[list[Variable], list[Variable]]:
    """Return copies of the inputs and outputs of a graph, and so of all between them.

    Parameters
    ----------
    copy_inputs
        Copy the inputs too; otherwise the copy shares them.
    copy_orphans
        Copy constants and other variables that are not among the inputs. Like `copy_inputs` if
        None.
    """
    memo = clone_get_equiv(
        inputs, outputs, copy_inputs, copy_inputs if copy_orphans is None else copy_orphans
    )
    return [memo[v] for v in inputs], [memo[v] for v in outputs]


def clone_get_equiv(
    inputs: Iterable[Variable],
    outputs: Iterable[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool = True,
    memo: dict[Any, Any] | None = None,
) -> dict[Any, Any]:
    """Copy a graph; return a dict from each of its variables and nodes to its copy.

    Parameters
    ----------
    memo
        Where to note the copies; what it maps already is not copied again.
    """
    same_types = memo is None
    memo = {} if memo is None else memo
    for var in inputs:
        if var not in memo:
            memo[var] = var.clone() if copy_inputs else var
    outputs = list(outputs)
    for node in io_toposort(memo, outputs):
        if node in memo:
            continue
        inputs = []
        for var in node.inputs:
            known = memo.get(var)
            if known is None:
                known = memo[var] = var.clone() if copy_orphans else var
            inputs.append(known)
        if same_types:
            copy = node.copy_with_inputs(inputs)
        else:
            copy = node.clone_with_new_inputs(inputs)
        memo[node] = copy
        for old, new in zip(node.outputs, copy.outputs, strict=True):
            if old not in memo:
                new.name = old.name
                memo[old] = new
    for var in outputs:
        if var not in memo:
            memo[var] = var.clone() if copy_orphans else var
    return memo


def clone_replace(
    output: Variable | Sequence[Variable],
    replace: Mapping[Variable, Variable] | Iterable[tuple[Variable, Variable]] | None = None,
) -> Any:
    """Return a copy of a graph in which some variables are replaced.

    Parameters
    ----------
    output
        One output or several; what comes back has the same form.
    replace
        From variables to what stands in their place. A replacement is used as it is, not copied.

    Raises
    ------
    TypeError
        If a replacement does not fit the type of what it replaces.
    """
    pairs = dict({} if replace is None else replace)
    memo: dict[Any, Any] = {
        old: old.type.filter_variable(new, allow_convert=True) for old, new in pairs.items()
    }
    outs = list(output) if isinstance(output, Sequence) else [output]
    clone_get_equiv([], outs, copy_inputs=False, copy_orphans=False, memo=memo)
    new_outs = [memo[out] for out in outs]
    return new_outs if isinstance(output, Sequence) else new_outs[0]

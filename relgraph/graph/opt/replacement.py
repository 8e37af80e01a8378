"""Reading the answer of a local optimizer, and making the replacements that it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.opt.base import LocalOptimizer, describe, display_name

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


# (old, new)
Pairs: TypeAlias = list[tuple[Variable, Variable]]


def read_answer(
    fgraph: FunctionGraph, node: Apply, rewriter: LocalOptimizer, answer: Any
) -> tuple[Pairs, list[Apply]] | None:
    """Return what the answer of `rewriter` for `node` asks to replace; None if nothing.

    Each replacement is fitted to the type of the variable that it replaces. A replacement by the
    same op on the same inputs changes nothing.

    Returns
    -------
    pairs, remove
        Pairs of a variable and its replacement, and the nodes that must have left the graph
        afterwards.

    Raises
    ------
    TypeError
        If the answer is neither False, a sequence nor a dict, or a replacement does not fit.
    ValueError
        If a list is not as long as the node has outputs, or has None for an output that is used,
        or if a dict replaces a variable that is not in the graph.
    """
    if answer is False or answer is None:
        return None
    if type(answer) is list and len(answer) == 1 and len(node.outputs) == 1:
        old, new = node.outputs[0], answer[0]
        if isinstance(new, Variable) and new.type is old.type:
            if new is old or (new.head is old.head and _is_same_application(old, new)):
                return None
            return [(old, new)], []
    remove: list[Apply] = []
    wanted: Iterable[tuple[Any, Any]]
    if isinstance(answer, dict):
        wanted = [(old, new) for old, new in answer.items() if old != "remove"]
        remove = _nodes(answer.get("remove", ()))
        _check_known(fgraph, rewriter, node, [old for old, _ in wanted])
    elif isinstance(answer, Sequence) and not isinstance(answer, str):
        wanted = _by_output(fgraph, node, rewriter, answer)
    else:
        raise TypeError(
            f"{display_name(rewriter)} answered {answer!r} for {describe(node)}; expected False, "
            "a list of variables or a dict"
        )
    pairs = [(old, _fitted(old, new, rewriter, node)) for old, new in wanted if new is not old]
    if not pairs and not remove:
        return None
    if not remove and all(_is_same_application(old, new) for old, new in pairs):
        return None
    return pairs, remove


def _by_output(
    fgraph: FunctionGraph, node: Apply, rewriter: LocalOptimizer, answer: Sequence[Any]
) -> list[tuple[Variable, Any]]:
    if len(answer) != len(node.outputs):
        raise ValueError(
            f"{display_name(rewriter)} answered with {len(answer)} replacements for "
            f"{describe(node)}, which has {len(node.outputs)} outputs"
        )
    pairs = []
    for old, new in zip(node.outputs, answer, strict=True):
        if new is not None:
            pairs.append((old, new))
        elif fgraph.clients.get(old):
            raise ValueError(
                f"{display_name(rewriter)} gave no replacement for output {old.index} of "
                f"{describe(node)}, which is used"
            )
    return pairs


def _nodes(items: Iterable[Any]) -> list[Apply]:
    """Return some nodes, and the nodes that compute some variables."""
    nodes = [item if isinstance(item, Apply) else item.owner for item in items]
    return [node for node in nodes if node is not None]


def _check_known(
    fgraph: FunctionGraph, rewriter: LocalOptimizer, node: Apply, olds: Iterable[Any]
) -> None:
    for old in olds:
        if not isinstance(old, Variable) or old not in fgraph.variables:
            raise ValueError(
                f"{display_name(rewriter)} replaces {old} for {describe(node)}, but it is not a "
                "variable of the graph"
            )


def _fitted(old: Variable, new: Any, rewriter: LocalOptimizer, node: Apply) -> Variable:
    fitted = new if isinstance(new, Variable) and new.type is old.type else old.type.fit(new, old)
    if fitted is None:
        raise TypeError(
            f"{display_name(rewriter)} replaces {old} of {describe(node)}, of type {old.type}, "
            f"by {new} of type {getattr(new, 'type', type(new).__name__)}, which does not fit"
        )
    assert isinstance(fitted, Variable)
    return fitted


def _is_same_application(old: Variable, new: Variable) -> bool:
    """Return whether two variables are the same output of one op on the same inputs."""
    a, b = old.owner, new.owner
    if a is None or b is None or a.op is not b.op or old.index != new.index:
        return False
    return (
        len(a.inputs) == len(b.inputs)
        and all(x is y for x, y in zip(a.inputs, b.inputs, strict=True))
        and old.type == new.type
    )


def apply_replacement(
    fgraph: FunctionGraph, pairs: Pairs, remove: list[Apply], reason: str
) -> None:
    """Make some replacements, and validate them if a feature validates.

    If either fails, the graph stays as it was. It must have the feature ReplaceValidate.
    """
    if len(pairs) == 1 and not remove and not fgraph.listens("validate"):
        old, new = pairs[0]
        fgraph.replace(old, new, reason)
    elif remove:
        fgraph.replace_all_validate_remove(pairs, remove, reason=reason, warn=False)
    else:
        fgraph.replace_all_validate(pairs, reason=reason)

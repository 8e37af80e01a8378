"""Graphs as algebra, written as laws are: ``log(1 / (1 + exp(-x)))``, and no more than a line."""

from __future__ import annotations

from collections.abc import Sequence

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation.operators import (
    ATOM,
    INFIX,
    PREFIX,
    Infix,
    as_infix,
    held,
    side_of_sign,
)

CUT = "…"
_DEEPEST = 24
_MOST_ARGUMENTS = 8


def algebra(var: Variable, limit: int = 72) -> str:
    """Return `var` as algebra with no more parentheses than it needs.

    What a node computes is written out even where it has a name. Where that takes more than
    `limit` characters, the parts that are furthest down are left out, as ``…``.
    """
    text = ""
    for depth in range(1, _DEEPEST):
        writer = _Writer()
        longer = writer.write(var, depth, 0)
        if text and len(longer) > limit:
            break
        text = longer
        if not writer.cut:
            break
    return text


class _Writer:
    """Writes down to some depth, and notes whether that left something out."""

    def __init__(self) -> None:
        self.cut = False

    def write(self, var: Variable, depth: int, outer: int) -> str:
        """Write `var` into the surroundings of an operator that binds with the strength `outer`."""
        turned = ""
        while var.owner is not None and (seen := _reordered(var.owner)) is not None:
            turned, var = seen + turned, var.owner.inputs[0]
        if turned:
            return self.write(var, depth, ATOM) + turned
        node = var.owner
        if node is None:
            leaf = _leaf(var)
            return held(leaf, PREFIX if leaf.startswith("-") else ATOM, outer)
        if depth == 0:
            self.cut = True
            return CUT
        name = str(node.op)
        if name in INFIX and len(node.inputs) > 1:
            sign = INFIX[name]
            text = as_infix(name, self._parts(node.inputs, depth - 1, sign))
            return held(text, sign.precedence, outer)
        if name == "neg" and len(node.inputs) == 1:
            (arg,) = node.inputs
            side = side_of_sign("" if arg.owner is None else str(arg.owner.op))
            text = f"-{self.write(arg, depth - 1, side)}"
            return held(text, PREFIX, outer)
        return self._call(node, var, name, depth)

    def _parts(self, inputs: Sequence[Variable], depth: int, sign: Infix | None) -> list[str]:
        shown = inputs if len(inputs) <= _MOST_ARGUMENTS else inputs[: _MOST_ARGUMENTS - 1]
        sides = [0 if sign is None else sign.side(i) for i in range(len(shown))]
        parts = [self.write(v, depth, side) for v, side in zip(shown, sides, strict=True)]
        if len(shown) < len(inputs):
            # no depth would show them: nothing to gain from going further
            parts.append(CUT)
        return parts

    def _call(self, node: Apply, var: Variable, name: str, depth: int) -> str:
        which = f".{var.index}" if len(node.outputs) > 1 else ""
        arguments = self._parts(node.inputs, depth - 1, None)
        stem, _, options = name.partition("{")
        if "=" in options:
            name = stem
            arguments.append(options.removesuffix("}"))
        return f"{name}{which}({', '.join(arguments)})"


def _reordered(node: Apply) -> str | None:
    """Return how an op that only adds or permutes axes is written behind its input, or None."""
    order = getattr(node.op, "new_order", None)
    if order is None:
        return None
    kept = [axis for axis in order if axis != "x"]
    if kept == sorted(kept):
        return ""
    return ".T" if kept == list(order) == sorted(kept, reverse=True) else f".dimshuffle{order}"


def _leaf(var: Variable) -> str:
    if var.name is None and isinstance(var, Constant):
        number = var.unique_value()
        return str(var.data if number is None else number).replace("\n", " ")
    return str(var)

"""Nodes whose axes all have a length, for costs that depend on sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.tensor.type import TensorType

DEFAULT_LENGTH = 100
"""What the length of an axis is taken for of which nothing is known."""


class Lengths:
    """Copies of nodes in which every axis has a length.

    Parameters
    ----------
    given
        For inputs, their shapes: a mapping from variables to tuples of ints.
    default
        The length of an axis of which nothing is known, neither given nor inferred.
    """

    def __init__(
        self, given: Mapping[Variable, Sequence[int]] | None = None, default: int = DEFAULT_LENGTH
    ) -> None:
        self._default = default
        self._sized: dict[Variable, Variable] = {}
        for var, shape in (given or {}).items():
            if not isinstance(var.type, TensorType) or len(shape) != var.type.ndim:
                raise ValueError(
                    f"{var} of the type {var.type} can't have the shape {tuple(shape)}"
                )
            kind = TensorType(var.type.dtype, tuple(int(n) for n in shape))
            self._sized[var] = kind.make_variable(var.name)

    def node(self, node: Apply) -> Apply:
        """Return a copy of a node whose inputs and outputs have no open lengths."""
        owner = self.variable(node.outputs[0]).owner
        assert owner is not None
        return owner

    def variable(self, var: Variable) -> Variable:
        """Return the variable that stands for `var`, with all lengths."""
        stack = [var]
        while stack:
            top = stack[-1]
            if top in self._sized:
                stack.pop()
                continue
            missing = [v for v in _inputs(top) if v not in self._sized]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if top.owner is None:
                self._sized[top] = self._leaf(top)
            else:
                outputs = self._outputs(top.owner)
                self._sized.update(zip(top.owner.outputs, outputs, strict=True))
        return self._sized[var]

    def _leaf(self, var: Variable) -> Variable:
        if isinstance(var, Constant) or not isinstance(var.type, TensorType):
            return var
        made: Variable = self._closed(var.type).make_variable(var.name)
        return made

    def _outputs(self, node: Apply) -> list[Variable]:
        inputs = [self._sized[v] for v in node.inputs]
        try:
            types = [out.type for out in node.op.make_node(*inputs).outputs]
        except Exception:  # the lengths contradict each other: the old types are as good as any
            types = [out.type for out in node.outputs]
        made = Apply(node.op, inputs, [self._closed(t).make_variable() for t in types])
        return list(made.outputs)

    def _closed(self, kind: Any) -> Any:
        if not isinstance(kind, TensorType) or None not in kind.shape:
            return kind
        return TensorType(kind.dtype, tuple(self._default if n is None else n for n in kind.shape))


def _inputs(var: Variable) -> Sequence[Variable]:
    return () if var.owner is None else var.owner.inputs

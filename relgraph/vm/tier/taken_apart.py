"""Takes nodes apart into such as are compiled: Composites of many ops, or of some that are not
compiled, and softmaxes. Nodes that overwrite something become such as do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.scalar.composite import Composite
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.math import and_, exp, isinf, log, lt, switch
from relgraph.tensor.reductions.fused_reduction import FusedReduction
from relgraph.tensor.reductions.reduction import CAReduce, restore_axes
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.type import TensorType
from relgraph.vm.tier.operations import operations

MOST_IN_SEGMENT = 300
"""No more operations are compiled together: LLVM takes the longer for each the more there are."""


def taken_apart(
    nodes: Sequence[Apply], exact: bool
) -> tuple[list[Apply], dict[Variable, Variable]]:
    """Return nodes that compute the same, and what stands for each variable.

    Parameters
    ----------
    nodes
        Nodes in order.
    exact
        See `operations`.
    """
    new: dict[Variable, Variable] = {}
    found: list[Apply] = []
    for node in nodes:
        given = [new.get(v, v) for v in node.inputs]
        parts = _parts(node, given, exact)
        if parts is None:
            op = _without_overwriting(node) if operations(node, exact) else node.op
            made = [Apply(op, given, [v.type.make_variable() for v in node.outputs])]
            outputs = made[0].outputs
        else:
            made, outputs = parts
        found += made
        new.update(zip(node.outputs, outputs, strict=True))
    return found, new


def _without_overwriting(node: Apply) -> Any:
    op: Any = node.op
    if not op.destroy_map:
        return op
    if isinstance(op, Elemwise):
        return type(op)(op.scalar_op)
    return type(op)(**{**op.props_dict(), "inplace": False})


def _parts(
    node: Apply, given: Sequence[Any], exact: bool
) -> tuple[list[Apply], list[Variable]] | None:
    """Return the nodes that a node is made of, and their results; None if it stays."""
    op: Any = node.op
    if type(op) in FORMULAS:
        outputs = [FORMULAS[type(op)](op, given[0])]
        made = io_toposort(given, outputs)
        least = len(made)
    else:
        composite = getattr(getattr(op, "elemwise", op), "scalar_op", None)
        if not isinstance(composite, Composite):
            return None
        if (operations(node, exact) or MOST_IN_SEGMENT + 1) <= MOST_IN_SEGMENT:
            return None
        made, outputs = _parts_of_composite(op, composite, given)
        least = (len(made) + 1) // 2
    same = all(
        isinstance(v.type, TensorType) and v.type.broadcastable == out.type.broadcastable
        for v, out in zip(outputs, node.outputs, strict=True)
    )
    compiled = sum(operations(part, exact) is not None for part in made)
    if not same or any(v.owner is None for v in outputs) or compiled < least:
        return None
    return made, outputs


def _parts_of_composite(
    op: Any, composite: Composite, given: Sequence[Variable]
) -> tuple[list[Apply], list[Any]]:
    known: dict[Variable, Variable] = dict(zip(composite.inputs, given, strict=True))
    made = []
    for inner in composite.nodes:
        read = [
            constant(np.asarray(v.data)) if isinstance(v, Constant) else known[v]
            for v in inner.inputs
        ]
        made.append(Elemwise(inner.op).make_node(*read))
        known.update(zip(inner.outputs, made[-1].outputs, strict=True))
    outputs: list[Any] = [known.get(v, v) for v in composite.outputs]
    reductions = op.reductions if isinstance(op, FusedReduction) else []
    for i, reduction in enumerate(reductions):
        if reduction is not None and isinstance(outputs[i].type, TensorType):
            made.append(reduction.make_node(outputs[i]))
            outputs[i] = made[-1].outputs[0]
    return made, outputs


# -- softmaxes ---------------------------------------------------------------------------------


class Largest(CAReduce):
    """The maximum over some axes, a sorted tuple or None for all; minus infinity of nothing."""

    __props__ = ("scalar_op", "axis")

    def __init__(self, axis: tuple[int, ...] | None) -> None:
        super().__init__(scalar.maximum, axis)

    def for_rank(self, ndim: int) -> CAReduce:
        return self

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        found = np.maximum.reduce(inputs[0], axis=self.axis, initial=-np.inf)
        output_storage[0][0] = np.asarray(found)


def _shifted(op: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return what stands for the maximum, 0 where it is not finite; what is left of `x` without it;
    and the axes."""
    axes = op.axes(x.type.ndim)
    largest = Largest(None if len(axes) == x.type.ndim else axes)(x)
    infinite = np.asarray(np.inf, x.type.dtype)
    shift = switch(lt(abs(largest), infinite), largest, np.zeros((), x.type.dtype))
    return shift, x - restore_axes(shift, axes, x.type.ndim), axes


def _softmax(op: Softmax, x: Any) -> Any:
    _, shifted, axes = _shifted(op, x)
    shares = exp(shifted)
    total = sum_(shares, axis=axes, keepdims=True)
    # beside an infinity any finite element has the share 0, however large it is
    beside = and_(isinf(total), lt(shifted, np.asarray(np.inf, x.type.dtype)))
    return switch(beside, np.zeros((), x.type.dtype), shares) / total


def _log_softmax(op: LogSoftmax, x: Any) -> Any:
    _, shifted, axes = _shifted(op, x)
    return shifted - log(sum_(exp(shifted), axis=axes, keepdims=True))


def _logsumexp(op: LogSumExp, x: Any) -> Any:
    shift, shifted, axes = _shifted(op, x)
    return log(sum_(exp(shifted), axis=axes)) + shift


FORMULAS: dict[type[Any], Callable[[Any, Any], Any]] = {
    Softmax: _softmax,
    LogSoftmax: _log_softmax,
    LogSumExp: _logsumexp,
}
"""What computes an op as its `perform` does, by ops that are compiled."""

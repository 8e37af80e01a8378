"""Gradients of scalar ops as gradients of the ops on arrays.

What a scalar op's gradient is made of follows from the dtypes, so it is written down once, as a
list of steps, and every node of the op repeats the steps on its own arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from relgraph.graph.basic import Constant, Variable, io_toposort
from relgraph.graph.type import DisconnectedType
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.op import zero as scalar_zero
from relgraph.scalar.type import get_scalar_type
from relgraph.tensor.basic import constant


class _Step(NamedTuple):
    make_node: Callable[..., Any]
    slots: tuple[int, ...]


class GradientPlan(NamedTuple):
    """How to make the gradients of a node by some of its inputs.

    The slots are numbered: the node's inputs, its outputs, the gradients by these, `constants`,
    and what the steps make.
    """

    constants: list[Any]
    steps: list[_Step]
    results: list[int | None]  # None: the scalar op has no gradient by that input

    def run(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> list[Any]:
        """Return the gradients as graphs over the arrays.

        A gradient has the shape of the outputs, or one that broadcasts to it; it is None for an
        input that the scalar op has none for.
        """
        known = [*inputs, *outputs, *output_grads, *self.constants]
        for make_node, slots in self.steps:
            known += make_node(*[known[slot] for slot in slots]).outputs
        return [None if slot is None else known[slot] for slot in self.results]


def plan_key(
    scalar_op: ScalarOp,
    inputs: Sequence[Any],
    output_grads: Sequence[Any],
    wanted: tuple[int, ...],
    ndim: int,
) -> Hashable:
    """Return what the gradients by the inputs that are `wanted` depend on.

    Nodes of `scalar_op` with equal keys have equal plans.
    """
    return (
        wanted,
        ndim,
        tuple([v.type.dtype for v in inputs]),
        # A gradient that there is none of has no dtype.
        tuple([getattr(g.type, "dtype", None) for g in output_grads]),
        tuple([_value_key(inputs[i]) for i in scalar_op.gradient_reads]),
    )


def _value_key(x: Any) -> Hashable:
    return x.data.flat[0].tobytes() if _is_number(x) else None


def _is_number(x: Any) -> bool:
    return isinstance(x, Constant) and x.unique_value() is not None


def plan_gradients(
    scalar_op: ScalarOp,
    elemwise: Callable[[Any], Any],
    inputs: Sequence[Any],
    output_grads: Sequence[Any],
    wanted: tuple[int, ...],
    ndim: int,
) -> GradientPlan:
    """Return how to make the gradients by the inputs that are `wanted`, element by element.

    Parameters
    ----------
    elemwise
        Makes an op on arrays of each scalar op that the gradients are made of.
    ndim
        The rank of the arrays.
    """
    scalars = [_stand_in(x, i in scalar_op.gradient_reads) for i, x in enumerate(inputs)]
    made = scalar_op.make_node(*scalars)
    given = [_gradient_stand_in(g) for g in output_grads]
    grads = [
        scalar_zero(out) if isinstance(g.type, DisconnectedType) else stand_in
        for g, out, stand_in in zip(output_grads, made.outputs, given, strict=True)
    ]
    found = scalar_op.L_op(scalars, made.outputs, grads)
    leaves = [*scalars, *made.outputs, *given]
    return _compiled(leaves, [found[i] for i in wanted], elemwise, ndim)


def _stand_in(x: Any, by_value: bool) -> Any:
    """Return a scalar variable for the elements of `x`: a constant, if their value is to be seen
    and they are all one number."""
    kind = get_scalar_type(x.type.dtype)
    if by_value and _is_number(x):
        return kind.make_constant(x.data.flat[0])
    return kind.make_variable()


def _gradient_stand_in(g: Any) -> Any:
    dtype = getattr(g.type, "dtype", "float64")
    return get_scalar_type("float64" if is_discrete(dtype) else dtype).make_variable()


def _compiled(
    leaves: Sequence[Variable], results: Sequence[Any], elemwise: Callable[[Any], Any], ndim: int
) -> GradientPlan:
    """Return a plan that makes on arrays of rank `ndim` what the scalar graph `results` is."""
    nodes = io_toposort(leaves, [r for r in results if r is not None])
    slots: dict[Variable, int] = {v: i for i, v in enumerate(leaves)}
    constants: list[Any] = []
    for v in [*[v for node in nodes for v in node.inputs], *results]:
        if isinstance(v, Constant) and v not in slots:
            slots[v] = len(leaves) + len(constants)
            constants.append(constant(v.data, ndim=ndim))
    steps = []
    count = len(leaves) + len(constants)
    for node in nodes:
        steps.append(_Step(elemwise(node.op).make_node, tuple([slots[v] for v in node.inputs])))
        for out in node.outputs:
            slots[out] = count
            count += 1
    return GradientPlan(constants, steps, [None if r is None else slots[r] for r in results])

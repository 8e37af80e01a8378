"""Plans that build the gradients of an `Elemwise` from those of its scalar op.

The graph of a scalar op's gradient depends on the dtypes. So it is made once for some dtypes and
kept as a list of steps; each node of the `Elemwise` repeats the steps with its own tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from relgraph.graph.basic import Constant, Variable, io_toposort
from relgraph.graph.type import DisconnectedType
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.op import zero_like as scalar_zero_like
from relgraph.scalar.type import get_scalar_type
from relgraph.tensor.basic import constant


class _Step(NamedTuple):
    """One node to make: a method that makes it, and the slots of its inputs."""

    make_node: Callable[..., Any]
    slots: tuple[int, ...]


class GradientPlan(NamedTuple):
    """The steps that make the gradients of a node with respect to some of its inputs.

    Slots are numbered in this order: the inputs of the node, its outputs, the gradients with
    respect to its outputs, `constants`, and the outputs of each step.

    Attributes
    ----------
    constants
        The constants that the steps read.
    steps
        The nodes to make, in order.
    results
        The slot of each gradient; None if the scalar op has none.
    """

    constants: list[Any]
    steps: list[_Step]
    results: list[int | None]

    def run(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> list[Any]:
        """Return the gradients of a node.

        Each has the shape of the outputs, or one that broadcasts to it; it is None if the scalar
        op has no gradient with respect to that input.
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
    """Return a key such that nodes of a scalar op with equal keys have equal plans.

    For the parameters see `plan_gradients`.
    """
    return (
        wanted,
        ndim,
        tuple([v.type.dtype for v in inputs]),
        # A disconnected gradient has no dtype.
        tuple([getattr(g.type, "dtype", None) for g in output_grads]),
        tuple([_value_key(inputs[i]) for i in scalar_op.constants_read_by_gradient]),
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
    """Return a plan for the gradients of a node with respect to some of its inputs.

    Parameters
    ----------
    scalar_op
        The scalar op of the node.
    elemwise
        Makes a tensor op of a scalar op: `Elemwise`.
    inputs, output_grads
        The inputs of the node, and the gradients with respect to its outputs.
    wanted
        The positions of the inputs whose gradients are wanted.
    ndim
        The rank of the outputs.
    """
    scalars = [
        _scalar_for(x, i in scalar_op.constants_read_by_gradient) for i, x in enumerate(inputs)
    ]
    node = scalar_op.make_node(*scalars)
    scalar_grads = [_scalar_gradient_for(g) for g in output_grads]
    grads = [
        scalar_zero_like(out) if isinstance(g.type, DisconnectedType) else scalar_grad
        for g, out, scalar_grad in zip(output_grads, node.outputs, scalar_grads, strict=True)
    ]
    found = scalar_op.L_op(scalars, node.outputs, grads)
    leaves = [*scalars, *node.outputs, *scalar_grads]
    return _plan_for_tensors(leaves, [found[i] for i in wanted], elemwise, ndim)


def _scalar_for(x: Any, by_value: bool) -> Any:
    """Return a scalar variable for the elements of `x`.

    It is a constant if the gradient depends on their value, and all are the same number.
    """
    kind = get_scalar_type(x.type.dtype)
    if by_value and _is_number(x):
        return kind.make_constant(x.data.flat[0])
    return kind.make_variable()


def _scalar_gradient_for(g: Any) -> Any:
    """Return a scalar variable for the elements of a gradient."""
    dtype = getattr(g.type, "dtype", "float64")
    return get_scalar_type("float64" if is_discrete(dtype) else dtype).make_variable()


def _plan_for_tensors(
    leaves: Sequence[Variable], results: Sequence[Any], elemwise: Callable[[Any], Any], ndim: int
) -> GradientPlan:
    """Return the plan that makes a graph of tensors of rank `ndim` like a graph of scalars.

    Parameters
    ----------
    leaves, results
        The inputs and outputs of the graph of scalars.
    """
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

"""Gradients of scalar ops as gradients of the ops on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.basic import Constant, Variable, io_toposort
from relgraph.graph.nulls import DisconnectedType
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.op import zero as scalar_zero
from relgraph.scalar.type import get_scalar_type
from relgraph.tensor.basic import constant


def lift_gradients(
    scalar_op: ScalarOp,
    elemwise: Callable[[Any], Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    output_grads: Sequence[Any],
) -> list[Any]:
    """Return the gradients by `inputs` element by element: graphs of the ops that the gradients of
    `scalar_op` are made of, each made an op on arrays by `elemwise`.

    A gradient has the shape of the outputs, or one that broadcasts to it; it is None for an input
    that the scalar op has none for.
    """
    scalars = [_stand_in(x) for x in inputs]
    made = scalar_op.make_node(*scalars)
    grads = [_scalar_gradient(g, out) for g, out in zip(output_grads, made.outputs, strict=True)]
    results = scalar_op.L_op(scalars, made.outputs, grads)
    known: dict[Variable, Any] = {
        **dict(zip(scalars, inputs, strict=True)),
        **dict(zip(made.outputs, outputs, strict=True)),
        **dict(zip(grads, output_grads, strict=True)),
    }
    ndim = outputs[0].type.ndim
    return _lift(results, known, elemwise, ndim)


def _stand_in(x: Any) -> Any:
    """Return a scalar variable for the elements of `x`: a constant, if they are all one number."""
    kind = get_scalar_type(x.type.dtype)
    if isinstance(x, Constant):
        value = x.unique_value()
        if value is not None:
            return kind.make_constant(x.data.flat[0])
    return kind.make_variable()


def _scalar_gradient(g: Any, out: Any) -> Any:
    if isinstance(g.type, DisconnectedType):
        return scalar_zero(out)
    dtype = "float64" if is_discrete(g.type.dtype) else g.type.dtype
    return get_scalar_type(dtype).make_variable()


def _lift(
    results: Sequence[Any], known: dict[Variable, Any], elemwise: Callable[[Any], Any], ndim: int
) -> list[Any]:
    """Return scalar graphs as graphs on arrays.

    Parameters
    ----------
    known
        The arrays that stand for the leaves.
    ndim
        The rank of all of them.
    """
    wanted = [r for r in results if r is not None]
    for node in io_toposort(list(known), wanted):
        args = [_lifted(v, known, ndim) for v in node.inputs]
        lifted = elemwise(node.op)(*args, return_list=True)
        known.update(zip(node.outputs, lifted, strict=True))
    return [None if r is None else _lifted(r, known, ndim) for r in results]


def _lifted(var: Any, known: dict[Variable, Any], ndim: int) -> Any:
    found = known.get(var)
    if found is None:
        found = known[var] = constant(var.data, ndim=ndim)
    return found

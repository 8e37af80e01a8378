"""`Elemwise` and what is made of it: elementwise ops, fused reductions, running totals."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from relgraph.engines.jax.lowering.dispatch import by_perform
from relgraph.engines.jax.lowering.reductions import reduced
from relgraph.engines.jax.lowering.scalars.application import apply_scalar
from relgraph.graph.basic import Apply
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.reductions.fused_reduction import FusedReduction


def elementwise(op: Elemwise, node: Apply, *values: Any) -> Any:
    shape = op.checked_shape(node, values)
    dtypes = [v.type.dtype for v in node.outputs]
    found = [
        x if x.shape == shape else jnp.broadcast_to(x, shape)
        for x in apply_scalar(op.scalar_op, values, dtypes)
    ]
    return found[0] if len(found) == 1 else tuple(found)


def fused_reduction(op: FusedReduction, node: Apply, *values: Any) -> Any:
    shape = op.elemwise.checked_shape(node, values)
    inner: Any = op.elemwise.scalar_op
    dtypes = [v.type.dtype for v in inner.outputs]
    found = [jnp.broadcast_to(x, shape) for x in apply_scalar(inner, values, dtypes)]
    both = zip(found, op.reductions, node.outputs, strict=True)
    return tuple(
        x if reduction is None else reduced(reduction, x, v.type.dtype) for x, reduction, v in both
    )


TABLE: dict[type, Any] = {
    Elemwise: elementwise,
    FusedReduction: fused_reduction,
    DimShuffle: by_perform,
}

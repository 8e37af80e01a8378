"""The ops that draw: a generator is a key of JAX's, two numbers of uint32."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import LoweringError, static
from relgraph.engines.jax.lowering.random.draws import DRAWS
from relgraph.engines.jax.lowering.scalars.loops import as_dtype
from relgraph.graph.basic import Apply
from relgraph.tensor.random.permutations import Permutation, Permuted
from relgraph.tensor.random.random_variable import RandomVariable


def _next_and_own(key: Any) -> tuple[Any, Any]:
    """Return the key for what is drawn later, and that for one draw."""
    both = jax.random.split(jax.random.wrap_key_data(jnp.asarray(key), impl="threefry2x32"))
    return jax.random.key_data(both[0]), both[1]


def random_variable(op: RandomVariable, node: Apply, key: Any, *values: Any) -> Any:
    size = tuple(static(node, 1, values[0]).tolist()) if op.sized else None
    given = values[1:] if op.sized else values
    parameters = op.distribution.parameters
    batches = [x.shape[: x.ndim - len(p.core)] for x, p in zip(given, parameters, strict=True)]
    shape = jnp.broadcast_shapes(*batches) if size is None else size
    out = node.outputs[1].type.dtype
    dtype = np.dtype("float32" if out in ("float16", "float32") else "float64")
    draw = DRAWS.get(op.distribution.name)
    if draw is None:
        raise LoweringError(f"{op} ({type(op).__name__}): JAX has no draw for this distribution")
    arrays = [
        jnp.asarray(x) if p.integer else as_dtype(jnp.asarray(x), dtype)
        for x, p in zip(given, parameters, strict=True)
    ]
    if op.distribution.name == "choice":
        arrays[0] = static(node, 1 + op.sized, given[0])
    later, own = _next_and_own(key)
    return later, as_dtype(draw(own, shape, dtype, *arrays, **dict(op.options)), out)


def permutation(op: Permutation, node: Apply, key: Any, n: Any) -> Any:
    later, own = _next_and_own(key)
    count = max(int(static(node, 1, n)), 0)
    return later, as_dtype(jax.random.permutation(own, count), "int64")


def permuted(op: Permuted, node: Apply, key: Any, x: Any) -> Any:
    later, own = _next_and_own(key)
    return later, jax.random.permutation(own, jnp.asarray(x), axis=op.axis, independent=True)


TABLE: dict[type, Any] = {
    RandomVariable: random_variable,
    Permutation: permutation,
    Permuted: permuted,
}

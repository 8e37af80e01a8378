"""Shapes, views in other shapes, new arrays, joins, and identities.

A shape is known when a graph is traced: it is a NumPy array, and so is what is computed from it.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import by_perform, is_known, static
from relgraph.engines.jax.values import as_dtype, usable
from relgraph.graph.basic import Apply
from relgraph.printing import Print
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.signatures import check_broadcast

SMALL = 64
"""New arrays of known values are known as well, up to this size."""


def make_vector(op: MakeVector, node: Apply, *values: Any) -> Any:
    return jnp.stack([as_dtype(x, op.dtype) for x in values])


def reshape(op: Reshape, node: Apply, x: Any, vector: Any) -> Any:
    return jnp.reshape(x, op.checked_shape(node, x, static(node, 1, vector)))


def alloc(op: Alloc, node: Apply, value: Any, *lengths: Any) -> Any:
    wanted = tuple(int(static(node, 1 + i, n)) for i, n in enumerate(lengths))
    check_broadcast(node, value, wanted, 0, "the shape")
    if is_known(value) and math.prod(wanted) <= SMALL:
        return np.array(np.broadcast_to(value, wanted))
    return jnp.broadcast_to(value, wanted)


def eye(op: Eye, node: Apply, *values: Any) -> Any:
    rows, columns, k = (int(static(node, i, v)) for i, v in enumerate(values))
    if k < -rows or k > columns:
        return jnp.zeros((rows, columns), usable(op.dtype))
    return jnp.eye(rows, columns, k, dtype=usable(op.dtype))


def arange(op: ARange, node: Apply, *limits: Any) -> Any:
    start, stop, step = (static(node, i, v).item() for i, v in enumerate(limits))
    if step == 0:
        raise ValueError(f"arange: step ({node.inputs[2]}) is 0")
    length = max(0, math.ceil((stop - start) / step))
    if length <= SMALL:
        return np.arange(start, stop, step, dtype=op.dtype)
    # as NumPy fills it: from the first two elements, which have the dtype already
    first, second = np.asarray([start, start + step]).astype(op.dtype)
    steps = jax.lax.iota(usable(op.dtype), length)
    return first + steps * (second - first)


def join(op: Join, node: Apply, *values: Any) -> Any:
    op.check_lengths(node, values)
    dtype = node.outputs[0].type.dtype
    return jnp.concatenate([as_dtype(x, dtype) for x in values], axis=op.axis)


def split(op: Split, node: Apply, x: Any, sizes: Any) -> Any:
    stops = op.checked_stops(node, x, static(node, 1, sizes))
    return tuple(jnp.split(x, stops[:-1].tolist(), axis=op.axis))


def printed(op: Print, node: Apply, x: Any) -> Any:
    jax.debug.print("{message} {x}", message=op.message, x=x)
    return x


TABLE: dict[type, Any] = {
    Shape: by_perform,
    Shape_i: by_perform,
    MakeVector: make_vector,
    Reshape: reshape,
    SpecifyShape: by_perform,
    Alloc: alloc,
    Eye: eye,
    ARange: arange,
    Join: join,
    Split: split,
    Print: printed,
}

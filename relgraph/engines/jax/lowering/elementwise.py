"""Elementwise ops, reductions over axes, and what goes along an axis: running totals, sorting and
searching, places of what is not zero, Fourier transforms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from relgraph import scalar
from relgraph.engines.jax.lowering.dispatch import by_perform, on_the_host, static
from relgraph.engines.jax.lowering.scalars import apply_scalar, scalar_function
from relgraph.engines.jax.values import as_dtype, usable
from relgraph.graph.basic import Apply
from relgraph.tensor.along_axes import ArgSort, Cumulate, Recurrence, Sort
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.functions.searching import Digitize, Nonzero, SearchSorted, Unique
from relgraph.tensor.reductions import Argmax, Argmin, CAReduce, FusedReduction

_REDUCED: dict[Any, Callable[..., Any]] = {
    scalar.add: jnp.sum,
    scalar.mul: jnp.prod,
    scalar.maximum: jnp.max,
    scalar.minimum: jnp.min,
    scalar.and_: lambda x, axis: lax.reduce_and(x, axis),
    scalar.or_: lambda x, axis: lax.reduce_or(x, axis),
    scalar.xor: lambda x, axis: lax.reduce_xor(x, axis),
}


def reduced(op: CAReduce, x: Any, dtype: str) -> Any:
    """Return an array reduced as an op does, with a dtype."""
    axes = op.axes(x.ndim)
    kept = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    if 0 in kept:
        return jnp.zeros(kept, usable(dtype))
    x = as_dtype(x, dtype) if op.scalar_op not in (scalar.maximum, scalar.minimum) else x
    function = _REDUCED.get(op.scalar_op)
    if function is None:
        return _folded(op, x, axes, kept, dtype)
    if op.scalar_op in _EXTREMES and x.size == 0:
        raise ValueError(f"{op}: an array of shape {x.shape} has no extreme")
    return as_dtype(function(x, axis=axes), dtype)


_EXTREMES = {scalar.maximum: lax.max, scalar.minimum: lax.min}


def reduction(op: CAReduce, node: Apply, x: Any) -> Any:
    if x.dtype.kind == "c" and op.scalar_op in _EXTREMES:
        return on_the_host(op, node, x)
    return reduced(op, x, node.outputs[0].type.dtype)


def _folded(op: CAReduce, x: Any, axes: tuple[int, ...], kept: tuple[int, ...], dtype: str) -> Any:
    """Return an array reduced one row after the other."""
    function = scalar_function(op.scalar_op, [dtype, dtype])
    if function is None:
        raise NotImplementedError(f"{op} ({type(op).__name__}) has no lowering to JAX")
    rows = jnp.moveaxis(x, axes, range(len(axes))).reshape(-1, *kept)
    if len(rows) == 0:
        return jnp.full(kept, op.ufunc.identity, usable(dtype))
    return lax.fori_loop(1, len(rows), lambda i, t: as_dtype(function(t, rows[i]), dtype), rows[0])


def position(op: Argmax | Argmin, node: Apply, x: Any) -> Any:
    if (x.size if op.axis is None else x.shape[op.axis]) == 0:
        raise ValueError(f"{op}: {node.inputs[0]} has shape {x.shape}: no extreme of nothing")
    if x.dtype == bool:
        x = x.astype("int8")
    if x.dtype.kind == "c":
        return on_the_host(op, node, x)
    function = jnp.argmax if isinstance(op, Argmax) else jnp.argmin
    return as_dtype(function(x, axis=op.axis), "int64")


_RUNNING: dict[Any, Any] = {
    scalar.add: lax.cumsum,
    scalar.mul: lax.cumprod,
    scalar.maximum: lax.cummax,
    scalar.minimum: lax.cummin,
    scalar.logaddexp: lax.cumlogsumexp,
}


def cumulated(op: Cumulate, node: Apply, x: Any) -> Any:
    if x.dtype.kind == "c" and op.scalar_op in _EXTREMES:
        return on_the_host(op, node, x)
    dtype = node.outputs[0].type.dtype
    # JAX has no running extremes of booleans
    found = _RUNNING[op.scalar_op](as_dtype(x, "int8" if dtype == "bool" else dtype), op.axis)
    return as_dtype(found, dtype)


def recurrence(op: Recurrence, node: Apply, factors: Any, terms: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    rows, given = (jnp.moveaxis(as_dtype(v, dtype), op.axis, 0) for v in (terms, factors))
    if len(rows) < 2:
        return jnp.moveaxis(rows, 0, op.axis)

    def step(before: Any, row: Any) -> tuple[Any, Any]:
        factor, term = row
        found = factor * before + term
        return found, found

    _, later = lax.scan(step, rows[0], (given[1:], rows[1:]))
    return jnp.moveaxis(jnp.concatenate([rows[:1], later]), 0, op.axis)


def search_sorted(op: SearchSorted, node: Apply, ordered: Any, wanted: Any) -> Any:
    dtype = np.result_type(ordered.dtype, wanted.dtype)
    found = jnp.searchsorted(as_dtype(ordered, dtype), as_dtype(wanted, dtype), side=op.side)
    return as_dtype(found, "int64")


def digitize(op: Digitize, node: Apply, edges: Any, x: Any) -> Any:
    return as_dtype(jnp.digitize(x, edges, right=op.side == "left"), "int64")


def nonzero(op: Nonzero, node: Apply, x: Any) -> Any:
    return tuple(as_dtype(v, "int64") for v in jnp.nonzero(static(node, 0, x)))


def unique(op: Unique, node: Apply, x: Any) -> Any:
    parts, *places = op.found_by(jnp, static(node, 0, x))
    return (parts, *[as_dtype(v, "int64") for v in places])


def elementwise(op: Elemwise, node: Apply, *values: Any) -> Any:
    shape = op.checked_shape(node, values)
    dtypes = [v.type.dtype for v in node.outputs]
    found = [
        x if x.shape == shape else jnp.broadcast_to(x, shape)
        for x in apply_scalar(op.scalar_op, values, dtypes)
    ]
    return found[0] if len(found) == 1 else tuple(found)


def fused_reduction(op: FusedReduction, node: Apply, *values: Any) -> Any:
    found = elementwise(op.elemwise, op.elemwise.make_node(*node.inputs), *values)
    several = found if isinstance(found, tuple) else (found,)
    both = zip(several, op.reductions, node.outputs, strict=True)
    return tuple(
        x if reduction is None else reduced(reduction, x, v.type.dtype) for x, reduction, v in both
    )


TABLE: dict[type, Any] = {
    CAReduce: reduction,
    Argmax: position,
    Argmin: position,
    Recurrence: recurrence,
    Cumulate: cumulated,
    Sort: lambda op, node, x: jnp.sort(x, axis=op.axis, stable=True),
    ArgSort: lambda op, node, x: as_dtype(jnp.argsort(x, axis=op.axis, stable=True), "int64"),
    SearchSorted: search_sorted,
    Digitize: digitize,
    Nonzero: nonzero,
    Unique: unique,
    Elemwise: elementwise,
    FusedReduction: fused_reduction,
    DimShuffle: by_perform,
}

"""Running totals, sorting and searching, places of what is not zero, Fourier transforms."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from relgraph import scalar
from relgraph.engines.jax.lowering.dispatch import static
from relgraph.engines.jax.lowering.scalars import functions
from relgraph.engines.jax.lowering.scalars.loops import as_dtype
from relgraph.graph.basic import Apply
from relgraph.tensor.along_axes.cumulative import CumprodGradient, Cumulate
from relgraph.tensor.along_axes.recurrences import AlongAxis, Recurrence
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.fft.transforms import DFT
from relgraph.tensor.functions.nonzero import Nonzero
from relgraph.tensor.functions.running import Accumulate
from relgraph.tensor.functions.searching import Digitize, SearchSorted
from relgraph.tensor.functions.sets import Unique

_RUNNING: dict[Any, Any] = {
    scalar.maximum: functions.maximum,
    scalar.minimum: functions.minimum,
    scalar.logaddexp: jnp.logaddexp,
}


def cumulate(op: Cumulate, node: Apply, x: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    function = jnp.cumsum if op.scalar_op is scalar.add else jnp.cumprod
    return function(as_dtype(x, dtype), axis=op.axis)


def accumulate(op: Accumulate, node: Apply, x: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    return lax.associative_scan(_RUNNING[op.scalar_op], as_dtype(x, dtype), axis=op.axis)


def _pair(op: AlongAxis, node: Apply, x: Any, y: Any) -> list[Any]:
    """Return two arrays of one shape in the dtype of the output."""
    if x.shape != y.shape:
        raise ValueError(f"{op}: the inputs have shapes {x.shape} and {y.shape}")
    return [as_dtype(jnp.asarray(v), node.outputs[0].type.dtype) for v in (x, y)]


def recurrence(op: Recurrence, node: Apply, factors: Any, terms: Any) -> Any:
    rows, given = (jnp.moveaxis(v, op.axis, 0) for v in _pair(op, node, terms, factors))
    if len(rows) < 2:
        return jnp.moveaxis(rows, 0, op.axis)

    def step(before: Any, row: Any) -> tuple[Any, Any]:
        factor, term = row
        found = factor * before + term
        return found, found

    _, later = lax.scan(step, rows[0], (given[1:], rows[1:]))
    return jnp.moveaxis(jnp.concatenate([rows[:1], later]), 0, op.axis)


def cumprod_gradient(op: CumprodGradient, node: Apply, x: Any, g: Any) -> Any:
    x, g = _pair(op, node, x, g)
    is_zero = x == 0
    zeros = jnp.cumsum(is_zero, op.axis)
    is_first = is_zero & (zeros == 1)

    def from_the_end(a: Any) -> Any:
        return jnp.flip(jnp.cumsum(jnp.flip(a, op.axis), op.axis), op.axis)

    of_all = from_the_end(g * jnp.cumprod(x, op.axis))
    without = from_the_end(g * jnp.cumprod(jnp.where(is_first, 1, x), op.axis))
    at_first = jnp.where(is_first, without, 0)
    found = jnp.where(zeros == 0, of_all / jnp.where(is_zero, 1, x), at_first)
    return as_dtype(found, node.outputs[0].type.dtype)


def sort(op: Sort, node: Apply, x: Any) -> Any:
    return jnp.sort(x, axis=op.axis, stable=True)


def argsort(op: ArgSort, node: Apply, x: Any) -> Any:
    return as_dtype(jnp.argsort(x, axis=op.axis, stable=True), "int64")


def search_sorted(op: SearchSorted, node: Apply, ordered: Any, wanted: Any) -> Any:
    dtype = np.result_type(ordered.dtype, wanted.dtype)
    found = jnp.searchsorted(as_dtype(ordered, dtype), as_dtype(wanted, dtype), side=op.side)
    return as_dtype(found, "int64")


def digitize(op: Digitize, node: Apply, edges: Any, x: Any) -> Any:
    return as_dtype(jnp.digitize(x, edges, right=op.side == "left"), "int64")


def nonzero(op: Nonzero, node: Apply, x: Any) -> Any:
    return tuple(as_dtype(v, "int64") for v in jnp.nonzero(static(node, 0, x)))


def unique(op: Unique, node: Apply, x: Any) -> Any:
    found = jnp.unique(
        static(node, 0, x),
        return_index=True,
        return_inverse=True,
        return_counts=True,
        equal_nan=op.equal_nan,
    )
    return (found[0], *[as_dtype(v, "int64") for v in found[1:]])


def transform(op: DFT, node: Apply, x: Any) -> Any:
    if x.shape[op.axis] == 0:
        raise ValueError(f"{op}: {node.inputs[0]} has no elements along axis {op.axis}")
    dtype = node.outputs[0].type.dtype
    function = jnp.fft.ifft if op.inverse else jnp.fft.fft
    return function(as_dtype(x, dtype), axis=op.axis, norm=op.norm)


TABLE: dict[type, Any] = {
    Cumulate: cumulate,
    Recurrence: recurrence,
    CumprodGradient: cumprod_gradient,
    Accumulate: accumulate,
    Sort: sort,
    ArgSort: argsort,
    SearchSorted: search_sorted,
    Digitize: digitize,
    Nonzero: nonzero,
    Unique: unique,
    DFT: transform,
}

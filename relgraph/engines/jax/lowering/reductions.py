"""Reductions over axes: sums, extremes, positions of extremes, norms, softmaxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph import scalar
from relgraph.engines.jax.lowering.scalars.application import scalar_function
from relgraph.engines.jax.lowering.scalars.functions import maximum, minimum
from relgraph.engines.jax.lowering.scalars.loops import as_dtype, usable
from relgraph.graph.basic import Apply
from relgraph.tensor.reductions.argmax import Argmax, Argmin
from relgraph.tensor.reductions.norm import Norm
from relgraph.tensor.reductions.pairs import Cosine, Covariance
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax

_REDUCED: dict[Any, Callable[..., Any]] = {
    scalar.add: jnp.sum,
    scalar.mul: jnp.prod,
    scalar.maximum: jnp.max,
    scalar.minimum: jnp.min,
    scalar.and_: lambda x, axis: lax.reduce_and(x, axis),
    scalar.or_: lambda x, axis: lax.reduce_or(x, axis),
    scalar.xor: lambda x, axis: lax.reduce_xor(x, axis),
}


def reduction(op: CAReduce, node: Apply, x: Any) -> Any:
    return reduced(op, x, node.outputs[0].type.dtype)


def reduced(op: CAReduce, x: Any, dtype: str) -> Any:
    """Return an array reduced as an op does, with a dtype."""
    axes = op.axes(x.ndim)
    kept = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    if 0 in kept:
        return jnp.zeros(kept, usable(dtype))
    x = as_dtype(x, dtype) if op.scalar_op not in (scalar.maximum, scalar.minimum) else x
    function = _REDUCED.get(op.scalar_op)
    if function is None or (x.dtype.kind == "c" and op.scalar_op in _EXTREMES):
        return _folded(op, x, axes, kept, dtype)
    if op.scalar_op in _EXTREMES and x.size == 0:
        raise ValueError(f"{op}: an array of shape {x.shape} has no extreme")
    return as_dtype(function(x, axis=axes), dtype)


_EXTREMES = {scalar.maximum: maximum, scalar.minimum: minimum}


def _folded(op: CAReduce, x: Any, axes: tuple[int, ...], kept: tuple[int, ...], dtype: str) -> Any:
    """Return an array reduced one row after the other."""
    function = scalar_function(op.scalar_op, [dtype, dtype])
    if function is None:
        raise NotImplementedError(f"{op} ({type(op).__name__}) has no lowering to JAX")
    rows = jnp.moveaxis(x, axes, range(len(axes))).reshape(-1, *kept)
    if len(rows) == 0:
        return jnp.full(kept, op.ufunc.identity, usable(dtype))
    return lax.fori_loop(1, len(rows), lambda i, t: as_dtype(function(t, rows[i]), dtype), rows[0])


def argmax(op: Argmax, node: Apply, x: Any) -> Any:
    return _position(op, node, x, jnp.argmax)


def argmin(op: Argmin, node: Apply, x: Any) -> Any:
    return _position(op, node, x, jnp.argmin)


def _position(op: Any, node: Apply, x: Any, function: Callable[..., Any]) -> Any:
    if (x.size if op.axis is None else x.shape[op.axis]) == 0:
        raise ValueError(f"{op}: {node.inputs[0]} has shape {x.shape}: no extreme of nothing")
    if x.dtype == bool:
        x = x.astype("int8")
    if x.dtype.kind == "c":
        is_extreme = _is_extreme(op, x, jnp.max if function is jnp.argmax else jnp.min)
        return as_dtype(jnp.argmax(is_extreme, axis=op.axis), "int64")
    return as_dtype(function(x, axis=op.axis), "int64")


def _is_extreme(op: Any, x: Any, extreme: Callable[..., Any]) -> Any:
    """Return where complex numbers are extreme: by real parts, then imaginary ones; nan before."""
    is_nan = jnp.isnan(x)
    first = x.real == extreme(x.real, axis=op.axis, keepdims=True)
    worst = -jnp.inf if extreme is jnp.max else jnp.inf
    imaginary = jnp.where(first, x.imag, worst)
    found = first & (imaginary == extreme(imaginary, axis=op.axis, keepdims=True))
    return jnp.where(is_nan.any(axis=op.axis, keepdims=True), is_nan, found)


def _scaled(x: Any, axis: Any) -> tuple[Any, Any, Any]:
    """Return an array divided by a power of 2 so that its squares are ordinary numbers, the norm of
    that, and the power."""
    largest = jnp.max(jnp.abs(x), axis=axis, keepdims=True, initial=0)
    exponent = jnp.frexp(jnp.where(jnp.isfinite(largest), largest, 1))[1]
    power = jnp.ldexp(jnp.ones_like(largest), exponent - 1)
    small = x / power
    root = jnp.sqrt(jnp.sum(small * small, axis=axis, keepdims=True))
    return small, root, power


def norm(op: Norm, node: Apply, x: Any) -> Any:
    _, root, power = _scaled(x, op.axis)
    return jnp.squeeze(root * power, axis=op.axes(x.ndim))


def _check_shapes(op: Any, x: Any, y: Any) -> None:
    if x.shape != y.shape:
        raise ValueError(f"{op}: the inputs have the shapes {x.shape} and {y.shape}")


def cosine(op: Cosine, node: Apply, x: Any, y: Any) -> Any:
    _check_shapes(op, x, y)
    (x, of_x, _), (y, of_y, _) = _scaled(x, op.axis), _scaled(y, op.axis)
    products = jnp.sum(x * y, axis=op.axis, keepdims=True)
    return jnp.squeeze(products / (of_x * of_y), axis=op.axes(x.ndim))


def covariance(op: Covariance, node: Apply, x: Any, y: Any) -> Any:
    _check_shapes(op, x, y)
    axes = op.axes(x.ndim)

    def average(v: Any) -> Any:
        return jnp.mean(v, axis=axes, keepdims=True)

    of_x, of_y = average(x), average(y)
    found = average((x - of_x) * (y - of_y))
    found = jnp.where(jnp.isfinite(found), found, average(x * y) - of_x * of_y)
    return jnp.squeeze(found, axis=axes)


def _shifted(x: Any, axis: Any) -> tuple[Any, Any, Any]:
    """Return ``x - max(x)``, its exponentials and their sum; an infinite maximum is not
    subtracted."""
    largest = jnp.max(x, axis=axis, keepdims=True, initial=-jnp.inf)
    shift = jnp.where(jnp.isfinite(largest), largest, 0)
    shifted = x - shift
    exponentials = jnp.exp(shifted)
    return shifted, exponentials, jnp.sum(exponentials, axis=axis, keepdims=True)


def softmax(op: Softmax, node: Apply, x: Any) -> Any:
    shifted, shares, total = _shifted(x, op.axis)
    # beside an infinity any finite element has the share 0
    infinite = jnp.isinf(total)
    shares = jnp.where(infinite, jnp.exp(shifted - jnp.where(infinite, total, 0)), shares)
    return shares / total


def log_softmax(op: LogSoftmax, node: Apply, x: Any) -> Any:
    shifted, _, total = _shifted(x, op.axis)
    return shifted - jnp.log(total)


def logsumexp(op: LogSumExp, node: Apply, x: Any) -> Any:
    _, _, total = _shifted(x, op.axis)
    largest = jnp.max(x, axis=op.axis, keepdims=True, initial=-jnp.inf)
    found = jnp.log(total) + jnp.where(jnp.isfinite(largest), largest, 0)
    return jnp.squeeze(found, axis=op.axes(x.ndim))


TABLE: dict[type, Any] = {
    CAReduce: reduction,
    Argmax: argmax,
    Argmin: argmin,
    Norm: norm,
    Cosine: cosine,
    Covariance: covariance,
    Softmax: softmax,
    LogSoftmax: log_softmax,
    LogSumExp: logsumexp,
}

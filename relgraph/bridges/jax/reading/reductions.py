"""Primitives that reduce, run along, or sort an axis, and products."""

from __future__ import annotations

from math import prod
from typing import Any

from jax.lax import Precision

import relgraph.tensor as at
from relgraph.bridges.jax.reading.equation import Equation, Reader, insist
from relgraph.scalar.dtypes import is_complex

_SUMS = {"reduce_sum": at.sum, "reduce_prod": at.prod}
_EXTREMES = {"reduce_max": at.max, "reduce_min": at.min}
_TRUTHS = {"reduce_and": at.all, "reduce_or": at.any}
_PLACES = {"argmax": at.argmax, "argmin": at.argmin}
_RUNNING = {
    **{"cumsum": at.cumsum, "cumprod": at.cumprod},
    **{"cummax": at.cummax, "cummin": at.cummin, "cumlogsumexp": at.logcumsumexp},
}


def _axes(equation: Equation) -> tuple[int, ...]:
    return tuple(int(i) for i in equation["axes"])


def _sum(equation: Equation) -> Any:
    (x,) = equation.inputs
    if not _axes(equation):
        return x
    return _SUMS[equation.primitive](x, axis=_axes(equation), dtype=x.type.dtype)


def _extreme(equation: Equation) -> Any:
    (x,) = equation.inputs
    # of no elements JAX knows an extreme, and NumPy none
    insist(not is_complex(x.type.dtype) and all(x.type.shape[i] for i in _axes(equation)))
    return _EXTREMES[equation.primitive](x, axis=_axes(equation)) if _axes(equation) else x


def _truth(equation: Equation) -> Any:
    (x,) = equation.inputs
    insist(x.type.dtype == "bool")
    return _TRUTHS[equation.primitive](x, axis=_axes(equation)) if _axes(equation) else x


def _place(equation: Equation) -> Any:
    (x,) = equation.inputs
    (axis,) = _axes(equation)
    insist(bool(x.type.shape[axis]) and not is_complex(x.type.dtype))
    return at.cast(_PLACES[equation.primitive](x, axis), str(equation["index_dtype"]))


def _running(equation: Equation) -> Any:
    (x,) = equation.inputs
    axis = int(equation["axis"])
    insist(not is_complex(x.type.dtype) or equation.primitive in ("cumsum", "cumprod"))
    insist(bool(x.type.shape[axis]))
    key = (*[slice(None)] * axis, slice(None, None, -1))
    found = _RUNNING[equation.primitive](x[key] if equation["reverse"] else x, axis)
    return at.cast(found[key] if equation["reverse"] else found, x.type.dtype)


def _sort(equation: Equation) -> Any:
    axis, (key, *others) = int(equation["dimension"]), equation.inputs
    # nan comes last here and there; -0 comes before 0 in JAX alone, and is equal to it
    insist(equation["num_keys"] == 1 and not is_complex(key.type.dtype))
    if not others:
        return [at.sort(key, axis)]
    order = at.argsort(key, axis)
    return [at.take_along_axis(v, order, axis) for v in (key, *others)]


def _dot_general(equation: Equation) -> Any:
    x, y = equation.inputs
    (x_summed, y_summed), (x_batch, y_batch) = [
        [[int(i) for i in axes] for axes in pair] for pair in equation["dimension_numbers"]
    ]
    # products are computed in the highest precision, whatever less was asked for
    precision = equation["precision"]
    insist(precision is None or all(isinstance(p, Precision) for p in precision))
    insist(equation.parameters.get("out_sharding") is None)
    dtype = equation.types[0].dtype
    x, y = (v if v.type.dtype == dtype else at.cast(v, dtype) for v in (x, y))
    insist(dtype != "bool")
    x_free = [i for i in range(x.type.ndim) if i not in (*x_summed, *x_batch)]
    y_free = [i for i in range(y.type.ndim) if i not in (*y_summed, *y_batch)]
    few = len(x_summed) == 1 and len(x_free) <= 1 and len(y_free) <= 1
    if few and not x_batch:
        return at.dot(_ordered(x, [*x_free, *x_summed]), _ordered(y, [*y_summed, *y_free]))
    x = _as_matrices(_ordered(x, [*x_batch, *x_free, *x_summed]), len(x_batch), len(x_free))
    y = _as_matrices(_ordered(y, [*y_batch, *y_summed, *y_free]), len(y_batch), len(y_summed))
    found = at.matmul(x, y)
    return found if found.type.shape == equation.shape else at.reshape(found, equation.shape)


def _ordered(x: Any, order: list[int]) -> Any:
    return x if order == list(range(x.type.ndim)) else x.dimshuffle(*order)


def _as_matrices(x: Any, batch: int, rows: int) -> Any:
    """Return a tensor with one axis in the place of so many, and one in the place of the rest."""
    lengths = x.type.shape
    first, last = lengths[batch : batch + rows], lengths[batch + rows :]
    shape = (*lengths[:batch], prod(first), prod(last))
    return x if shape == lengths else at.reshape(x, shape)


READERS: dict[str, Reader] = {
    **dict.fromkeys(_SUMS, _sum),
    **dict.fromkeys(_EXTREMES, _extreme),
    **dict.fromkeys(_TRUTHS, _truth),
    **dict.fromkeys(_PLACES, _place),
    **dict.fromkeys(_RUNNING, _running),
    "dot_general": _dot_general,
    "sort": _sort,
}

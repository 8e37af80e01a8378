"""Elementwise ops and reductions for PyTensor, and what goes along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytensor.tensor as pt
from pytensor.tensor import special
from pytensor.tensor.elemwise import Elemwise as PyTensorElemwise
from pytensor.tensor.extra_ops import CumOp
from pytensor.tensor.math import Argmax as PyTensorArgmax
from pytensor.tensor.math import Max, Min

from relgraph import scalar
from relgraph.bridges.pytensor.names import present
from relgraph.bridges.pytensor.scalars import THEIRS, bounds_are_ordered
from relgraph.bridges.pytensor.writing.fitting import typed
from relgraph.graph.basic import Constant
from relgraph.graph.traversal import io_toposort
from relgraph.scalar.composite import Composite
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.op import FoldOp
from relgraph.tensor.along_axes.cumulative import Cumulate
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.elemwise.fused_elemwise import FusedElemwise
from relgraph.tensor.reductions.argmax import Argmax, Argmin
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax


def _logaddexp(x: Any, y: Any) -> Any:
    """Return ``log(exp(x) + exp(y))`` such that no exponential overflows."""
    far = pt.maximum(x, y) + pt.log1p(pt.exp(-abs(x - y)))
    return pt.switch(pt.eq(x, y), x + math.log(2), far)


_TO_INTEGERS = (scalar.ceil, scalar.floor, scalar.trunc, scalar.round)
_ON_BITS = (scalar.and_, scalar.or_, scalar.xor)

FORMULAS: dict[Any, Callable[..., Any]] = {
    # PyTensor's own asks for bounds in order, and takes nan for none
    scalar.clip: lambda x, low, high: pt.minimum(pt.maximum(x, low), high),
    scalar.logaddexp: lambda *xs: reduce(_logaddexp, xs),
    scalar.cosm1: lambda x: -2 * pt.sqr(pt.sin(x / 2)),
    scalar.log1p_sqr: lambda x: pt.switch(
        pt.gt(abs(x), 1e8), 2 * pt.log(abs(x)), pt.log1p(pt.sqr(x))
    ),
    scalar.sqr_less_sqr: lambda x, y: (x - y) * (x + y),
    scalar.angle: lambda z: pt.angle(z),
    **{
        ours: theirs
        for theirs, ours in present(
            {f"tensor.special.{name}": ScipyOp(name) for name in ("xlogy", "xlog1py")}
        ).items()
    },
    ScipyOp("owens_t"): lambda h, a: pt.owens_t(h, a),
}
"""Functions that are no op of PyTensor's, as precise as the op of this library."""


def _function_of(op: Any, bools: bool) -> Callable[..., Any] | None:
    """Return what computes a scalar op on tensors of PyTensor's; None if nothing does.

    Parameters
    ----------
    bools
        Whether all inputs are booleans, of which PyTensor has no sums.
    """
    if isinstance(op, scalar.Cast):
        return lambda x: pt.cast(x, op.dtype)
    if bools and op in (scalar.add, scalar.maximum):
        return lambda *xs: reduce(pt.or_, xs)
    if bools and op in (scalar.mul, scalar.minimum):
        return lambda *xs: reduce(pt.and_, xs)
    if op in FORMULAS:
        return FORMULAS[op]
    theirs = THEIRS.get(op)
    if theirs is None:
        return None
    applied: Callable[..., Any] = PyTensorElemwise(theirs)
    if isinstance(op, FoldOp) and op not in (scalar.add, scalar.mul):
        return lambda *xs: reduce(applied, xs)
    return applied


def _apply(op: Any, dtype: str, *inputs: Any) -> Any:
    """Return a scalar op on tensors, or None if PyTensor has no such function."""
    if isinstance(op, FoldOp) and len(inputs) == 1:
        return inputs[0]
    if op in _TO_INTEGERS and is_discrete(dtype):
        return inputs[0]
    if op in _ON_BITS:
        inputs = tuple([pt.cast(x, dtype) for x in inputs])
    if op in FORMULAS and not is_discrete(dtype):
        inputs = tuple([pt.cast(x, dtype) if is_discrete(x.type.dtype) else x for x in inputs])
    function = _function_of(op, all(x.type.dtype == "bool" for x in inputs))
    return None if function is None else typed(function, dtype, *inputs)


def elemwise(writer: Any, node: Any, *inputs: Any) -> Any:
    """Write an Elemwise; a composite is opened."""
    op = node.op.scalar_op
    if op is scalar.clip and bounds_are_ordered(node.inputs[1:]):
        return pt.clip(*inputs)
    if isinstance(op, Composite):
        return _opened(op, inputs)
    return _apply(op, node.outputs[0].type.dtype, *inputs)


def _opened(op: Composite, inputs: tuple[Any, ...]) -> list[Any] | None:
    found: dict[Any, Any] = dict(zip(op.inner_inputs, inputs, strict=True))

    def value(v: Any) -> Any:
        if v not in found:
            assert isinstance(v, Constant)
            found[v] = pt.constant(v.data, dtype=v.type.dtype)
        return found[v]

    for node in io_toposort(op.inner_inputs, op.inner_outputs):
        if isinstance(node.op, Composite):
            made = _opened(node.op, tuple(map(value, node.inputs)))
        else:
            one = _apply(node.op, node.outputs[0].type.dtype, *map(value, node.inputs))
            made = None if one is None else [one]
        if made is None:
            return None
        found.update(zip(node.outputs, made, strict=True))
    return [_of_shape(value(v), inputs) for v in op.inner_outputs]


def _of_shape(made: Any, inputs: tuple[Any, ...]) -> Any:
    """Return an output of a composite, broadcast to the shape of the inputs: it may read a few."""
    for x in inputs:
        if made.type.ndim < x.type.ndim or any(
            n == 1 != m for n, m in zip(made.type.shape, x.type.shape, strict=True)
        ):
            made = pt.second(x, made)
    return made


_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    scalar.add: lambda x, axis, dtype: pt.sum(x, axis, dtype=dtype, acc_dtype=dtype),
    scalar.mul: lambda x, axis, dtype: pt.prod(x, axis, dtype=dtype, acc_dtype=dtype),
    scalar.maximum: lambda x, axis, dtype: Max(axis=axis)(x),
    # `pt.min` of integers is that of their negatives, which wrap around
    scalar.minimum: lambda x, axis, dtype: Min(axis=axis)(x),
}
_OF_BOOLS: dict[Any, Callable[..., Any]] = {
    scalar.maximum: pt.any,
    scalar.minimum: pt.all,
    scalar.or_: pt.any,
    scalar.and_: pt.all,
}


def reduced(writer: Any, node: Any, x: Any) -> Any:
    op = node.op.scalar_op
    if x.type.dtype == "bool" and op in _OF_BOOLS:
        return _OF_BOOLS[op](x, axis=node.op.axis)
    function = _REDUCTIONS.get(op)
    return None if function is None else function(x, node.op.axis, node.outputs[0].type.dtype)


def softmax(writer: Any, node: Any, x: Any) -> Any:
    op = special.LogSoftmax if isinstance(node.op, LogSoftmax) else special.Softmax
    return op(axis=node.op.axis)(x)


def logsumexp(writer: Any, node: Any, x: Any) -> Any:
    """Write the logarithm of a sum such that no exponential overflows, in any mode.

    Read again it is what it was, by the laws on shifted sums and `log-sum-exp-guarded`.
    """
    if 0 in x.type.shape or x.type.ndim == 0:
        return None
    axes = range(x.type.ndim) if node.op.axis is None else node.op.axes(x.type.ndim)
    largest = pt.max(x, axis=tuple(axes))
    total = pt.log(pt.sum(pt.exp(x - pt.expand_dims(largest, tuple(axes))), axis=tuple(axes)))
    return pt.switch(pt.isinf(largest), largest, largest + total)


def argmax(writer: Any, node: Any, x: Any) -> Any:
    axis = node.op.axis
    return PyTensorArgmax(None if axis is None else (axis,))(x)


def argmin(writer: Any, node: Any, x: Any) -> Any:
    """Write the place of the least element as that of the greatest, in reversed order."""
    return argmax(writer, node, pt.invert(x) if is_discrete(x.type.dtype) else -x)


def cumulated(writer: Any, node: Any, x: Any) -> Any:
    modes = {scalar.add: "add", scalar.mul: "mul"}
    if node.op.scalar_op not in modes:
        return None
    return CumOp(node.op.axis, modes[node.op.scalar_op])(pt.cast(x, node.outputs[0].type.dtype))


TABLE: dict[type, Callable[..., Any]] = {
    Elemwise: elemwise,
    FusedElemwise: elemwise,
    CAReduce: reduced,
    Softmax: softmax,
    LogSoftmax: softmax,
    LogSumExp: logsumexp,
    Argmax: argmax,
    Argmin: argmin,
    Cumulate: cumulated,
    Sort: lambda writer, node, x: pt.sort(x, axis=node.op.axis),
    ArgSort: lambda writer, node, x: pt.argsort(x, axis=node.op.axis, kind="stable"),
}

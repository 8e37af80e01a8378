"""Elementwise ops and reductions of PyTensor's, and what goes along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pytensor.graph.basic import Constant as PyTensorConstant
from pytensor.graph.traversal import toposort
from pytensor.scalar import basic, math
from pytensor.tensor import extra_ops, special
from pytensor.tensor import math as reductions
from pytensor.tensor.basic import ScalarFromTensor, TensorFromScalar
from pytensor.tensor.elemwise import CAReduce, Elemwise
from pytensor.tensor.sort import ArgSortOp, SortOp

import relgraph.tensor as at
from relgraph.bridges.pytensor.reading.fitting import typed
from relgraph.bridges.pytensor.scalars import OURS, bounds_are_ordered
from relgraph.graph.basic import Constant
from relgraph.scalar.dtypes import is_discrete, result_dtype
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.type import converted_exactly
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.axes import static_int
from relgraph.tensor.elemwise.elemwise import Elemwise as OurElemwise
from relgraph.tensor.reductions.argmax import Argmax
from relgraph.tensor.reductions.reduction import CAReduce as OurCAReduce
from relgraph.tensor.softmaxes import LogSoftmax, Softmax


def _of(op: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = OurElemwise(op)
    return made


FORMULAS: dict[type, Callable[..., Any]] = {
    basic.Deg2Rad: at.deg2rad,
    basic.Rad2Deg: at.rad2deg,
    basic.RoundHalfAwayFromZero: lambda x: at.sign(x) * at.floor(abs(x) + 0.5),
    math.TriGamma: lambda x: at.polygamma(1, x),
    math.GammaU: lambda k, x: _of(ScipyOp("gammaincc"))(k, x) * _of(ScipyOp("gamma"))(k),
    math.GammaL: lambda k, x: _of(ScipyOp("gammainc"))(k, x) * _of(ScipyOp("gamma"))(k),
    math.Owens_t: _of(ScipyOp("owens_t")),
}
"""Functions that have no op of their own here, by the class of PyTensor's scalar op."""


def _function_of(scalar_op: Any) -> Callable[..., Any] | None:
    """Return what computes a scalar op of PyTensor's on tensors; None if nothing does."""
    if isinstance(scalar_op, basic.Cast):
        return lambda x: at.cast(x, scalar_op.o_type.dtype)
    ours = OURS.get(type(scalar_op))
    return FORMULAS.get(type(scalar_op)) if ours is None else _of(ours)


_ARITHMETIC = (
    *(basic.Add, basic.Sub, basic.Mul, basic.TrueDiv, basic.IntDiv, basic.Mod, basic.Pow),
    *(basic.Maximum, basic.Minimum, basic.LogicalComparison),
)


def _of_one_dtype(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs with integer constants beside floats as floats, which they become anyway.

    PyTensor gives a Python number the smallest integer dtype that holds it; laws are about terms of
    one dtype.
    """
    dtype = result_dtype(*[x.type.dtype for x in inputs])
    if is_discrete(dtype):
        return inputs
    return tuple([_as_float(x, dtype) for x in inputs])


def _as_float(x: Any, dtype: str) -> Any:
    if not isinstance(x, Constant) or not is_discrete(x.type.dtype):
        return x
    exact = converted_exactly(x.data, dtype)
    return x if exact is None else at.constant(exact)


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """Return what PyTensor gives for bounds that may be nan or out of order."""
    return at.switch(x < low, low, at.switch(x > high, high, x))


def _apply(scalar_op: Any, dtype: str, *inputs: Any) -> Any:
    """Return a scalar op of one output on tensors, or None if there is no such function."""
    function = _function_of(scalar_op)
    if function is None:
        return None
    if isinstance(scalar_op, basic.Clip) and not bounds_are_ordered(inputs[1:]):
        function = _clipped
    if isinstance(scalar_op, _ARITHMETIC):
        inputs = _of_one_dtype(inputs)
    return typed(function, dtype, *inputs)


def elemwise(reader: Any, node: Any, *inputs: Any) -> Any:
    """Read an Elemwise; a composite is opened."""
    scalar_op = node.op.scalar_op
    if isinstance(scalar_op, basic.Composite):
        return _opened(scalar_op.fgraph, inputs)
    return _apply(scalar_op, node.outputs[0].type.dtype, *inputs)


def _opened(inner: Any, inputs: tuple[Any, ...]) -> list[Any] | None:
    found = dict(zip(inner.inputs, inputs, strict=True))

    def value(v: Any) -> Any:
        if v not in found:
            assert isinstance(v, PyTensorConstant)
            found[v] = at.constant(np.asarray(v.data, v.type.dtype))
        return found[v]

    for node in toposort(inner.outputs, blockers=list(found)):
        if isinstance(node.op, basic.Composite):
            made = _opened(node.op.fgraph, tuple(map(value, node.inputs)))
        else:
            dtype = node.outputs[0].type.dtype
            one = _apply(node.op, dtype, *map(value, node.inputs))
            made = None if one is None else [one]
        if made is None:
            return None
        found.update(zip(node.outputs, made, strict=True))
    return [_of_shape(value(v), inputs) for v in inner.outputs]


def _of_shape(made: Any, inputs: tuple[Any, ...]) -> Any:
    """Return an output of a composite, broadcast to the shape of the inputs: it may read a few."""
    for x in inputs:
        if made.type.ndim < x.type.ndim or any(
            n == 1 and m != 1 for n, m in zip(made.type.shape, x.type.shape, strict=True)
        ):
            made = at.second(x, made)
    return made


def xlogy(reader: Any, node: Any, x: Any, y: Any) -> Any:
    name = "xlogy" if isinstance(node.op, special.XLogY) else "xlog1py"
    return typed(_of(ScipyOp(name)), node.outputs[0].type.dtype, x, y)


def reduced(reader: Any, node: Any, x: Any) -> Any:
    """Read a reduction: the elements are cast to what they are accumulated in, as PyTensor does."""
    op = node.op
    ours = OURS.get(type(op.scalar_op))
    ufunc = getattr(ours, "ufunc", None)
    if not isinstance(ufunc, np.ufunc) or ufunc.nin != 2:
        return None
    out = node.outputs[0].type.dtype
    accumulated = op.acc_dtype or out
    x = x if x.type.dtype == accumulated else at.cast(x, accumulated)
    return OurCAReduce(ours, op.axis)(x)


def softmax(reader: Any, node: Any, x: Any) -> Any:
    op = LogSoftmax if isinstance(node.op, special.LogSoftmax) else Softmax
    return op(node.op.axis)(x)


def argmax(reader: Any, node: Any, x: Any) -> Any:
    axes = node.op.axis
    if axes is None or len(axes) == x.type.ndim:
        return Argmax(None)(x)
    return Argmax(axes[0])(x) if len(axes) == 1 else None


def cumulated(reader: Any, node: Any, x: Any) -> Any:
    function = at.cumsum if node.op.mode == "add" else at.cumprod
    return at.cast(function(x, node.op.axis), x.type.dtype)


def sorted_along(reader: Any, node: Any, x: Any, axis: Any) -> Any:
    along = static_int(axis)
    if along is None or (isinstance(node.op, ArgSortOp) and node.op.kind not in _STABLE):
        return None
    return (ArgSort if isinstance(node.op, ArgSortOp) else Sort)(along)(x)


_STABLE = ("stable", "mergesort")


def scalar_of(reader: Any, node: Any, x: Any) -> Any:
    """Read the step between a scalar and a tensor of rank 0: here they are one."""
    return x


def scalar_node(reader: Any, node: Any, *inputs: Any) -> Any:
    """Read a node of scalars, outside of any Elemwise."""
    if isinstance(node.op, basic.Composite):
        return _opened(node.op.fgraph, inputs)
    return _apply(node.op, node.outputs[0].type.dtype, *inputs)


TABLE: dict[type, Callable[..., Any]] = {
    Elemwise: elemwise,
    basic.ScalarOp: scalar_node,
    special.XLogY: xlogy,
    special.XLog1PY: xlogy,
    CAReduce: reduced,
    reductions.Argmax: argmax,
    special.Softmax: softmax,
    special.LogSoftmax: softmax,
    extra_ops.CumOp: cumulated,
    SortOp: sorted_along,
    ArgSortOp: sorted_along,
    ScalarFromTensor: scalar_of,
    TensorFromScalar: scalar_of,
}

__all__ = ["FORMULAS", "TABLE"]

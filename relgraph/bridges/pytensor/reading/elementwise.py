"""Elementwise ops and reductions of PyTensor's, and what goes along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pytensor.graph.basic import Constant as PyTensorConstant
from pytensor.graph.traversal import toposort
from pytensor.scalar import basic
from pytensor.tensor import special
from pytensor.tensor.sort import ArgSortOp

import relgraph.tensor as at
from relgraph.bridges.pytensor.names import axis_and_others, present
from relgraph.bridges.pytensor.reading.fitting import typed
from relgraph.bridges.pytensor.scalars import OURS, bounds_are_ordered
from relgraph.graph.basic import Constant
from relgraph.scalar.dtypes import is_discrete, result_dtype
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.op import FoldOp
from relgraph.scalar.type import converted_exactly
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.elemwise.elemwise import Elemwise as OurElemwise
from relgraph.tensor.reductions.argmax import Argmax
from relgraph.tensor.reductions.reduction import CAReduce as OurCAReduce
from relgraph.tensor.softmaxes import LogSoftmax, Softmax


def _of(op: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = OurElemwise(op)
    return made


FORMULAS: dict[str, Callable[..., Any]] = {
    "scalar.basic.Deg2Rad": at.deg2rad,
    "scalar.basic.Rad2Deg": at.rad2deg,
    "scalar.basic.RoundHalfAwayFromZero": lambda x: at.sign(x) * at.floor(abs(x) + 0.5),
    "scalar.math.TriGamma": lambda x: at.polygamma(1, x),
    "scalar.math.GammaU": lambda k, x: _of(ScipyOp("gammaincc"))(k, x) * _of(ScipyOp("gamma"))(k),
    "scalar.math.GammaL": lambda k, x: _of(ScipyOp("gammainc"))(k, x) * _of(ScipyOp("gamma"))(k),
    "scalar.math.Owens_t": _of(ScipyOp("owens_t")),
}
"""Functions that have no op of their own here, by the address of PyTensor's scalar op."""

_FORMULAS: dict[type, Callable[..., Any]] = present(FORMULAS)


def _function_of(scalar_op: Any) -> Callable[..., Any] | None:
    """Return what computes a scalar op of PyTensor's on tensors; None if nothing does."""
    if isinstance(scalar_op, basic.Cast):
        return lambda x: at.cast(x, scalar_op.o_type.dtype)
    ours = OURS.get(type(scalar_op))
    return _FORMULAS.get(type(scalar_op)) if ours is None else _of(ours)


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


def _graph_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what reads an op that PyTensor defines by a graph, as a function of its inputs."""
    return lambda reader, node, *inputs: typed(function, node.outputs[0].type.dtype, *inputs)


def log_sum_exp(reader: Any, node: Any, x: Any) -> Any:
    return typed(lambda x: at.logsumexp(x, node.op.axis), node.outputs[0].type.dtype, x)


def reduced(reader: Any, node: Any, x: Any) -> Any:
    """Read a reduction: the elements are cast to what they are accumulated in, as PyTensor does.

    A largest or smallest element that is a number where there are no elements is held.
    """
    op = node.op
    ours = OURS.get(type(op.scalar_op))
    if not isinstance(ours, FoldOp) or getattr(op, "initial", False):
        return None
    out = node.outputs[0].type.dtype
    accumulated = op.acc_dtype or out
    x = x if x.type.dtype == accumulated else at.cast(x, accumulated)
    return OurCAReduce(ours, op.axis)(x)


def softmax(reader: Any, node: Any, x: Any) -> Any:
    op = LogSoftmax if isinstance(node.op, special.LogSoftmax) else Softmax
    return op(node.op.axis)(x)


def softmax_slope(reader: Any, node: Any, g: Any, values: Any) -> Any:
    """Read the slope of a softmax, whose values are given."""
    weighed = g * values
    return weighed - values * at.sum(weighed, axis=node.op.axis, keepdims=True)


def argmax(reader: Any, node: Any, x: Any) -> Any:
    axes = node.op.axis
    if axes is None or len(axes) == x.type.ndim:
        return Argmax(None)(x)
    return Argmax(axes[0])(x) if len(axes) == 1 else None


def cumulated(reader: Any, node: Any, x: Any) -> Any:
    function = at.cumsum if node.op.mode == "add" else at.cumprod
    return at.cast(function(x, node.op.axis), x.type.dtype)


def sorted_along(reader: Any, node: Any, *inputs: Any) -> Any:
    along, (x,) = axis_and_others(node.op, inputs, 1)
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


TABLE: dict[str, Callable[..., Any]] = {
    "tensor.elemwise.Elemwise": elemwise,
    "scalar.basic.ScalarOp": scalar_node,
    "tensor.special.XLogY": _graph_of(_of(ScipyOp("xlogy"))),
    "tensor.special.XLog1PY": _graph_of(_of(ScipyOp("xlog1py"))),
    "tensor.special.LogAddExp": _graph_of(at.logaddexp),
    "tensor.special.LogSumExp": log_sum_exp,
    "tensor.elemwise.CAReduce": reduced,
    "tensor.math.Argmax": argmax,
    "tensor.special.Softmax": softmax,
    "tensor.special.LogSoftmax": softmax,
    "tensor.special.SoftmaxGrad": softmax_slope,
    "tensor.extra_ops.CumOp": cumulated,
    "tensor.sort.SortOp": sorted_along,
    "tensor.sort.ArgSortOp": sorted_along,
    "tensor.basic.ScalarFromTensor": scalar_of,
    "tensor.basic.TensorFromScalar": scalar_of,
}

"""The true value of a graph: its arithmetic with many digits.

Every number of the given arrays is taken as exact. Arrays hold mpmath's numbers as objects, so that
NumPy moves and sums them. nan stands for what is not defined: outside of a function's domain, at a
pole (whose sign no unsigned zero tells), or a difference of infinities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.scalar.op import FoldOp
from relgraph.scalar.structure import Cast
from relgraph.tensor.along_axes.repetition import Cumulate
from relgraph.tensor.contraction import Product
from relgraph.tensor.elemwise.op import Elemwise
from relgraph.tensor.nnet import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.reductions.argmax import Argmax, Argmin
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.testing.judge.abstract_values import moved_inputs
from relgraph.testing.judge.mpmath_support import mp
from relgraph.testing.judge.true_scalars import SCALAR, exp, log, real_or_nan

Array = np.ndarray[Any, Any]


UNSURE = object()
"""Stands where many digits were not enough to tell."""


class NoTrueValue(Exception):
    """An op has no rule here; the message names it."""


def digits_for(values: Iterable[Array]) -> int:
    """Return the precision, in bits, in which ``1 + x * y`` loses nothing of such values."""
    span = 0
    for value in values:
        if value.dtype.kind not in "fc":
            span = max(span, 64)
            continue
        size = np.abs(value[np.isfinite(value) & (value != 0)])
        if size.size:
            exponents = np.log2(size.astype("float64") + 5e-324)
            span = max(span, int(np.max(np.abs(exponents))) + 1)
    return 2 * span + 160


def true_values(
    nodes: Sequence[Apply], known: Mapping[Variable, Any], out: Variable, bits: int
) -> Array:
    """Return what `out` is in exact arithmetic, as an array of mpmath numbers.

    Parameters
    ----------
    nodes
        What computes `out`, inputs first.
    known
        Values of the variables that `nodes` start from.
    bits
        The precision to compute with.

    Raises
    ------
    NoTrueValue
        If an op is not known here.
    """
    exact: dict[Variable, Any] = {}

    def value(v: Variable) -> Any:
        if v not in exact:
            exact[v] = lifted(known[v])
        return exact[v]

    with mp.workprec(bits):
        for node in nodes:
            exact[node.outputs[0]] = _computed(node, [value(v) for v in node.inputs], known)
        return np.asarray(value(out))


def lifted(array: Any) -> Any:
    """Return an array of mpmath's numbers; integers and booleans stay what they are."""
    array = np.asarray(array)
    if array.dtype.kind not in "fc":
        return array
    convert = mp.mpc if array.dtype.kind == "c" else mp.mpf
    kind = complex if array.dtype.kind == "c" else float
    return _mapped(lambda x: convert(kind(x)), array.astype(object))


def _mapped(function: Callable[..., Any], *arrays: Any) -> Any:
    made = np.frompyfunc(function, len(arrays), 1)(*arrays)
    if not isinstance(made, np.ndarray):
        box = np.empty((), dtype=object)
        box[()] = made
        return box
    return made


def _computed(node: Apply, inputs: Sequence[Any], known: Mapping[Variable, Any]) -> Any:
    op: Any = node.op
    if isinstance(op, Elemwise):
        return _elementwise(node, op.scalar_op, inputs)
    if isinstance(op, CAReduce):
        return _reduced(op, inputs[0])
    if isinstance(op, Product):
        return _boxed(np.matmul(*(x.astype(object) for x in inputs)))
    if isinstance(op, Cumulate):
        function = np.cumsum if op.scalar_op.name == "add" else np.cumprod
        return function(inputs[0], axis=op.axis)
    if isinstance(op, Softmax | LogSoftmax | LogSumExp):
        return _softmax(op, inputs[0])
    if isinstance(op, Argmax | Argmin):
        return _place(op, inputs[0])
    moved = moved_inputs(node)
    if moved is None or len(node.outputs) > 1:
        raise NoTrueValue(f"no true value of {op} is known")
    storage: list[list[Any]] = [[None]]
    op.perform(node, [np.asarray(x) for x in inputs], storage)
    return _boxed(storage[0][0])


def _boxed(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x
    box = np.empty((), dtype=object)
    box[()] = x
    return box


def _elementwise(node: Apply, scalar_op: Any, inputs: Sequence[Any]) -> Any:
    out: Any = node.outputs[0].type
    if not any(x.dtype == object for x in inputs) and out.numpy_dtype.kind not in "fc":
        return np.asarray(scalar_op.impl(*inputs))
    if isinstance(scalar_op, Cast):
        return _cast(inputs[0], out)
    function = SCALAR.get(scalar_op.name)
    if function is None:
        raise NoTrueValue(f"no true value of {scalar_op} is known")
    guarded = real_or_nan(function)
    lifts = [x if x.dtype == object else x.astype(object) for x in inputs]
    if isinstance(scalar_op, FoldOp):
        made = lifts[0]
        for x in lifts[1:]:
            made = _mapped(guarded, made, x)
    else:
        made = _mapped(guarded, *lifts)
    return made.astype(out.numpy_dtype) if out.numpy_dtype.kind == "b" else made


def _cast(x: Any, type_: Any) -> Any:
    kind = type_.numpy_dtype.kind
    if kind in "fc":
        return _mapped(lambda v: v if isinstance(v, mp.mpf | mp.mpc) else mp.mpf(int(v)), x)
    if x.dtype == object:
        return _mapped(lambda v: int(v) if mp.isfinite(v) else 0, x).astype(type_.numpy_dtype)
    return x.astype(type_.numpy_dtype)


def _reduced(op: Any, x: Any) -> Any:
    axes = op.axes(x.ndim)
    if x.dtype != object:
        return np.asarray(op.ufunc.reduce(x, axis=axes))
    name = op.scalar_op.name
    function = SCALAR.get(name)
    if function is None:
        raise NoTrueValue(f"no true value of {op} is known")
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = [x.shape[i] for i in kept]
    rows = x.transpose([*kept, *axes]).reshape(int(np.prod(shape)), -1)
    out = np.empty(len(rows), dtype=object)
    start = {"add": mp.mpf(0), "mul": mp.mpf(1)}.get(name)
    for i, row in enumerate(rows):
        if start is None and not len(row):
            raise NoTrueValue(f"{op} of nothing")
        total = start if start is not None else row[0]
        for v in row:
            total = real_or_nan(function)(total, v)
        out[i] = total
    return out.reshape(shape)


def _place(op: Any, x: Any) -> Any:
    """Return where the extremes are: `UNSURE` where two are equal to all digits."""
    if x.dtype != object:
        return np.asarray(type(op).function(x, axis=op.axis))
    rows = x.reshape(1, -1) if op.axis is None else np.moveaxis(x, op.axis, -1)
    shape = () if op.axis is None else rows.shape[:-1]
    out = np.empty(int(np.prod(shape)), dtype=object)
    for i, row in enumerate(rows.reshape(len(out), -1)):
        places = [k for k, v in enumerate(row) if mp.isnan(v)]
        if not places:
            best = max(row) if isinstance(op, Argmax) else min(row)
            places = [k for k, v in enumerate(row) if v == best]
        out[i] = places[0] if len(places) == 1 else UNSURE
    return out.reshape(shape)


def _softmax(op: Any, x: Any) -> Any:
    powers = _mapped(real_or_nan(exp), x)
    if isinstance(op, LogSumExp):
        return _mapped(real_or_nan(log), _boxed(np.sum(powers, axis=op.axis)))
    total = np.sum(powers, axis=op.axis, keepdims=not isinstance(op, LogSumExp))
    if isinstance(op, LogSumExp):
        return _mapped(real_or_nan(log), np.asarray(total, dtype=object))
    if isinstance(op, LogSoftmax):
        return x - _mapped(real_or_nan(log), np.asarray(total))
    return powers / total

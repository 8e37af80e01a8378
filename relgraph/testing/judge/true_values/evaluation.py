"""The true value of a graph, computed by mpmath with as many bits as are needed.

The given floats are taken as exact, and so is the float that an integer becomes before an op
computes with floats: of pow(x, 2**64 - 1) NumPy takes the even power 2**64. Values are NumPy arrays
of dtype object that hold mpmath's numbers, so that NumPy can move and add them. nan stands for a
value that is not defined: outside of the domain of a function, at a pole, or as a difference of
infinities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.scalar.conversion import Cast
from relgraph.scalar.op import FoldOp
from relgraph.tensor.along_axes.cumulative import Cumulate
from relgraph.tensor.contraction import MatrixProduct
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.linalg.stacks import MatrixOp
from relgraph.tensor.reductions.argmax import Argmax, Argmin
from relgraph.tensor.reductions.norm import Norm
from relgraph.tensor.reductions.pairs import Cosine, Covariance
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.testing.judge.element_propagation import moved_inputs
from relgraph.testing.judge.true_values.matrices import matrix_values
from relgraph.testing.judge.true_values.mpmath_support import mp
from relgraph.testing.judge.true_values.scalars import SCALAR_FUNCTIONS, exp, log, real_or_nan

Array = np.ndarray[Any, Any]


UNDECIDED = object()
"""Stands for an integer that the precision does not determine: an argmax of equal numbers, say."""


class NoTrueValue(Exception):
    """There is no rule for the true value of an op; the message names the op."""


def precision_for(values: Iterable[Array]) -> int:
    """Return a precision, in bits, with which ``1 + x * y`` is exact for such values."""
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
    """Return the true value of a variable.

    Parameters
    ----------
    nodes
        The nodes that compute `out`, inputs first.
    known
        The values of the variables that `nodes` start from.
    out
        The variable.
    bits
        The precision to compute with.

    Returns
    -------
    value
        An array of mpmath's numbers; of integers or booleans if `out` is discrete.

    Raises
    ------
    NoTrueValue
        If there is no rule for an op.
    """
    exact: dict[Variable, Any] = {}

    def value(v: Variable) -> Any:
        if v not in exact:
            exact[v] = to_mpmath(known[v])
        return exact[v]

    with mp.workprec(bits):
        for node in nodes:
            operands = [value(v) for v in node.inputs]
            several = matrix_values(node.op, operands) if isinstance(node.op, MatrixOp) else None
            if several is not None:
                exact.update(zip(node.outputs, several, strict=True))
            else:
                exact[node.outputs[0]] = _evaluate_node(node, operands, known)
        return np.asarray(value(out))


def to_mpmath(array: Any) -> Any:
    """Return an array as one of mpmath's numbers; one of integers or booleans stays as it is."""
    array = np.asarray(array)
    if array.dtype.kind not in "fc":
        return array
    convert = mp.mpc if array.dtype.kind == "c" else mp.mpf
    kind = complex if array.dtype.kind == "c" else float
    return _map_elements(lambda x: convert(kind(x)), array.astype(object))


def _map_elements(function: Callable[..., Any], *arrays: Any) -> Any:
    """Return an array of the results of a function for the elements of some arrays."""
    return _as_array(np.frompyfunc(function, len(arrays), 1)(*arrays))


def _evaluate_node(node: Apply, inputs: Sequence[Any], known: Mapping[Variable, Any]) -> Any:
    op: Any = node.op
    if isinstance(op, Elemwise):
        return _elementwise(node, op.scalar_op, inputs)
    if isinstance(op, CAReduce):
        return _reduce(op, inputs[0])
    if isinstance(op, Norm):
        return _norm(op, inputs[0])
    if isinstance(op, Covariance):
        return _covariance(op, *inputs)
    if isinstance(op, Cosine):
        products = _as_array(np.sum(inputs[0] * inputs[1], axis=op.axis))
        norms = _as_array(_norm(op, inputs[0]) * _norm(op, inputs[1]))
        return _map_elements(real_or_nan(SCALAR_FUNCTIONS["true_div"]), products, norms)
    if isinstance(op, MatrixProduct):
        return _as_array(np.matmul(*(x.astype(object) for x in inputs)))
    if isinstance(op, Convolve):
        return _as_array(np.convolve(*(x.astype(object) for x in inputs)))
    if isinstance(op, Cumulate):
        function = np.cumsum if op.scalar_op.name == "add" else np.cumprod
        return function(inputs[0], axis=op.axis)
    if isinstance(op, Softmax | LogSoftmax | LogSumExp):
        return _softmax(op, inputs[0])
    if isinstance(op, Argmax | Argmin):
        return _arg_extreme(op, inputs[0])
    if isinstance(op, Shape_i):
        return np.asarray(inputs[0].shape[op.i])
    moved = moved_inputs(node)
    if moved is None or len(node.outputs) > 1:
        raise NoTrueValue(f"no true value of {op} is known")
    storage: list[list[Any]] = [[None]]
    op.perform(node, [np.asarray(x) for x in inputs], storage)
    return _as_array(storage[0][0])


def _as_array(x: Any) -> Any:
    """Return an array as it is, and any other object as an array of rank 0."""
    if isinstance(x, np.ndarray):
        return x
    array = np.empty((), dtype=object)
    array[()] = x
    return array


def _elementwise(node: Apply, scalar_op: Any, inputs: Sequence[Any]) -> Any:
    out: Any = node.outputs[0].type
    if not any(x.dtype == object for x in inputs) and out.numpy_dtype.kind not in "fc":
        return np.asarray(scalar_op.impl(*inputs))
    if isinstance(scalar_op, Cast):
        return _cast(inputs[0], out)
    function = SCALAR_FUNCTIONS.get(scalar_op.name)
    if function is None:
        raise NoTrueValue(f"no true value of {scalar_op} is known")
    guarded = real_or_nan(function)
    computed_in = out.numpy_dtype
    if computed_in.kind not in "fc":  # a comparison
        computed_in = np.result_type(*[v.type.numpy_dtype for v in node.inputs])
    operands = [_converted(x, computed_in) for x in inputs]
    if isinstance(scalar_op, FoldOp):
        result = operands[0]
        for x in operands[1:]:
            result = _map_elements(guarded, result, x)
    else:
        result = _map_elements(guarded, *operands)
    return result.astype(out.numpy_dtype) if out.numpy_dtype.kind == "b" else result


def _converted(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand of an op as objects; of integers the floats, if it computes in floats."""
    if x.dtype == object:
        return x
    wide = dtype.kind in "fc" and x.dtype.kind in "iu"
    return to_mpmath(x.astype(dtype)) if wide else x.astype(object)


def _cast(x: Any, type_: Any) -> Any:
    if type_.numpy_dtype.kind in "fc":
        x = _converted(x, type_.numpy_dtype)
        return _map_elements(lambda v: v if isinstance(v, mp.mpf | mp.mpc) else mp.mpf(int(v)), x)
    if x.dtype == object:
        return _map_elements(lambda v: int(v) if mp.isfinite(v) else 0, x).astype(type_.numpy_dtype)
    return x.astype(type_.numpy_dtype)


def _reduce(op: Any, x: Any) -> Any:
    axes = op.axes(x.ndim)
    if x.dtype != object:
        return np.asarray(op.ufunc.reduce(x, axis=axes))
    name = op.scalar_op.name
    function = SCALAR_FUNCTIONS.get(name)
    if function is None:
        raise NoTrueValue(f"no true value of {op} is known")
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = [x.shape[i] for i in kept]
    size = int(np.prod([x.shape[i] for i in axes]))
    rows = x.transpose([*kept, *axes]).reshape(int(np.prod(shape)), size)
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


def _arg_extreme(op: Any, x: Any) -> Any:
    """Return the index of each extreme: `UNDECIDED` where two elements are equal."""
    if x.dtype != object:
        return np.asarray(type(op).function(x, axis=op.axis))
    rows = x.reshape(1, -1) if op.axis is None else np.moveaxis(x, op.axis, -1)
    shape = () if op.axis is None else rows.shape[:-1]
    out = np.empty(int(np.prod(shape)), dtype=object)
    for i, row in enumerate(rows.reshape(len(out), rows.shape[-1])):
        indices = [k for k, v in enumerate(row) if mp.isnan(v)]
        if not indices:
            extreme = max(row) if isinstance(op, Argmax) else min(row)
            indices = [k for k, v in enumerate(row) if v == extreme]
        out[i] = indices[0] if len(indices) == 1 else UNDECIDED
    return out.reshape(shape)


def _covariance(op: Any, x: Any, y: Any) -> Any:
    count = mp.mpf(x.size // max(np.sum(x, axis=op.axis).size, 1))
    average = real_or_nan(lambda total: SCALAR_FUNCTIONS["true_div"](total, count))

    def mean(v: Any) -> Any:
        return _map_elements(average, _as_array(np.sum(v, axis=op.axis)))

    return _as_array(mean(x * y) - mean(x) * mean(y))


def _norm(op: Any, x: Any) -> Any:
    return _map_elements(mp.sqrt, _as_array(np.sum(x * x, axis=op.axis)))


def _softmax(op: Any, x: Any) -> Any:
    powers = _map_elements(real_or_nan(exp), x)
    if isinstance(op, LogSumExp):
        return _map_elements(real_or_nan(log), _as_array(np.sum(powers, axis=op.axis)))
    total = np.sum(powers, axis=op.axis, keepdims=True)
    if isinstance(op, LogSoftmax):
        return _as_array(x - _map_elements(real_or_nan(log), np.asarray(total)))
    return _as_array(powers / total)

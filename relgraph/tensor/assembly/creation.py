"""The creation of tensors: alloc, full, zeros, ones, eye, arange, tri, and the like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.type import disconnected
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import check_dtype, is_discrete, result_dtype
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import as_tensor_variable, constant
from relgraph.tensor.math import cast, ceil, ge, maximum, second, switch
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.reductions.reduction import sum_like
from relgraph.tensor.shapes.reshaping import specify_shape
from relgraph.tensor.shapes.shape import as_length, as_lengths, shape_i
from relgraph.tensor.type import TensorType


def _as_length_input(n: Any, what: str) -> Any:
    length = as_length(n, what)
    return constant(length, dtype="int64") if isinstance(length, int) else cast(length, "int64")


class Alloc(Op):
    """A value, broadcast to a shape in new storage.

    The inputs are the value, and for each axis of the output its length, an integer of rank 0. An
    axis of the value broadcasts if its static length is 1.
    """

    nout = 1
    __props__ = ()
    repeats = 0

    def __str__(self) -> str:
        return "alloc"

    def make_node(self, *inputs: Any) -> Apply:
        value = as_tensor_variable(inputs[0])
        lengths = [_as_length_input(n, "alloc") for n in inputs[1:]]
        missing = len(lengths) - value.type.ndim
        if missing < 0:
            raise TypeError(
                f"alloc: the value has {value.type.ndim} dimensions, the shape only {len(lengths)}"
            )
        shape = [static_int(n) for n in lengths]
        for axis, n in enumerate(shape):
            if n is not None and n < 0:
                raise ValueError(f"alloc: axis {axis} of the shape is {n}")
            own = value.type.shape[axis - missing] if axis >= missing else 1
            if own not in (None, 1, n) and n is not None:
                raise ValueError(
                    f"alloc: axis {axis - missing} of the value has length {own}, not 1 or {n}"
                )
            if n is None and own != 1:
                shape[axis] = own
        # What stands in for the output broadcasts where that does.
        value = specify_shape(value, [1 if n == 1 else None for n in shape[missing:]])
        return Apply(self, [value, *lengths], [TensorType(value.type.dtype, tuple(shape))()])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        value, *lengths = inputs
        shape = tuple(int(n) for n in lengths)
        missing = len(shape) - value.ndim
        known: Sequence[int | None] = node.inputs[0].type.shape
        for axis, (n, length) in enumerate(zip(value.shape, shape[missing:], strict=True)):
            if n != length and known[axis] != 1:
                raise ValueError(
                    f"alloc: axis {axis} of {node.inputs[0]} has length {n}, not {length}"
                    + (_UNDECLARED if n == 1 else "")
                )
        out = np.empty(shape, dtype=value.dtype)
        out[...] = value
        output_storage[0][0] = out

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(node.inputs[1:])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i == 0] for i in range(len(node.inputs))]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        g = sum_like(output_gradients[0], inputs[0])
        return [g, *[disconnected() for _ in inputs[1:]]]


_UNDECLARED = (
    "; only an axis whose length is known to be 1 broadcasts (declare it in the variable's type, "
    "or by specify_shape)"
)
_alloc = Alloc()


def alloc(value: Any, *shape: Any) -> Any:
    """Return `value`, broadcast in new storage to a shape of ints and integer variables.

    Parameters
    ----------
    value
        What fills the result; it broadcasts to the shape.
    shape
        The lengths of the axes, an argument each.

    >>> alloc(7, 2, 2).eval()
    array([[7, 7],
           [7, 7]])
    """
    return _alloc(value, *shape)


def broadcast_to(x: Any, shape: Any) -> Any:
    """Return `x`, broadcast to a shape: an int, a sequence, or a vector of known length.

    Parameters
    ----------
    x
        A tensor.
    shape
        The shape of the result.

    >>> broadcast_to([1, 2], (2, 2)).eval()
    array([[1, 2],
           [1, 2]])
    """
    return _alloc(as_tensor_variable(x), *as_lengths(shape, "broadcast_to"))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a tensor of a shape, filled with a value.

    Parameters
    ----------
    shape
        An int, a sequence of ints and integer variables, or a vector of known length.
    fill_value
        A tensor or number that broadcasts to the shape.
    dtype
        The dtype; by default that of the value.
    """
    value = as_tensor_variable(fill_value)
    return _alloc(value if dtype is None else cast(value, dtype), *as_lengths(shape, "full"))


def _or_floatX(dtype: Any) -> str:
    """Return a dtype, or ``config.floatX`` for None, which NumPy takes for float64."""
    return check_dtype("floatX" if dtype is None else dtype)


def _filled(shape: Any, number: int, dtype: Any, what: str) -> Any:
    value = constant(np.array(number, dtype=_or_floatX(dtype)))
    return _alloc(value, *as_lengths(shape, what))


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Return zeros of a shape (see `full`) and dtype, by default ``config.floatX``.

    Parameters
    ----------
    shape
        The shape.
    dtype
        The dtype of the result.

    >>> zeros(3).eval()
    array([0., 0., 0.])
    """
    return _filled(shape, 0, dtype, "zeros")


def ones(shape: Any, dtype: Any = None) -> Any:
    """Return ones of a shape (see `full`) and dtype, by default ``config.floatX``.

    Parameters
    ----------
    shape
        The shape.
    dtype
        The dtype of the result.

    >>> ones(3).eval()
    array([1., 1., 1.])
    """
    return _filled(shape, 1, dtype, "ones")


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a tensor of the shape of `x`, filled with a value.

    Parameters
    ----------
    x
        The tensor whose shape is taken.
    fill_value
        A tensor or number that broadcasts to the shape.
    dtype
        The dtype; by default that of `x`.
    """
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        return second(x, fill_value)
    dtype = x.type.dtype if dtype is None else check_dtype(dtype)
    if isinstance(fill_value, Variable):
        value = cast(fill_value, dtype)
    else:
        value = constant(np.asarray(fill_value).astype(dtype))
    return value if x.type.ndim == 0 and value.type.ndim == 0 else second(x, value)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Return zeros of the shape of `x`, and of its dtype unless another one is given.

    Parameters
    ----------
    x
        The tensor whose shape it has.
    dtype
        The dtype of the result.

    >>> zeros_like([1, 2]).eval()
    array([0, 0])
    """
    return full_like(x, 0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Return ones of the shape of `x`, and of its dtype unless another one is given.

    Parameters
    ----------
    x
        The tensor whose shape it has.
    dtype
        The dtype of the result.

    >>> ones_like([1, 2]).eval()
    array([1, 1])
    """
    return full_like(x, 1, dtype)


class Eye(Op):
    """A matrix with ones on a diagonal.

    The inputs are the numbers of rows and of columns, and the number of the diagonal: integers of
    rank 0.

    Parameters
    ----------
    dtype
        The dtype of the matrix.
    """

    nout = 1
    __props__ = ("dtype",)

    def __init__(self, dtype: str = "float64") -> None:
        self.dtype = check_dtype(dtype)

    def __str__(self) -> str:
        return f"eye{{{self.dtype}}}"

    def make_node(self, *inputs: Any) -> Apply:
        if len(inputs) != 3:
            raise TypeError(f"{self} takes 3 inputs (rows, columns, diagonal), not {len(inputs)}")
        rows, columns, k = [_as_length_input(v, "eye") for v in inputs]
        shape = (static_int(rows), static_int(columns))
        return Apply(self, [rows, columns, k], [TensorType(self.dtype, shape)()])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        rows, columns, k = (int(n) for n in inputs)
        output_storage[0][0] = np.eye(rows, columns, k, dtype=self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(node.inputs[:2])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [False], [False]]


def eye(n: Any, m: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Return a matrix of `n` rows and `m` columns with ones on the diagonal `k`.

    By default `m` is `n`, and the dtype is ``config.floatX``.
    """
    return Eye(_or_floatX(dtype))(n, n if m is None else m, k)


class ARange(Op):
    """The vector of evenly spaced numbers from a start up to a stop, which it does not include.

    The inputs are the start, the stop and the step, of rank 0.

    Parameters
    ----------
    dtype
        The dtype of the vector.
    """

    nout = 1
    __props__ = ("dtype",)

    def __init__(self, dtype: str) -> None:
        self.dtype = check_dtype(dtype)

    def __str__(self) -> str:
        return f"arange{{{self.dtype}}}"

    def make_node(self, *inputs: Any) -> Apply:
        if len(inputs) != 3:
            raise TypeError(f"{self} takes 3 inputs (start, stop, step), not {len(inputs)}")
        limits = [as_tensor_variable(v) for v in inputs]
        for name, v in zip(("start", "stop", "step"), limits, strict=True):
            if v.type.ndim != 0:
                raise TypeError(f"arange: {name} is a {v.type}, not of rank 0")
        length = None
        if all(isinstance(v, Constant) for v in limits):
            start, stop, step = (v.data.item() for v in limits)
            if step == 0:
                raise ValueError("arange: step is 0")
            length = max(0, math.ceil((stop - start) / step))
        return Apply(self, limits, [TensorType(self.dtype, (length,))()])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        start, stop, step = (v.item() for v in inputs)
        if step == 0:
            raise ValueError(f"arange: step ({node.inputs[2]}) is 0")
        output_storage[0][0] = np.arange(start, stop, step, dtype=self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        start, stop, step = node.inputs
        if all(is_discrete(v.type.dtype) for v in node.inputs):
            start, stop, step = (cast(v, "int64") for v in (start, stop, step))
            return [(maximum(-((start - stop) // step), 0),)]
        steps: Any = cast(stop, "float64") - start
        return [(maximum(cast(ceil(steps / step), "int64"), 0),)]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        connected = not is_discrete(self.dtype)
        return [[connected], [False], [connected]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        if is_discrete(self.dtype):
            return [disconnected() for _ in inputs]
        g, out = output_grads[0], outputs[0]
        steps = arange(shape_i(out, 0))
        return [sum_(g), disconnected(), sum_(g * cast(steps, self.dtype))]


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Return the vector of the numbers from `start` up to `stop` (not included) by `step`.

    Parameters
    ----------
    start, stop, step
        Numbers or variables of rank 0. If only `start` is given, it is the stop, and the start
        is 0.
    dtype
        The dtype; by default int64 for integers, else the result of NumPy's promotion.
    """
    if stop is None:
        start, stop = 0, start
    limits = [as_tensor_variable(v) for v in (start, stop, step)]
    if dtype is None:
        kinds = [v.type.dtype for v in limits]
        dtype = "int64" if all(map(is_discrete, kinds)) else result_dtype(*kinds)
    return ARange(check_dtype(dtype))(*limits)


def tri(n: Any, m: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Return an `n` by `m` matrix with ones on and below the diagonal `k`, and zeros above it.

    By default `m` is `n`, and the dtype is ``config.floatX``.
    """
    rows = arange(n).dimshuffle(0, "x")
    columns = arange(n if m is None else m).dimshuffle("x", 0)
    return cast(ge(rows + k, columns), _or_floatX(dtype))


def _lower(x: Any, k: Any) -> Any:
    """Return a boolean matrix that is true on and below the diagonal `k` of the last two axes."""
    rows, columns = (shape_i(x, i) for i in (x.type.ndim - 2, x.type.ndim - 1))
    return tri(rows, columns, k, "bool")


def _zero(x: Any) -> Any:
    """Return a zero of the dtype of `x`: a plain one makes integers of booleans."""
    return constant(np.zeros((), dtype=x.type.dtype))


def tril(x: Any, k: Any = 0) -> Any:
    """Return `x` with zeros above the diagonal `k` of the last two axes.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    k
        How far the diagonal is above the main one; below it if negative.

    >>> tril([[1, 2], [3, 4]]).eval()
    array([[1, 0],
           [3, 4]])
    """
    x = as_tensor_variable(x)
    return switch(_lower(x, k), x, _zero(x))


def triu(x: Any, k: Any = 0) -> Any:
    """Return `x` with zeros below the diagonal `k` of the last two axes.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    k
        How far the diagonal is above the main one; below it if negative.

    >>> triu([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [0, 4]])
    """
    x = as_tensor_variable(x)
    return switch(_lower(x, as_tensor_variable(k) - 1), _zero(x), x)

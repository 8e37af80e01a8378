"""Ops that create tensors (alloc, full, eye, arange, tri), and that join and split them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op, Variables
from relgraph.graph.type import DisconnectedType, disconnected
from relgraph.graph.unify import nth
from relgraph.graph.utils import LogicTerm
from relgraph.introspection import public_functions
from relgraph.scalar.type import check_dtype, is_discrete, result_dtype
from relgraph.tensor.basic import (
    AxisOp,
    as_tensor_variable,
    constant,
    merge_lengths,
    normalize_axis,
    static_int,
    total_length,
)
from relgraph.tensor.math import cast, ceil, eq, ge, gt, lt, maximum, mod, second, switch
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.reductions import sum_like
from relgraph.tensor.shapes import (
    MakeVector,
    as_length,
    as_lengths,
    as_shape_vector,
    expand_dims,
    known_elements,
    lengths,
    product,
    reshape,
    shape_i,
    specify_shape,
)
from relgraph.tensor.signatures import broadcast_shape, check_broadcast
from relgraph.tensor.type import TensorType


def _as_length_input(n: Any, what: str) -> Any:
    length = as_length(n, what)
    return constant(length, dtype="int64") if isinstance(length, int) else cast(length, "int64")


class Alloc(Op):
    """A value, broadcast to a shape in new storage.

    The inputs are the value, and for each axis of the output its length, an integer of rank 0. An
    axis of the value broadcasts if its static length is 1.
    """

    cost = 0.0
    nout = 1
    __props__ = ()
    repeats = 0
    connected_inputs = (0,)

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
        shape = tuple(static_int(n) for n in lengths)
        for axis, n in enumerate(shape):
            if n is not None and n < 0:
                raise ValueError(f"alloc: axis {axis} of the shape is {n}")
        static = [value.type.shape, (None,) * len(shape)]
        shape = broadcast_shape(self, [value, "the shape"], static, [value.type.shape, shape])
        # What stands in for the output broadcasts where that does.
        value = specify_shape(value, [1 if n == 1 else None for n in shape[missing:]])
        return Apply(self, [value, *lengths], [TensorType(value.type.dtype, shape)()])

    def compute(self, node: Apply, value: Any, *lengths: Any) -> Any:
        shape = tuple(int(n) for n in lengths)
        check_broadcast(node, value, shape, 0, "the shape")
        out = np.empty(shape, dtype=value.dtype)
        out[...] = value
        return out

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(node.inputs[1:])]

    def grad(self, inputs: Variables, output_gradients: Variables) -> list[Any]:
        g = sum_like(output_gradients[0], inputs[0])
        return [g, *[disconnected() for _ in inputs[1:]]]


_alloc = Alloc()


def alloc(value: Any, *shape: Any) -> Any:
    """Return `value`, broadcast in new storage to a shape of ints and integer variables.

    Parameters
    ----------
    value
        What fills the result; it broadcasts to the shape.
    shape
        The lengths of the axes, an argument each.

    Examples
    --------
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

    Examples
    --------
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

    Examples
    --------
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

    Examples
    --------
    >>> ones(3).eval()
    array([1., 1., 1.])
    """
    return _filled(shape, 1, dtype, "ones")


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return a tensor of the shape of `x`, filled with a value.

    Parameters
    ----------
    x
        The tensor whose shape is taken.
    fill_value
        A tensor or number that broadcasts to the shape.
    dtype
        The dtype; by default that of `x`.
    shape
        Another shape than that of `x`.
    """
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        return second(x, fill_value)
    dtype = x.type.dtype if dtype is None else check_dtype(dtype)
    if shape is not None:
        return full(shape, fill_value, dtype)
    if isinstance(fill_value, Variable):
        value = cast(fill_value, dtype)
    else:
        value = constant(np.asarray(fill_value).astype(dtype))
    return value if x.type.ndim == 0 and value.type.ndim == 0 else second(x, value)


def zeros_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return zeros of the shape of `x`, and of its dtype unless another one is given.

    Parameters
    ----------
    x
        The tensor whose shape it has.
    dtype
        The dtype of the result.
    shape
        Another shape than that of `x`.

    Examples
    --------
    >>> zeros_like([1, 2]).eval()
    array([0, 0])
    """
    return full_like(x, 0, dtype, shape)


def ones_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return ones of the shape of `x`, and of its dtype unless another one is given.

    Parameters
    ----------
    x
        The tensor whose shape it has.
    dtype
        The dtype of the result.
    shape
        Another shape than that of `x`.

    Examples
    --------
    >>> ones_like([1, 2]).eval()
    array([1, 1])
    """
    return full_like(x, 1, dtype, shape)


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
    connected_inputs = ()

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

    def compute(self, node: Apply, *values: Any) -> Any:
        rows, columns, k = (int(n) for n in values)
        return np.eye(rows, columns, k, dtype=self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(node.inputs[:2])]


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

    def compute(self, node: Apply, *values: Any) -> Any:
        start, stop, step = (v.item() for v in values)
        if step == 0:
            raise ValueError(f"arange: step ({node.inputs[2]}) is 0")
        return np.arange(start, stop, step, dtype=self.dtype)

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

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
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

    Examples
    --------
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

    Examples
    --------
    >>> triu([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [0, 4]])
    """
    x = as_tensor_variable(x)
    return switch(_lower(x, as_tensor_variable(k) - 1), _zero(x), x)


class Join(AxisOp):
    """Tensors of one rank, concatenated along an axis; the lengths of their other axes agree.

    Parameters
    ----------
    axis
        The axis, in a node counted from the front.
    """

    nin = None

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if not inputs:
            raise TypeError(f"{self} takes at least 1 input")
        return super().as_inputs(*inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        ndim = input_types[0].ndim
        for i, t in enumerate(input_types):
            if t.ndim != ndim:
                raise TypeError(f"{self}: input 0 has {ndim} dimensions, input {i} {t.ndim} ({t})")
        axis = normalize_axis(self.axis, ndim, "join")
        shapes = [t.shape for t in input_types]
        shape = [
            total_length(along) if i == axis else merge_lengths(along, i, str(self))
            for i, along in enumerate(zip(*shapes, strict=True))
        ]
        return [TensorType(result_dtype(*[t.dtype for t in input_types]), shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        return np.concatenate(values, axis=self.axis)

    def check(self, node: Apply, *values: Any) -> None:
        """Raise a ValueError if another axis than that of the op has different lengths."""
        first = values[0]
        for v, x in zip(node.inputs, values, strict=True):
            for i, (n, m) in enumerate(zip(x.shape, first.shape, strict=True)):
                if n != m and i != self.axis:
                    raise ValueError(
                        f"{self}: axis {i} of {v} has length {n}, of {node.inputs[0]} {m}"
                    )

    def output_shapes(self, *shapes: Any) -> list[Any]:
        shape = list(shapes[0])
        shape[self.axis] = total_length(s[self.axis] for s in shapes)
        return [tuple(shape)]

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        return [group for i, group in enumerate(zip(*shapes, strict=True)) if i != self.axis]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        sizes = MakeVector("int64")(*[lengths(x)[self.axis] for x in inputs])
        parts: list[Any] = Split(len(inputs), self.axis)(g, sizes, return_list=True)
        return parts


class Split(Op):
    """The parts of a tensor along an axis. They are views of it.

    The inputs are the tensor, and a vector of the lengths of the parts, whose sum must be the
    length of the axis.

    Parameters
    ----------
    len_splits
        The number of parts, which are the outputs.
    axis
        The axis, in a node counted from the front.
    """

    __props__ = ("len_splits", "axis")
    connected_inputs = (0,)

    def __init__(self, len_splits: int, axis: int = 0) -> None:
        self.len_splits = self.nout = len_splits
        self.axis = axis
        self.view_map = {i: [0] for i in range(len_splits)}
        self.relative = Split if axis < 0 else None

    def for_inputs(self, inputs: Sequence[Any]) -> Any:
        return Split(self.len_splits, normalize_axis(self.axis, inputs[0].type.ndim, "split"))

    def __str__(self) -> str:
        return f"split{{{self.len_splits}, axis={self.axis}}}"

    def make_node(self, *inputs: Any) -> Apply:
        if len(inputs) != 2:
            raise TypeError(f"{self} takes 2 inputs, a tensor and lengths, not {len(inputs)}")
        x, sizes = as_tensor_variable(inputs[0]), as_shape_vector(inputs[1], "split")
        if self.relative is not None:
            node: Apply = self.for_inputs([x]).make_node(x, sizes)
            return node
        axis = normalize_axis(self.axis, x.type.ndim, "split")
        if sizes.type.shape[0] not in (None, self.len_splits):
            raise ValueError(f"{self}: {sizes.type.shape[0]} lengths for {self.len_splits} parts")
        shape = x.type.shape
        static = known_elements(sizes, self.len_splits)
        found, total = total_length(static), shape[axis]
        if None not in (found, total) and found != total:
            raise ValueError(f"{self}: lengths {list(static)} of an axis of length {total}")
        types = [TensorType(x.type.dtype, (*shape[:axis], n, *shape[axis + 1 :])) for n in static]
        return Apply(self, [x, sizes], [t() for t in types])

    def compute(self, node: Apply, x: Any, sizes: Any) -> Any:
        parts = np.split(x, self.checked_stops(node, x, sizes)[:-1], axis=self.axis)
        return parts if len(parts) > 1 else parts[0]

    def checked_stops(self, node: Apply, x: Any, sizes: Any) -> Any:
        """Return where the parts end; raise a ValueError if they don't add up to the axis."""
        total = x.shape[self.axis]
        if len(sizes) != self.len_splits or sizes.sum() != total or (sizes < 0).any():
            raise ValueError(
                f"{self}: lengths {sizes.tolist()} for axis {self.axis} of {node.inputs[0]}, "
                f"which has length {total}"
            )
        return np.cumsum(sizes)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x = shapes[0]
        sizes: Any = node.inputs[1]
        return [(*x[: self.axis], sizes[i], *x[self.axis + 1 :]) for i in range(self.len_splits)]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        grads = [
            zeros_like(out) if isinstance(g.type, DisconnectedType) else g
            for out, g in zip(outputs, output_grads, strict=True)
        ]
        return [Join(self.axis)(*grads), disconnected()]


def _as_parts(tensors: Any, what: str) -> list[Any]:
    parts = [as_tensor_variable(v) for v in tensors]
    if not parts:
        raise ValueError(f"{what}: there are no tensors")
    return parts


def join(axis: Any, *tensors: Any) -> Any:
    """Return tensors of one rank, concatenated along `axis`.

    Parameters
    ----------
    axis
        The axis: an int, or an integer variable of rank 0, for which a join along each axis is made
        and the one that is asked for computed.
    tensors
        The tensors, whose lengths may differ along `axis` alone.

    Examples
    --------
    >>> join(0, [1, 2], [3]).eval()
    array([1, 2, 3])
    """
    parts = _as_parts(tensors, "join")
    if any(isinstance(v, LogicTerm) for v in (axis, *parts)):
        return parts[0] if len(parts) == 1 else Join(axis)(*parts)
    if len(parts) == 1:
        return parts[0]
    if isinstance(axis, Variable) and static_int(axis) is None:
        return _joined_somewhere(axis, parts)
    return Join(normalize_axis(axis, parts[0].type.ndim, "join"))(*parts)


def _joined_somewhere(axis: Variable, parts: Sequence[Any]) -> Any:
    """Return tensors concatenated along an axis that is known when they are computed: it is the
    second of three, with one before it and one behind it in the place of all others."""
    ndim = parts[0].type.ndim
    place = mod(axis, ndim)

    def as_three_axes(v: Any) -> Any:
        before, along, after = (
            product([switch(at_place(d, place), n, 1) for d, n in enumerate(lengths(v))])
            for at_place in (lt, eq, gt)
        )
        return reshape(v, (before, along, after))

    joined = Join(1)(*[as_three_axes(v) for v in parts])
    total = lengths(joined)[1]
    shape = [switch(eq(d, place), total, n) for d, n in enumerate(lengths(parts[0]))]
    return reshape(joined, shape)


def concatenate(tensors: Any, axis: int = 0) -> Any:
    """Return the tensors of a sequence, which have one rank, concatenated along `axis`.

    Parameters
    ----------
    tensors
        The tensors, whose lengths may differ along `axis` alone.
    axis
        The axis.

    Examples
    --------
    >>> concatenate([[1, 2], [3]]).eval()
    array([1, 2, 3])
    """
    return join(axis, *tensors)


def stack(tensors: Any, axis: int = 0) -> Any:
    """Return the tensors of a sequence, which have one shape, joined along a new axis `axis`.

    Parameters
    ----------
    tensors
        The tensors.
    axis
        Where the new axis stands in the result.

    Examples
    --------
    >>> stack([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    parts = _as_parts(tensors, "stack")
    if any(isinstance(v, LogicTerm) for v in parts):
        return join(axis, *[expand_dims(v, axis) for v in parts])
    ranks = {v.type.ndim for v in parts}
    if len(ranks) > 1:
        raise TypeError(f"stack: the tensors have {sorted(ranks)} dimensions")
    axis = normalize_axis(axis, ranks.pop() + 1, "stack")
    if parts[0].type.ndim > 0:
        return join(axis, *[expand_dims(v, axis) for v in parts])
    dtype = result_dtype(*[v.type.dtype for v in parts])
    return MakeVector(dtype)(*[cast(v, dtype) for v in parts])


def hstack(tensors: Any) -> Any:
    """Return the tensors of a sequence, concatenated along axis 1; along axis 0 for vectors.

    Parameters
    ----------
    tensors
        The tensors, of one rank from 1 on.

    Examples
    --------
    >>> hstack([[1, 2], [3]]).eval()
    array([1, 2, 3])
    """
    parts = [expand_dims(v, 0) if v.type.ndim == 0 else v for v in _as_parts(tensors, "hstack")]
    return join(0 if parts[0].type.ndim == 1 else 1, *parts)


def vstack(tensors: Any) -> Any:
    """Return the tensors of a sequence, concatenated along axis 0; vectors become rows.

    Parameters
    ----------
    tensors
        The tensors; vectors are of one length.

    Examples
    --------
    >>> vstack([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    parts = _as_parts(tensors, "vstack")
    return join(0, *[as_tensor_variable(v, ndim=max(v.type.ndim, 2)) for v in parts])


def split(x: Any, splits_size: Any, n_splits: int | None = None, axis: int = 0) -> list[Any]:
    """Return the parts of `x` along `axis`, as a list.

    Parameters
    ----------
    x
        A tensor.
    splits_size
        The lengths of the parts: a sequence of ints and integer variables, or an integer vector.
    n_splits
        The number of parts, if `splits_size` is a vector of unknown length.
    axis
        The axis.

    Raises
    ------
    TypeError
        If the number of parts is not known.
    """
    x = as_tensor_variable(x)
    sizes = as_shape_vector(splits_size, "split")
    n = sizes.type.shape[0] if n_splits is None else n_splits
    if n is None:
        raise TypeError(f"split: {splits_size} is a vector of unknown length; give n_splits")
    if isinstance(x, LogicTerm):
        together = Split(n, axis)(x, sizes)
        return [nth(i, together) for i in range(n)]
    parts = Split(n, normalize_axis(axis, x.type.ndim, "split"))(x, sizes, return_list=True)
    assert isinstance(parts, list)
    return parts


if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = public_functions(globals())

"""Shapes as values, and ops that reshape tensors or permute their axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation import Applied
from relgraph.graph.op import Op, RelativeOp, TypedOp, Variables
from relgraph.graph.type import disconnected
from relgraph.graph.utils import AsksForType, LogicTerm, MethodNotDefined
from relgraph.scalar.type import check_dtype
from relgraph.tensor.basic import (
    Assert,
    TensorOp,
    as_tensor_variable,
    constant,
    merged_lengths,
    normalize_axes,
    normalize_axis,
    static_int,
)
from relgraph.tensor.elemwise import ORDERS, RelativeDimShuffle
from relgraph.tensor.math import cast, eq, maximum, minimum, switch
from relgraph.tensor.type import TensorType


def has_shape(x: Any) -> bool:
    """Return whether `x` is a variable whose values have a shape: a tensor, or a sparse matrix."""
    return isinstance(x, Variable) and isinstance(getattr(x.type, "shape", None), tuple)


class _OfShape(TensorOp):
    """Base class of ops that read the shape of a tensor or a sparse matrix, and no values."""

    connected_inputs = ()
    fixed_dtype = "int64"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) == 1 and has_shape(inputs[0]):
            return [inputs[0]]
        return super().as_inputs(*inputs)


class Shape(_OfShape):
    """The shape of a tensor or a sparse matrix, as a vector of int64."""

    def output_shapes(self, x: Any) -> list[Any]:
        return [(len(x),)]

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Applied:
        return Applied("shape", tuple(arguments), form="attribute")

    def compute(self, node: Apply, x: Any) -> Any:
        return np.asarray(np.shape(x), dtype="int64")


class Shape_i(RelativeOp, _OfShape):
    """The length of one axis of a tensor or a sparse matrix, as an int64 of rank 0.

    Parameters
    ----------
    i
        The axis, in a node counted from the front.
    """

    __props__ = ("i",)
    is_length = True

    def __init__(self, i: int) -> None:
        self.i = i
        self.relative = Shape_i if i < 0 else None

    def for_inputs(self, inputs: Sequence[Any]) -> Any:
        return Shape_i(normalize_axis(self.i, inputs[0].type.ndim, str(self)))

    def __str__(self) -> str:
        return f"shape_i{{{self.i}}}"

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Applied:
        if self.i == 0:
            return Applied("len", tuple(arguments))
        return Applied("shape", tuple(arguments), f"[{self.i}]", form="attribute")

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        normalize_axis(self.i, input_types[0].ndim, str(self))
        return super().output_types(*input_types)

    def compute(self, node: Apply, x: Any) -> Any:
        return np.asarray(np.shape(x)[self.i], dtype="int64")

    def output_shapes(self, x: Any) -> list[Any]:
        return [()]


class MakeVector(TypedOp):
    """The vector of its inputs, which have rank 0.

    Parameters
    ----------
    dtype
        The dtype of the vector, which must be able to hold the dtypes of the inputs.
    """

    __props__ = ("dtype",)

    def __init__(self, dtype: str = "int64") -> None:
        self.dtype = check_dtype(dtype)

    def __str__(self) -> str:
        return f"make_vector{{{self.dtype}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [
            constant(v, dtype=self.dtype) if isinstance(v, int | float) else as_tensor_variable(v)
            for v in inputs
        ]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        for i, t in enumerate(input_types):
            if t.ndim != 0:
                raise TypeError(f"{self}: input {i} is a {t}, not of rank 0")
            if np.promote_types(t.dtype, self.dtype) != self.dtype:
                raise TypeError(f"{self}: input {i} is {t.dtype}, which {self.dtype} can't hold")
        return [TensorType(self.dtype, (len(input_types),))]

    def compute(self, node: Apply, *values: Any) -> Any:
        return np.array(values, dtype=self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(len(node.inputs),)]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        return [g[i] for i in range(len(inputs))]


_shape = Shape()


def shape_i(x: Any, i: int) -> Any:
    """Return the length of axis `i` of `x` as an int64 of rank 0; a constant if it is static.

    Parameters
    ----------
    x
        A tensor.
    i
        The axis.

    Examples
    --------
    >>> shape_i([[1, 2, 3]], 1).eval()
    array(3)
    """
    x = x if has_shape(x) else as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(i, LogicTerm):
        return Shape_i(i)(x)
    i = normalize_axis(i, x.type.ndim, "shape_i")
    length = x.type.shape[i]
    return Shape_i(i)(x) if length is None else constant(length, dtype="int64")


def shape(x: Any) -> Any:
    """Return the shape of `x` as a vector of int64; a constant if it is static.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> shape([[1, 2, 3]]).eval()
    array([1, 3])
    """
    x = x if has_shape(x) else as_tensor_variable(x)
    if not isinstance(x, LogicTerm) and None not in x.type.shape:
        return constant(np.array(x.type.shape, dtype="int64"))
    return _shape(x)


def lengths(x: Any) -> tuple[Any, ...]:
    """Return the lengths of the axes of `x` as a tuple: static ones as ints, others as int64s."""
    return tuple(Shape_i(i)(x) if n is None else n for i, n in enumerate(x.type.shape))


def inferred_shape(var: Any) -> tuple[Any, ...] | None:
    """Return the lengths of the axes of `var` as its node infers them from its inputs.

    Returns
    -------
    lengths
        ints where they are known, else integer variables; None if the op can't tell.
    """
    node = var.owner
    shapes = [lengths(v) if has_shape(v) else None for v in node.inputs]
    try:
        shape = node.op.infer_shape(None, node, shapes)[var.index]
    except MethodNotDefined:
        return None
    return merged_lengths(var.type.shape, shape)


def product(lengths: Sequence[Any]) -> Any:
    """Return the product of ints and integer variables: an int if all of them are ints, and None if
    one is None, a length that is not known."""
    if any(n is None for n in lengths):
        return None
    total: Any = math.prod(n for n in lengths if isinstance(n, int))
    for n in lengths:
        if not isinstance(n, int):
            total = n if isinstance(total, int) and total == 1 else total * n
    return total


def lesser(n: Any, m: Any) -> Any:
    """Return the lesser of two lengths, as `product` does their product."""
    return _extreme(n, m, min, minimum)


def greater(n: Any, m: Any) -> Any:
    """Return the greater of two lengths, as `product` does their product."""
    return _extreme(n, m, max, maximum)


def _extreme(n: Any, m: Any, of_ints: Callable[..., Any], of_tensors: Callable[..., Any]) -> Any:
    if n is None or m is None:
        return None
    return (of_ints if isinstance(n, int) and isinstance(m, int) else of_tensors)(n, m)


def size(x: Any, axis: int | None = None) -> Any:
    """Return the number of elements of `x`, or its length along `axis`, as an int64 of rank 0.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis; None for all.

    Examples
    --------
    >>> size([[1, 2, 3]]).eval()
    array(3)
    """
    if axis is not None:
        return shape_i(x, axis)
    total = product(lengths(as_tensor_variable(x)))
    return constant(total, dtype="int64") if isinstance(total, int) else total


def as_length(n: Any, what: str) -> Any:
    """Return a length of an axis: an int if it is a constant, else an integer variable of rank 0.

    Parameters
    ----------
    n
        An integer, or an integer variable or constant of rank 0.
    what
        The name of the calling function, for the error.

    Raises
    ------
    TypeError
        If `n` is none of these.
    """
    known = static_int(n)
    if known is not None:
        return known
    if isinstance(n, LogicTerm):
        return n
    v = as_tensor_variable(n)
    if v.type.ndim != 0 or np.dtype(v.type.dtype).kind not in "iu":
        raise TypeError(f"{what}: {n} is a {v.type} where an integer of rank 0 is wanted")
    return v


def as_lengths(shape: Any, what: str) -> tuple[Any, ...]:
    """Return a shape as a tuple of lengths; see `as_length`.

    Parameters
    ----------
    shape
        A length, a sequence of lengths, or an integer vector of known length.
    what
        The name of the calling function, for the error.

    Raises
    ------
    TypeError
        If `shape` is none of these.
    """
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    if isinstance(shape, tuple | list):
        return tuple(as_length(n, what) for n in shape)
    if not isinstance(shape, Variable) or shape.type.ndim == 0:
        return (as_length(shape, what),)
    vector: Any = shape
    if vector.type.ndim != 1 or vector.type.shape[0] is None:
        raise TypeError(
            f"{what}: the shape {vector} is a {vector.type}; how many dimensions there are "
            "must be known, so give a tuple or a vector of known length"
        )
    if isinstance(vector, Constant):
        return tuple(as_length(int(n), what) for n in vector.data)
    return tuple(as_length(vector[i], what) for i in range(vector.type.shape[0]))


def as_shape_vector(shape: Any, what: str) -> Any:
    """Return a shape as a vector of int64; a constant if all lengths are known."""
    if isinstance(shape, Variable) and shape.type.ndim == 1:
        return cast(shape, "int64")
    entries = as_lengths(shape, what)
    if all(isinstance(n, int) for n in entries):
        return constant(np.array(entries, dtype="int64"))
    return MakeVector("int64")(*entries)


def known_length(n: Any) -> Any:
    """Return a length as an int if it is known ahead, else the variable that it is."""
    known = static_int(n)
    return n if known is None else known


def known_entries(vector: Variable) -> list[Any] | None:
    """Return the entries of a vector of integers, ints where they are known.

    Returns
    -------
    entries
        None if `vector` is neither a constant nor made of its entries.
    """
    if isinstance(vector, Constant):
        return [int(n) for n in vector.data]
    if vector.owner is not None and isinstance(vector.owner.op, MakeVector):
        return [known_length(n) for n in vector.owner.inputs]
    return None


def known_elements(vector: Variable, count: int) -> tuple[int | None, ...]:
    """Return the elements of a vector of `count` lengths; None for those that are not known."""
    if vector.owner is not None and isinstance(vector.owner.op, Shape):
        of: Any = vector.owner.inputs[0]
        return tuple(of.type.shape)
    entries = known_entries(vector)
    return (None,) * count if entries is None else tuple(map(static_int, entries))


def _fitting(entries: Sequence[Any], total: int) -> tuple[int, ...] | None:
    """Return the shape that entries, of which one may be -1, give `total` elements; None if they
    don't fit."""
    rest = math.prod([n for n in entries if n != -1])
    if -1 in entries:
        fits = entries.count(-1) == 1 and rest > 0 and total % rest == 0
    else:
        fits = rest == total
    return tuple([total // rest if n == -1 else n for n in entries]) if fits else None


class Reshape(Op):
    """The elements of a tensor, in C order, in another shape. The result may be a view.

    The inputs are the tensor and the new shape, a vector of int64. One element of the shape may be
    -1 for the length that follows from the number of elements.

    Parameters
    ----------
    ndim
        The rank of the output.
    """

    nout = 1
    __props__ = ("ndim",)
    view_map = {0: [0]}
    connected_inputs = (0,)

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def __str__(self) -> str:
        return f"reshape{{{self.ndim}}}"

    def make_node(self, *inputs: Any) -> Apply:
        if len(inputs) != 2:
            raise TypeError(f"{self} takes 2 inputs, a tensor and a shape, not {len(inputs)}")
        x, vector = as_tensor_variable(inputs[0]), as_shape_vector(inputs[1], "reshape")
        if vector.type.shape[0] not in (None, self.ndim):
            raise ValueError(f"{self}: the shape {vector} has {vector.type.shape[0]} elements")
        shape = self._static_shape(x.type, known_elements(vector, self.ndim))
        return Apply(self, [x, vector], [TensorType(x.type.dtype, shape)()])

    def _static_shape(
        self, x: TensorType, entries: tuple[int | None, ...]
    ) -> tuple[int | None, ...]:
        """Return the static shape of the output."""
        if entries.count(-1) > 1 or any(n is not None and n < -1 for n in entries):
            raise ValueError(f"reshape: {entries} is no shape (one element may be -1)")
        total = product(x.shape)
        if total is None or None in entries:
            return tuple(None if n == -1 else n for n in entries)
        found = _fitting(entries, total)
        if found is None:
            raise ValueError(f"reshape: {total} elements (shape {x.shape}) don't fit {entries}")
        return found

    def compute(self, node: Apply, x: Any, vector: Any) -> Any:
        return np.reshape(x, self.checked_shape(node, x, vector))

    def checked_shape(self, node: Apply, x: Any, vector: Any) -> tuple[int, ...]:
        """Return the shape of the output, for the values of the inputs.

        Raises
        ------
        ValueError
            If there is no such shape, or the elements don't fit it.
        """
        wanted = tuple(vector.tolist())
        if len(wanted) != self.ndim:
            raise ValueError(f"{self}: the shape {node.inputs[1]} has {len(wanted)} elements")
        if min(wanted, default=0) < -1:  # which NumPy takes for -1
            raise ValueError(f"{self}: the shape {node.inputs[1]} is {wanted}")
        found = _fitting(wanted, x.size)
        if found is None:
            raise ValueError(
                f"reshape: {node.inputs[0]} has shape {x.shape}, the elements of which don't fit "
                f"{wanted}"
            )
        return found

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        vector: Any = node.inputs[1]
        known: Sequence[int | None] = node.outputs[0].type.shape
        if None not in known:
            return [tuple(known)]
        constants = known_elements(vector, self.ndim)
        entries = [vector[i] if n is None else n for i, n in enumerate(constants)]
        total, rest = product(shapes[0]), product(entries)
        if isinstance(rest, int):
            inferred = total // -rest if rest else total
        else:
            inferred = total // switch(eq(rest, 0), 1, -rest)
        lengths = []
        may_be_inferred = -1 not in constants
        for static, n, entry in zip(known, constants, entries, strict=True):
            if static is not None:
                lengths.append(static)
            elif n == -1:
                lengths.append(inferred)
            else:
                either = switch(eq(entry, -1), inferred, entry) if may_be_inferred else entry
                lengths.append(either)
        return [tuple(lengths)]

    def grad(self, inputs: Variables, output_gradients: Variables) -> list[Any]:
        x = inputs[0]
        return [reshape(output_gradients[0], lengths(x)), disconnected()]


class SpecifyShape(TensorOp):
    """Its input with a declared static shape; a ValueError at run time if the shape is another.

    Parameters
    ----------
    shape
        For each axis its length, or None if nothing is said of it.
    """

    __props__ = ("shape",)
    view_map = {0: [0]}

    def __init__(self, shape: Sequence[int | None]) -> None:
        self.shape = tuple(shape)

    def __str__(self) -> str:
        return f"specify_shape{{{', '.join('?' if n is None else str(n) for n in self.shape)}}}"

    def output_types(self, x: TensorType) -> list[TensorType]:
        if x.ndim != len(self.shape):
            raise TypeError(f"{self}: the input is a {x} of {x.ndim} dimensions")
        for axis, (n, m) in enumerate(zip(x.shape, self.shape, strict=True)):
            if n is not None and m is not None and n != m:
                raise ValueError(f"{self}: axis {axis} of the input has length {n}, not {m}")
        return [TensorType(x.dtype, merged_lengths(x.shape, self.shape))]

    def compute(self, node: Apply, x: Any) -> Any:
        for axis, n in enumerate(self.shape):
            if n is not None and x.shape[axis] != n:
                raise ValueError(
                    f"{self}: axis {axis} of {node.inputs[0]} has length {x.shape[axis]}, not {n} "
                    f"(its shape is {x.shape})"
                )
        return x

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [merged_lengths(self.shape, shapes[0])]

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        pairs = zip(shapes[0], self.shape, strict=True)
        return [(length, n) for length, n in pairs if n is not None]

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [specify_shape(g, self.shape)]


def specify_shape(x: Any, shape: Any) -> Any:
    """Return `x` with a declared static shape, which is checked at run time.

    Parameters
    ----------
    x
        A tensor.
    shape
        For each axis an int; None to declare nothing. A length that is a variable is checked alone.

    Raises
    ------
    TypeError
        If a length is neither, or `x` has another rank.
    ValueError
        If the static shape of `x` is another one.
    """
    x = as_tensor_variable(x)
    if isinstance(shape, int) or shape is None:
        shape = (shape,)
    shape = tuple(shape)
    entries = tuple(None if n is None else static_int(n) for n in shape)
    wanted = {
        axis: length
        for axis, (length, n) in enumerate(zip(shape, entries, strict=True))
        if length is not None and n is None
    }
    for length in wanted.values():
        if getattr(getattr(length, "type", None), "ndim", None) != 0:
            raise TypeError(f"specify_shape: {length} is no int, and no variable of rank 0")
    if wanted and not isinstance(x, LogicTerm):
        conditions = [eq(shape_i(x, axis), length) for axis, length in wanted.items()]
        x = Assert(f"specify_shape: {x} has another shape")(x, *conditions)
    if isinstance(x, LogicTerm):
        return SpecifyShape(entries)(x)
    if len(entries) == x.type.ndim and all(
        m is None or n == m for n, m in zip(x.type.shape, entries, strict=True)
    ):
        return x
    return SpecifyShape(entries)(x)


def reshape(x: Any, newshape: Any, ndim: int | None = None, order: str = "C") -> Any:
    """Return the elements of `x` in another shape. The result may be a view.

    Parameters
    ----------
    x
        A tensor.
    newshape
        An int, a tuple of ints and integer variables, or an integer vector. One element may be -1
        for the length that follows from the number of elements.
    ndim
        The rank of the result, if `newshape` is a vector of unknown length.
    order
        In which order the elements are taken and placed: "C" if those of the last axis follow on
        each other, "F" if those of the first one do.

    Raises
    ------
    TypeError
        If the rank of the result is not known.
    ValueError
        If the static shape of `x` does not fit, or there is no such order.
    """
    x = as_tensor_variable(x)
    if order not in ("C", "F"):
        raise ValueError(f"reshape: the order is 'C' or 'F', not {order!r}")
    if order == "F":
        backward: Any = newshape
        if isinstance(newshape, Sequence | Variable):
            backward = backward[::-1]
        return transpose(reshape(transpose(x), backward, ndim))
    vector = as_shape_vector(newshape, "reshape")
    if ndim is None and not isinstance(vector, LogicTerm):
        ndim = vector.type.shape[0]
    if ndim is None:
        raise TypeError(f"reshape: {newshape} is a vector of unknown length; give ndim")
    return Reshape(ndim)(x, vector)


def flatten(x: Any, ndim: int = 1) -> Any:
    """Return `x` with its last axes flattened into one, so that its rank is `ndim`.

    Raises
    ------
    TypeError
        If `ndim` is no int.
    ValueError
        If `ndim` is less than 1, or greater than the rank of `x` and 1.
    """
    x = as_tensor_variable(x)
    if not isinstance(ndim, int):
        raise TypeError(f"flatten: ndim is {ndim!r}, not an int; `ravel` takes an order")
    if ndim < 1 or ndim > max(x.type.ndim, 1):
        raise ValueError(f"flatten: ndim is {ndim}, and the input has {x.type.ndim} dimensions")
    if x.type.ndim == ndim:
        return x
    if ndim == 1:
        return reshape(x, (-1,))
    dims = lengths(x)
    return reshape(x, (*dims[: ndim - 1], product(dims[ndim - 1 :])))


def with_axes_joined(x: Any, axes: Sequence[int]) -> Any:
    """Return `x` with some axes put together as the last one."""
    others = [i for i in range(x.type.ndim) if i not in axes]
    sizes = lengths(x)
    shape = (*[sizes[i] for i in others], product([sizes[i] for i in axes]))
    return reshape(transpose(x, (*others, *axes)), shape)


def ravel(x: Any, order: str = "C") -> Any:
    """Return the elements of `x` as a vector.

    Parameters
    ----------
    x
        A tensor.
    order
        "C" if the elements of the last axis follow on each other, "F" if those of the first one do.

    Examples
    --------
    >>> ravel([[1, 2], [3, 4]]).eval()
    array([1, 2, 3, 4])
    """
    return flatten(x) if order == "C" else reshape(x, -1, order=order)


def squeeze(x: Any, axis: Any = None) -> Any:
    """Return `x` without some axes of length 1.

    Parameters
    ----------
    x
        A tensor.
    axis
        An int or a sequence of ints; where the static length is not known, a check at run time is
        added. None for all axes of static length 1.

    Raises
    ------
    AsksForType
        If `x` is a logic variable, and `axis` None.
    ValueError
        If an axis has another static length.
    """
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        if axis is None:
            raise AsksForType("squeeze of a logic variable needs axes: its shape is not known")
        return _reordered(x, "squeeze", _as_tuple(axis))
    ndim = x.type.ndim
    if axis is None:
        axes: tuple[int, ...] = tuple(i for i, n in enumerate(x.type.shape) if n == 1)
    else:
        axes = normalize_axes(axis, ndim, "squeeze")
    if not axes:
        return x
    for a in axes:
        if x.type.shape[a] not in (None, 1):
            raise ValueError(f"squeeze: axis {a} has length {x.type.shape[a]}, not 1")
    x = specify_shape(x, tuple(1 if i in axes else None for i in range(ndim)))
    return _reordered(x, "squeeze", axes)


def _as_tuple(axis: Any) -> tuple[Any, ...]:
    return tuple(axis) if isinstance(axis, tuple | list) else (axis,)


def expand_dims(x: Any, axis: Any) -> Any:
    """Return `x` with new axes of length 1; `axis` says which axes of the result are new.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes.

    Examples
    --------
    >>> expand_dims([1, 2], 1).eval()
    array([[1],
           [2]])
    """
    return _reordered(x, "expand_dims", _as_tuple(axis))


def _reordered(x: Any, function: str, *arguments: Any) -> Any:
    """Return `x` with its axes in an order that depends on its rank; `x` itself if it is theirs."""
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        return RelativeDimShuffle(function, arguments)(x)
    new = ORDERS[function](x.type.ndim, *arguments)
    return x if new == tuple(range(x.type.ndim)) else x.dimshuffle(*new)


def transpose(x: Any, axes: Any = None) -> Any:
    """Return `x` with its axes in the order `axes`; for None, in reverse order.

    Parameters
    ----------
    x
        A tensor.
    axes
        All axes of `x` in their new order.

    Examples
    --------
    >>> transpose([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    return _reordered(x, "transpose", None if axes is None else tuple(axes))


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Return `x` with two axes swapped.

    Parameters
    ----------
    x
        A tensor.
    axis1, axis2
        The axes.

    Examples
    --------
    >>> swapaxes([[1, 2], [3, 4]], 0, 1).eval()
    array([[1, 3],
           [2, 4]])
    """
    return _reordered(x, "swapaxes", axis1, axis2)


def moveaxis(x: Any, source: int, destination: int) -> Any:
    """Return `x` with the axis `source` moved to the position `destination`.

    Parameters
    ----------
    x
        A tensor.
    source
        The axis.
    destination
        Its new position.
    """
    return _reordered(x, "moveaxis", source, destination)

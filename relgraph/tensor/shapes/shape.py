"""Shapes as values: `Shape`, `Shape_i`, `MakeVector`, and the conversion of arguments to shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import RelativeOp, TypedOp
from relgraph.graph.utils import LogicTerm, MethodNotDefined
from relgraph.scalar.dtypes import check_dtype
from relgraph.tensor.axes import normalize_axis, static_int
from relgraph.tensor.basic import as_argument, as_tensor_variable, constant
from relgraph.tensor.math import cast
from relgraph.tensor.type import TensorType


def one_input(op: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the only input of an op as a list of a tensor variable.

    Raises
    ------
    TypeError
        If there is not exactly one input, or it is no tensor.
    """
    if len(inputs) != 1:
        raise TypeError(f"{op} takes 1 input, not {len(inputs)}")
    return [as_argument(inputs[0], op)]


def has_shape(x: Any) -> bool:
    """Return whether `x` is a variable whose values have a shape: a tensor, or a sparse matrix."""
    return isinstance(x, Variable) and isinstance(getattr(x.type, "shape", None), tuple)


def _one_with_shape(op: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the only input of an op as a list of a variable that has a shape."""
    return [inputs[0]] if len(inputs) == 1 and has_shape(inputs[0]) else one_input(op, inputs)


class Shape(TypedOp):
    """The shape of a tensor or a sparse matrix, as a vector of int64."""

    __props__ = ()

    def __str__(self) -> str:
        return "shape"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return _one_with_shape(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        return [TensorType("int64", (input_types[0].ndim,))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = np.asarray(np.shape(inputs[0]), dtype="int64")

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(len(shapes[0]),)]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False]]


class Shape_i(RelativeOp):
    """The length of one axis of a tensor or a sparse matrix, as an int64 of rank 0.

    Parameters
    ----------
    i
        The axis, in a node counted from the front.
    """

    __props__ = ("i",)

    def __init__(self, i: int) -> None:
        self.i = i
        self.relative = Shape_i if i < 0 else None

    def for_inputs(self, inputs: Sequence[Any]) -> Any:
        return Shape_i(normalize_axis(self.i, inputs[0].type.ndim, str(self)))

    def __str__(self) -> str:
        return f"shape_i{{{self.i}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return _one_with_shape(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        normalize_axis(self.i, input_types[0].ndim, str(self))
        return [TensorType("int64", ())]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = np.asarray(np.shape(inputs[0])[self.i], dtype="int64")

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [()]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False]]


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

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = np.array(inputs, dtype=self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(len(node.inputs),)]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        g: Any = output_gradients[0]
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
    known = var.type.shape
    return tuple(s if n is None else n for n, s in zip(known, shape, strict=True))


def product(lengths: Sequence[Any]) -> Any:
    """Return the product of ints and integer variables: an int if all of them are ints."""
    total: Any = math.prod(n for n in lengths if isinstance(n, int))
    for n in lengths:
        if not isinstance(n, int):
            total = n if isinstance(total, int) and total == 1 else total * n
    return total


def size(x: Any) -> Any:
    """Return the number of elements of `x` as an int64 of rank 0.

    Parameters
    ----------
    x
        A tensor.

    >>> size([[1, 2, 3]]).eval()
    array(3)
    """
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

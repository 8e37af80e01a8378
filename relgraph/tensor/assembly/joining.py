"""`Join` and `Split`, and NumPy's functions for joining and splitting tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op, RelativeOp
from relgraph.graph.type import DisconnectedType, disconnected
from relgraph.graph.unify import nth
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import is_discrete, result_dtype
from relgraph.tensor.assembly.creation import zeros_like
from relgraph.tensor.axes import merge_lengths, normalize_axis
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.math import cast
from relgraph.tensor.shapes.reshaping import expand_dims
from relgraph.tensor.shapes.shape import MakeVector, as_shape_vector, lengths
from relgraph.tensor.type import TensorType


class Join(RelativeOp):
    """Tensors of one rank, concatenated along an axis; the lengths of their other axes agree.

    Parameters
    ----------
    axis
        The axis, in a node counted from the front.
    """

    __props__ = ("axis",)

    def __init__(self, axis: int) -> None:
        self.axis = axis
        self.relative = Join if axis < 0 else None

    def for_inputs(self, inputs: Sequence[Any]) -> Any:
        return Join(normalize_axis(self.axis, inputs[0].type.ndim, "join"))

    def __str__(self) -> str:
        return f"join{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if not inputs:
            raise TypeError(f"{self} takes at least 1 input")
        return [as_argument(v, self, i) for i, v in enumerate(inputs)]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        ndim = input_types[0].ndim
        for i, t in enumerate(input_types):
            if t.ndim != ndim:
                raise TypeError(f"{self}: input 0 has {ndim} dimensions, input {i} {t.ndim} ({t})")
        axis = normalize_axis(self.axis, ndim, "join")
        shape: list[int | None] = []
        for i in range(ndim):
            lengths_of_axis = [t.shape[i] for t in input_types]
            known = [n for n in lengths_of_axis if n is not None]
            if i != axis:
                shape.append(merge_lengths(lengths_of_axis, i, str(self)))
            else:
                shape.append(sum(known) if len(known) == len(lengths_of_axis) else None)
        return [TensorType(result_dtype(*[t.dtype for t in input_types]), tuple(shape))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        first = inputs[0]
        for v, x in zip(node.inputs, inputs, strict=True):
            for i, (n, m) in enumerate(zip(x.shape, first.shape, strict=True)):
                if n != m and i != self.axis:
                    raise ValueError(
                        f"{self}: axis {i} of {v} has length {n}, of {node.inputs[0]} {m}"
                    )
        output_storage[0][0] = np.concatenate(inputs, axis=self.axis)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        shape = list(shapes[0])
        shape[self.axis] = sum((s[self.axis] for s in shapes[1:]), shape[self.axis])
        return [tuple(shape)]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        sizes = MakeVector("int64")(*[lengths(x)[self.axis] for x in inputs])
        parts = Split(len(inputs), self.axis)(output_gradients[0], sizes, return_list=True)
        return [
            disconnected() if is_discrete(x.type.dtype) else part
            for x, part in zip(inputs, parts, strict=True)
        ]


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
        static: list[int | None] = [None] * self.len_splits
        if hasattr(sizes, "data"):
            constants = [int(n) for n in sizes.data]
            static = [*constants]
            total = x.type.shape[axis]
            if total is not None and sum(constants) != total:
                raise ValueError(f"{self}: lengths {static} of an axis of length {total}")
        shape = x.type.shape
        types = [TensorType(x.type.dtype, (*shape[:axis], n, *shape[axis + 1 :])) for n in static]
        return Apply(self, [x, sizes], [t() for t in types])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, sizes = inputs
        total = x.shape[self.axis]
        if len(sizes) != self.len_splits or sizes.sum() != total or (sizes < 0).any():
            raise ValueError(
                f"{self}: lengths {sizes.tolist()} for axis {self.axis} of {node.inputs[0]}, "
                f"which has length {total}"
            )
        parts = np.split(x, np.cumsum(sizes)[:-1], axis=self.axis)
        for cell, part in zip(output_storage, parts, strict=True):
            cell[0] = part

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x = shapes[0]
        sizes: Any = node.inputs[1]
        return [(*x[: self.axis], sizes[i], *x[self.axis + 1 :]) for i in range(self.len_splits)]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True] * self.len_splits, [False] * self.len_splits]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
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


def join(axis: int, *tensors: Any) -> Any:
    """Return tensors of one rank, concatenated along `axis`.

    Parameters
    ----------
    axis
        The axis.
    tensors
        The tensors, whose lengths may differ along `axis` alone.

    >>> join(0, [1, 2], [3]).eval()
    array([1, 2, 3])
    """
    parts = _as_parts(tensors, "join")
    if any(isinstance(v, LogicTerm) for v in (axis, *parts)):
        return parts[0] if len(parts) == 1 else Join(axis)(*parts)
    axis = normalize_axis(axis, parts[0].type.ndim, "join")
    return parts[0] if len(parts) == 1 else Join(axis)(*parts)


def concatenate(tensors: Any, axis: int = 0) -> Any:
    """Return the tensors of a sequence, which have one rank, concatenated along `axis`.

    Parameters
    ----------
    tensors
        The tensors, whose lengths may differ along `axis` alone.
    axis
        The axis.

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

    >>> vstack([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    parts = _as_parts(tensors, "vstack")
    rows = [expand_dims(v, tuple(range(2 - v.type.ndim))) if v.type.ndim < 2 else v for v in parts]
    return join(0, *rows)


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

"""Shapes, axes, and tensors made of others or of nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import relgraph.tensor as at
from relgraph.bridges.pytensor.names import axis_and_others
from relgraph.graph.basic import Constant
from relgraph.tensor.assembly.creation import Alloc, ARange, Eye
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.axes import static_int
from relgraph.tensor.functions.nonzero import Nonzero
from relgraph.tensor.functions.searching import SearchSorted
from relgraph.tensor.shapes.reshaping import Reshape
from relgraph.tensor.shapes.shape import MakeVector, Shape, Shape_i, lengths, product


def dimshuffled(reader: Any, node: Any, x: Any) -> Any:
    """Read a DimShuffle; that of a constant is a constant, as it is where one is written here."""
    if isinstance(x, Constant):
        return at.constant(_laid_out(x.data, node.op))
    dropped = tuple(node.op.drop)
    if dropped:
        x = at.specify_shape(x, [1 if i in dropped else None for i in range(x.type.ndim)])
    return x.dimshuffle(*node.op.new_order)


def _laid_out(value: Any, op: Any) -> Any:
    kept = value.reshape([n for i, n in enumerate(value.shape) if i not in op.drop])
    places = sorted(op.shuffle)
    moved = kept.transpose([places.index(axis) for axis in op.shuffle])
    return moved[tuple([None if axis == "x" else slice(None) for axis in op.new_order])]


def joined_axes(reader: Any, node: Any, x: Any) -> Any:
    first, count = node.op.start_axis, node.op.n_axes
    dims = lengths(x)
    here = dims[first : first + count]
    return at.reshape(x, (*dims[:first], product(here), *dims[first + count :]))


def split_axis(reader: Any, node: Any, x: Any, parts: Any) -> Any:
    n = node.outputs[0].type.ndim - x.type.ndim + 1
    axis, dims = node.op.axis, lengths(x)
    return at.reshape(x, (*dims[:axis], *[parts[i] for i in range(n)], *dims[axis + 1 :]))


def declared(reader: Any, node: Any, x: Any, *wanted: Any) -> Any:
    """Read a SpecifyShape; only lengths that are known can be declared here."""
    known = [static_int(n) if hasattr(n.type, "dtype") else None for n in wanted]
    if any(k is None and hasattr(n.type, "dtype") for k, n in zip(known, wanted, strict=True)):
        return None
    return at.specify_shape(x, known)


def joined(reader: Any, node: Any, *inputs: Any) -> Any:
    axis, tensors = axis_and_others(node.op, inputs, 0)
    return None if axis is None else Join(axis)(*tensors)


def parted(reader: Any, node: Any, *inputs: Any) -> Any:
    axis, (x, sizes) = axis_and_others(node.op, inputs, 1)
    if axis is None:
        return None
    return Split(node.op.len_splits, axis)(x, at.cast(sizes, "int64"), return_list=True)


def vector_of(reader: Any, node: Any, *numbers: Any) -> Any:
    dtype = node.op.dtype
    return MakeVector(dtype)(*[at.cast(n, dtype) for n in numbers])


def found_in(reader: Any, node: Any, x: Any, v: Any, sorter: Any = None) -> Any:
    return SearchSorted(node.op.side)(x if sorter is None else at.take(x, sorter, 0), v)


TABLE: dict[str, Callable[..., Any]] = {
    "tensor.elemwise.DimShuffle": dimshuffled,
    "tensor.shape.Reshape": lambda reader, node, x, n: Reshape(node.op.ndim)(
        x, at.cast(n, "int64")
    ),
    "tensor.shape.Shape": lambda reader, node, x: Shape()(x),
    "tensor.shape.Shape_i": lambda reader, node, x: Shape_i(node.op.i)(x),
    "tensor.shape.SpecifyShape": declared,
    "tensor.reshape.JoinDims": joined_axes,
    "tensor.reshape.SplitDims": split_axis,
    "tensor.basic.Alloc": lambda reader, node, value, *dims: Alloc()(value, *dims),
    "tensor.basic.MakeVector": vector_of,
    "tensor.basic.Join": joined,
    "tensor.basic.Split": parted,
    "tensor.basic.ARange": lambda reader, node, *limits: ARange(node.op.dtype)(*limits),
    "tensor.basic.Eye": lambda reader, node, n, m, k: Eye(node.op.dtype)(n, m, k),
    "tensor.basic.ExtractDiag": lambda reader, node, x: at.diagonal(
        x, node.op.offset, node.op.axis1, node.op.axis2
    ),
    "tensor.basic.Nonzero": lambda reader, node, x: Nonzero(x.type.ndim)(x, return_list=True),
    "tensor.extra_ops.SearchsortedOp": found_in,
}

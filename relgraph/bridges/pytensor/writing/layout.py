"""Shapes, axes, and tensors made of others or of nothing, for PyTensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytensor.tensor as pt
from pytensor.tensor import basic
from pytensor.tensor.extra_ops import SearchsortedOp
from pytensor.tensor.shape import Shape as PyTensorShape
from pytensor.tensor.shape import Shape_i as PyTensorShape_i

from relgraph.tensor.assembly.creation import Alloc, ARange, Eye
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.functions.nonzero import Nonzero
from relgraph.tensor.functions.searching import SearchSorted
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import MakeVector, Shape, Shape_i


def vector_of(writer: Any, node: Any, *numbers: Any) -> Any:
    dtype = node.op.dtype
    if not numbers:
        return pt.constant([], dtype=dtype)
    return basic.MakeVector(dtype)(*[pt.cast(n, dtype) for n in numbers])


def parted(writer: Any, node: Any, x: Any, sizes: Any) -> Any:
    return pt.split(x, sizes, n_splits=node.op.len_splits, axis=node.op.axis)


def ranged(writer: Any, node: Any, *limits: Any) -> Any:
    return basic.ARange(node.op.dtype)(*limits)


TABLE: dict[type, Callable[..., Any]] = {
    DimShuffle: lambda writer, node, x: x.dimshuffle(*node.op.new_order),
    Reshape: lambda writer, node, x, dims: pt.reshape(x, dims, ndim=node.op.ndim),
    Shape: lambda writer, node, x: PyTensorShape()(x),
    Shape_i: lambda writer, node, x: PyTensorShape_i(node.op.i)(x),
    SpecifyShape: lambda writer, node, x: pt.specify_shape(x, node.op.shape),
    Alloc: lambda writer, node, value, *dims: pt.alloc(value, *dims),
    MakeVector: vector_of,
    Join: lambda writer, node, *tensors: pt.join(node.op.axis, *tensors),
    Split: parted,
    ARange: ranged,
    Eye: lambda writer, node, n, m, k: basic.Eye(node.op.dtype)(n, m, k),
    Nonzero: lambda writer, node, x: basic.Nonzero()(x, return_list=True),
    SearchSorted: lambda writer, node, x, v: SearchsortedOp(node.op.side)(x, v),
}

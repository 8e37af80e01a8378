"""`sort` and `argsort`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import RelativeOp
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.along_axes.one_axis import OneAxis
from relgraph.tensor.assembly.creation import arange
from relgraph.tensor.axes import named_axis, normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.math import second
from relgraph.tensor.shapes.reshaping import flatten
from relgraph.tensor.shapes.shape import shape_i


class _BaseSort(OneAxis, RelativeOp):
    """Base class of `Sort` and `ArgSort`.

    Parameters
    ----------
    axis
        The axis, in a node counted from the front.
    """

    __props__ = ("axis",)
    name = ""

    def __init__(self, axis: int) -> None:
        self.axis = axis
        self.relative = type(self) if axis < 0 else None

    def for_inputs(self, inputs: Sequence[Any]) -> _BaseSort:
        return type(self)(normalize_axis(self.axis, inputs[0].type.ndim, self.name))

    def __str__(self) -> str:
        return f"{self.name}{{axis={self.axis}}}"


class Sort(_BaseSort):
    """The elements along an axis in ascending order, nan last; equal elements keep their order.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    """

    name = "sort"

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = np.sort(inputs[0], axis=self.axis, kind="stable")

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient, in the order of the input."""
        argsort_ = ArgSort(self.axis)
        inverse = argsort_(argsort_(inputs[0]))
        return [_take_along_axis(output_grads[0], inverse, self.axis)]


class ArgSort(_BaseSort):
    """The indices that sort the elements along an axis, as int64.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    """

    name = "argsort"

    def output_dtype(self, dtype: str) -> str:
        return "int64"

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        order = np.argsort(inputs[0], axis=self.axis, kind="stable")
        output_storage[0][0] = order.astype("int64", copy=False)

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [second(inputs[0], np.float64(0.0))]


def _take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    """Return the elements of `x` at some indices along an axis; both have the same shape."""
    ndim = x.type.ndim
    index: list[Any] = []
    for d in range(ndim):
        order: list[Any] = ["x"] * ndim
        order[d] = 0
        index.append(indices if d == axis else arange(shape_i(x, d)).dimshuffle(*order))
    return getitem(x, tuple(index))


def _apply(op: Any, x: Any, axis: int | None) -> Any:
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        return op(named_axis(axis, op.name))(x)
    if axis is None:
        x, axis = flatten(x), 0
    return op(normalize_axis(axis, x.type.ndim, op.name))(x)


def sort(x: Any, axis: int | None = -1) -> Any:
    """Return the elements of `x` along `axis` in ascending order; for None, of the flattened `x`.

    nan come last; equal elements keep their order.
    """
    return _apply(Sort, x, axis)


def argsort(x: Any, axis: int | None = -1) -> Any:
    """Return the indices that sort `x` along `axis`, as int64; see `sort`.

    As in NumPy, a tensor of rank 0 is taken for a vector of one element.
    """
    x = as_tensor_variable(x)
    if not isinstance(x, LogicTerm) and x.type.ndim == 0:
        x = flatten(x)
    return _apply(ArgSort, x, axis)

"""Elements in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.assembly.allocation import arange
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.math import second
from relgraph.tensor.shapes.reshaping import flatten
from relgraph.tensor.shapes.shape import one_input, shape_i
from relgraph.tensor.type import TensorType


class _Sorting(TypedOp):
    """What `Sort` and `ArgSort` share.

    Parameters
    ----------
    axis
        The axis, from 0 on.
    """

    __props__ = ("axis",)
    name = ""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def __str__(self) -> str:
        return f"{self.name}{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]


class Sort(_Sorting):
    """The elements along an axis from the least to the greatest, nan last; ties keep their order.

    Parameters
    ----------
    axis
        The axis, from 0 on.
    """

    name = "sort"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        normalize_axis(self.axis, x.ndim, self.name)
        return [x]

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
        """Return the gradient, each element of which goes back to where its own came from."""
        order = ArgSort(self.axis)
        back = order(order(inputs[0]))
        return [_along(output_grads[0], back, self.axis)]


class ArgSort(_Sorting):
    """Where the elements along an axis stand, from the least to the greatest, as int64.

    Parameters
    ----------
    axis
        The axis, from 0 on.
    """

    name = "argsort"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        normalize_axis(self.axis, x.ndim, self.name)
        return [TensorType("int64", x.shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        order = np.argsort(inputs[0], axis=self.axis, kind="stable")
        output_storage[0][0] = order.astype("int64", copy=False)

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [second(inputs[0], np.float64(0.0))]


def _along(x: Any, positions: Any, axis: int) -> Any:
    """Return the elements of `x` at `positions` along an axis; both have one shape."""
    ndim = x.type.ndim
    index: list[Any] = []
    for d in range(ndim):
        order: list[Any] = ["x"] * ndim
        order[d] = 0
        index.append(positions if d == axis else arange(shape_i(x, d)).dimshuffle(*order))
    return getitem(x, tuple(index))


def _sorting(op: Any, x: Any, axis: int | None) -> Any:
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        return op(axis)(x)
    if axis is None:
        x, axis = flatten(x), 0
    return op(normalize_axis(axis, x.type.ndim, op.name))(x)


def sort(x: Any, axis: int | None = -1) -> Any:
    """Return the elements of `x` along `axis` (of the flattened `x` for None) in order.

    nan come last; elements that tie keep their order.
    """
    return _sorting(Sort, x, axis)


def argsort(x: Any, axis: int | None = -1) -> Any:
    """Return where the elements of `sort` stand in `x` along `axis`, as int64.

    As in NumPy, what has no axes is taken for a vector of one element.
    """
    x = as_tensor_variable(x)
    if not isinstance(x, LogicTerm) and x.type.ndim == 0:
        x = flatten(x)
    return _sorting(ArgSort, x, axis)

"""Cosines and covariances of the elements of two tensors that stand at the same places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import cast
from relgraph.tensor.memory_layout import laid_out
from relgraph.tensor.reductions.norm import AlongAxes, Norm, scaled
from relgraph.tensor.reductions.reduction import restore_axes
from relgraph.tensor.reductions.statistics import mean
from relgraph.tensor.shapes.shape import lengths, product
from relgraph.tensor.type import TensorType


class _OfPairs(AlongAxes):
    """Base class of ops that drop some axes of two tensors of one shape.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != 2:
            raise TypeError(f"{self.name} takes two inputs, not {len(inputs)}")
        return [as_tensor_variable(x) for x in inputs]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        if x.dtype != y.dtype or x.ndim != y.ndim:
            raise TypeError(f"{self.name}: the inputs, a {x} and a {y}, are not of one type")
        return super().output_types(x)

    def of_one_shape(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return the values of both inputs, laid out in order.

        Raises
        ------
        ValueError
            If they have different shapes.
        """
        if x.shape != y.shape:
            raise ValueError(f"{self}: the inputs have the shapes {x.shape} and {y.shape}")
        return laid_out(x), laid_out(y)


class Cosine(_OfPairs):
    """The sum of products of two tensors over some axes, divided by the norms of both.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    name = "cosine"

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = self.of_one_shape(*inputs)
        with np.errstate(all="ignore"):
            (x, of_x, _), (y, of_y, _) = scaled(x, self.axis), scaled(y, self.axis)
            products = np.sum(x * y, axis=self.axis, keepdims=True)
            found = np.squeeze(products / (of_x * of_y), axis=self.axes(x.ndim))
        output_storage[0][0] = np.asarray(found, x.dtype)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x: Any = inputs[0]
        y: Any = inputs[1]
        axes, ndim = self.axes(x.type.ndim), x.type.ndim
        out, g, of_x, of_y = (
            restore_axes(v, axes, ndim)
            for v in (outputs[0], output_grads[0], Norm(self.axis)(x), Norm(self.axis)(y))
        )
        to_x, to_y = x / of_x, y / of_y
        return [g * ((to_y - out * to_x) / of_x), g * ((to_x - out * to_y) / of_y)]


class Covariance(_OfPairs):
    """The mean of the products of deviations from the means, over some axes.

    Where a deviation is infinite it is the mean of the products less the product of the means.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    name = "covariance"

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = self.of_one_shape(*inputs)
        axes = self.axes(x.ndim)
        with np.errstate(all="ignore"):
            count = x.dtype.type(np.prod([x.shape[axis] for axis in axes]))

            def average(v: Any) -> Any:
                return np.sum(v, axis=axes, keepdims=True) / count

            of_x, of_y = average(x), average(y)
            found = average((x - of_x) * (y - of_y))
            if not np.all(np.isfinite(found)):
                found = np.where(np.isfinite(found), found, average(x * y) - of_x * of_y)
        output_storage[0][0] = np.asarray(np.squeeze(found, axis=axes), x.dtype)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x: Any = inputs[0]
        y: Any = inputs[1]
        axes, ndim = self.axes(x.type.ndim), x.type.ndim
        every = lengths(x)
        count = cast(product([every[axis] for axis in axes]), x.type.dtype)
        share = restore_axes(output_grads[0] / count, axes, ndim)
        return [share * (v - mean(v, axis=axes, keepdims=True)) for v in (y, x)]

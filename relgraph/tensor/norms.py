"""The Euclidean norm without the overflow of the squares, and cosines and covariances of pairs.

The squares are summed as they are. Only where the sum is so large or so small that some may have
over- or underflowed they are summed again, scaled by a power of two: Blue, A Portable Fortran
Program to Find the Euclidean Norm of a Vector (1978); Higham, Accuracy and Stability of Numerical
Algorithms (2002), 27.8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.scalar.op import where_not
from relgraph.tensor.basic import AlongAxes
from relgraph.tensor.math import cast, check_one_shape, maximum
from relgraph.tensor.reductions import mean
from relgraph.tensor.shapes import expand_dims, lengths, product
from relgraph.tensor.type import TensorType


class _OfReals(AlongAxes):
    """Base class of ops that drop some axes of real floating-point numbers."""

    takes_floats = True


def scaled(xp: Any, x: Any, axes: tuple[int, ...] | None) -> tuple[Any, Any, Any]:
    """Return `x` divided by a power of two, the norm of that, and the power; the last two keep
    the axes, with length 1."""
    if xp is np:
        limits = np.finfo(x.dtype)
        squares = np.sum(np.square(x), axis=axes, keepdims=True)
        # what has underflowed is lost in the rounding of a sum from here on
        if np.all((squares >= limits.tiny / limits.eps) & (squares <= limits.max)):
            return x, np.sqrt(squares), x.dtype.type(1)
    greatest = xp.max(xp.abs(x), axis=axes, keepdims=True, initial=0)
    _, exponents = xp.frexp(xp.where(xp.isfinite(greatest), greatest, 1))
    power = xp.ldexp(xp.ones_like(greatest), exponents - 1)
    x = x / power
    return x, xp.sqrt(xp.sum(xp.square(x), axis=axes, keepdims=True)), power


class Norm(_OfReals):
    """The root of the sum of squares over some axes, which are dropped.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    def array_formula(self, xp: Any, x: Any) -> Any:
        _, root, power = scaled(xp, x, self.axis)
        return xp.squeeze(root * power, axis=self.axes(x.ndim))

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        axes = self.axes(x.type.ndim)
        # at the origin the slope has no direction: it is taken to be zero
        least = np.finfo(out.type.dtype).smallest_subnormal
        length = expand_dims(maximum(out, least), axes)
        return [expand_dims(g, axes) * (x / length)]


class _OfPairs(_OfReals):
    """Base class of ops that drop some axes of two tensors of one shape.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    nin = 2

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        if x.dtype != y.dtype or x.ndim != y.ndim:
            raise TypeError(f"{self.name}: the inputs, a {x} and a {y}, are not of one type")
        return super().output_types(x)

    def check(self, node: Apply, *values: Any) -> None:
        """Raise a ValueError if the inputs have different shapes."""
        check_one_shape(self, *values)


class Cosine(_OfPairs):
    """The sum of products of two tensors over some axes, divided by the norms of both.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    def array_formula(self, xp: Any, x: Any, y: Any) -> Any:
        (x, of_x, _), (y, of_y, _) = scaled(xp, x, self.axis), scaled(xp, y, self.axis)
        products = xp.sum(x * y, axis=self.axis, keepdims=True)
        return xp.squeeze(products / (of_x * of_y), axis=self.axes(x.ndim))

    def input_gradients(self, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
        axes = self.axes(x.type.ndim)
        out, g, of_x, of_y = (
            expand_dims(v, axes) for v in (out, g, Norm(self.axis)(x), Norm(self.axis)(y))
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

    def array_formula(self, xp: Any, x: Any, y: Any) -> Any:
        axes = self.axes(x.ndim)
        count = x.dtype.type(np.prod([x.shape[axis] for axis in axes]))

        def average(v: Any) -> Any:
            return xp.sum(v, axis=axes, keepdims=True) / count

        of_x, of_y = average(x), average(y)
        found = average((x - of_x) * (y - of_y))
        found = where_not(xp, xp.isfinite(found), found, lambda: average(x * y) - of_x * of_y)
        return xp.squeeze(found, axis=axes)

    def input_gradients(self, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
        axes = self.axes(x.type.ndim)
        every = lengths(x)
        count = cast(product([every[axis] for axis in axes]), x.type.dtype)
        share = expand_dims(g / count, axes)
        return [share * (v - mean(v, axis=axes, keepdims=True)) for v in (y, x)]

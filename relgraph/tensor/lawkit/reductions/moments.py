"""Counts of elements and kept axes, for the laws in `relations.reductions.moments`."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Variable
from relgraph.scalar.conversion import Cast
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.arithmetic.axis_orders import remaining_axes
from relgraph.tensor.lawkit.guards.axes import Axes, axis_numbers
from relgraph.tensor.lawkit.guards.constants import constant_number
from relgraph.tensor.math import mul
from relgraph.tensor.shapes.shape import Shape_i


def order_that_keeps(axes: Axes, x: Any) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that gives back the axes that a reduction of `x` took
    away, with length 1."""
    left = {axis: i for i, axis in enumerate(remaining_axes(axes, x.type.ndim))}
    return tuple([left.get(axis, "x") for axis in range(x.type.ndim)])


def rank_left(axes: Axes, x: Any) -> int:
    """Return how many axes a reduction of `x` leaves."""
    return len(remaining_axes(axes, x.type.ndim))


def is_count_of(count: Any, axes: Axes, x: Any) -> bool:
    """Return whether `count` is how many elements of `x` a reduction over `axes` combines."""
    lengths = [x.type.shape[axis] for axis in axis_numbers(axes, x.type.ndim)]
    known, factors = _factors(count)
    for axis, length in zip(axis_numbers(axes, x.type.ndim), lengths, strict=True):
        asked = next((f for f in factors if _reads_length(f, x, axis)), None)
        if asked is not None:
            factors.remove(asked)
        elif length and known % length == 0:
            known //= length
        else:
            return False
    return known == 1 and not factors


def is_count_of_either(count: Any, axes: Axes, x: Any, y: Any) -> bool:
    """Return whether `count` is how many elements of `x`, or of `y`, a reduction combines."""
    return is_count_of(count, axes, x) or is_count_of(count, axes, y)


def _factors(count: Any) -> tuple[int, list[Variable]]:
    """Return a count as a whole number and what it is multiplied by; the number is 0 if it is not
    whole."""
    while count.owner is not None and _repeats_or_casts(count.owner.op):
        count = count.owner.inputs[0]
    owner = count.owner
    parts = list(owner.inputs) if owner is not None and owner.op is mul else [count]
    number, factors = 1.0, []
    for part in parts:
        value = constant_number(part)
        if isinstance(value, int | float):
            number *= value
        else:
            factors.append(part)
    return (int(number) if number.is_integer() else 0), factors


def _repeats_or_casts(op: Any) -> bool:
    return isinstance(op, DimShuffle) or (
        isinstance(op, Elemwise) and isinstance(op.scalar_op, Cast)
    )


def _reads_length(length: Variable, x: Any, axis: int) -> bool:
    """Return whether a variable is the length of `x`, or of an elementwise function of it: an axis
    of `x` that is not known to have length 1 does not broadcast."""
    node = length.owner
    if node is None or not isinstance(node.op, Shape_i) or node.op.i != axis:
        return False
    read = node.inputs[0]
    if read is x:
        return True
    elementwise = read.owner is not None and isinstance(read.owner.op, Elemwise)
    return elementwise and x in read.owner.inputs and x.type.shape[axis] != 1

"""How often broadcasting repeats an element along the axes of a reduction, as an expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.guards.types import seen_constant
from relgraph.tensor.lawkit.layout.axis_orders import Axes, axes_of
from relgraph.tensor.math import cast
from relgraph.tensor.reductions.reduction import CAReduce, reduced_dtype
from relgraph.tensor.shapes.shape import lengths, product


def repeated_axes(x: Any, axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return those of `axes` that `x` is known to be repeated along when broadcast to `ndim`."""
    missing = ndim - x.type.ndim
    return tuple([a for a in axes_of(axes, ndim) if a < missing or x.type.shape[a - missing] == 1])


def is_repeated(x: Any, axes: Axes, ndim: int) -> bool:
    """Return whether some of `axes` only repeat `x` when it is broadcast to `ndim` axes."""
    return bool(repeated_axes(x, axes, ndim))


def counts_well(x: Any) -> bool:
    """Return whether the dtype of `x` holds a count of elements; that of float16 ends too soon."""
    return bool(x.type.dtype != "float16")


def repeats(x: Any, axes: Axes, shape: Sequence[Any]) -> Variable:
    """Return how often each element of `x` comes along `axes` when it is broadcast to `shape`.

    Parameters
    ----------
    shape
        The lengths, ints or integer variables.

    Returns
    -------
    count
        It has rank 0 and the dtype that `x` is summed in.
    """
    known = [n if (given := static_int(n)) is None else given for n in shape]
    total = product([known[a] for a in repeated_axes(x, axes, len(known))])
    dtype = reduced_dtype(np.add, x.type.dtype)
    made = constant(total, dtype=dtype) if isinstance(total, int) else cast(total, dtype)
    assert isinstance(made, Variable)
    return made


def repeats_like(x: Any, axes: Axes, y: Any) -> Variable:
    """Return how often each element of `x` comes along `axes` when it is filled into the shape of
    `y`; see `repeats`."""
    return repeats(x, axes, lengths(y))


def is_never_empty(axes: Axes, shape: Sequence[Any]) -> bool:
    """Return whether `axes` of a `shape` are known to have elements."""
    return all(static_int(shape[a]) for a in axes_of(axes, len(shape)))


def has_elements_along(x: Any, axes: Axes) -> bool:
    """Return whether `axes` of `x` are known to have elements."""
    return is_never_empty(axes, x.type.shape)


def has_length_one_along(x: Any, axes: Axes) -> bool:
    """Return whether `axes` of `x`, of which there are some, are known to have length 1."""
    every = axes_of(axes, x.type.ndim)
    return bool(every) and all(x.type.shape[a] == 1 for a in every)


def is_idempotent(scalar_op: Any) -> bool:
    """Return whether reducing copies of an element by `scalar_op` gives the element."""
    return scalar_op in (scalar.maximum, scalar.minimum, scalar.and_, scalar.or_)


def reduces_apart(scalar_op: Any, axes: Axes, parts: Sequence[Any]) -> bool:
    """Return whether `parts` can be reduced each for itself, and the results combined.

    They have one dtype, and elements if `scalar_op` needs some.
    """
    if len({v.type.dtype for v in parts}) > 1:
        return False
    extreme = scalar_op in (scalar.maximum, scalar.minimum)
    return not extreme or all(has_elements_along(v, axes) for v in parts)


def reduces_scalars(scalar_op: Any, parts: Sequence[Any]) -> bool:
    """Return whether reducing a vector of `parts` is applying `scalar_op` to them."""
    dtypes = {v.type.dtype for v in parts}
    return len(dtypes) == 1 and dtypes == {reduced_dtype(scalar_op.ufunc, *dtypes)}


def each_reduced(scalar_op: Any, axes: Axes, parts: Sequence[Any]) -> list[Any]:
    """Return the reductions of `parts` over `axes`."""
    reduce = CAReduce(scalar_op, axes)
    return [reduce(v) for v in parts]


def is_one(x: Any) -> bool:
    """Return whether `x` is known to be one everywhere."""
    data = seen_constant(x)
    return data is not None and data.size > 0 and bool(np.all(data == 1))

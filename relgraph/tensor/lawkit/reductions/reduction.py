"""Axes and counts of reductions, for the laws in `relations.reductions.reduction`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.arithmetic.axis_orders import Order, canonical_axes, remaining_axes
from relgraph.tensor.lawkit.guards.axes import Axes, axis_numbers, is_nonempty_along
from relgraph.tensor.lawkit.guards.numbers import is_nonzero_number, real_number
from relgraph.tensor.lawkit.guards.shapes import known_length
from relgraph.tensor.lawkit.guards.types import has_room, is_complex
from relgraph.tensor.math import cast
from relgraph.tensor.reductions.reduction import CAReduce, reduced_dtype
from relgraph.tensor.shapes.shape import lengths, product

# -- axes ------------------------------------------------------------------------------------------


def merged_axes(outer: Axes, inner: Axes) -> tuple[int, ...] | None:
    """Return the axes of the one reduction that does what `inner` and then `outer` do."""
    if outer is None or inner is None:
        return None
    ndim = len(inner) + 1 + max(outer, default=-1)
    left = remaining_axes(inner, ndim)
    return tuple(sorted([*inner, *(left[a] for a in outer)]))


def axes_before_dimshuffle(order: Order, axes: Axes, ndim: int) -> tuple[int, ...] | None:
    """Return the `before` in ``reduce(dimshuffle(x, order), axes)``, which is
    ``dimshuffle(reduce(x, before), after)``.

    Parameters
    ----------
    ndim
        The number of axes of `x`.
    """
    reduced = [order[a] for a in axis_numbers(axes, len(order))]
    return canonical_axes([a for a in reduced if not isinstance(a, str)], ndim)


def order_after_reduction(order: Order, axes: Axes, ndim: int) -> tuple[int | str, ...]:
    """Return the `after` that goes with `axes_before_dimshuffle`."""
    reduced = axis_numbers(axes, len(order))
    before = axes_before_dimshuffle(order, axes, ndim)
    numbers = {a: i for i, a in enumerate(remaining_axes(before, ndim))}
    return tuple(
        [a if isinstance(a, str) else numbers[a] for i, a in enumerate(order) if i not in reduced]
    )


def rank_after_reduction(axes: Axes, ndim: int) -> int:
    """Return how many axes a reduction of a tensor with `ndim` axes leaves."""
    return ndim - len(axis_numbers(axes, ndim))


def order_padded_to(x: Any, shape: Sequence[Any]) -> tuple[int | str, ...]:
    """Return the order that gives `x` as many axes as `shape` has, by new ones on the left."""
    ndim = x.type.ndim
    return (*["x"] * (len(shape) - ndim), *range(ndim))


# -- how often broadcasting repeats an element -----------------------------------------------------


def _repeated_axes(x: Any, axes: Axes, ndim: int) -> list[int]:
    missing = ndim - x.type.ndim
    return [a for a in axis_numbers(axes, ndim) if a < missing or x.type.shape[a - missing] == 1]


def is_repeated_along(x: Any, axes: Axes, ndim: int) -> bool:
    """Return whether some of `axes` only repeat `x` when it is broadcast to `ndim` axes."""
    return bool(_repeated_axes(x, axes, ndim))


def dtype_holds_counts(x: Any) -> bool:
    """Return whether the dtype of `x` holds a count of elements; that of float16 ends too soon."""
    return bool(x.type.dtype != "float16")


def repetition_count(x: Any, axes: Axes, shape: Sequence[Any]) -> Variable:
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
    known = [known_length(n) for n in shape]
    total = product([known[a] for a in _repeated_axes(x, axes, len(known))])
    dtype = reduced_dtype(np.add, x.type.dtype)
    made = constant(total, dtype=dtype) if isinstance(total, int) else cast(total, dtype)
    assert isinstance(made, Variable)
    return made


def repetition_count_in_fill(x: Any, axes: Axes, template: Any) -> Variable:
    """Return how often each element of `x` comes along `axes` of ``second(template, x)``."""
    return repetition_count(x, axes, lengths(template))


# -- which ops reduce what -------------------------------------------------------------------------


def is_idempotent(scalar_op: Any) -> bool:
    """Return whether reducing copies of an element by `scalar_op` gives the element."""
    return scalar_op in (scalar.maximum, scalar.minimum, scalar.and_, scalar.or_)


def zero_sum_divides(c: Any, x: Any, axes: Any) -> bool:
    """Return whether a sum of nothing, which is 0, stays 0 divided by `c`, or `axes` of `x` are
    known to have elements to sum."""
    return is_nonempty_along(x, axes) or is_nonzero_number(c)


def pieces_reduce_apart(scalar_op: Any, axes: Axes, pieces: Sequence[Any]) -> bool:
    """Return whether `pieces` can be reduced each for itself, and the results combined.

    They have one dtype, and elements if `scalar_op` needs some. A product of complex numbers with
    an infinity among them may be nan or not, by the order in which they are multiplied.
    """
    if len({v.type.dtype for v in pieces}) > 1:
        return False
    if scalar_op is scalar.mul and any(map(is_complex, pieces)):
        return False
    extreme = scalar_op in (scalar.maximum, scalar.minimum)
    return not extreme or all(is_nonempty_along(v, axes) for v in pieces)


def each_reduced(scalar_op: Any, axes: Axes, pieces: Sequence[Any]) -> list[Any]:
    """Return the reduction of each of `pieces` over `axes`."""
    reduce = CAReduce(scalar_op, axes)
    return [reduce(v) for v in pieces]


def reduces_in_own_dtype(scalar_op: Any, elements: Sequence[Any]) -> bool:
    """Return whether `elements` have one dtype, and reducing a vector of them gives that dtype."""
    dtypes = {v.type.dtype for v in elements}
    return len(dtypes) == 1 and dtypes == {reduced_dtype(scalar_op.ufunc, *dtypes)}


# -- magnitudes ------------------------------------------------------------------------------------


def is_one_or_more(c: Any) -> bool:
    """Return whether `c` is one number that is at least 1."""
    value = real_number(c)
    return value is not None and value >= 1


def factor_enlarges_or_has_room(c: Any, x: Any) -> bool:
    """Return whether a sum of `x` may be taken before it is multiplied by `c`: it is no larger
    then, or its dtype leaves room for that."""
    value = real_number(c)
    return has_room(c, x) or (value is not None and abs(value) >= 1)


def divisor_enlarges_or_has_room(c: Any, x: Any) -> bool:
    """Return whether a sum of `x` may be taken before it is divided by `c`: it is no larger then,
    or its dtype leaves room for that."""
    value = real_number(c)
    return has_room(c, x) or (value is not None and abs(value) <= 1)

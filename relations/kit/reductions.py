"""Axes and counts of reductions, running totals, monotone functions, for `relations.reductions`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relations.kit.guards import (
    Axes,
    are_nonzero_lengths,
    axis_numbers,
    constant_data,
    in_dtype,
    is_nonempty_along,
    is_nonzero_number,
    real_number,
)
from relations.kit.index_arithmetic import BasicIndex, Order, axes_after_index, remaining_axes
from relations.kit.type_guards import has_room, is_complex
from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.scalar.op import EVERYWHERE, INF
from relgraph.tensor.basic import normalize_axes
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.reductions import CAReduce, factors_of_count, reduced_dtype
from relgraph.tensor.shapes import Shape_i, known_length, product
from relgraph.tensor.subtensor import WHOLE, IndexList, Slice

# -- axes ------------------------------------------------------------------------------------------


def merged_axes(outer: Axes, inner: Axes) -> tuple[int, ...] | None:
    """Return the axes of the one reduction that does what `inner` and then `outer` do."""
    if outer is None or inner is None:
        return None
    ndim = len(inner) + 1 + max(outer, default=-1)
    left = remaining_axes(inner, ndim)
    return tuple(sorted([*inner, *(left[a] for a in outer)]))


def axes_before_dimshuffle(order: Order, axes: Axes) -> tuple[int, ...]:
    """Return the `before` in ``reduce(dimshuffle(x, order), axes)``, which is
    ``dimshuffle(reduce(x, before), order_left(order, axes, x.ndim))``."""
    reduced = [order[a] for a in axis_numbers(axes, len(order))]
    return tuple(sorted([a for a in reduced if not isinstance(a, str)]))


def rank_after_reduction(axes: Axes, x: Any) -> int:
    """Return how many axes a reduction of `x` leaves."""
    return len(remaining_axes(axes, x.type.ndim))


def order_padded_to(x: Any, shape: Sequence[Any]) -> tuple[int | str, ...]:
    """Return the order that gives `x` as many axes as `shape` has, by new ones on the left."""
    ndim = x.type.ndim
    return (*["x"] * (len(shape) - ndim), *range(ndim))


# -- how often broadcasting repeats an element -----------------------------------------------------


def _repeated_axes(x: Any, axes: Axes, ndim: int) -> list[int]:
    """Return those of `axes` that only repeat `x` when it is broadcast to `ndim` axes."""
    missing = ndim - x.type.ndim
    return [a for a in axis_numbers(axes, ndim) if a < missing or x.type.shape[a - missing] == 1]


def repeats_elements(x: Any, axes: Axes, shape: Sequence[Any]) -> bool:
    """Return whether some of `axes` only repeat `x` when it is broadcast to `shape`, and all are
    known to have elements."""
    return bool(_repeated_axes(x, axes, len(shape))) and are_nonzero_lengths(axes, shape)


def repetition_count(x: Any, axes: Axes, shape: Sequence[Any]) -> Variable | None:
    """Return how often each element of `x` comes along `axes` when it is broadcast to `shape`.

    Parameters
    ----------
    shape
        The lengths, ints or integer variables.

    Returns
    -------
    count
        It has rank 0 and the dtype that `x` is summed in. None if no axis repeats `x`, and of
        float16, which ends too soon for a count.
    """
    repeated = _repeated_axes(x, axes, len(shape))
    if not repeated or x.type.dtype == "float16":
        return None
    total = product([known_length(shape[a]) for a in repeated])
    return in_dtype(total, reduced_dtype(np.add, x.type.dtype))


# -- which ops reduce what -------------------------------------------------------------------------


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


def is_prefix_along(index: IndexList, axis: int) -> bool:
    """Return whether an index takes, on `axis`, all elements up to some position."""
    if len(index) <= axis:
        return True
    entry = index[axis]
    return isinstance(entry, Slice) and entry.start in (None, 0) and entry.step is None


def is_last_along(index: IndexList, axis: int) -> bool:
    """Return whether an index takes the last element on `axis`, and all of the other axes."""
    return index == (*[WHOLE] * axis, -1)


def is_summed_or_real(scalar_op: Any, x: Any) -> bool:
    """Return whether running totals of `x` are sums, or of no complex numbers.

    A product of complex numbers starts with 1, which makes nan of an infinite one: a running
    product starts with its first factor. One of two factors NumPy rounds in another way than the
    first of several.
    """
    return scalar_op is scalar.add or not is_complex(x)


def axis_after_index(index: IndexList, axis: int, x: Any) -> int:
    """Return the number in ``x[index]`` of an `axis` of `x` of which a slice is taken."""
    return axes_after_index(BasicIndex(index), (axis,), x)[0]


def is_increasing(scalar_op: Any) -> bool:
    """Return whether ``x <= y`` entails ``f(x) <= f(y)`` for all numbers `x` and `y`."""
    return bool(scalar_op.facts.increasing == EVERYWHERE)


def is_strictly_increasing(scalar_op: Any) -> bool:
    """Return whether ``x < y`` entails ``f(x) < f(y)`` for all numbers, but for rounding."""
    facts = scalar_op.facts
    steps = facts.integral or scalar_op is scalar.sign
    return is_increasing(scalar_op) and not steps


def is_increasing_above_zero(scalar_op: Any) -> bool:
    """Return whether ``0 <= x <= y`` entails ``f(x) <= f(y)``."""
    rises = scalar_op.facts.increasing
    return rises is not None and rises[0] <= 0 and rises[1] == INF


def is_increasing_or_nan_below(scalar_op: Any) -> bool:
    """Return whether a function is increasing where it is defined, and nan below that.

    The least value is then that of the least argument, be it a nan; the greatest value is a nan
    although that of the greatest argument may be none.
    """
    facts = scalar_op.facts
    least, greatest = facts.domain
    return bool(least > -INF and greatest == INF and facts.increasing == facts.domain)


def is_decreasing(scalar_op: Any) -> bool:
    """Return whether ``x <= y`` entails ``f(x) >= f(y)`` for all numbers `x` and `y`."""
    # the negative of an integer may wrap around
    return scalar_op is not scalar.neg and bool(scalar_op.facts.decreasing == EVERYWHERE)


def is_negative_everywhere(x: Any) -> bool:
    """Return whether all elements of `x` are known to be less than zero."""
    data = constant_data(x)
    return data is not None and data.dtype.kind in "if" and bool(np.all(data < 0))


def order_that_keeps(axes: Axes, x: Any) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that gives back the axes that a reduction of `x` took
    away, with length 1."""
    left = {axis: i for i, axis in enumerate(remaining_axes(axes, x.type.ndim))}
    return tuple([left.get(axis, "x") for axis in range(x.type.ndim)])


def is_count_of(count: Any, axes: Axes, x: Any) -> bool:
    """Return whether `count` is how many elements of `x` a reduction over `axes` combines."""
    every = factors_of_count(count)
    known = math.prod([n for n in map(real_number, every) if n is not None])
    factors = [v for v in every if real_number(v) is None]
    for axis in axis_numbers(axes, x.type.ndim):
        length = x.type.shape[axis]
        asked = next((f for f in factors if _reads_length(f, x, axis)), None)
        if asked is not None:
            factors.remove(asked)
        elif length and known % length == 0:
            known /= length
        else:
            return False
    return known == 1 and not factors


def is_count_of_either(count: Any, axes: Axes, x: Any, y: Any) -> bool:
    """Return whether `count` is how many elements of `x`, or of `y`, a reduction combines."""
    return is_count_of(count, axes, x) or is_count_of(count, axes, y)


def _reads_length(length: Variable, x: Any, axis: int) -> bool:
    """Return whether a variable is the length of `x`, or of an elementwise function of it: an axis
    of `x` that is not known to have length 1 does not broadcast."""
    node = length.owner
    if node is None or not isinstance(node.op, Shape_i) or node.op.i != axis:
        return False
    (read,) = node.inputs
    of_function = isinstance(read.head, Elemwise) and x in read.owner.inputs
    return read is x or (of_function and x.type.shape[axis] != 1)


def restores_axes(order: Order, axes: Axes, x: Any) -> bool:
    """Return whether a `DimShuffle` to `order`, after a reduction of `x` over `axes`, gives back
    the axes that this took away: with length 1, as ``keepdims=True`` does."""
    return tuple(order) == order_that_keeps(axes, x)


def covers_axes(x: Any, y: Any, axes: Axes) -> bool:
    """Return whether ``x * y``, of one rank, has the lengths of `x` along some axes."""
    broadcast = x.type.broadcastable, y.type.broadcastable
    return all(broadcast[1][i] or not broadcast[0][i] for i in axis_numbers(axes, x.type.ndim))


def restores_softmax_axes(order: Order, axis: Any, x: Any) -> bool:
    """Return whether a `DimShuffle` to `order` gives back the axes that `LogSumExp` took away.

    Parameters
    ----------
    axis
        That of the `LogSumExp`: an int, several, or None for all.
    """
    return restores_axes(order, normalize_axes(axis, x.type.ndim, "logsumexp"), x)

"""What is known of tensors along the axes of a reduction.

The axes of a reduction are a sorted tuple of numbers, or None for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.axes import static_int

Axes = Sequence[int] | None


def axis_numbers(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes of a reduction of a tensor with `ndim` axes; None becomes all of them."""
    return tuple(range(ndim)) if axes is None else tuple(axes)


def includes_axis(axes: Axes, axis: int) -> bool:
    """Return whether `axis` is one of the `axes` of a reduction."""
    return axes is None or axis in axes


def is_constant_along(c: Any, axes: Axes, x: Any) -> bool:
    """Return whether `c` has as many axes as `x`, and length 1 on those of `axes`: broadcast to the
    shape of `x` it does not vary along them."""
    ndim, lengths = x.type.ndim, c.type.shape
    return c.type.ndim == ndim and all(
        a < ndim and lengths[a] == 1 for a in axis_numbers(axes, ndim)
    )


def has_length_one(x: Any, axis: int) -> bool:
    """Return whether an axis of `x` is known to have length 1."""
    return bool(x.type.shape[axis] == 1)


def has_length_one_along(x: Any, axes: Axes) -> bool:
    """Return whether `axes` of `x`, at least one, are known to have length 1."""
    every = axis_numbers(axes, x.type.ndim)
    return bool(every) and all(x.type.shape[a] == 1 for a in every)


def is_nonempty_along(x: Any, axes: Axes) -> bool:
    """Return whether `axes` of `x` are known to have elements."""
    return are_nonzero_lengths(axes, x.type.shape)


def are_nonzero_lengths(axes: Axes, lengths: Sequence[Any]) -> bool:
    """Return whether those of `lengths` that are on `axes` are known, and not zero."""
    return all(static_int(lengths[a]) for a in axis_numbers(axes, len(lengths)))

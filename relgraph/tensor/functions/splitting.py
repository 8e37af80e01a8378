"""Tensors taken apart along an axis, as NumPy does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import as_argument
from relgraph.tensor.functions.parts import along, length, part
from relgraph.tensor.math import minimum


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """Return the parts of `x` along an axis, whose static length must be known.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis.
    """
    x, axis = along(x, axis, "unstack")
    n = x.type.shape[axis]
    if n is None:
        raise TypeError(f"unstack: the length of axis {axis} of {x} is not known")
    return tuple(part(x, axis, i) for i in range(n))


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return parts of `ary` along its second axis; along the first of a vector.

    Parameters
    ----------
    ary
        A tensor of rank 1 or more.
    indices_or_sections
        How many equal parts, or where all but the first begin.
    """
    ary = as_argument(ary, "hsplit")
    return equal_parts(ary, indices_or_sections, 0 if ary.type.ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return parts of `ary` along its first axis.

    Parameters
    ----------
    ary
        A tensor of rank 2 or more.
    indices_or_sections
        How many equal parts, or where all but the first begin.
    """
    return equal_parts(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return parts of `ary` along its third axis.

    Parameters
    ----------
    ary
        A tensor of rank 3 or more.
    indices_or_sections
        How many equal parts, or where all but the first begin.
    """
    return equal_parts(ary, indices_or_sections, 2)


def equal_parts(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return equal parts of `ary`, or its parts between some indices, as `numpy.split` does."""
    x, axis = along(ary, axis, "split")
    sections = static_int(indices_or_sections)
    if sections is None:
        return parts_between(x, indices_or_sections, axis)
    n = length(x, axis)
    if isinstance(n, int) and n % sections:
        raise ValueError(f"split: {n} elements don't make {sections} equal parts")
    each = n // sections
    return parts_between(x, [each * i for i in range(1, sections)], axis)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return nearly equal parts of `ary`, the longer ones first, or its parts between indices.

    Parameters
    ----------
    ary
        A tensor.
    indices_or_sections
        How many parts, or where all but the first begin.
    axis
        The axis.
    """
    x, axis = along(ary, axis, "array_split")
    sections = static_int(indices_or_sections)
    if sections is None:
        return parts_between(x, indices_or_sections, axis)
    n = length(x, axis)
    each, longer = n // sections, n % sections
    least = min if isinstance(n, int) else minimum
    return parts_between(x, [each * i + least(longer, i) for i in range(1, sections)], axis)


def parts_between(x: Any, stops: Any, axis: int) -> list[Any]:
    """Return the parts of `x` between some indices."""
    known = list(stops) if isinstance(stops, Sequence) else np.asarray(stops).tolist()
    ends = zip([None, *known], [*known, None], strict=True)
    return [part(x, axis, slice(first, last)) for first, last in ends]


__all__ = ["array_split", "dsplit", "hsplit", "unstack", "vsplit"]

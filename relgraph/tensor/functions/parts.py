"""What the functions of this folder are made with: parts along an axis, lengths, dtypes."""

from __future__ import annotations

from typing import Any

from relgraph.scalar.dtypes import is_discrete, number_kind
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_argument
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.math import cast
from relgraph.tensor.shapes.reshaping import flatten
from relgraph.tensor.shapes.shape import lengths


def part(x: Any, axis: int, key: Any) -> Any:
    """Return ``x[..., key, ...]`` along an axis counted from the front."""
    return getitem(x, (*[slice(None)] * axis, key))


def along(x: Any, axis: Any, what: str) -> tuple[Any, int]:
    """Return `x` as a tensor, and an axis counted from the front; for None `x` is flattened."""
    x = as_argument(x, what)
    if axis is None:
        return flatten(x), 0
    return x, normalize_axis(axis, x.type.ndim, what)


def length(x: Any, axis: int) -> Any:
    """Return the length of an axis: an int where it is known."""
    return lengths(x)[axis]


def inexact(x: Any) -> Any:
    """Return `x`, integers and booleans as float64."""
    return cast(x, "float64") if is_discrete(x.type.dtype) else x


def weak(x: Any, what: str, position: int = 0) -> Any:
    """Return `x` as a tensor, but a Python number as it is: its dtype follows from the others."""
    return x if number_kind(x) is not None else as_argument(x, what, position)


def of_rank(x: Any, ndim: int, at: int = 0) -> Any:
    """Return a vector as a tensor of some rank, along the axis `at`."""
    order: list[Any] = ["x"] * ndim
    order[at] = 0
    return x.dimshuffle(*order)

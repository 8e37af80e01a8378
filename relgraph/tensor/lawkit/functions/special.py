"""Bounds of the normal distribution's tails, for the laws in `relations.functions.special`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.lawkit.guards.constants import constant_data, constant_number
from relgraph.tensor.lawkit.guards.dependence import (
    containing_constant,
    depends_on_levels,
    requires_heads,
)
from relgraph.tensor.math import mul, neg, true_div

ROOT_TWO = math.sqrt(2)


@requires_heads(containing_constant)
def can_be_doubled(c: Variable) -> bool:
    """Return whether `c` is a constant, and twice each of its elements is finite."""
    data = constant_data(c)
    if data is None or data.dtype.kind != "f":
        return data is not None
    return bool(np.all(np.abs(data) <= np.finfo(data.dtype).max / 2))


@depends_on_levels(3)
def upper_bound(x: Variable) -> Any:
    """Return ``-sqrt(2) * x``, for ``0.5 * erfc(x)`` is ``ndtr`` of that; `t` for the `x` that is
    ``-t / sqrt(2)`` as it is written."""
    return _bound(x, -1)


@depends_on_levels(3)
def lower_bound(x: Variable) -> Any:
    """Return ``sqrt(2) * x``, for ``1 - 0.5 * erfc(x)`` is ``ndtr`` of that; see `upper_bound`."""
    return _bound(x, 1)


def _bound(x: Variable, sign: int) -> Any:
    opposite = _opposite(x)
    factor, t = _scaled(x if opposite is None else opposite)
    if t is None or abs(abs(factor * ROOT_TWO) - 1) > 4 * np.finfo(x.type.dtype).eps:
        return mul(sign * ROOT_TWO, x)
    negations = (sign * factor < 0) + (opposite is not None)
    if negations % 2 == 0:
        return t
    inner = _opposite(t)
    return neg(t) if inner is None else inner


def _opposite(x: Variable) -> Variable | None:
    """Return `t` if `x` is written as ``-t``."""
    return x.owner.inputs[0] if x.owner is not None and x.owner.op is neg else None


def _scaled(x: Variable) -> tuple[float, Variable | None]:
    """Return a number and another variable whose product is `x`, if it is written so."""
    node = x.owner
    if node is None or node.op not in (mul, true_div) or len(node.inputs) != 2:
        return 1, None
    first, second = node.inputs
    if node.op is true_div:
        number = constant_number(second)
        return (1, None) if number is None or number == 0 else (1 / number, first)
    for number, other in ((constant_number(first), second), (constant_number(second), first)):
        if number is not None:
            return number, other
    return 1, None

"""Bounds of the normal distribution's tails, for the laws in `relations.functions.special`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.lawkit.guards.constants import constant_number
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.math import mul, neg, true_div

ROOT_TWO = math.sqrt(2)


@depends_on_levels(2)
def upper_bound(x: Variable) -> Any:
    """Return ``-sqrt(2) * x``, for ``0.5 * erfc(x)`` is ``ndtr`` of that; `t` for the `x` that is
    ``-t / sqrt(2)`` as it is written."""
    return _bound(x, -1)


@depends_on_levels(2)
def lower_bound(x: Variable) -> Any:
    """Return ``sqrt(2) * x``, for ``1 - 0.5 * erfc(x)`` is ``ndtr`` of that; see `upper_bound`."""
    return _bound(x, 1)


def _bound(x: Variable, sign: int) -> Any:
    inner, inner_sign = (x.owner.inputs[0], -sign) if _is_made_by(x, neg) else (x, sign)
    factor, t = _scaled(inner)
    if t is None or abs(abs(factor * ROOT_TWO) - 1) > 4 * np.finfo(x.type.dtype).eps:
        return sign * ROOT_TWO * x
    return t if factor * inner_sign > 0 else -t


def _is_made_by(x: Variable, op: Any) -> bool:
    return x.owner is not None and x.owner.op is op


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

"""Constants in products and quotients, for the laws in `relations.numbers.arithmetic`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.notation import number_of
from relgraph.tensor.lawkit.guards.dependence import (
    Heads,
    containing_constant,
    depends_on_levels,
    requires_heads,
    requires_number,
)
from relgraph.tensor.lawkit.guards.numbers import real_number
from relgraph.tensor.math import mul


@requires_heads(containing_constant)
def is_power_of_two(var: Any) -> bool:
    """Return whether `var` is a power of two, or its negative, whose reciprocal is exact."""
    value = real_number(var)
    if value is None or value == 0 or np.dtype(var.type.dtype).kind != "f":
        return False
    limits = np.finfo(var.type.dtype)
    normal = limits.tiny <= abs(value) <= 1 / limits.tiny
    return bool(abs(math.frexp(value)[0]) == 0.5 and normal)


def has_normal_quotient(c: Any, d: Any) -> bool:
    """Return whether `c` and `d` are numbers of one float dtype other than zero, and ``c / d``
    neither overflows nor is subnormal."""
    one, other = real_number(c), real_number(d)
    if one is None or other is None or one == 0 or other == 0:
        return False
    if c.type.dtype != d.type.dtype or np.dtype(c.type.dtype).kind != "f":
        return False
    limits = np.finfo(c.type.dtype)
    with np.errstate(all="ignore"):
        value = abs(np.asarray(one, c.type.dtype) / np.asarray(other, c.type.dtype))
    return bool(limits.tiny <= value <= limits.max)


def _has_constant_among_three(heads: Heads) -> bool:
    return len(heads) > 2 and containing_constant(heads)


@requires_heads(_has_constant_among_three)
@requires_number(1)
def without_ones(factors: Sequence[Any]) -> Any:
    """Return a product of three or more without the factors that are 1; None if none is."""
    others = [v for v in factors if number_of(v) != 1 or number_of(v) is True]
    if len(factors) < 3 or len(others) in (0, len(factors)):
        return None
    return others[0] if len(others) == 1 else mul(*others)


@depends_on_levels(1)
def is_no_product(x: Any) -> bool:
    """Return whether `x` is not computed as a product."""
    return x.head is not mul

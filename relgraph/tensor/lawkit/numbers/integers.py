"""Constants that divide integers, for the laws in `relations.numbers.integers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.kanren.goals import Where, whereo
from relgraph.graph.notation import number_of
from relgraph.tensor.lawkit.guards.dependence import (
    requires_number,
)
from relgraph.tensor.lawkit.guards.numbers import is_positive_number, real_number
from relgraph.tensor.lawkit.guards.types import is_discrete


@requires_number(-1)
def is_discrete_minus_one(var: Any) -> bool:
    """Return whether `var` is the integer -1."""
    return is_discrete(var) and real_number(var) == -1


def product_fits(c: Any, d: Any) -> bool:
    """Return whether `c` and `d` are positive integers of one dtype, which ``c * d`` fits."""
    if not (is_positive_number(c) and is_positive_number(d)) or c.type.dtype != d.type.dtype:
        return False
    dtype = np.dtype(c.type.dtype)
    return dtype.kind in "iu" and bool(number_of(c) * number_of(d) <= np.iinfo(dtype).max)


def discrete_minus_oneo(c: Any) -> Where:
    """Construct the goal that `c` is the integer -1."""
    return whereo(is_discrete_minus_one, c)

"""What is known of the one number that all elements of a constant are, as goals.

But for `no_zeroo`, none of it holds of a variable that is no such constant, or whose number is not
finite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgraph.graph.kanren.goals import Where, whereo
from relgraph.graph.notation import number_of
from relgraph.tensor.lawkit.guards.dependence import (
    containing_constant,
    requires_heads,
    requires_number,
)
from relgraph.tensor.lawkit.guards.types import is_discrete


def real_number(var: Any) -> Any:
    """Return the finite real number that every element of `var` is, or None."""
    value = number_of(var)
    if value is None or isinstance(value, bool | complex) or not math.isfinite(value):
        return None
    return value


def is_finite_number(var: Any) -> bool:
    """Return whether `var` is one finite real number."""
    return real_number(var) is not None


@requires_heads(containing_constant)
def is_nonzero_number(var: Any) -> bool:
    """Return whether `var` is one number that isn't zero."""
    value = real_number(var)
    return value is not None and value != 0


def is_no_zero(var: Any) -> bool:
    """Return whether `var` is anything but the number 0, what is no constant included."""
    return bool(number_of(var) != 0)


@requires_number(0)
def is_discrete_zero(var: Any) -> bool:
    """Return whether `var` is the integer 0; the float 0.0 divided by nan is nan."""
    return is_discrete(var) and real_number(var) == 0


@requires_heads(containing_constant)
def is_positive_number(var: Any) -> bool:
    """Return whether `var` is one positive number."""
    value = real_number(var)
    return value is not None and value > 0


@requires_heads(containing_constant)
def has_normal_reciprocal(var: Any) -> bool:
    """Return whether `var` is one floating-point number `c`, and ``1 / c`` is not subnormal."""
    value = real_number(var)
    if value is None or np.dtype(var.type.dtype).kind != "f":
        return False
    limits = np.finfo(var.type.dtype)
    return bool(limits.tiny <= abs(value) <= 1 / limits.tiny)


def nonzero_numbero(c: Any) -> Where:
    """Construct the goal that `c` is one number that isn't zero."""
    return whereo(is_nonzero_number, c)


def no_zeroo(c: Any) -> Where:
    """Construct the goal that `c` is not the number 0; it may be no constant at all."""
    return whereo(is_no_zero, c)


def positive_numbero(c: Any) -> Where:
    """Construct the goal that `c` is one positive number."""
    return whereo(is_positive_number, c)


def discrete_zeroo(c: Any) -> Where:
    """Construct the goal that `c` is the integer 0."""
    return whereo(is_discrete_zero, c)


def normal_reciprocalo(c: Any) -> Where:
    """Construct the goal that `c` is one floating-point number, and ``1 / c`` is not subnormal."""
    return whereo(has_normal_reciprocal, c)

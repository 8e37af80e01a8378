"""What is known of the elements of constants, as goals.

A constant is seen through ops that only repeat its elements, such as a `DimShuffle` or `Alloc`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import Where, whereo
from relgraph.graph.notation import number_of
from relgraph.tensor.lawkit.guards.dependence import containing_constant, requires_heads


def constant_data(var: Any) -> Any:
    """Return the data of the constant that `var` is or repeats, an array; None if it is none."""
    while isinstance(var, Variable) and var.owner is not None:
        through = var.owner.op.repeats
        if through is None:
            return None
        var = var.owner.inputs[through]
    return np.asarray(var.data) if isinstance(var, Constant) else None


def constant_number(var: Any) -> Any:
    """Return the Python number that every element of the constant `var` is, or None."""
    return number_of(var) if isinstance(var, Variable) else None


@requires_heads(containing_constant)
def is_constant(var: Any) -> bool:
    """Return whether the elements of `var` are known ahead."""
    return constant_data(var) is not None


def is_no_constant(var: Any) -> bool:
    """Return whether the elements of `var` are not known ahead."""
    return constant_data(var) is None


@requires_heads(containing_constant)
def is_uniform(var: Any) -> bool:
    """Return whether the elements of `var` are known ahead, and all are one number."""
    return constant_number(var) is not None


def is_true_everywhere(var: Any) -> bool:
    """Return whether all elements of `var` are known to be true: not zero."""
    data = constant_data(var)
    return data is not None and bool(np.all(data))


def is_zero_everywhere(var: Any) -> bool:
    """Return whether all elements of `var` are known to be zero, or false."""
    data = constant_data(var)
    return data is not None and not np.any(data)


def is_one_everywhere(var: Any) -> bool:
    """Return whether `var` has elements, and all are known to be one, or true; 1-0j is not one."""
    data = constant_data(var)
    if data is None or data.size == 0 or not np.all(data == 1):
        return False
    return data.dtype.kind != "c" or not np.signbit(data.imag).any()


def constanto(x: Any) -> Where:
    """Construct the goal that the elements of `x` are known ahead."""
    return whereo(is_constant, x)


def not_constanto(x: Any) -> Where:
    """Construct the goal that the elements of `x` are not known ahead."""
    return whereo(is_no_constant, x)


def uniformo(x: Any) -> Where:
    """Construct the goal that the elements of `x` are known ahead, and all are one number."""
    return whereo(is_uniform, x)


def all_trueo(x: Any) -> Where:
    """Construct the goal that all elements of `x` are known to be true: not zero."""
    return whereo(is_true_everywhere, x)


def all_zeroo(x: Any) -> Where:
    """Construct the goal that all elements of `x` are known to be zero, or false."""
    return whereo(is_zero_everywhere, x)


def all_oneo(x: Any) -> Where:
    """Construct the goal that `x` has elements, and all are known to be one, or true."""
    return whereo(is_one_everywhere, x)

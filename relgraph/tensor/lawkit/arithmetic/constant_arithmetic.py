"""Arithmetic on constants, for what laws compute.

It is done in the precision of their dtype, by the ops themselves: ``computo(z, folded(add), x, y)``
makes `z` the constant that ``add(x, y)`` has the value of when the graph is run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.guards.types import seen_constant


@cache
def folded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what applies an op, or a function made of ops, to constants and gives a constant.

    Where an argument is a constant seen through broadcasting, the result is one element for each
    that the constant has, and broadcasts in turn.
    """

    def fold(*constants: Any) -> Any:
        made = function(*[_small(c) for c in constants])
        return constant(evaluate([made])[0])

    fold.__name__ = str(getattr(function, "__name__", function))
    return fold


def _small(var: Any) -> Any:
    """Return a constant with the elements of `var`, in as many axes, each of length 1 if it may."""
    if not isinstance(var, Variable):
        return var
    data = seen_constant(var)
    if data is None:
        raise TypeError(f"{var} is not a constant")
    if data.size == 1:
        return constant(np.reshape(data, (1,) * var.type.ndim))
    return constant(evaluate([var])[0])


def uniform_value(var: Any) -> Any:
    """Return the one number that all elements of the constant `var` are, or None."""
    data = seen_constant(var)
    if data is None or data.size == 0:
        return None
    first = data.flat[0]
    same = (data == first) | ((data != data) & (first != first))
    return first.item() if bool(np.all(same)) else None

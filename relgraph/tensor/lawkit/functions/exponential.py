"""Constant exponents and bases, for the laws in `relations.functions.exponential`."""

from __future__ import annotations

import math
from typing import Any

from relgraph.graph.kanren.goals import Condition, computo, whereo
from relgraph.tensor.lawkit.guards.constants import constant_number
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.signs import is_nonnegative
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.math import add

_is_alone = lvars("is_alone")


def is_nonzero_exponent(c: Any) -> bool:
    """Return whether a constant is one finite real number other than zero."""
    value = constant_number(c)
    return isinstance(value, int | float) and math.isfinite(value) and value != 0


def is_even_exponent(c: Any) -> bool:
    """Return whether a constant is one even integer other than zero."""
    return is_nonzero_exponent(c) and constant_number(c) % 2 == 0


def is_odd_positive_exponent(c: Any) -> bool:
    """Return whether a constant is one odd integer above zero, as a float too: `pow` of a float
    makes one of it, which is even from 2**53 on."""
    value = constant_number(c)
    return is_nonzero_exponent(c) and value > 0 and float(value) % 2 == 1


def _rounded_like(value: float, x: Any) -> float:
    """Return a number, rounded to the dtype of `x`."""
    dtype = x.type.numpy_dtype
    return float(dtype.type(value)) if dtype.kind == "f" else value


def log_of_2(x: Any) -> float:
    """Return ``log(2)`` in the dtype of `x`."""
    return _rounded_like(math.log(2), x)


def log_of_10(x: Any) -> float:
    """Return ``log(10)`` in the dtype of `x`."""
    return _rounded_like(math.log(10), x)


def reciprocal_of_log_of_2(x: Any) -> float:
    """Return ``1 / log(2)`` in the dtype of `x`."""
    return _rounded_like(1 / math.log(2), x)


def reciprocal_of_log_of_10(x: Any) -> float:
    """Return ``1 / log(10)`` in the dtype of `x`."""
    return _rounded_like(1 / math.log(10), x)


def _is_taken_apart(fgraph: Any, x: Any) -> bool:
    """Return whether `x` is a part of a longer sum, one that is not known to be positive.

    One of its terms, near -1, may cancel a 1 beside it before the others are added.
    """
    if x.owner is None or x.owner.op is not add or is_nonnegative(x):
        return False
    return fgraph is None or not fgraph.clients.get(x)


def one_and(fgraph: Any, x: Any) -> Any:
    """Return ``1 + x``; of a part of a longer sum the terms are added to 1 one by one."""
    return add(1, *(x.owner.inputs if _is_taken_apart(fgraph, x) else [x]))


def _alone(fgraph: Any, x: Any) -> Any:
    return None if _is_taken_apart(fgraph, x) else x


one_and.__dict__["asks_graph"] = True
_alone.__dict__["asks_graph"] = True


def apart_from_one(x: Any) -> tuple[Condition, ...]:
    """Return the goals that in ``1 + x`` the graph adds 1 and `x`, and not a part of it first."""
    return computo(_is_alone, _alone, x), whereo(is_found, _is_alone)

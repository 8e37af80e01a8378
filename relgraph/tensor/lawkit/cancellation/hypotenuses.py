"""Roots of sums of squares, for the laws in `relations.cancellation.hypotenuses`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.math import add, length

# a change deeper in a sum than this is seen when something else in it changes too
_DEPTH = 3


@depends_on_levels(_DEPTH)
def terms_of_sum(arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments of a sum, with those of nested ones in their place."""
    found, stack = [], [*reversed(arguments)]
    while stack:
        var = stack.pop()
        if var.head is add:
            stack.extend(reversed(var.owner.inputs))
        else:
            found.append(var)
    return found


def length_of_all(bases: Sequence[tuple[Any, ...]]) -> Any:
    """Return the length of a vector, given for each term of a sum what it is the square of; None if
    one is no square, or the dtypes differ."""
    if not all(bases) or len({base.type.dtype for (base,) in bases}) > 1:
        return None
    return reduce(length, [base for (base,) in bases])

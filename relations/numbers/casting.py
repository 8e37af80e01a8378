"""Casts, where no value can change."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.kanren import whereo
from relgraph.scalar.dtypes import can_cast_exactly
from relgraph.tensor import Elemwise, eq, isnan, maximum, minimum, neq, switch, trunc
from relgraph.tensor.lawkit.guards.types import booleano, same_dtypeo
from relgraph.tensor.lawkit.vocabulary import law, lvars

c, d, e, s, x, y = lvars("c d e s x y")
any_type: dict[str, Any] = {"mixed": True, "complex": True}

COMPARISONS = (scalar.eq, scalar.neq, scalar.lt, scalar.le, scalar.gt, scalar.ge)


def has_dtype(x: Any, dtype: str) -> bool:
    """Return whether a tensor has a dtype."""
    return bool(x.type.dtype == dtype)


def keeps_values(x: Any, dtype: str) -> bool:
    """Return whether a cast of `x` to a dtype changes no value, as that of no integer to float."""
    return can_cast_exactly(x.type.dtype, dtype)


def is_integer_dtype(dtype: str) -> bool:
    """Return whether a dtype is one of integers."""
    return np.dtype(dtype).kind in "iu"


def passes_through(x: Any, first: str, then: str) -> bool:
    """Return whether a cast of `x` to one dtype and then to another is the cast to the other.

    It is where the first one changes no value. A float out of the range of integers becomes any
    integer, though, and an integer is cut to its last bits; so those that pass through floats to
    integers have to fit. Integers of at least as many bits keep the last bits in any case.
    """
    source = x.type.dtype
    if can_cast_exactly(source, first):
        through_float = not is_integer_dtype(first) and is_integer_dtype(then)
        return not through_float or can_cast_exactly(source, then)
    whole = is_integer_dtype(source) and is_integer_dtype(first) and is_integer_dtype(then)
    return whole and np.dtype(first).itemsize >= np.dtype(then).itemsize


def compares(scalar_op: Any) -> bool:
    """Return whether a scalar op compares two numbers."""
    return scalar_op in COMPARISONS


def is_float_dtype(dtype: str) -> bool:
    """Return whether a dtype is one of floats, or of complex numbers."""
    return np.dtype(dtype).kind in "fc"


cast, cast_first = Elemwise(scalar.Cast(d), ()), Elemwise(scalar.Cast(e), ())
"""The cast to the dtype `d`, and one to `e` that comes before it."""
f = Elemwise(s, ())

CASTS = (
    law("cast-to-own", cast(x), x, whereo(has_dtype, x, d), **any_type),
    law("cast-cast", cast(cast_first(x)), cast(x), whereo(passes_through, x, e, d), **any_type),
    law(
        "cast-trunc",
        cast(trunc(x)),
        cast(x),
        whereo(is_integer_dtype, d),
        mixed=True,
    ),
)

OF_CASTS = (
    law(
        "compare-casts",
        f(cast(x), cast(y)),
        f(x, y),
        whereo(compares, s),
        same_dtypeo(x, y),
        whereo(keeps_values, x, d),
        mixed=True,
    ),
    law(
        "maximum-casts",
        maximum(cast(x), cast(y)),
        cast(maximum(x, y)),
        same_dtypeo(x, y),
        whereo(keeps_values, x, d),
        sound="rounding",  # of 0 and -0 either may be the greater
        mixed=True,
    ),
    law(
        "minimum-casts",
        minimum(cast(x), cast(y)),
        cast(minimum(x, y)),
        same_dtypeo(x, y),
        whereo(keeps_values, x, d),
        sound="rounding",
        mixed=True,
    ),
    law(
        "switch-cast",
        switch(cast(c), x, y),
        switch(c, x, y),
        whereo(keeps_values, c, d),
        **any_type,
    ),
    law("isnan-cast", isnan(cast(x)), isnan(x), whereo(is_float_dtype, d), mixed=True),
    law("neq-cast-zero", neq(cast(c), 0), c, booleano(c), mixed=True),
    law("eq-cast-zero", eq(cast(c), 0), ~c, booleano(c), mixed=True),
    law("eq-cast-one", eq(cast(c), 1), c, booleano(c), mixed=True),
    law("neq-cast-one", neq(cast(c), 1), ~c, booleano(c), mixed=True),
)

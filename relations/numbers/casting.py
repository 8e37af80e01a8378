"""Casts that change no value, and casts of arguments that the result does not need."""

from __future__ import annotations

from relgraph import scalar
from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import Elemwise, eq, isnan, maximum, minimum, neq, switch, trunc
from relgraph.tensor.lawkit.guards.numbers import discrete_zeroo
from relgraph.tensor.lawkit.guards.types import booleano, common_dtype, discreteo, same_dtypeo
from relgraph.tensor.lawkit.numbers.casting import (
    casts_as_directly,
    casts_exactly,
    has_dtype,
    has_other_dtype,
    is_comparison,
    is_inexact_dtype,
    is_integer_dtype,
)
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, law, lvars

c, d, e, s, x, y = lvars("c d e s x y")

cast, cast_first = Elemwise(scalar.Cast(d), ()), Elemwise(scalar.Cast(e), ())
"""The cast to the dtype `d`, and one to `e` that comes before it."""
compared = Elemwise(s, ())
"""One of the six comparisons."""

CASTS = (
    any_dtype_law("cast-to-own", cast(x), x, whereo(has_dtype, x, d)),
    any_dtype_law("cast-cast", cast(cast_first(x)), cast(x), whereo(casts_as_directly, x, e, d)),
    law("cast-trunc", cast(trunc(x)), cast(x), whereo(is_integer_dtype, d), mixed=True),
)

OF_CASTS = (
    law(
        "compare-casts",
        compared(cast(x), cast(y)),
        compared(x, y),
        whereo(is_comparison, s),
        same_dtypeo(x, y),
        whereo(casts_exactly, x, d),
        mixed=True,
    ),
    law(
        "maximum-casts",
        maximum(cast(x), cast(y)),
        cast(maximum(x, y)),
        same_dtypeo(x, y),
        whereo(casts_exactly, x, d),
        sound="rounding",  # of 0 and -0 either may be the greater
        mixed=True,
    ),
    law(
        "minimum-casts",
        minimum(cast(x), cast(y)),
        cast(minimum(x, y)),
        same_dtypeo(x, y),
        whereo(casts_exactly, x, d),
        sound="rounding",
        mixed=True,
    ),
    any_dtype_law(
        "switch-cast",
        switch(cast(c), x, y),
        switch(c, x, y),
        whereo(casts_exactly, c, d),
    ),
    law("isnan-cast", isnan(cast(x)), isnan(x), whereo(is_inexact_dtype, d), mixed=True),
    any_dtype_law(
        "zero-sub-other",
        x - y,
        -cast(y),  # 0 - y → -cast(y), where 0 is of another dtype
        discrete_zeroo(x),
        discreteo(y),
        whereo(has_other_dtype, x, y),
        computo(d, common_dtype, x, y),
        whereo(is_integer_dtype, d),
    ),
    law("neq-cast-zero", neq(cast(c), 0), c, booleano(c), mixed=True),
    law("eq-cast-zero", eq(cast(c), 0), ~c, booleano(c), mixed=True),
    law("eq-cast-one", eq(cast(c), 1), c, booleano(c), mixed=True),
    law("neq-cast-one", neq(cast(c), 1), ~c, booleano(c), mixed=True),
)

"""Choices by a condition: the same ones, nested ones, and those that are an extreme or a sign."""

from __future__ import annotations

from typing import Any

from relgraph import scalar
from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import Elemwise, clip, sigmoid, sign, switch
from relgraph.tensor import abs as abs_
from relgraph.tensor.lawkit.choices.choice import (
    extreme_that_takes_first,
    extreme_that_takes_second,
    has_values_within_one,
    is_greater,
    is_less,
    is_number_not_nan,
    is_order,
    is_positive_zero,
    raises_nothing,
)
from relgraph.tensor.lawkit.guards.constants import (
    all_oneo,
    all_trueo,
    all_zeroo,
    constanto,
    not_constanto,
)
from relgraph.tensor.lawkit.guards.types import (
    booleano,
    common_dtype,
    discreteo,
    floato,
    same_dtypeo,
)
from relgraph.tensor.lawkit.vocabulary import Law, any_dtype_law, law, lvars

a, b, c, d, m, s, x, y, z = lvars("a b c d m s x y z")

f = Elemwise(s, ())
"""Any elementwise op."""
compared, extreme = Elemwise(s, ()), Elemwise(m, ())
"""One of ``<``, ``<=``, ``>``, ``>=``, and the maximum or minimum that goes with it."""

order, less, greater = whereo(is_order, s), whereo(is_less, s), whereo(is_greater, s)

KNOWN = (
    any_dtype_law("switch-true", switch(c, x, y), x, all_trueo(c)),
    any_dtype_law("switch-false", switch(c, x, y), y, all_zeroo(c)),
    any_dtype_law("switch-same", switch(c, x, x), x),
    # -0 is 0 then
    law("switch-minus-zero", switch(c, -0.0, 0.0), 0.0, sound="rounding"),
    law("switch-else-minus-zero", switch(c, 0.0, -0.0), 0.0, sound="rounding"),
)

CONDITIONS = (
    any_dtype_law("switch-not", switch(~c, x, y), switch(c, y, x), booleano(c)),
    any_dtype_law("switch-switch", switch(c, switch(c, x, y), z), switch(c, x, z)),
    any_dtype_law("switch-else-switch", switch(c, x, switch(c, y, z)), switch(c, x, z)),
    any_dtype_law(
        "switch-and",
        switch(c, switch(d, x, y), y),
        switch(c & d, x, y),
        booleano(c),
        booleano(d),
    ),
    any_dtype_law(
        "switch-or",
        switch(c, x, switch(d, x, y)),
        switch(c | d, x, y),
        booleano(c),
        booleano(d),
    ),
)

# the negation of a constant is folded where it stands
SIGNS = (
    law("switch-neg", switch(c, -x, -y), -switch(c, x, y), not_constanto(x)),
    law(
        "switch-neg-else-zero",
        switch(c, -x, 0),
        -switch(c, x, 0),
        not_constanto(x),
        sound="rounding",
    ),
    law(
        "switch-zero-else-neg",
        switch(c, 0, -x),
        -switch(c, 0, x),
        not_constanto(x),
        sound="rounding",
    ),
)

TRUTH_VALUES = (
    law("switch-true-false", switch(c, True, False), c, booleano(c)),
    law("switch-false-true", switch(c, False, True), ~c, booleano(c)),
    law("switch-to-and", switch(c, x, False), c & x, booleano(c), booleano(x)),
    law("switch-to-or", switch(c, True, x), c | x, booleano(c), booleano(x)),
)

AS_CASTS = (
    any_dtype_law(
        "switch-to-cast",
        switch(c, x, y),
        Elemwise(scalar.Cast(d), ())(c),  # switch(c, 1, 0) → cast(c), to the dtype of 1 and 0
        booleano(c),
        all_oneo(x),
        whereo(is_positive_zero, y),
        computo(d, common_dtype, x, y),
    ),
)

# a condition between a float32 and a float64 makes a float64 of both
constant_branches = (constanto(a), constanto(b), same_dtypeo(a, b))


def lifted(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about an op on a switch between constants `a` and `b`: folding computes it."""
    return any_dtype_law(name, lhs, rhs, *constant_branches, *conditions, sound="rounding")


# an empty condition has the op compute nothing
folded = (constanto(y), whereo(raises_nothing, s, a, b, y))

CONSTANT_BRANCHES = (
    lifted("lift-switch", f(switch(c, a, b)), switch(c, f(a), f(b))),
    lifted("lift-switch-first", f(switch(c, a, b), y), switch(c, f(a, y), f(b, y)), *folded),
    lifted("lift-switch-second", f(y, switch(c, a, b)), switch(c, f(y, a), f(y, b)), *folded),
)

SUMS = (
    law(
        "add-switches-else-zero",
        switch(c, x, 0) + switch(c, y, 0),
        switch(c, x + y, 0),
        sound="rounding",
    ),
    law(
        "add-switches-then-zero",
        switch(c, 0, x) + switch(c, 0, y),
        switch(c, 0, x + y),
        sound="rounding",
    ),
    law(
        "add-complementary-switches",
        switch(c, x, 0) + switch(c, 0, y),
        switch(c, x, y),
        sound="rounding",
    ),
    law(
        "mul-switches-else-zero",
        switch(c, x, 0) * switch(c, y, 0),
        switch(c, x * y, 0),
        sound="rounding",
    ),
    law("mul-switch-else-zero", switch(c, x, 0) * y, switch(c, x * y, 0), sound="finite"),
    law("mul-switch-then-zero", switch(c, 0, x) * y, switch(c, 0, x * y), sound="finite"),
)

EXTREMES = (
    # the side that is no number may be nan: it is what the switch gives then, as an extreme does
    law(
        "second-where-compared",
        switch(compared(x, y), y, x),
        extreme(x, y),  # switch(x < y, y, x) → maximum(x, y), switch(x > y, y, x) → minimum(x, y)
        order,
        whereo(is_number_not_nan, y),
        computo(m, extreme_that_takes_second, s),
        sound="rounding",
    ),
    law(
        "first-where-compared",
        switch(compared(x, y), x, y),
        extreme(x, y),  # switch(x < y, x, y) → minimum(x, y), switch(x > y, x, y) → maximum(x, y)
        order,
        whereo(is_number_not_nan, x),
        computo(m, extreme_that_takes_first, s),
        sound="rounding",
    ),
    law(
        "second-of-integers-where-compared",
        switch(compared(x, y), y, x),
        extreme(x, y),  # switch(x < y, y, x) → maximum(x, y), switch(x > y, y, x) → minimum(x, y)
        order,
        discreteo(x),
        discreteo(y),
        computo(m, extreme_that_takes_second, s),
    ),
    law(
        "first-of-integers-where-compared",
        switch(compared(x, y), x, y),
        extreme(x, y),  # switch(x < y, x, y) → minimum(x, y), switch(x > y, x, y) → maximum(x, y)
        order,
        discreteo(x),
        discreteo(y),
        computo(m, extreme_that_takes_first, s),
    ),
)

EXTREMES_WITHOUT_NAN = (
    law(
        "second-extreme",
        switch(compared(x, y), y, x),
        extreme(x, y),  # switch(x < y, y, x) → maximum(x, y), switch(x > y, y, x) → minimum(x, y)
        order,
        computo(m, extreme_that_takes_second, s),
        sound="finite",
    ),
    law(
        "first-extreme",
        switch(compared(x, y), x, y),
        extreme(x, y),  # switch(x < y, x, y) → minimum(x, y), switch(x > y, x, y) → maximum(x, y)
        order,
        computo(m, extreme_that_takes_first, s),
        sound="finite",
    ),
)

ABSOLUTE_VALUES = (
    law(
        "abs-where-negative",
        switch(compared(x, 0), -x, x),  # x < 0, or x <= 0
        abs_(x),
        less,
        sound="rounding",
    ),
    law(
        "abs-where-positive",
        switch(compared(x, 0), x, -x),  # x > 0, or x >= 0
        abs_(x),
        greater,
        sound="rounding",
    ),
    law("sign-by-cases", switch(x > 0, 1, switch(x < 0, -1, 0)), sign(x), discreteo(x)),
    law(
        "sign-of-float-by-cases",
        switch(x > 0, 1, switch(x < 0, -1, 0)),
        sign(x),
        sound="finite",
    ),
    law("sign-by-other-cases", switch(x < 0, -1, switch(x > 0, 1, 0)), sign(x), discreteo(x)),
    law(
        "sign-of-float-by-other-cases",
        switch(x < 0, -1, switch(x > 0, 1, 0)),
        sign(x),
        sound="finite",
    ),
)

CLIPS = (
    law("clip-to-one", clip(f(x), -1, 1), f(x), whereo(has_values_within_one, s), floato(x)),
    law("clip-sigmoid", clip(sigmoid(x), 0, 1), sigmoid(x)),
)

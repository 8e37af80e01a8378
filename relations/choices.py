"""Comparisons and truth values, choices by a condition, and assertions.

Every comparison with nan is false but ``!=``. So ``x <= x`` is true, and the negation of ``<`` is
``>=``, of integers and booleans alone. Assertions are checked while a graph runs, unless they are
known to hold.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from cons import cons

from relations.kit import choices as kit
from relations.kit.guards import (
    all_oneo,
    all_trueo,
    all_zeroo,
    are_true,
    constanto,
    is_finite_number,
    nonnegativeo,
    not_constanto,
)
from relations.kit.type_guards import (
    booleano,
    common_dtype,
    discreteo,
    floato,
    same_dtypeo,
    unsignedo,
)
from relations.kit.vocabulary import (
    Law,
    any_dtype_law,
    any_dtype_rounding,
    finite,
    law,
    lvars,
    relation,
    rounding,
)
from relgraph import scalar
from relgraph.graph.kanren import argumentso, computed, one_ofo, several, whereo
from relgraph.tensor import (
    Elemwise,
    clip,
    eq,
    isinf,
    isnan,
    maximum,
    minimum,
    neq,
    sigmoid,
    sign,
    switch,
)
from relgraph.tensor import abs as abs_
from relgraph.tensor.basic import Assert

# -- comparisons -----------------------------------------------------------------------------------

c, m, s, x, xs, y, z = lvars("c m s x xs y z")
p, q, (u, v) = lvars("p", booleano), lvars("q", booleano), lvars("u v", floato)
k, (i, j) = lvars("k", constanto, floato), lvars("i j", discreteo)
known, w = lvars("known", constanto), lvars("w", not_constanto)
"""Conditions, floating-point numbers, one that is known, whole numbers or booleans, and what is
known or not."""

f = Elemwise(s, ())
"""Any elementwise function."""

compared = Elemwise(s, ())
"""One of the six comparisons."""

smaller = Elemwise(computed(kit.extreme_that_takes_first, s), ())
larger = Elemwise(computed(kit.extreme_that_takes_second, s), ())
"""The minimum and the maximum where it is ``<``; the other way round where it is ``>``."""

mirrored = Elemwise(computed(kit.mirrored, s), ())
"""The comparison of the two sides exchanged."""

opposite = Elemwise(computed(kit.opposite, s), ())
"""The one that holds where another does not."""

order, less, greater = (one_ofo(s, ops) for ops in (kit.ORDERS, kit.LESS, kit.GREATER))
strict, equality = one_ofo(s, (scalar.lt, scalar.gt)), one_ofo(s, kit.EQUALITIES)
holds_of_equals = one_ofo(s, (scalar.eq, scalar.le, scalar.ge))

comparison, junction = one_ofo(s, kit.COMPARISONS), one_ofo(s, kit.JUNCTIONS)

flag = (comparison, booleano(c))
true_for_true = whereo(kit.is_true_for_true, s, x)
true_for_false = whereo(kit.is_true_for_false, s, x)

CONSTANT_SIDES = (
    # 0 < x → x > 0
    law("constant-on-the-right", compared(known, w), mirrored(w, known), comparison, mixed=True),
)

COMPARISONS = (
    law("strict-order-with-itself", compared(x, x), False, strict),  # x < x
    law("comparison-with-itself", compared(i, i), True, holds_of_equals),
    law("neq-self", neq(x, x), False, discreteo(x)),
    law("neq-self-of-float", neq(x, x), isnan(x), floato(x)),
    # negations
    # not x == y → x != y, not x != y → x == y
    law("not-equality", ~compared(x, y), opposite(x, y), equality),
    law("not-order", ~compared(i, j), opposite(i, j), order),  # not i < j → i >= j
    # what is on the sides
    law("order-of-negatives", compared(-x, -y), compared(y, x), order, floato(x)),
    law("equality-of-negatives", compared(-x, -y), compared(x, y), equality),
    # -u < k → u > -k
    law("order-of-negative-and-constant", compared(-u, k), mirrored(u, -k), order),
    # a difference is zero for equal numbers only, since tiny ones are not flushed to zero
    law("sign-of-difference", compared(u - v, 0), compared(u, v), strict),
    finite("difference-compared-with-zero", compared(u - v, 0), compared(u, v), holds_of_equals),
    law("eq-maximum", eq(x, maximum(x, y)), x >= y),
    law("eq-minimum", eq(x, minimum(x, y)), x <= y),
    law("zero-of-abs", compared(abs_(x), 0), compared(x, 0), equality),
    # with zero
    law("nonnegative-lt-zero", x < 0, False, nonnegativeo(x)),
    law("nonnegative-le-zero", x <= 0, eq(x, 0), nonnegativeo(x)),
    law("unsigned-ge-zero", x >= 0, True, unsignedo(x)),
    # with a flag
    # c == 1, c != False, c > 0
    law("flag-compared", compared(c, x), c, *flag, true_for_true, mixed=True),
    # c == 0, c != True, c < 1
    law("flag-compared-otherwise", compared(c, x), ~c, *flag, true_for_false, mixed=True),
)

NOT_A_NUMBER = (
    law("isnan-discrete", isnan(x), False, discreteo(x)),
    law("isinf-discrete", isinf(x), False, discreteo(x)),
    law("isnan-function", isnan(f(x)), isnan(x), floato(x), whereo(kit.is_nan_for_nan_only, s)),
    law("isnan-add-constant", isnan(x + c), isnan(x), floato(x), whereo(is_finite_number, c)),
    law("isinf-neg", isinf(-x), isinf(x), floato(x)),
    law("isinf-abs", isinf(abs_(x)), isinf(x), floato(x)),
)

joined, other = Elemwise(s, ()), Elemwise(computed(kit.dual, s), ())
"""One of ``&`` and ``|``, and the other one."""

# of an int64 and a uint64 the larger one is a float
constant_bounds = (constanto(y), constanto(z), same_dtypeo(y, z))

JUNCTIONS = (
    law("idempotent-with-itself", f(x, x), x, one_ofo(s, kit.DUAL)),  # x & x, maximum(x, x)
    law("xor-self", x ^ x, False, booleano(x)),
    law("xor-self-of-integer", x ^ x, 0),
    law("not-not", ~~x, x),
    law(
        "neutral-constant",
        f(several(xs)),
        computed(kit.without_neutral, s, xs),  # x & True → x, x ^ 0 → x, maximum(x, -inf) → x
        one_ofo(s, kit.NEUTRAL),
    ),
    # x & 0 → 0, x | True → True
    law("absorbing-constant", f(several(xs)), computed(kit.absorbing_among, s, xs), junction),
    law("xor-ones", x ^ c, ~x, whereo(kit.has_all_bits, c), same_dtypeo(x, c)),
    law("and-not", x & ~x, False, booleano(x)),
    law("or-not", x | ~x, True, booleano(x)),
    law("absorb-and", x & (x | y), x),
    law("absorb-or", x | (x & y), x),
    law("absorb-and-not", x & (~x | y), x & y),
    law("absorb-or-not", x | (~x & y), x | y),
    law("and-and-self", x & (x & y), x & y),
    law("or-or-self", x | (x | y), x | y),
    law("de-morgan", joined(~x, ~y), ~other(x, y), junction),
    law("xor-not-not", ~x ^ ~y, x ^ y),
    # two comparisons together
    law("lt-or-eq", (x < y) | eq(x, y), x <= y),
    law("gt-or-eq", (x > y) | eq(x, y), x >= y),
    law("le-and-ge", (x <= y) & (x >= y), eq(x, y)),
    law("le-and-neq", (x <= y) & neq(x, y), x < y),
    law("ge-and-neq", (x >= y) & neq(x, y), x > y),
    law("lt-and-gt", (x < y) & (x > y), False),
    law(
        "order-of-two-bounds",
        compared(x, y) & compared(x, z),
        compared(x, smaller(y, z)),  # x < minimum(y, z), x > maximum(y, z)
        order,
        *constant_bounds,
        mixed=True,
    ),
)


# -- choices by a condition ------------------------------------------------------------------------

a, b, d = lvars("a b d")

KNOWN = (
    any_dtype_law("switch-true", switch(c, x, y), x, all_trueo(c)),
    any_dtype_law("switch-false", switch(c, x, y), y, all_zeroo(c)),
    any_dtype_law("switch-same", switch(c, x, x), x),
    # -0 is 0 then
    rounding("switch-minus-zero", switch(c, -0.0, 0.0), 0.0),
    rounding("switch-else-minus-zero", switch(c, 0.0, -0.0), 0.0),
)

# the negation of a constant is folded where it stands
SIGNS = (
    law("switch-neg", switch(c, -x, -y), -switch(c, x, y), not_constanto(x)),
    rounding("switch-neg-else-zero", switch(c, -x, 0), -switch(c, x, 0), not_constanto(x)),
    rounding("switch-zero-else-neg", switch(c, 0, -x), -switch(c, 0, x), not_constanto(x)),
)


AS_CASTS = (
    any_dtype_law(
        "switch-to-cast",
        switch(p, x, y),
        # switch(p, 1, 0) → cast(p), to the dtype of 1 and 0
        Elemwise(scalar.Cast(computed(common_dtype, x, y)), ())(p),
        all_oneo(x),
        whereo(kit.is_positive_zero, y),
    ),
)

# a condition between a float32 and a float64 makes a float64 of both
constant_branches = (constanto(a), constanto(b), same_dtypeo(a, b))


def lifted(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about an op on a switch between constants `a` and `b`: folding computes it."""
    return any_dtype_rounding(name, lhs, rhs, *constant_branches, *conditions)


# what is 0 where a branch is not taken, does not make nan of what is infinite there
sunk = partial(finite, tags=("sink_into_choices", "priced"))

# an empty condition has the op compute nothing
folded = (constanto(y), whereo(kit.raises_nothing, s, a, b, y))

CONDITIONS_AND_BRANCHES = (
    any_dtype_law("switch-not", switch(~p, x, y), switch(p, y, x)),
    any_dtype_law("switch-switch", switch(c, switch(c, x, y), z), switch(c, x, z)),
    any_dtype_law("switch-else-switch", switch(c, x, switch(c, y, z)), switch(c, x, z)),
    any_dtype_law("switch-and", switch(p, switch(q, x, y), y), switch(p & q, x, y)),
    any_dtype_law("switch-or", switch(p, x, switch(q, x, y)), switch(p | q, x, y)),
    law("switch-false-true", switch(p, False, True), ~p),
    law("switch-to-and", switch(p, q, False), p & q),
    law("switch-to-or", switch(p, True, q), p | q),
    lifted("lift-switch", f(switch(c, a, b)), switch(c, f(a), f(b))),
    lifted("lift-switch-first", f(switch(c, a, b), y), switch(c, f(a, y), f(b, y)), *folded),
    lifted("lift-switch-second", f(y, switch(c, a, b)), switch(c, f(y, a), f(y, b)), *folded),
    # sums and products of choices
    rounding("add-switches-else-zero", switch(c, x, 0) + switch(c, y, 0), switch(c, x + y, 0)),
    rounding("add-switches-then-zero", switch(c, 0, x) + switch(c, 0, y), switch(c, 0, x + y)),
    rounding("add-complementary-switches", switch(c, x, 0) + switch(c, 0, y), switch(c, x, y)),
    rounding("mul-switches-else-zero", switch(c, x, 0) * switch(c, y, 0), switch(c, x * y, 0)),
)

FACTORS = (
    sunk("mul-switch-else-zero", switch(c, x, 0) * y, switch(c, x * y, 0)),
    sunk("mul-switch-then-zero", switch(c, 0, x) * y, switch(c, 0, x * y)),
    sunk("div-switch-else-zero", switch(c, x, 0) / y, switch(c, x / y, 0)),
    sunk("div-switch-then-zero", switch(c, 0, x) / y, switch(c, 0, x / y)),
)


# switch(x < y, y, x) → maximum(x, y), switch(x > y, y, x) → minimum(x, y)
second = (switch(compared(x, y), y, x), larger(x, y), order)
# switch(x < y, x, y) → minimum(x, y), switch(x > y, x, y) → maximum(x, y)
first = (switch(compared(x, y), x, y), smaller(x, y), order)

EXTREMES = (
    # the side that is no number may be nan: it is what the switch gives then, as an extreme does
    # the number is the second, as `SIDES` puts it on the right
    rounding("second-where-compared", *second, whereo(kit.is_number_not_nan, y)),
    law("second-of-integers-where-compared", *second, discreteo(x), discreteo(y)),
    law("first-of-integers-where-compared", *first, discreteo(x), discreteo(y)),
)

MAGNITUDES = (
    # where neither is nan
    finite("second-extreme", *second),
    finite("first-extreme", *first),
    # x < 0, or x <= 0; x > 0, or x >= 0
    rounding("abs-where-negative", switch(compared(x, 0), -x, x), abs_(x), less),
    rounding("abs-where-positive", switch(compared(x, 0), x, -x), abs_(x), greater),
    law("sign-by-cases", switch(x > 0, 1, switch(x < 0, -1, 0)), sign(x), discreteo(x)),
    finite("sign-of-float-by-cases", switch(x > 0, 1, switch(x < 0, -1, 0)), sign(x)),
    law("sign-by-other-cases", switch(x < 0, -1, switch(x > 0, 1, 0)), sign(x), discreteo(x)),
    finite("sign-of-float-by-other-cases", switch(x < 0, -1, switch(x > 0, 1, 0)), sign(x)),
    # clips
    law("clip-to-one", clip(f(x), -1, 1), f(x), whereo(kit.has_values_within_one, s), floato(x)),
    law("clip-sigmoid", clip(sigmoid(x), 0, 1), sigmoid(x)),
)


# -- assertions ------------------------------------------------------------------------------------

n = lvars("n")

SATISFIED = (
    any_dtype_law("assert-true", Assert(m)(x, c), x, all_trueo(c)),
    any_dtype_law("assert-twice", Assert(m)(Assert(n)(x, c), c), Assert(n)(x, c)),
)


@relation(
    "remove-assert",
    depth=2,
    tags=("local_remove_all_assert", "unsafe"),
    sound="domain",
    domain=are_true,
)
def remove_asserto(checked: Any, unchecked: Any) -> Any:
    """``assert(x, conditions) → x``, where the conditions hold"""
    conditions, message = lvars("conditions message")
    return argumentso(checked, Assert(message), cons(unchecked, conditions))


REMOVAL = (remove_asserto,)

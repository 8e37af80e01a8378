"""What is collected, cancelled and folded in sums and products of any length.

Terms that cancel or are equal are found through the whole tree of sums and differences in which
they stand, factors through that of products and quotients (`kit.nests`). Only they are
touched: the others keep the grouping and the order in which they were written, since regrouping
gains nothing, and ``(x - mean(x)) - c`` is right to the last digit where ``x - (mean(x) + c)`` is
not. Regrouped products overflow: ``x * z / y`` does where ``x / y * z`` is a usual number. What a
product is computed from is no larger and no smaller afterwards than the most that it was before,
but for what cancels and for constants (`kit.nests`).

A law about any number of arguments, ``add(several(xs))``, computes its right side from all of them
at once. The comment beside it says of a few arguments what is equal to what. Its functions are in
`kit.collecting`.

What flattens and collects is late: a sum is looked at when everything in it is at rest, the
outermost first, and its arguments are gone through once.
"""

from __future__ import annotations

from typing import Any

from relations.kit import collecting as kit
from relations.kit.constant_arithmetic import known
from relations.kit.guards import constanto, normal_reciprocalo, not_constanto, uniformo
from relations.kit.nests import flattened
from relations.kit.type_guards import same_dtypeo
from relations.kit.vocabulary import Law, finite, law, lvars, rounding
from relgraph.graph.kanren import case, computed, one_cliento, several, view
from relgraph.tensor import add, mul, sqr, sqrt

c, d, x, xs, y = lvars("c d x xs y")
n, k, v = lvars("n", kit.negative_numbero), lvars("k", constanto), lvars("v", not_constanto)
"""A negative number, a constant, and what is not known."""

_SUMS, _PRODUCTS = ("add_canonicalize",), ("mul_canonicalize",)

# -- what each argument of a sum or a product is seen as -------------------------------------------


SUBTRACTED = view(
    "subtracted",
    case(-x, x),
    case(mul(n, several(xs)), mul(known(-n), several(xs))),
    case(x / n, x / known(-n)),
    case(n, known(-n)),
    case(x, None),
)

TERM = view(
    "coefficient and factors",
    case(mul(c, several(xs)), (c, xs), uniformo(c)),
    case(mul(several(xs)), (1, xs)),
    case(
        x / c,
        (known(1 / c), (x,)),
        normal_reciprocalo(c),
        # the reciprocal of a float32 is not as good a number in a sum of float64
        same_dtypeo(c, x),
    ),
    case(-x, (-1, (x,))),
    case(x, (1, (x,))),
)

_POWERS = (
    case(sqr(sqr(x)), (4, x)),
    case(sqr(x), (2, x)),
    case(x**c, (c, x), uniformo(c)),
    case(x, (1, x)),
)

WHOLE_POWER = view("exponent and base", *_POWERS)
POWER = view("exponent and base", case(sqrt(x), (0.5, x)), *_POWERS)

# -- the laws --------------------------------------------------------------------------------------

sum_of, difference, product_of, quotient = add(several(xs)), x - y, mul(several(xs)), x / y

_multiples = (kit.nest_of_multiples, TERM, *_SUMS)
_powers = (kit.nest_of_powers, POWER, *_PRODUCTS)
_whole_powers = (kit.nest_of_powers, WHOLE_POWER, *_PRODUCTS)
"""What finds the nest of a left side, what its leaves are seen as, and the tag of the law."""


def collecting(name: str, kind: Any, lhs: Any, units: Any, collected: Any) -> Law:
    """Return the law of a kind that equal terms or factors of a whole tree are one.

    Parameters
    ----------
    units
        `_multiples`, `_powers` or `_whole_powers`.
    collected
        The function that collects them, and which of them.
    """
    find, seen_as, tag = units
    nest = computed(find, lhs)
    collect, *which = collected
    made = computed(collect, nest, computed(kit.counted_by(seen_as), nest), *which)
    return kind(name, lhs, made, tags=(tag, "late"))  # type: ignore[no-any-return]


def folding(
    name: str, lhs: Any, outermost: Any, constants_folded: Any, tag: str, tries: Any = ()
) -> Law:
    """Return the law that the constants of a whole tree are one, where `outermost` finds the nest
    of a left side that has several."""
    made = computed(constants_folded, computed(outermost, lhs))
    return rounding(name, lhs, made, tags=(tag,), tries=tries)


_in_sum = (kit.sum_with_constants, kit.constants_of_sum_folded, "add_canonicalize")
_in_product = (kit.product_with_constants, kit.constants_of_product_folded, "mul_canonicalize")

CONSTANTS = (
    folding("sum-constants", sum_of, *_in_sum),  # (2 + x) + 3 → 5 + x
    # (2 + x) - 5 → x - 3
    folding("difference-constants", difference, *_in_sum, tries=(c + x - d, c - (x + d))),
    # v - -2 → 2 + v
    law("sub-negative-constant", v - n, known(-n) + v, same_dtypeo(n, v), tags=_SUMS),
    folding("product-constants", product_of, *_in_product),  # (2 * x) * 3 → 6 * x
    # (6 * x) / 4 → 1.5 * x
    folding("quotient-constants", quotient, *_in_product, tries=(c * x / d, c / (x * d))),
)

SIGNS = (
    # a + -x + b → (a - x) + b
    rounding("sum-of-differences", sum_of, computed(kit.parted(SUBTRACTED), sum_of), tags=_SUMS),
    rounding(
        "mul-neg",
        product_of,
        computed(kit.signs_in_front, product_of),  # x * -y * z → -(x * y * z)
        # other laws look for products without signs, which go on to a sum or a difference;
        # `negative-of-shared-factor` takes back what none has absorbed
        tags=("mul_canonicalize", "invests"),
    ),
    law(
        "quotient-neg",
        quotient,
        computed(kit.signs_in_front, quotient),  # -x / y → -(x / y), x / -y → -(x / y)
        tags=("mul_canonicalize", "neg_div_neg"),
    ),
)
"""Signs in sums, products and quotients, where they are written."""

LAST_SIGNS = (
    rounding(
        "negative-of-shared-factor",
        -product_of,
        # -(x * y), where -(x * k) is read too → -x * y
        computed(kit.shared_factor_negated, product_of),
        tags=("mul_specialize",),
    ),
    # -2 + v → v - 2
    law("add-negative-constant", n + v, v - known(-n), same_dtypeo(n, v), tags=("add_specialize",)),
    # -(v - 2) → 2 - v, where the difference was a sum until now; -(x - x) is -0
    rounding("neg-less-constant", -(v - k), k - v, one_cliento(v - k), tags=("add_specialize",)),
)
"""Signs in the last phase: one of products again, which nothing looks for without them any more,
and those of constants that became negative by folding."""

one_sign, any_sign = (kit.collected_terms, False), (kit.collected_terms, True)
whole, any_power, across = (
    (kit.collected_powers, *which) for which in ((False, False), (True, False), (True, True))
)

COLLECTED = (
    # 2 * a + b + 3 * a → 5 * a + b
    collecting("collect-terms", rounding, sum_of, _multiples, one_sign),
    # (2 * a - b) + b → 2 * a, which is wrong where b is inf
    collecting("cancel-terms", finite, sum_of, _multiples, any_sign),
    # a**2 * a * b → a**3 * b
    collecting("collect-powers", rounding, product_of, _whole_powers, whole),
    # a**2 * b * a**-0.5 → a**1.5 * b
    collecting("add-powers", finite, product_of, _powers, any_power),
)

SIDES_AND_NESTS = (
    # (a - b) - b → a - 2 * b
    collecting("collect-difference", rounding, difference, _multiples, one_sign),
    # (2 * a + b) - (3 * a + c) → b - (a + c)
    collecting("cancel-difference", finite, difference, _multiples, any_sign),
    # (a**3 * b) / (a * c) → (a**2 * b) / c
    collecting("cancel-quotient", finite, quotient, _powers, across),
    # (a + b) + c → a + b + c, (a * b) * c → a * b * c: nested in each other they match as one
    rounding(
        "flatten-sum",
        sum_of,
        computed(flattened(add), sum_of),
        tags=(*_SUMS, "late", "flattens"),
        complex=True,
    ),
    rounding(
        "flatten-product",
        product_of,
        computed(flattened(mul), product_of),
        tags=(*_PRODUCTS, "late", "flattens"),
        complex=True,
    ),
)
"""What stands on both sides of a difference or a quotient, and sums and products in each other."""

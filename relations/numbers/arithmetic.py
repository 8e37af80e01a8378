"""Sums, products, quotients and signs: what holds of two or three of them.

What holds of any number of terms or factors is in `collecting`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from relations.kit.collecting import parted
from relations.kit.compensation import without_logarithm_in_base
from relations.kit.constant_arithmetic import known
from relations.kit.guards import constanto, discrete_zeroo, no_zeroo, normal_reciprocalo, uniformo
from relations.kit.numbers import has_normal_quotient, is_power_of_two, without_ones
from relations.kit.type_guards import (
    booleano,
    discrete_togethero,
    discreteo,
    floato,
    integero,
    roomyo,
    same_dtypeo,
    signed_or_floato,
)
from relations.kit.vocabulary import Law, finite, law, lvars, rounding
from relgraph.graph.kanren import case, computed, not_made_byo, readerso, several, view, whereo
from relgraph.graph.kanren.terms import variables_of
from relgraph.tensor import mul, reciprocal

c, d, k, x, xs, y, z = lvars("c d k x xs y z")
r, number = lvars("r", floato), lvars("number", floato, constanto)
(a, b), n = lvars("a b", uniformo), lvars("n", normal_reciprocalo)
"""A floating-point number, and such that are known; the reciprocal of `n` is normal."""

_ADD = ("constant_elimination", "add_canonicalize", "add_specialize")
_MUL = ("constant_elimination", "mul_canonicalize", "mul_specialize")
_SUMS = ("add_canonicalize",)
_PRODUCTS = ("mul_canonicalize",)
_SPECIAL = ("mul_specialize",)


IDENTITIES = (
    rounding("add-zero", x + 0, x, tags=_ADD),  # -0 + 0 is 0
    law("add-zero-discrete", x + 0, x, discreteo(x), tags=_ADD),
    law("add-minus-zero", x + -0.0, x, tags=_ADD),
    law("sub-zero", x - 0, x, tags=_ADD),
    rounding("sub-minus-zero", x - -0.0, x, tags=_ADD),  # -0 - -0 is 0
    law("mul-one", x * 1, x, tags=_MUL),
    # x * 1 * y → x * y
    law("mul-one-among", mul(several(xs)), computed(without_ones, xs), tags=_MUL),
    law("div-one", x / 1, x, tags=_MUL),
    law("pow-one", x**1, x, tags=("constant_elimination", "pow_specialize")),
    finite("mul-zero", x * 0, 0, tags=_MUL),
    law("mul-zero-discrete", x * c, 0, discrete_togethero(x, c), discrete_zeroo(c), tags=_MUL),
    finite("zero-div", 0 / x, 0, tags=_MUL),
    law("add-true", x + True, True, booleano(x), tags=_ADD),
    law("add-false", x + False, x, booleano(x), tags=_ADD),
    law("mul-true", x * True, x, booleano(x), tags=_MUL),
    law("mul-false", x * False, False, booleano(x), tags=_MUL),
    law("add-self-boolean", x + x, x, booleano(x), tags=_SUMS),
    law("mul-self-boolean", x * x, x, booleano(x), tags=_PRODUCTS),
)

NEGATIONS = (law("neg-neg", -(-x), x, tags=("neg_neg", "neg_div_neg")),)

# a logarithm of it has its rounding, which what remains has not
rounded_sum = readerso(without_logarithm_in_base, x + y)
rounded_difference = readerso(without_logarithm_in_base, x - y)

SIGNS_AND_CANCELLATIONS = (
    *NEGATIONS,
    law("add-neg", x + -y, x - y, tags=_SUMS),
    law("sub-neg", x - -y, x + y, tags=_SUMS),
    rounding("neg-sub", -(x - y), y - x, tags=_SUMS),  # -(x - x) is -0
    # -1 - -1 is 0, and -(1 + -1) is -0
    rounding("neg-sub-sum", -x - y, -(x + y), tags=_SUMS),
    law("mul-neg-neg", -x * -y, x * y, tags=(*_PRODUCTS, "neg_neg")),
    law("neg-div-neg", -x / -y, x / y, tags=("neg_div_neg",)),
    law("minus-one-mul", -1 * x, -x, signed_or_floato(x), tags=_MUL),
    law("div-minus-one", x / -1, -x, floato(x), tags=_MUL),
    rounding("zero-sub", 0 - x, -x, tags=_ADD),  # 0 - 0 is 0, and -(0) is -0
    law("zero-sub-integer", 0 - x, -x, integero(x), tags=_ADD),
    finite("sub-self", x - x, 0, tags=_SUMS),
    finite("mixture-of-same", x * y + (1 - x) * y, y, tags=_SUMS),
    law("sub-self-integer", x - x, 0, integero(x), tags=_SUMS),
    finite("div-self", x / x, 1, tags=_PRODUCTS),
    finite("mul-div-cancel", x * y / y, x, no_zeroo(y), tags=_PRODUCTS),
    finite("div-mul-cancel", x / y * y, x, tags=_PRODUCTS),
    finite("add-sub-cancel", x + y - y, x, rounded_sum, tags=_SUMS),
    finite("sub-add-cancel", x - y + y, x, rounded_difference, tags=_SUMS),
    # whoever else reads the sum or the difference
    finite("sub-own-difference", x - (x - y), y, rounded_difference, tags=_SUMS),
    finite("difference-sub-cancel", (x - y) - x, -y, rounded_difference, tags=_SUMS),
    finite("sub-own-sum", x - (x + y), -y, rounded_sum, tags=_SUMS),
)


def cleared(name: str, lhs: Any, rhs: Any, tags: Any = _PRODUCTS) -> Law:
    """Return a law that multiplies or adds what was divided before: it may be larger."""
    return finite(name, lhs, rhs, roomyo(*variables_of(lhs)), tags=tags)


FRACTIONS = (
    # whoever else reads the fraction: what cancels goes, and no more of it is taken apart
    finite("fraction-cancel", x * (y / z) / y, x / z, tags=_PRODUCTS),
    finite("divisor-cancel", x / (x / y), y, tags=_PRODUCTS),
    cleared("divisor-cancel-mul", (x * z) / (x / y), z * y),
    finite("divisor-cancel-div", x / (y / z) / z, x / y, tags=_PRODUCTS),
    finite("fractions-in-a-row", (x / y) * (y / z), x / z, tags=_PRODUCTS),
    cleared("fractions-cancel", (x / (y * k)) * (y / z), x / k / z),
    cleared("clear-fraction-add", (x / y + z) * y, x + z * y),
    cleared("clear-fraction-sub", (x / y - z) * y, x - z * y),
    cleared("clear-sub-fraction", (z - x / y) * y, z * y - x),
    cleared("clear-factor-add", (x / (y * k) + z) * y, x / k + z * y),
    cleared("clear-factor-sub", (x / (y * k) - z) * y, x / k - z * y),
    cleared("clear-sub-factor", (z - x / (y * k)) * y, z * y - x / k),
    cleared("clear-multiple-add", ((x / y) * k + z) * y, x * k + z * y),
    cleared("clear-multiple-sub", ((x / y) * k - z) * y, x * k - z * y),
    cleared("clear-sub-multiple", (z - (x / y) * k) * y, z * y - x * k),
    cleared("sub-fractions", x / z - y / z, (x - y) / z, tags=_SUMS),
)

CONSTANT_FACTORS = (
    # whoever else reads the product; one that nothing else reads is part of the quotient
    rounding(
        "div-of-constant-factor",
        (a * x) / b,
        known(a / b) * x,
        not_made_byo(x, mul),
        same_dtypeo(a, x),
        whereo(has_normal_quotient, a, b),
        tags=_PRODUCTS,
    ),
)

RECIPROCALS = (law("reciprocal-as-quotient", reciprocal(x), 1 / x, floato(x), tags=_PRODUCTS),)

DIVIDED = view("divided by", case(reciprocal(x), x, floato(x)), case(x, None))
divided = parted(DIVIDED)

special = partial(rounding, tags=_SPECIAL)
by_x, of_one_dtype = known(reciprocal(n)) / x, same_dtypeo(n, x)

SPECIAL_PRODUCTS = (
    # of x ** -0.5, say; a product with 1 / y has been a quotient since `canonicalize`
    special(
        "mul-reciprocal",
        mul(several(xs)),
        computed(divided, mul(several(xs))),  # x * reciprocal(y) * k → x / y * k
        tries=[mul(reciprocal(y), several(xs))],
    ),
    special("reciprocal-of-constant-factor", reciprocal(n * x), by_x, of_one_dtype),
    special("div-reciprocal-by-constant", reciprocal(x) / n, by_x, of_one_dtype),
    law("div-by-power-of-two", x / c, known(1 / c) * x, whereo(is_power_of_two, c), tags=_SPECIAL),
    law(
        "neg-mul-constant", -(c * x), known(-c) * x, constanto(c), same_dtypeo(c, x), tags=_SPECIAL
    ),
    law("neg-div-constant", -(number / r), known(-number) / r, tags=_SPECIAL),
    law("neg-div-by-constant", -(r / number), r / known(-number), tags=_SPECIAL),
    law("reciprocal", 1 / x, reciprocal(x), floato(x), tags=_SPECIAL),
)

"""Logarithms of products of exponentials, shares and powers, and of sums of exponentials.

The logarithm of a density is one of a product: `log_product` has the exponents
apart from the other factors, and adds logarithms only where the product is no ordinary number. So
nothing is regrouped that is right, and its slopes are the ones of a sum of logarithms. Logarithms
of sums are factors there.

Sums are of any number of terms, with constants and constant weights, in any bases. A sum of
exponentials is one `logaddexp` of the exponents. Where terms are subtracted, and in quotients, the
largest exponent is taken from all.

Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax functions", IMA J.
Numer. Anal. 41 (2021), for exponentials that are never computed; Kahan, Branch Cuts for Complex
Elementary Functions (1987), for powers at zeros and infinities.
"""

from __future__ import annotations

import math
from operator import attrgetter, contains
from typing import Any

from relations.functions import special
from relations.functions.special import log_erfc
from relations.kit import functions as kit
from relations.kit.cancellation import not_choseno
from relations.kit.constant_arithmetic import known
from relations.kit.guards import nonnegativeo, nonzero_numbero, not_constanto
from relations.kit.made_by_laws import made_of
from relations.kit.nests import added_leaves, nest_of, terms_of_sum
from relations.kit.type_guards import floato, same_dtypeo
from relations.kit.vocabulary import lvars, stable
from relgraph.graph.kanren import case, computed, not_made_byo, one_ofo, several, view, whereo
from relgraph.scalar.special import LN2
from relgraph.tensor import (
    DimShuffle,
    Elemwise,
    add,
    erfc,
    exp,
    exp2,
    gt,
    log,
    log1p,
    log2,
    log10,
    log_determinant,
    log_product,
    logaddexp,
    lt,
    maximum,
    minimum,
    mul,
    sigmoid,
    softplus,
    sqr,
    switch,
)
from relgraph.tensor import abs as abs_
from relgraph.tensor import sum as sum_
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.special import log_ndtr, ndtr

# -- logarithms of products ------------------------------------------------------------------------

a, c, k, n, o, w, x, xs, y, z = lvars("a c k n o w x xs y z")

# a power is the exponential of a multiple of a logarithm, but for zeros, infinities, and powers of
# negative numbers; what is not computed so is computed of 1, so that its slope is finite
ordinary = gt(minimum(x, math.inf - maximum(x, abs_(y))), 0)
exponent, power = switch(ordinary, y * log(switch(ordinary, x, 1)), 0), switch(ordinary, 1, x) ** y

ordinary_share = lt(maximum(abs_(x), abs_(y)), math.inf)
exponent_of_share = switch(ordinary_share, -(y * softplus(-x)), 0)
power_of_share = switch(ordinary_share, 1, sigmoid(x)) ** y

varies = (not_constanto(y), floato(x), same_dtypeo(x, y))
is_power = (nonzero_numbero(c), floato(x), same_dtypeo(x, c))
is_exponential = (whereo(kit.is_base, c), floato(x), same_dtypeo(x, c))

total, lse = sum_(exp(x), axis=a), LogSumExp(a)(x)

_product = mul(several(xs))
# a product of integers may wrap around
FACTORS = view("factors", case(_product, xs, floato(_product)), case(x, (x,)))
above, below = computed(FACTORS, x), computed(FACTORS, y)
"""The factors of `x`, and those of `y`."""

_FACTOR_CASES = (
    case(exp(x), (x, 1), floato(x)),
    case(sigmoid(x), (-softplus(-x), 1), floato(x)),
    case(Softmax(k)(x), (LogSoftmax(k)(x), 1)),
    case(exp2(x), (LN2 * x, 1), floato(x)),
    case(ndtr(x), (log_ndtr(x), 1), floato(x)),
    case(erfc(x), (log_erfc, 1), floato(x)),
    case(c**x, (known(log(c)) * x, 1), *is_exponential),
    case(total, (lse, 1), floato(x)),
    case(DimShuffle(n, o)(total), (DimShuffle(n, o)(lse), 1), floato(x)),
    case(sigmoid(x) ** c, (-(c * softplus(-x)), 1), *is_power),
    case(sqr(sigmoid(x)), (-2 * softplus(-x), 1), floato(x)),
    case(sigmoid(x) ** y, (exponent_of_share, power_of_share), *varies),
    case(x**y, (exponent, power), *varies),
)

SIMPLE_FACTOR = view("exponent and factor", *_FACTOR_CASES, case(x, (0, x)))
simple_above, simple_below = (computed(SIMPLE_FACTOR.each, v) for v in (above, below))

TERM = view(
    "exponent and weights",
    case(x / y, computed(kit.weighed, simple_above, simple_below)),
    case(x, computed(kit.weighed, simple_above)),
)

terms = computed(terms_of_sum, xs)

FACTOR = view(
    "exponent and factor",
    case(
        add(several(xs)),
        (computed(kit.logarithm_of_terms, computed(TERM.each, terms), terms), 1),
    ),
    *_FACTOR_CASES,
    case(x, (0, x)),
)

seen, seen_above, seen_below = (computed(FACTOR.each, v) for v in (xs, above, below))

PRODUCTS = (
    stable(
        "log-of-product",
        log(mul(several(xs))),
        computed(kit.logarithm_of_factors, seen),  # log(x * exp(y)) → log_product(y, 1, x)
        tries=[
            log(mul(factor, several(xs)))
            for factor in (
                *(exp(x), sigmoid(x), Softmax(k)(x), x**y),
                *(exp(x) + exp(y), sqr(sigmoid(x)), sigmoid(x) ** 2.5),
            )
        ],
    ),
    stable(
        "log-of-quotient",
        log(x / y),
        # log(x * exp(y) / z) → log_product(y, z, x)
        computed(kit.logarithm_of_factors, seen_above, y, seen_below),
    ),
    # the size of a product is the product of the sizes
    stable(
        "log-abs-of-product",
        log(abs_(mul(several(xs)))),
        # log(abs(x * exp(y))) → log_product(y, 1, abs(x))
        computed(kit.logarithm_of_factors, computed(kit.sizes, seen)),
        tries=[log(abs_(mul(factor, several(xs)))) for factor in (exp(x), sigmoid(x))],
    ),
    stable(
        "log-abs-of-quotient",
        log(abs_(x / y)),
        # log(abs(x * exp(y) / z)) → log_product(y, abs(z), abs(x))
        computed(kit.logarithm_of_size_of_quotient, seen_above, y, seen_below),
    ),
    # the factor was a part or a transpose of an exponential when the product was seen
    stable(
        "log-product-of-exponential", log_product(y, z, exp(x)), log_product(x + y, z), floato(x)
    ),
    stable("log-product-of-exponent", log_product(y, 1), y),
    # before the law about any base: a sigmoid that underflows has a logarithm all the same
    stable(
        "log-of-power-of-sigmoid",
        log(sigmoid(x) ** y),
        log_product(exponent_of_share, 1, power_of_share),
        *varies,
    ),
    stable("log-of-exponential", log(c**x), known(log(c)) * x, *is_exponential),
    stable("log-of-power", log(x**y), log_product(exponent, 1, power), *varies),
    # determinants
    stable(
        "log-of-determinant",
        log(x * y - z * w),
        log_determinant(x, y, z, w),
        # of more factors, two may overflow where the product of all does not
        *(not_made_byo(v, mul) for v in (w, x, y, z)),
    ),
)


# -- logarithms of sums of exponentials ------------------------------------------------------------

s = lvars("s")

based = Elemwise(s, ())
"""A logarithm of another base."""


def logarithm_of(whole: Any) -> Any:
    """Return the logarithm of a sum or difference of exponentials."""
    nest = computed(nest_of, whole)
    terms = computed(TERM.each, computed(attrgetter("leaves"), nest))
    return computed(kit.logarithm_of_nest, terms, nest)


added = add(several(xs))
leaves = computed(added_leaves, added)

TRIES = (add(exp(x), exp(y)), add(exp(x), exp(y), exp(w)), add(2 * exp(x), exp(y) / 3, exp(w), 1))
SUBTRACTED = (exp(x) - exp(y), exp(x) - 3, add(exp(x), exp(y)) - 2 * exp(w))

LOGARITHMS = (
    stable(
        "log-of-sum",
        log(added),
        # log(2 * exp(x) + exp(y) + 3) → logaddexp(log(2) + x, y, log(3))
        logarithm_of(added),
        tries=[log(one) for one in (*TRIES, add(exp(x) - exp(y), exp(w)))],
    ),
    stable(
        "log-of-difference",
        log(x - y),
        # log(exp(x) - 2 * exp(y)) → m + log(exp(x - m) - 2 * exp(y - m))
        logarithm_of(x - y),
        tries=[log(one) for one in SUBTRACTED],
    ),
    stable(
        "log1p-of-sum",
        log1p(added),
        # log1p(exp(x) + exp(y)) → logaddexp(0, x, y)
        computed(kit.logarithm_of_one_and_terms, computed(TERM.each, leaves), leaves),
        tries=[log1p(one) for one in (*TRIES[:2], 2 + exp(x))],
    ),
    stable(
        "less-logaddexp",
        x - logaddexp(several(xs)),
        # x - logaddexp(x, y, w) → -logaddexp(0, y - x, w - x)
        computed(kit.logarithm_of_share, x, xs),
        floato(x),
        not_choseno(x),
        whereo(contains, xs, x),
    ),
)

OVER_AXES = (
    stable("log-sum-exp", log(total), lse),
    stable("log-sum-exp-moved", log(DimShuffle(n, o)(total)), DimShuffle(n, o)(lse)),
    stable("log-mean-exp", log(total / y), lse - log(y), nonnegativeo(y)),
)

_natural = tuple(one for one in (*special.TAILS, *LOGARITHMS, *OVER_AXES) if one.lhs.op is log)

IN_BASES = (
    stable(
        "log-in-base",
        based(x),
        # what a law makes of log(x), by log(2) or log(10)
        computed(made_of(_natural), x) / computed(kit.natural_logarithm_of_base, s),
        one_ofo(s, kit.LOGARITHMS_OF_BASES),
        tries=[
            log10(10**x + 10**y),
            *(log2(one) for one in (0.5 * erfc(x), erfc(x) / 2, *TRIES, *SUBTRACTED)),
            log2(add(2 * exp2(x), 2**y, exp2(w), 1)),
            *(based(one) for one in (erfc(x), ndtr(x), total)),
        ],
    ),
)


share_of = kit.share_by(TERM)

# late: a share of two is a sigmoid, and the logarithm of a share none at all
SHARES = (
    stable(
        "share",
        x / y,
        # exp(x) * w / (exp(x) + exp(y)) → exp(x - m) / (exp(x - m) + exp(y - m)) * w
        computed(share_of, above, below),
        whereo(kit.may_be_share, x, y),
        tags=("late",),
        tries=[
            *(exp(x) / one for one in TRIES),
            exp(x) * w / (TRIES[1] * z),
            exp(x) / sqr(TRIES[1]),
            exp(x) * w / (sqr(TRIES[0]) * z),
        ],
    ),
    # the slope of what is divided by a sum
    stable(
        "share-by-reciprocal",
        sqr(1 / y) * exp(x),
        computed(share_of, computed(FACTORS, exp(x)), below) / y,
        tags=("late",),
        tries=[sqr(1 / one) * exp(x) for one in TRIES],
    ),
    # the slope of a power of it
    stable(
        "share-of-quotient",
        w / y * exp(x),
        computed(share_of, computed(FACTORS, exp(x) * w), below),
        tags=("late",),
        tries=[w / one * exp(x) for one in (*TRIES, TRIES[0] ** 3.5)],
    ),
)

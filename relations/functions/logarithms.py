"""Logarithms of products of exponentials, shares and powers, which over- and underflow.

They are what the logarithm of a density comes to: `log_product` has the exponents apart from the
other factors, and adds logarithms only where the product is no ordinary number. So nothing is
regrouped that is right, and its slopes are the ones of a sum of logarithms. Logarithms of
sums have a page of their own, `sums_of_exponentials`, and are factors here.

Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax functions", IMA J.
Numer. Anal. 41 (2021), for exponentials that are never computed; Kahan, Branch Cuts for Complex
Elementary Functions (1987), for powers at zeros and infinities.
"""

from __future__ import annotations

import math

from relations.functions.special import log_erfc
from relgraph.graph.kanren import case, computo, several, view, whereo
from relgraph.scalar.transcendental import LN2
from relgraph.tensor import (
    DimShuffle,
    add,
    erfc,
    exp,
    exp2,
    gt,
    log,
    log_determinant,
    log_product,
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
from relgraph.tensor.lawkit.arithmetic.axis_orders import softmax_axis
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded
from relgraph.tensor.lawkit.functions.logarithms import (
    is_no_product,
    logarithm_of_product,
    logarithm_of_quotient,
    logarithm_of_size_of_quotient,
    may_have_exponents,
    sizes,
)
from relgraph.tensor.lawkit.functions.sums_of_exponentials import (
    is_base,
    logarithm_of_terms,
    may_have_exponentials,
    weighed,
)
from relgraph.tensor.lawkit.guards.constants import not_constanto
from relgraph.tensor.lawkit.guards.numbers import nonzero_numbero
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import floato, same_dtypeo
from relgraph.tensor.lawkit.numbers.terms import terms_of_sum
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.special import log_ndtr, ndtr

a, c, k, n, o, w, x, xs, y, z = lvars("a c k n o w x xs y z")
above, below, seen_above, seen_below = lvars("above below seen_above seen_below")
leaves, terms = lvars("leaves terms")

# a power is the exponential of a multiple of a logarithm, but for zeros, infinities, and powers of
# negative numbers; what is not computed so is computed of 1, so that its slope is finite
ordinary = gt(minimum(x, math.inf - maximum(x, abs_(y))), 0)
exponent, power = switch(ordinary, y * log(switch(ordinary, x, 1)), 0), switch(ordinary, 1, x) ** y

ordinary_share = lt(maximum(abs_(x), abs_(y)), math.inf)
exponent_of_share = switch(ordinary_share, -(y * softplus(-x)), 0)
power_of_share = switch(ordinary_share, 1, sigmoid(x)) ** y

varies = (not_constanto(y), floato(x), same_dtypeo(x, y))
is_power = (nonzero_numbero(c), floato(x), same_dtypeo(x, c))
is_exponential = (whereo(is_base, c), floato(x), same_dtypeo(x, c))
is_log = computo(k, folded(log), c)

total, usual = sum_(exp(x), axis=a), computo(k, softmax_axis, a)

FACTORS = view("factors", case(mul(several(xs)), xs), case(x, (x,)))

_FACTOR_CASES = (
    case(exp(x), (x, 1), floato(x)),
    case(sigmoid(x), (-softplus(-x), 1), floato(x)),
    case(Softmax(k)(x), (LogSoftmax(k)(x), 1)),
    case(exp2(x), (LN2 * x, 1), floato(x)),
    case(ndtr(x), (log_ndtr(x), 1), floato(x)),
    case(erfc(x), (log_erfc, 1), floato(x)),
    case(c**x, (k * x, 1), *is_exponential, is_log),
    case(total, (LogSumExp(k)(x), 1), floato(x), usual),
    case(DimShuffle(n, o)(total), (DimShuffle(n, o)(LogSumExp(k)(x)), 1), floato(x), usual),
    case(sigmoid(x) ** c, (-(c * softplus(-x)), 1), *is_power),
    case(sqr(sigmoid(x)), (-2 * softplus(-x), 1), floato(x)),
    case(sigmoid(x) ** y, (exponent_of_share, power_of_share), *varies),
    case(x**y, (exponent, power), *varies),
)

SIMPLE_FACTOR = view("exponent and factor", *_FACTOR_CASES, case(x, (0, x)))

TERM = view(
    "exponent and weights",
    case(
        mul(several(xs)),
        z,
        computo(seen_above, SIMPLE_FACTOR.each, xs),
        computo(z, weighed, seen_above),
        whereo(is_found, z),
    ),
    case(
        x / y,
        z,
        computo(above, FACTORS, x),
        computo(below, FACTORS, y),
        computo(seen_above, SIMPLE_FACTOR.each, above),
        computo(seen_below, SIMPLE_FACTOR.each, below),
        computo(z, weighed, seen_above, seen_below),
        whereo(is_found, z),
    ),
    case(
        x,
        z,
        computo(above, FACTORS, x),
        computo(seen_above, SIMPLE_FACTOR.each, above),
        computo(z, weighed, seen_above),
    ),
)

FACTOR = view(
    "exponent and factor",
    case(
        add(several(xs)),
        (z, 1),
        whereo(may_have_exponentials, xs),
        computo(leaves, terms_of_sum, xs),
        computo(terms, TERM.each, leaves),
        computo(z, logarithm_of_terms, terms, leaves),
        whereo(is_found, z),
    ),
    *_FACTOR_CASES,
    case(x, (0, x)),
)

PRODUCTS = (
    law(
        "log-of-product",
        log(mul(several(xs))),
        z,  # log(x * exp(y)) → log_product(y, 1, x)
        whereo(may_have_exponents, xs),
        computo(seen_above, FACTOR.each, xs),
        computo(z, logarithm_of_product, seen_above),
        whereo(is_found, z),
        sound="stable",
        tries=[
            log(mul(factor, several(xs)))
            for factor in (
                *(exp(x), sigmoid(x), Softmax(k)(x), x**y),
                *(exp(x) + exp(y), sqr(sigmoid(x)), sigmoid(x) ** 2.5),
            )
        ],
    ),
    law(
        "log-of-quotient",
        log(x / y),
        z,  # log(x * exp(y) / z) → log_product(y, z, x)
        computo(above, FACTORS, x),
        computo(below, FACTORS, y),
        computo(seen_above, FACTOR.each, above),
        computo(seen_below, FACTOR.each, below),
        computo(z, logarithm_of_quotient, seen_above, y, seen_below),
        whereo(is_found, z),
        sound="stable",
    ),
    # the size of a product is the product of the sizes
    law(
        "log-abs-of-product",
        log(abs_(mul(several(xs)))),
        z,  # log(abs(x * exp(y))) → log_product(y, 1, abs(x))
        whereo(may_have_exponents, xs),
        computo(seen_above, FACTOR.each, xs),
        computo(above, sizes, seen_above),
        computo(z, logarithm_of_product, above),
        whereo(is_found, z),
        sound="stable",
        tries=[log(abs_(mul(factor, several(xs)))) for factor in (exp(x), sigmoid(x))],
    ),
    law(
        "log-abs-of-quotient",
        log(abs_(x / y)),
        z,  # log(abs(x * exp(y) / z)) → log_product(y, abs(z), abs(x))
        computo(above, FACTORS, x),
        computo(below, FACTORS, y),
        computo(seen_above, FACTOR.each, above),
        computo(seen_below, FACTOR.each, below),
        computo(z, logarithm_of_size_of_quotient, seen_above, y, seen_below),
        whereo(is_found, z),
        sound="stable",
    ),
    # before the law about any base: a sigmoid that underflows has a logarithm all the same
    law(
        "log-of-power-of-sigmoid",
        log(sigmoid(x) ** y),
        log_product(exponent_of_share, 1, power_of_share),
        *varies,
        sound="stable",
    ),
    law("log-of-exponential", log(c**x), k * x, *is_exponential, is_log, sound="stable"),
    law("log-of-power", log(x**y), log_product(exponent, 1, power), *varies, sound="stable"),
)

DETERMINANTS = (
    law(
        "log-of-determinant",
        log(x * y - z * w),
        log_determinant(x, y, z, w),
        # of more factors, two may overflow where the product of all does not
        *(whereo(is_no_product, v) for v in (w, x, y, z)),
        sound="stable",
    ),
)

"""Exponentials and logarithms: inverses of each other, homomorphisms, and exact near zero and one;
and the logistic function, its logarithm, and how the hyperbolic tangent comes from it.

Where finite numbers over- or underflow on the way (``exp(800)``), the right sides here do not. A
logarithm of what is negative is nan, and what undoes it is not: such a law needs to know the sign,
or is of the class ``finite``.
"""

from __future__ import annotations

from typing import Any

from relations.kit import functions as kit
from relations.kit.constant_arithmetic import known
from relations.kit.guards import (
    are_positive,
    in_dtype_of,
    nonnegativeo,
    nonzero_numbero,
    positive_numbero,
)
from relations.kit.numbers import at_mosto, eveno, oddo
from relations.kit.type_guards import floato, same_dtypeo
from relations.kit.vocabulary import finite, law, lvars, rounding, stable
from relgraph.graph.kanren import computed, not_made_byo, readerso, whereo
from relgraph.scalar.special import LN2, LN10
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
    cosh,
    eq,
    exp,
    exp2,
    expm1,
    log,
    log1mexp,
    log1p,
    log2,
    log10,
    logaddexp,
    lt,
    maximum,
    reciprocal,
    sigmoid,
    softplus,
    sqr,
    sqrt,
    switch,
    tanh,
)

# -- exponentials and logarithms -------------------------------------------------------------------

c, x, y, z = lvars("c x y z")


_PRICED = ("priced",)

INVERSES_AND_PRODUCTS = (
    stable("log-exp", log(exp(x)), x),
    stable("log2-exp2", log2(exp2(x)), x),
    stable("log2-power", log2(2**x), x),
    stable("log10-power", log10(10**x), x),
    rounding("one-plus-expm1", 1 + expm1(x), exp(x)),
    stable("log1p-less-one", log1p(x - 1), log(x)),
    # of what is not negative: elsewhere the logarithm is nan
    stable(
        "exp-scaled-log-nonnegative", exp(c * log(x)), x**c, nonnegativeo(x), positive_numbero(c)
    ),
    stable("expm1-log-nonnegative", expm1(log(x)), x - 1, nonnegativeo(x)),
    stable("exp-log1p-nonnegative", exp(log1p(x)), 1 + x, nonnegativeo(x)),
    # where defined
    finite("expm1-log", expm1(log(x)), x - 1),
    finite("exp-log1p", exp(log1p(x)), 1 + x),
    finite("exp-scaled-log", exp(y * log(x)), x**y),
    finite("log-one-by", log(1 / x), -log(x)),
    finite("exp-neg-log", exp(-log(x)), 1 / x),
    finite("exp-add-log", exp(x + log(y)), exp(x) * y),
    finite("exp-sub-log", exp(x - log(y)), exp(x) / y),
    # where one overflows and the other underflows, whatever else reads them
    stable("exp-mul-own-exp", exp(x) * exp(-exp(x)), exp(x - exp(x))),
    # where the one overflows, the other is 0 and so is their product
    *(
        stable(
            f"{name}-mul-vanishing",
            growth(x) * y,
            growth(switch(eq(y, 0), 0, x)) * y,
            whereo(kit.has_own_exponential, x, y),
            # of a logarithm of the product others say more
            tags=("late",),
            tries=[growth(x) * sigmoid(-exp(x)), growth(x) * exp(y - exp(x))],
        )
        for name, growth in (("exp", exp), ("expm1", expm1))
    ),
    rounding("exp-mul-exp", exp(x) * exp(y), exp(x + y)),
    rounding("exp-div-exp", exp(x) / exp(y), exp(x - y)),
    rounding("mul-exp-div-exp", (exp(x) * z) / exp(y), exp(x - y) * z),
    rounding("exp-div-mul-exp", exp(x) / (exp(y) * z), exp(x - y) / z),
    rounding("one-by-exp", 1 / exp(x), exp(-x)),
    rounding("reciprocal-exp", reciprocal(exp(x)), exp(-x)),
    rounding("exp2-mul-exp2", exp2(x) * exp2(y), exp2(x + y)),
    rounding("exp2-div-exp2", exp2(x) / exp2(y), exp2(x - y)),
    # a power is worth an exponential more, which may be read elsewhere: laws for accuracy read its
    # exponent
    rounding("pow-exp", exp(x) ** c, exp(c * x), nonzero_numbero(c), tags=_PRICED),
    rounding("sqr-exp", sqr(exp(x)), exp(2 * x), tags=_PRICED),
    rounding("sqrt-exp", sqrt(exp(x)), exp(x / 2), tags=_PRICED),
)

LOGARITHMS = (
    stable("log-sqrt", log(sqrt(x)), 0.5 * log(x)),
    # before the laws for any number: an absolute value hides what is known of a logarithm
    stable("log-sqr-nonnegative", log(sqr(x)), 2 * log(x), nonnegativeo(x)),
    stable("log-power", log(x**c), c * log(x), nonnegativeo(x), nonzero_numbero(c)),
    stable("log-sqr", log(sqr(x)), 2 * log(abs_(x))),
    stable("log-even-power", log(x**c), c * log(abs_(x)), eveno(c), nonzero_numbero(c)),
    stable("log-odd-power", log(x**c), c * log(x), oddo(c), positive_numbero(c)),
    stable("log-inverse", log(1 / x), -log(x), nonnegativeo(x)),
    stable("log-mul-exp", log(x * exp(y)), log(x) + y, nonnegativeo(x)),
    stable("log-exp-div", log(exp(x) / y), x - log(y), nonnegativeo(y)),
)

x_positive, both_positive = whereo(are_positive, x), whereo(are_positive, x, y)

LOGARITHMS_OF_POSITIVE = (
    # the product may over- or underflow
    law("log-mul", log(x * y), log(x) + log(y), sound="domain", domain=both_positive, tags=_PRICED),
    law("log-div", log(x / y), log(x) - log(y), sound="domain", domain=both_positive, tags=_PRICED),
    law("log-pow", log(x**y), y * log(x), sound="domain", domain=x_positive),
)


def number(value: float) -> Any:
    """Return a number in the dtype of `x`."""
    return computed(in_dtype_of(value), x)


BASES = (
    rounding("log-by-log-two", log(x) / number(LN2), log2(x)),
    rounding("log-by-log-ten", log(x) / number(LN10), log10(x)),
    rounding("log-base-two", log(x) * number(1 / LN2), log2(x)),
    rounding("log-base-ten", log(x) * number(1 / LN10), log10(x)),
    rounding("power-of-two", 2.0**x, exp2(x)),
)


def log_of_sum(u: Any, less_one: Any) -> Any:
    """Return ``log(u)``, given ``u = 1 + a + b``, say, and ``a + b``.

    Near -1 an `a` less a tiny `b` is -1, where ``1 + a`` is exact.
    """
    little = lt(abs_(less_one), 1 / 2)
    return switch(little, log1p(switch(little, less_one, 0)), log(switch(little, 1, u)))


one_and_x = computed(kit.one_and, x)

NEAR_ONE = (
    stable("log1p", log(1 + x), log1p(x), readerso(kit.is_added_whole, x)),
    stable("log1p-sum", log(1 + x), log_of_sum(one_and_x, x)),
    stable("log1p-neg", log(1 - x), log1p(-x)),
    stable("log1p-sub-nonnegative", log((1 + x) - y), log1p(x - y), nonnegativeo(x)),
    stable(
        "log1p-sub",
        log((1 + x) - y),
        log_of_sum(one_and_x - y, x - y),
        floato(x),
        same_dtypeo(x, y),
    ),
    stable("expm1", exp(x) - 1, expm1(x)),
    stable("expm1-scaled", y * exp(x) - y, y * expm1(x)),
    stable("neg-expm1", 1 - exp(x), -expm1(x)),
    stable("log1p-neg-exp", log1p(-exp(x)), log1mexp(x)),
    # log(1 - exp(x)) is this by now
    stable("log-neg-expm1", log(-expm1(x)), log1mexp(x)),
    stable("log-expm1", log(expm1(x)), x + log1mexp(-x)),
)


# -- the logistic function and the hyperbolic tangent ----------------------------------------------


opposite = whereo(kit.are_opposite, x, y)

# what is about sigmoids is right where the exponential, which may be read elsewhere too, overflows
_SUMS = ("add_canonicalize",)

SIGMOID = (
    rounding("sigmoid", 1 / (1 + exp(-x)), sigmoid(x), tags=_PRICED),
    rounding("sigmoid-of-neg", 1 / (1 + exp(x)), sigmoid(-x), tags=_PRICED),
    rounding("sigmoid-reciprocal", reciprocal(1 + exp(x)), sigmoid(-x), tags=_PRICED),
    stable("power-to-sigmoid", (1 + exp(x)) ** c, sigmoid(-x) ** known(-c), at_mosto(c, -1)),
    stable(
        "div-to-power-of-sigmoid",
        y / (1 + exp(x)) ** c,
        y * sigmoid(-x) ** c,
        at_mosto(1, c),
    ),
    stable("div-to-root-of-sigmoid", y / sqrt(1 + exp(x)), y * sqrt(sigmoid(-x))),
    # before the laws about any numerator, which come to the same in two steps
    stable("sigmoid-of-exp", exp(x) / (1 + exp(x)), sigmoid(x)),
    rounding("div-to-sigmoid", y / (1 + exp(-x)), y * sigmoid(x), tags=_PRICED),
    rounding("div-to-sigmoid-of-neg", y / (1 + exp(x)), y * sigmoid(-x), tags=_PRICED),
    rounding("div-of-product", y / ((1 + exp(x)) * z), y * sigmoid(-x) / z, tags=_PRICED),
    stable("sigmoid-of-two", exp(x) / (exp(x) + exp(y)), sigmoid(x - y)),
    stable("sigmoid-slope", exp(x) / sqr(1 + exp(x)), sigmoid(x) * sigmoid(-x)),
    stable(
        "power-of-sigmoid-exp",
        sigmoid(y) ** c * exp(x),
        sigmoid(y) ** known(c - 1) * sigmoid(x),
        at_mosto(1, c),
        opposite,
        tries=[sigmoid(-x) ** c * exp(x)],
    ),
    stable("sigmoid-neg", 1 - sigmoid(x), sigmoid(-x)),
    stable("sigmoid-exp", sigmoid(x) * exp(-x), sigmoid(-x)),
    stable("sigmoid-neg-exp", sigmoid(-x) * exp(x), sigmoid(x)),
    stable(
        "sigmoid-squared-exp",
        sqr(sigmoid(y)) * exp(x),
        sigmoid(x) * sigmoid(y),
        opposite,
        tries=[sqr(sigmoid(-x)) * exp(x)],
    ),
    stable("half-sech", sigmoid(-(2 * x)) * exp(x), 0.5 / cosh(x)),
    stable("root-of-logistic-slope", sqrt(sigmoid(x) * sigmoid(-x)), 0.5 / cosh(x / 2)),
    stable("sigmoid-div-exp", sigmoid(x) / exp(x), sigmoid(-x)),
    rounding("odds", sigmoid(x) / sigmoid(-x), exp(x)),
    rounding("odds-neg", sigmoid(-x) / sigmoid(x), exp(-x)),
    finite("sigmoid-total", sigmoid(x) + sigmoid(-x), 1),
    finite("sigmoid-mixture", y * sigmoid(x) + y * sigmoid(-x), y, tags=_SUMS),
    finite("sigmoid-logit", sigmoid(log(x / (1 - x))), x),
    finite("sigmoid-log-odds", sigmoid(log(x) - log1p(-x)), x),
    finite("sigmoid-log", sigmoid(log(x)), x / (1 + x)),
    finite("softplus-log", softplus(log(x)), log1p(x)),
    # tanh
    stable("tanh-of-sigmoid", 2 * sigmoid(x) - 1, tanh(x / 2)),
    stable("one-plus-tanh", 1 + tanh(x), 2 * sigmoid(2 * x)),
    stable("one-minus-tanh", 1 - tanh(x), 2 * sigmoid(-(2 * x))),
    stable(
        "expm1-mul-sigmoid",
        expm1(x) * sigmoid(y),
        tanh(x / 2),
        opposite,
        tries=[expm1(x) * sigmoid(-x)],
    ),
)

SOFTPLUS = (
    stable("softplus", log(1 + exp(x)), softplus(x)),
    stable("softplus-log1p", log1p(exp(x)), softplus(x)),
    # of more terms, that of all but 1 has fewer digits than the exponential of it
    rounding("softplus-logaddexp", logaddexp(x, 0), softplus(x), not_made_byo(x, logaddexp)),
    stable("log-sigmoid", log(sigmoid(x)), -softplus(-x)),
    stable("log-mul-sigmoid", log(sigmoid(x) * y), log(y) - softplus(-x), nonnegativeo(y)),
    stable("log1p-sigmoid", log1p(-sigmoid(x)), -softplus(x)),
    rounding("exp-softplus", exp(softplus(x)), 1 + exp(x)),
    rounding("exp-neg-softplus", exp(-softplus(x)), sigmoid(-x)),
    stable("expm1-softplus", expm1(softplus(x)), exp(x)),
    rounding("expm1-neg-softplus", expm1(-softplus(x)), -sigmoid(x)),
    stable("log1mexp-neg-softplus", log1mexp(-softplus(x)), -softplus(-x)),
    stable("softplus-difference", softplus(x) - softplus(-x), x),
    stable("softplus-less", softplus(x) - x, softplus(-x)),
    stable("softplus-neg-more", softplus(-x) + x, softplus(x)),
    rounding("softplus-by-parts", maximum(x, 0) + softplus(-abs_(x)), softplus(x)),
    # the loss of a logistic regression, as it is written so as not to overflow
    rounding("softplus-by-parts-less", (maximum(x, 0) - y) + softplus(-abs_(x)), softplus(x) - y),
    stable("softplus-log-nonnegative", softplus(log(x)), log1p(x), nonnegativeo(x)),
)

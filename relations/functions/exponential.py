"""Exponentials and logarithms: inverses of each other, homomorphisms, and exact near zero and one;
and the logistic function, its logarithm, and how the hyperbolic tangent comes from it.

Where finite numbers over- or underflow on the way (``exp(800)``), the right sides here do not. A
logarithm of what is negative is nan, and what undoes it is not: such a law needs to know the sign,
or is of the class ``finite``.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
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
from relgraph.tensor.lawkit.functions import (
    apart_from_one,
    is_even_exponent,
    is_no_logaddexp,
    is_nonzero_exponent,
    is_odd_positive_exponent,
    log_of_2,
    log_of_10,
    one_and,
    reciprocal_of_log_of_2,
    reciprocal_of_log_of_10,
)
from relgraph.tensor.lawkit.guards import are_positive, nonnegativeo, positive_numbero
from relgraph.tensor.lawkit.type_guards import floato, same_dtypeo
from relgraph.tensor.lawkit.vocabulary import law, lvars

# -- exponentials and logarithms -------------------------------------------------------------------

a, c, k, n, o, u, x, y, z = lvars("a c k n o u x y z")


INVERSES = (
    law("log-exp", log(exp(x)), x, sound="stable"),
    law("log2-exp2", log2(exp2(x)), x, sound="stable"),
    law("log2-power", log2(2**x), x, sound="stable"),
    law("log10-power", log10(10**x), x, sound="stable"),
    law("one-plus-expm1", 1 + expm1(x), exp(x), sound="rounding"),
    law("log1p-less-one", log1p(x - 1), log(x), sound="stable"),
    # of what is not negative: elsewhere the logarithm is nan
    law(
        "exp-scaled-log-nonnegative",
        exp(c * log(x)),
        x**c,
        nonnegativeo(x),
        positive_numbero(c),
        sound="stable",
    ),
    law("expm1-log-nonnegative", expm1(log(x)), x - 1, nonnegativeo(x), sound="stable"),
    law("exp-log1p-nonnegative", exp(log1p(x)), 1 + x, nonnegativeo(x), sound="stable"),
)

INVERSES_WHERE_DEFINED = (
    law("expm1-log", expm1(log(x)), x - 1, sound="finite"),
    law("exp-log1p", exp(log1p(x)), 1 + x, sound="finite"),
    law("exp-scaled-log", exp(y * log(x)), x**y, sound="finite"),
    law("log-one-by", log(1 / x), -log(x), sound="finite"),
    law("exp-neg-log", exp(-log(x)), 1 / x, sound="finite"),
    law("exp-add-log", exp(x + log(y)), exp(x) * y, sound="finite"),
    law("exp-sub-log", exp(x - log(y)), exp(x) / y, sound="finite"),
)

_PRICED = ("priced",)

PRODUCTS = (
    law("exp-mul-exp", exp(x) * exp(y), exp(x + y), sound="rounding"),
    law("exp-div-exp", exp(x) / exp(y), exp(x - y), sound="rounding"),
    law("mul-exp-div-exp", (exp(x) * z) / exp(y), exp(x - y) * z, sound="rounding"),
    law("exp-div-mul-exp", exp(x) / (exp(y) * z), exp(x - y) / z, sound="rounding"),
    law("one-by-exp", 1 / exp(x), exp(-x), sound="rounding"),
    law("reciprocal-exp", reciprocal(exp(x)), exp(-x), sound="rounding"),
    law("exp2-mul-exp2", exp2(x) * exp2(y), exp2(x + y), sound="rounding"),
    law("exp2-div-exp2", exp2(x) / exp2(y), exp2(x - y), sound="rounding"),
    # a power is worth an exponential more, which may be read elsewhere: laws for accuracy read its
    # exponent
    law(
        "pow-exp",
        exp(x) ** c,
        exp(c * x),
        whereo(is_nonzero_exponent, c),
        sound="rounding",
        tags=_PRICED,
    ),
    law("sqr-exp", sqr(exp(x)), exp(2 * x), sound="rounding", tags=_PRICED),
    law("sqrt-exp", sqrt(exp(x)), exp(x / 2), sound="rounding", tags=_PRICED),
)

LOGARITHMS = (
    law("log-sqrt", log(sqrt(x)), 0.5 * log(x), sound="stable"),
    # before the laws for any number: an absolute value hides what is known of a logarithm
    law("log-sqr-nonnegative", log(sqr(x)), 2 * log(x), nonnegativeo(x), sound="stable"),
    law(
        "log-product-with-itself-nonnegative",
        log(x * x),
        2 * log(x),
        nonnegativeo(x),
        sound="stable",
    ),
    law(
        "log-power",
        log(x**c),
        c * log(x),
        nonnegativeo(x),
        whereo(is_nonzero_exponent, c),
        sound="stable",
    ),
    law("log-sqr", log(sqr(x)), 2 * log(abs_(x)), sound="stable"),
    law("log-product-with-itself", log(x * x), 2 * log(abs_(x)), sound="stable"),
    law(
        "log-even-power",
        log(x**c),
        c * log(abs_(x)),
        whereo(is_even_exponent, c),
        sound="stable",
    ),
    law(
        "log-odd-power",
        log(x**c),
        c * log(x),
        whereo(is_odd_positive_exponent, c),
        sound="stable",
    ),
    law("log-inverse", log(1 / x), -log(x), nonnegativeo(x), sound="stable"),
    law("log-mul-exp", log(x * exp(y)), log(x) + y, nonnegativeo(x), sound="stable"),
    law("log-div-exp", log(x / exp(y)), log(x) - y, nonnegativeo(x), sound="stable"),
    law("log-exp-div", log(exp(x) / y), x - log(y), nonnegativeo(y), sound="stable"),
)

x_positive, both_positive = whereo(are_positive, x), whereo(are_positive, x, y)

LOGARITHMS_OF_POSITIVE = (
    # the product may over- or underflow
    law("log-mul", log(x * y), log(x) + log(y), sound="domain", domain=both_positive, tags=_PRICED),
    law("log-div", log(x / y), log(x) - log(y), sound="domain", domain=both_positive, tags=_PRICED),
    law("log-pow", log(x**y), y * log(x), sound="domain", domain=x_positive),
)

ln_2, ln_10, inverse_of_ln_2, inverse_of_ln_10 = lvars(
    "ln_2 ln_10 inverse_of_ln_2 inverse_of_ln_10"
)

# the logarithms of 2 and of 10, and one by them, in the dtype of x
is_ln_2, is_ln_10 = computo(ln_2, log_of_2, x), computo(ln_10, log_of_10, x)
is_inverse_of_ln_2 = computo(inverse_of_ln_2, reciprocal_of_log_of_2, x)
is_inverse_of_ln_10 = computo(inverse_of_ln_10, reciprocal_of_log_of_10, x)

BASES = (
    law("log-by-log-two", log(x) / ln_2, log2(x), is_ln_2, sound="rounding"),
    law("log-by-log-ten", log(x) / ln_10, log10(x), is_ln_10, sound="rounding"),
    law("log-base-two", log(x) * inverse_of_ln_2, log2(x), is_inverse_of_ln_2, sound="rounding"),
    law("log-base-ten", log(x) * inverse_of_ln_10, log10(x), is_inverse_of_ln_10, sound="rounding"),
    law("power-of-two", 2.0**x, exp2(x), sound="rounding"),
)


def log_of_sum(u: Any, less_one: Any) -> Any:
    """Return ``log(u)``, given ``u = 1 + a + b``, say, and ``a + b``.

    Near -1 an `a` less a tiny `b` is -1, where ``1 + a`` is exact.
    """
    little = lt(abs_(less_one), 1 / 2)
    return switch(little, log1p(switch(little, less_one, 0)), log(switch(little, 1, u)))


one_and_x = computo(u, one_and, x)

NEAR_ONE = (
    law("log1p", log(1 + x), log1p(x), *apart_from_one(x), sound="stable"),
    law("log1p-sum", log(1 + x), log_of_sum(u, x), one_and_x, sound="stable"),
    law("log1p-neg", log(1 - x), log1p(-x), sound="stable"),
    law("log1p-sub-nonnegative", log((1 + x) - y), log1p(x - y), nonnegativeo(x), sound="stable"),
    law(
        "log1p-sub",
        log((1 + x) - y),
        log_of_sum(u - y, x - y),
        floato(x),
        same_dtypeo(x, y),
        one_and_x,
        sound="stable",
    ),
    law("expm1", exp(x) - 1, expm1(x), sound="stable"),
    law("neg-expm1", 1 - exp(x), -expm1(x), sound="stable"),
    law("log1p-neg-exp", log1p(-exp(x)), log1mexp(x), sound="stable"),
    # log(1 - exp(x)) is this by now
    law("log-neg-expm1", log(-expm1(x)), log1mexp(x), sound="stable"),
    law("log-expm1", log(expm1(x)), x + log1mexp(-x), sound="stable"),
)


# -- the logistic function and the hyperbolic tangent ----------------------------------------------


# what is about sigmoids is right where the exponential, which may be read elsewhere too, overflows
_SUMS = ("add_canonicalize",)

SIGMOID = (
    law("sigmoid", 1 / (1 + exp(-x)), sigmoid(x), sound="rounding", tags=_PRICED),
    law("sigmoid-of-neg", 1 / (1 + exp(x)), sigmoid(-x), sound="rounding", tags=_PRICED),
    law("sigmoid-reciprocal", reciprocal(1 + exp(x)), sigmoid(-x), sound="rounding", tags=_PRICED),
    law("sigmoid-power", (1 + exp(x)) ** -1, sigmoid(-x), sound="rounding", tags=_PRICED),
    # before the laws about any numerator, which come to the same in two steps
    law("sigmoid-of-exp", exp(x) / (1 + exp(x)), sigmoid(x), sound="stable"),
    law("div-to-sigmoid", y / (1 + exp(-x)), y * sigmoid(x), sound="rounding", tags=_PRICED),
    law("div-to-sigmoid-of-neg", y / (1 + exp(x)), y * sigmoid(-x), sound="rounding", tags=_PRICED),
    law(
        "div-of-product",
        y / ((1 + exp(x)) * z),
        y * sigmoid(-x) / z,
        sound="rounding",
        tags=_PRICED,
    ),
    law("sigmoid-of-two", exp(x) / (exp(x) + exp(y)), sigmoid(x - y), sound="stable"),
    law("sigmoid-slope", exp(x) / (1 + exp(x)) ** 2, sigmoid(x) * sigmoid(-x), sound="stable"),
    law("sigmoid-slope-sqr", exp(x) / sqr(1 + exp(x)), sigmoid(x) * sigmoid(-x), sound="stable"),
    law("sigmoid-neg", 1 - sigmoid(x), sigmoid(-x), sound="stable"),
    law("neg-sigmoid-neg", sigmoid(x) - 1, -sigmoid(-x), sound="stable"),
    law("sigmoid-exp", sigmoid(x) * exp(-x), sigmoid(-x), sound="stable"),
    law("sigmoid-neg-exp", sigmoid(-x) * exp(x), sigmoid(x), sound="stable"),
    law("sigmoid-div-exp", sigmoid(x) / exp(x), sigmoid(-x), sound="stable"),
    law("odds", sigmoid(x) / sigmoid(-x), exp(x), sound="rounding"),
    law("odds-neg", sigmoid(-x) / sigmoid(x), exp(-x), sound="rounding"),
)

SIGMOID_WHERE_DEFINED = (
    law("sigmoid-total", sigmoid(x) + sigmoid(-x), 1, sound="finite"),
    law("sigmoid-mixture", y * sigmoid(x) + y * sigmoid(-x), y, sound="finite", tags=_SUMS),
    law("sigmoid-logit", sigmoid(log(x / (1 - x))), x, sound="finite"),
    law("sigmoid-log-odds", sigmoid(log(x) - log1p(-x)), x, sound="finite"),
    law("sigmoid-log", sigmoid(log(x)), x / (1 + x), sound="finite"),
    law("softplus-log", softplus(log(x)), log1p(x), sound="finite"),
)

TANH = (
    law("tanh-of-sigmoid", 2 * sigmoid(x) - 1, tanh(x / 2), sound="stable"),
    law("neg-tanh-of-sigmoid", 1 - 2 * sigmoid(x), -tanh(x / 2), sound="stable"),
    law("one-plus-tanh", 1 + tanh(x), 2 * sigmoid(2 * x), sound="stable"),
    law("one-minus-tanh", 1 - tanh(x), 2 * sigmoid(-(2 * x)), sound="stable"),
    law("expm1-mul-sigmoid", expm1(x) * sigmoid(-x), tanh(x / 2), sound="stable"),
    law("expm1-neg-mul-sigmoid", expm1(-x) * sigmoid(x), -tanh(x / 2), sound="stable"),
)

SOFTPLUS = (
    law("softplus", log(1 + exp(x)), softplus(x), sound="stable"),
    law("softplus-log1p", log1p(exp(x)), softplus(x), sound="stable"),
    # of more terms, that of all but 1 has fewer digits than the exponential of it
    law(
        "softplus-logaddexp",
        logaddexp(x, 0),
        softplus(x),
        whereo(is_no_logaddexp, x),
        sound="rounding",
    ),
    law("log-sigmoid", log(sigmoid(x)), -softplus(-x), sound="stable"),
    law(
        "log-mul-sigmoid",
        log(sigmoid(x) * y),
        log(y) - softplus(-x),
        nonnegativeo(y),
        sound="stable",
    ),
    law("log1p-sigmoid", log1p(-sigmoid(x)), -softplus(x), sound="stable"),
    law("exp-softplus", exp(softplus(x)), 1 + exp(x), sound="rounding"),
    law("exp-neg-softplus", exp(-softplus(x)), sigmoid(-x), sound="rounding"),
    law("expm1-softplus", expm1(softplus(x)), exp(x), sound="stable"),
    law("expm1-neg-softplus", expm1(-softplus(x)), -sigmoid(x), sound="rounding"),
    law("log1mexp-neg-softplus", log1mexp(-softplus(x)), -softplus(-x), sound="stable"),
    law("softplus-difference", softplus(x) - softplus(-x), x, sound="stable"),
    law("softplus-difference-neg", softplus(-x) - softplus(x), -x, sound="stable"),
    law("softplus-less", softplus(x) - x, softplus(-x), sound="stable"),
    law("less-softplus", x - softplus(x), -softplus(-x), sound="stable"),
    law("softplus-neg-more", softplus(-x) + x, softplus(x), sound="stable"),
    law("softplus-by-parts", maximum(x, 0) + softplus(-abs_(x)), softplus(x), sound="rounding"),
    # the loss of a logistic regression, as it is written so as not to overflow
    law(
        "softplus-by-parts-less",
        (maximum(x, 0) - y) + softplus(-abs_(x)),
        softplus(x) - y,
        sound="rounding",
    ),
    law("softplus-log-nonnegative", softplus(log(x)), log1p(x), nonnegativeo(x), sound="stable"),
)

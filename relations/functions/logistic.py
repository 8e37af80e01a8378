"""The logistic function, its logarithm, and how the hyperbolic tangent comes from it."""

from __future__ import annotations

from relgraph.graph.kanren import whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
    exp,
    expm1,
    log,
    log1mexp,
    log1p,
    logaddexp,
    maximum,
    reciprocal,
    sigmoid,
    softplus,
    sqr,
    tanh,
)
from relgraph.tensor.lawkit.functions.logarithms import is_no_logaddexp
from relgraph.tensor.lawkit.guards.signs import nonnegativeo
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y, z = lvars("x y z")

# what is about sigmoids is right where the exponential, which may be read elsewhere too, overflows
_PRICED, _SUMS = ("priced",), ("add_canonicalize",)

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

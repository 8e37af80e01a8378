"""The error function and its inverse, the normal distribution, and the gamma function's logarithm.

What is far out in a tail of the normal distribution underflows, and its logarithm is `log_ndtr`:
DLMF 7.2 and 7.12.
"""

from __future__ import annotations

import math

from relations.kit.cancellation import not_choseno
from relations.kit.functions import can_be_doubled
from relations.kit.guards import constanto, positiveo
from relations.kit.type_guards import floato, roomyo
from relations.kit.vocabulary import finite, lvars, stable
from relgraph.graph.kanren import whereo
from relgraph.scalar.special import LN2
from relgraph.tensor import abs as abs_
from relgraph.tensor import digamma, erf, erfc, exp, gammaln, gt, log, log1mexp, log1p, lt, switch
from relgraph.tensor.special import log_ndtr, ndtr

c, x = lvars("c x")

is_moderate = whereo(can_be_doubled, c)


# near 0 both are a logarithm of nearly 1; of other numbers that one is infinite, and so its slope
is_low = lt(x, 0.5)
is_high = gt(x, -0.5)
low, high = switch(is_low, x, 0), switch(is_high, x, 0)
log_erfc = switch(is_low, log1p(-erf(low)), log_ndtr(-math.sqrt(2) * x) + LN2)
log_erfc_of_neg = switch(is_high, log1p(erf(high)), log_ndtr(math.sqrt(2) * x) + LN2)

# a half precise number times the root of 2 is rounded more than what `erfc` computes of it
is_precise = (floato(x), roomyo(x))

# 0.5 * erfc(x) is that of the normal distribution above, or below, a number
above, below = -math.sqrt(2) * x, math.sqrt(2) * x


TAILS = (
    stable("ndtr-reflected", 1 - ndtr(x), ndtr(-x)),
    stable("log-erfc", log(erfc(x)), log_erfc, *is_precise),
    stable("log-half-erfc", log(0.5 * erfc(x)), log_ndtr(above), *is_precise),
    stable("log-erfc-by-two", log(erfc(x) / 2), log_ndtr(above), *is_precise),
    stable("log-ndtr", log(ndtr(x)), log_ndtr(x), floato(x)),
    stable("log1p-erf", log1p(erf(x)), log_erfc_of_neg, *is_precise, not_choseno(x)),
    stable("log1p-neg-erf", log1p(-erf(x)), log_erfc, *is_precise, not_choseno(x)),
    stable("log1p-neg-half-erfc", log1p(-0.5 * erfc(x)), log_ndtr(below), *is_precise),
    stable("log1p-neg-ndtr", log1p(-ndtr(x)), log_ndtr(-x), floato(x)),
    stable("log1mexp-log-ndtr", log1mexp(log_ndtr(x)), log_ndtr(-x), floato(x)),
    stable("exp-log-ndtr", exp(log_ndtr(x)), ndtr(x), floato(x)),
)

ERROR_FUNCTION_AND_GAMMA = (
    stable("erfc", 1 - erf(x), erfc(x)),
    stable("erf", 1 - erfc(x), erf(x)),
    stable("erfc-of-neg", 1 + erf(x), erfc(-x)),
    stable("erfc-reflected", 2 - erfc(x), erfc(-x)),
    stable("erfc-scaled", c - c * erf(x), c * erfc(x), constanto(c)),
    # amid other terms the sum of the two alone overflows
    stable("erfc-of-neg-scaled", c + c * erf(x), c * erfc(-x), is_moderate),
    stable("half-erfc-reflected", 1 - 0.5 * erfc(x), 0.5 * erfc(-x)),
    stable("erfc-by-two-reflected", 1 - erfc(x) / 2, erfc(-x) / 2),
    stable("gammaln-step-positive", gammaln(1 + x) - gammaln(x), log(x), positiveo(x)),
    stable("digamma-step-positive", digamma(1 + x) - digamma(x), 1 / x, positiveo(x)),
    # where defined
    finite("erf-total", erf(x) + erfc(x), 1),
    finite("gammaln-step", gammaln(1 + x) - gammaln(x), log(abs_(x))),
)

"""The error function and its inverse, and the gamma function's logarithm."""

from __future__ import annotations

from relgraph.tensor import abs as abs_
from relgraph.tensor import digamma, erf, erfc, erfinv, gammaln, log
from relgraph.tensor.lawkit.guards.signs import positiveo
from relgraph.tensor.lawkit.vocabulary import law, lvars

(x,) = lvars("x")

ERROR_FUNCTION = (
    law("erfc", 1 - erf(x), erfc(x), sound="stable"),
    law("erf", 1 - erfc(x), erf(x), sound="stable"),
    law("erfc-of-neg", 1 + erf(x), erfc(-x), sound="stable"),
    law("erfc-reflected", 2 - erfc(x), erfc(-x), sound="stable"),
    law("neg-erfc", erf(x) - 1, -erfc(x), sound="stable"),
    law("neg-erf", erfc(x) - 1, -erf(x), sound="stable"),
    law("erfinv-erf", erfinv(erf(x)), x, sound="stable"),
)

ODD = (
    law("erf-neg", erf(-x), -erf(x), sound="rounding"),
    law("erfinv-neg", erfinv(-x), -erfinv(x), sound="rounding"),
)

GAMMA = (
    law("gammaln-step-positive", gammaln(1 + x) - gammaln(x), log(x), positiveo(x), sound="stable"),
    law("digamma-step-positive", digamma(1 + x) - digamma(x), 1 / x, positiveo(x), sound="stable"),
)

WHERE_DEFINED = (
    law("erf-total", erf(x) + erfc(x), 1, sound="finite"),
    law("erf-erfinv", erf(erfinv(x)), x, sound="finite"),
    law("gammaln-step", gammaln(1 + x) - gammaln(x), log(abs_(x)), sound="finite"),
)

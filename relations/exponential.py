"""Exponentials, logarithms, and the functions that keep their precision near zero and one."""

from __future__ import annotations

from relgraph.tensor import erf, erfc, exp, expm1, log, log1p
from relgraph.tensor.terms import law, lvars

x, y = lvars("x y")

INVERSES = (
    law("log-exp", log(exp(x)), x, sound="finite"),
    law("exp-log", exp(log(x)), x, sound="finite"),
    law("log1p-expm1", log1p(expm1(x)), x, sound="finite"),
    law("expm1-log1p", expm1(log1p(x)), x, sound="finite"),
)

NEAR_ONE = (
    law("log1p", log(1 + x), log1p(x), sound="stable"),
    law("log1p-neg", log(1 - x), log1p(-x), sound="stable"),
    law("expm1", exp(x) - 1, expm1(x), sound="stable"),
    law("neg-expm1", 1 - exp(x), -expm1(x), sound="stable"),
    law("erfc", 1 - erf(x), erfc(x), sound="stable"),
    law("erf", 1 - erfc(x), erf(x), sound="stable"),
)

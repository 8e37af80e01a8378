"""The logistic function and its logarithm."""

from __future__ import annotations

from relgraph.tensor import exp, log, log1p, sigmoid, softplus
from relgraph.tensor.terms import law, lvars

x, y = lvars("x y")

SIGMOID = (
    law("sigmoid", 1 / (1 + exp(-x)), sigmoid(x), sound="rounding"),
    law("div-to-sigmoid", y / (1 + exp(-x)), y * sigmoid(x), sound="rounding"),
    law("sigmoid-of-exp", exp(x) / (1 + exp(x)), sigmoid(x), sound="stable"),
    law("sigmoid-neg", 1 - sigmoid(x), sigmoid(-x), sound="stable"),
    law("sigmoid-exp", sigmoid(x) * exp(-x), sigmoid(-x), sound="stable"),
    law("sigmoid-neg-exp", sigmoid(-x) * exp(x), sigmoid(x), sound="stable"),
)

SOFTPLUS = (
    law("softplus", log(1 + exp(x)), softplus(x), sound="stable"),
    law("softplus-log1p", log1p(exp(x)), softplus(x), sound="stable"),
    law("log-sigmoid", log(sigmoid(x)), -softplus(-x), sound="stable"),
    law("log1p-sigmoid", log1p(-sigmoid(x)), -softplus(x), sound="stable"),
)

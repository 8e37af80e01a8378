"""Rounding to integers, which does nothing to what is whole."""

from __future__ import annotations

from relgraph import scalar
from relgraph.graph.kanren import whereo
from relgraph.tensor import Elemwise, ceil, floor, trunc
from relgraph.tensor import round as round_
from relgraph.tensor.lawkit.guards.types import discreteo
from relgraph.tensor.lawkit.numbers.rounding import has_whole_values, is_rounding
from relgraph.tensor.lawkit.vocabulary import law, lvars

d, s, t, x, y = lvars("d s t x y")

rounded, whole = Elemwise(s, ()), Elemwise(t, ())
"""A rounding to integers, and another function the values of which are integers."""
cast = Elemwise(scalar.Cast(d), ())
rounds = whereo(is_rounding, s)

OF_INTEGERS = (
    law("round-integer", rounded(x), x, rounds, discreteo(x)),
    law("round-rounded", rounded(whole(x)), whole(x), rounds, whereo(has_whole_values, t)),
    law("round-quotient", rounded(x // y), x // y, rounds),
    law("round-cast-integer", rounded(cast(x)), cast(x), rounds, discreteo(x)),
)

SIGNS = (
    law("floor-of-neg", floor(-x), -ceil(x)),
    law("ceil-of-neg", ceil(-x), -floor(x)),
    law("trunc-of-neg", trunc(-x), -trunc(x)),
    law("round-of-neg", round_(-x), -round_(x)),
)

"""Rounding to integers."""

from __future__ import annotations

from typing import Any

from relgraph import scalar
from relgraph.graph.kanren import whereo
from relgraph.tensor import Elemwise, ceil, floor, trunc
from relgraph.tensor import round as round_
from relgraph.tensor.lawkit.guards.types import discreteo
from relgraph.tensor.lawkit.vocabulary import law, lvars

d, s, t, x, y = lvars("d s t x y")

ROUNDINGS = (scalar.ceil, scalar.floor, scalar.trunc, scalar.round)


def rounds(scalar_op: Any) -> bool:
    """Return whether a scalar op rounds to an integer."""
    return scalar_op in ROUNDINGS


def gives_integers(scalar_op: Any) -> bool:
    """Return whether the values of a scalar op are integers (or infinite, or nan)."""
    return scalar_op in ROUNDINGS or scalar_op is scalar.sign


f, g = Elemwise(s, ()), Elemwise(t, ())
cast = Elemwise(scalar.Cast(d), ())

OF_INTEGERS = (
    law("round-integer", f(x), x, whereo(rounds, s), discreteo(x)),
    law("round-rounded", f(g(x)), g(x), whereo(rounds, s), whereo(gives_integers, t)),
    law("round-quotient", f(x // y), x // y, whereo(rounds, s)),
    law("round-cast-integer", f(cast(x)), cast(x), whereo(rounds, s), discreteo(x)),
)

SIGNS = (
    law("floor-of-neg", floor(-x), -ceil(x)),
    law("ceil-of-neg", ceil(-x), -floor(x)),
    law("trunc-of-neg", trunc(-x), -trunc(x)),
    law("round-of-neg", round_(-x), -round_(x)),
)

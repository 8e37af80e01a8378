"""Softmax and its logarithm, in place of what people write for them."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import DimShuffle, exp, log
from relgraph.tensor import max as max_
from relgraph.tensor import sum as sum_
from relgraph.tensor.extents import is_kept, usual_axis
from relgraph.tensor.nnet import LogSoftmax, Softmax
from relgraph.tensor.terms import Law, law, lvars

a, k, n, o, x = lvars("a k n o x")


def over(values: Any) -> Any:
    """Return what was reduced over the axes `a`, with these kept."""
    return DimShuffle(n, o)(values)


def along(name: str, lhs: Any, rhs: Any, tags: tuple[str, ...] = ()) -> Law:
    """Return a law about a slice along the axes `a` of `x`, which softmax calls `k`."""
    kept, axis = whereo(is_kept, o, a, x), computo(k, usual_axis, a, x)
    return law(name, lhs, rhs, kept, axis, sound="stable", tags=tags)


LOGARITHMS = (
    law(
        "log-softmax",
        log(Softmax(k)(x)),
        LogSoftmax(k)(x),
        sound="stable",
        tags=("local_log_softmax",),
    ),
    law("exp-log-softmax", exp(LogSoftmax(k)(x)), Softmax(k)(x), sound="rounding"),
)

WRITTEN_OUT = (
    along("softmax", exp(x) / over(sum_(exp(x), axis=a)), Softmax(k)(x)),
    along("log-softmax-of-kept-sum", x - log(over(sum_(exp(x), axis=a))), LogSoftmax(k)(x)),
    along("softmax-shifted", Softmax(k)(x - over(max_(x, axis=a))), Softmax(k)(x)),
    along("log-softmax-shifted", LogSoftmax(k)(x - over(max_(x, axis=a))), LogSoftmax(k)(x)),
)

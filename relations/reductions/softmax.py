"""Softmax and its logarithm, in place of what people write for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import DimShuffle, exp, log, sqr
from relgraph.tensor import max as max_
from relgraph.tensor import sum as sum_
from relgraph.tensor.axes import normalize_axes
from relgraph.tensor.lawkit.layout.extents import is_kept, usual_axis
from relgraph.tensor.lawkit.matrix_products import broadcast_alike
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars
from relgraph.tensor.nnet import LogSoftmax, LogSumExp, Softmax

a, k, n, o, x, y, z = lvars("a k n o x y z")


def over(values: Any) -> Any:
    """Return what was reduced over the axes `a`, with these kept."""
    return DimShuffle(n, o)(values)


sliced = (whereo(is_kept, o, a, x), computo(k, usual_axis, a, x))
"""That what is over `a` belongs to a slice along the axes of `x` that softmax calls `k`."""


def keeps_axes(order: Sequence[int | str], axis: Any, x: Any) -> bool:
    """Return whether a `DimShuffle` to `order` gives back the axes that `LogSumExp` took away."""
    return is_kept(order, normalize_axes(axis, x.type.ndim, "logsumexp"), x)


def along(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law about a slice along the axes `a` of `x`, which softmax calls `k`."""
    return law(name, lhs, rhs, *sliced, sound="stable")


def scaled(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about such a slice that takes a factor out of a sum."""
    tags = ("sum_scalar_mul",)
    return law(name, lhs, rhs, *sliced, *conditions, sound="finite", tags=tags)


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
    along("softmax-shifted", Softmax(k)(x - over(max_(x, axis=a))), Softmax(k)(x)),
    along("log-softmax-shifted", LogSoftmax(k)(x - over(max_(x, axis=a))), LogSoftmax(k)(x)),
)

lse, kept = LogSumExp(k)(x), whereo(keeps_axes, o, k, x)
most = max_(x, axis=a)
shifted = LogSumExp(k)(x - over(most))

LOG_SUMS = (
    law("log-softmax-of-logsumexp", x - over(lse), LogSoftmax(k)(x), kept, sound="stable"),
    along("log-sum-exp-shifted", most + shifted, lse),
    along("log-sum-exp-kept-shifted", over(most) + over(shifted), over(lse)),
)

p, alike = Softmax(k)(x), whereo(broadcast_alike, x, y)
exps = exp(x)
total, sum_of_y = over(sum_(exps, axis=a)), over(sum_(y, axis=a))

# what differentiating a softmax that is written out leaves behind
SLOPES = (
    scaled("softmax-of-weights", exps * over(sum_(y / total, axis=a)), p * sum_of_y),
    scaled(
        "softmax-of-scaled-weights",
        exps * over(sum_(y / (z * total), axis=a)),
        p * over(sum_(y / z, axis=a)),
    ),
    scaled(
        "softmax-slope",
        exps * (y / total - over(sum_(exps * y / sqr(total), axis=a))),
        p * (y - over(sum_(p * y, axis=a))),
    ),
    scaled(
        "softmax-slope-of-shares",
        exps * (y / total - over(sum_(z * (y / total), axis=a))),
        p * (y - over(sum_(z * y, axis=a))),
    ),
    # a softmax adds up to 1, unless there is nothing to add up
    scaled("sum-of-softmax-slope", sum_(p * (y - over(sum_(p * y, axis=a))), axis=a), 0, alike),
    scaled("sum-of-softmax-less", sum_(p * sum_of_y - y, axis=a), 0, alike),
    scaled("sum-less-softmax", sum_(y - p * sum_of_y, axis=a), 0, alike),
)

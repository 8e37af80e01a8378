"""Softmax and its logarithm, in place of their definitions and of gradients of these."""

from __future__ import annotations

from typing import Any

from relations.kit.guards import broadcast_alike
from relations.kit.index_arithmetic import as_softmax_axis
from relations.kit.reductions import restores_axes, restores_softmax_axes
from relations.kit.vocabulary import Law, finite, law, lvars, rounding, stable
from relgraph.graph.kanren import whereo
from relgraph.tensor import DimShuffle, exp, isinf, log, sqr, switch
from relgraph.tensor import max as max_
from relgraph.tensor import sum as sum_
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax

a, k, n, o, x, y, z = lvars("a k n o x y z")


def keepdims(reduced: Any) -> Any:
    """Return what was reduced over the axes `a`, with these again as axes of length 1."""
    return DimShuffle(n, o)(reduced)


def summed(v: Any) -> Any:
    """Return the sums over the axes `a`, with these as axes of length 1."""
    return keepdims(sum_(v, axis=a))


same_axes = whereo(restores_axes, o, a, x)
"""That `keepdims` gives back the axes `a` of `x`."""


def along(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law about slices along the axes `a` of `x`."""
    return stable(name, lhs, rhs, same_axes)


def scaled(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about such slices that takes a factor out of a sum."""
    # a softmax is a number where the exponentials, which may be read elsewhere too, overflow
    tags = ("sum_scalar_mul", "priced")
    return finite(name, lhs, rhs, same_axes, *conditions, tags=tags)


axis = as_softmax_axis(a)

WRITTEN_OUT = (
    along("softmax", exp(x) / summed(exp(x)), Softmax(axis)(x)),
    # a gradient reads the reciprocal elsewhere too, so that no quotient takes its place
    along("softmax-by-factor", exp(x) * (1 / summed(exp(x))), Softmax(axis)(x)),
    along("softmax-shifted", Softmax(axis)(x - keepdims(max_(x, axis=a))), Softmax(axis)(x)),
    along(
        "log-softmax-shifted", LogSoftmax(axis)(x - keepdims(max_(x, axis=a))), LogSoftmax(axis)(x)
    ),
)

lse, greatest = LogSumExp(axis)(x), max_(x, axis=a)
shifted_lse = LogSumExp(axis)(x - keepdims(greatest))


p, same_shape = Softmax(axis)(x), whereo(broadcast_alike, x, y)
exps = exp(x)
total, slope = summed(exps), p * (y - summed(p * y))

LOGARITHMS_AND_SLOPES = (
    stable(
        "log-softmax-of-logsumexp",
        x - keepdims(LogSumExp(k)(x)),
        LogSoftmax(k)(x),
        whereo(restores_softmax_axes, o, k, x),
    ),
    along("log-sum-exp-shifted", greatest + shifted_lse, lse),
    law("log-sum-exp-guarded", switch(isinf(greatest), greatest, lse), lse),
    along("log-sum-exp-kept-shifted", keepdims(greatest) + keepdims(shifted_lse), keepdims(lse)),
    stable("log-softmax", log(Softmax(k)(x)), LogSoftmax(k)(x), tags=("local_log_softmax",)),
    rounding("exp-log-softmax", exp(LogSoftmax(k)(x)), Softmax(k)(x)),
    # what differentiating a softmax that is written out leaves behind
    scaled("softmax-of-weights", exps * summed(y / total), p * summed(y)),
    scaled("softmax-of-scaled-weights", exps * summed(y / (z * total)), p * summed(y / z)),
    scaled("softmax-slope", exps * (y / total - summed(exps * y / sqr(total))), slope),
    scaled(
        "softmax-slope-of-shares",
        exps * (y / total - summed(z * (y / total))),
        p * (y - summed(z * y)),
    ),
    # a softmax adds up to 1, unless there is nothing to add up
    scaled("sum-of-softmax-slope", sum_(slope, axis=a), 0, same_shape),
    scaled("sum-of-softmax-less", sum_(p * summed(y) - y, axis=a), 0, same_shape),
    scaled("sum-less-softmax", sum_(y - p * summed(y), axis=a), 0, same_shape),
)

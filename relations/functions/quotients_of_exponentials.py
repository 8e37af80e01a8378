"""Exponentials by sums of them, and logarithms of such sums, where more stands beside them.

The plain forms have pages of their own: `logistic`, `softmax`, and `exponential` for logarithms.
Here are those with weights, those of which a part is taken, and the slopes of both. They are what a
loss comes to that is written with exponentials, and what is left where one was differentiated as it
was written. For how a maximum makes them safe, see Blanchard, Higham and Higham, "Accurately
computing the log-sum-exp and softmax functions", IMA J. Numer. Anal. 41 (2021).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cons import cons
from kanren.core import conde, eq, lall

from relgraph import scalar
from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.search.variadic import argumentso
from relgraph.tensor import (
    DimShuffle,
    Elemwise,
    cosh,
    exp,
    log,
    log1p,
    logaddexp,
    sigmoid,
    sinh,
    softplus,
    sqr,
    switch,
    tanh,
)
from relgraph.tensor import abs as abs_
from relgraph.tensor import sum as sum_
from relgraph.tensor.axes import normalize_axes
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.dependence import has_constant, looking, suiting
from relgraph.tensor.lawkit.guards.types import (
    constanto,
    floato,
    is_constant,
    nonnegativeo,
    seen_constant,
)
from relgraph.tensor.lawkit.layout.extents import is_kept, usual_axis
from relgraph.tensor.lawkit.vocabulary import law, lvars, relation
from relgraph.tensor.nnet import LogSoftmax, LogSumExp, Softmax

a, b, c, d, i, k, n, o, w, x, y, z = lvars("a b c d i k n o w x y z")


def over(values: Any) -> Any:
    """Return what was reduced over the axes `a`, with these kept."""
    return DimShuffle(n, o)(values)


usual = computo(k, usual_axis, a, x)
"""That softmax calls the axes `a` of `x` `k`."""

sliced = (whereo(is_kept, o, a, x), usual)
"""That what is over `a` belongs to a slice along these axes."""

weighed = (constanto(c), nonnegativeo(c))
"""That `c` is a weight that is known."""

both_weighed = (*weighed, constanto(d), nonnegativeo(d))


@suiting(has_constant)
def is_twice(double: Any, single: Any) -> bool:
    """Return whether a constant is known to be two times another one."""
    larger, smaller = seen_constant(double), seen_constant(single)
    return larger is not None and smaller is not None and bool(np.all(larger == 2 * smaller))


@looking(1)
def has_plain_logarithm(weight: Any) -> bool:
    """Return whether the logarithm of a weight needs no more than is there, and neither does its
    slope: of a constant, an exponential, or what is made of them and adds up to 1."""
    if weight.owner is None:
        return is_constant(weight)
    op = weight.owner.op
    if isinstance(op, Elemwise):
        return op.scalar_op in (scalar.exp, scalar.sigmoid)
    return isinstance(op, Softmax) or is_constant(weight)


def takes_one_along(index: Any, axes: Any, x: Any) -> bool:
    """Return whether a basic index takes one element along each of some axes of `x`, and all there
    is along the others."""
    reduced = normalize_axes(axes, x.type.ndim, "sum")
    places = [*index, *[Slice()] * (x.type.ndim - len(index))]
    return len(places) == x.type.ndim and all(
        not isinstance(place, Slice) if axis in reduced else place == Slice()
        for axis, place in enumerate(places)
    )


weights = (whereo(has_plain_logarithm, y), nonnegativeo(y))

p, total = Softmax(k)(x), sum_(exp(x), axis=a)

SOFTMAX = (
    law("softmax-mul", exp(x) * y / over(total), p * y, *sliced, sound="stable"),
    law("softmax-div", exp(x) / (over(total) * y), p / y, *sliced, sound="stable"),
    law(
        "softmax-mean",
        sum_(exp(x) * y, axis=a) / total,
        # the sum of a softmax is 1, unless there is nothing to add up
        sum_(p * y, axis=a) / sum_(p, axis=a),
        usual,
        sound="stable",
    ),
)

log_two_cosh = abs_(x) + softplus(-2 * abs_(x))

# of a large number the other branch is right, and this one and its slope are finite
is_small = abs_(x) < 1
near_zero = log1p(2 * sqr(sinh(switch(is_small, x, 0) / 2)))

LOG_SUMS = (
    law("log-add-constant", log(c + exp(x)), logaddexp(x, log(c)), *weighed, sound="stable"),
    law(
        "log-add-weighed",
        log(c * exp(x) + d * exp(y)),
        logaddexp(x + log(c), y + log(d)),
        *both_weighed,
        sound="stable",
    ),
    law(
        "log-sum-weighed",
        log(sum_(exp(x) * y, axis=a)),
        LogSumExp(k)(x + log(y)),
        *weights,
        usual,
        sound="stable",
    ),
    law(
        "log-mul-sum",
        log(total * y),
        LogSumExp(k)(x) + log(y),
        nonnegativeo(y),
        usual,
        sound="stable",
    ),
    law(
        "log-mul-kept-sum",
        log(over(total) * y),
        over(LogSumExp(k)(x)) + log(y),
        nonnegativeo(y),
        usual,
        sound="stable",
    ),
    law(
        "log-div-kept-sum",
        log(over(total) / y),
        over(LogSumExp(k)(x)) - log(y),
        nonnegativeo(y),
        usual,
        sound="stable",
    ),
    law("log-two-cosh", log(2 * cosh(x)), log_two_cosh, sound="stable"),
    law(
        "log-cosh",
        log(cosh(x)),
        switch(is_small, near_zero, log_two_cosh - math.log(2)),
        sound="stable",
    ),
    law("log1p-two-cosh", log1p(2 * cosh(x)), softplus(log_two_cosh), sound="stable"),
)

LOGARITHMS = (
    law(
        "log-div-softmax",
        log(y / Softmax(k)(x)),
        log(y) - LogSoftmax(k)(x),
        nonnegativeo(y),
        sound="stable",
    ),
    law(
        "log-softmax-div",
        log(Softmax(k)(x) / y),
        LogSoftmax(k)(x) - log(y),
        nonnegativeo(y),
        sound="stable",
    ),
    law(
        "log-softmax-mul",
        log(Softmax(k)(x) * y),
        LogSoftmax(k)(x) + log(y),
        nonnegativeo(y),
        sound="stable",
    ),
    law(
        "log-sigmoid-div",
        log(sigmoid(x) / y),
        -softplus(-x) - log(y),
        nonnegativeo(y),
        sound="stable",
    ),
    law(
        "log-div-sigmoid",
        log(y / sigmoid(x)),
        log(y) + softplus(-x),
        nonnegativeo(y),
        sound="stable",
    ),
)

SIGMOID = (
    law("sigmoid-of-one", exp(x) / (c + exp(x)), sigmoid(x - log(c)), *weighed, sound="stable"),
    law(
        "div-by-weighed", y / (1 + c * exp(x)), y * sigmoid(-(x + log(c))), *weighed, sound="stable"
    ),
)

p_x, q_x = sigmoid(x), sigmoid(-x)

SLOPES = (
    law("tanh-slope", 1 - sqr(tanh(x)), 4 * (sigmoid(2 * x) * sigmoid(-(2 * x))), sound="stable"),
    law("sigmoid-difference", sigmoid(x) - sigmoid(-x), tanh(x / 2), sound="stable"),
    law("sigmoid-difference-neg", sigmoid(-x) - sigmoid(x), -tanh(x / 2), sound="stable"),
    law(
        "sigmoid-difference-scaled",
        y * sigmoid(x) - y * sigmoid(-x),
        y * tanh(x / 2),
        sound="stable",
    ),
    law(
        "sigmoid-difference-scaled-neg",
        y * sigmoid(-x) - y * sigmoid(x),
        -(y * tanh(x / 2)),
        sound="stable",
    ),
    law("softplus-difference-scaled", y * softplus(x) - y * softplus(-x), y * x, sound="stable"),
    law(
        "softplus-difference-scaled-neg",
        y * softplus(-x) - y * softplus(x),
        -(y * x),
        sound="stable",
    ),
    law(
        "entropy-slope",
        p_x * q_x * softplus(-x) - p_x * q_x * softplus(x),
        -(p_x * q_x * x),
        sound="stable",
    ),
    law("tanh-of-sigmoid-scaled", y - 2 * y * sigmoid(x), -(y * tanh(x / 2)), sound="stable"),
    law(
        "tanh-of-sigmoid-weighed",
        c - d * sigmoid(x),
        -(c * tanh(x / 2)),
        whereo(is_twice, d, c),
        sound="stable",
    ),
    law("tanh-by-reciprocal", 1 / cosh(x) * sinh(x), tanh(x), sound="stable"),
    law("sech-slope", sqr(1 / cosh(x)) * sinh(x), tanh(x) / cosh(x), sound="stable"),
)

indices, part, taken = lvars("indices part taken")

ELEMENT, ROW, COLUMN = Subtensor((0,)), Subtensor((0, Slice())), Subtensor((Slice(), 0))


def alikeo(part: Any, whole: Any, taken: Any, source: Any) -> Any:
    """Construct the goal that `taken` is the same part of `source` as `part` is of `whole`."""
    return conde(
        *(
            [
                argumentso(part, op(i), cons(whole, indices)),
                argumentso(taken, op(i), cons(source, indices)),
            ]
            for op in (Subtensor, AdvancedSubtensor)
        )
    )


@relation("log-part-of-exp", sound="stable", depth=3)
def log_part_of_expo(logarithm: Any, result: Any) -> Any:
    """``log(exp(x)[i]) → x[i]``"""
    return lall(eq(logarithm, log(part)), alikeo(part, exp(x), result, x), floato(x))


@relation(
    "log-part-of-exp-div",
    sound="stable",
    depth=4,
    tries=[log(ELEMENT(exp(x)) / exp(y)), log(ROW(exp(x)) / exp(y))],
)
def log_part_of_exp_divo(logarithm: Any, result: Any) -> Any:
    """``log(exp(x)[i] / y) → x[i] - log(y)``, of a `y` that is not negative"""
    return lall(
        eq(logarithm, log(part / y)),
        alikeo(part, exp(x), taken, x),
        floato(x),
        nonnegativeo(y),
        eq(result, taken - log(y)),
    )


@relation(
    "log-sum-part-of-exp",
    sound="stable",
    depth=4,
    tries=[log(sum_(ROW(exp(x)), axis=None)), log(sum_(ROW(exp(x)), axis=(0,)))],
)
def log_sum_part_of_expo(logarithm: Any, result: Any) -> Any:
    """``log(sum(exp(x)[i])) → logsumexp(x[i])``"""
    return lall(
        eq(logarithm, log(sum_(part, axis=a))),
        alikeo(part, exp(x), taken, x),
        floato(x),
        computo(k, usual_axis, a, taken),
        eq(result, LogSumExp(k)(taken)),
    )


@relation("log-part-of-softmax", sound="stable", depth=3)
def log_part_of_softmaxo(logarithm: Any, result: Any) -> Any:
    """``log(softmax(x)[i]) → log_softmax(x)[i]``"""
    return lall(eq(logarithm, log(part)), alikeo(part, Softmax(k)(x), result, LogSoftmax(k)(x)))


@relation(
    "part-of-softmax",
    sound="stable",
    depth=3,
    tries=[ELEMENT(exp(x)) / sum_(exp(x), axis=None), COLUMN(exp(x)) / sum_(exp(x), axis=(1,))],
)
def part_of_softmaxo(quotient: Any, result: Any) -> Any:
    """``exp(x)[:, 0] / sum(exp(x), axis=1) → softmax(x, axis=1)[:, 0]``, of one from each sum"""
    return lall(
        eq(quotient, part / total),
        argumentso(part, Subtensor(i), cons(exp(x), indices)),
        floato(x),
        whereo(takes_one_along, i, a, x),
        usual,
        argumentso(result, Subtensor(i), cons(Softmax(k)(x), indices)),
    )


PARTS = (
    log_part_of_expo,
    log_part_of_exp_divo,
    log_sum_part_of_expo,
    log_part_of_softmaxo,
    part_of_softmaxo,
)

"""Exponentials by sums of them, and logarithms of such sums, where more stands beside them.

The plain forms have pages of their own: `logistic`, `softmax`, and `exponential` for logarithms.
Here are those with weights, those of which a part is taken, and the slopes of both. A loss that is
written with exponentials rewrites to them, and one that was differentiated as it was written leaves
them. For how a maximum makes them safe, see Blanchard, Higham and Higham, "Accurately
computing the log-sum-exp and softmax functions", IMA J. Numer. Anal. 41 (2021).
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np

from relations.functions import exponential, trigonometric
from relations.functions.logarithms import FACTORS, lse, total
from relations.kit import collecting
from relations.kit.guards import (
    axis_numbers,
    constant_data,
    constanto,
    containing_constant,
    depends_on_levels,
    is_constant,
    is_nonnegative,
    nonnegativeo,
    requires_heads,
)
from relations.kit.index_arithmetic import index_within, padded
from relations.kit.made_by_laws import made_of_two_factors
from relations.kit.reductions import covers_axes
from relations.kit.type_guards import booleano, floato, matrixo, same_dtypeo, vectoro
from relations.kit.vocabulary import Law, lvars, rounding, stable
from relations.numbers.collecting import POWER
from relations.reductions import softmax
from relgraph import scalar
from relgraph.graph.kanren import case, computed, one_cliento, several, view, whereo
from relgraph.graph.kanren.goals import goal
from relgraph.tensor import (
    DimShuffle,
    Elemwise,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    sigmoid,
    sinh,
    softplus,
    sqr,
    sqrt,
    switch,
    tanh,
    true_div,
)
from relgraph.tensor import abs as abs_
from relgraph.tensor import sum as sum_
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.shapes import MakeVector
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.subtensor import WHOLE, Slice, Subtensor

a, c, d, i, k, m, n, o, w, x, y, z = lvars("a c d i k m n o w x y z")
p, r = lvars("p", nonnegativeo), lvars("r", floato)
"""What is not negative, and a floating-point number."""


@requires_heads(containing_constant)
def is_about_one(number: Any) -> bool:
    """Return whether the logarithms of a constant's elements are at most 2, or infinite."""
    data = constant_data(number)
    if data is None:
        return False
    with np.errstate(all="ignore"):
        size = np.abs(np.log(data))
    return bool(np.all((size <= 2) | (size == np.inf)))


@requires_heads(containing_constant)
def is_unlike_one(number: Any) -> bool:
    """Return whether the logarithm of an element of a constant is more than 2."""
    return not is_about_one(number)


@requires_heads(containing_constant)
def is_finite_constant(number: Any) -> bool:
    """Return whether all elements of a constant are finite floats."""
    data = constant_data(number)
    return data is not None and data.dtype.kind == "f" and bool(np.all(np.isfinite(data)))


@requires_heads(containing_constant)
def cancels_twice(double: Any, single: Any) -> bool:
    """Return whether a constant is known to be minus two times another one."""
    larger, smaller = constant_data(double), constant_data(single)
    if larger is None or smaller is None or smaller.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        # where the doubled constant overflows it is another number
        return bool(np.all(np.isfinite(larger) & np.equal(larger, -2 * smaller)))


@depends_on_levels(4)
def has_plain_logarithm(weight: Any, levels: int = 4) -> bool:
    """Return whether a weight is not negative, and its logarithm needs no more than is there, and
    neither does its slope: of a constant, an exponential, or what is made of them and adds up to 1;
    of products and quotients of these, and of these side by side or with other axes."""
    if is_constant(weight):
        return bool(is_nonnegative(weight))
    if weight.owner is None or levels == 0:
        return False
    op = weight.owner.op
    if isinstance(op, Elemwise) and op.scalar_op in (scalar.exp, scalar.sigmoid):
        return True
    made_of = isinstance(op, DimShuffle | MakeVector) or (
        isinstance(op, Elemwise) and op.scalar_op in (scalar.mul, scalar.true_div)
    )
    if made_of:
        return all(has_plain_logarithm(v, levels - 1) for v in weight.owner.inputs)
    return isinstance(op, Softmax)


def takes_one_along(index: Any, axes: Any, x: Any) -> bool:
    """Return whether a basic index takes one element along each of some axes of `x`, and all there
    is along the others."""
    taken = _taken_along(index, axes, x)
    return taken is not None and not any(isinstance(place, Slice) for place in taken)


def takes_slices_along(index: Any, axes: Any, x: Any) -> bool:
    """Return whether a basic index takes slices along some axes of `x`, and all there is along the
    others."""
    taken = _taken_along(index, axes, x)
    return taken is not None and all(isinstance(place, Slice) for place in taken)


def _taken_along(index: Any, axes: Any, x: Any) -> list[Any] | None:
    """Return the entries of an index for some axes; None if it takes a part along others."""
    places = padded(index, x.type.ndim)
    reduced = axis_numbers(axes, x.type.ndim)
    whole = all(place == WHOLE for axis, place in enumerate(places) if axis not in reduced)
    return [places[axis] for axis in reduced] if whole else None


g, h = lvars("g h", goal(has_plain_logarithm))
known, factor = lvars("known", constanto, nonnegativeo), lvars("factor", goal(is_finite_constant))
"""A weight and a divisor, a weight that is known, and a finite constant."""

softmax_of_x = Softmax(a)(x)
# the sum of a softmax is 1, unless there is nothing to add up: neither in it nor in the product
mean = sum_(softmax_of_x * y, axis=a) / sum_(softmax_of_x, axis=a)
of_one_length = whereo(covers_axes, x, y, a)

SOFTMAX = (stable("softmax-mean", sum_(exp(x) * y, axis=a) / total, mean, of_one_length),)

log_two_cosh = abs_(x) + softplus(-2 * abs_(x))

# of a large number the other branch is right, and this one and its slope are finite
is_small = abs_(x) < 1
near_zero = log1p(2 * sqr(sinh(switch(is_small, x, 0) / 2)))

share, log_p, log_s = Softmax(k)(x), LogSoftmax(k)(x), -softplus(-x)
flags = Elemwise(scalar.Cast(d), ())(m)
"""Zeros and ones: labels, or which elements count."""


s, t = sigmoid(x), sigmoid(-x)

one_and = 1 + exp(x)


def of_one(ending: str, right: Any, size: Any) -> tuple[Law, ...]:
    """Return the laws about an exponential by the sum of a constant of some size and itself, which
    is `right`, and about multiples of that."""
    one = known + exp(x)
    return (
        stable(f"sigmoid-of-one{ending}", exp(x) / one, right, size),
        # an infinite factor times a sigmoid that has underflowed would be nan
        stable(f"sigmoid-of-one-weighed{ending}", factor * exp(x) / one, factor * right, size),
    )


# sigmoids are right where the exponential, which may be read elsewhere too, overflows
_PRICED = ("priced",)

LOGARITHMS_AND_SIGMOIDS = (
    stable("log-sum-weighed", log(sum_(exp(x) * g, axis=a)), LogSumExp(a)(x + log(g))),
    stable("log-sum-divided", log(sum_(exp(x) / h, axis=a)), LogSumExp(a)(x - log(h))),
    # a mixture: weights, and bells of which each has its width
    stable(
        "log-sum-weighed-quotient",
        log(sum_(g * (exp(x) / h), axis=a)),
        LogSumExp(a)((x - log(h)) + log(g)),
    ),
    stable(
        "log-sum-weighed-divided",
        log(sum_(g * exp(x) / h, axis=a)),
        LogSumExp(a)((x + log(g)) - log(h)),
    ),
    stable("log-mul-sum", log(total * p), lse + log(p)),
    stable("log-mul-kept-sum", log(softmax.keepdims(total) * p), softmax.keepdims(lse) + log(p)),
    stable("log-div-kept-sum", log(softmax.keepdims(total) / p), softmax.keepdims(lse) - log(p)),
    stable("log-two-cosh", log(2 * cosh(x)), log_two_cosh),
    stable("log-cosh", log(cosh(x)), switch(is_small, near_zero, log_two_cosh - math.log(2))),
    stable("log1p-two-cosh", log1p(2 * cosh(x)), softplus(log_two_cosh)),
    stable("log-div-softmax", log(p / share), log(p) - log_p),
    stable("log-softmax-div", log(share / p), log_p - log(p)),
    stable("log-softmax-mul", log(share * p), log_p + log(p)),
    stable(
        "log-sum-of-chosen-softmax",
        log(sum_(flags * share, axis=a)),
        LogSumExp(a)(log_p + log(flags)),
        booleano(m),
    ),
    stable("log-div-sigmoid", log(p / sigmoid(x)), log(p) - log_s),
    stable("log-sigmoid-div", log(sigmoid(x) / p), log_s - log(p)),
    *of_one("", sigmoid(x - log(known)), whereo(is_about_one, known)),
    # the rounding of the difference counts as often in the exponential as the logarithm is large
    *of_one("-unlike-one", s / (known * t + s), whereo(is_unlike_one, known)),
    rounding(
        "div-by-weighed", y / (1 + known * exp(x)), y * sigmoid(-(x + log(known))), tags=_PRICED
    ),
    rounding("div-by-square", y / sqr(one_and), y * sqr(t), tags=_PRICED),
    rounding("div-by-square-of-product", y / (sqr(one_and) * z), y * sqr(t) / z, tags=_PRICED),
)

decay = exp(-2 * abs_(x))

POWERS_OF_COSH = (cosh(x), sqr(cosh(x)), cosh(x) ** 3, w * cosh(x))
less_cosh = computed(collecting.divided_by(cosh, POWER), z, x)
slope_of_reciprocal = collecting.slope_of_reciprocal(POWER)

# of a large number both exponentials overflow; what is not chosen is another number, so that the
# law does not match what it leaves
is_positive = x > 0
by_decayed = -1 / expm1(-switch(is_positive, x, 1))
by_grown = exp(switch(is_positive, -1, x)) / expm1(switch(is_positive, -2, x))
by_expm1 = switch(is_positive, by_decayed, by_grown)

HYPERBOLIC = (
    stable("exp-by-expm1", exp(x) / expm1(x), by_expm1),
    stable("exp-by-expm1-by-reciprocal", exp(x) * (1 / expm1(x)), by_expm1),
    stable("sech-slope", sinh(x) / sqr(cosh(x)), tanh(x) / cosh(x)),
    stable(
        "sech-slope-by-reciprocal",
        sqr(y / z) * sinh(x),
        (y / z) * (y / less_cosh) * tanh(x),
        tries=[sqr(y / one) * sinh(x) for one in POWERS_OF_COSH],
    ),
    stable(
        "tanh-by-quotient",
        y / z * sinh(x),
        y / less_cosh * tanh(x),
        tries=[y / one * sinh(x) for one in POWERS_OF_COSH],
    ),
    # the power, or its square, may overflow or vanish where the slope of its reciprocal does not
    stable(
        "slope-of-reciprocal-power",
        y / z * w,
        # y / x**3 * (x**2 * k) → y / x * k
        computed(slope_of_reciprocal, y, z, w),
        floato(z),
        tries=[
            *(y / sqr(x) * x, y / x**3 * sqr(x), y / s**2.5 * s**1.5),
            *(y / sqrt(s) * s, y / sqrt(s * exp(w)) * (s * exp(w)), y / sqrt(0.3 * s) * s),
        ],
    ),
    stable(
        "slope-of-squared-reciprocal-power",
        sqr(y / z) * w,
        # (1 / x**3)**2 * (x**2 * k) → (1 / x**3) * (1 / x * k)
        (y / z) * computed(slope_of_reciprocal, y, z, w),
        floato(z),
        tries=[sqr(y / sqr(x)) * x, sqr(y / x**3) * sqr(x)],
    ),
    stable(
        "exp-by-squared-expm1-by-reciprocal",
        sqr(1 / expm1(x)) * exp(x),
        0.25 / sqr(sinh(x / 2)),
    ),
    stable("csch-slope", cosh(x) / sqr(sinh(x)), 1 / (tanh(x) * sinh(x))),
    stable("csch-slope-by-reciprocal", sqr(1 / sinh(x)) * cosh(x), 1 / (tanh(x) * sinh(x))),
    # every network of tanh has it, where the tanh is there anyway and its square costs next to
    # nothing; else one exponential is what it may cost
    stable(
        "tanh-slope",
        1 - sqr(tanh(x)),
        4 * decay / (1 + decay * (2 + decay)),
        one_cliento(tanh(x)),
    ),
)


indices = lvars("indices")


EXPONENT = view(
    "exponent",
    case(exp(x), x, floato(x)),
    case(Subtensor(i)(exp(x), several(indices)), Subtensor(i)(x, several(indices)), floato(x)),
    case(x, None),
)

exponent = computed(EXPONENT, x)
index = computed(index_within, computed(EXPONENT, y), exponent)
entries, inputs = (computed(attrgetter(name), index) for name in ("entries", "inputs"))
part_of_softmax = Subtensor(entries)(Softmax(a)(exponent), several(inputs))
"""The part of a softmax that `y`, an exponential, is if it is divided by the sums of `x`, another
one, over some axes."""

vector, matrix = lvars("x", vectoro), lvars("x", matrixo)
ELEMENT, COLUMN, SOME = Subtensor((0,)), Subtensor((Slice(), 0)), Subtensor((Slice(1),))

PARTS = (
    # exp(x)[:, 0] / sum(exp(x), axis=1) → softmax(x, axis=1)[:, 0], and so of parts of x, and with
    # parts in the exponents: exp(x[0, 1]) / sum(exp(x)[0]) → softmax(x[0])[1]
    stable(
        "part-of-softmax",
        y / sum_(x, axis=a),
        part_of_softmax,
        whereo(takes_one_along, entries, a, exponent),
        tries=[
            ELEMENT(exp(vector)) / sum_(exp(vector), axis=None),
            COLUMN(exp(matrix)) / sum_(exp(matrix), axis=(1,)),
            exp(ELEMENT(vector)) / sum_(exp(vector), axis=None),
            Subtensor((0, 0))(exp(matrix)) / sum_(ELEMENT(exp(matrix)), axis=None),
        ],
    ),
    # exp(x)[:, :1] / sum(exp(x), axis=1, keepdims=True) → softmax(x, axis=1)[:, :1]
    stable(
        "slice-of-softmax",
        y / softmax.summed(x),
        part_of_softmax,
        whereo(takes_slices_along, entries, a, exponent),
        softmax.same_axes,
        tries=[
            SOME(exp(x)) / sum_(exp(x), axis=(0,), keepdims=True),
            SOME(exp(x)) / sum_(SOME(exp(x)), axis=(0,), keepdims=True),
        ],
    ),
)


# those near 0 by what vanishes there are large, where a factor may be small
_large = ("coth", "exp-by-expm1")
_quotients = tuple(
    one
    for one in (
        *softmax.WRITTEN_OUT,
        *exponential.SIGMOID,
        *trigonometric.QUOTIENTS_AND_SQUARES,
        *SOFTMAX,
        *PARTS,
        *HYPERBOLIC,
    )
    if one.sound == "stable" and one.lhs.op is true_div and one.name not in _large
)


def of_both_signs(name: str, one: Any, other: Any, result: Any) -> tuple[Law, ...]:
    """Return the laws about the difference of what `x` and ``-x`` are put into,
    and about what is `y` times that."""
    return (
        stable(name, one - other, result),
        stable(f"{name}-scaled", y * one - y * other, y * result),
    )


def of_parts(ending: str, op: Any) -> tuple[Law, ...]:
    """Return the laws about logarithms of parts, taken by an op that indexes."""

    def part(v: Any) -> Any:
        return op(i)(v, several(indices))

    return (
        stable(f"log-part-of-exp-div{ending}", log(part(exp(r)) / p), part(r) - log(p)),
        stable(
            f"log-sum-part-of-exp{ending}",
            log(sum_(part(exp(r)), axis=a)),
            LogSumExp(a)(part(r)),
        ),
        stable(
            f"log-chosen-part-of-softmax{ending}",
            log(switch(m, part(share), y)),
            switch(m, part(log_p), log(y)),
            constanto(y),
            same_dtypeo(x, y),
        ),
    )


AMID_FACTORS_AND_PARTS = (
    stable(
        "quotient-amid-factors",
        x / y,
        # exp(x) * w / (sum(exp(x)) * z) → softmax(x) * w / z
        computed(made_of_two_factors(_quotients), computed(FACTORS, x), computed(FACTORS, y)),
        tries=[
            one
            for law in _quotients
            for top, bottom in (written.args for written in law.tries or (law.lhs,))
            for one in ((top * w) / bottom, top / (bottom * w), (top * w) / (bottom * z))
        ],
    ),
    *of_both_signs("sigmoid-difference", s, t, tanh(x / 2)),
    *of_both_signs("logistic-slope", sqr(s) * t, sqr(t) * s, s * t * tanh(x / 2)),
    *of_both_signs("entropy-slope", s * t * softplus(x), s * t * softplus(-x), s * t * x),
    # without a factor it is a law of `logistic`
    stable("softplus-difference-scaled", y * softplus(x) - y * softplus(-x), y * x),
    # once more where the factors are constants
    stable("tanh-of-sigmoid-scaled", y - 2 * y * s, -(y * tanh(x / 2))),
    stable(
        "tanh-of-sigmoid-weighed",
        c + d * s,
        c * -tanh(x / 2),
        constanto(c),
        whereo(cancels_twice, d, c),
    ),
    *of_parts("", Subtensor),
    *of_parts("-by-array", AdvancedSubtensor),
    *PARTS,
)

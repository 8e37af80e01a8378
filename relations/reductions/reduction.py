"""Reductions over axes: sums, products, conjunctions, disjunctions; running totals; and variances.

What holds of every reduction comes first. Where a law takes a factor out of a reduction, the factor
is constant along the axes that are reduced, and loses them by a dimshuffle.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from relations.kit import reductions as kit
from relations.kit.choices import DUAL, JUNCTIONS, dual
from relations.kit.guards import (
    all_oneo,
    all_zeroo,
    broadcast_alike,
    covers_shapeo,
    has_length_one,
    has_length_one_along,
    includes_axis,
    is_constant_along,
    is_finite_number,
    nonnegativeo,
)
from relations.kit.index_arithmetic import order_left, order_without, rank_of
from relations.kit.type_guards import floato, matrixo, ranko, roomyo, vectoro
from relations.kit.vocabulary import (
    Law,
    any_dtype_law,
    any_dtype_rounding,
    finite,
    law,
    lvars,
    rounding,
    stable,
)
from relgraph import scalar
from relgraph.graph.kanren import computed, one_cliento, one_ofo, several, whereo
from relgraph.graph.kanren.terms import renamed
from relgraph.tensor import (
    CAReduce,
    DimShuffle,
    Elemwise,
    log,
    lt,
    prod,
    reciprocal,
    second,
    sign,
    sqr,
    switch,
)
from relgraph.tensor import abs as abs_
from relgraph.tensor import all as all_
from relgraph.tensor import any as any_
from relgraph.tensor import sum as sum_
from relgraph.tensor.along_axes import Cumulate
from relgraph.tensor.assembly import Alloc, Join
from relgraph.tensor.math import _dot
from relgraph.tensor.norms import Covariance
from relgraph.tensor.shapes import MakeVector, Reshape, Shape_i
from relgraph.tensor.shapes import lengths as lengths_of
from relgraph.tensor.subtensor import Slice, Subtensor

# -- every reduction -------------------------------------------------------------------------------

a, b, c, j, k, lengths, m, n, o, s, x, xs, y = lvars("a b c j k lengths m n o s x xs y")
v, (p, q), u = lvars("v", vectoro), lvars("p q", matrixo), lvars("u", floato, roomyo)
"""A vector, two matrices, and floating-point numbers that leave room for larger ones."""

of_real = partial(rounding, mixed=True)
"""`rounding` for real numbers: 1 times a complex nan is another nan, in both its parts."""

reduced, to_one = CAReduce(s, a), CAReduce(s, None)
"""Any reduction, over the axes `a` and over all."""
junction, idempotent = one_ofo(s, JUNCTIONS), one_ofo(s, DUAL)
"""That the op is ``&`` or ``|``; that it is `x` of `x` and `x`."""
summed_or_real = whereo(kit.is_summed_or_real, s, x)


def nested(name: str, sound: str, *conditions: Any) -> Law:
    """Return the law that two reductions by one op are one."""
    return any_dtype_law(
        name,
        reduced(CAReduce(s, b)(x)),
        # sum(sum(x, axis=0), axis=1) → sum(x, axis=(0, 2))
        CAReduce(s, computed(kit.merged_axes, a, b, found=False))(x),
        *conditions,
        sound=sound,
    )


rank = computed(rank_of, x)
before = computed(kit.axes_before_dimshuffle, o, a)


def without_axes(v: Any) -> Any:
    """Return `v` without the axes `a`, along which it is constant."""
    return DimShuffle(computed(rank_of, v), computed(order_without, v, a))(v)


total, taken_out = sum_(x, axis=a), without_axes(c)
constant = whereo(is_constant_along, c, a, x)
"""That `c` is constant along the axes `a` of `x`."""


def scaled(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that takes a factor `c` out of a sum.

    A sum of nothing is 0, and 0 times a `c` that is nan or infinite is nan.
    """
    return finite(name, lhs, rhs, constant, *conditions, complex=True, tags=("sum_scalar_mul",))


SIMPLER = (
    nested("junction-of-junctions", "exact", junction),
    # of 0 and -0 either may be the greatest; a complex product with an infinity has other nans
    nested("reduce-of-reduce", "rounding", summed_or_real),
    any_dtype_rounding(
        "reduce-of-dimshuffle",
        reduced(DimShuffle(n, o)(x)),
        # sum(x.T, axis=0) → sum(x, axis=1)
        DimShuffle(
            computed(kit.rank_after_reduction, before, x),
            computed(order_left, o, a, rank),
        )(CAReduce(s, before)(x)),
    ),
    # of as many elements, though of one of both the number may not be known
    any_dtype_rounding("reduce-of-reshape", to_one(Reshape(n)(x, y)), to_one(x), tags=("priced",)),
    # a sum of one -0 is 0
    of_real("reduce-no-axis", CAReduce(s, ())(x), x),
    of_real("reduce-scalar", to_one(x), x, ranko(x, 0)),
    of_real(
        "reduce-length-one",
        reduced(x),
        DimShuffle(rank, computed(order_without, x, a))(x),  # `x` without the axes `a`
        whereo(has_length_one_along, x, a),
    ),
    scaled(
        "sum-scalar-mul",
        sum_(c * x, axis=a),
        taken_out * total,
        whereo(kit.factor_enlarges_or_has_room, c, x),
    ),
    scaled(
        "sum-scalar-div",
        sum_(x / c, axis=a),
        total / taken_out,
        whereo(kit.zero_sum_divides, c, x, a),
        whereo(kit.divisor_enlarges_or_has_room, c, x),
    ),
)

zeros = (constant, all_zeroo(y), covers_shapeo(x, y))
"""That `y` is 0, and broadcasts to the shape of `x`, along which `c` is constant."""

# -0 where the sum is 0
SIGNS = (rounding("sum-neg", sum_(-x, axis=a), -total, tags=("sum_scalar_mul",)),)


sign_of_prod = prod(sign(x), axis=a)

LOGARITHMS = (
    # a product overflows before its logarithm does
    stable("log-prod", log(prod(x, axis=a)), sum_(log(x), axis=a), nonnegativeo(x)),
    stable(
        "log-prod-of-any-sign",
        log(prod(x, axis=a)),
        # not a choice of the two, which would have no slope where the product is negative
        sum_(log(abs_(x)), axis=a) + switch(lt(sign_of_prod, 0), math.nan, 0 * sign_of_prod),
        floato(x),
        # what is known of the sign later is better
        tags=("late",),
    ),
    stable("log-abs-prod", log(abs_(prod(x, axis=a))), sum_(log(abs_(x)), axis=a)),
)

DOTS = (
    # of a matrix and a matrix, or a vector
    finite("sum-rows-of-dot", sum_(_dot(p, y), axis=0), _dot(sum_(p, axis=0), y), roomyo(p, y)),
    finite("sum-columns-of-dot", sum_(_dot(x, y), axis=1), _dot(x, sum_(y, axis=1)), roomyo(x, y)),
    finite("sum-of-dot", sum_(_dot(p, q)), _dot(sum_(p, axis=0), sum_(q, axis=1)), roomyo(p, q)),
    finite("sum-of-vector-matrix", sum_(_dot(v, q)), _dot(v, sum_(q, axis=1)), roomyo(v, q)),
)


allocated = Alloc()(x, several(lengths))
"""An allocation of any rank."""
as_allocated = DimShuffle(rank, computed(kit.order_padded_to, x, lengths))(x)
"""That has as many axes."""

repetitions = computed(kit.repetition_count, x, a, lengths)
"""How often an allocation repeats each element along the axes `a`."""
filled, lengths_filled = sum_(second(y, x), axis=a), computed(lengths_of, y)
repeated = computed(kit.repetition_count, x, a, lengths_filled) * total
"""The sum of a fill, and what it is."""


ones = (all_oneo(y), covers_shapeo(u, y))

OF_OPS = (
    rounding(
        "sum-of-switch-else-zero",
        sum_(switch(c, x, y), axis=a),
        switch(taken_out, total, 0),
        *zeros,
    ),
    rounding(
        "sum-of-switch-then-zero",
        sum_(switch(c, y, x), axis=a),
        switch(taken_out, 0, total),
        *zeros,
    ),
    rounding("prod-sqr", prod(sqr(x), axis=a), sqr(prod(x, axis=a))),
    law("prod-abs", prod(abs_(x), axis=a), abs_(prod(x, axis=a)), floato(x)),
    # y = 1
    finite("prod-inverse", prod(y / u, axis=a), reciprocal(prod(u, axis=a)), *ones),
    finite(
        "prod-pow",
        prod(x**c, axis=a),
        prod(x, axis=a) ** taken_out,
        nonnegativeo(x),
        # of roots, the product under the root overflows first
        whereo(kit.is_one_or_more, c),
        constant,
    ),
    # all(~x) → ~any(x)
    law("junction-of-negations", reduced(~x), ~CAReduce(computed(dual, s), a)(x), junction),
    law("any-and", any_(x & c, axis=a), any_(x, axis=a) & taken_out, constant),
    law("all-or", all_(x | c, axis=a), all_(x, axis=a) | taken_out, constant),
    any_dtype_law(
        "sum-of-alloc",
        sum_(allocated, axis=a),
        # (m * n) * x of a scalar x, m * sum(x) of a vector
        repetitions * sum_(as_allocated, axis=a),
        sound="finite",
    ),
    any_dtype_law(
        "prod-of-alloc",
        prod(allocated, axis=a),
        # x ** (m * n) of a scalar x, prod(x) ** m of a vector
        prod(as_allocated, axis=a) ** repetitions,
        sound="finite",
    ),
    # of 0 and -0 the greatest is one or the other, by their order and number
    any_dtype_rounding(
        "reduce-of-alloc",
        reduced(allocated),
        reduced(as_allocated),  # max(alloc(x, 3)) → max(x), and so for min, all and any
        idempotent,
        whereo(kit.repeats_elements, x, a, lengths),
    ),
    any_dtype_law("sum-of-fill", filled, repeated, sound="finite"),
    of_real("sum-of-filled-number", filled, repeated, whereo(is_finite_number, x)),
    # max(second(y, x)) → max(x), and the same for min, all and any
    any_dtype_rounding(
        "reduce-of-fill",
        reduced(second(y, x)),
        reduced(x),
        idempotent,
        whereo(kit.repeats_elements, x, a, lengths_filled),
    ),
    any_dtype_rounding(
        "reduce-of-join",
        reduced(Join(b)(several(xs))),
        # sum(join(0, x, y)) → sum(x) + sum(y), and so for all reductions
        Elemwise(s)(several(computed(kit.each_reduced, s, a, xs))),
        one_cliento(Join(b)(several(xs))),
        whereo(includes_axis, a, b),
        whereo(kit.pieces_reduce_apart, s, a, xs),
    ),
    any_dtype_rounding(
        "reduce-of-vector",
        to_one(MakeVector(o)(several(xs))),
        Elemwise(s)(several(xs)),  # sum(stack([a, b, c])) → a + b + c, and so for all reductions
        whereo(kit.reduces_in_own_dtype, s, xs),
    ),
)


# -- cumulative sums and products ------------------------------------------------------------------

i = lvars("i")


running, sums = Cumulate(s, a)(x), Cumulate(scalar.add, 0)(x)
"""The running totals along the axis `a`, and running sums along the first one."""
earlier, later = Subtensor((Slice(None, -1),)), Subtensor((Slice(1),))

TOTALS = (
    any_dtype_law("cumulate-one", running, x, whereo(has_length_one, x, a)),
    any_dtype_law("cumsum-of-zeros", Cumulate(scalar.add, a)(0), 0),
    any_dtype_law("cumprod-of-ones", Cumulate(scalar.mul, a)(1), 1),
    # cumsum(x)[1:] - cumsum(x)[:-1] → x[1:]
    finite("differences-of-cumsum", later(sums) - earlier(sums), later(x), complex=True),
    # parts
    # where there is nothing to sum the last total is an error
    any_dtype_rounding(
        "last-of-cumulate",
        Subtensor(i)(running),
        # cumsum(x)[-1] → sum(x), and the same for a product
        CAReduce(s, (a,))(x),
        whereo(kit.is_last_along, i, a),
        summed_or_real,
    ),
    any_dtype_law(
        "prefix-of-cumulate",
        Subtensor(i)(running, several(xs)),
        # cumsum(x)[:n] → cumsum(x[:n])
        Cumulate(s, computed(kit.axis_after_index, i, a, x))(Subtensor(i)(x, several(xs))),
        one_cliento(running),
        whereo(kit.is_prefix_along, i, a),
        summed_or_real,
    ),
)

# -- variances and covariances ---------------------------------------------------------------------
#
# Differences of moments cancel: the squares of numbers that are near each other, and far from zero,
# agree in their leading digits. So the mean is subtracted first, and what is left is squared: Chan,
# Golub and LeVeque, Algorithms for Computing the Sample Variance: Analysis and Recommendations, The
# American Statistician 37 (1983); Higham, Accuracy and Stability of Numerical Algorithms (2002),
# 1.9.


def over(reduced: Any) -> Any:
    """Return what was reduced over the axes `a`, with these again as axes of length 1."""
    rank, order = computed(kit.rank_after_reduction, a, x), computed(kit.order_that_keeps, a, x)
    return DimShuffle(rank, order)(reduced)


length = Elemwise(scalar.Cast("float64"), ())(Shape_i(0)(x))
"""How many elements a vector has."""


def of_moments(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law in which `j`, `k` and `m` are counts of elements along the axes `a`."""
    of_vectors = renamed(lhs, {a: None, j: length, k: length, m: length})
    return stable(name, lhs, rhs, *conditions, tries=[of_vectors])


mean_x, mean_y = sum_(x, axis=a) / k, sum_(y, axis=a) / j
deviations = sum_(sqr(x - over(mean_x)), axis=a)

products = sum_(x * y, axis=a) / m
product_of_sums = sum_(x, axis=a) * sum_(y, axis=a)


def of_pairs(name: str, lhs: Any, *counts: Any) -> Law:
    """Return a law about the elements of `x` and those of `y` at the same places."""
    counting = [whereo(kit.is_count_of_either, count, a, x, y) for count in counts]
    return of_moments(name, lhs, Covariance(a)(x, y), whereo(broadcast_alike, x, y), *counting)


MOMENTS = (
    of_moments(
        "variance",
        sum_(sqr(x), axis=a) / m - sqr(mean_x),
        deviations / m,
        *(whereo(kit.is_count_of, count, a, x) for count in (k, m)),
    ),
    of_pairs("covariance", products - mean_x * mean_y, j, k, m),
    of_pairs("covariance-by-sums", products - product_of_sums / (k * j), j, k, m),
    of_pairs("covariance-by-sums-and-square", products - product_of_sums / sqr(k), k, m),
)

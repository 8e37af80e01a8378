"""Variances and covariances that are written as differences of moments, which cancel.

The squares of numbers that are near each other, and far from zero, agree in their leading digits.
So the mean is subtracted first, and what is left is squared: Chan, Golub and LeVeque, Algorithms
for Computing the Sample Variance: Analysis and Recommendations, The American Statistician 37
(1983); Higham, Accuracy and Stability of Numerical Algorithms (2002), 1.9.
"""

from __future__ import annotations

from typing import Any

from relations.kit.guards import broadcast_alike
from relations.kit.reductions import (
    is_count_of,
    is_count_of_either,
    order_that_keeps,
    rank_after_reduction,
)
from relations.kit.vocabulary import Law, lvars, stable
from relgraph import scalar
from relgraph.graph.kanren import computed, whereo
from relgraph.graph.kanren.terms import renamed
from relgraph.tensor import DimShuffle, Elemwise, sqr
from relgraph.tensor import sum as sum_
from relgraph.tensor.norms import Covariance
from relgraph.tensor.shapes import Shape_i

a, j, k, m, x, y = lvars("a j k m x y")


def over(reduced: Any) -> Any:
    """Return what was reduced over the axes `a`, with these again as axes of length 1."""
    return DimShuffle(computed(rank_after_reduction, a, x), computed(order_that_keeps, a, x))(
        reduced
    )


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
    counting = [whereo(is_count_of_either, count, a, x, y) for count in counts]
    return of_moments(name, lhs, Covariance(a)(x, y), whereo(broadcast_alike, x, y), *counting)


MOMENTS = (
    of_moments(
        "variance",
        sum_(sqr(x), axis=a) / m - sqr(mean_x),
        deviations / m,
        *(whereo(is_count_of, count, a, x) for count in (k, m)),
    ),
    of_pairs("covariance", products - mean_x * mean_y, j, k, m),
    of_pairs("covariance-by-sums", products - product_of_sums / (k * j), j, k, m),
    of_pairs("covariance-by-sums-and-square", products - product_of_sums / sqr(k), k, m),
)

"""Sums of squares, in roots, quotients and logarithms, without the overflow of the squares.

Higham, Accuracy and Stability of Numerical Algorithms (2002), 27.8; Blue, A Portable Fortran
Program to Find the Euclidean Norm of a Vector (1978).
"""

from __future__ import annotations

from relgraph.graph.kanren import case, computo, several, view, whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import add, gt, hypot1m1, log1p, log1p_sqr, sqr, sqrt, switch
from relgraph.tensor import sum as sum_
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded
from relgraph.tensor.lawkit.guards.numbers import positive_numbero
from relgraph.tensor.lawkit.guards.results import is_found, nothing
from relgraph.tensor.lawkit.guards.shapes import broadcast_alike
from relgraph.tensor.lawkit.guards.types import floato, ranko
from relgraph.tensor.lawkit.numbers.terms import added_leaves
from relgraph.tensor.lawkit.spellings import (
    Square,
    in_each_spelling,
    length_of,
    may_have_squares,
    not_choseno,
    squares_of_elements,
)
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars
from relgraph.tensor.math import _dot
from relgraph.tensor.reductions.norm import Norm
from relgraph.tensor.reductions.pairs import Cosine

a, b, c, k, w, x, xs, y, z = lvars("a b c k w x xs y z")
leaves, roots = lvars("leaves roots")
is_root = (positive_numbero(c), computo(k, folded(sqrt), c))
is_weight = (floato(x), *is_root)

far = gt(abs_(x), 1)
far_x, near_x = switch(far, x, 1), switch(far, 1, x)


def of_lengths(ending: str, square: Square) -> tuple[Law, ...]:
    """Return the laws about sums of squares that are written with `square`."""
    return (
        law(
            f"root-of-two-squares{ending}",
            sqrt(square(x) + square(x)),
            sqrt(2) * abs_(x),
            sound="stable",
        ),
        law(
            f"root-of-scaled-square{ending}",
            sqrt(c * square(x)),
            sqrt(c) * abs_(x),
            positive_numbero(c),
            sound="stable",
        ),
        law(
            f"by-one-and-square{ending}",
            x / (1 + square(x)),
            switch(far, 1 / (far_x + 1 / far_x), near_x / (1 + square(near_x))),
            not_choseno(x),
            sound="stable",
        ),
    )


SQUARE = view(
    "root",
    case(sqr(x), x, floato(x)),
    case(x**2, x, floato(x)),
    case(x * x, x, floato(x)),
    case(c * sqr(x), k * x, *is_weight),
    case(c * x**2, k * x, *is_weight),
    case(c * x * x, k * x, *is_weight),
    case(sqr(x) / c, x / k, *is_weight),
    case(x**2 / c, x / k, *is_weight),
    case(x * x / c, x / k, *is_weight),
    case(c, k, *is_root),
    case(x, z, computo(z, nothing, x)),
)

squares = (
    whereo(may_have_squares, xs),
    computo(leaves, added_leaves, xs),
    whereo(is_found, leaves),
    computo(roots, SQUARE.each, leaves),
    computo(z, length_of, roots),
    whereo(is_found, z),
)
SUMS = (add(sqr(x), sqr(y)), add(x * x, y**2, 3 * sqr(w)), add(sqr(x), sqr(y) / 2, w * w, 1))

LENGTHS = (
    *in_each_spelling(of_lengths),
    law(
        "hypot",
        sqrt(add(several(xs))),
        z,  # sqrt(sqr(x) + y * y + 4 * w**2) → length(length(x, y), 2 * w)
        *squares,
        sound="stable",
        tries=[sqrt(one) for one in SUMS],
    ),
    law(
        "hypot-by-constant",
        sqrt(add(several(xs)) / c),
        z / sqrt(c),
        *squares,
        positive_numbero(c),
        sound="stable",
        tries=[sqrt(one / 3.0) for one in SUMS],
    ),
    law(
        "hypot-times-constant",
        sqrt(c * add(several(xs))),
        sqrt(c) * z,
        *squares,
        positive_numbero(c),
        sound="stable",
        tries=[sqrt(3.0 * one) for one in SUMS],
    ),
)

norm_x, norm_y = Norm(a)(x), Norm(b)(y)

NORMS = tuple(
    law(f"norm{ending}", sqrt(sum_(squares, axis=a)), norm_x, *whole, sound="stable")
    for ending, squares, whole in squares_of_elements(x, c)
)

total_x, total_y = sum_(sqr(x), axis=a), sum_(sqr(y), axis=b)

RATIOS = (
    law("product-of-norms", sqrt(total_x * total_y), norm_x * norm_y, sound="stable"),
    law("ratio-of-norms", total_x / total_y, sqr(norm_x / norm_y), sound="stable"),
    law(
        "cosine",
        sum_(x * y, axis=a) / (norm_x * Norm(a)(y)),
        Cosine(a)(x, y),
        whereo(broadcast_alike, x, y),
        sound="stable",
    ),
    law(
        "cosine-of-dot",
        _dot(x, y) / (Norm(None)(x) * Norm(None)(y)),
        Cosine(None)(x, y),
        ranko(x, 1),
        ranko(y, 1),
        sound="stable",
    ),
)

positive = gt(y, 0)
by_root = x / sqrt(switch(positive, y, 1))
# of a negative number, which no root divides; its slope is finite where the other one is chosen
negative_y = switch(positive, -1, y)


def of_ones_and_squares(ending: str, square: Square) -> tuple[Law, ...]:
    """Return the laws about roots and logarithms of one and a square written with `square`."""
    return (
        law(f"hypot-less-one{ending}", sqrt(1 + square(x)) - 1, hypot1m1(x), sound="stable"),
        law(f"log-one-and-square{ending}", log1p(square(x)), log1p_sqr(x), sound="stable"),
        law(
            f"log-one-and-scaled-square{ending}",
            log1p(c * square(x)),
            log1p_sqr(sqrt(c) * x),
            positive_numbero(c),
            sound="stable",
        ),
        law(
            f"log-one-and-square-by{ending}",
            log1p(square(x) / y),
            switch(
                positive, log1p_sqr(by_root), log1p(square(switch(positive, 0, x)) / negative_y)
            ),
            not_choseno(y),
            sound="stable",
        ),
    )


ONES_AND_SQUARES = in_each_spelling(of_ones_and_squares)

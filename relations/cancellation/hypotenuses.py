"""Sums of squares, in roots, quotients and logarithms, without the overflow of the squares.

Higham, Accuracy and Stability of Numerical Algorithms (2002), 27.8; Blue, A Portable Fortran
Program to Find the Euclidean Norm of a Vector (1978).
"""

from __future__ import annotations

from relgraph.graph.kanren import readerso, whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import gt, hypot1m1, length, log1p, log1p_sqr, sqr, sqrt, switch
from relgraph.tensor import sum as sum_
from relgraph.tensor.lawkit.guards.compensation import uncompensated
from relgraph.tensor.lawkit.guards.numbers import positive_numbero
from relgraph.tensor.lawkit.guards.shapes import broadcast_alike
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.spellings import (
    Square,
    in_each_spelling,
    not_choseno,
    squares_of_elements,
)
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars
from relgraph.tensor.math import _dot
from relgraph.tensor.reductions.norm import Norm
from relgraph.tensor.reductions.pairs import Cosine

a, b, c, x, y, z = lvars("a b c x y z")

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
        law(f"hypot{ending}", sqrt(square(x) + square(y)), length(x, y), sound="stable"),
        law(
            f"hypot-of-three{ending}",
            sqrt(square(x) + square(y) + square(z)),
            length(length(x, y), z),
            sound="stable",
        ),
        law(
            f"hypot-of-three-by-constant{ending}",
            sqrt((square(x) + square(y) + square(z)) / c),
            length(length(x, y), z) / sqrt(c),
            positive_numbero(c),
            sound="stable",
        ),
        law(
            f"hypot-of-scaled{ending}",
            sqrt(square(x) + c * square(y)),
            length(x, sqrt(c) * y),
            positive_numbero(c),
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


LENGTHS = in_each_spelling(of_lengths)

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
        law(
            f"hypot-less-one{ending}",
            sqrt(1 + square(x)) - 1,
            hypot1m1(x),
            readerso(uncompensated, 1 + square(x)),
            sound="stable",
        ),
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

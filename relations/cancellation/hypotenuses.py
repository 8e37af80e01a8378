"""Lengths: the root of a sum of squares, without the overflow of the squares.

Higham, Accuracy and Stability of Numerical Algorithms (2002), 27.8; Blue, A Portable Fortran
Program to Find the Euclidean Norm of a Vector (1978).
"""

from __future__ import annotations

from relgraph.tensor import abs as abs_
from relgraph.tensor import gt, length, sqrt, switch
from relgraph.tensor.lawkit.guards.numbers import positive_numbero
from relgraph.tensor.lawkit.spellings import Square, in_each_spelling, not_choseno
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

c, x, y, z = lvars("c x y z")

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

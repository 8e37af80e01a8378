"""Roots of squares, in all their spellings."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import spelled, x, y


def of_root(ending, root):
    return [
        (f"root-less{ending}", root - x),
        (f"neg-and-root{ending}", -x + root),
        (f"root-more{ending}", root + x),
        (f"neg-less-root{ending}", -x - root),
    ]


CASES = [
    case
    for square in (at.sqr(x), x * x, x**2)
    for case in (
        *of_root("", spelled(at.sqrt(square + y))),
        *of_root("-of-difference", spelled(at.sqrt(square - y))),
    )
]
EXACT = CASES


NOT_MATCHED = [
    ("root-less", at.sqrt(at.sqr(y) + x) - x),
    ("root-more", at.sqrt(at.sqr(x) + y) + y),
]

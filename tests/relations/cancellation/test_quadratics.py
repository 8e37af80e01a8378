"""Roots of squares, in all their spellings."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import x, y


def of_root(ending, root):
    return [
        (f"root-less{ending}", root - x),
        (f"neg-and-root{ending}", -x + root),
        (f"root-more{ending}", root + x),
        (f"neg-less-root{ending}", -x - root),
    ]


CASES = [
    case
    for ending, square in (("", at.sqr(x)), ("-of-products", x * x), ("-of-powers", x**2))
    for case in (
        *of_root(ending, at.sqrt(square + y)),
        *of_root(f"-of-difference{ending}", at.sqrt(square - y)),
    )
]
EXACT = CASES


NOT_MATCHED = [
    ("root-less", at.sqrt(at.sqr(y) + x) - x),
    ("root-more-of-products", at.sqrt(x * x + y) + y),
]

"""What each law about rounding does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import (
    i,
    x,
    y,
)

CASES = [
    ("round-integer", at.floor(i), "i"),
    ("round-rounded", at.ceil(at.round(x)), "round(x)"),
    ("round-rounded", at.floor(at.sign(x)), "sign(x)"),
    ("round-quotient", at.trunc(x // y), "x // y"),
    ("round-cast-integer", at.floor(at.cast(i, "float64")), "cast{float64}(i)"),
    ("rounding-of-neg", at.trunc(-x), "-trunc(x)"),
    ("rounding-of-neg", at.round(-x), "-round(x)"),
]

NOT_MATCHED = [
    ("round-integer", at.floor(x)),
    ("round-rounded", at.floor(at.exp(x))),
    ("round-cast-integer", at.floor(at.cast(x, "float32"))),
]

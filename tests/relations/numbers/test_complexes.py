"""What each law about complex numbers does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import (
    i,
    w,
    x,
    y,
)

CASES = [
    ("real-real", at.real(i), "i"),
    ("real-cast", at.real(at.cast(x, "complex128")), "x"),
    ("imag-cast", at.imag(at.cast(x, "complex128")), "second(cast{complex128}(x), 0.0)"),
    ("conj-cast", at.conj(at.cast(x, "complex128")), "cast{complex128}(x)"),
    ("conj-conj", at.conj(at.conj(w)), "w"),
    ("real-conj", at.real(at.conj(w)), "real(w)"),
    ("abs-conj", at.abs(at.conj(w)), "abs(w)"),
]

NOT_MATCHED = [
    ("conj-real", at.conj(w)),
    ("imag-real", at.imag(w)),
    ("angle-conj", at.angle(at.conj(x))),  # the angle of -1 is pi, not -pi
    ("real-of-parts", at.real(w + 1j * y)),
]

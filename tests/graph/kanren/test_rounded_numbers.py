"""A number in a law is what a narrower dtype makes of it, but only among numbers of that dtype."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars

a, b = lvars("a b")
TENTH = law("tenth", a * 0.1, a / 10, sound="rounding")
NESTED = law("nested", at.exp(a * 0.1 + b), at.exp(b + a / 10), sound="rounding")
CHOSEN = law("chosen", at.switch(a, 0.1, b), at.switch(~a, b, 0.1), sound="rounding", mixed=True)
NARROW = at.constant(np.float32(0.1))

f, d = at.fvector("f"), at.dvector("d")
t = at.tensor("bool", (None,), "t")


@pytest.mark.parametrize(
    ("own", "expression", "fires"),
    [
        (TENTH, f * 0.1, True),
        (TENTH, d * 0.1, True),
        (TENTH, f * NARROW, True),
        (TENTH, d * NARROW, False),
        (TENTH, at.mul(d, f, NARROW), False),
        (TENTH, at.mul(f, f, NARROW), True),
        (NESTED, at.exp(f * NARROW + f), True),
        (NESTED, at.exp(d * NARROW + d), False),
        (CHOSEN, at.switch(t, NARROW, f), True),
        (CHOSEN, at.switch(t, NARROW, d), False),
    ],
)
def test_it_fires_among_numbers_of_its_dtype(own, expression, fires):
    rewriter, node = own.forward, expression.owner
    assert bool(rewriter.transform(None, node)) is fires
    assert bool(rewriter.search(None, node)) is fires
    assert own.explain(expression).matches is fires


def test_the_reason_is_said():
    said = str(TENTH.explain(d * NARROW))
    assert "a constant is 0.1 as a narrower dtype rounds it" in said

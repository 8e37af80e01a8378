"""What each law about rounding does to an expression."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relations.numbers import dtypes
from tests.relations.applied import (
    applied,
    assert_same_values,
    i,
    laws_of,
    written,
    x,
    y,
)

LAWS = laws_of(dtypes)

CASES = [
    ("round-integer", at.floor(i), "i"),
    ("round-rounded", at.ceil(at.round(x)), "round(x)"),
    ("round-rounded", at.floor(at.sign(x)), "sign(x)"),
    ("round-quotient", at.trunc(x // y), "x // y"),
    ("round-cast-integer", at.floor(at.cast(i, "float64")), "cast{float64}(i)"),
    ("floor-of-neg", at.floor(-x), "-ceil(x)"),
    ("ceil-of-neg", at.ceil(-x), "-floor(x)"),
    ("rounding-of-neg", at.trunc(-x), "-trunc(x)"),
    ("rounding-of-neg", at.round(-x), "-round(x)"),
]

NOT_MATCHED = [
    ("round-integer", at.floor(x)),
    ("round-rounded", at.floor(at.exp(x))),
    ("round-cast-integer", at.floor(at.cast(x, "float32"))),
]


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=[case[0] for case in CASES])
def test_what_it_does(name, before, after):
    assert written(LAWS[name], before) == after
    assert_same_values(before, applied(LAWS[name], before))


@pytest.mark.parametrize(("name", "before"), NOT_MATCHED)
def test_what_it_leaves_alone(name, before):
    assert applied(LAWS[name], before).owner.op is before.owner.op

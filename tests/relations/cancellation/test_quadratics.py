"""Roots of squares, in all their spellings."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relations.cancellation import squares
from tests.relations.applied import laws_of, x, y
from tests.relations.cancellation.accuracy import assert_true, assert_true_slopes

LAWS = laws_of(squares)


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


NOT_MATCHED = [
    ("root-less", at.sqrt(at.sqr(y) + x) - x),
    ("root-more-of-products", at.sqrt(x * x + y) + y),
]


@pytest.mark.parametrize(("name", "before"), CASES, ids=[name for name, _ in CASES])
def test_its_value_is_the_true_one(name, before):
    assert_true(LAWS[name], before)


@pytest.mark.parametrize(("name", "before"), CASES, ids=[name for name, _ in CASES])
def test_its_slopes_are_the_true_ones(name, before):
    assert_true_slopes(LAWS[name], before)

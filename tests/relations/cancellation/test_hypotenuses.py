"""Lengths without the overflow of their squares."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relations.cancellation import hypotenuses
from tests.relations.applied import applied, laws_of, value_of, x, y, z
from tests.relations.cancellation.accuracy import assert_true, assert_true_slopes

LAWS = laws_of(hypotenuses)


def of_squares(ending, square):
    a, b, c = square(x), square(y), square(z)
    return [
        (f"hypot{ending}", at.sqrt(a + b)),
        (f"hypot-of-three{ending}", at.sqrt(a + b + c)),
        (f"hypot-of-three-by-constant{ending}", at.sqrt((a + b + c) / 3.0)),
        (f"hypot-of-scaled{ending}", at.sqrt(a + 4.0 * b)),
        (f"root-of-scaled-square{ending}", at.sqrt(2.0 * a)),
        (f"root-of-two-squares{ending}", at.sqrt(a + a)),
        (f"by-one-and-square{ending}", x / (1 + a)),
    ]


CASES = [
    *of_squares("", at.sqr),
    *of_squares("-of-products", lambda v: v * v),
    *of_squares("-of-powers", lambda v: v**2),
]


NOT_MATCHED = [
    ("hypot", at.sqrt(at.sqr(x) - at.sqr(y))),
    ("root-of-scaled-square", at.sqrt(-2.0 * at.sqr(x))),
    ("by-one-and-square", y / (1 + at.sqr(x))),
]


@pytest.mark.parametrize(("name", "before"), CASES, ids=[name for name, _ in CASES])
def test_its_value_is_the_true_one(name, before):
    assert_true(LAWS[name], before)


@pytest.mark.parametrize(("name", "before"), CASES, ids=[name for name, _ in CASES])
def test_its_slopes_are_the_true_ones(name, before):
    assert_true_slopes(LAWS[name], before)


@pytest.mark.parametrize(("name", "before"), NOT_MATCHED)
def test_what_it_leaves_alone(name, before):
    assert applied(LAWS[name], before).owner.op is before.owner.op


def test_every_law_has_a_case():
    assert set(LAWS) == {name for name, _ in CASES}


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_squares_neither_overflow_nor_vanish(size):
    values = {"x": np.array([3 * size]), "y": np.array([4 * size]), "z": np.zeros(1)}
    for name, factor in (
        ("hypot", 5.0),
        ("hypot-of-three", 5.0),
        ("root-of-scaled-square", 18**0.5),
    ):
        (before,) = [before for known, before in CASES if known == name]
        found = value_of(applied(LAWS[name], before), values)
        assert found.item() == pytest.approx(factor * size, rel=1e-15)

"""A law does not take the rounding out of one of two parts whose roundings cancel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.notation import algebra
from relgraph.testing.discovery import discover_laws
from tests.relations.compositions import Composition, errors
from tests.seeds import sampled

x, y = at.dvectors("x", "y")
square, step = x * x, 1 + at.sqr(x)
u, e, s = 1 + x, 1 + at.exp(x), at.sigmoid(x)
root = at.sqrt(y + at.sqr(x))
arc, half, ratio = at.arccos(1 - x), at.sqrt((1 - x) / 2), at.log((1 + x) / (1 - x))
tangent, sheared = at.tan(x), at.tan(x + y)
ONES = at.constant([1.0, 0.5] * 10)
negated = -x

COMPENSATED = {
    "square": at.log(square) / (1 - square) - (1 - square),
    "erf": at.erf(x) - 1 - at.log(at.erf(x)),
    "cosine": (1 - at.cos(x)) / at.log(at.cos(x)),
    "sine": at.log(at.sqr(at.sin(x))) / (1 - at.sqr(at.sin(x))),
    "share": s - 1 - at.log(s),
    "softplus": at.log(e) / (1 - e),
    "arcosine": at.sqr(at.arccos(1 - x)) / (1 - (1 - x)),
    "reciprocal": at.log(1 / u) / (u - 1 / u),
    "hypotenuse": (at.sqrt(step) - 1) / (1 - step),
    "power": (u**3 - 1) / at.log(u**3),
    "square, less its root": at.log(square) - (square - x),
    "decimal logarithm": at.log10(u) / (u - 1),
    "binary logarithm": at.log2(1 - x) * x / (1 - (1 - x)),
    "double angle": 2 * at.sqr(at.cos(x)) - x - (2 * at.sqr(at.cos(x)) - 1),
    "scaled square": (at.log1p(0.5 * at.sqr(x)) - 0.5 * at.sqr(x)) / at.sqr(x),
    "two terms": (2 * s - 1) - (2 * s - x),
    "a multiple and a term": 1.0 * at.sqr(x + y) + (at.sqr(x) - at.sqr(x + y)),
    "two terms, deeper": (1 - (root - x)) + root,
    "squares": (at.sqr(x - y) - at.sqr(x)) + (y - at.sqr(x - y)),
    "the function twice": (x - arc) + arc,
    "its logarithm twice": x - at.log(u) + 2 * at.log(u),
    "a multiple": at.arcsin(half) + half - at.arcsin(half) * 2,
    "a number taken away again": ratio / (1 - ratio - at.alloc(1.0, 20)),
    "less its own reciprocal": (square - 1) * (square - 1 / square),
    "less its own logarithm": 0.25 - at.tan(x + math.pi / 4) + at.log(at.tan(x + math.pi / 4)),
    "the root of a square": at.sqrt(square - 0.0) + x - at.sqrt(square),
    "the same beside it": (tangent * x - sheared) / (sheared - tangent),
    "a negation beside its like": (y - negated) / (at.sqrt(square + y) + negated) * negated,
    "a one among others": (s * ONES - ONES) / 1.0 / at.log(s * ONES),
    "either way round": (1 - at.sqrt(step)) / (at.sqrt(step) - 1),
}


def stays_right(name: str, mode: str) -> None:
    formula = COMPENSATED[name]
    best = optimize_graph(formula, include=[mode], exclude=["inplace"], clone=True)
    measured = errors(Composition(name, formula, {x: (20,), y: (20,)}), best, 1, 12, 300)
    assert measured is not None
    assert measured.mine < measured.naive + (0.1 if measured.naive < 3 else 1), measured
    assert not measured.worse(), measured


@pytest.mark.parametrize("name", COMPENSATED)
def test_what_is_right_by_cancelling_roundings_stays_right(name: str) -> None:
    stays_right(name, "stabilization")


@pytest.mark.parametrize("name", sampled(COMPENSATED, 6, "compensated"))
def test_it_stays_right_in_the_default_mode(name: str) -> None:
    stays_right(name, "fast_run")


@pytest.mark.parametrize("rounded", (lambda d: d + 1 - 1, lambda d: 1 - d - 1))
def test_a_difference_that_has_its_own_rounding_is_left_alone(
    rounded: Callable[[Any], Any],
) -> None:
    """Its error is in the numerator and in the denominator."""
    difference = x - at.sqrt(square + y)
    formula = difference / rounded(difference)
    assert "switch" not in algebra(optimize_graph(formula, include=["stabilization"]))
    assert "switch" in algebra(optimize_graph(difference, include=["stabilization"]))


LEFT: dict[str, tuple[Any, Callable[[str], bool]]] = {
    # the other reader does not enlarge the error, or there are laws about both
    "root": (at.log(u) + at.sqrt(u), lambda text: "log1p(x)" in text),
    "product": (at.log(u) * (u * y), lambda text: "log1p(x)" in text),
    "other difference": ((1 - at.cos(x)) / (y - at.cos(x)), lambda text: "cosm1" in text),
    "a function of what it has": (
        (at.exp(x) - 1) * (at.exp(x) - x),
        lambda text: text == "expm1(x) * (exp(x) - x)",
    ),
    "a difference from its logarithm": (
        at.log(u) * (1 - at.log(u)),
        lambda text: text == "log1p(x) * (1.0 - log1p(x))",
    ),
    "the same, added": (
        (at.sqrt(1 + x) - at.sqrt(x)) / (at.sqrt(1 + x) + at.sqrt(x)),
        lambda text: "sqrt(1.0 + x) - sqrt(x)" not in text,
    ),
    "exponential": ((at.exp(x) - 1) / at.log(at.exp(x)), lambda text: text == "expm1(x) / x"),
    "both": (
        at.log(square) / (1 - square),
        lambda text: text == "2.0 * log(abs(x)) / sqr_less_sqr(1.0, x)",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_cancels_nothing_is_stabilized(name: str) -> None:
    formula, is_right = LEFT[name]
    text = algebra(optimize_graph(formula, include=["stabilization"], clone=True))
    assert is_right(text), text


def test_readers_are_not_asked_where_there_are_laws_about_both() -> None:
    book = discover_laws()
    assert book["log-exp"].forward.collapses
    # of exp2 there is no law about the difference from 1
    assert not book["log2-exp2"].forward.collapses

"""Laws for accuracy find squares, and fractions of pi, however they are written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.notation import algebra
from tests.relations.applied import x, y

PI = at.constant(math.pi)

OF_SQUARES: list[Callable[[Any], Any]] = [
    lambda square: square(x) - 1,
    lambda square: square(x + y) - square(x),
    lambda square: at.sqrt(square(x) + square(y)),
    lambda square: at.sqrt(square(x) + y) - x,
    lambda square: at.sqrt(1 + square(x)) - 1,
    lambda square: at.log1p(square(x)),
    lambda square: at.log(x + at.sqrt(1 + square(x))),
    lambda square: at.log(square(x)),
    lambda square: at.cosm1(x) / square(x),
    lambda square: at.sqrt(at.sum(square(x))),
    lambda square: at.mean(square(x)) - square(at.mean(x)),
    lambda square: at.exp(x) / square(1 + at.exp(x)),
    lambda square: 1 - square(at.sin(x)),
]

OF_TURNS: list[Callable[[Any], Any]] = [
    lambda part: at.arctan(x) - part(4),
    lambda part: part(2) - at.arccos(x),
    lambda part: at.log(at.tan(part(4) + x)),
]


def stabilized(graph: Any) -> str:
    return algebra(optimize_graph(graph, include=["stabilization"], clone=True), 1000)


@pytest.mark.parametrize("square", [lambda v: v * v, lambda v: v**2])
@pytest.mark.parametrize("formula", OF_SQUARES)
def test_squares(formula: Callable[[Any], Any], square: Callable[[Any], Any]) -> None:
    assert stabilized(formula(square)) == stabilized(formula(at.sqr)) != algebra(formula(at.sqr))


@pytest.mark.parametrize("formula", OF_TURNS)
def test_fractions_of_pi(formula: Callable[[Any], Any]) -> None:
    written, number = formula(lambda n: PI / n), formula(lambda n: at.constant(math.pi / n))
    assert stabilized(written) == stabilized(number) != algebra(number)


def test_what_nothing_is_computed_of_stays_as_it_is() -> None:
    assert stabilized(x**2) == "x ** 2.0"
    assert stabilized(x * x) == "x * x"

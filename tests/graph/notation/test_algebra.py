"""Graphs as algebra: parentheses where they are needed, and no more than a line."""

from typing import Any

import pytest

import relgraph.tensor as at
from relgraph import lvars
from relgraph.graph.notation import algebra

x, y, c, X = at.dvector("x"), at.dvector("y"), at.dscalar("c"), at.dmatrix("X")


@pytest.mark.parametrize(
    ("var", "text"),
    [
        (x, "x"),
        (at.constant(2.0), "2.0"),
        (at.constant([1.0, 2.0]), "[1. 2.]"),
        (x - (y - c), "x - (y - c)"),
        ((x - y) - c, "x - y - c"),
        (x * (y + 1), "x * (y + 1.0)"),
        (-(x**2), "-(x ** 2.0)"),
        ((-x) ** 2, "(-x) ** 2.0"),
        (x - -y, "x - -y"),
        (at.neg(-x), "--x"),
        (x + c, "x + c"),
        (X.T @ x, "X.T @ x"),
        ((-X).T, "(-X).T"),
        (X.dimshuffle("x", 1, 0), "X.dimshuffle('x', 1, 0)"),
        (at.sum(X, axis=0), "sum(X, axis=(0,))"),
        (at.exp(-x), "exp(-x)"),
    ],
)
def test_how_it_is_written(var: Any, text: str) -> None:
    assert algebra(var) == text


def test_names_of_what_is_computed_are_seen_through() -> None:
    p = at.exp(x)
    p.name = "p"
    assert algebra(at.log(p)) == "log(exp(x))"


def test_what_does_not_fit_is_left_out_from_the_bottom() -> None:
    deep = x
    for _ in range(10_000):
        deep = at.exp(deep)
    assert algebra(deep, limit=20) == "exp(exp(exp(…)))"
    twice = x
    for _ in range(200):
        twice = twice * twice + y
    assert len(algebra(twice)) <= 72
    assert algebra(at.add(*[at.dvector(f"v{i}") for i in range(500)])).endswith("v6 + …")


def test_what_is_written_is_read_as_it_was_in_python() -> None:
    """Comparisons are weaker than `&` there, and a sign than a power."""
    names = dict(zip("abc", lvars("a b c"), strict=True))
    a, b, c = names.values()
    written = (
        *((a < b) & (b > c), (a | b) & c, a | b & c, (a & b) < c, a ^ b | c),
        *((a**b) ** c, a ** (b**c), (-a) ** b, -(a**b), a**-b, (-2) ** a, -(a - b), a - -b),
        *(a - (b - c), a - (b + c), a / (b * c), a * -b, -(a * b), -a * b, (a @ b) @ c, a // b % c),
    )
    for term in written:
        read = eval(str(term), {}, names)
        assert read.etuple == term.etuple, str(term)

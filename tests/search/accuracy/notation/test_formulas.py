"""Formulas are read from text, and what is none is named."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.search.accuracy.expressions import NotSupported, from_graph, written
from relgraph.search.accuracy.notation.formulas import FormulaError, parsed
from relgraph.search.accuracy.notation.fpcore import from_fpcore


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x + 1) - sqrt(x)",
        "-x**2 * (y - (z - 1)) / 2",
        "(-x)**2 + x**-y",
        "x / (y / z) - x / y / z",
        "where(x < 1, exp(x), log(x))",
        "hypot(x, y) + arctan2(y, x)",
        "x**y**z + (x**y)**z",
        "0.1 + 1e-20 * x",
    ],
)
def test_what_is_written_is_read_again(text: str) -> None:
    assert parsed(written(parsed(text))) is parsed(text)


def test_numbers_are_the_decimals_that_are_written() -> None:
    assert parsed("0.1").value * 10 == 1
    assert parsed("1_000.5").value * 2 == 2001
    assert parsed("pi").value == "pi"


def test_names_of_math_and_numpy() -> None:
    assert parsed("np.arcsin(x) + math.asin(x)") is parsed("asin(x) + arcsin(x)")
    assert parsed("x ** 2 if x > 1 and not y < 2 else y") is parsed(
        "where((x > 1) & ~(y < 2), x**2, y)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo(x)", "no function 'foo'"),
        ("x +", "no formula"),
        ("[x]", "neither arithmetic"),
        ("x.y", "neither arithmetic"),
        ("'x'", "no number"),
        ("1j * x", "no number"),
        ("sqrt(x, y)", "takes 1 argument"),
        ("__import__('os').system('true')", "no function"),
        ("x // 2", "operator that is not known"),
        ("lambda: 1", "neither arithmetic"),
        ("", "no formula"),
        ("where(x > 1 & y < 2, x, y)", "brackets"),
    ],
)
def test_what_is_no_formula(text: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        parsed(text)


def test_fpcore() -> None:
    (one,) = from_fpcore(
        '(FPCore name (x y) :name "a name" :pre (and (< 0 x 1) (!= y 0)) '
        "(let* ((a (+ x 1/3)) (b (- a))) (if (< x y) (* a b y) (fabs (pow x 2)))))"
    )
    assert one.name == "a name" and one.inputs == ("x", "y")
    assert one.domain is parsed("(0 < x and x < 1) and y != 0")
    assert written(one.expr) == (
        "where(x < y, (x + 0.3333333333333333) * -(x + 0.3333333333333333) * y, abs(x**2))"
    )


@pytest.mark.parametrize(
    "text", ["(FPCore (x) (while 1 () x))", "(FPCore (x) z)", "(FPCore (x", "(+ 1 2)"]
)
def test_what_is_no_fpcore(text: str) -> None:
    with pytest.raises(NotSupported):
        from_fpcore(text)


def test_graphs() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    graph = at.switch(at.lt(x, 0.1), at.sqrt(x * y * 2), np.pi - x)
    assert from_graph(graph, [x, y], ["x", "y"]) is parsed(
        "where(x < 0.1, sqrt(x * y * 2), pi - x)"
    )
    with pytest.raises(NotSupported, match="sum is not"):
        from_graph(at.sum(x), [x], ["x"])
    with pytest.raises(NotSupported, match="y is not among"):
        from_graph(x + y, [x], ["x"])

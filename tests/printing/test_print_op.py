"""Printing while a graph runs."""

import pytest

from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from relgraph.printing import Print
from relgraph.scalar import float64


def test_prints_and_passes_on(capsys: pytest.CaptureFixture[str]) -> None:
    x = float64("x")
    assert evaluate([Print("here:")(x) * 2], {x: 3.0}) == [6.0]
    assert capsys.readouterr().out == "here: 3.0\n"


def test_is_one_op_and_a_view() -> None:
    assert Print("a") is Print("a")
    assert Print("a") is not Print("b")
    assert Print("a").view_map == {0: [0]}
    with pytest.raises(TypeError, match="takes one input, not 2"):
        Print()(float64("x"), float64("y"))


def test_has_a_gradient() -> None:
    x = float64("x")
    g = grad(Print("a")(x) * x, x)
    assert evaluate([g], {x: 3.0}) == [6.0]

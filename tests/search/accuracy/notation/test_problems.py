"""What is asked is read as it is meant, or refused before any search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.search.accuracy import FormulaError, NotSupported, from_fpcore, improve, problem_of
from relgraph.search.accuracy.expressions import inputs_of
from relgraph.search.accuracy.formulas import parsed

DECLARED = {
    "by a list of names": {"inputs": ["x", "e"]},
    "by variables": {"inputs": [at.dvector("x"), at.dvector("e")]},
    "by a domain": {"domain": "x > 0 and 0 < e < 1"},
    "by the magnitude in a domain": {"domain": "abs(e) < 1"},
    "by bounds": {"domain": {"e": (0, 1)}},
    "by points": {"others": ["x", "e"]},
}


@pytest.mark.parametrize("how", DECLARED)
def test_an_input_called_e_is_one_where_it_is_declared(how: str) -> None:
    problem = problem_of("sqrt(x + e) - sqrt(x)", **DECLARED[how])
    assert sorted(problem.names) == ["e", "x"] == sorted(inputs_of(problem.expr))
    if problem.domain is not None:
        assert "e" in inputs_of(problem.domain)


def test_variables_of_a_text_are_those_that_were_given() -> None:
    e = at.fmatrix("e")
    problem = problem_of("exp(e) - 1", [e])
    assert problem.variables == (e,) and problem.dtype == "float32"


def test_an_input_of_a_graph_is_meant_by_its_name_in_a_domain() -> None:
    e = at.dvector("e")
    problem = problem_of(at.exp(e) - np.e, [e], "0 < e < 1 and e < math.e")
    assert problem.domain is parsed("0 < e < 1 and e < math.e", ["e"])
    assert problem.expr is parsed("exp(e) - math.e", ["e"])
    (core,) = from_fpcore("(FPCore (PI) :pre (< 0 PI) (- PI 1))")
    assert problem_of(core, domain="PI > pi").domain is parsed("PI > pi", ["PI"])


def test_points_declare_inputs_and_the_report_says_what_a_word_means() -> None:
    points = {"e": np.linspace(1e8, 2e8, 12), "x": np.full(12, 0.5)}
    found = improve("sqrt(e + x) - sqrt(e) + pi", points=points, seconds=0.5)
    assert set(found.points.inputs["e"]) <= set(points["e"])
    assert "pi is the number 3.14159; e is an input, no number" in " ".join(str(found).split())
    assert "is the number" not in str(improve("x + 1", samples=8, seconds=0.5))


REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "e alone": ("x - e", {}, FormulaError, "e may be a number or an input"),
    "e in a domain": ("x - 1", {"domain": "x < e"}, FormulaError, "e may be a number"),
    "another input": ("x - y", {"inputs": ["x"]}, FormulaError, "has y, which is no input"),
    "a name twice": ("x", {"inputs": ["x", "x"]}, FormulaError, "have a name twice"),
    "a text of inputs": ("x", {"inputs": "x"}, TypeError, "a list of names or variables"),
    "no name": ("x", {"inputs": [3]}, TypeError, "neither a name nor a named variable"),
    "a name of a graph's": (at.dvector("x") + 1, {"inputs": ["x"]}, TypeError, "are variables"),
    "bounds": ("x", {"domain": {"x": 1}}, FormulaError, "the bounds of x are two numbers, not 1"),
    "one too many": ("x", {"domain": {"x": (1, 2, 3)}}, FormulaError, "bounds of x are two"),
    "no variable": ("x", {"domain": {3: (1, 2)}}, NotSupported, "has 3, which is no input"),
    "a condition": (at.lt(at.dvector("x"), 1), {"dtype": "float64"}, FormulaError, "no error"),
    "a number": ("x", {"domain": at.dvector("x") + 1}, NotSupported, "not among the inputs"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_asked_wrongly_is_refused(what: str) -> None:
    output, options, kind, message = REFUSED[what]
    with pytest.raises(kind, match=message):
        problem_of(output, **options)


def test_no_search_begins_where_one_of_several_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: Any) -> None:
        raise AssertionError("a search began")

    monkeypatch.setattr("relgraph.search.accuracy.improving.search_forms", searched)
    with pytest.raises(FormulaError, match="power"):
        improve(["x + 1", "x^2"])
    with pytest.raises(NotSupported, match="y, which is no input"):
        improve(["x + y", "x + 1"], domain="y > 0")

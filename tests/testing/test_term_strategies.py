"""Random terms and laws."""

from typing import Any

import pytest
from hypothesis import given, settings

import relgraph.tensor as at
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Law, build
from relgraph.graph.kanren.terms import Term, renamed, variables_of
from relgraph.testing import laws, terms


@given(terms("a b", [at.add, at.exp], max_depth=2))
def test_terms_are_of_what_was_asked_for(term: Term) -> None:
    assert {str(v) for v in variables_of(term)} <= {"a", "b"}
    nested = [part for part in term.args if isinstance(part, Term)]
    assert {term.op, *(part.op for part in nested)} <= {at.add, at.exp}
    assert not [p for part in nested for p in part.args if isinstance(p, Term)]


@given(laws())
@settings(max_examples=30)
def test_a_law_matches_its_own_left_side(law: Law) -> None:
    leaves = {v: at.dvector(str(v)) for v in variables_of(law.lhs)}
    graph = FunctionGraph(outputs=[build(renamed(law.lhs, leaves))], clone=False)
    explanation = law.explain(graph.outputs[0])
    assert explanation.matches or explanation.reason.name in {"SAME", "BROADCAST"}, explanation


def drawn(strategy: Any) -> list[Any]:
    found: list[Any] = []

    @settings(max_examples=200)
    @given(strategy)
    def draw(value: Any) -> None:
        found.append(value)

    draw()
    return found


def test_they_are_varied() -> None:
    found = drawn(terms("x"))
    texts = {str(term) for term in found}
    assert len(texts) > 50 and any("exp(" in t for t in texts) and any("2" in t for t in texts)
    assert {len(term.args) for term in found} == {1, 2}
    made = drawn(laws(sound="finite"))
    assert {len(variables_of(law.lhs)) for law in made} >= {1, 2, 3}
    assert any(law.rhs in variables_of(law.lhs) for law in made)
    assert {law.sound for law in made} == {"finite"}
    assert all(set(variables_of(law.rhs)) <= set(variables_of(law.lhs)) for law in made)


def test_what_makes_no_term_is_refused() -> None:
    with pytest.raises(TypeError, match="elementwise ops, not <function sum"):
        terms(ops=[at.sum])
    with pytest.raises(ValueError, match="wants names"):
        terms("")
    with pytest.raises(ValueError, match="needs an op"):
        terms(ops=[])
    with pytest.raises(ValueError, match="a depth of at least 1"):
        terms(max_depth=0)

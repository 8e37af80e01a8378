"""A law about a difference is one about the difference the other way round, too."""

from __future__ import annotations

import pytest

import relations
import relgraph.tensor as at
from relations.phases import _text
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms import Term
from relgraph.graph.notation import algebra
from tests.relations.applied import MIRRORED, applied, turned, x
from tests.relations.test_reach import EXAMPLES

STABLE = [law for law in relations.STABILIZE if isinstance(law, Law) and law.sound == "stable"]
LAWS = {law.name: law for law in STABLE}


def test_every_difference_is_known_both_ways() -> None:
    differences = [law for law in STABLE if isinstance(law.lhs, Term) and law.lhs.op is at.sub]
    known = {_text(law.lhs) for law in differences}
    assert len(differences) > 100
    assert all(_text(at.sub(*reversed(law.lhs.args))) in known for law in differences)


@pytest.mark.parametrize("name", MIRRORED)
def test_its_result_is_the_negative(name: str) -> None:
    law = LAWS[name.removesuffix("-mirrored")]
    examples = [one for one in EXAMPLES[law.name] if turned([one])]
    assert examples
    for one in examples:
        (other,) = turned([one])
        expected = algebra(applied(law, one), 2000)
        assert algebra(applied(MIRRORED[name], other), 2000) in (f"-{expected}", f"-({expected})")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (1 - at.sqrt(1 + at.sqr(x)), "-hypot1m1(x)"),
        (1 - at.cosh(x), "-(2.0 * sqr(sinh(x / 2.0)))"),
        (at.tanh(x) - 1, "-(2.0 * sigmoid(-(2.0 * x)))"),
        (at.exp(-x) - at.exp(x), "-(2.0 * sinh(x))"),
    ],
)
def test_what_people_write(formula: at.TensorVariable, expected: str) -> None:
    assert algebra(optimize_graph(formula, include=["stabilization"], clone=True)) == expected

"""A law about a difference is one about the difference the other way round, too."""

from __future__ import annotations

import pytest

import relations
from relations.phases import _is_difference, _text, _turned
from relgraph.graph.kanren.laws import Law
from relgraph.graph.notation import algebra
from tests.relations.applied import TURNED, applied, turned
from tests.relations.test_reach import EXAMPLES, PIPELINES, fires

DIFFERENCES = [one for one in relations.STABILIZE if isinstance(one, Law) and _is_difference(one)]
KNOWN = {_text(law.lhs) for law in DIFFERENCES}
ONE_WAY_ROUND = {law.name: law for law in DIFFERENCES if _text(_turned(law.lhs)) not in KNOWN}


def other_way_round(law: Law) -> Law:
    """Return the law by which what `law` is about is known the other way round."""
    return TURNED["difference-turned-late" if law.late else "difference-turned"]


def test_most_differences_stand_in_the_book_one_way_round() -> None:
    assert len(ONE_WAY_ROUND) > 70
    assert set(TURNED) == {other_way_round(law).name for law in ONE_WAY_ROUND.values()}


@pytest.mark.parametrize("name", sorted(set(ONE_WAY_ROUND) - set(TURNED)))
def test_its_result_is_the_negative(name: str) -> None:
    law = ONE_WAY_ROUND[name]
    examples = [one for one in EXAMPLES[name] if turned([one])]
    assert examples
    for one in examples:
        (other,) = turned([one])
        expected = algebra(applied(law, one), 2000)
        found = algebra(applied(other_way_round(law), other), 2000)
        assert found in (f"-{expected}", f"-({expected})")


@pytest.mark.parametrize("name", sorted(set(ONE_WAY_ROUND) - set(TURNED)))
def test_it_fires_amid_the_others(name: str) -> None:
    turned_law = other_way_round(ONE_WAY_ROUND[name]).name
    examples = turned(EXAMPLES[name])
    assert any(fires(turned_law, examples, pipeline) for pipeline in PIPELINES.values())

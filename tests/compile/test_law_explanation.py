"""What phases make of a law's left side is said where people ask: by `explain` and by a check."""

from __future__ import annotations

import pytest

import relations
import relgraph.tensor as at
from relgraph import explain, law, lvars, optimize_graph
from relgraph.compile import register_canonicalize
from relgraph.compile.law_explanation import notes_on_phases
from relgraph.graph.kanren import relation, whereo

a, b = lvars("a b")
x = at.dvector("x")

PYTHAGORAS = law("pythagoras", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="finite")
IN_ITS_FORM = "canonicalize writes its left side as sqr(sin(a)) + sqr(cos(a)): only that form"


def test_explain_says_how_a_phase_has_written_it() -> None:
    written = at.sin(x) ** 2 + at.cos(x) ** 2
    canonical = optimize_graph(written, clone=True)
    why = explain(PYTHAGORAS, canonical)
    assert not why.matches
    assert why.text.startswith("pythagoras does not match sqr(sin(x)) + sqr(cos(x))")
    assert IN_ITS_FORM in why.notes[0]
    assert "register_canonicalize" in why.notes[0] and why.notes[0] in str(why)
    # what matches needs no more words, and the other direction has another left side
    assert explain(PYTHAGORAS, written).notes == ()
    assert explain(PYTHAGORAS, canonical, "backward").notes == ()


def test_a_check_says_it_too() -> None:
    result = PYTHAGORAS.check(examples=40)
    assert result.passed
    assert IN_ITS_FORM in result.remarks[0]
    assert IN_ITS_FORM in str(result)


@pytest.mark.parametrize(
    ("written", "phase", "form"),
    [
        (law("t", at.log(at.softmax(a, axis=0)), a), "stabilize", "log_softmax{axis=0}(a)"),
        (law("t", at.sum(a * a, axis=-1), at.exp(a)), "canonicalize", "sum{axis=(-1,)}(sqr(a))"),
        (law("t", a + b - b + 1, a * b), "canonicalize", "a + 1"),
        (
            law("t", at.flip(at.sort(a), axis=-1)[..., 0], at.max(a, axis=-1)),
            "canonicalize",
            "subtensor{:, :, -1}(sort{axis=-1}(a))",
        ),
    ],
)
def test_the_phase_is_named(written: object, phase: str, form: str) -> None:
    (note, *_) = notes_on_phases(written)
    assert note.startswith(f"{phase} writes its left side")
    assert f" as {form}: " in note
    assert ("of tensors of rank 3" in note) is (":, :" in form)


def test_what_is_gone_never_matches() -> None:
    (note, *_) = notes_on_phases(law("t", a + b - b + 1, a * b, sound="finite"))
    assert note.endswith("the law never matches after it")


def test_nothing_is_said_where_nothing_is_to_be_said() -> None:
    @relation("t")
    def open_goal(in_lv: object, out_lv: object) -> object:
        return whereo(bool, in_lv)

    for written in (
        law("t", at.exp(at.sin(a)) + 1, a, sound="domain"),
        law("t", at.softmax(a + 1), at.softmax(a), sound="finite"),
        open_goal,
        *relations.CANONICALIZE[:50],
        *relations.STABILIZE[:50],
    ):
        assert notes_on_phases(written) == []


def test_a_registered_law_is_tried_in_all_its_forms() -> None:
    written = law("test-law-explanation", a * a + 7 * b, b, tags=("unsafe",), sound="domain")
    assert len(notes_on_phases(written)) == 1
    register_canonicalize(written, "test-law-explanation-tag")
    assert notes_on_phases(written) == []

"""Which laws a search uses, in which directions, and what it says of them."""

import pytest

import relations
import relgraph.tensor as at
from relations.identities import SHARED
from relations.kit.type_guards import is_float
from relgraph import law, lvars, relation
from relgraph.graph.kanren import whereo
from relgraph.graph.kanren.laws import Law
from relgraph.search import book, report
from relgraph.search.laws import EITHER_WAY, directions

x, y = lvars("x y")


def labels(*laws: object, **options: object) -> list[str]:
    return [d.reason.label for d in directions(laws, **options)]


def test_a_class_that_claims_one_direction_is_used_in_one() -> None:
    for sound, count in (("exact", 2), ("rounding", 2), ("finite", 2), ("stable", 1)):
        assert len(labels(law("l", at.exp(x) + y, at.sin(x) - y, sound=sound))) == count
    unsafe = law("l", at.exp(x) + y, at.sin(x) - y, sound="domain")
    assert labels(unsafe) == []
    assert labels(unsafe, sound=["domain"]) == ["l"]


def test_a_direction_can_be_named() -> None:
    both = law("l", at.exp(x) + y, at.sin(x) - y)
    assert labels(both) == ["l", "l (backward)"]
    assert labels(both.forward) == ["l"]
    assert labels(both.backward) == ["l (backward)"]


def test_a_direction_that_leaves_a_variable_open_is_none() -> None:
    lost = law("lost", x - x, 0, sound="finite")
    assert labels(lost) == ["lost"]
    (_, backward) = report([lost])
    assert backward.status == "left out" and "backward" in backward.why


def test_what_becomes_of_a_law() -> None:
    plain = law("plain", at.exp(x) + y, at.sin(x) - y, sound="stable")
    guarded = law("guarded", at.exp(x), at.sin(x), whereo(is_float, x), sound="stable")

    @relation("python", sound="exact")
    def pythono(before: object, after: object) -> object:
        """It looks at the state."""
        return lambda s: iter(())

    found = {(e.law, e.direction): e for e in report([plain, guarded, pythono])}
    assert found["plain", "forward"].status == "translated"
    assert found["guarded", "forward"].status == "asked"
    assert "is_float" in found["guarded", "forward"].why
    assert found["python", "forward"].status == "asked"
    assert found["plain", "backward"].status == "left out"


def test_four_fifths_of_the_book_are_translated_or_asked() -> None:
    phases = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE, relations.BLAS)
    every = dict.fromkeys(item for phase in phases for item in phase)
    equations = [item for item in every if isinstance(item, Law)]
    assert len(equations) > 800
    shares = report(equations).shares
    assert shares["translated"] + shares["asked"] >= 0.8
    assert report(equations).shares["translated"] > 0.4


def test_the_book_of_a_search_is_the_book_and_more() -> None:
    names = {getattr(item, "name", "").removesuffix(" (backward)") for item in book()}
    assert {item.name for item in SHARED} | {item.name for item in relations.STABILIZE} <= names
    assert names >= EITHER_WAY


def test_laws_are_laws() -> None:
    with pytest.raises(TypeError, match="'foo'"):
        directions(["foo"])

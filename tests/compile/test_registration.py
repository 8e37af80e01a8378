"""Adding to the phases of the database again, as a notebook's cell does, and taking it out."""

from collections.abc import Iterator
from typing import Any

import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.compile import (
    Mode,
    function,
    get_mode,
    optdb,
    optimize_graph,
    predefined_modes,
    predefined_optimizers,
    register_mode,
    register_optimizer,
    register_specialize,
    registration,
    unregister,
)
from relgraph.graph.opt import LocalOptGroup
from relgraph.graph.optdb import EquilibriumDB, SequenceDB

X = at.dvector("x")
a, b = lvars("a b")

CELL = """
import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.compile import register_canonicalize
a, b = lvars("a b")
register_canonicalize(law("cell-law", {left}, {right}, sound="finite"))
"""


def run_cell(left: str, right: str, file: str | None = None) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    if file is not None:
        names["__file__"] = file
    exec(compile(CELL.format(left=left, right=right), file or "<cell 1>", "exec"), names)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    for name in {name for _, name in registration._registered}:
        unregister(name)


def names_of(phase: str) -> list[str]:
    return list(optdb[phase])


def test_a_cell_that_is_run_again_replaces_what_it_registered() -> None:
    before = names_of("canonicalize")
    run_cell("at.sinh(a)", "at.cosh(a)")
    assert optimize_graph(at.sinh(X)).owner.op is at.cosh
    run_cell("at.sinh(a)", "at.tanh(a)")
    assert optimize_graph(at.sinh(X)).owner.op is at.tanh
    assert function([X], at.sinh(X)).maker.fgraph.outputs[0].owner.op is at.tanh
    assert names_of("canonicalize") == [*before, "cell-law"]


def test_the_form_of_a_law_that_is_replaced_goes_with_it() -> None:
    run_cell("at.sin(a) ** 2 + b", "b")
    assert "cell-law in canonicalize" in optdb["canonicalize"]
    assert optimize_graph(at.sin(X) ** 2 + X) is X
    run_cell("at.sinh(a)", "at.cosh(a)")
    assert "cell-law in canonicalize" not in optdb["canonicalize"]
    assert optimize_graph(at.sin(X) ** 2 + X) is not X
    run_cell("at.sin(a) ** 2 + b", "b")
    run_cell("at.sin(a) ** 2 + b", "b")
    assert optimize_graph(at.sin(X) ** 2 + X) is X


def test_in_a_file_a_name_is_taken() -> None:
    run_cell("at.sinh(a)", "at.cosh(a)", "laws.py")
    with pytest.raises(ValueError, match=r"already, registered at laws\.py:6"):
        run_cell("at.sinh(a)", "at.tanh(a)", "laws.py")
    with pytest.raises(ValueError, match="cell-law"):
        run_cell("at.sinh(a)", "at.tanh(a)")


def test_a_law_of_the_book_is_not_replaced() -> None:
    cell = CELL.replace("cell-law", "mul-one").format(left="at.sinh(a)", right="at.cosh(a)")
    with pytest.raises(ValueError, match="'mul-one' is in the database canonicalize already"):
        exec(compile(cell, "<cell 1>", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize(
    ("kind", "known"), [("mode", predefined_modes), ("optimizer", predefined_optimizers)]
)
def test_names_of_modes_are_replaced_too(kind: str, known: Any) -> None:
    cell = f"from relgraph.compile import *\nregister_{kind}('of-cell', VALUE)"
    try:
        for value in (predefined_modes["o1"], predefined_modes["o2"]):
            given = value if kind == "mode" else value.query
            exec(compile(cell, "<cell>", "exec"), {"__name__": "__main__", "VALUE": given})
            assert known["of-cell"] is given
            mode = get_mode("of-cell") if kind == "mode" else Mode(optimizer="of-cell")
            assert mode.query == value.query
        with pytest.raises(ValueError, match=f"there is an? {kind} called 'of-cell' already"):
            (register_mode if kind == "mode" else register_optimizer)("of-cell", given)
        with pytest.raises(ValueError, match="called 'o1' already"):
            named = cell.replace("of-cell", "o1")
            exec(compile(named, "<cell>", "exec"), {"__name__": "__main__", "VALUE": given})
    finally:
        known.pop("of-cell", None)


def test_unregistering() -> None:
    before = names_of("specialize")
    own = law("test-own", at.sinh(a) ** 2, a, sound="finite")
    for given in (own, "test-own"):
        register_specialize(own)
        assert optimize_graph(at.sinh(X) ** 2, include=("canonicalize", "specialize")) is X
        unregister(given)
        assert names_of("specialize") == before
        assert optimize_graph(at.sinh(X) ** 2, include=("canonicalize", "specialize")) is not X
    with pytest.raises(KeyError, match="nothing called 'test-own'"):
        unregister(own)
    with pytest.raises(KeyError, match="nothing called 'mul-one'"):
        unregister("mul-one")


def test_databases_forget() -> None:
    db = EquilibriumDB(name="db")
    db.register("inner", SequenceDB())
    db.register("law", law("law", at.sinh(a), a, sound="finite"), "tag")
    revision = db.revision
    assert len(db.query("+tag").local_optimizers) == 1
    db.unregister("law")
    db.unregister("inner")
    assert not db.nested and db.revision > revision and list(db) == []
    assert db.query("+tag").local_optimizers == ()
    db.register("tag", LocalOptGroup())
    with pytest.raises(KeyError, match="'law' is not in the database db"):
        db.unregister("law")

"""The database: its order, its tags, and adding to it."""

from collections.abc import Iterator

import pytest

import relgraph.tensor as at
from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relgraph.compile import (
    function,
    optdb,
    optimize_graph,
    register_canonicalize,
    register_specialize,
    register_stabilize,
)
from relgraph.graph.opt import LocalOptimizer, OpSub, PatternSub, local_optimizer
from relgraph.graph.optdb import OptimizationQuery
from relgraph.tensor.terms import law, lvars


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    phases = [optdb[name] for name in ("canonicalize", "stabilize", "specialize")]
    before = [dict(db._entries) for db in phases]
    yield
    for db, entries in zip(phases, before, strict=True):
        db._entries.clear()
        db._entries.update(entries)


def test_documented_order() -> None:
    names = [opt.name for opt in optdb.query(OptimizationQuery(include=["fast_run"]))]
    wanted = ["merge1", "canonicalize", "stabilize", "specialize", "merge2", "add_destroy_handler",
              "merge3"]  # fmt: skip
    assert [name for name in names if name in wanted] == wanted


def test_every_law_of_the_book_is_there() -> None:
    book = {"canonicalize": CANONICALIZE, "stabilize": STABILIZE, "specialize": SPECIALIZE}
    for phase, laws in book.items():
        assert {law.name for law in laws} <= set(optdb[phase])
        for one in laws:
            assert optdb[phase][one.name] is one


def test_soundness_is_a_tag() -> None:
    fast = optdb.query("+fast_run", "-finite")
    names = {local.name for opt in fast for local in getattr(opt, "local_optimizers", ())}
    assert "mul-div-cancel" not in names
    assert "neg-neg" in names


def test_without_inplace() -> None:
    query = OptimizationQuery(include=["fast_run"], exclude=["inplace"])
    assert "add_destroy_handler" not in [opt.name for opt in optdb.query(query)]


@pytest.mark.parametrize(
    ("register", "phase"),
    [
        (register_canonicalize, "canonicalize"),
        (register_stabilize, "stabilize"),
        (register_specialize, "specialize"),
    ],
)
def test_registration(register: object, phase: str) -> None:
    assert callable(register)
    x = at.dvector("x")
    x_lv, _ = lvars("x y")
    sinh_law = law("test-sinh", at.sinh(x_lv), at.cosh(x_lv), tags=("odd",))
    assert register(sinh_law, "mine") is sinh_law
    assert function([x], at.sinh(x)).maker.fgraph.outputs[0].owner.op is at.cosh
    for tag in ("test-sinh", "odd", "mine", phase, "exact"):
        assert optimize_graph(at.sinh(x), include=[tag], exclude=["stupid"]) is not None
    assert optdb[phase]["mine"] is sinh_law


def test_decorators() -> None:
    x = at.dvector("x")

    @register_canonicalize
    @local_optimizer([at.sinh])
    def test_to_cosh(fgraph: object, node: object) -> object:
        return [at.cosh(node.inputs[0])]  # type: ignore[attr-defined]

    assert isinstance(test_to_cosh, LocalOptimizer)
    assert optimize_graph(at.sinh(x)).owner.op is at.cosh  # type: ignore[union-attr]

    @register_specialize("mine", "unsafe", name="test_named")
    @local_optimizer([at.cosh])
    def other(fgraph: object, node: object) -> object:
        return [at.tanh(node.inputs[0])]  # type: ignore[attr-defined]

    assert optdb["specialize"]["test_named"] is other
    assert function([x], at.cosh(x)).maker.fgraph.outputs[0].owner.op is at.cosh
    assert function([x], at.cosh(x), "unsafe").maker.fgraph.outputs[0].owner.op is at.tanh


def test_wrong_registrations() -> None:
    with pytest.raises(TypeError, match="has no name"):
        register_canonicalize(PatternSub((at.sinh, "x"), (at.cosh, "x")).transform)
    register_canonicalize(OpSub(at.sinh, at.cosh), name="test_twice")
    with pytest.raises(ValueError, match="'test_twice' is in the database canonicalize already"):
        register_canonicalize(OpSub(at.sinh, at.cosh), name="test_twice")

"""Modes."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import (
    Mode,
    function,
    get_default_mode,
    get_mode,
    optdb,
    predefined_modes,
    predefined_optimizers,
    register_mode,
    register_optimizer,
)
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer, GlobalOptimizer, OpSub, SequenceOptimizer
from relgraph.graph.optdb import OptimizationQuery


def ops(f: Any) -> list[Any]:
    """Return the ops of a function; in place of a fused op those of which it consists."""
    found: list[Any] = []
    for node in f.maker.fgraph.toposort():
        inner = getattr(getattr(node.op, "scalar_op", None), "nodes", None)
        found += [node.op] if inner is None else [at.Elemwise(n.op) for n in inner]
    return found


def graph() -> tuple[Variable, Variable]:
    x = at.dvector("x")
    return x, at.exp(x * 1) + at.tanh(at.exp(x * 1))


def test_predefined_optimizers() -> None:
    x, e = graph()
    exps = {
        name: ops(function([x], e, name)).count(at.exp)
        for name in (None, "None", "merge", "fast_compile", "fast_run", "o1", "o4", "stabilize")
    }
    assert exps == {
        None: 1, "None": 2, "merge": 1, "fast_compile": 1, "fast_run": 1, "o1": 1, "o4": 1,
        "stabilize": 1,
    }  # fmt: skip
    assert at.mul in ops(function([x], e, "merge"))
    assert at.mul in ops(function([x], e, "o1"))
    assert at.mul not in ops(function([x], e, "o3"))
    assert set(predefined_optimizers) <= set(predefined_modes)
    assert get_mode("FAST_RUN") is get_mode("fast_run") is get_default_mode() is get_mode(None)


@pytest.mark.parametrize("name", sorted(set(predefined_modes) - {None}))
def test_every_predefined_mode_computes(name: str) -> None:
    x, e = graph()
    np.testing.assert_allclose(
        function([x], e, name)([0.0, 1.0]), [1 + np.tanh(1), np.e + np.tanh(np.e)]
    )


def test_constants_are_folded_in_fast_compile() -> None:
    x = at.dvector("x")
    e = x * at.exp(at.constant([1.0, 2.0]) + 1)
    assert ops(function([x], e, "fast_compile")) == [at.mul]
    assert len(ops(function([x], e, Mode(optimizer=None)))) > 2


def test_queries_are_refined() -> None:
    x, e = graph()
    mode = get_mode("fast_run")
    assert (
        ops(function([x], e, mode.excluding("canonicalize", "stabilize", "specialize"))).count(
            at.mul
        )
        == 1
    )
    assert at.mul in ops(function([x], e, mode.excluding("mul-one")))
    assert at.mul not in ops(function([x], e, mode.requiring("fast_run")))
    assert at.mul not in ops(function([x], e, Mode(optimizer=None).including("canonicalize")))
    assert at.mul in ops(function([x], e, get_mode("merge")))
    assert at.mul not in ops(function([x], e, Mode(optimizer=None).including("mul-one")))
    assert at.mul not in ops(function([x], e, get_mode("merge").including("mul_specialize")))


def test_classes_of_laws_are_included_and_excluded() -> None:
    x = at.dvector("x")
    cases = {
        "exact": (x * 1, at.mul),
        "rounding": (x + 0.0, at.add),
        "stable": (at.log(1 + x), at.log),
        "finite": (x * 0, at.mul),
        "domain": (at.log(x * at.exp(x)) + at.log(x * at.sin(x)), at.mul),
    }
    for name, (e, op) in cases.items():
        none = Mode(optimizer=None)
        assert op in ops(function([x], e, none))
        assert op not in ops(function([x], e, none.including(name)))
        assert op in ops(function([x], e, none.including(name).excluding(name)))
        in_fast_run = op not in ops(function([x], e, "o3"))
        assert in_fast_run is (name != "domain")
        assert op in ops(function([x], e, get_mode("o3").excluding(name)))


def test_what_is_finite_alone_has_to_be_asked_for_unless_the_table_does() -> None:
    x = at.dvector("x")
    e = at.exp(at.log(x))
    assert ops(function([x], e, "o3")) == [at.log, at.exp]
    assert ops(function([x], e, get_mode("o3").including("finite"))).count(at.log) == 0
    assert ops(function([x], e, get_mode("o3").including("exp-log"))).count(at.log) == 0


def test_what_is_unsafe_is_in_no_phase() -> None:
    x = at.dvector("x")
    e = at.log(x * at.sin(x))
    for tag in ("canonicalize", "stabilize", "specialize"):
        assert at.mul in ops(function([x], e, Mode(optimizer=None).including(tag)))
    assert at.mul not in ops(function([x], e, "unsafe"))


EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e308, 5e-324, np.inf, -np.inf, np.nan])
INTEGERS = np.array([0, 1, -1, 7, -7, 127, -128], dtype="int8")


def edge_cases() -> list[tuple[Any, Any]]:
    x, i = at.dvector("x"), at.TensorType("int8", (None,))("i")
    u, f = at.TensorType("uint8", (None,))("u"), at.fvector("f")
    c = at.constant(np.float32(0.1))
    reals = [
        x * 0,
        x - x,
        x / x,
        at.eq(x, x),
        x + 0,
        0 - x,
        -(x - x),
        x + x - x,
        x * x / x,
        x**2,
        x**0.5,
        at.exp(at.log(x)),
        at.log(at.exp(x)),
        0 / x,
        x * 1,
        x / 1,
        at.abs(-x),
        at.maximum(x, x),
        at.sum(2.0 * x),
        at.switch(x > 0, x, -x),
        x[1:][:0],
        x[::-1][2:],
    ]
    whole = [
        (i * 3) // 3,
        i // 2,
        i % 3,
        i - i,
        i * 0,
        i**2,
        at.neg(at.neg(i)),
        at.abs(i),
        i + i - i,
    ]
    return [
        *((x, e) for e in reals), *((i, e) for e in whole),
        (u, u - 1), (u, -u), (u, u * 2 // 2), (f, f * c), (f, (f + 1) + 1), (f, f + (c + 2)),
    ]  # fmt: skip


@pytest.mark.parametrize(("x", "e"), edge_cases())
def test_strict_gives_what_numpy_gives(x: Any, e: Any) -> None:
    value = EDGES if x.type.dtype.startswith("float") else INTEGERS
    with np.errstate(all="ignore"):
        value = value.astype(x.type.dtype)
        strict, plain = (function([x], e, mode)(value) for mode in ("strict", Mode("py", None)))
    assert strict.dtype == plain.dtype
    np.testing.assert_array_equal(strict, plain)
    if plain.dtype.kind == "f":
        defined = ~np.isnan(plain)
        np.testing.assert_array_equal(np.signbit(strict)[defined], np.signbit(plain)[defined])


def test_strict_holds_exact_laws_and_merging_alone() -> None:
    optimizer = get_mode("strict").optimizer
    assert isinstance(optimizer, SequenceOptimizer)
    assert "merge1" in [opt.name for opt in optimizer]
    laws = [
        law
        for opt in optimizer
        for law in getattr(opt, "local_optimizers", ())
        if law.name != "constant_folding"
    ]
    phases = [optdb[phase] for phase in ("canonicalize", "stabilize", "specialize")]
    sound = {name: getattr(db[name], "sound", None) for db in phases for name in db}
    assert laws
    assert {sound[law.name] for law in laws} == {"exact"}


def test_optimizers_of_ones_own() -> None:
    x, e = graph()
    to_neg = EquilibriumOptimizer([OpSub(at.exp, at.neg)])
    assert ops(function([x], e, Mode(optimizer=to_neg))).count(at.neg) == 1
    registered = get_mode("merge").register((to_neg, 50))
    assert at.neg in ops(function([x], e, registered))
    assert at.neg not in ops(function([x], e, "merge"))
    query = OptimizationQuery(include=["merge"])
    assert Mode(optimizer=query).optimizer.name == "optdb"
    with pytest.raises(TypeError, match="can't include anything"):
        Mode(optimizer=to_neg).including("merge")
    with pytest.raises(TypeError, match="can't register anything"):
        Mode(optimizer=to_neg).register((to_neg, 1))


def test_linkers() -> None:
    class Traced:
        name = "traced"
        linked: list[FunctionGraph] = []

        def link(self, fgraph: FunctionGraph) -> Any:
            self.linked.append(fgraph)
            return Mode("py").linker.link(fgraph)

    x, e = graph()
    f = function([x], e, Mode(Traced()))
    assert Traced.linked == [f.maker.fgraph]
    assert f([0.0])[0] == 1 + np.tanh(1)
    assert [Mode().linker.name, Mode("py").linker.name] == ["vm", "py"]
    assert repr(Mode("py", None)) == "Mode(linker='py', optimizer=None)"


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="no linker is called 'c'; there are py, vm"):
        Mode("c")
    with pytest.raises(ValueError, match="no optimizer is called 'best'"):
        Mode(optimizer="best")
    with pytest.raises(TypeError, match="is not the name of an optimizer"):
        Mode(optimizer=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a linker has a name"):
        Mode(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no mode is called 'best'"):
        get_mode("best")
    with pytest.raises(TypeError, match="neither a Mode"):
        get_mode(3)  # type: ignore[arg-type]


def test_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relgraph.compile.mode.predefined_modes", dict(predefined_modes))
    monkeypatch.setattr("relgraph.compile.mode.predefined_optimizers", dict(predefined_optimizers))
    nothing: GlobalOptimizer = SequenceOptimizer()
    register_optimizer("nothing", nothing)
    register_mode("mine", Mode("py", "nothing"))
    assert get_mode("mine").optimizer is nothing
    with pytest.raises(ValueError, match="called 'nothing' already"):
        register_optimizer("nothing", None)
    with pytest.raises(ValueError, match="called 'mine' already"):
        register_mode("mine", Mode())


def test_a_mode_sees_what_is_registered_later() -> None:
    x, e = graph()
    to_neg = EquilibriumOptimizer([OpSub(at.exp, at.neg)])
    try:
        optdb.register("test_to_neg", to_neg, "fast_run", position=40)
        assert at.neg in ops(function([x], e))
    finally:
        optdb.remove_tags("test_to_neg", "fast_run")
    assert at.neg not in ops(function([x], e))

"""Laws of one's own in a mode, and in one call."""

import pickle
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function, get_mode, optimize_graph
from relgraph.graph.opt import MergeOptimizer, OpSub, in2out
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.vm import LINKERS

X = at.dvector("x")
a, b = lvars("a b")
SINH = law("sinh-cosh", at.sinh(a), at.cosh(a), sound="domain")
COSH = law("cosh-tanh", at.cosh(a), at.tanh(a), sound="domain")
SQUARES = law("squares", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="rounding")


def ops(output: Any, mode: Any) -> list[str]:
    return [str(node.op) for node in function([X], output, mode).maker.fgraph.toposort()]


@pytest.mark.parametrize(
    "mode",
    [
        Mode(optimizer=SINH),
        Mode(optimizer=[SINH]),
        Mode(optimizer=SINH.forward),
        Mode(optimizer=None).including(SINH),
        Mode(optimizer=MergeOptimizer()).including(SINH),
        Mode().including(SINH),
        Mode().including([(SINH,)]),
        Mode().register(SINH),
        Mode().register((SINH, 2.3)),
        Mode().register((in2out(SINH.forward), 2.3)),
        Mode("py").including("finite", SINH),
        get_mode("strict").including(SINH),
    ],
    ids=map(str, range(12)),
)
def test_a_law_is_applied(mode: Mode) -> None:
    assert ops(at.sinh(X), mode) == ["cosh"]
    np.testing.assert_array_equal(function([X], at.sinh(X), mode)([1.0]), np.cosh([1.0]))


def test_lists_of_laws_work_together() -> None:
    both = [SINH, COSH]
    assert ops(at.sinh(X), Mode(optimizer=both)) == ["tanh"]
    assert ops(at.sinh(X), Mode().including(both)) == ["tanh"]
    assert ops(at.sinh(X), Mode().register(SINH).including(COSH)) == ["tanh"]
    assert ops(at.sinh(X), Mode(optimizer=SINH)) == ["cosh"]
    assert optimize_graph(at.sinh(X), include=[], custom_opt=both).owner.op is at.tanh
    assert optimize_graph(at.sinh(X), custom_opt=(SINH, [COSH])).owner.op is at.tanh
    assert ops(at.sinh(X), Mode(optimizer=[])) == ["sinh"]


def test_alone_a_law_leaves_the_rest_as_it_is() -> None:
    assert ops(at.sinh(X * 1), Mode(optimizer=SINH)) == ["mul", "cosh"]
    assert ops(at.sinh(X * 1), Mode().including(SINH)) == ["cosh"]
    assert ops(at.sinh(X * 1), Mode(optimizer=SINH).including("canonicalize")) == ["cosh"]


def test_it_is_applied_to_the_graph_as_written_and_what_it_gives_is_simplified() -> None:
    mode = Mode().including(SQUARES)
    assert ops(X * (at.sin(X) ** 2 + at.cos(X) ** 2), mode) == ["deep_copy"]


def test_it_is_tried_in_the_form_that_phases_leave() -> None:
    # as it was written there is no power; phases make a product one, and call it `sqr`
    powers = law("power", at.tanh(a) ** 2, at.sinh(a), sound="domain")
    twice = at.exp(at.log(at.tanh(X))) * at.tanh(X)
    unfused = Mode().excluding("elemwise_fusion", "inplace").including("finite")
    assert ops(twice, unfused) == ["tanh", "sqr"]
    assert ops(twice, Mode().including("finite", powers)) == ["sinh"]


def test_a_law_of_the_same_name_is_replaced() -> None:
    mode = Mode().including(COSH, SINH)
    again = law("sinh-cosh", at.sinh(a), at.tanh(a), sound="domain")
    replaced = mode.including(again)
    assert replaced.own == (COSH, again)
    assert ops(at.sinh(X), replaced) == ["tanh"]
    assert mode.own == (COSH, SINH)
    assert mode.including(SINH.backward).own[2] is SINH.backward


def test_unregistering() -> None:
    mode = Mode().including(SINH, COSH)
    assert ops(at.sinh(X), mode.unregister(COSH)) == ["cosh"]
    assert ops(at.sinh(X), mode.unregister("sinh-cosh")) == ["sinh"]
    assert mode.unregister(COSH, SINH).own == ()
    with pytest.raises(KeyError, match="no law of its own called 'squares'; it has sinh"):
        mode.unregister(SQUARES)


def test_tags_and_own_laws_stay_with_each_other() -> None:
    mode = Mode().including(SINH).excluding("canonicalize").requiring("fast_run")
    assert mode.own == (SINH,)
    assert "own=[sinh-cosh]" in repr(mode)
    loaded = pickle.loads(pickle.dumps(mode))
    assert repr(loaded) == repr(mode)
    assert ops(at.sinh(X), loaded) == ["cosh"]
    assert loaded.linker is LINKERS["vm"]


def test_a_derivation_names_them() -> None:
    f = function([X], at.sinh(X * 1), Mode().including(SINH), trace=True)
    steps = [(step.name, step.sound) for step in f.derivation]
    assert steps == [("sinh-cosh", "domain"), ("mul-one", "exact")]


def test_what_is_no_rewriter_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a LocalOptimizer or a law, got 3"):
        Mode().including(3)
    with pytest.raises(TypeError, match="expected a LocalOptimizer or a law, got None"):
        Mode(optimizer=[SINH, None])
    with pytest.raises(TypeError, match="a law or a LocalOptimizer"):
        Mode(optimizer=3)
    with pytest.raises(ValueError, match="did you mean 'canonicalize'"):
        Mode().including(SINH, "canonicalise")
    with pytest.raises(TypeError, match="expected a LocalOptimizer or a law"):
        optimize_graph(X, custom_opt=[SINH, "merge"])


def test_other_rewriters_are_taken_too() -> None:
    assert ops(at.sinh(X), Mode().including(OpSub(at.sinh, at.cosh))) == ["cosh"]
    assert ops(at.sinh(X), Mode().including(in2out(OpSub(at.sinh, at.cosh)))) == ["cosh"]

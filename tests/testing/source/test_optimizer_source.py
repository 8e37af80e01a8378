"""What a failed check prints shows the failure when it is pasted."""

from __future__ import annotations

import numpy as np
import pytest
from kanren import eq, lall

import relgraph.tensor as at
from relgraph.compile.mode import get_mode, predefined_modes
from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.goals import argumentso
from relgraph.graph.opt import EquilibriumOptimizer, GlobalOptimizer, OpSub
from relgraph.tensor.lawkit.vocabulary import law, lvars, relation
from relgraph.testing import check_optimizer
from relgraph.testing.discovery import discover_laws
from relgraph.testing.optimizer_check import (
    Case,
    evaluate_outputs,
    optimize_copy,
    reproduction_source,
)

x, y = lvars("x y")
WRONG = law("wrong", at.sin(x), at.cos(x), sound="finite")


def printed_by(source):
    """Run `source` in a fresh namespace and return what it prints, call by call."""
    lines = []
    exec(compile(source, "pasted", "exec"), {"print": lambda *values: lines.append(values)})
    return lines


def assert_shows_two_values(source):
    (before,), (after,) = printed_by(source)
    before, after = (np.asarray(value) for value in (before, after))
    assert before.shape == after.shape
    assert not np.array_equal(before, after, equal_nan=True)


def all_the_same(args):
    return len(args) > 1 and all(v is args[0] for v in args)


def first_of(args):
    return args[0]


# -- laws and relations --------------------------------------------------------------------------


def test_a_law():
    found = law("div-self", x / x, 1).check().counterexample
    assert_shows_two_values(str(found))
    (before,), (after,) = printed_by(str(found))
    assert np.array_equal(before, found.old_value, equal_nan=True)
    assert np.array_equal(after, found.new_value, equal_nan=True)


def test_an_open_relation():
    @relation("one-of-equal-terms", sound="finite")
    def oneo(i, o):
        """``x + x → x``"""
        args, v = lvars("args v")
        return lall(
            argumentso(i, at.add, args),
            whereo(all_the_same, args),
            computo(v, first_of, args),
            eq(o, v),
        )

    assert oneo.extraction().status == "open"
    result = oneo.check(examples=100)
    assert result.status == "failed"
    assert "# law one-of-equal-terms: ``x + x → x``" in str(result)
    assert_shows_two_values(str(result.counterexample))


def test_a_law_that_raises():
    def broken(v):
        raise RuntimeError("not today")

    source = str(law("broken", at.neg(-x), x, whereo(broken, x)).check().counterexample)
    assert "# law.forward.transform(None, outputs[0].owner) raises" in source
    assert printed_by(source) == []


def test_a_law_whose_result_raises():
    picked = law("third", at.second(x, y), at.specify_shape(at.second(x, y), [3]))
    result = picked.check(examples=60)
    assert result.status == "failed"
    source = str(result.counterexample)
    assert "it raises ValueError: specify_shape" in source
    assert f"# before: {' '.join(repr(result.counterexample.old_value).split())}" in source
    with pytest.raises(ValueError, match="specify_shape"):
        printed_by(source)


# -- optimizers ----------------------------------------------------------------------------------


def test_a_mode_by_its_name(monkeypatch):
    wrong = get_mode("fast_compile").register((EquilibriumOptimizer([WRONG]), 3))
    monkeypatch.setitem(predefined_modes, "wrong", wrong)
    found = check_optimizer("wrong", examples=500).counterexample
    assert "optimizer = get_mode('wrong').optimizer" in found.source
    assert_shows_two_values(found.source)


def test_a_mode_of_ones_own():
    wrong = get_mode("fast_compile").register((EquilibriumOptimizer([WRONG]), 3))
    found = check_optimizer(wrong, examples=500).counterexample
    assert "at.sin" in found.source and "at.cos" in found.source
    assert_shows_two_values(found.source)


def test_a_law_of_ones_own():
    assert_shows_two_values(check_optimizer(WRONG, examples=500).counterexample.source)


def of_one_input(op, value):
    v = at.dvector("v")
    return Case([v], [op(v)], [np.array(value)])


def test_a_law_of_the_book():
    known = discover_laws()["log-exp"]
    case = of_one_input(lambda v: at.log(at.exp(v)), [1e4])
    source = reproduction_source(case, 0, known, EquilibriumOptimizer([known]), "log-exp")
    assert "optimizer = EquilibriumOptimizer([discover_laws()['log-exp']])" in source
    assert_shows_two_values(source)


def test_an_optimizer_that_overwrites():
    case = of_one_input(lambda v: at.set_subtensor(at.exp(v)[:1], 2.0), [0.5, 1.5])
    op = case.outputs[0].owner.op
    overwriting = type(op)(op.idx_list, inplace=True, set_instead_of_inc=True)
    once = EquilibriumOptimizer([OpSub(op, overwriting)])
    fgraph = optimize_copy(once, case.inputs, case.outputs)
    assert any(node.op.destroy_map for node in fgraph.apply_nodes)
    (before,) = evaluate_outputs(case.inputs, case.outputs, case.values)
    (after,) = evaluate_outputs(fgraph.inputs, fgraph.outputs, case.values)
    assert before.tolist() == after.tolist() == [2.0, np.exp(1.5)]
    (first,), (second,) = printed_by(reproduction_source(case, 0, once, once, "once"))
    assert np.array_equal(first, before) and np.array_equal(second, after)
    assert case.values[0].tolist() == [0.5, 1.5]


def test_an_optimizer_that_raises_is_referred_to():
    class Broken(GlobalOptimizer):
        def apply(self, fgraph):
            raise RuntimeError("no")

    source = check_optimizer(Broken(), examples=5).counterexample.source
    assert source.startswith("# optimizer is Broken\n")
    with pytest.raises(RuntimeError, match="no"):
        exec(source, {"optimizer": Broken()})

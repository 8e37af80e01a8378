"""Checks of optimizers and of linkers, and how what fails is found, made small and printed."""

import os
from collections import Counter

import numpy as np
import pytest
from etuples import etuple
from kanren import eq, lall
from unification import var

import relgraph.tensor as at
from relations.kit.type_guards import booleano
from relations.kit.vocabulary import law, lvars
from relgraph.compile.mode import get_mode, predefined_modes
from relgraph.graph.basic import io_toposort
from relgraph.graph.kanren import KanrenRelationSub, whereo
from relgraph.graph.opt import EquilibriumOptimizer, GlobalOptimizer, OpSub, local_optimizer
from relgraph.graph.opt.base import as_local_optimizer
from relgraph.tensor.reductions import Argmax
from relgraph.testing import check_linker, check_optimizer, graphs
from relgraph.testing.__main__ import MODES, main
from relgraph.testing.discovery import discover_laws
from relgraph.testing.graph_check import (
    Case,
    evaluate_outputs,
    find_failing_case,
    misbehaviour,
    optimize_copy,
    reproduction_source,
    shrink_case,
    with_gradients,
)
from relgraph.vm import LINKERS
from tests.seeds import sampled, seed_of

EXAMPLES = 2000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 200

x, y, z, a = lvars("x y z a")


# `fast_run` is `o4` by another name.
@pytest.mark.parametrize("mode", sampled(sorted({*MODES} - {"fast_run"}), 2, "modes"))
def test_modes_keep_what_graphs_compute(mode):
    found = check_optimizer(mode, examples=EXAMPLES, seed=seed_of("mode", mode))
    assert found.passed, found
    assert found.graphs >= 0.9 * EXAMPLES
    assert found.changed > 10
    assert len(found.ops) > 30


def test_the_long_form(capsys):
    assert main(["stabilize", "--examples", "60", "--seed", "3"]) == 0
    assert capsys.readouterr().out.startswith("stabilize: passed (")


WRONG = [
    law("swapped", x - y, y - x, sound="finite"),
    law("one", x / x, 1),
    law("one too often", x / x, 1, sound="rounding"),
    law("zero too often", x * 0, 0, sound="rounding"),
    law("sign lost", at.neg(at.neg(x)), -x, sound="finite"),
    law("positive root", at.sqrt(at.sqr(x)), x, sound="finite"),
    law("negative argument", at.sqr(at.sqrt(x)), x, sound="rounding"),
    law("no maximum", at.maximum(x, 0), x, sound="finite"),
    law("wrong way round", at.log1p(x), at.log(1 + x), sound="stable"),
    law("sum without sign", at.sum(-x, axis=a), at.sum(x, axis=a), sound="finite"),
    law("no commuting", at.dot(x, y), at.dot(y, x), sound="finite"),
    law("or equal", at.lt(x, y), at.le(x, y)),
    law("branches swapped", at.switch(x, y, z), at.switch(x, z, y)),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: w.name)
def test_wrong_laws_are_found(wrong):
    found = check_optimizer(wrong, examples=600, shrink=False)
    assert found.status == "failed" and not found.passed
    assert found.counterexample.step is None or found.counterexample.step.name == wrong.name


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


RIGHT = [
    law("twice negative", at.neg(at.neg(x)), x),
    law("squared", x * x, at.sqr(x)),
    law("cancelled", x + y - y, x, sound="finite"),
    law("distributed", x * (y + z), x * y + x * z, sound="finite"),
    law("near one", at.log(1 + x), at.log1p(x), sound="stable"),
]


@pytest.mark.parametrize("right", RIGHT, ids=lambda w: w.name)
def test_right_laws_pass(right):
    # what is multiplied out grows exponentially with the depth of products of sums
    small = graphs(matching=as_local_optimizer(right), max_nodes=6)
    found = check_optimizer(right, small if right.name == "distributed" else None, examples=100)
    assert found.passed, found
    assert found.laws[right.name] > 10
    assert found.compared[right.sound] > 10


def test_a_failure_is_explained_and_can_be_pasted():
    once = EquilibriumOptimizer([law("right", at.neg(at.neg(x)), x), OpSub(at.cos, at.tan)])
    found = check_optimizer(once, examples=500)
    text = str(found)
    assert "does not keep the value of output 0" in text
    assert "It is wrong first after step 1. " in text
    assert_shows_two_values(found.counterexample.source)
    assert found.counterexample.source.count("at.cos") == 1


@pytest.mark.parametrize("given", ["a mode by its name", "a mode", "a law"])
def test_what_is_printed_of_a_failure_shows_it(given, monkeypatch):
    wrong = law("wrong", at.sin(x), at.cos(x), sound="finite")
    mode = get_mode("fast_compile").register((EquilibriumOptimizer([wrong]), 3))
    monkeypatch.setitem(predefined_modes, "wrong", mode)
    optimizer = {"a mode by its name": "wrong", "a mode": mode, "a law": wrong}[given]
    found = check_optimizer(optimizer, examples=500).counterexample
    assert found.step is None or found.step.name == "wrong"
    by_name = "optimizer = get_mode('wrong').optimizer" in found.source
    assert by_name is (given == "a mode by its name")
    assert given != "a mode" or ("at.sin" in found.source and "at.cos" in found.source)
    assert_shows_two_values(found.source)


def test_an_optimizer_that_raises_is_referred_to():
    class Broken(GlobalOptimizer):
        def apply(self, fgraph):
            raise RuntimeError("no")

    found = check_optimizer(Broken(), examples=5)
    assert "the optimizer raises RuntimeError: no" in str(found)
    source = found.counterexample.source
    assert source.startswith("# optimizer is Broken\n")
    with pytest.raises(RuntimeError, match="no"):
        exec(source, {"optimizer": Broken()})


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


def test_an_optimizer_that_makes_what_raises():
    @local_optimizer([at.sqr])
    def declare(fgraph, node):
        return [at.specify_shape(at.abs(node.inputs[0]), [7] * node.inputs[0].type.ndim)]

    found = check_optimizer(declare, graphs(ops=[at.sqr, at.exp], dtypes="float64"), examples=200)
    assert found.status == "failed"
    assert "raises" in str(found)


def test_what_never_fires_is_not_passed():
    found = check_optimizer(law("none", at.polygamma(x, y), x), graphs(ops=[at.exp]), examples=20)
    assert found.status == "unchecked" and not found.passed
    assert "unchecked" in str(found)


def test_a_check_on_too_few_graphs_is_not_passed():
    law_of_neg = law("twice negative", at.neg(at.neg(x)), x)
    found = check_optimizer(law_of_neg, examples=40, required=41)
    assert found.counterexample is None and 0 < found.changed <= 40
    assert found.status == "unchecked" and not found.passed
    assert "it has to change 41 graphs" in str(found)
    assert check_optimizer(law_of_neg, examples=40).required == 4


def negated_twice(i, o):
    v = var()
    return lall(eq(i, etuple(at.neg, etuple(at.neg, v))), eq(o, v))


AIMED = [
    law("of booleans", at.and_(x, x), x, booleano(x)),
    law("of a rare op", at.gammaln(x) + at.gammaln(x), 2 * at.gammaln(x), sound="finite"),
    KanrenRelationSub(negated_twice),
]


@pytest.mark.parametrize("rewriter", AIMED, ids=str)
def test_graphs_are_aimed_at_the_optimizer(rewriter):
    found = check_optimizer(rewriter, examples=60, gradients=False)
    assert found.passed, found
    assert found.changed >= 12


def test_ops_that_are_tracked_are_in_the_graphs():
    seen = Counter()

    @local_optimizer([at.arctan2, Argmax])
    def look(fgraph, node):
        seen[type(node.op).__name__] += 1
        return False

    found = check_optimizer(look, examples=80, gradients=False)
    assert found.status == "unchecked"
    assert seen["Elemwise"] > 20 and seen["Argmax"] > 10


def test_rewriters_that_did_nothing_are_named():
    laws = [law("works", at.neg(at.neg(x)), x), law("cannot", at.cos(x) + 7, x, whereo(never, x))]
    found = check_optimizer(EquilibriumOptimizer(laws), examples=40)
    assert found.passed, found
    assert found.silent == ("cannot",)
    assert "1 silent" in str(found)


def never(v):
    return False


def test_what_claims_nothing():
    @local_optimizer([at.true_div])
    def cancel(fgraph, node):
        num, den = node.inputs
        if num.owner is None or num.owner.op is not at.mul or num.owner.inputs[-1] is not den:
            return False
        rest = num.owner.inputs[0]
        fits = len(num.owner.inputs) == 2 and node.out.type.is_super(rest.type)
        return [rest] if fits else False

    def cancelled(v, *others):
        other = others[0] if others else v
        return at.true_div(at.mul(v, other), other)

    ops = graphs(ops=[cancelled, at.add], dtypes=["float64"], max_nodes=3)
    assert check_optimizer(cancel, ops, examples=300, shrink=False).status == "failed"
    assert check_optimizer(cancel, ops, examples=300, unnamed="finite").passed


def test_with_gradients():
    v, w, i = at.dvector("v"), at.dmatrix("w"), at.lvector("i")
    outputs = with_gradients([v, w, i], [v * 2, at.eq(i, 1)])
    assert [o.type.ndim for o in outputs] == [1, 1, 1, 2]
    assert len(with_gradients([i], [i + 1])) == 1


@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_the_vm_computes_what_graphs_mean(optimizer):
    found = check_linker("vm", optimizer, examples=100, seed=seed_of("vm", optimizer))
    assert found.passed, found
    assert found.graphs >= 90
    assert len(found.ops) > 30


def test_the_reference_linker():
    assert check_linker(
        "py", graphs=graphs(ops=[at.exp, at.sum, at.getitem]), examples=50, seed=seed_of("py")
    ).passed


class Wrong:
    """A linker that does something to what another one makes."""

    name = "wrong"

    def __init__(self, spoil):
        self.spoil = spoil

    def link(self, fgraph):
        run = LINKERS["py"].link(fgraph)
        kept = []

        def wrongly(*values):
            return self.spoil(run, kept, values)

        return wrongly


def adds(run, kept, values):
    return [out + out.dtype.type(1) for out in run(*values)]


def overwrites(run, kept, values):
    found = [np.array(out) for out in run(*values)]
    for v in values:
        if v.flags.writeable:
            v.fill(3)
    return found


def keeps_storage(run, kept, values):
    found = run(*values)
    if not kept:
        kept.extend(np.array(out) for out in found)
    for mine, out in zip(kept, found, strict=True):
        mine[...] = out
    return kept


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (adds, "output 0 of the first call differs"),
        (overwrites, "argument 0 is modified"),
        (keeps_storage, "the first call, after the second one, differs"),
    ],
)
def test_wrong_linkers_are_found(spoil, text, monkeypatch):
    monkeypatch.setitem(LINKERS, "wrong", Wrong(spoil))
    found = check_linker("wrong", graphs=graphs(ops=[at.add], dtypes="float64"), examples=100)
    assert not found.passed
    assert text in found.problem
    assert "mode = Mode('wrong', None)" in found.problem


def test_results_that_are_arguments():
    class Graph:
        inputs = outputs = [at.dvector("x")]

    value = np.arange(3.0)
    found = misbehaviour(lambda x: [x], Graph, [value], [value + 1])
    assert next(filter(None, found)) == "result 0 shares storage with argument 0"


# Cases that fail are found, and made small.


def uses(case, op):
    return any(node.op is op for node in io_toposort(case.inputs, case.outputs))


def draw_from(strategy):
    def draw(from_):
        graph = from_(strategy)
        return Case(list(graph.inputs), list(graph.outputs), list(from_(graph.values())))

    return draw


def test_a_failure_is_found_and_made_small():
    seen = []

    def fails(case):
        seen.append(case)
        return uses(case, at.arctan)

    found = find_failing_case(draw_from(graphs()), fails, 2000, 0)
    assert found is not None
    nodes = io_toposort(found.inputs, found.outputs)
    assert [node.op for node in nodes] == [at.arctan]
    assert len(found.inputs) <= 1


def test_nothing_is_found():
    count = []
    assert (
        find_failing_case(draw_from(graphs()), lambda case: bool(count.append(case)), 50, 0) is None
    )
    assert len(count) >= 50


def test_the_same_seed_gives_the_same_graphs():
    drawn = []
    for seed in (1, 1, 2):
        seen = []
        find_failing_case(
            draw_from(graphs()),
            lambda case, seen=seen: bool(seen.append(str(case.outputs))),
            20,
            seed,
        )
        drawn.append(seen)
    assert drawn[0] == drawn[1] != drawn[2]


def test_what_does_not_matter_is_cut_off():
    x, y = at.dvectors("x", "y")
    deep = at.sin(at.exp(at.log(x) + y))
    case = Case([x, y], [at.neg(deep), at.cos(y)], [np.ones(2), np.ones(2)])
    found = shrink_case(case, lambda case: uses(case, at.sin))
    assert [node.op for node in io_toposort(found.inputs, found.outputs)] == [at.sin]
    (value,) = found.values
    assert np.allclose(value, np.e)


def test_a_case_that_cannot_be_judged_is_no_smaller_one():
    x = at.dvector("x")
    case = Case([x], [at.exp(at.sin(x))], [np.ones(1)])

    def fails(case):
        if not uses(case, at.exp):
            raise RuntimeError
        return uses(case, at.sin)

    found = shrink_case(case, fails)
    assert len(io_toposort(found.inputs, found.outputs)) == 2

"""Optimizers that apply others."""

from __future__ import annotations

import io
import sys
from contextlib import nullcontext

import pytest

import relgraph.tensor as at
from relgraph import dprint, optimize_graph, scalar
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplacementDidNotRemoveError, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import (
    DivergenceError,
    EquilibriumOptimizer,
    GlobalOptimizer,
    LocalOptGroup,
    MergeOptimizer,
    NavigatorOptimizer,
    OpKeyOptimizer,
    OpSub,
    OptimizationWarning,
    PatternSub,
    SeqOptimizer,
    SequenceOptimizer,
    TopoOptimizer,
    in2out,
    local_optimizer,
    optimizer,
    out2in,
    topogroup_optimizer,
)
from relgraph.graph.utils import InconsistencyError, MissingInputError
from relgraph.scalar import add, complex128, exp, float64, log, neg, true_div
from relgraph.tensor.elemwise import Elemwise
from tests.graph.toys import MyOp, Watcher

split = MyOp("split", nout=2)


def answering(answer, tracks=(exp,)):
    """A local optimizer that gives what `answer(node)` gives."""

    @local_optimizer(list(tracks))
    def fixed(fgraph, node):
        return answer(node)

    return fixed


NAVIGATORS = [
    lambda local, **kw: TopoOptimizer(local, **kw),
    lambda local, **kw: TopoOptimizer(local, order="out_to_in", **kw),
    lambda local, **kw: OpKeyOptimizer(local, **kw),
    lambda local, **kw: EquilibriumOptimizer([local], **kw),
]
navigators = pytest.mark.parametrize("navigator", NAVIGATORS, ids=["topo", "back", "key", "eq"])


# the outputs of a graph, the answer of a rewriter, the ops that it tracks, and the result
ANSWERS = {
    "False": (lambda x, y, z: [exp(x)], lambda node: False, exp, "exp(x)"),
    "None": (lambda x, y, z: [exp(x)], lambda node: None, exp, "exp(x)"),
    "None for an unused output": (
        lambda x, y, z: [neg(split(x)[0])],
        lambda node: [log(node.inputs[0]), None],
        split,
        "neg(log(x))",
    ),
    "a dict": (
        lambda x, y, z: [add(exp(x), neg(y))],
        lambda node: {node.outputs[0]: log(node.inputs[0])},
        neg,
        "add(exp(x), log(y))",
    ),
    "a dict with what goes": (
        lambda x, y, z: [log(exp(x))],
        lambda node: {node.outputs[0]: node.inputs[0].owner.inputs[0], "remove": [node.inputs[0]]},
        log,
        "x",
    ),
}


@navigators
@pytest.mark.parametrize(("build", "answer", "op", "text"), ANSWERS.values(), ids=ANSWERS)
def test_answers(graphs, navigator, build, answer, op, text):
    fgraph = graphs(*build(*graphs.inputs))
    navigator(answering(answer, [op])).optimize(fgraph)
    assert str(fgraph) == f"FunctionGraph({text})"
    fgraph.check_integrity()


@navigators
def test_saying_the_same_again_is_nothing(graphs, navigator):
    fgraph = graphs(exp(graphs.x))
    (out,) = fgraph.outputs
    navigator(answering(lambda node: [exp(node.inputs[0])])).optimize(fgraph)
    navigator(answering(lambda node: node.outputs)).optimize(fgraph)
    assert fgraph.outputs == [out]


@navigators
def test_what_replaces_it_may_read_it(graphs, navigator):
    fgraph, left = graphs(neg(exp(graphs.x))), [True]
    local = answering(lambda node: [log(node.outputs[0])] if left and left.pop() else False)
    navigator(local).optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(neg(log(exp(x))))"
    fgraph.check_integrity()


def failing(node):
    raise LookupError("nope")


STRANGER = float64("stranger")
NO_OUTPUT = "fixed gave no replacement for output 1"
# a graph of x, the answer of a rewriter, the op that it tracks, the error and its message
FAILURES = [
    (lambda x: add(*split(x)), lambda node: [node.inputs[0], None], split, ValueError, NO_OUTPUT),
    (exp, lambda node: node.inputs * 2, exp, ValueError, "fixed answered with 2 replacements"),
    (exp, lambda node: node.inputs[0], exp, TypeError, r"fixed answered .* expected False, a list"),
    (exp, lambda node: {STRANGER: node.inputs[0]}, exp, ValueError, "not a variable of the graph"),
    (
        lambda x: add(log(e := exp(x)), neg(e)),
        lambda node: {node.outputs[0]: node.inputs[0].owner.inputs[0], "remove": node.inputs},
        log,
        ReplacementDidNotRemoveError,
        "not replaced",
    ),
    (exp, lambda node: [complex128("c")], exp, TypeError, r"(?s)fixed.*exp\(x\).*float64.*complex"),
    (
        lambda x: add(*split(x)),
        lambda node: [log(node.inputs[0]), neg(STRANGER)],
        split,
        MissingInputError,
        "stranger",
    ),
    (lambda x: neg(exp(x)), failing, exp, LookupError, "nope"),
]


@navigators
@pytest.mark.parametrize(("build", "answer", "op", "error", "message"), FAILURES)
def test_failures_leave_the_graph(graphs, navigator, build, answer, op, error, message):
    fgraph = graphs(build(graphs.x))
    before = str(fgraph)
    with pytest.raises(error, match=message) as info:
        navigator(answering(answer, [op])).optimize(fgraph)
    assert str(fgraph) == before
    fgraph.check_integrity()
    if answer is failing:
        assert info.value.__notes__ == ["raised in the rewriter fixed on the node exp(x)"]


class TestFailures:
    @navigators
    def test_callback_goes_on(self, graphs, navigator):
        calls = []

        def broken(node):
            if node.inputs[0] is graphs.x:
                raise LookupError("nope")
            return [log(node.inputs[0])]

        fgraph = graphs(add(exp(graphs.x), exp(graphs.y)))
        local = answering(broken)
        nav = navigator(local, failure_callback=lambda *args: calls.append(args))
        nav.optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(add(exp(x), log(y)))"
        exc, nav_, pairs, local_, node = calls[0]
        assert isinstance(exc, LookupError) and nav_ is nav and local_ is local
        assert pairs == [] and node.op is exp

    @navigators
    def test_callback_gets_the_rejected_pairs(self, graphs, navigator):
        calls = []
        fgraph = graphs(exp(graphs.x))
        new = neg(STRANGER)
        nav = navigator(answering(lambda node: [new]), failure_callback=lambda *a: calls.append(a))
        nav.optimize(fgraph)
        assert isinstance(calls[0][0], MissingInputError)
        assert calls[0][2] == [(fgraph.outputs[0], new)]

    @pytest.mark.parametrize(
        ("callback", "error", "warns"),
        [
            (NavigatorOptimizer.warn, LookupError, True),
            (NavigatorOptimizer.warn_inplace, LookupError, True),
            (NavigatorOptimizer.warn_inplace, InconsistencyError, False),
            (NavigatorOptimizer.warn_ignore, LookupError, False),
        ],
    )
    def test_callbacks_that_there_are(self, graphs, callback, error, warns):
        def broken(node):
            raise error("nope")

        text = r"fixed failed on exp\(x\): LookupError"
        nav = TopoOptimizer(answering(broken), failure_callback=callback)
        with pytest.warns(OptimizationWarning, match=text) if warns else nullcontext():
            nav.optimize(graphs(exp(graphs.x)))


class TestOrder:
    def visits(self, graphs, order, ignore_newtrees):
        seen = []

        @local_optimizer(None)
        def local(fgraph, node):
            seen.append(str(node.op))
            return [neg(log(node.inputs[0]))] if node.op == exp else False

        fgraph = graphs(true_div(exp(graphs.x), graphs.y))
        TopoOptimizer(local, order=order, ignore_newtrees=ignore_newtrees).optimize(fgraph)
        return seen

    @pytest.mark.parametrize(
        ("order", "ignore_newtrees", "seen"),
        [
            ("in_to_out", True, ["exp", "true_div"]),
            ("in_to_out", False, ["exp", "true_div", "log", "neg"]),
            ("out_to_in", True, ["true_div", "exp"]),
            ("out_to_in", False, ["true_div", "exp", "neg", "log"]),
        ],
    )
    def test_new_nodes_come_last_if_at_all(self, graphs, order, ignore_newtrees, seen):
        assert self.visits(graphs, order, ignore_newtrees) == seen

    def test_auto_asks_the_local_optimizer(self):
        assert NavigatorOptimizer.__init__.__defaults__[0] == "auto"
        assert TopoOptimizer(OpSub(exp, log), ignore_newtrees="auto").ignore_newtrees is True
        assert TopoOptimizer(answering(failing), ignore_newtrees="auto").ignore_newtrees is False

    def test_unknown_order(self):
        with pytest.raises(ValueError, match="order must be"):
            TopoOptimizer(OpSub(exp, log), order="sideways")

    def test_start_from(self, graphs):
        fgraph = graphs(exp(graphs.x), exp(graphs.y))
        opt = TopoOptimizer(OpSub(exp, log))
        opt.add_requirements(fgraph)
        opt.apply(fgraph, start_from=[fgraph.outputs[1]])
        assert str(fgraph) == "FunctionGraph(exp(x), log(y))"


class TestMakers:
    def test_in2out_out2in(self, graphs):
        for make, order in ((in2out, "in_to_out"), (out2in, "out_to_in")):
            opt = make(OpSub(exp, log), OpSub(neg, exp), name="both", ignore_newtrees=True)
            assert (opt.order, opt.name) == (order, "both")
            fgraph = graphs(neg(exp(graphs.x)))
            opt.optimize(fgraph)
            assert str(fgraph) == "FunctionGraph(exp(log(x)))"

    def test_names(self):
        assert in2out(OpSub(exp, log)).name == "exp -> log"
        with pytest.raises(TypeError, match="at least one"):
            in2out()

    def test_topogroup_optimizer(self, graphs):
        opt = topogroup_optimizer("in_to_out", OpSub(log, neg), OpSub(exp, log), name="all")
        fgraph = graphs(exp(graphs.x))
        assert opt.optimize(fgraph).nb_applied == 1
        assert str(fgraph) == "FunctionGraph(neg(x))"


class TestOpKeyOptimizer:
    def test_it_sees_tracked_nodes_alone(self, graphs):
        watcher = Watcher(exp, type(log))
        OpKeyOptimizer(watcher).optimize(graphs(neg(exp(log(graphs.x)))))
        assert sorted(watcher.seen) == ["exp(log(x))", "log(x)"]

    def test_it_needs_tracks(self):
        with pytest.raises(ValueError, match="Watcher does not say which Ops it tracks"):
            OpKeyOptimizer(Watcher())

    def test_new_trees(self, graphs):
        pattern = PatternSub((exp, (neg, "v")), (exp, "v"))
        for ignore, left in ((True, "exp(neg(x))"), (False, "exp(x)")):
            fgraph = graphs(exp(neg(neg(graphs.x))))
            OpKeyOptimizer(pattern, ignore_newtrees=ignore).optimize(fgraph)
            assert str(fgraph) == f"FunctionGraph({left})"


class TestEndless:
    @pytest.mark.parametrize("navigator", NAVIGATORS[:3], ids=["topo", "back", "key"])
    def test_it_is_an_error(self, graphs, navigator):
        grow = PatternSub((exp, "v"), (exp, (neg, (neg, "v"))), name="grow")
        fgraph = graphs(exp(graphs.x))
        with pytest.raises(DivergenceError, match="grow") as info:
            navigator(grow).optimize(fgraph)
        assert info.value.rewriters == ("grow",)
        fgraph.check_integrity()


def test_print_profile(graphs, capsys):
    opt = in2out(OpSub(exp, log), name="exp_to_log")
    opt.print_profile(sys.stdout, opt.optimize(graphs(exp(graphs.x))), level=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "    TopoOptimizer exp_to_log",
        "        nb_node (start, end, changed) (1, 1, 1)",
    ]
    assert [line.split()[:2] for line in lines[2:]] == [
        ["init", "io_toposort"],
        ["loop", "time"],
        lines[4].split()[:2],
    ]


def sub_of(old, new):
    return PatternSub((old, "v"), (new, "v"))


class TestTransform:
    @pytest.mark.parametrize(
        ("members", "apply_all", "op"),
        [
            ([sub_of(log, exp), sub_of(exp, neg), sub_of(exp, log)], False, neg),
            ([sub_of(log, exp), sub_of(neg, exp)], False, None),
            ([sub_of(neg, log), sub_of(exp, neg)], True, log),
        ],
    )
    def test_the_first_that_can_or_all(self, graphs, members, apply_all, op):
        fgraph = graphs(exp(graphs.x))
        group = LocalOptGroup(*members, apply_all_opts=apply_all)
        found = group.transform(fgraph, fgraph.outputs[0].owner)
        assert (found and found[0].owner.op) == (op or False)
        TopoOptimizer(group).optimize(fgraph)
        assert fgraph.outputs[0].owner.op is (op or exp)

    def test_apply_all_opts_without_end(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(neg, exp), sub_of(exp, neg), apply_all_opts=True)
        with pytest.raises(DivergenceError, match="reached no fixpoint") as info:
            group.transform(graphs(out), out.owner)
        assert info.value.stop_reason == "budget"

    def test_errors_name_the_member(self, graphs):
        out = exp(graphs.x)
        with pytest.raises(LookupError) as info:
            LocalOptGroup(answering(failing)).transform(graphs(out), out.owner)
        assert "raised in the rewriter fixed on the node exp(x)" in info.value.__notes__


def test_tracks_and_depth_of_a_group():
    deep, any_node = PatternSub((exp, (log, "v")), "v"), answering(lambda node: False)
    assert list(LocalOptGroup(sub_of(exp, log), OpSub(log, neg)).tracks()) == [exp, log]
    assert LocalOptGroup(sub_of(exp, log), local_optimizer(None)(lambda *_: False)).tracks() is None
    assert LocalOptGroup(deep, sub_of(exp, log)).depth == 2
    assert LocalOptGroup(deep, any_node).depth is None


def test_profile(graphs):
    first, second = sub_of(log, exp), sub_of(exp, neg)
    second.name = "exp-neg"
    group = LocalOptGroup(first, second, profile=True)
    out = exp(graphs.x)
    group.transform(graphs(out), out.owner)
    assert group.records[second].applied == 1
    assert group.records[first].tried == 0
    stream = io.StringIO()
    group.print_profile(stream)
    assert "1 - exp-neg" in stream.getvalue()


def test_summary_and_str(capsys):
    group = LocalOptGroup(OpSub(exp, log), OpSub(log, neg))
    assert str(group) == "LocalOptGroup(exp -> log,log -> neg)"
    group.print_summary()
    assert len(capsys.readouterr().out.splitlines()) == 3


FIRST, SECOND = in2out(OpSub(exp, log)), in2out(OpSub(log, neg))


@optimizer
def broken(fgraph):
    raise LookupError("nope")


def test_in_order(graphs):
    for opt, result in (
        (SequenceOptimizer(FIRST, SECOND), "neg(x)"),
        (SequenceOptimizer(SECOND, FIRST), "log(x)"),
        (SeqOptimizer([FIRST, SECOND]), "neg(x)"),
    ):
        fgraph = graphs(exp(graphs.x))
        record = opt.optimize(fgraph)
        assert str(fgraph) == f"FunctionGraph({result})"
        assert [step.optimizer for step in record.steps] == list(opt)
        assert [step.index for step in record.steps] == [0, 1]
        assert (record.nodes_before, record.nodes_after) == (1, 1)
    assert SeqOptimizer is SequenceOptimizer


def test_requirements_come_when_they_are_needed(graphs):
    events = []

    class Step(GlobalOptimizer):
        def __init__(self, name):
            self.name = name

        def add_requirements(self, fgraph):
            events.append(f"requirements of {self.name}")

        def apply(self, fgraph):
            events.append(self.name)

    SequenceOptimizer(Step("a"), Step("b")).optimize(graphs(graphs.x))
    assert events == ["requirements of a", "a", "requirements of b", "b"]


def test_failures(graphs):
    with pytest.raises(LookupError) as info:
        SequenceOptimizer(FIRST, broken).optimize(graphs(exp(graphs.x)))
    assert info.value.__notes__ == ["raised in the rewriter broken"]
    calls = []
    opt = SequenceOptimizer(broken, FIRST, failure_callback=lambda *args: calls.append(args))
    fgraph = graphs(exp(graphs.x))
    opt.optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(log(x))"
    assert calls[0][1:] == (opt, broken)
    with pytest.warns(OptimizationWarning, match="broken failed: LookupError"):
        SequenceOptimizer(broken, failure_callback=SequenceOptimizer.warn).optimize(fgraph)


def test_members(capsys):
    opt = SequenceOptimizer(FIRST, SECOND)
    assert len(opt) == 2 and opt[1] is SECOND
    opt.name = "both"
    opt.print_summary()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("SequenceOptimizer both")
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 4, 2, 4]
    with pytest.raises(TypeError, match="through a navigator"):
        SequenceOptimizer(OpSub(exp, log))


ADD_INPLACE = Elemwise(scalar.add, ((0, 0),))

# A graph whose destroyers conflict can't be run, but it can be rewritten: perhaps into one that
# can.


def crossed():
    """Return one in which each of two destroyers reads what the other one overwrites."""
    x, y = at.dvectors("x", "y")
    a, b = at.exp(x), at.exp(y)
    out = at.mul(ADD_INPLACE(a, b), ADD_INPLACE(b, a))
    return FunctionGraph([x, y], [out], [DestroyHandler()], clone=False)


@pytest.mark.parametrize(
    "rewriter",
    [
        in2out(OpSub(at.add, ADD_INPLACE)),
        out2in(OpSub(at.add, ADD_INPLACE)),
        topogroup_optimizer("in_to_out", OpSub(at.add, ADD_INPLACE)),
        *[
            make([OpSub(at.add, ADD_INPLACE)], failure_callback=NavigatorOptimizer.warn_inplace)
            for make in (EquilibriumOptimizer, TopoOptimizer, OpKeyOptimizer)
        ],
    ],
)
def test_what_would_overwrite_an_input_is_left_and_not_tried_again(rewriter):
    x, y = at.dvectors("x", "y")
    out = at.exp(x + at.exp(x + y))
    fgraph = FunctionGraph([x, y], [out], [DestroyHandler()], clone=False)
    rewriter.optimize(fgraph)
    assert fgraph.outputs == [out]
    assert not any(node.op.destroy_map for node in fgraph.apply_nodes)


@local_optimizer([Elemwise])
def without_any_overwriting(fgraph, node):
    if not node.op.inplace_pattern:
        return False
    return [Elemwise(node.op.scalar_op)(*node.inputs)]


def test_it_has_no_order_of_evaluation():
    with pytest.raises(ValueError, match="cycle"):
        crossed().toposort()
    assert len(crossed().toposort(with_orderings=False)) == 5
    fgraph = crossed()
    fgraph.attach_feature(ReplaceValidate())
    with pytest.raises(InconsistencyError, match="overwrites"):
        fgraph.validate()


@pytest.mark.parametrize(
    "rewriter",
    [
        EquilibriumOptimizer([without_any_overwriting]),
        TopoOptimizer(without_any_overwriting),
        in2out(without_any_overwriting),
        out2in(without_any_overwriting),
    ],
)
def test_rewriting_may_resolve_the_conflict(rewriter):
    fgraph = crossed()
    rewriter.optimize(fgraph)
    assert len(fgraph.toposort()) == len(fgraph.apply_nodes)
    fgraph.check_integrity()
    assert not any(node.op.destroy_map for node in fgraph.apply_nodes)


def test_what_does_not_concern_it_is_done():
    fgraph = crossed()
    MergeOptimizer().optimize(fgraph)
    assert len(fgraph.apply_nodes) == 5
    optimize_graph(fgraph)
    assert isinstance(optimize_graph(crossed(), clone=True), FunctionGraph)


def test_it_is_printed_without_positions():
    fgraph = crossed()
    (first, *_) = dprint(fgraph, file="str").splitlines()
    TopoOptimizer(without_any_overwriting).optimize(fgraph)
    (resolved, *_) = dprint(fgraph, file="str").splitlines()
    assert resolved.split()[-1] == "4"
    assert first == resolved.removesuffix(" 4")

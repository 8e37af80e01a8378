"""Optimizers that apply others."""

from __future__ import annotations

import io
import sys

import pytest

import relgraph.tensor as at
from relgraph import dprint, optimize_graph, scalar
from relgraph.graph.basic import Apply
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplacementDidNotRemoveError, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.opt import (
    DivergenceError,
    EquilibriumOptimizer,
    GlobalOptimizer,
    LocalOptGroup,
    LocalOptimizer,
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
from relgraph.scalar import add, complex128, exp, float64, log, mul, neg, true_div
from relgraph.tensor.elemwise import Elemwise


class Split(Op):
    """Two outputs of the type of the input."""

    __props__ = ()

    def make_node(self, a):
        return Apply(self, [a], [a.type(), a.type()])


split = Split()


class LocalSimplify(LocalOptimizer):
    def transform(self, fgraph, node):
        if node.op == true_div:
            x, y = node.inputs
            if x.owner and x.owner.op == mul:
                a, b = x.owner.inputs
                if y == a:
                    return [b]
                elif y == b:
                    return [a]
        return False

    def tracks(self):
        return [true_div]


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


class TestDocument:
    @navigators
    def test_others(self, graphs, navigator):
        x, y, z = graphs.inputs
        fgraph = graphs(add(z, mul(true_div(mul(y, x), y), true_div(z, x))))
        navigator(LocalSimplify()).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(add(z, mul(x, true_div(z, x))))"


class TestAnswers:
    @navigators
    @pytest.mark.parametrize("nothing", [False, None])
    def test_nothing(self, graphs, navigator, nothing):
        fgraph = graphs(exp(graphs.x))
        navigator(answering(lambda node: nothing)).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(exp(x))"

    @navigators
    def test_saying_the_same_again_is_nothing(self, graphs, navigator):
        fgraph = graphs(exp(graphs.x))
        (out,) = fgraph.outputs
        navigator(answering(lambda node: [exp(node.inputs[0])])).optimize(fgraph)
        navigator(answering(lambda node: node.outputs)).optimize(fgraph)
        assert fgraph.outputs == [out]

    @navigators
    def test_none_for_what_nobody_reads(self, graphs, navigator):
        fgraph = graphs(neg(split(graphs.x)[0]))
        navigator(answering(lambda node: [log(node.inputs[0]), None], [split])).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(neg(log(x)))"

    @navigators
    def test_none_for_what_is_read(self, graphs, navigator):
        fgraph = graphs(add(*split(graphs.x)))
        before = str(fgraph)
        with pytest.raises(ValueError, match="fixed gave no replacement for output 1"):
            navigator(answering(lambda node: [node.inputs[0], None], [split])).optimize(fgraph)
        assert str(fgraph) == before

    @navigators
    def test_wrong_length(self, graphs, navigator):
        fgraph = graphs(exp(graphs.x))
        with pytest.raises(ValueError, match="fixed answered with 2 replacements for exp"):
            navigator(answering(lambda node: node.inputs * 2)).optimize(fgraph)

    @navigators
    def test_wrong_kind(self, graphs, navigator):
        fgraph = graphs(exp(graphs.x))
        with pytest.raises(TypeError, match=r"fixed answered .* expected False, a list"):
            navigator(answering(lambda node: node.inputs[0])).optimize(fgraph)

    @navigators
    def test_dicts_replace_anything(self, graphs, navigator):
        x, y = graphs.x, graphs.y
        other = neg(y)
        fgraph = graphs(add(exp(x), other))
        done = []

        def once(node):
            return False if done else done.append(1) or {other: log(y)}

        navigator(answering(once)).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(add(exp(x), log(y)))"

    @navigators
    def test_dicts_of_strangers(self, graphs, navigator):
        fgraph = graphs(exp(graphs.x))
        with pytest.raises(ValueError, match="not a variable of the graph"):
            navigator(answering(lambda node: {float64("stranger"): graphs.y})).optimize(fgraph)

    @navigators
    def test_remove(self, graphs, navigator):
        inner = exp(graphs.x)
        fgraph = graphs(add(log(inner), neg(inner)))

        def answer(node):
            return {node.outputs[0]: graphs.x, "remove": [inner]}

        before = str(fgraph)
        with pytest.raises(ReplacementDidNotRemoveError):
            navigator(answering(answer, [log])).optimize(fgraph)
        assert str(fgraph) == before
        fgraph = graphs(log(inner))
        navigator(answering(answer, [log])).optimize(fgraph)
        assert fgraph.outputs == [graphs.x]

    @navigators
    def test_misfit_names_all(self, graphs, navigator):
        fgraph = graphs(exp(graphs.x))
        with pytest.raises(TypeError) as info:
            navigator(answering(lambda node: [complex128("c")])).optimize(fgraph)
        for part in ("fixed", "exp(x)", str(graphs.x.type), str(complex128)):
            assert part in str(info.value)
        assert str(fgraph) == "FunctionGraph(exp(x))"

    @navigators
    def test_a_term_may_read_what_it_replaces(self, graphs, navigator):
        fgraph = graphs(neg(exp(graphs.x)))
        done = []

        def once(node):
            return False if done else done.append(1) or [log(node.outputs[0])]

        navigator(answering(once)).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(neg(log(exp(x))))"
        fgraph.check_integrity()


class TestFailures:
    @navigators
    def test_exceptions_keep_their_class_and_name_the_rewriter(self, graphs, navigator):
        fgraph = graphs(neg(exp(graphs.x)))

        def broken(node):
            raise LookupError("nope")

        with pytest.raises(LookupError, match="nope") as info:
            navigator(answering(broken)).optimize(fgraph)
        assert info.value.__notes__ == ["raised in the rewriter fixed on the node exp(x)"]
        fgraph.check_integrity()

    @navigators
    def test_missing_inputs_leave_the_graph(self, graphs, navigator):
        fgraph = graphs(add(*split(graphs.x)))
        before, stranger = str(fgraph), float64("stranger")
        local = answering(lambda node: [log(graphs.x), neg(stranger)], [split])
        with pytest.raises(MissingInputError, match="stranger"):
            navigator(local).optimize(fgraph)
        assert str(fgraph) == before
        fgraph.check_integrity()

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
        new = neg(float64("stranger"))
        nav = navigator(answering(lambda node: [new]), failure_callback=lambda *a: calls.append(a))
        nav.optimize(fgraph)
        assert isinstance(calls[0][0], MissingInputError)
        assert calls[0][2] == [(fgraph.outputs[0], new)]

    def test_warn(self, graphs):
        def broken(node):
            raise LookupError("nope")

        fgraph = graphs(exp(graphs.x))
        nav = TopoOptimizer(answering(broken), failure_callback=NavigatorOptimizer.warn)
        with pytest.warns(OptimizationWarning, match=r"fixed failed on exp\(x\): LookupError"):
            nav.optimize(fgraph)

    @pytest.mark.parametrize(
        ("callback", "error"),
        [
            (NavigatorOptimizer.warn_inplace, InconsistencyError),
            (NavigatorOptimizer.warn_ignore, LookupError),
        ],
    )
    def test_silent_ones(self, graphs, callback, error):
        def broken(node):
            raise error("nope")

        TopoOptimizer(answering(broken), failure_callback=callback).optimize(graphs(exp(graphs.x)))

    def test_warn_inplace_warns_of_the_rest(self, graphs):
        def broken(node):
            raise LookupError("nope")

        nav = TopoOptimizer(answering(broken), failure_callback=NavigatorOptimizer.warn_inplace)
        with pytest.warns(OptimizationWarning):
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

    def test_in_to_out(self, graphs):
        assert self.visits(graphs, "in_to_out", True) == ["exp", "true_div"]
        assert self.visits(graphs, "in_to_out", False) == ["exp", "true_div", "log", "neg"]

    def test_out_to_in(self, graphs):
        assert self.visits(graphs, "out_to_in", True) == ["true_div", "exp"]
        assert self.visits(graphs, "out_to_in", False) == ["true_div", "exp", "neg", "log"]

    def test_auto_asks_the_local_optimizer(self):
        assert NavigatorOptimizer.__init__.__defaults__[0] == "auto"
        assert TopoOptimizer(OpSub(exp, log), ignore_newtrees="auto").ignore_newtrees is True
        assert TopoOptimizer(LocalSimplify(), ignore_newtrees="auto").ignore_newtrees is False

    def test_unknown_order(self):
        with pytest.raises(ValueError, match="order must be"):
            TopoOptimizer(LocalSimplify(), order="sideways")

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

    def test_laws_are_taken_by_their_forward_direction(self, graphs):
        class LawLike:
            forward = OpSub(exp, log)

        fgraph = graphs(exp(graphs.x))
        in2out(LawLike()).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(log(x))"


class TestOpKeyOptimizer:
    def test_it_sees_tracked_nodes_alone(self, graphs):
        seen = []

        @local_optimizer([exp, type(log)])
        def local(fgraph, node):
            seen.append(node.op)
            return False

        OpKeyOptimizer(local).optimize(graphs(neg(exp(log(graphs.x)))))
        assert set(seen) == {exp, log} and len(seen) == 2

    def test_it_needs_tracks(self):
        @local_optimizer(None)
        def local(fgraph, node):
            return False

        with pytest.raises(ValueError, match="local does not say which Ops it tracks"):
            OpKeyOptimizer(local)

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
    def test_the_first_that_can(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(log, exp), sub_of(exp, neg), sub_of(exp, log))
        (new,) = group.transform(graphs(out), out.owner)
        assert new.owner.op is neg

    def test_none_that_can(self, graphs):
        out = add(graphs.x, graphs.y)
        group = LocalOptGroup(sub_of(log, exp), sub_of(exp, neg))
        assert group.transform(graphs(out), out.owner) is False

    def test_apply_all_opts(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(neg, log), sub_of(exp, neg), apply_all_opts=True)
        (new,) = group.transform(graphs(out), out.owner)
        assert new.owner.op is log
        fgraph = graphs(out)
        TopoOptimizer(group).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(log(x))"

    def test_apply_all_opts_without_end(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(neg, exp), sub_of(exp, neg), apply_all_opts=True)
        with pytest.raises(DivergenceError, match="reached no fixpoint") as info:
            group.transform(graphs(out), out.owner)
        assert info.value.stop_reason == "budget"

    def test_errors_name_the_member(self, graphs):
        @local_optimizer([exp])
        def broken(fgraph, node):
            raise ZeroDivisionError("oh")

        out = exp(graphs.x)
        with pytest.raises(ZeroDivisionError) as info:
            LocalOptGroup(broken).transform(graphs(out), out.owner)
        assert "raised in the rewriter broken on the node exp(x)" in info.value.__notes__


class TestTracks:
    def test_union(self):
        assert list(LocalOptGroup(sub_of(exp, log), OpSub(log, neg)).tracks()) == [exp, log]

    def test_anything(self):
        @local_optimizer(None)
        def any_node(fgraph, node):
            return False

        assert LocalOptGroup(sub_of(exp, log), any_node).tracks() is None

    def test_depth(self):
        deep = PatternSub((exp, (log, "v")), "v")
        assert LocalOptGroup(deep, sub_of(exp, log)).depth == 2

        @local_optimizer([exp])
        def unknown(fgraph, node):
            return False

        assert LocalOptGroup(deep, unknown).depth is None


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


# A graph whose destroyers conflict can't be run, but it can be rewritten: perhaps into one that
# can.


def crossed():
    """Return one in which each of two destroyers reads what the other one overwrites."""
    x, y = at.dvectors("x", "y")
    a, b = at.exp(x), at.exp(y)
    add_inplace = Elemwise(scalar.add, ((0, 0),))
    out = at.mul(add_inplace(a, b), add_inplace(b, a))
    return FunctionGraph([x, y], [out], [DestroyHandler()], clone=False)


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

import re
import sys

import pytest

from relgraph.graph.basic import Apply
from relgraph.graph.features import ReplacementDidNotRemoveError
from relgraph.graph.op import Op
from relgraph.graph.opt import (
    DivergenceError,
    EquilibriumOptimizer,
    LocalOptimizer,
    NavigatorOptimizer,
    OpKeyOptimizer,
    OpSub,
    OptimizationWarning,
    PatternSub,
    TopoOptimizer,
    in2out,
    local_optimizer,
    out2in,
    topogroup_optimizer,
)
from relgraph.graph.utils import InconsistencyError, MissingInputError
from relgraph.scalar import add, complex128, exp, float64, log, mul, neg, true_div


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
    def test_topo_optimizer(self, graphs):
        x, y, z = graphs.inputs
        fgraph = graphs(add(z, mul(true_div(mul(y, x), y), true_div(z, x))))
        record = TopoOptimizer(LocalSimplify()).optimize(fgraph)
        start = r"\(<relgraph\.graph\.opt\.TopoOptimizer object at 0x[0-9a-f]+>, 1, 5, 3, "
        assert re.match(start, repr(record))
        assert len(record) == 7
        assert str(fgraph) == "FunctionGraph(add(z, mul(x, true_div(z, x))))"

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

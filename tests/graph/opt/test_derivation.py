"""Derivations: what is taken down, how it reads, and that it can be replayed."""

from __future__ import annotations

from typing import Any

import pytest

from relgraph.graph.basic import equal_computations
from relgraph.graph.features import Feature, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import law, logic_variables
from relgraph.graph.notation import algebra
from relgraph.graph.opt import (
    Derivation,
    EquilibriumOptimizer,
    MergeOptimizer,
    OpSub,
    Recorder,
    SequenceOptimizer,
    in2out,
    optimizer,
)
from relgraph.graph.utils import InconsistencyError
from relgraph.scalar import add, cos, exp, float64, log, neg, sin
from relgraph.scalar.type import ScalarVariable

u, v = logic_variables("u v", ScalarVariable._ops)
log_exp = law("log-exp", log(exp(u)), u, sound="finite")
distribute = law("distribute", u * (v + 1), u * v + u, sound="finite")
stable = law("stable-law", sin(u), cos(u), sound="stable")


def traced(fgraph: FunctionGraph, *optimizers: Any) -> Derivation:
    recorder = Recorder()
    fgraph.attach_feature(recorder)
    for item in optimizers:
        item.optimize(fgraph)
    fgraph.remove_feature(recorder)
    return recorder.derivation(optimizers)


def same(a: FunctionGraph, b: FunctionGraph) -> bool:
    a.check_integrity()
    b.check_integrity()
    return equal_computations(a.outputs, b.outputs, a.inputs, b.inputs)


def checked(fgraph: FunctionGraph, *optimizers: Any) -> Derivation:
    """Trace, and check that the derivation leads from the start to the end."""
    original = fgraph.clone()
    derivation = traced(fgraph, *optimizers)
    assert same(derivation.start(), original)
    assert same(derivation.replay(original.clone()), fgraph)
    assert same(derivation.replay(), fgraph)
    assert same(derivation.replay(original.clone(), steps=0), original)
    return derivation


def test_steps_in_order(graphs: Any) -> None:
    x, y = graphs.x, graphs.y
    steps = checked(graphs(neg(log(exp(sin(x))))), EquilibriumOptimizer([log_exp, stable]))
    assert str(steps) == "1. stable-law: sin(x) → cos(x)\n2. log-exp: log(exp(cos(x))) → cos(x)"
    assert len(steps) == 2 and list(steps) == [steps[0], steps[1]] == [*steps[:2]]
    assert steps[-1] is steps[1]
    with pytest.raises(IndexError):
        steps[2]
    first, second = steps
    assert (first.name, first.direction, first.sound) == ("stable-law", "forward", "stable")
    assert (second.before, second.after, second.built) == ("log(exp(cos(x)))", "cos(x)", False)
    assert second.where == ("argument 0 of neg",)
    assert repr(steps) == str(steps)
    assert y is not x


def test_directions(graphs: Any) -> None:
    x, y = graphs.x, graphs.y
    (step,) = checked(graphs(x * (y + 1)), in2out(distribute))
    assert (step.name, step.direction, step.sound) == ("distribute", "forward", "finite")
    (step,) = checked(graphs(x * y + x), in2out(distribute.backward))
    assert (step.name, step.direction, step.sound) == ("distribute", "backward", "finite")
    assert str(step) == "1. distribute (backward): x * y + x → x * (y + 1.0)"
    (step,) = checked(graphs(cos(x)), in2out(stable.backward))
    # what it claims, it claims of the forward direction
    assert (step.direction, step.sound) == ("backward", None)
    (step,) = checked(graphs(cos(x)), in2out(OpSub(cos, sin)))
    assert (step.direction, step.sound) == (None, None)


def test_where(graphs: Any) -> None:
    x = graphs.x
    shared = log(exp(x))
    (step,) = checked(graphs(shared, add(shared, graphs.y)), in2out(log_exp))
    assert step.where == ("argument 0 of add", "output 0") or step.where == (
        "output 0",
        "argument 0 of add",
    )


def test_merges(graphs: Any) -> None:
    x, y = graphs.x, graphs.y
    steps = checked(graphs(exp(x) + 2.0, exp(x) + 2.0, sin(y)), MergeOptimizer())
    assert {s.name for s in steps} == {"MergeOptimizer"}
    assert "MergeOptimizer: exp(x) is kept once" in str(steps)
    assert "MergeOptimizer: 2.0 is kept once" in str(steps)
    assert not any(s.built for s in steps)
    in_passing = checked(graphs(exp(x), exp(x), log(exp(y))), EquilibriumOptimizer([log_exp]))
    assert sorted(s.name for s in in_passing) == ["MergeOptimizer", "log-exp"]


def test_global_optimizers_and_those_that_give_no_reason(graphs: Any) -> None:
    @optimizer
    def by_hand(fgraph: Any) -> None:
        fgraph.replace(fgraph.outputs[0], sin(fgraph.inputs[0]), reason="by hand")
        fgraph.change_node_input("output", 1, cos(fgraph.inputs[0]))

    steps = checked(graphs(exp(graphs.x), log(graphs.x)), by_hand)
    assert [s.name for s in steps] == ["by hand", "(unnamed)"]
    assert [s.where for s in steps] == [("output 0",), ("output 1",)]


def test_what_is_undone_leaves_no_trace(graphs: Any) -> None:
    class Strict(Feature):
        def validate(self, fgraph: FunctionGraph) -> None:
            if any(node.op is sin for node in fgraph.apply_nodes):
                raise InconsistencyError("no sin")

    fgraph = graphs(exp(cos(graphs.x)), cos(graphs.x), features=[ReplaceValidate(), Strict()])
    original = FunctionGraph(fgraph.inputs, fgraph.outputs)
    recorder = Recorder()
    fgraph.attach_feature(recorder)
    with pytest.raises(InconsistencyError):
        pairs = [(v, sin(graphs.y)) for v in (fgraph.outputs[1], fgraph.outputs[0])]
        fgraph.replace_all_validate(pairs, reason="rejected")
    fgraph.replace_validate(fgraph.outputs[1], neg(graphs.z), reason="accepted")
    steps = recorder.derivation()
    assert [s.name for s in steps] == ["accepted"]
    assert same(steps.replay(original), fgraph)


def test_inputs_and_outputs_that_come_and_go(graphs: Any) -> None:
    new = float64("new")
    fgraph = graphs(exp(graphs.x), log(graphs.y))
    original = FunctionGraph(fgraph.inputs, fgraph.outputs)
    recorder = Recorder()
    fgraph.attach_feature(recorder)
    fgraph.replace(fgraph.outputs[0], sin(new), reason="more", import_missing=True)
    fgraph.add_output(cos(graphs.z), reason="an output")
    fgraph.remove_output(1, reason="one less")
    fgraph.remove_input(1)
    fgraph.add_input(float64("unused"))
    steps = recorder.derivation()
    replayed = steps.replay(original)
    assert [v.name for v in replayed.inputs] == ["x", "z", "new", "unused"]
    assert same(replayed, fgraph)
    with pytest.raises(IndexError, match="replaces no variable"):
        steps.graphs(1)


def test_steps_as_graphs(graphs: Any) -> None:
    x, y = graphs.x, graphs.y
    rewrites = SequenceOptimizer(in2out(distribute), EquilibriumOptimizer([log_exp, stable]))
    steps = checked(graphs(log(exp(x * (sin(y) + 1)))), rewrites)
    assert len(steps) >= 3
    for i, step in enumerate(steps):
        before, after = steps.graphs(i)
        assert (algebra(before), algebra(after)) == (step.before, step.after)
    assert [algebra(g) for g in steps.graphs(-1)] == [steps[-1].before, steps[-1].after]


def test_another_graph_is_refused(graphs: Any) -> None:
    x, y = graphs.x, graphs.y
    steps = traced(graphs(log(exp(x + 1.0))), EquilibriumOptimizer([log_exp]))
    for other, text in (
        (graphs(log(sin(x + 1.0))), "its node 1 applies sin, not exp"),
        (graphs(log(exp(x + 2.0))), "2.0"),
        (graphs(log(exp(y + 1.0))), "its node 0, which applies add, has other inputs"),
        (graphs(log(exp(x + 1.0)), x), "it has 2 outputs, not 1"),
        (FunctionGraph([x], [log(exp(x + 1.0))], clone=False), "it has 1 inputs, not 3"),
        (graphs(exp(x + 1.0)), "nodes"),
    ):
        with pytest.raises(ValueError, match="not the graph that the derivation starts from") as e:
            steps.replay(other)
        assert text in str(e.value)


def test_walking(graphs: Any) -> None:
    def view(outputs: Any, changed: Any) -> tuple[str, str]:
        return algebra(outputs[0]), algebra(changed)

    steps = traced(graphs(log(exp(graphs.x)) + 1.0), in2out(log_exp))
    ((step, before, after),) = steps.walk(view)
    assert step is steps[0]
    assert before == ("log(exp(x)) + 1.0", "log(exp(x))") and after == ("x + 1.0", "x")


def test_long_chains(graphs: Any) -> None:
    out = graphs.x
    for _ in range(600):
        out = log(exp(sin(out)))
    fgraph = graphs(out)
    steps = checked(fgraph, EquilibriumOptimizer([log_exp]))
    assert len(steps) == 600
    assert all(len(str(step)) < 250 for step in steps)


def test_a_recorder_serves_one_graph(graphs: Any) -> None:
    recorder = Recorder()
    with pytest.raises(ValueError, match="has not been attached"):
        recorder.derivation()
    graphs(exp(graphs.x)).attach_feature(recorder)
    with pytest.raises(ValueError, match="one graph"):
        graphs(exp(graphs.x)).attach_feature(recorder)
    assert recorder.clone() is not recorder

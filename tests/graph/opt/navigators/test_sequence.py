import pytest

from relgraph.graph.opt import (
    GlobalOptimizer,
    OpSub,
    OptimizationWarning,
    SeqOptimizer,
    SequenceOptimizer,
    in2out,
    optimizer,
)
from relgraph.scalar import exp, log, neg

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

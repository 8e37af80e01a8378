"""Profiles of optimizers, as reports and as data."""

import io
import re

from relgraph.graph.opt import (
    EquilibriumOptimizer,
    OpSub,
    PatternSub,
    SequenceOptimizer,
    in2out,
    local_optimizer,
)
from relgraph.scalar import exp, log, neg, sub
from tests.graph.toys import Watcher


@local_optimizer([sub])
def sub_self(fgraph, node):
    # a pattern would be ruled out by the ops of the inputs, and not be tried at all
    return [0.0] if node.inputs[0] is node.inputs[1] else False


sub_self.depth = 1


def test_the_passes_and_the_rewriters_of_an_equilibrium(graphs):
    rules = [
        PatternSub((neg, (neg, "v")), "v", name="neg_neg"),
        PatternSub((log, "v"), (neg, (neg, (exp, "v"))), name="log_exp"),
        sub_self,
    ]
    record = EquilibriumOptimizer(rules).optimize(graphs(sub(log(graphs.x), graphs.y)))
    stream = io.StringIO()
    EquilibriumOptimizer.print_profile(stream, record)
    lines = re.sub(r"\d+\.\d+", "#", stream.getvalue()).splitlines()
    assert lines[:10] == [
        "EquilibriumOptimizer",
        "  time #s for 3 passes",
        "  nb nodes (start, end, max) 2 2 4",
        "  time io_toposort #s",
        "  time in local optimizers #s",
        "  time in global optimizers #s",
        "   0 - #s 1 (#s in global opts, #s io_toposort) - 2 nodes - ('log_exp', 1)",
        "   1 - #s 1 (#s in global opts, #s io_toposort) - 4 nodes - ('neg_neg', 1)",
        "   2 - #s 0 (#s in global opts, #s io_toposort) - 2 nodes -",
        "  times - times applied - nb node created - name:",
    ]
    unused = "in 1 optimization that where not used (display only those with a runtime > 0)"
    assert {"  #s - 1 - 3 - log_exp", "  #s - 1 - 0 - neg_neg", f"  #s - {unused}"} < {*lines}
    assert "    #s - sub_self" in lines


def test_steps_are_sorted_by_time(graphs):
    opt = SequenceOptimizer(*[in2out(OpSub(exp, log), name=f"step{i}") for i in range(4)])
    record = opt.optimize(graphs(exp(graphs.x)))
    for step, seconds in zip(record.steps, (2.0, 4.0, 1.0, 3.0), strict=True):
        step.time = seconds
    stream = io.StringIO()
    opt.print_profile(stream, record)
    assert re.findall(r"\('(step\d)'", stream.getvalue()) == ["step1", "step3", "step0", "step2"]


def test_many_rewriters_in_a_pass_are_cut_short(graphs):
    rules = [PatternSub((exp, (neg, "v")), "v", name="r0")]
    fgraph = graphs(graphs.x)
    record = EquilibriumOptimizer(rules).optimize(fgraph)
    record.passes[0].applied.update({f"r{i}": i + 1 for i in range(8)})
    stream = io.StringIO()
    EquilibriumOptimizer.print_profile(stream, record)
    assert "('r7', 8) ('r6', 7) ('r5', 6) ('r4', 5) ('r3', 4) ..." in stream.getvalue()


def test_data(graphs):
    fgraph = graphs(neg(neg(graphs.x)))
    record = EquilibriumOptimizer([PatternSub((neg, (neg, "v")), "v", name="nn")]).optimize(fgraph)
    (one,) = record.rewriters.values()
    assert (one.name, one.applied, one.created) == ("nn", 1, 0)
    # the inner one is not tried: the op of its input can't match
    assert one.tried == 1 and one.time > 0
    assert record.time >= record.time_local > 0
    assert [p.nodes for p in record.passes] == [2]


def test_on_a_large_graph_a_sample_is_timed(graphs):
    out = graphs.x
    for _ in range(600):
        out = log(exp(out))
    fgraph, watcher = graphs(out), Watcher()
    (one,) = EquilibriumOptimizer([watcher]).optimize(fgraph).rewriters.values()
    assert len(watcher.seen) == 1200
    assert abs(one.tried - 1200) < 31 and one.time > 0
    fgraph.profile = object()
    (exact,) = EquilibriumOptimizer([watcher]).optimize(fgraph).rewriters.values()
    assert exact.tried == 1200

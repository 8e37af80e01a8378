"""How often an equilibrium visits a node, and the error when that is too often."""

import pytest

from relgraph.graph.basic import Constant
from relgraph.graph.opt import (
    DivergenceError,
    EquilibriumOptimizer,
    PatternSub,
    limits,
    local_optimizer,
)
from relgraph.graph.opt.limits import VISITS_AT_LEAST, VISITS_PER_NODE
from relgraph.scalar import abs, add, exp, float64, mul, neg, sub


def visits_by_node(record):
    return record.visits / (record.nodes_start + record.made)


def watching(op, depth=4):
    """Return a rewriter that looks deep and does nothing."""

    @local_optimizer([op])
    def watch(fgraph, node):
        return False

    watch.depth = depth
    return watch


def ladder(x, y, steps):
    for _ in range(steps):
        x, y = y, add(x, neg(neg(y)))
    return y


NEG_NEG = PatternSub((neg, (neg, "x")), "x", name="neg_neg")


@pytest.mark.parametrize("ignore_newtrees", [True, False])
def test_a_ladder_of_sums_is_climbed_once(graphs, ignore_newtrees):
    x, y, _ = graphs.inputs
    found = []
    for steps in (50, 400):
        optimizer = EquilibriumOptimizer([NEG_NEG, watching(add)], ignore_newtrees=ignore_newtrees)
        record = optimizer.optimize(graphs(ladder(x, y, steps)))
        assert record.applied == {"neg_neg": steps}
        found.append(visits_by_node(record))
    assert max(found) < 4
    assert found[1] < 1.1 * found[0]


@local_optimizer([mul])
def count_on(fgraph, node):
    """Replace a factor, again and again in the same place."""
    number = node.inputs[1]
    if not isinstance(number, Constant) or number.data > 100:
        return False
    return [mul(node.inputs[0], float(number.data) + 1.0)]


count_on.depth = 1


def fan(graphs):
    """Return a graph of 300 readers of what `count_on` rewrites 100 times."""
    value = exp(mul(graphs.x, 1.0))
    factors = [float64(f"k{i}") for i in range(300)]
    graphs.inputs = [*graphs.inputs, *factors]
    return graphs(*[abs(mul(value, k)) for k in factors])


@pytest.mark.parametrize("ignore_newtrees", [True, False])
def test_many_readers_wait_for_the_end_of_many_rewrites(graphs, ignore_newtrees):
    optimizer = EquilibriumOptimizer(
        [count_on, watching(abs), watching(mul)], ignore_newtrees=ignore_newtrees
    )
    record = optimizer.optimize(fan(graphs))
    assert record.applied["count_on"] == 100
    assert record.visits < 20 * (record.nodes_start + record.made)


def test_a_visit_puts_no_other_node_in_the_queue(graphs):
    x, y, _ = graphs.inputs
    optimizer = EquilibriumOptimizer([watching(op) for op in (add, mul, sub, neg)])
    record = optimizer.optimize(graphs(ladder(x, y, 200)))
    assert record.visits == record.nodes_start
    assert record.calls == record.nodes_start
    assert record.made == 0


def test_too_many_visits_are_an_error(graphs, monkeypatch):
    x, y, _ = graphs.inputs
    monkeypatch.setattr(limits, "VISITS_AT_LEAST", 0)
    monkeypatch.setattr(limits, "VISITS_PER_NODE", 0)
    optimizer = EquilibriumOptimizer([NEG_NEG, watching(add)], ignore_newtrees=True)
    with pytest.raises(DivergenceError, match=r"has visited nodes \d+ times") as caught:
        optimizer.optimize(graphs(ladder(x, y, 50)))
    error = caught.value
    assert error.stop_reason == error.record.stop_reason == "visits"
    assert error.rewriters == ("neg_neg",)
    assert "neg_neg" in str(error)


def test_the_nodes_that_are_visited_most_are_named(graphs, monkeypatch):
    optimizer = EquilibriumOptimizer([count_on, watching(abs), watching(mul)])
    graph = fan(graphs)
    monkeypatch.setattr(limits, "VISITS_AT_LEAST", 5_000)
    monkeypatch.setattr(limits, "VISITS_PER_NODE", 0)
    with pytest.raises(DivergenceError, match=r"(?s)count_on.*\n  (abs|mul)\(.*: \d+ times"):
        optimizer.optimize(graph)


def test_the_bound_is_the_one_that_is_documented():
    bound = f"{VISITS_AT_LEAST} + {VISITS_PER_NODE} * (nodes + nodes made)"
    assert bound in EquilibriumOptimizer.__doc__

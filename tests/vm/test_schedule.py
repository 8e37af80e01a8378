"""The order of execution."""

from relgraph.graph.fg import FunctionGraph
from relgraph.scalar import add, exp, float64, mul
from relgraph.vm.schedule import schedule


def test_order_and_lifetimes() -> None:
    x, y = float64("x"), float64("y")
    s = add(x, y)
    e = exp(s)
    out = mul(e, s)
    fgraph = FunctionGraph([x, y], [out, e], clone=False)
    plan = schedule(fgraph)
    assert [node.op for node in plan.nodes] == [add, exp, mul]
    assert plan.last_use == {x: 0, y: 0, s: 2}, "outputs are kept"
    assert [set(dead) for dead in plan.dead_after] == [{x, y}, set(), {s}]


def test_a_value_that_nobody_reads_is_dropped_where_it_is_made() -> None:
    x, unused = float64("x"), float64("unused")
    plan = schedule(FunctionGraph([x, unused], [exp(x)], clone=False))
    assert plan.last_use[unused] == -1
    assert plan.dead_after == [[x]]

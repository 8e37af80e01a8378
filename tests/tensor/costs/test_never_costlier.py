"""`NeverCostlier`: what it counts, whom it names, and what it lets pass."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph import Mode, config, function, optimize_graph, scan
from relgraph.compile.optimize import cost_check
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import law
from relgraph.graph.opt import EquilibriumOptimizer, MergeOptimizer
from relgraph.tensor.costs import CostlierError, NeverCostlier, cost_of, operations
from relgraph.tensor.lawkit.vocabulary import lvars

a, b, c = lvars("a b c")
x, y, z = at.dvectors("x", "y", "z")

DISTRIBUTE = law("distribute", a * (b + c), a * b + a * c, sound="finite")
FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")


def watched(outputs, **kwargs):
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    check = NeverCostlier(**kwargs)
    fgraph.attach_feature(ReplaceValidate())
    fgraph.attach_feature(check)
    return fgraph, check


def test_the_law_the_node_and_both_costs_are_named():
    fgraph, _ = watched([x * (y + z)])
    with pytest.raises(CostlierError, match=r"distribute .*300 .*200: mul\(x, add\(y, z\)\) bec"):
        EquilibriumOptimizer([DISTRIBUTE]).optimize(fgraph)
    assert fgraph.outputs[0].owner.op is at.mul  # it was undone


def test_what_saves_operations_passes():
    fgraph, check = watched([x * y + x * z])
    EquilibriumOptimizer([FACTOR]).optimize(fgraph)
    check.finish(fgraph)
    assert check.total == 200


def test_what_is_read_elsewhere_is_not_saved():
    fgraph, check = watched([x * y + x * z, x * y, x * z])
    assert check.total == 300
    with pytest.raises(CostlierError, match="factor"):
        EquilibriumOptimizer([FACTOR]).optimize(fgraph)


def test_a_price_is_paid_and_a_debt_is_due_at_the_end():
    fgraph, check = watched([x * (y + z)], priced=["distribute"])
    EquilibriumOptimizer([DISTRIBUTE]).optimize(fgraph)
    check.finish(fgraph)
    assert check.paid == {"distribute": 100}
    fgraph, check = watched([x * (y + z)], investing=["distribute"])
    EquilibriumOptimizer([DISTRIBUTE]).optimize(fgraph)
    with pytest.raises(CostlierError, match=r"distribute .* saved again"):
        check.finish(fgraph)
    EquilibriumOptimizer([FACTOR]).optimize(fgraph)
    check.finish(fgraph)


def test_equal_nodes_count_once_before_they_are_merged():
    twice = [at.exp(x) * y, at.exp(x) * z]
    fgraph, check = watched(twice)
    assert check.total == cost_of(twice, operations) == 2200
    MergeOptimizer().optimize(fgraph)
    check.finish(fgraph)
    assert check.total == 2200


@pytest.mark.parametrize("first", [0, 1])
def test_equal_nodes_are_replaced_one_after_the_other(first):
    fgraph, check = watched([at.exp((x + y) * z), at.sin((x + y) * z)])
    mul = [out.owner.inputs[0] for out in fgraph.outputs]
    for var in (mul[first], mul[1 - first]):
        p, q = var.owner.inputs
        fgraph.replace_all_validate([(var, q * p)], reason="swap")
    check.finish(fgraph)
    assert check.total == 2 * 2000 + 200


def test_replacements_of_a_pass_are_judged_together():
    fgraph, check = watched([at.exp(x) * y, at.exp(x) + z])
    for out in list(fgraph.outputs):
        old = out.owner.inputs[0]
        (v,) = old.owner.inputs
        fgraph.replace(old, at.exp(at.abs(v)), reason="a pass")
    with pytest.raises(CostlierError, match="a pass"):
        check.finish(fgraph)


def test_users_ask_for_it_by_a_setting():
    with config.change_flags(check_costs=True):
        function([x, y, z], x * (y + z))
        assert optimize_graph(x * y + x * z, include=(), custom_opt=FACTOR).owner.op is at.mul
        with pytest.raises(CostlierError, match="distribute"):
            optimize_graph(x * (y + z), include=(), custom_opt=DISTRIBUTE)
    optimize_graph(x * (y + z), include=(), custom_opt=DISTRIBUTE)


def test_the_step_of_a_loop_is_watched_too():
    rows, first = at.dmatrix("rows"), at.dvector("first")
    states, _ = scan(lambda row, state: row * (state + first), rows, first)
    with config.change_flags(check_costs=True):
        mode = Mode().including(DISTRIBUTE)
        with pytest.raises(CostlierError, match="distribute"):
            function([rows, first], states, mode)
        function([rows, first], states)


def test_laws_for_accuracy_have_a_price():
    assert {"log1p", "sigmoid", "log-mul"} <= set(cost_check().priced)
    assert "mul-neg" in cost_check().investing
    assert "collect-powers" not in {*cost_check().priced, *cost_check().investing}

"""What graphs cost, and that no mode makes them cost more."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph import Mode, config, function, optimize_graph, scan
from relgraph.compile import get_mode
from relgraph.compile.optimize import cost_check
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import law
from relgraph.graph.opt import EquilibriumOptimizer, MergeOptimizer
from relgraph.search import Measured, bytes_moved, calls, cost_of, flops
from relgraph.tensor.costs import CostlierError, Lengths, NeverCostlier, operations

x, y = at.dvectors("x", "y")
A, B = at.dmatrices("A", "B")
SHAPES = {x: (7,), y: (7,), A: (7, 5), B: (5, 3)}

COUNTED = {
    "a sum": (x + y, 7),
    "of three": (at.add(x, y, x), 14),
    "a quotient": (x / y, 28),
    "an exponential": (at.exp(x), 140),
    "what is there twice counts once": (at.exp(x) * at.exp(x), 147),
    "a product of matrices": (A @ B, 2 * 7 * 5 * 3),
    "with a vector": (x @ A, 2 * 7 * 5),
    "of vectors": (x @ y, 14),
    "a reduction": (at.sum(A, axis=0), 35),
    "a view is free": (A.T[1:], 0),
    "an inverse": (at.linalg.inv(A @ A.T), 2 * 7 * 5 * 7 + 2 * 7**3),
    "a system": (at.linalg.solve(A @ A.T, x), 2 * 7 * 5 * 7 + 2 / 3 * 7**3 + 2 * 7 * 7),
}


@pytest.mark.parametrize("case", COUNTED.values(), ids=COUNTED)
def test_operations_are_counted(case: tuple[object, float]) -> None:
    graph, count = case
    assert cost_of(graph, flops, SHAPES) == pytest.approx(count, abs=0.1)


def test_fused_and_blas_nodes_cost_what_they_do() -> None:
    for graph in (at.exp(x) * y + x, y + x @ A @ A.T, A @ B + A @ B * 2):
        fused = optimize_graph(graph, include=["fast_run"], clone=True)
        plain = get_mode("fast_run").excluding("elemwise_fusion", "gemm", "dot22", "inplace")
        unfused = optimize_graph(graph, include=(), custom_opt=plain.optimizer, clone=True)
        lengths = {v: SHAPES[v] for v in (x, y, A, B)}
        for each in (fused, unfused):
            assert cost_of(each, flops, lengths) == pytest.approx(
                cost_of(unfused, flops, lengths), rel=0.5
            )


def test_lengths_are_given_inferred_or_taken_for_one_number() -> None:
    assert cost_of(x + 1, flops, 9) == pytest.approx(9, abs=0.1)
    assert cost_of(at.sum(A, axis=1) + 1, flops, {A: (4, 6)}) == pytest.approx(28, abs=0.1)
    static = at.matrix("S", dtype="float64", shape=(2, None))
    assert Lengths(default=5).variable(static).type.shape == (2, 5)
    with pytest.raises(ValueError, match="can't have the shape"):
        cost_of(x + 1, flops, {x: (3, 3)})


def test_bytes_and_calls() -> None:
    assert cost_of(x + y, bytes_moved, 10) == pytest.approx(240, abs=0.1)
    assert cost_of((x + y).astype("float32"), bytes_moved, 10) == pytest.approx(240 + 120, abs=0.1)
    assert cost_of((A.T @ A).T, calls) == pytest.approx(1, abs=0.01)


def test_times_are_measured_once() -> None:
    measured = Measured(repeats=2)
    first = cost_of(A @ A, measured, 20)
    assert 0 < first == cost_of(A @ A, measured, 20) and len(measured.table) == 1
    assert np.isfinite(cost_of(at.linalg.inv(A), measured, 4))


def test_any_function_is_a_cost() -> None:
    assert cost_of(at.exp(x) + y, lambda node: len(node.inputs)) == 3


# `NeverCostlier`: what it counts, whom it names, and what it lets pass.

a, b, c = lvars("a b c")
z = at.dvector("z")

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

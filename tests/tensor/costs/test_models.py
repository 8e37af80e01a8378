"""Costs: counted by hand."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import optimize_graph
from relgraph.compile import get_mode
from relgraph.search import Measured, bytes_moved, calls, cost_of, flops
from relgraph.tensor.costs import Lengths

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

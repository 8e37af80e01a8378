"""The model of the demonstration, naive and rewritten, against formulas in NumPy."""

import numpy as np
import pytest
from scipy.special import expit

from relations import STABILIZE
from relgraph.compile import Mode, function
from relgraph.demo.data import SHIPPED_CSV, SHIPPED_TARGET, Table, load_table
from relgraph.demo.model import Model, column_power, naive_model, train
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer

STEPS, RATE = 1000, 3.0


@pytest.fixture(scope="module")
def table() -> Table:
    return load_table(SHIPPED_CSV, SHIPPED_TARGET)


@pytest.fixture(scope="module")
def model() -> Model:
    return naive_model()


@pytest.fixture(scope="module")
def rewritten(model: Model) -> FunctionGraph:
    fgraph = model.graph()
    EquilibriumOptimizer(STABILIZE).optimize(fgraph)
    return fgraph


def values(fgraph: FunctionGraph, *arguments: object) -> list[np.ndarray]:
    run = function(fgraph.inputs, fgraph.outputs, mode=Mode(linker="py", optimizer=None))
    return run(*arguments)


def stable_formulas(X, y, w, b):
    z = X @ w + b
    dz = (expit(z) - y) / len(y)
    return [np.mean(np.logaddexp(0, z) - y * z), X.T @ dz, dz.sum()]


def test_both_mean_the_same_where_nothing_overflows(model: Model, rewritten: FunctionGraph) -> None:
    rng = np.random.default_rng(0)
    X, w, b = rng.normal(size=(40, 3)), rng.normal(size=3), np.float64(0.3)
    y = (rng.random(40) < 0.5).astype(np.float64)
    expected = stable_formulas(X, y, w, b)
    for fgraph in (model.graph(), rewritten):
        for found, wanted in zip(values(fgraph, X, y, w, b), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-3, -1e-3, 0.1, -0.1, 1e3, -1e3])
def test_rewritten_holds_where_the_naive_one_overflows(
    table: Table, rewritten: FunctionGraph, scale: float
) -> None:
    w, b = np.full(table.X.shape[1], scale), np.float64(-scale)
    expected = stable_formulas(table.X, table.y, w, b)
    for found, wanted in zip(values(rewritten, table.X, table.y, w, b), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-300)


def test_no_exp_or_log_is_left(rewritten: FunctionGraph) -> None:
    names = {str(node.op) for node in rewritten.apply_nodes}
    assert not {"exp", "log"} & names
    assert {"sigmoid", "softplus"} <= names


def test_naive_is_lost_and_rewritten_trains(
    table: Table, model: Model, rewritten: FunctionGraph
) -> None:
    steps_done = []
    naive = train(
        model.graph(), table.X, table.y, STEPS, RATE, on_step=lambda: steps_done.append(1)
    )
    assert len(steps_done) == STEPS
    assert naive.losses.shape == (STEPS + 1,)
    assert not np.isfinite(naive.losses[-1])
    assert naive.lost_at is not None
    assert naive.lost_at < STEPS

    stable = train(rewritten, table.X, table.y, STEPS, RATE)
    assert stable.lost_at is None
    assert stable.accuracy >= 0.9
    # Both set out on the same path; the naive one loses digits in 1 - p before it loses all.
    np.testing.assert_allclose(stable.losses[:3], naive.losses[:3], rtol=1e-9)


def test_training_follows_its_rule(table: Table, rewritten: FunctionGraph) -> None:
    w, b = np.zeros(table.X.shape[1]), 0.0
    losses = []
    for _ in range(20):
        loss, w_grad, b_grad = stable_formulas(table.X, table.y, w, b)
        losses.append(loss)
        w, b = w - RATE / np.mean(table.X**2, axis=0) * w_grad, b - RATE * b_grad
    result = train(rewritten, table.X, table.y, 19, RATE)
    np.testing.assert_allclose(result.losses, losses, rtol=1e-9)


def test_column_power() -> None:
    X = np.array([[3.0, 0.0, 1e200], [4.0, 0.0, 1e200]])
    assert column_power(X).tolist() == [12.5, 1.0, np.inf]

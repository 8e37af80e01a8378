"""How often blocks are read, and what is computed when."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.dask import DaskLinker

x, y, w = at.dmatrix("x"), at.dvector("y"), at.dvector("w")
VALUE = np.random.default_rng(0).normal(size=(12, 3))


class Counted:
    """An array that counts how many rows of it are read."""

    def __init__(self, value: np.ndarray) -> None:
        self.value, self.rows = value, 0
        self.shape, self.dtype, self.ndim = value.shape, value.dtype, value.ndim

    def __getitem__(self, index: Any) -> Any:
        part = self.value[index]
        self.rows += len(part)
        return part


def counted(value: np.ndarray = VALUE, rows: int = 4) -> tuple[Counted, Any]:
    """Return an array that counts, and it by blocks of rows."""
    source = Counted(value)
    meta = np.empty((0,) * value.ndim)
    chunks = (rows, *value.shape[1:])
    return source, da.from_array(source, chunks=chunks, asarray=True, name=False, meta=meta)


@pytest.fixture(autouse=True)
def in_this_thread() -> Any:
    with dask.config.set(scheduler="sync"):
        yield


def test_each_level_of_sums_is_one_pass() -> None:
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    f = function([x], [standard, x.max()], mode="dask")
    source, blocks = counted()
    found, greatest = f(blocks)
    assert source.rows == 2 * 12  # the means with the maximum, then the deviations
    np.testing.assert_allclose(found.compute(), (VALUE - VALUE.mean(0)) / VALUE.std(0), rtol=1e-12)
    assert source.rows == 3 * 12
    assert float(greatest) == VALUE.max()
    assert source.rows == 3 * 12


def test_without_passes_nothing_is_computed_by_a_call() -> None:
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    f = function([x], standard, mode=Mode(DaskLinker(passes=False)))
    source, blocks = counted()
    found = f(blocks)
    assert source.rows == 0
    np.testing.assert_allclose(found.compute(), (VALUE - VALUE.mean(0)) / VALUE.std(0), rtol=1e-12)
    assert source.rows == 12


def test_what_needs_no_sum_is_computed_later() -> None:
    f = function([x], [at.exp(x), x.sum()], mode="dask")
    source, blocks = counted()
    found = f(blocks)
    assert source.rows == 0
    np.testing.assert_allclose(found[0].compute(), np.exp(VALUE), rtol=1e-15)


def test_a_step_of_descent_reads_the_data_once() -> None:
    weights = relgraph.shared(np.zeros(3), "weights")
    z = x @ weights
    cost = (at.softplus(z) - y * z).mean()
    updates = [(weights, weights - relgraph.grad(cost, weights))]
    source, blocks = counted()
    labels = (VALUE[:, 0] > 0).astype(float)
    train = function([x, y], cost, updates=updates, mode="dask")
    costs = [train(blocks, labels) for _ in range(3)]
    assert source.rows == 3 * 12
    found = weights.get_value()
    values = [float(c) for c in costs]
    assert source.rows == 3 * 12
    weights.set_value(np.zeros(3))
    reference = function([x, y], cost, updates=updates)
    np.testing.assert_allclose(values, [reference(VALUE, labels) for _ in range(3)], rtol=1e-13)
    np.testing.assert_allclose(found, weights.get_value(), rtol=1e-12)


def test_a_loop_of_descent_reads_the_data_once_a_step() -> None:
    def step(v: Any, x: Any, y: Any) -> Any:
        cost = ((x @ v - y) ** 2).mean()
        return v - 0.1 * relgraph.grad(cost, v), cost

    (states, costs), _ = relgraph.scan(
        step, outputs_info=[w, None], non_sequences=[x, y], n_steps=4
    )
    source, blocks = counted()
    values = (blocks, VALUE[:, 0], np.zeros(3))
    found = function([x, y, w], [states, costs], mode="dask")(*values)
    assert source.rows == 4 * 12
    expected = function([x, y, w], [states, costs])(VALUE, *values[1:])
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)


def test_a_loop_over_a_long_sequence_goes_by_its_blocks() -> None:
    decay = at.dscalar("decay")
    states, _ = relgraph.scan(
        lambda row, s, d: d * s + row, sequences=[x], outputs_info=[w], non_sequences=[decay]
    )
    source, blocks = counted()
    f = function([x, w, decay], [states, states[-1]], mode="dask")
    found = f(blocks, np.ones(3), 0.5)
    assert source.rows == 0 and found[0].numblocks[0] == 3
    expected = function([x, w, decay], [states, states[-1]])(VALUE, np.ones(3), 0.5)
    for a, b in zip(dask.compute(*found), expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_last_of_a_running_value_is_computed_before_the_rows_are_read_again() -> None:
    states, _ = relgraph.scan(at.maximum, sequences=[x], outputs_info=[w])
    for running in (states, at.cumprod(x, 0)):
        outputs = [x - running[-1], running[-2:]]
        source, blocks = counted()
        f = function([x, w], outputs, mode="dask", on_unused_input="ignore")
        found = f(blocks, np.zeros(3))
        assert source.rows == 12
        expected = function([x, w], outputs, on_unused_input="ignore")(VALUE, np.zeros(3))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)


def test_a_loop_that_may_end_early() -> None:
    states, _ = relgraph.scan(
        lambda row, s: (s + row, relgraph.until((s + row).sum() > 1.0)),
        sequences=[x],
        outputs_info=[w],
    )
    _, blocks = counted()
    found = function([x, w], states, mode="dask")(blocks, np.zeros(3))
    expected = function([x, w], states)(VALUE, np.zeros(3))
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_only_the_branch_that_is_taken_is_computed() -> None:
    chosen = relgraph.ifelse(y.sum() > 0, x.max(axis=0), at.linalg.inv(x)[0])
    source, blocks = counted()
    f = function([x, y], chosen, mode="dask")
    np.testing.assert_array_equal(f(blocks, np.ones(2)), VALUE.max(0))
    assert source.rows == 12
    with pytest.raises(ValueError, match="square"):
        np.asarray(f(blocks, -np.ones(2)))

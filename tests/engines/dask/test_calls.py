"""Calls of functions on blocks: arguments, results, parts, and how often blocks are read."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse
import zarr

import relgraph
import relgraph.sparse
import relgraph.tensor as at
from relgraph import In, Mode, function
from relgraph.engines.dask import DaskLinker
from tests.arrays import assert_close

x, y = at.dmatrix("x"), at.dvector("y")
VALUE = np.arange(12.0).reshape(4, 3)


@pytest.fixture(autouse=True)
def in_this_thread() -> Any:
    with dask.config.set(scheduler="sync"):
        yield


def blocks_of(value: Any = VALUE, chunks: Any = 2) -> Any:
    return da.from_array(np.asarray(value), chunks=chunks)


def test_results_are_dask_arrays_if_an_argument_is_one() -> None:
    outputs = [x * 2, x.sum(), at.constant(3.0) * 2]
    f = function([x], outputs, mode="dask")
    for found in f(blocks_of()):
        assert isinstance(found, da.Array)
    for found in f(VALUE):
        assert type(found) is np.ndarray
    for compute, kind in ((True, np.ndarray), (False, da.Array)):
        g = function([x], outputs, mode=Mode(DaskLinker(compute=compute)))
        for found in (*g(VALUE), *g(blocks_of())):
            assert isinstance(found, kind)


def test_large_arrays_are_cut() -> None:
    f = function([x], [at.exp(x), at.zeros((x.shape[0], 5))], mode=Mode(DaskLinker(False, 2)))
    exponentials, zeros = f(VALUE)
    assert exponentials.numblocks == (2, 2) and zeros.numblocks == (2, 3)
    np.testing.assert_array_equal(exponentials, np.exp(VALUE))
    np.testing.assert_array_equal(zeros, np.zeros((4, 5)))


def test_a_product_of_vectors_may_be_large() -> None:
    f = function([y], at.outer(y, y) + at.eye(y.shape[0]), mode=Mode(DaskLinker(False, 2)))
    value = np.arange(5.0)
    found = f(value)
    assert found.numblocks == (3, 3)
    np.testing.assert_array_equal(found, np.outer(value, value) + np.eye(5))


@pytest.mark.parametrize("chunks", [2, "auto"])
def test_a_later_result_is_that_for_the_values_at_the_call(chunks: Any) -> None:
    given, weights = VALUE.copy(), np.ones(3)
    state = relgraph.shared(weights, borrow=True)
    f = function([x, y], x.T + (y * state)[:, None], mode=Mode(DaskLinker(False, chunks)))
    small = np.ones(3)
    found = f(given, small)
    for array in (given, weights, small):
        array[...] = 0
    np.testing.assert_array_equal(found, VALUE.T + 1)


def test_results_share_no_storage_with_anything() -> None:
    state = relgraph.shared(np.ones(3), "state")
    f = function([x, y], [x, x.T, y, at.constant(VALUE), state], mode=Mode(DaskLinker(True)))
    given = VALUE.copy(), np.ones(3)
    kept = da.from_array(given[0], chunks=-1).persist()
    for first in (given[0], kept):
        for found in f(first, given[1]):
            found[...] = 7
        np.testing.assert_array_equal(np.asarray(first), VALUE)
        np.testing.assert_array_equal(given[1], np.ones(3))
        np.testing.assert_array_equal(state.get_value(), np.ones(3))
        np.testing.assert_array_equal(f(first, given[1])[3], VALUE)


def test_arrays_in_files(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", VALUE)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    stored = zarr.create_array(tmp_path / "x.zarr", shape=(4, 3), chunks=(2, 3), dtype="f4")
    stored[...] = VALUE
    f = function([x], [x.sum(axis=0), x + 1], mode=Mode(DaskLinker(chunks=2)))
    parts = (mapped[1:], mapped.T[:2, ::-1])
    for given in (mapped, *parts, stored):
        expected = np.asarray(given, "float64")
        for a, b in zip(f(given), [expected.sum(0), expected + 1], strict=True):
            assert type(a) is np.ndarray
            np.testing.assert_array_equal(a, b)
    with dask.config.set(scheduler="processes", num_workers=1):
        for given in parts:
            np.testing.assert_array_equal(f(given)[1], np.asarray(given) + 1)


def test_arguments_are_converted_as_numpys() -> None:
    f = function([x], x + 1, mode="dask")
    assert f(blocks_of(VALUE.astype("float32"))).dtype == "float64"
    with pytest.raises(TypeError, match=r"argument 0 `x`.*converting it could lose precision"):
        f(blocks_of(VALUE.astype("complex128")))
    with pytest.raises(TypeError, match=r"argument 0 `x`.*not a vector"):
        f(blocks_of(VALUE[0]))
    g = function([In(x, allow_downcast=True)], x, mode="dask")
    assert g(blocks_of(VALUE.astype("longdouble"))).dtype == "float64"
    with pytest.raises(TypeError, match="strictly"):
        function([In(x, strict=True)], x, mode="dask")(blocks_of(VALUE.astype("float32")))
    of_three = at.tensor("float64", (None, 3), "of_three")
    with pytest.raises(TypeError, match=r"\(\?, 3\)"):
        function([of_three], of_three, mode="dask")(blocks_of(VALUE[:, :2]))


def test_blocks_of_unknown_lengths_are_refused_by_name() -> None:
    some = blocks_of()[blocks_of()[:, 0] > 3]
    f = function([x], x.sum(), mode="dask")
    with pytest.raises(ValueError, match=r"argument 0 `x` has blocks of unknown lengths.*compute_"):
        f(some)
    assert float(f(some.compute_chunk_sizes())) == VALUE[2:].sum()


def test_lengths_that_differ_are_an_error_of_the_call() -> None:
    f = function([x, y], x + y, mode="dask")
    with pytest.raises(ValueError, match="axis 0 of input 1"):
        f(blocks_of(), np.ones(2))
    with pytest.raises(ValueError, match="known to be 1 broadcasts"):
        f(blocks_of(), np.ones(1))
    with pytest.raises(ValueError, match="dot: axis 1"):
        function([x, y], x @ y, mode="dask")(blocks_of(), np.ones(4))
    with pytest.raises(IndexError, match="out of bounds"):
        function([x], x[7], mode="dask")(blocks_of())
    with pytest.raises(ValueError, match="don't fit"):
        function([x], x.reshape((5, -1)), mode="dask")(blocks_of())


def test_nothing_and_empty_blocks() -> None:
    f = function([x], [x.sum(axis=0), at.exp(x), x.max(axis=1)], mode="dask")
    holes = da.from_array(VALUE, chunks=((0, 3, 0, 1), (0, 2, 1)))
    assert_close(f(holes), [VALUE.sum(0), np.exp(VALUE), VALUE.max(1)])
    found = f(da.zeros((0, 3)))
    assert [r.shape for r in found] == [(3,), (0, 3), (0,)]
    with pytest.raises(ValueError, match="no extreme"):
        f(da.zeros((3, 0)))


def test_draws_are_those_of_the_vm() -> None:
    generator = relgraph.shared(np.random.default_rng(3))
    after, normal = at.random.normal(generator, y, 2.0, size=(6, 3))
    generator.default_update = after
    drawn = normal + y
    f = function([y], drawn, mode=Mode(DaskLinker(chunks=2)))
    found = [f(da.from_array(np.ones(3), chunks=2)).compute() for _ in range(2)]
    generator.set_value(np.random.default_rng(3))
    expected = function([y], drawn)
    for a in found:
        np.testing.assert_array_equal(a, expected(np.ones(3)))


def test_sparse_matrices_go_in_and_out() -> None:
    s = relgraph.sparse.csr_matrix("s")
    outputs = [relgraph.sparse.dot(s, x), s.T, relgraph.sparse.mul(s, x)]
    matrix = scipy.sparse.random(4, 4, 0.5, "csr", rng=0)
    dense = VALUE[:, [0, 1, 2, 1]]
    found = function([s, x], outputs, mode="dask")(matrix, blocks_of(dense))
    np.testing.assert_allclose(found[0], matrix @ dense, rtol=1e-15)
    np.testing.assert_array_equal(found[1].toarray(), matrix.toarray().T)
    np.testing.assert_array_equal(found[2].toarray(), matrix.toarray() * dense)


def test_functions_are_pickled_and_copied() -> None:
    f = function([x, y], at.exp(x) @ y, mode="dask")
    loaded = pickle.loads(pickle.dumps(f))
    expected = np.exp(VALUE) @ np.ones(3)
    for g in (loaded, f.copy()):
        np.testing.assert_allclose(g(blocks_of(), np.ones(3)), expected, rtol=1e-15)
    np.testing.assert_allclose(f(y=np.ones(3), x=blocks_of()), expected, rtol=1e-15)


# How often blocks are read, and what is computed when.

w = at.dvector("w")
ROWS = np.random.default_rng(0).normal(size=(12, 3))


class Counted:
    """An array that counts how many rows of it are read."""

    def __init__(self, value: np.ndarray) -> None:
        self.value, self.rows = value, 0
        self.shape, self.dtype, self.ndim = value.shape, value.dtype, value.ndim

    def __getitem__(self, index: Any) -> Any:
        part = self.value[index]
        self.rows += len(part)
        return part


def counted(value: np.ndarray = ROWS, rows: int = 4) -> tuple[Counted, Any]:
    """Return an array that counts, and it by blocks of rows."""
    source = Counted(value)
    meta = np.empty((0,) * value.ndim)
    chunks = (rows, *value.shape[1:])
    return source, da.from_array(source, chunks=chunks, asarray=True, name=False, meta=meta)


def descended(v: Any, x: Any, y: Any) -> Any:
    cost = ((x @ v - y) ** 2).mean()
    return v - 0.1 * relgraph.grad(cost, v), cost


def until_large(row: Any, s: Any) -> Any:
    return s + row, relgraph.until((s + row).sum() > 1.0)


standard = (x - x.mean(axis=0)) / x.std(axis=0)
running, _ = relgraph.scan(at.maximum, sequences=[x], outputs_info=[w])
descent, _ = relgraph.scan(descended, outputs_info=[w, None], non_sequences=[x, y], n_steps=4)
ended, _ = relgraph.scan(until_large, sequences=[x], outputs_info=[w])
# outputs, whether sums are computed by passes, and how many rows the call and what follows read
READS: dict[str, tuple[list[Any], bool, int, int]] = {
    "each level of sums is one pass": ([standard, x.max()], True, 24, 36),
    "without passes nothing is computed by a call": ([standard], False, 0, 12),
    "what needs no sum is computed later": ([at.exp(x), x.sum()], True, 0, 12),
    "a loop of descent reads the data once a step": (descent, True, 48, 48),
    "the last of a running value": ([x - running[-1], running[-2:]], True, 12, 24),
    "the last of a product": ([x - at.cumprod(x, 0)[-1], at.cumprod(x, 0)[-2:]], True, 12, 24),
    "a loop that may end early": ([ended], True, 12, 12),
}


@pytest.mark.parametrize("name", READS)
def test_how_often_blocks_are_read(name: str) -> None:
    outputs, passes, by_the_call, by_all = READS[name]
    source, blocks = counted()
    values = ROWS[:, 0], np.zeros(3)
    mode = Mode(DaskLinker(passes=passes))
    found = function([x, y, w], outputs, mode=mode, on_unused_input="ignore")(blocks, *values)
    read = [source.rows]
    found = dask.compute(*found)
    assert [*read, source.rows] == [by_the_call, by_all]
    expected = function([x, y, w], outputs, on_unused_input="ignore")(ROWS, *values)
    assert_close(found, expected, rtol=1e-12)


def test_a_step_of_descent_reads_the_data_once() -> None:
    weights = relgraph.shared(np.zeros(3), "weights")
    z = x @ weights
    cost = (at.softplus(z) - y * z).mean()
    updates = [(weights, weights - relgraph.grad(cost, weights))]
    source, blocks = counted()
    labels = (ROWS[:, 0] > 0).astype(float)
    train = function([x, y], cost, updates=updates, mode="dask")
    costs = [train(blocks, labels) for _ in range(3)]
    assert source.rows == 3 * 12
    found = weights.get_value()
    values = [float(c) for c in costs]
    assert source.rows == 3 * 12
    weights.set_value(np.zeros(3))
    reference = function([x, y], cost, updates=updates)
    np.testing.assert_allclose(values, [reference(ROWS, labels) for _ in range(3)], rtol=1e-13)
    np.testing.assert_allclose(found, weights.get_value(), rtol=1e-12)


def test_a_loop_over_a_long_sequence_goes_by_its_blocks() -> None:
    decay = at.dscalar("decay")
    states, _ = relgraph.scan(
        lambda row, s, d: d * s + row, sequences=[x], outputs_info=[w], non_sequences=[decay]
    )
    source, blocks = counted()
    f = function([x, w, decay], [states, states[-1]], mode="dask")
    found = f(blocks, np.ones(3), 0.5)
    assert source.rows == 0 and found[0].numblocks[0] == 3
    expected = function([x, w, decay], [states, states[-1]])(ROWS, np.ones(3), 0.5)
    assert_close(dask.compute(*found), expected)


def test_only_the_branch_that_is_taken_is_computed() -> None:
    chosen = relgraph.ifelse(y.sum() > 0, x.max(axis=0), at.linalg.inv(x)[0])
    source, blocks = counted()
    f = function([x, y], chosen, mode="dask")
    np.testing.assert_array_equal(f(blocks, np.ones(2)), ROWS.max(0))
    assert source.rows == 12
    with pytest.raises(ValueError, match="square"):
        np.asarray(f(blocks, -np.ones(2)))

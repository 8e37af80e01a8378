"""Kernels of composite ops, and the threads that run them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from relgraph import config, function, scalar
from relgraph import tensor as at
from relgraph.tensor import composite_kernel, memory
from relgraph.tensor.composite_kernel import CompositeKernel
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.memory import Scratch, run_tasks

F, T = (False,), (True,)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(memory, "WHOLE_BYTES", 0)
    monkeypatch.setattr(memory, "BLOCK_BYTES", 0)
    monkeypatch.setattr(composite_kernel, "always", -1)
    with config.change_flags(threads=3):
        yield


def graph(dtype: str = "float64") -> tuple[list[Any], list[Any]]:
    x, y = getattr(scalar, dtype)("x"), getattr(scalar, dtype)("y")
    p = x * y
    return [x, y], [p + x, scalar.exp(p), y - p * x]


def data(length: int, dtype: str = "float64") -> list[Any]:
    rng = np.random.default_rng(length)
    values = [rng.normal(size=length) for _ in range(2)]
    if dtype.startswith("complex"):
        values = [v + 1j * rng.normal(size=length) for v in values]
    return [v.astype(dtype) for v in values]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("length", [0, 5, 20_000])
@pytest.mark.parametrize("pattern", [{0: 0}, {2: 1}, {0: 1, 1: 0}, {0: 0, 2: 1}, {1: 1}])
def test_outputs_written_over_inputs(pattern: dict[int, int], length: int, dtype: str) -> None:
    inputs, outputs = graph(dtype)
    op = scalar.Composite(inputs, outputs)
    expected = CompositeKernel(op, [F, F], [None] * 3, {}).run(
        data(length, dtype), (length,), [None] * 3
    )
    values = data(length, dtype)
    targets = [values[pattern[j]] if j in pattern else None for j in range(3)]
    found = CompositeKernel(op, [F, F], [None] * 3, pattern).run(values, (length,), targets)
    for j, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert a.tobytes() == b.tobytes()
        assert (a is targets[j]) == (j in pattern) or not a.size or np.shares_memory(a, targets[j])
    kept = set(range(2)) - set(pattern.values())
    for i in kept:
        assert values[i].tobytes() == data(length, dtype)[i].tobytes()


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("length", [50, 20_000])
def test_an_input_that_overlaps_the_overwritten_one_is_read_before(length: int) -> None:
    inputs, outputs = graph()
    op = Elemwise(scalar.Composite(inputs, outputs), {0: 0})
    x, y = at.dvectors("x", "y")
    node = op.make_node(x, y)
    base = np.linspace(0, 1, length + 1)
    first, second = base[:-1].copy(), base[1:].copy()
    cells: list[list[Any]] = [[None] for _ in range(3)]
    op.perform(node, [base[:-1], base[1:]], cells)
    p = first * second
    for cell, expected in zip(cells, [p + first, np.exp(p), second - p * first], strict=True):
        assert np.array_equal(cell[0], expected)
    assert np.array_equal(base[:-1], p + first)


@pytest.mark.usefixtures("small_blocks")
def test_outputs_that_are_inputs_constants_or_each_other() -> None:
    x, y = scalar.float64("x"), scalar.float64("y")
    z = x * y
    op = scalar.Composite([x, y], [z, z, x, scalar.constant(2.5), scalar.exp(y)])
    for length in (7, 9000):
        a = data(length)[0]
        b = np.array([0.5])
        found = CompositeKernel(op, [F, T], [None] * 5, {}).run([a, b], (length,), [None] * 5)
        expected = [a * b, a * b, a, np.full(length, 2.5), np.full(length, np.exp(0.5))]
        for one, other in zip(found, expected, strict=True):
            assert np.array_equal(one, other)
        for i, one in enumerate(found):
            assert not any(np.shares_memory(one, other) for other in [a, b, *found[:i]])


@pytest.mark.parametrize("pattern", [{}, {0: 0}])
def test_arrays_of_rank_0(pattern: dict[int, int]) -> None:
    inputs, outputs = graph()
    op = Elemwise(scalar.Composite(inputs, outputs), pattern)
    node = op.make_node(at.dscalar("x"), at.dscalar("y"))
    first = np.array(3.0)
    cells: list[list[Any]] = [[None] for _ in range(3)]
    op.perform(node, [first, np.array(0.5)], cells)
    for cell, expected in zip(cells, [4.5, np.exp(1.5), -4.0], strict=True):
        assert isinstance(cell[0], np.ndarray)
        assert cell[0] == expected
    assert (cells[0][0] is first) is bool(pattern)


def test_results_of_many_threads_at_once() -> None:
    x, y = at.dvectors("x", "y")
    f = function([x, y], [at.tanh(x * y) + at.exp(-x * x), at.sum(at.sqr(x) * y)], mode="o4")
    lengths = [10, 50_000, 200_000, 400_000]
    expected = {n: [np.array(v) for v in f(*data(n))] for n in lengths}

    def call(n: int) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(f(*data(n)), expected[n], strict=True))

    with config.change_flags(threads=3), ThreadPoolExecutor(6) as executor:
        assert all(executor.map(call, lengths * 8))


def test_the_number_of_threads_does_not_change_the_result() -> None:
    A = at.dmatrix("A")
    v = at.dvector("v")
    f = function([A, v], [at.sum(at.tanh(A * v)), at.exp(A) * v + A], mode="o4")
    rng = np.random.default_rng(0)
    values = rng.normal(size=(700, 900)), rng.normal(size=900)
    found = []
    for threads in (1, 2, 5):
        with config.change_flags(threads=threads):
            found.append(f(*values))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(other, found[0], strict=True))


def test_memory_of_a_chain_of_twenty_operations() -> None:
    x, y = at.dvectors("x", "y")
    z = x
    for i in range(10):
        z = at.tanh(z * y) if i % 2 else z * z + y
    f = function([x, y], z, mode="o4")
    n = 2_000_000
    X, Y = data(n)
    f(X[:10], Y[:10])
    tracemalloc.start()
    try:
        result = f(X, Y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < result.nbytes + 4 * 1024 * 1024


def test_functions_of_fused_graphs_are_pickled() -> None:
    x, y = at.dvectors("x", "y")
    z = x
    for _ in range(120):
        z = at.tanh(z) * y
    f = function([x, y], z, mode="o4")
    values = data(40)
    assert np.array_equal(pickle.loads(pickle.dumps(f))(*values), f(*values))


@pytest.mark.parametrize("terms", (3, 40))
def test_a_sum_takes_each_term_as_soon_as_it_is_there(terms: int) -> None:
    """What a sum of many terms needs of memory does not grow with their number."""
    x, *others = [scalar.float64(f"x{i}") for i in range(terms + 1)]
    total = scalar.add(*[x * other for other in others])
    kernel = CompositeKernel(scalar.Composite([x, *others], [total]), [F] * (terms + 1), [None], {})
    assert len(kernel.source.registers) == 2


@pytest.mark.parametrize("broadcasts", (0, 1, 2))
def test_terms_that_broadcast_are_added_up_before_others(broadcasts: int) -> None:
    """A part of a sum that is smaller than the whole is written to an array of its own."""
    rows, columns = [at.drow(f"r{i}") for i in range(broadcasts)], [at.dcol("c")] * broadcasts
    x, y = at.dmatrices("x", "y")
    out = at.add(*rows, *columns, at.exp(x), at.exp(y) * x, *rows)
    inputs = [*rows, *columns[:1], x, y]
    rng = np.random.default_rng(0)
    values = [rng.normal(size=[1 if wide else 5 for wide in v.type.broadcastable]) for v in inputs]
    fused, plain = (function(inputs, out, mode=mode)(*values) for mode in ("fast_run", "None"))
    np.testing.assert_allclose(fused, plain, rtol=1e-12)


# Tasks are done once each, whoever does them, and what they raise is raised.


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_task_is_done_once(threads: int) -> None:
    done: list[int] = []
    run_tasks(lambda tasks: done.extend(tasks), 1000, threads)
    assert sorted(done) == list(range(1000))


@pytest.mark.parametrize("threads", [1, 4])
def test_what_a_task_raises_is_raised(threads: int) -> None:
    def work(tasks: Iterator[int]) -> None:
        for task in tasks:
            if task == 7:
                raise ZeroDivisionError("task 7")

    with pytest.raises(ZeroDivisionError, match="task 7"):
        run_tasks(work, 20, threads)


def test_helpers_take_part() -> None:
    together = threading.Barrier(2, timeout=30)
    run_tasks(lambda tasks: [together.wait() for _ in tasks] and None, 2, 2)


def test_storage_is_taken_again_and_never_twice() -> None:
    scratch = Scratch()
    first = scratch.take(1000)
    second = scratch.take(10)
    assert first is not second
    assert first.size >= 1000
    assert first.ctypes.data % 64 == 0
    scratch.give_back(first)
    assert scratch.take(500) is first
    assert scratch.take(500) is not first


FORKS = """
import os, warnings
from relgraph.tensor.memory import run_tasks
run_tasks(lambda tasks: [None for _ in tasks] and None, 10, 3)
warnings.simplefilter("ignore", DeprecationWarning)  # of the threads, which are what is tested
child = os.fork()
if child == 0:
    done = []
    run_tasks(lambda tasks: done.extend(tasks), 100, 3)
    os._exit(0 if sorted(done) == list(range(100)) else 1)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_has_helpers_of_its_own() -> None:
    # in a process of its own: another test may have started threads that no fork survives, as JAX's
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORKS], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr

"""Kernels of composite ops, and the threads that run them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Thread
from typing import Any

import numpy as np
import pytest

from relgraph import config, function, scalar
from relgraph import tensor as at
from relgraph.tensor import memory
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.memory import run_tasks
from relgraph.tensor.reductions import CAReduce, FusedReduction
from relgraph.vm.kernels import CompositeKernel, Ways, fused_function
from tests.arrays import assert_close
from tests.vm.ways import always_take

F, T = (False,), (True,)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(memory, "WHOLE_BYTES", 0)
    monkeypatch.setattr(memory, "BLOCK_BYTES", 0)
    always_take(monkeypatch, -1)
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
    expected = CompositeKernel(Elemwise(op), [F, F]).run(data(length, dtype), (length,), [None] * 3)
    values = data(length, dtype)
    targets = [values[pattern[j]] if j in pattern else None for j in range(3)]
    found = CompositeKernel(Elemwise(op, pattern), [F, F]).run(values, (length,), targets)
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
    found = fused_function(node)(base[:-1], base[1:])
    p = first * second
    assert_close(found, [p + first, np.exp(p), second - p * first])
    assert np.array_equal(base[:-1], p + first)


@pytest.mark.usefixtures("small_blocks")
def test_outputs_that_are_inputs_constants_or_each_other() -> None:
    x, y = scalar.float64("x"), scalar.float64("y")
    z = x * y
    op = scalar.Composite([x, y], [z, z, x, scalar.constant(2.5), scalar.exp(y)])
    for length in (7, 9000):
        a = data(length)[0]
        b = np.array([0.5])
        found = CompositeKernel(Elemwise(op), [F, T]).run([a, b], (length,), [None] * 5)
        expected = [a * b, a * b, a, np.full(length, 2.5), np.full(length, np.exp(0.5))]
        assert_close(found, expected)
        for i, one in enumerate(found):
            assert not any(np.shares_memory(one, other) for other in [a, b, *found[:i]])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("shape", [(9000,), (60, 150), (6, 10, 150)])
@pytest.mark.parametrize("inplace", [{}, {0: 1}])
def test_numbers_beside_arrays(shape: tuple[int, ...], inplace: dict[int, int]) -> None:
    """Of functions that are no ufuncs too: blocks have fewer axes than the arrays."""
    x, y = scalar.float64("x"), scalar.float64("y")
    chosen = scalar.switch(scalar.gt(x, 0), y, 0.0)
    outputs = [
        chosen - chosen * x * 0.5,
        scalar.switch(scalar.gt(x, 0), 0.5, y) + x,
        scalar.clip(x, -1.0, 0.5) * y,
        scalar.sigmoid(scalar.switch(scalar.gt(y, 0), 1.0, x)) * x,
        scalar.mul(-1.0, 0.5, scalar.exp(x), scalar.sin(y)),
    ]
    rng = np.random.default_rng(len(shape))
    for out in outputs:
        op = Elemwise(scalar.Composite([x, y], [out]), inplace)
        inputs = [at.TensorType("float64", (None,) * len(shape))() for _ in range(2)]
        values = [rng.normal(size=shape) for _ in inputs]
        expected = scalar.Composite([x, y], [out]).impl(*values)
        found = fused_function(op.make_node(*inputs))(*values)
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("pattern", [{}, {0: 0}])
def test_arrays_of_rank_0(pattern: dict[int, int]) -> None:
    inputs, outputs = graph()
    op = Elemwise(scalar.Composite(inputs, outputs), pattern)
    node = op.make_node(at.dscalar("x"), at.dscalar("y"))
    first = np.array(3.0)
    found = fused_function(node)(first, np.array(0.5))
    for out, expected in zip(found, [4.5, np.exp(1.5), -4.0], strict=True):
        assert isinstance(out, np.ndarray)
        assert out == expected
    assert (found[0] is first) is bool(pattern)


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
    with config.change_flags(threads=1):
        expected = f(*values)
    for threads in (2, 5):
        with config.change_flags(threads=threads):
            assert_close(f(*values), expected)


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


@pytest.mark.parametrize("terms", (3, 40))
def test_a_sum_takes_each_term_as_soon_as_it_is_there(terms: int) -> None:
    """What a sum of many terms needs of memory does not grow with their number."""
    x, *others = [scalar.float64(f"x{i}") for i in range(terms + 1)]
    total = scalar.add(*[x * other for other in others])
    op = Elemwise(scalar.Composite([x, *others], [total]))
    kernel = CompositeKernel(op, [F] * (terms + 1))
    # the inputs, the sum so far, and a term
    assert kernel.bytes_per_element == 8 * (terms + 3)


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


FORKS = """
import os, warnings
from relgraph.tensor.memory import run_tasks
from relgraph.tensor.reductions import CAReduce, FusedReduction
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


# The fastest of several ways is taken, and all give the same bits.


def taken(choice: Ways, seconds: list[float], calls: int) -> list[int]:
    """Call so often, each way taking its seconds, and return the ways."""
    found = []
    for _ in range(calls):
        way = choice.next()
        choice.note(way, seconds[way])
        found.append(way)
    return found


@pytest.mark.parametrize(
    ("seconds", "best"),
    [
        ([1.0, 0.5, 0.7], 1),
        ([1.0, 0.7, 0.5], 2),
        ([1.0, 2.0, 3.0], 0),
        ([1.0, 0.99, 0.98], 0),
        ([1.0, 0.5], 1),
    ],
)
def test_each_is_tried_and_the_fastest_is_kept(seconds: list[float], best: int) -> None:
    choice = Ways(len(seconds))
    trials = 3 * len(seconds)
    assert sorted(taken(choice, seconds, trials)) == sorted([*range(len(seconds))] * 3)
    assert set(taken(choice, seconds, 100)) == {best}
    assert choice.prefers_first() == (best == 0)


def test_one_slow_call_decides_nothing() -> None:
    choice = Ways(2)
    for k in range(6):
        way = choice.next()
        choice.note(way, 50.0 if k < 2 else [1.0, 0.5][way])
    assert set(taken(choice, [1.0, 0.5], 50)) == {1}


@pytest.mark.parametrize("asked", [False, True])
def test_they_are_tried_again_when_the_machine_has_changed(asked: bool) -> None:
    choice = Ways(2)
    taken(choice, [1.0, 2.0], 6)
    if asked:
        for _ in range(200):
            assert choice.prefers_first()
        assert not choice.prefers_first()
    else:
        assert set(taken(choice, [1.0, 2.0], 200)) == {0}
    taken(choice, [1.0, 0.5], 6)
    assert set(taken(choice, [1.0, 0.5], 100)) == {1}


def test_they_are_tried_again_ever_more_seldom() -> None:
    choice = Ways(2)
    found = taken(choice, [1.0, 2.0], 100_000)
    assert found.count(1) < 100


def test_a_thread_that_takes_the_last_trial_takes_it_from_no_other() -> None:
    choice = Ways(2)
    taken(choice, [1.0, 0.5], 5)
    others: list[Thread] = []

    class Shared(list[int]):
        """Another thread notes the last trial between the look and the choice."""

        def __bool__(self) -> bool:
            there = len(self) > 0
            if not others:
                others.append(Thread(target=choice.note, args=(self[-1], 1.0)))
                others[0].start()
                others[0].join(0.05)
            return there

    choice._to_try = Shared(choice._to_try)
    assert choice.next() in (0, 1)
    others[0].join()
    assert choice._to_try == []


@pytest.mark.parametrize(
    ("dtype", "reduced"),
    [
        *product(["float64", "float32", "int64"], [None, scalar.add, scalar.maximum]),
        # complex numbers are not reduced by blocks
        ("complex128", None),
    ],
)
def test_all_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, dtype: str, reduced: Any) -> None:
    monkeypatch.setattr(memory, "WHOLE_BYTES", 0)
    monkeypatch.setattr(memory, "BLOCK_BYTES", 0)
    x, y = getattr(scalar, dtype)("x"), getattr(scalar, dtype)("y")
    composite = scalar.Composite([x, y], [x * y - x, (x + y) * x])
    op: Any = Elemwise(composite)
    if reduced is not None:
        op = FusedReduction(op, [None, CAReduce(reduced)])
    values = [(np.arange(20_001) % k - 3).astype(dtype) / 4 for k in (7, 11)]
    values = [v.astype(dtype) for v in values]
    found = []
    for way in range(3):
        always_take(monkeypatch, way)
        kernel = CompositeKernel(op, [F, F])
        with config.change_flags(threads=2):
            assert kernel.prefers_whole(20_001) == (way == 0)
            found.append(kernel.run(values, (20_001,), [None, None]))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes()


def test_what_takes_too_much_memory_is_not_computed_as_a_whole() -> None:
    x = scalar.float64("x")
    kernel = CompositeKernel(Elemwise(scalar.Composite([x], [scalar.exp(x) + x])), [F])
    assert not any(kernel.prefers_whole(10**10) for _ in range(5))
    assert kernel._choice_for(10**10).threads[0] == 1

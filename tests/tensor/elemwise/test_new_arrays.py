"""Memory that is kept is taken again when nobody holds it, and never while somebody does."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, ifelse
from relgraph.tensor.memory import KeptStorage, new_array, taken_from
from relgraph.vm import VMLinker

x, y = at.dvectors("x", "y")
MATRIX = at.dmatrix("m")


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def keeping() -> tuple[VMLinker, KeptStorage]:
    linker = VMLinker(allow_gc=False)
    linker.storage = KeptStorage(least_bytes=1)
    return linker, linker.storage


def test_an_array_is_taken_again_when_it_is_dropped() -> None:
    storage = KeptStorage(least_bytes=1)
    first = storage.empty((4, 5), "float64")
    where = address(first)
    part = first[1:, ::2].T
    del first
    held = storage.empty((4, 5), "float64")
    assert address(held) != where, "a view of it is held"
    del part
    assert address(storage.empty((5, 4), "int64")) == where
    assert storage.nbytes == 2 * 160


def test_what_is_large_enough_serves_a_smaller_one_but_not_one_half_as_large() -> None:
    storage = KeptStorage(least_bytes=1)
    where = address(storage.empty((100,), "float64"))
    assert address(storage.empty((50,), "float64")) == where
    assert address(storage.empty((49,), "float64")) != where


def test_small_arrays_are_new() -> None:
    storage = KeptStorage()
    assert storage.empty((1000,), "float64").flags.owndata
    assert storage.nbytes == 0


def test_memory_that_is_not_taken_any_more_is_given_back() -> None:
    storage = KeptStorage(least_bytes=1)
    for size in (2**19, 2**17, 2**15):
        storage.empty((size,), "uint8")
    for _ in range(40):
        held = [storage.empty((1000,), "uint8") for _ in range(2)]
    del held
    storage.empty((3,), "uint8")
    assert storage.nbytes < 5000
    storage.free()
    assert storage.nbytes == 0


def test_arrays_are_taken_from_a_storage_within_its_context_only() -> None:
    storage = KeptStorage(least_bytes=1)
    with taken_from(storage):
        assert not new_array((3,), "int8").flags.owndata
    assert new_array((3,), "int8").flags.owndata


# A single op, a fold, a fused chain with two outputs, broadcasting, another dtype, a lazy branch.
PROGRAMS = [
    [x * y],
    [x + y + 1.5 * x],
    [at.exp(x), at.exp(x) * y],
    [(((x * x + y) * x - y) * 0.5 + x * y - 3 * x)],
    [MATRIX + x, MATRIX.T * 2 + MATRIX.T],
    [at.eq(x, y), at.cast(x, "float32") + 1],
    [ifelse(at.gt(at.sum(x), 0), x * y, x - y)],
]


@pytest.mark.parametrize("outputs", PROGRAMS, ids=str)
@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_results_are_those_of_new_arrays_and_stay_the_caller_s(
    outputs: list[Any], optimizer: str | None
) -> None:
    linker, _ = keeping()
    made: Any = function([x, y, MATRIX], outputs, Mode(linker, optimizer), on_unused_input="ignore")
    plain: Any = function([x, y, MATRIX], outputs, Mode("vm", optimizer), on_unused_input="ignore")
    held = []
    for n in (3, 7, 7, 7, 0, 1, 3):
        rng = np.random.default_rng(n)
        values = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, n))
        expected = plain(*values)
        found = made(*values)
        held.append((found, expected))
        made(*values)  # what nobody holds
    for found, expected in held:
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype and np.array_equal(a, b)


def test_a_second_call_takes_no_new_memory() -> None:
    linker, storage = keeping()
    f: Any = function([x, y], [x * y, x - y], Mode(linker, None))
    values = np.ones(100), np.ones(100)
    f(*values)
    kept = storage.nbytes
    assert kept == 1600
    for _ in range(5):
        f(*values)
    assert storage.nbytes == kept
    linker.free()
    assert storage.nbytes == 0


def test_several_threads_may_call() -> None:
    linker, _ = keeping()
    f: Any = function([x], [at.exp(x) + x, at.exp(x)], Mode(linker, None))

    def right(k: int) -> bool:
        value = np.full(5000, float(k))
        a, b = f(value)
        return bool(np.all(b == b[0]) and np.allclose(b[0], np.exp(k)) and np.all(a == b + k))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(right, [k % 7 for k in range(400)]))


def test_a_linker_is_pickled_without_what_it_keeps() -> None:
    linker, storage = keeping()
    storage.empty((1000,), "float64")
    loaded = pickle.loads(pickle.dumps(linker))
    assert loaded.storage.nbytes == 0 and loaded.storage.empty((2,), "int8") is not None
    assert VMLinker().storage is None
    VMLinker().free()

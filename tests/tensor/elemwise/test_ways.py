"""The fastest of several ways is taken, and all give the same bits."""

from __future__ import annotations

from itertools import product
from threading import Thread
from typing import Any

import numpy as np
import pytest

from relgraph import config, scalar
from relgraph.tensor import composite_kernel, memory
from relgraph.tensor.composite_kernel import CompositeKernel, Ways


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
        *product(["float64", "float32", "int64"], [None, np.add, np.maximum]),
        # complex numbers are not reduced by blocks
        ("complex128", None),
    ],
)
def test_all_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, dtype: str, reduced: Any) -> None:
    monkeypatch.setattr(memory, "WHOLE_BYTES", 0)
    monkeypatch.setattr(memory, "BLOCK_BYTES", 0)
    x, y = getattr(scalar, dtype)("x"), getattr(scalar, dtype)("y")
    op = scalar.Composite([x, y], [x * y - x, (x + y) * x])
    values = [(np.arange(20_001) % k - 3).astype(dtype) / 4 for k in (7, 11)]
    values = [v.astype(dtype) for v in values]
    found = []
    for way in range(3):
        monkeypatch.setattr(composite_kernel, "always", way)
        kernel = CompositeKernel(op, [(False,)] * 2, [None, reduced], {})
        with config.change_flags(threads=2):
            assert kernel.prefers_whole(20_001) == (way == 0)
            found.append(kernel.run(values, (20_001,), [None, None]))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes()


def test_what_takes_too_much_memory_is_not_computed_as_a_whole() -> None:
    x = scalar.float64("x")
    kernel = CompositeKernel(scalar.Composite([x], [scalar.exp(x) + x]), [(False,)], [None], {})
    assert not any(kernel.prefers_whole(10**10) for _ in range(5))
    assert kernel._choice_for(10**10).threads[0] == 1

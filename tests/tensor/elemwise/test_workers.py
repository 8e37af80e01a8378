"""Tasks are done once each, whoever does them, and what they raise is raised."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from relgraph.tensor.memory import Scratch, run_tasks


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

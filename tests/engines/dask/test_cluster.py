"""A cluster of processes: functions are sent to workers, and workers may die."""

import logging
import os
import signal
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import relgraph.tensor as at
from relgraph import function
from tests.engines.dask.files import SlowFile


def test_workers_are_killed_on_the_way_and_the_result_is_right(tmp_path: Path) -> None:
    x, w = at.dmatrix("x"), at.dvector("w")
    outputs = [at.tanh(x * 2.0).sum(axis=0), at.argmax(x), at.exp(x @ w)]
    f = function([x, w], outputs, mode="dask")
    value = np.random.default_rng(0).normal(size=(60, 4))
    weights = np.array([0.5, -1.0, 2.0, 0.25])
    expected = function([x, w], outputs)(value, weights)
    slow, meta = SlowFile(value, tmp_path), np.empty((0, 0))
    blocks = da.from_array(slow, chunks=(2, 4), asarray=True, name=False, meta=meta)
    # a worker that is killed is started again by its nanny
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 10}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        Client(cluster) as client,
    ):
        lazy = f(blocks, weights)
        futures = client.compute(lazy)
        victim = _first_reader_of(3, tmp_path)
        os.kill(victim, signal.SIGKILL)
        found = client.gather(futures)
    readers = _readers(tmp_path)
    # what only the victim had in its memory has been read again by others
    assert readers[victim] & set.union(*[r for pid, r in readers.items() if pid != victim])
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def _readers(folder: Path) -> dict[int, set[str]]:
    """Return for each process which blocks it has read."""
    found: dict[int, set[str]] = {}
    for path in folder.glob("*.read"):
        pid, block = path.stem.split("-")
        found.setdefault(int(pid), set()).add(block)
    return found


def _first_reader_of(count: int, folder: Path) -> int:
    """Wait until a process has read so many blocks, and return it."""
    for _ in range(600):
        for pid, read in _readers(folder).items():
            if len(read) >= count:
                return pid
        time.sleep(0.05)
    raise TimeoutError(f"no worker has read {count} blocks in 30 seconds")

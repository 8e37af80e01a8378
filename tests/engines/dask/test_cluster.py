"""A cluster of processes: functions are sent to workers, workers may die, and memory is bounded."""

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import relgraph.tensor as at
from relgraph import function
from tests.arrays import assert_close
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
    assert_close(found, expected, rtol=1e-13)


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


# An array of four times the memory that a process may take more.

PROGRAM = """
import resource
import sys
import threading

import dask
import dask.array as da
import numpy as np
import zarr

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.dask import DaskLinker

# the stacks of Zarr's threads count as memory
threading.stack_size(2**19)
zarr.config.set({"threading.max_workers": 2, "async.concurrency": 2})
folder, limit = sys.argv[1], 64 * 2**20
rows = 4 * limit // (8 * 16)
cut = {"shape": (rows, 16), "chunks": (2**14, 16), "dtype": "f8", "compressors": None}
stored, made = (zarr.create_array(f"{folder}/{name}", **cut) for name in "xy")
part = np.random.default_rng(0).normal(3.0, 2.0, size=(2**14, 16))
for start in range(0, rows, 2**14):
    stored[start : start + 2**14] = part + (start == 0)
x = at.dmatrix("x")
linker = DaskLinker(compute=False, chunks="2MiB")
f = function([x], (x - x.mean(axis=0)) / x.std(axis=0), mode=Mode(linker))
with open("/proc/self/status") as status:
    (used,) = [int(line.split()[1]) * 1024 for line in status if line.startswith("VmData")]
resource.setrlimit(resource.RLIMIT_DATA, (used + limit, used + limit))
with dask.config.set(scheduler="threads", num_workers=2):
    da.store(f(stored), made, lock=False)
last = made[rows - 2**14 :]
count = rows // 2**14
mean = (part.mean(axis=0) * count + 1) / count
assert np.allclose(last * (part - mean).std(axis=0), part - mean, rtol=1e-3, atol=1e-3)
try:
    np.ones(4 * limit // 8)
except MemoryError:
    print("the array does not fit")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
def test_memory_is_that_of_some_blocks(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "the array does not fit", done.stderr

"""An array of four times the memory that a process may take more."""

import subprocess
import sys
from pathlib import Path

import pytest

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

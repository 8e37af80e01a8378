"""Memory that was freed stays with the process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from relgraph.vm import linker as heap

needs_glibc = pytest.mark.skipif(not heap._is_glibc(), reason="another C library")

PROGRAM = """
import resource, sys
import numpy as np
from relgraph import config, function
from relgraph import tensor as at
config.kept_memory = int(sys.argv[1])
x = at.dvector("x")
f = function([x], [at.sort(x + k) for k in range(8)])
value = np.zeros(2**17)
for _ in range(10):
    f(value)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    f(value)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(kept: int) -> int:
    """Return how many pages are mapped anew in ten calls with eight results of a megabyte."""
    command = [sys.executable, "-c", PROGRAM, str(kept)]
    given = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=given)
    return int(run.stdout)


@needs_glibc
def test_few_pages_are_mapped_again_for_what_fits() -> None:
    assert 3 * faults(2**28) < faults(0)


@needs_glibc
def test_the_environment_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*heap.ENVIRONMENT, "GLIBC_TUNABLES"):
        monkeypatch.delenv(name, raising=False)
    keep = heap.keep_freed_memory.__wrapped__
    assert keep(2**28)
    for name, value in (("MALLOC_TRIM_THRESHOLD_", "1"), ("GLIBC_TUNABLES", "glibc.malloc.x=1")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert not keep(2**28)
    monkeypatch.setattr(heap, "_is_glibc", lambda: False)
    assert not keep(2**28)

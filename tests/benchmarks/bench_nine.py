"""What rewriting nine programs takes, and a call of them, here and in PyTensor.

Usage: python -m tests.benchmarks.bench_nine [--programs NAME ...] [--rounds N]

Needs PyTensor beside this library. Each graph is built once and copied before each rewriting, by
the default mode of both; both are warm, and the least time of each round counts. A call is measured
by PyTensor's default mode (its compiler is numba; JAX, where numba refuses the program) and by each
engine that is installed here, when its second tier is compiled; the best of ours is compared.
Ratios are the peer's time by ours.
"""

from __future__ import annotations

import argparse
import statistics
from functools import partial
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from numba.core.errors import TypingError
from pytensor.graph.fg import FunctionGraph as PeerGraph
from rich.console import Console
from rich.progress import track
from rich.table import Table

import relgraph
import relgraph.tensor as at
from relgraph.compile import get_default_mode, get_mode
from relgraph.graph.fg import FunctionGraph
from tests.benchmarks.shared.beside_peer import settled
from tests.benchmarks.shared.timing import times
from tests.programs.nine import PROGRAMS


def rewriting(name: str, rounds: int) -> tuple[float, float]:
    """Return the times of rewriting here and there, in seconds."""
    inputs, outputs, _ = PROGRAMS[name](relgraph, at)
    theirs, their_outputs, _ = PROGRAMS[name](pytensor, pt)
    ours = get_default_mode().optimizer
    peer = pytensor.compile.mode.get_default_mode().optimizer
    pairs = []
    for _ in range(rounds):
        mine = min(times(ours.optimize, 0.3, prepare=lambda: FunctionGraph(inputs, outputs)))
        copied = partial(PeerGraph, theirs, their_outputs, clone=True)
        other = min(times(peer.rewrite, 0.5, prepare=copied))
        pairs.append((mine, other))
    return tuple(statistics.median(column) for column in zip(*pairs, strict=True))  # type: ignore[return-value]


def calling(name: str) -> tuple[dict[str, float], float]:
    """Return the times of a call by each engine here, and there, in seconds."""
    inputs, outputs, values = PROGRAMS[name](relgraph, at)
    expected, found = None, {}
    for engine in ("fast_run", "jax"):
        run = relgraph.function(inputs, outputs, get_mode(engine), on_unused_input="ignore")
        results = run(*values)
        expected = results if expected is None else expected
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
        settled(run, values)
        found[engine] = min(times(partial(run, *values), 0.5))
    return found, peer_call(name, values, expected)


def peer_call(name: str, values: list[Any], expected: Any) -> float:
    """Return the time of a call there, in seconds, when its results are arrays of NumPy."""
    inputs, outputs, _ = PROGRAMS[name](pytensor, pt)
    given: dict[str, Any] = {"on_unused_input": "ignore", "trust_input": True}
    try:
        run = pytensor.function(inputs, outputs, **given)
        results = run(*values)
    except TypingError:
        run = pytensor.function(inputs, outputs, mode="JAX", **given)
        results = run(*values)
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
    return min(times(lambda: [np.asarray(result) for result in run(*values)], 0.5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    table = Table(title="rewriting (ms), calls (µs), and the peer's by ours")
    for column in ("program", "ours", "peer", "ratio", "vm", "jax", "peer's call", "ratio"):
        table.add_column(column, justify="left" if column == "program" else "right")
    for name in track(chosen.programs, "programs"):
        ours, peer = rewriting(name, chosen.rounds)
        engines, call = calling(name)
        best = min(engines.values())
        times = (engines["fast_run"], engines["jax"], call)
        table.add_row(
            name, f"{ours * 1e3:.1f}", f"{peer * 1e3:.0f}", f"{peer / ours:.1f}",
            *(f"{t * 1e6:.0f}" for t in times), f"{call / best:.2f}",
        )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()

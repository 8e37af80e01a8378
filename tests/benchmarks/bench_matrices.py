"""Whether expressions of matrices are ever slower in the default mode than as they were written.

``OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.bench_matrices [--sizes 2,30,500]`` prints the
time of each in the default mode by that of the graph as it was written, the least of calls that
take turns, and marks those above 1.05. Of some matrices it is declared what they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import relgraph.tensor as at
from relgraph import function
from relgraph.compile import get_mode
from tests.benchmarks.shared.beside_peer import numbers, settled
from tests.benchmarks.shared.timing import in_turn, times

SIZES = (2, 8, 30, 60, 150, 500)
MOST = 1.05
SECONDS = 0.1
"""So long the two runs of an expression take turns."""
K, Y, y = at.dmatrix("K"), at.dmatrix("Y"), at.dvector("y")
INPUTS = [K, Y, y]


def expressions() -> dict[tuple[str, str], Any]:
    """Return expressions by what is declared of `K`, and by how they are written."""
    linalg, found = at.linalg, {}
    for kind in ("", "positive definite", "symmetric", "lower triangular", "diagonal"):
        k: Any = linalg.assume(K, kind) if kind else K
        for name, value in {
            "solve(K, y)": linalg.solve(k, y),
            "solve(K.T, Y)": linalg.solve(k.T, Y),
            "inv(K) @ y": linalg.inv(k) @ y,
            "Y @ inv(K)": Y @ linalg.inv(k),
            "inv(K)": linalg.inv(k),
            "log(det(K))": at.log(linalg.det(k)),
            "y @ solve(K, y) + log(det(K))": y @ linalg.solve(k, y) + at.log(linalg.det(k)),
            "K @ Y @ y": k @ Y @ y,
            "trace(K @ Y)": at.trace(k @ Y),
        }.items():
            found[kind, name] = value
    return found


def value_of(kind: str, size: int) -> Any:
    """Return a matrix of a kind that LAPACK is not in trouble with."""
    draw = np.random.default_rng(size).normal(size=(size, size))
    regular = draw @ draw.T / size + np.eye(size)
    parts = {"lower triangular": np.tril, "diagonal": lambda m: np.diag(np.diag(m))}
    return parts.get(kind, np.asarray)(regular)


def ratios(kind: str, written: Any, sizes: Sequence[int]) -> Iterator[float]:
    """Return for each size the time in the default mode by that as it was written."""
    modes = (None, get_mode("None"))
    runs = [function(INPUTS, written, mode=mode, on_unused_input="ignore") for mode in modes]
    for size in sizes:
        values = [value_of(kind, size), value_of("", size), np.ones(size)]
        settled(runs[0], values)
        calls = [partial(run, *values) for run in runs]
        once = sum(min(times(call, 0)) for call in calls)
        ours, written_one = map(min, in_turn(calls, max(1, round(SECONDS / once))))
        yield ours / written_one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=numbers, default=SIZES)
    sizes = parser.parse_args().sizes
    table = Table("K is", "expression", *map(str, sizes))
    for (kind, name), written in track(expressions().items(), "expressions"):
        found = ratios(kind, written, sizes)
        marks = [f"[red]{r:.2f}[/]" if r > MOST else f"{r:.2f}" for r in found]
        table.add_row(kind, name, *marks)
    Console().print(table)


if __name__ == "__main__":
    main()

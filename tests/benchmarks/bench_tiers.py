"""How fast a function runs that was called often, beside PyTensor, on every family.

    python tests/benchmarks/bench_tiers.py [FAMILY ...] --peer PYTHON [--elements 1000,20000,200000]

Each library builds the family with its gradient in its default mode, in a process of its own. A
function is called for some seconds, so that it is compiled where it will be; then the median of
calls counts. The first result is timed too, from the graph on.
"""

from __future__ import annotations

import importlib
import math
import statistics
import sys
import time
from functools import partial
from typing import Any

import numpy as np
from shared.beside_peer import answered, numbers, parser_for, rounds_of, settled
from shared.timing import times
from shared.vector_families import FAMILIES, built, drawn

WARM_UP, COMPILING, MEASURED = 1.5, 30.0, 0.7
"""Seconds: before a function is measured, at most while it is compiled aside, and measured."""
GEOMETRIC_MEAN, LEAST = 1.2, 0.8
PATIENCE = 400.0
"""Seconds after which the peer is given up: some families it would take hours to compile."""
MORE = 3
"""So often again as many rounds are added where a ratio would be marked."""


@np.errstate(all="ignore")
def measure(name: str, library: str, elements: list[int]) -> list[list[float]] | None:
    """Return for each length the microseconds of a call, and the seconds to the first result; None
    if the library cannot say the family."""
    loaded, tensor = importlib.import_module(library), importlib.import_module(f"{library}.tensor")
    found = []
    for n in elements:
        inputs, outputs = built(name, tensor, loaded.grad, "float64", gradient=True)
        values = drawn(name, inputs, n, "float64")
        try:
            start = time.perf_counter()
            call = loaded.function(inputs, outputs, on_unused_input="ignore")
            call(*values)
            first = time.perf_counter() - start
        except Exception as error:
            print(f"{library} can't compute {name}: {error}", file=sys.stderr)
            return None
        run = partial(call, *values)
        times(run, WARM_UP)
        settled(call, values, COMPILING)
        found.append([1e6 * statistics.median(times(run, MEASURED, 5)), first])
    return found


def _ratios(rounds: list[Any], elements: list[int]) -> list[list[float]]:
    """Return for each length the ratios peer / ours; none if a library cannot say the family."""
    pairs = [(own, peer) for own, peer in rounds if own is not None and peer]
    return [[peer[i][0] / own[i][0] for own, peer in pairs] for i in range(len(elements))]


def _rounds(name: str, options: Any, elements: list[int]) -> list[Any]:
    """Return the rounds of a family, more where a ratio is too small: machines are noisy."""
    found: list[Any] = []
    for _ in range(1 + MORE):
        flags = ["--elements", ",".join(map(str, elements))]
        found += rounds_of(__file__, name, options, flags=flags, patience=PATIENCE)
        ratios = _ratios(found, elements)
        if all(statistics.median(r) >= LEAST for r in ratios if r):
            break
    return found


def main() -> None:
    parser = parser_for(__doc__ or "", FAMILIES)
    parser.add_argument("--elements", type=numbers, default=[1_000, 20_000, 200_000])
    options = parser.parse_args()
    elements = options.elements
    if answered(options, partial(measure, elements=elements)):
        return
    every = []
    for name in options.names or FAMILIES:
        rounds = _rounds(name, options, elements)
        for i, n in enumerate(elements):
            pairs = [(own[i], peer[i]) for own, peer in rounds if own is not None and peer]
            if not pairs:
                print(f"{name:24}{n:9,}   not said by both", flush=True)
                continue
            ours, theirs = (statistics.median(p[k][0] for p in pairs) for k in (0, 1))
            first = [statistics.median(p[k][1] for p in pairs) for k in (0, 1)]
            every.append(statistics.median(p[1][0] / p[0][0] for p in pairs))
            print(
                f"{name:24}{n:9,}   {ours:10,.1f} µs   peer {theirs:10,.1f} µs   "
                f"peer / ours {every[-1]:6.2f}   first {first[0]:5.2f} s, {first[1]:5.2f} s",
                flush=True,
            )
    if every:
        mean = math.exp(statistics.fmean(map(math.log, every)))
        print(f"geometric mean {mean:.2f}, of at least {GEOMETRIC_MEAN}")
        print(
            f"least {min(every):.2f}, of at least {LEAST}; below it {sum(r < LEAST for r in every)}"
        )


if __name__ == "__main__":
    main()

"""How long a fresh process takes to import relgraph, and the demonstration.

Run with ``python tests/benchmarks/bench_processes.py``. Each figure is the median of processes that
take turns, less what starting Python costs. The aims: to import `relgraph` and `relgraph.tensor`
takes at most 1.5 times as long as NumPy and `scipy.linalg` do, and the demonstration at most 20 s.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from shared.timing import in_turn

ROOT = Path(__file__).parents[2]
BARE, BASE, OURS, DEMO = "nothing", "numpy, scipy.linalg", "relgraph, relgraph.tensor", "demo"
COMMANDS = {
    BARE: ("-c", "pass"),
    BASE: ("-c", f"import {BASE}"),
    OURS: ("-c", f"import {OURS}"),
    DEMO: ("-m", "relgraph", "demo"),
}


def run(command: tuple[str, ...]) -> None:
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)


def medians(names: tuple[str, ...], rounds: int) -> list[float]:
    """Return the median seconds of fresh processes."""
    calls = [partial(run, COMMANDS[name]) for name in names]
    for call in calls:
        call()  # the first one writes the byte code
    return [statistics.median(times) for times in in_turn(calls, rounds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="how many processes import")
    parser.add_argument("--demos", type=int, default=3, help="how many run the demonstration")
    options = parser.parse_args()
    bare, base, ours = medians((BARE, BASE, OURS), options.rounds)
    print(f"{'import':28}{'ms':>8}")
    for name, value in ((BASE, base), (OURS, ours)):
        print(f"{name:28}{1000 * (value - bare):8.1f}")
    print(f"{'ratio':28}{(ours - bare) / (base - bare):8.2f}")
    (demo,) = medians((DEMO,), options.demos)
    print(f"{'relgraph demo, s':28}{demo - bare:8.2f}")


if __name__ == "__main__":
    main()

"""How long ``import relgraph, relgraph.tensor`` takes beside what it stands on.

Run with ``python tests/benchmarks/bench_import.py``. Each figure is the median of fresh processes,
the two sides taking turns, less what starting Python costs; the aim is a ratio of at most 1.5.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
STATEMENTS = {
    "nothing": "pass",
    "numpy, scipy.linalg": "import numpy, scipy.linalg",
    "relgraph, relgraph.tensor": "import relgraph, relgraph.tensor",
}


def seconds(statement: str) -> float:
    """Return the time of a fresh Python process that runs one statement."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], cwd=ROOT, check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="how many processes of each")
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for statement in STATEMENTS.values():
        seconds(statement)  # the first one writes the byte code
    for _ in range(rounds):
        for name, statement in STATEMENTS.items():
            times[name].append(seconds(statement))
    bare, base, ours = (statistics.median(times[name]) for name in STATEMENTS)
    print(f"{'import':28}{'ms':>8}")
    print(f"{'numpy, scipy.linalg':28}{1000 * (base - bare):8.1f}")
    print(f"{'relgraph, relgraph.tensor':28}{1000 * (ours - bare):8.1f}")
    print(f"{'ratio':28}{(ours - bare) / (base - bare):8.2f}")


if __name__ == "__main__":
    main()

"""How long the demonstration takes in a fresh process; the aim is 20 s at most.

Run with ``python tests/benchmarks/bench_demo.py``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often it is run")
    for _ in range(parser.parse_args().rounds):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "relgraph", "demo"], cwd=ROOT, check=True, capture_output=True
        )
        print(f"relgraph demo{time.perf_counter() - start:8.2f} s")


if __name__ == "__main__":
    main()

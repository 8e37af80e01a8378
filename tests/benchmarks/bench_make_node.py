"""How long it takes to build an elementwise node, here and in PyTensor.

    python tests/benchmarks/bench_make_node.py [--peer PYTHON]

``--peer`` is an interpreter that has PyTensor; the two are measured in turn, in processes of their
own, and the ratio of the medians is printed.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = "import relgraph.tensor as at; x, y = at.dvector('x'), at.dvector('y')"
PEER = "import pytensor.tensor as at; x, y = at.dvector('x'), at.dvector('y')"
CASES = {"add(x, y)": "at.add(x, y)", "x + 1": "x + 1.0", "exp(x)": "at.exp(x)"}


def measure(python: str, setup: str, statement: str, number: int) -> float:
    """Return the seconds that `statement` takes in a fresh process, the best of five."""
    code = (
        f"import timeit; setup = {setup!r}\n"
        f"print(min(timeit.repeat({statement!r}, setup, number={number}, repeat=5)) / {number})"
    )
    ran = subprocess.run([python, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return float(ran.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="an interpreter that has PyTensor")
    parser.add_argument("--rounds", type=int, default=3, help="how often each side is measured")
    options = parser.parse_args()
    for name, statement in CASES.items():
        ours, peers = [], []
        for _ in range(options.rounds):
            ours.append(measure(sys.executable, OURS, statement, 20_000))
            if options.peer is not None:
                peers.append(measure(options.peer, PEER, statement, 1_000))
        line = f"{name:10}  ours {statistics.median(ours) * 1e6:7.2f} µs"
        if peers:
            ratio = statistics.median(peers) / statistics.median(ours)
            line += f"   peer {statistics.median(peers) * 1e6:7.2f} µs   peer/ours {ratio:5.1f}"
        print(line)


if __name__ == "__main__":
    main()

"""How long it takes to build an elementwise node, here and in PyTensor.

    python tests/benchmarks/bench_make_node.py [NAME ...] [--peer PYTHON] [--rounds N]

``--peer`` is an interpreter that has PyTensor; the two are measured in turn, in processes of their
own, and the ratio of the medians is printed.
"""

import statistics
import timeit
from importlib import import_module

from shared.beside_peer import answered, parser_for, rounds_of

CASES = {"add": "at.add(x, y)", "add 1": "x + 1.0", "exp": "at.exp(x)"}
NUMBER = {"relgraph": 20_000, "pytensor": 1_000}


def measure(name: str, library: str) -> float:
    """Return the microseconds that a node takes, the best of five."""
    at = import_module(f"{library}.tensor")
    names = {"at": at, "x": at.dvector("x"), "y": at.dvector("y")}
    number = NUMBER[library]
    return min(timeit.repeat(CASES[name], globals=names, number=number, repeat=5)) / number * 1e6


def main() -> None:
    options = parser_for(__doc__, CASES).parse_args()
    if answered(options, measure):
        return
    for name in options.names or CASES:
        ours, peers = zip(*rounds_of(__file__, name, options), strict=True)
        line = f"{CASES[name]:12}  ours {statistics.median(ours):7.2f} µs"
        if options.peer is not None:
            ratio = statistics.median(peers) / statistics.median(ours)
            line += f"   peer {statistics.median(peers):7.2f} µs   peer/ours {ratio:5.1f}"
        print(line)


if __name__ == "__main__":
    main()

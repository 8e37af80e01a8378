"""What compiling many different graphs leaves behind: ``python -m tests.compile.memory``.

Each family compiles, calls and drops functions; the memory of the process is printed on the way.
"""

from __future__ import annotations

import argparse
import gc
import sys

from tests.compile.memory.graphs import FAMILIES


def megabytes() -> float:
    """Return the memory of this process (Linux)."""
    with open("/proc/self/status") as status:
        (line,) = [line for line in status if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compile.memory", description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--graphs", type=int, default=10_000, help="how many, of all families")
    given = parser.parse_args()
    unknown = set(given.families) - set(FAMILIES)
    if unknown:
        parser.exit(2, f"{parser.prog}: no family is called {', '.join(sorted(unknown))}\n")
    makers = [FAMILIES[name] for name in given.families or FAMILIES]
    for k in range(given.graphs):
        function, arguments = makers[k % len(makers)](k)
        function(*arguments)
        if k + 1 in (100, 200) or (k + 1) % 500 == 0:
            gc.collect()
            print(f"{k + 1:8d} graphs {megabytes():8.1f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

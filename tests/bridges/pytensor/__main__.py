"""Random programs to PyTensor and back: ``python -m tests.bridges.pytensor --graphs 1000``.

Prints each that has other values; the exit status is 1 if one has.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.bridges.pytensor.campaign import campaign, examine, examine_rewriter


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bridges.pytensor", description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000, help="how many")
    parser.add_argument("--rewriter", action="store_true", help="rewrite them there, by laws")
    parser.add_argument("--seed", type=int, default=0, help="that of the first program")
    given = parser.parse_args()
    tally: Counter[str] = Counter()
    wrong = 0
    examined = examine_rewriter if given.rewriter else examine
    for problem in campaign(given.graphs, given.seed, tally, examined):
        wrong += 1
        print(problem, end="\n\n")
    for name, count in tally.most_common():
        print(f"{count:7} {name}")
    print(f"{given.graphs} graphs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

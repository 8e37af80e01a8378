"""Many programs, by hand: ``python -m tests.engines.dask.programs --graphs 3000 --seed 0``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.engines.dask.programs.campaign import problem_of
from tests.fuzz.program import source


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.engines.dask.programs", description=__doc__
    )
    parser.add_argument("--graphs", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="that of the first program")
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    given = parser.parse_args()
    tally: Counter[str] = Counter()
    failures = 0
    for number in range(given.seed, given.seed + given.graphs):
        found = problem_of(number, tally)
        if found is not None:
            program, problem = found
            failures += 1
            print(f"{'-' * 78}\nseed {number}: {problem.kind}\n{problem.text}\n")
            print(source(program, "'dask'"), flush=True)
        if failures >= given.most:
            break
    print(dict(tally), f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.aliasing --graphs 5000 --seed 0` looks for programs that go wrong."""

import argparse

from tests.aliasing.campaign import campaign


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.aliasing", description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = 0
    for problem in campaign(given.seed, given.graphs):
        found += 1
        print(problem, flush=True)
    print(f"{given.graphs} graphs, {found} problems")
    return int(found > 0)


raise SystemExit(main())

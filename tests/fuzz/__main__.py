"""Many programs, by hand: ``python -m tests.fuzz --graphs 100000 --seed 0 --jobs 2``.

Prints each program that fails, made small, as Python to paste; the exit status is 1 if one does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context

from tests.fuzz.campaign import Tally, examined

# A process takes so many at a time.
CHUNK = 200


@contextmanager
def results(
    chunks: list[range], tier: str, jobs: int
) -> Iterator[Iterable[tuple[Tally, list[str]]]]:
    """Give what comes of each chunk, in order."""
    if jobs == 1:
        yield map(partial(examined, tier), chunks)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield pool.map(partial(examined, tier), chunks)
        pool.shutdown(cancel_futures=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--graphs", type=int, default=10000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="that of the first program")
    parser.add_argument("--jobs", type=int, default=1, help="in how many processes")
    parser.add_argument(
        "--tier",
        choices=("vm", "compiled", "swapped"),
        default="vm",
        help="what runs functions: NumPy, compiled code, or that after some calls by NumPy",
    )
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    given = parser.parse_args(arguments)
    numbers = range(given.seed, given.seed + given.graphs)
    chunks = [numbers[i : i + CHUNK] for i in range(0, len(numbers), CHUNK)]
    tally, seen = Tally(), 0
    with results(chunks, given.tier, given.jobs) as found:
        for part, failures in found:
            tally.add(part)
            for failure in failures:
                print(f"{'-' * 78}\n{failure}\n", flush=True)
            seen += len(failures)
            if seen >= given.most:
                break
            print(f"{tally.programs} of {given.graphs} graphs", file=sys.stderr, flush=True)
    print(f"{tally.programs} programs of {tally.steps} steps, {seen} failures")
    _list("compared", tally.compared)
    _list("values said nothing", Counter({": ".join(k): n for k, n in tally.unsaid.items()}))
    _list("known and met", tally.known)
    _list("what became of compiling", tally.tiers)
    return 1 if seen else 0


def _list(title: str, counts: Counter[str]) -> None:
    if counts:
        print(f"{title}:")
    for name, count in counts.most_common():
        print(f"  {count:8d}  {name}")


if __name__ == "__main__":
    sys.exit(main())

"""Many programs, by hand: ``python -m tests.fuzz --graphs 100000 --seed 0``.

Prints each program that fails, made small, as Python to paste; the exit status is 1 if one does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tests.fuzz.campaign import Failure, Tally, campaign, made_small

try:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
except ImportError:
    Progress = None  # type: ignore[assignment,misc]

# A plain line of progress comes once in so many programs.
EVERY = 1000


class Tick(Protocol):
    def __call__(self) -> None: ...


@contextmanager
def progress(graphs: int) -> Iterator[Tick]:
    """Show how far a run is: a bar where rich is installed and somebody looks, else a line."""
    if Progress is not None and sys.stderr.isatty():
        with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
            task = bar.add_task("graphs", total=graphs)
            yield lambda: bar.advance(task)
        return
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if done % EVERY == 0 or done == graphs:
            print(f"{done} of {graphs} graphs", file=sys.stderr, flush=True)

    yield tick


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--graphs", type=int, default=10000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="that of the first program")
    parser.add_argument("--each", type=int, default=3, help="in how many modes each is run")
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    given = parser.parse_args(arguments)
    tally, seen = Tally(), 0
    with progress(given.graphs) as tick:
        for failures in campaign(given.graphs, given.seed, tally, given.each):
            for failure in failures:
                seen += 1
                show(failure)
            if seen >= given.most:
                break
            tick()
    print(f"{tally.programs} programs of {tally.steps} steps, {seen} failures")
    _list("compared", tally.compared)
    _list("values said nothing", tally.unsaid)
    _list("known and met", tally.known)
    return 1 if seen else 0


def show(failure: Failure) -> None:
    """Print a failure, made small."""
    print(f"{'-' * 78}\n{made_small(failure)}\n", flush=True)


def _list(title: str, counts: Counter[str]) -> None:
    if counts:
        print(f"{title}:")
    for name, count in counts.most_common():
        print(f"  {count:8d}  {name}")


if __name__ == "__main__":
    sys.exit(main())

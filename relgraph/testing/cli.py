"""The arguments of ``relgraph check``, and what it prints."""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from relgraph import testing
from relgraph.graph.kanren.relations import Relation
from relgraph.testing.book import BookError, book

DEFAULT_EXAMPLES = 200
_WIDTH = 28
# A process takes longer to start than it takes to check this many laws.
_WORTH_A_PROCESS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the check."""
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="modules with laws (default: the rule book)"
    )
    parser.add_argument(
        "--law", action="append", default=[], metavar="NAME", help="check this law alone"
    )
    parser.add_argument(
        "--examples",
        type=_count,
        default=DEFAULT_EXAMPLES,
        metavar="N",
        help="how often both sides of a law are evaluated (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=_seed, metavar="N", help="where chance begins (default: the same each time)"
    )
    parser.add_argument(
        "--jobs", type=_count, metavar="N", help="processes (default: one for each core)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")


def run(options: argparse.Namespace) -> int:
    """Check laws, a line for each on standard output.

    Returns
    -------
    status
        1 if a law fails or could not be checked, else 0.

    Raises
    ------
    BookError
        If there are no such laws, the file can't be written, or mpmath is missing.
    """
    laws = _chosen(book(options.modules), options.law)
    if options.json is not None:
        _writable(options.json)
    began = time.perf_counter()
    width = min(_WIDTH, max(map(len, laws)))
    console = Console(**_PLAIN)
    results: list[dict[str, Any]] = []
    with _bar(len(laws), console) as tell:
        for found in _checked(options, list(laws)):
            results.append(found)
            tell(_line(found, width))
    for found in results:
        if found["status"] != "passed":
            console.print(f"\n{found['name']}: {found['status']}: {found['reason']}")
            if found["counterexample"] is not None:
                console.print(found["counterexample"])
    count = Counter(found["status"] for found in results)
    seconds = time.perf_counter() - began
    console.print(
        f"\n{count['passed']} passed, {count['failed']} failed, {count['unchecked']} unchecked: "
        f"{sum(found['examples'] for found in results)} examples in {seconds:.1f} s"
    )
    if options.json is not None:
        summary = {"seconds": round(seconds, 3), "seed": options.seed, **count, "laws": results}
        text = json.dumps(summary, indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0 if count["passed"] == len(results) else 1


def _chosen(laws: dict[str, Relation], names: Sequence[str]) -> dict[str, Relation]:
    for name in names:
        if name not in laws:
            raise BookError(f"there is no law called {name} among the {len(laws)} laws")
    return {name: law for name, law in laws.items() if not names or name in names}


def _writable(path: Path) -> None:
    try:
        path.open("a").close()
    except OSError as error:
        raise BookError(f"{path} can't be written: {error.strerror}") from error


_PLAIN: dict[str, Any] = {"highlight": False, "soft_wrap": True, "markup": False}


@contextmanager
def _bar(total: int, console: Console) -> Iterator[Callable[[str], None]]:
    """Give a function that prints a line on `console` and moves a progress bar on.

    The bar is on standard error, and shown only if that is a terminal.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    error = Console(stderr=True, **_PLAIN)
    # On one terminal the bar has to make room for each line.
    lines = error if console.is_terminal and error.is_terminal else console
    hidden = not error.is_terminal
    with Progress(*columns, console=error, transient=True, disable=hidden) as progress:
        task = progress.add_task("laws", total=total)

        def tell(line: str) -> None:
            lines.print(line)
            progress.advance(task)

        yield tell


# -- checking, here or in other processes --------------------------------------------------------

_laws: dict[str, Relation] = {}


def _checked(options: argparse.Namespace, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the results of some laws in order."""
    tasks = [(name, options.examples, options.seed) for name in names]
    jobs = cores(len(names)) if options.jobs is None else min(options.jobs, len(names))
    if jobs == 1:
        _open(options.modules)
        yield from map(_check, tasks)
        return
    # other ways than to spawn would copy the threads of the progress bar half
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _open, (options.modules,)) as processes:
        yield from processes.map(_check, tasks)


def cores(laws: int) -> int:
    """Return how many processes pay for some laws: no more than there are cores."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = (os.cpu_count() or 1) if affinity is None else len(affinity(0))
    return max(1, min(cores, laws // _WORTH_A_PROCESS))


def _open(modules: Sequence[str]) -> None:
    _laws.clear()
    _laws.update(book(modules))


def _check(task: tuple[str, int, int | None]) -> dict[str, Any]:
    name, examples, seed = task
    try:
        return testing.check_relation(_laws[name], examples, seed).as_dict()
    except ModuleNotFoundError as error:
        raise BookError(str(error)) from error


def _line(found: dict[str, Any], width: int) -> str:
    text = (
        f"{found['name']:<{width}}  {found['sound']:<8}  {found['instances']:>3} instances  "
        f"{found['examples']:>5} examples  {found['seconds']:>6.2f} s  {found['status']}"
    )
    return text if found["stronger"] is None else f"{text} (even {found['stronger']})"


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _seed(text: str) -> int:
    value = float(text) if text.isdecimal() else math.nan
    if math.isnan(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)

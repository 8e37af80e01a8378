"""The arguments of ``relgraph check``, and what it prints."""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from relgraph import testing
from relgraph.graph.kanren.named import Relation
from relgraph.testing.book import BookError, book

DEFAULT_EXAMPLES = 200
_WIDTH = 28


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
        "--jobs", type=_count, default=1, metavar="N", help="processes (default: %(default)s)"
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
    console = Console(highlight=False, soft_wrap=True, markup=False)
    results: list[dict[str, Any]] = []
    with _bar(len(laws)) as advance:
        for found in _checked(options, list(laws)):
            results.append(found)
            console.print(_line(found, width))
            advance()
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
        options.json.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    return 0 if count["passed"] == len(results) else 1


def _chosen(laws: dict[str, Relation], names: Sequence[str]) -> dict[str, Relation]:
    for name in names:
        if name not in laws:
            raise BookError(f"there is no law called {name} among the {len(laws)} laws")
    return {name: law for name, law in laws.items() if not names or name in names}


def _writable(path: Path) -> None:
    try:
        path.touch()
    except OSError as error:
        raise BookError(f"{path} can't be written: {error.strerror}") from error


@contextmanager
def _bar(total: int) -> Iterator[Any]:
    """Show a progress bar on standard error, if that is a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("laws", total=total)
        yield lambda: progress.advance(task)


# -- checking, here or in other processes --------------------------------------------------------

_laws: dict[str, Relation] = {}


def _checked(options: argparse.Namespace, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the results of some laws in order."""
    tasks = [(name, options.examples, options.seed) for name in names]
    if options.jobs == 1 or len(names) == 1:
        _open(options.modules)
        yield from map(_check, tasks)
        return
    # other ways than to spawn would copy the threads of the progress bar half
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, context, _open, (options.modules,)) as processes:
        yield from processes.map(_check, tasks)


def _open(modules: Sequence[str]) -> None:
    _laws.clear()
    _laws.update(book(modules))


def _check(task: tuple[str, int, int | None]) -> dict[str, Any]:
    name, examples, seed = task
    try:
        return testing.check_relation(_laws[name], examples, seed).as_dict()
    except ModuleNotFoundError as error:
        raise BookError(
            f"a check needs {error.name}, which comes with `pip install relgraph[check]`"
        ) from error


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

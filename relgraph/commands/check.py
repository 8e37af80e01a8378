"""The command ``relgraph check``: its arguments, its processes, and its output."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from relgraph import testing
from relgraph.commands import natural, positive
from relgraph.graph.kanren.relations import Relation
from relgraph.testing.discovery import CheckError, add_module_arguments, discover_laws, with_packs

EXAMPLE = "  relgraph check --law log-exp --law sinh\n  relgraph check my_laws.py --examples 500"
DEFAULT_EXAMPLES = 200
_WIDTH = 28
# A process is started for so many laws: checking fewer takes less time than starting it.
_LAWS_PER_PROCESS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add_module_arguments(parser)
    parser.add_argument(
        "--law",
        action="append",
        default=[],
        metavar="NAME",
        help="check this law alone; may be given again",
    )
    parser.add_argument(
        "--examples",
        type=positive,
        default=DEFAULT_EXAMPLES,
        metavar="N",
        help="how often both sides of a law are evaluated (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=natural,
        metavar="N",
        help="the seed of all random choices (default: one for each law)",
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="processes (default: one for each core)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")


def run(options: argparse.Namespace) -> int:
    """Check laws, and print a line for each on standard output.

    Parameters
    ----------
    options
        The arguments, parsed.

    Returns
    -------
    status
        1 if a law fails or is not checked, else 0.

    Raises
    ------
    CheckError
        If there are no such laws, the file can't be written, or python-flint is missing.
    """
    options.modules = with_packs(options.modules, options.packs)
    laws = _chosen(discover_laws(options.modules), options.law)
    if options.json is not None:
        _require_writable(options.json)
    began = time.perf_counter()
    width = min(_WIDTH, max(map(len, laws)))
    console = Console(**_PLAIN)
    results: list[dict[str, Any]] = []
    with _progress_bar(len(laws), console) as print_and_advance:
        for result in _check_all(options, list(laws)):
            results.append(result)
            print_and_advance(_line(result, width))
    for result in results:
        if result["status"] != "passed":
            console.print(f"\n{result['name']}: {result['status']}: {result['reason']}")
            if result["counterexample"] is not None:
                console.print(result["counterexample"])
    count = Counter(result["status"] for result in results)
    seconds = time.perf_counter() - began
    console.print("\n" + _coverage_text(result["coverage"] for result in results))
    console.print(
        f"{count['passed']} passed, {count['failed']} failed, {count['unchecked']} unchecked: "
        f"{sum(result['examples'] for result in results)} examples in {seconds:.1f} s"
    )
    if options.json is not None:
        summary = {"seconds": round(seconds, 3), "seed": options.seed, **count, "laws": results}
        text = json.dumps(summary, indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0 if count["passed"] == len(results) else 1


def _chosen(laws: dict[str, Relation], names: Sequence[str]) -> dict[str, Relation]:
    for name in names:
        if name not in laws:
            raise CheckError(f"there is no law called {name} among the {len(laws)} laws")
    return {name: law for name, law in laws.items() if not names or name in names}


def _require_writable(path: Path) -> None:
    try:
        path.open("a").close()
    except OSError as error:
        raise CheckError(f"{path} can't be written: {error.strerror}") from error


_PLAIN: dict[str, Any] = {"highlight": False, "soft_wrap": True, "markup": False}


@contextmanager
def _progress_bar(total: int, console: Console) -> Iterator[Callable[[str], None]]:
    """Show a progress bar; yield a function that prints a line on `console` and advances the bar.

    The bar is on standard error, and shown only if that is a terminal.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    error = Console(stderr=True, **_PLAIN)
    # If the bar is on the same terminal, only its own console can print lines above it.
    # (Notebooks have the variable set by which a console takes itself for one.)
    hidden = not sys.stderr.isatty()
    lines = console if hidden or not sys.stdout.isatty() else error
    with Progress(*columns, console=error, transient=True, disable=hidden) as progress:
        task = progress.add_task("laws", total=total)

        def print_and_advance(line: str) -> None:
            lines.print(line)
            progress.advance(task)

        yield print_and_advance


# -- checks, in this process or in others --------------------------------------------------------

_laws: dict[str, Relation] = {}


def _check_all(options: argparse.Namespace, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the results of some laws as dicts, in order."""
    tasks = [(name, options.examples, options.seed) for name in names]
    jobs = process_count(len(names)) if options.jobs is None else min(options.jobs, len(names))
    if jobs == 1:
        _load_laws(options.modules)
        yield from map(_check, tasks)
        return
    # A fork would copy the locks of the progress bar but not its threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _load_laws, (options.modules,)) as processes:
        yield from processes.map(_check, tasks)


def process_count(laws: int) -> int:
    """Return how many processes to start for some laws: no more than there are cores."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = (os.cpu_count() or 1) if affinity is None else len(affinity(0))
    return max(1, min(cores, laws // _LAWS_PER_PROCESS))


def _load_laws(modules: Sequence[str]) -> None:
    _laws.clear()
    _laws.update(discover_laws(modules))


def _check(task: tuple[str, int, int | None]) -> dict[str, Any]:
    name, examples, seed = task
    try:
        return testing.check_relation(_laws[name], examples, seed).as_dict()
    except ModuleNotFoundError as error:
        raise CheckError(str(error)) from error


def _line(result: dict[str, Any], width: int) -> str:
    coverage = result["coverage"]
    text = (
        f"{result['name']:<{width}}  {result['sound']:<8}  {result['instances']:>3} instances  "
        f"{coverage['examples']:>4} + {result['examples']:>5} examples  "
        f"{len(coverage['kinds'])} kinds  {result['seconds']:>6.2f} s  {result['status']}"
    )
    return text if result["stronger"] is None else f"{text} (even {result['stronger']})"


def _coverage_text(coverages: Iterable[Mapping[str, Any]]) -> str:
    """Return the coverage of several laws, given as dicts, as lines of text.

    There is a line for each kind with the number of laws that were checked on it.
    """
    coverages = list(coverages)
    laws: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    for coverage in coverages:
        laws.update(coverage["kinds"])
        cells["covered"] += len(coverage["covered"])
        cells["not admitted"] += len(coverage["not_admitted"])
        cells["not found"] += len(coverage["not_found"])
        cells["not covered"] += len(coverage["not_covered"])
    by_kind = ", ".join(f"{kind} {n}" for kind, n in laws.most_common())
    examples = sum(coverage["examples"] for coverage in coverages)
    return (
        f"coverage: laws by kind of dtype: {by_kind}\n"
        f"coverage: {examples} examples by plan; cells of it: "
        f"{', '.join(f'{n} {what}' for what, n in cells.items())}"
    )

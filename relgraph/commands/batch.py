"""What the commands that go through laws share: which laws, the progress bar, the processes."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from relgraph.commands import positive
from relgraph.graph.kanren.relations import Relation
from relgraph.testing.discovery import CheckError, add_module_arguments, discover_laws, with_packs

# The width of the column of names.
WIDTH = 28
# A process is started for so many laws: fewer take less time than starting it.
_LAWS_PER_PROCESS = 8

# Text is printed as it is.
_PLAIN: dict[str, Any] = {"highlight": False, "soft_wrap": True, "markup": False}


def add_law_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the arguments for modules, names and processes; `what` is done to a law."""
    add_module_arguments(parser)
    parser.add_argument(
        "--law",
        action="append",
        default=[],
        metavar="NAME",
        help=f"{what} this law alone; may be given again",
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="processes (default: one for each core)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")


def laws_of(options: argparse.Namespace) -> dict[str, Relation]:
    """Return the laws that the arguments of a command name, by name; all if they name none.

    The modules of the packs are added to ``options.modules``.

    Raises
    ------
    CheckError
        If there is no law of a name.
    """
    options.modules = with_packs(options.modules, options.packs)
    laws = discover_laws(options.modules)
    for name in options.law:
        if name not in laws:
            raise CheckError(f"there is no law called {name} among the {len(laws)} laws")
    return {name: law for name, law in laws.items() if not options.law or name in options.law}


Found = list[dict[str, Any]]
"""What a command has found out about each law."""


def results_of(
    compute: Callable[..., Any],
    laws: Collection[str],
    given: tuple[Any, ...],
    line: Callable[[dict[str, Any], int], str],
    options: argparse.Namespace,
) -> tuple[Found, float]:
    """Print a line for each law; return the results, and the time in seconds.

    Parameters
    ----------
    compute
        A function of a module: other processes import it. It takes a law and `given`; the
        ``as_dict`` of what it returns is a result.
    laws
        The names of the laws.
    line
        Takes a result and the width of the column of names; returns the line.
    options
        The arguments of the command.

    Raises
    ------
    CheckError
        If the file of ``--json`` can't be written, or a package is missing.
    """
    if options.json is not None:
        _require_writable(options.json)
    began = time.perf_counter()
    width = min(WIDTH, max(map(len, laws)))
    results: Found = []
    with _progress_bar(len(laws)) as print_and_advance:
        for result in _for_each(compute, laws, given, options):
            results.append(result)
            print_and_advance(line(result, width))
    return results, time.perf_counter() - began


def write_json(options: argparse.Namespace, found: Mapping[str, Any]) -> None:
    """Write what was found out to the file of ``--json``, if there is one."""
    if options.json is not None:
        text = json.dumps(found, indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")


def _require_writable(path: Path) -> None:
    """Raise a CheckError if a file can't be written."""
    try:
        path.open("a").close()
    except OSError as error:
        raise CheckError(f"{path} can't be written: {error.strerror}") from error


@contextmanager
def _progress_bar(total: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar; yield a function that prints a line and advances the bar.

    The bar is on standard error, and shown only if that is a terminal.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console, error = Console(**_PLAIN), Console(stderr=True, **_PLAIN)
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


# The laws of this process, by name.
_LAWS: dict[str, Relation] = {}


def _for_each(
    compute: Callable[..., Any],
    laws: Collection[str],
    given: tuple[Any, ...],
    options: argparse.Namespace,
) -> Iterator[dict[str, Any]]:
    """Yield the results for laws, in order; see `results_of`."""
    count = len(laws)
    jobs = process_count(count) if options.jobs is None else min(options.jobs, count)
    result = partial(_result, compute, given)
    if jobs == 1:
        _load_laws(options.modules)
        yield from map(result, laws)
        return
    # A fork would copy the locks of the progress bar but not its threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _load_laws, (options.modules,)) as processes:
        yield from processes.map(result, laws)


def _result(compute: Callable[..., Any], given: tuple[Any, ...], name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = compute(_LAWS[name], *given).as_dict()
    except ModuleNotFoundError as error:
        raise CheckError(str(error)) from error
    return found


def process_count(laws: int) -> int:
    """Return how many processes to start for some laws: no more than there are cores."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = (os.cpu_count() or 1) if affinity is None else len(affinity(0))
    return max(1, min(cores, laws // _LAWS_PER_PROCESS))


def _load_laws(modules: Sequence[str]) -> None:
    _LAWS.clear()
    _LAWS.update(discover_laws(modules))

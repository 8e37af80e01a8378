"""What the commands that go through laws share: which laws, the progress bar, the processes."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from relgraph.commands import positive
from relgraph.graph.kanren.relations import Relation
from relgraph.testing.discovery import CheckError, add_module_arguments, discover_laws

WIDTH = 28
"""The width of the column of names."""
# A process is started for so many laws: fewer take less time than starting it.
_LAWS_PER_PROCESS = 8

PLAIN: dict[str, Any] = {"highlight": False, "soft_wrap": True, "markup": False}
"""How text is printed on a console: as it is."""


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


def chosen(laws: dict[str, Relation], names: Sequence[str]) -> dict[str, Relation]:
    """Return the laws of some names, by name; all if there are no names.

    Raises
    ------
    CheckError
        If there is no law of a name.
    """
    for name in names:
        if name not in laws:
            raise CheckError(f"there is no law called {name} among the {len(laws)} laws")
    return {name: law for name, law in laws.items() if not names or name in names}


def require_writable(path: Path) -> None:
    """Raise a CheckError if a file can't be written."""
    try:
        path.open("a").close()
    except OSError as error:
        raise CheckError(f"{path} can't be written: {error.strerror}") from error


@contextmanager
def progress_bar(total: int, console: Console) -> Iterator[Callable[[str], None]]:
    """Show a progress bar; yield a function that prints a line on `console` and advances the bar.

    The bar is on standard error, and shown only if that is a terminal.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    error = Console(stderr=True, **PLAIN)
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


LAWS: dict[str, Relation] = {}
"""The laws of this process, by name."""


def for_each(
    function: Callable[[Any], dict[str, Any]],
    tasks: Sequence[Any],
    modules: Sequence[str],
    jobs: int | None,
) -> Iterator[dict[str, Any]]:
    """Yield the results of a function of tasks, in order; it finds the laws in `LAWS`.

    Parameters
    ----------
    function
        A function of a module: other processes import it.
    tasks
        Its arguments, one for each law.
    modules
        The modules of laws.
    jobs
        The number of processes; None for one for each core.
    """
    jobs = process_count(len(tasks)) if jobs is None else min(jobs, len(tasks))
    if jobs == 1:
        _load_laws(modules)
        yield from map(function, tasks)
        return
    # A fork would copy the locks of the progress bar but not its threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _load_laws, (modules,)) as processes:
        yield from processes.map(function, tasks)


def process_count(laws: int) -> int:
    """Return how many processes to start for some laws: no more than there are cores."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = (os.cpu_count() or 1) if affinity is None else len(affinity(0))
    return max(1, min(cores, laws // _LAWS_PER_PROCESS))


def _load_laws(modules: Sequence[str]) -> None:
    LAWS.clear()
    LAWS.update(discover_laws(modules))

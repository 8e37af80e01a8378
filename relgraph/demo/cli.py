"""The command ``relgraph demo``: its arguments, and what it shows in four steps.

Losses are plotted in the terminal: both axes logarithmic, a letter for each curve.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

import relgraph.tensor as at
from relations import STABILIZE
from relgraph.commands import add_number
from relgraph.compile import optimize_graph
from relgraph.demo.model import (
    SHIPPED_CSV,
    SHIPPED_TARGET,
    DataError,
    Result,
    Table,
    load_table,
    naive_model,
    naive_terms,
    train,
    wild_columns,
)
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Relation
from relgraph.graph.notation import algebra
from relgraph.graph.opt import EquilibriumOptimizer, EquilibriumRecord
from relgraph.printing import dprint

WIDTH, HEIGHT = 64, 11


def plot(curves: Mapping[str, NDArray[np.float64]], marks: Mapping[str, str]) -> list[str]:
    """Return the lines of a plot.

    Parameters
    ----------
    curves
        For each name the losses of step 0, 1, 2, ...; what is not positive and finite is left out.
    marks
        The character that marks each.
    """
    length = max(len(losses) for losses in curves.values())
    steps = _steps(length)
    shown = {name: losses[steps[steps < len(losses)]] for name, losses in curves.items()}
    seen = np.concatenate([v[np.isfinite(v) & (v > 0)] for v in shown.values()])
    if not seen.size:
        return []
    least, most = math.log10(seen.min()), math.log10(seen.max())
    span = most - least or 1.0
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for name, losses in reversed(shown.items()):  # the first one stays where they meet
        for column, loss in enumerate(losses):
            if math.isfinite(loss) and loss > 0:
                height = round((math.log10(loss) - least) / span * (HEIGHT - 1))
                rows[HEIGHT - 1 - height][column] = marks[name]
    labels = {0: f"{seen.max():.3g}", HEIGHT - 1: f"{seen.min():.3g}"}
    lines = [f"{labels.get(i, ''):>9} | {''.join(row).rstrip()}" for i, row in enumerate(rows)]
    return [*lines, " " * 10 + "+" + "-" * (WIDTH + 1), " " * 12 + _ticks(steps)]


def _steps(length: int) -> NDArray[np.int64]:
    """Return the step of each column: as many of the first ones as of the last ones."""
    spaced = np.logspace(0, math.log10(max(length, 2)), WIDTH)
    return np.minimum(spaced.round().astype(np.int64) - 1, length - 1)


def _ticks(steps: NDArray[np.int64]) -> str:
    """Return the line that names some steps below their columns."""
    line = [" "] * (WIDTH + 6)
    line[:6] = "step 0"
    free = 8
    for step in (10**k for k in range(1, 10)):
        columns = np.flatnonzero(steps >= step)
        if columns.size and columns[0] >= free:
            text = str(step)
            line[columns[0] : columns[0] + len(text)] = text
            free = columns[0] + len(text) + 2
    return "".join(line).rstrip()


# What is written to a file or a pipe has no window to fit.
PLAIN_WIDTH = 110
PHASE = ["stabilize"]
SHOWN = 6
"""So many laws are shown with their algebra, those for accuracy first."""
MARKS = {"naive": "x", "rewritten": "o"}
NEXT = (
    "Next: `relgraph demo --csv FILE --target COLUMN` trains on your own table, `--graph` shows\n"
    "the graphs, and `relgraph explain log-sigmoid FILE.py:NAME` asks a law about your formula."
)


def show(table: Table, steps: int, rate: float, graphs: bool = False) -> None:
    """Write the demonstration to standard output.

    Parameters
    ----------
    table
        The data to train on.
    steps, rate
        How often and how far both models step; see `train`.
    graphs
        Whether the graphs are shown as trees.
    """
    console = _console()
    _show_data(console, table)
    naive = naive_model().graph()
    rewritten = naive.clone()
    record = EquilibriumOptimizer(STABILIZE).optimize(rewritten)
    _show_loss(console)
    _show_laws(console, STABILIZE, record)
    if graphs:
        _show_graph(console, "The naive graph: loss, gradient by w, gradient by b", naive)
        _show_graph(console, "The graph after the laws", rewritten)
    _show_training(console, table, {"naive": naive, "rewritten": rewritten}, steps, rate)
    _text(console, f"\n{NEXT}")


def _console() -> Console:
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def _heading(console: Console, text: str) -> None:
    console.print(f"\n{text}\n", style="bold")


def _text(console: Console, text: str) -> None:
    """Write lines as they are, however long."""
    console.print(text, soft_wrap=True)


def _show_data(console: Console, table: Table) -> None:
    _heading(console, "1. The data")
    zero, one = table.classes
    ones = int(table.y.sum())
    largest = np.abs(table.X).max(axis=0)
    rows, columns = table.X.shape
    _text(console, f"{table.source.name}: {rows} rows, {columns} columns, not scaled")
    _text(
        console,
        f"largest values from {largest.min():g} ({table.columns[int(largest.argmin())]}) "
        f"to {largest.max():g} ({table.columns[int(largest.argmax())]})",
    )
    for column, why in wild_columns(table.X).items():
        _text(console, f"{table.columns[column]} is of wild scale: {why}")
    _text(
        console,
        f"{table.target}: {one} counts as 1 ({ones} rows), {zero} as 0 ({rows - ones} rows)",
    )


def _show_loss(console: Console) -> None:
    _heading(console, "2. The loss, as it was written and as laws make it")
    y, z = at.dvectors("y", "z")
    written = naive_terms(y, z)
    for name, var in (("naive", written), ("rewritten", optimize_graph(written, include=PHASE))):
        _text(console, f"{name:>9}: {algebra(var, limit=200)}")
    _text(console, f"{'':11}where z is X @ w + b; the loss is the mean over the rows")


def _show_graph(console: Console, title: str, fgraph: FunctionGraph) -> None:
    _heading(console, f"{title} ({len(fgraph.apply_nodes)} nodes)")
    _text(console, str(dprint(fgraph, file="str")).rstrip())


def _show_laws(console: Console, laws: Iterable[Relation], record: EquilibriumRecord) -> None:
    _heading(console, "3. The laws that fired, on the loss and its gradients")
    fired = [law for law in {law.name: law for law in laws}.values() if record.applied[law.name]]
    fired.sort(key=lambda law: (law.sound != "stable", law.sound == "exact"))
    grid = Grid("law", "algebra", "claims", "times")
    grid.columns[-1].justify = "right"
    for law in fired[:SHOWN]:
        grid.add_row(law.name, str(law), law.sound, str(record.applied[law.name]))
    console.print(grid)
    if fired[SHOWN:]:
        _text(console, f"and to tidy up {', '.join(law.name for law in fired[SHOWN:])}")
    merged = record.applied["MergeOptimizer"]
    _text(
        console,
        f"{record.nodes_start} nodes became {record.nodes_end} in {1000 * record.time:.0f} ms; "
        f"{merged} that computed the same were merged; why it stopped: {record.stop_reason}",
    )


def _show_training(
    console: Console, table: Table, versions: dict[str, FunctionGraph], steps: int, rate: float
) -> None:
    _heading(console, "4. Both are trained with the same steps")
    columns = (
        TextColumn("{task.description:9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps"),
        TimeElapsedColumn(),
    )
    results: dict[str, Result] = {}
    with Progress(*columns, console=console) as progress:
        for name, fgraph in versions.items():
            task = progress.add_task(name, total=steps)
            advance = partial(progress.advance, task)
            results[name] = train(fgraph, table.X, table.y, steps, rate, advance)
    grid = Grid("model", "first loss", "last loss", "accuracy", "nan or inf from")
    for name, result in results.items():
        lost = result.lost_at
        grid.add_row(
            name,
            f"{result.losses[0]:.4f}",
            f"{result.losses[-1]:.4f}",
            f"{result.accuracy:.4f}",
            "never" if lost is None else f"step {lost}",
        )
    console.print(grid)
    for line in plot({name: result.losses for name, result in results.items()}, MARKS):
        _text(console, line)
    for name, result in results.items():
        end = "" if result.lost_at is None else f", no number from step {result.lost_at} on"
        _text(console, f"{'':12}{MARKS[name]}  {name}{end}")


EXAMPLE = "  relgraph demo --csv patients.csv --target sick"
DEFAULT_STEPS = 1000
DEFAULT_RATE = 3.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the demonstration."""
    parser.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="your own data: a CSV file with a header row (default: the breast-cancer data)",
    )
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="the column to predict; it holds two different values",
    )
    add_number(parser, "--steps", DEFAULT_STEPS, "steps of gradient descent")
    text = "the step size, divided by the mean square of each column"
    add_number(parser, "--rate", DEFAULT_RATE, text, _rate, "R")
    parser.add_argument("--graph", action="store_true", help="show the graphs as trees too")


def run(options: argparse.Namespace) -> None:
    """Show the demonstration on standard output.

    Raises
    ------
    DataError
        If the options or the data can't be used.
    """
    if options.csv is not None and options.target is None:
        raise DataError("--csv needs --target, the column to predict")
    table = load_table(options.csv or SHIPPED_CSV, options.target or SHIPPED_TARGET)
    show(table, options.steps, options.rate, options.graph)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return rate

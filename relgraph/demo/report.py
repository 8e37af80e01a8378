"""What the demonstration shows, in four steps."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

import relgraph.tensor as at
from relations import STABILIZE
from relgraph.compile import optimize_graph
from relgraph.demo.data import Table
from relgraph.demo.model import Result, naive_model, naive_terms, train, wild_columns
from relgraph.demo.plot import plot
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Relation
from relgraph.graph.notation.algebra import algebra
from relgraph.graph.opt import EquilibriumOptimizer, EquilibriumRecord
from relgraph.printing import dprint

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

"""What the demonstration shows, in five steps."""

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
from relgraph.demo.model import Result, naive_model, train, wild_columns
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Relation
from relgraph.graph.opt import EquilibriumOptimizer, EquilibriumRecord
from relgraph.printing import dprint, pprint

# What is written to a file or a pipe has no window to fit.
PLAIN_WIDTH = 110
RUN_BACKWARD = "softplus"


def show(table: Table, steps: int, rate: float) -> None:
    """Write the demonstration to standard output.

    Parameters
    ----------
    table
        The data to train on.
    steps, rate
        How often and how far both models step; see `train`.
    """
    console = _console()
    _show_data(console, table)
    naive = naive_model().graph()
    _show_graph(console, "2. The naive model: loss, gradient by w, gradient by b", naive)
    rewritten = naive.clone()
    record = EquilibriumOptimizer(STABILIZE).optimize(rewritten)
    _show_laws(console, STABILIZE, record)
    _show_graph(console, "   The graph after them", rewritten)
    _show_training(console, table, {"naive": naive, "rewritten": rewritten}, steps, rate)
    _show_backward(console)


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


def _show_graph(console: Console, title: str, fgraph: FunctionGraph) -> None:
    _heading(console, f"{title} ({len(fgraph.apply_nodes)} nodes)")
    _text(console, str(dprint(fgraph, file="str")).rstrip())
    _text(console, f"\nloss = {pprint(fgraph.outputs[0])}")


def _show_laws(console: Console, laws: Iterable[Relation], record: EquilibriumRecord) -> None:
    _heading(console, "3. The laws that fired")
    grid = Grid("law", "algebra", "claims", "times")
    grid.columns[-1].justify = "right"
    for name, law in {law.name: law for law in laws}.items():
        times = record.applied[name]
        if times:
            grid.add_row(name, str(law), law.sound, str(times))
    console.print(grid)
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


def _show_backward(console: Console) -> None:
    _heading(console, "5. A law read from right to left")
    (law,) = {law for law in STABILIZE if law.name == RUN_BACKWARD}
    x, y = at.dvectors("x", "y")
    expression = y * at.softplus(x)
    before = pprint(expression)
    after = pprint(optimize_graph(expression, include=[], custom_opt=law.backward))
    _text(console, f"{law.name}: {law}\nbefore: {before}\nafter:  {after}")

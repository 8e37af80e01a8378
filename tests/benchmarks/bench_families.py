"""What rewriting costs on every family of graphs, by node, and beside PyTensor.

    python tests/benchmarks/bench_families.py counts [FAMILY ...]
    python tests/benchmarks/bench_families.py peer --peer PYTHON [FAMILY ...]

``counts`` looks whether the work for each node depends on how large the graph is: visits, tries and
changes for each node that was there or made, and nodes made for each that was there, at several
sizes. A count that grows by more than half from the second size to the largest is marked; from the
first, if there are only two. The exit status is 1 if anything was marked or took too long.

``peer`` rewrites programs of 200 to 1,000 nodes, gradients included, with the same phases here and
in PyTensor, in turn, each in a process of its own. It also compares the results: the nodes left,
and the operations, which mean the same in both (`family_programs.operations`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from shared.beside_peer import numbers, one_of, rounds_of
from shared.family_programs import SIZES

from tests.families import FAMILIES
from tests.families.counting import (
    COUNTS,
    MOST_GROWTH,
    Figures,
    counted,
    growth,
    most_applied,
)

PROGRAM = str(Path(__file__).with_name("shared") / "family_programs.py")
MODES = ("o1", "o2", "o3", "o4", "stabilize", "strict", "unsafe")
# What the ratios should be: their median, and the least of them.
MEDIAN_AT_LEAST, EACH_AT_LEAST = 15, 5
# What is written to a file or a pipe has no window to fit.
PLAIN_WIDTH = 180


class Parser(argparse.ArgumentParser):
    """One that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main() -> int:
    options = _parser().parse_args()
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return int(options.run(console, options))


def _parser() -> Parser:
    text, _, details = (__doc__ or "").partition("\n")
    parser = Parser(
        description=text, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = parser.add_subparsers(required=True, metavar="{counts,peer}")

    counts = kinds.add_parser("counts", help="visits, calls and replacements by node")
    counts.add_argument(
        "families", nargs="*", metavar="FAMILY", type=one_of(FAMILIES), default=[*FAMILIES]
    )
    counts.add_argument("--modes", type=_modes, default=MODES, help=f"of {','.join(MODES)}")
    counts.add_argument("--sizes", type=numbers, default=[100, 1_000, 10_000])
    which = counts.add_mutually_exclusive_group()
    which.add_argument("--gradient", dest="which", action="store_const", const=[True])
    which.add_argument("--forward", dest="which", action="store_const", const=[False])
    counts.add_argument("--limit", type=_positive, default=60, help="seconds for each graph")
    counts.add_argument("--json", type=_writable, metavar="FILE", help="keep the figures there")
    counts.set_defaults(run=count_all, which=[False, True])

    peer = kinds.add_parser("peer", help="times beside those of PyTensor")
    peer.add_argument(
        "families", nargs="*", metavar="FAMILY", type=one_of(FAMILIES), default=[*SIZES]
    )
    peer.add_argument("--peer", required=True, type=_interpreter, help="one that has PyTensor")
    peer.add_argument("--rounds", type=int, choices=range(1, 100), default=3, metavar="N")
    peer.add_argument("--json", type=_writable, metavar="FILE", help="keep the figures there")
    peer.set_defaults(run=compare_all, clock=perf_counter)
    return parser


def _modes(text: str) -> list[str]:
    return [one_of(MODES)(mode) for mode in text.split(",")]


def _positive(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got {text!r}")
    return seconds


def _writable(name: str) -> Path:
    path = Path(name)
    if not path.absolute().parent.is_dir() or path.is_dir():
        raise argparse.ArgumentTypeError(f"there can't be a file {name!r}")
    return path


def _interpreter(name: str) -> str:
    try:
        ran = subprocess.run([name, "-c", "import pytensor"], capture_output=True, text=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{name!r} does not run: {error.strerror}") from None
    if ran.returncode:
        last = (ran.stderr.splitlines() or ["it says nothing"])[-1]
        raise argparse.ArgumentTypeError(f"{name!r} can't import pytensor: {last}")
    return name


def _progress() -> Progress:
    """Progress on the error stream: the tables may be written to a file."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


# -- counts ------------------------------------------------------------------------------------


def count_all(console: Console, options: argparse.Namespace) -> int:
    """Print one table for each family, as soon as it is counted; return the exit status."""
    for mode in options.modes:
        # the first use of laws compiles them
        counted(FAMILIES["six ops"], 50, mode, True, options.limit)
    kept, bad = [], []
    with _progress() as progress:
        total = len(options.families) * len(options.modes) * len(options.which)
        task = progress.add_task("", total=total)
        for name in options.families:
            table = _counts_table(name, options.sizes)
            for mode in options.modes:
                for gradient in options.which:
                    what = f"{name}, {mode}, {'gradient' if gradient else 'forward'}"
                    progress.update(task, description=what)
                    series = _series(name, mode, gradient, options)
                    marked = _row(table, mode, gradient, series)
                    bad += [f"{what}: {why}" for why in marked]
                    kept += [_as_data(name, mode, gradient, *one) for one in series]
                    progress.advance(task)
            console.print(table)
    if options.json is not None:
        options.json.write_text(json.dumps(kept, indent=1) + "\n")
    console.print(f"{len(bad)} marked" if bad else "nothing grows with the graph", style="bold")
    for line in bad:
        console.print(line, soft_wrap=True)
    return 1 if bad else 0


def _series(
    name: str, mode: str, gradient: bool, options: argparse.Namespace
) -> list[tuple[int, Figures]]:
    """Count at each size, up to the first that fails."""
    series: list[tuple[int, Figures]] = []
    for size in options.sizes:
        series.append((size, counted(FAMILIES[name], size, mode, gradient, options.limit)))
        if series[-1][1].failure is not None:
            break
    return series


def _counts_table(name: str, sizes: Sequence[int]) -> Table:
    title = f"{name}, at sizes {', '.join(map(str, sizes))}"
    table = Table("mode", "", "nodes", "left", *COUNTS, "µs", title=title, title_justify="left")
    for column in table.columns[2:]:
        column.no_wrap = True
    return table


def _row(table: Table, mode: str, gradient: bool, series: list[tuple[int, Figures]]) -> list[str]:
    """Add a row for one mode, and return what is wrong with it."""
    figures = [one for _, one in series if one.failure is None]
    failures = [f"{one.failure} at size {size}" for size, one in series if one.failure is not None]
    base = min(1, len(figures) - 2)
    cells, marked = [], []
    for count in COUNTS:
        cell = " ".join(f"{one.by_node(count):.2f}" for one in figures)
        if base >= 0:
            factor = growth(figures[base], figures[-1], count)
            cell += f" ×{factor:.2f}"
            if factor > MOST_GROWTH:
                cell += " !"
                most = "; ".join(most_applied(figures[base], figures[-1]))
                marked.append(f"{count} ×{factor:.2f} ({most})")
        cells.append(cell)
    table.add_row(
        mode,
        "gradient" if gradient else "forward",
        " ".join(str(one.nodes) for one in figures) + "".join(f" {why}" for why in failures),
        " ".join(str(one.left) for one in figures),
        *cells,
        " ".join(f"{one.seconds / max(1, one.nodes) * 1e6:.0f}" for one in figures),
        style="red" if marked or failures else None,
    )
    return [*marked, *failures]


def _as_data(name: str, mode: str, gradient: bool, size: int, figures: Figures) -> dict[str, Any]:
    which = {"family": name, "mode": mode, "gradient": gradient, "size": size}
    return {**which, **figures.as_data()}


# -- the peer ----------------------------------------------------------------------------------


def compare_all(console: Console, options: argparse.Namespace) -> int:
    """Print a row for each family, ours and the peer's, and the ratios of all."""
    titles = ("peer / ours", "range", "ms", "peer", "nodes", "peer", "left", "peer")
    table = Table("", *titles, "operations", "peer", "values differ by")
    for column in table.columns[1:]:
        column.justify = "right"
    ratios, larger, kept = {}, [], {}
    with _progress() as progress:
        task = progress.add_task("", total=len(options.families))
        for name in options.families:
            progress.update(task, description=name)
            difference = _difference(name, options)
            rounds = rounds_of(PROGRAM, name, options)
            progress.advance(task)
            every = [theirs["ms"] / ours["ms"] for ours, theirs in rounds]
            ratios[name] = statistics.median(every)
            larger += [name] if rounds[0][0]["operations"] > rounds[0][1]["operations"] else []
            table.add_row(name, *_compared(every, rounds), difference)
            kept[name] = {"ratios": every, "rounds": rounds, "values": difference}
    console.print(table)
    _conclude(console, ratios, larger)
    if options.json is not None:
        options.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


def _difference(name: str, options: argparse.Namespace) -> str:
    """Say how far apart the values of the two programs are, by the largest of each output."""
    once = argparse.Namespace(**{**vars(options), "rounds": 1})
    ((ours, theirs),) = rounds_of(PROGRAM, name, once, flags=["--values"])
    worst = 0.0
    for a, b in zip(map(np.asarray, ours), map(np.asarray, theirs), strict=True):
        if a.shape != b.shape or not np.isfinite(a).all() or not np.isfinite(b).all():
            return "not comparable"
        worst = max(worst, float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-300)))
    return f"{worst:.0e}"


def _compared(ratios: list[float], rounds: list[tuple[Any, Any]]) -> list[str]:
    ours, theirs = rounds[0]
    times = (statistics.median(side["ms"] for side in sides) for sides in zip(*rounds, strict=True))
    sizes = [str(side[key]) for key in ("nodes", "left", "operations") for side in (ours, theirs)]
    spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
    return [f"{statistics.median(ratios):.1f}", spread, *(f"{ms:.1f}" for ms in times), *sizes]


def _conclude(console: Console, ratios: dict[str, float], larger: list[str]) -> None:
    median, least = statistics.median(ratios.values()), min(ratios, key=ratios.__getitem__)
    met = median >= MEDIAN_AT_LEAST, ratios[least] >= EACH_AT_LEAST, not larger
    lines = (
        f"median {median:.1f}, of at least {MEDIAN_AT_LEAST}",
        f"least {ratios[least]:.1f} ({least}), of at least {EACH_AT_LEAST}",
        f"results of more operations than the peer's: {', '.join(larger) or 'none'}",
    )
    for line, fine in zip(lines, met, strict=True):
        console.print(f"{line}: {'met' if fine else 'missed'}", style=None if fine else "red")


if __name__ == "__main__":
    raise SystemExit(main())

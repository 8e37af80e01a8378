"""Whether the default mode is ever slower than the graph as it was written, on every family.

    python tests/benchmarks/bench_never_slower.py [FAMILY ...] [--elements 1,1000,20000]
        [--dtypes float64,float32] [--mode fast_run] [--tier vm] [--rounds 15] [--json FILE]

Each family of `tests/families`, forward and with its gradient, is compiled in the modes ``None``
and ``strict`` and in the default one; inputs that the family writes as numbers are vectors here.
All run by NumPy, or all compiled before their first call (``--tier``). The three are called in
turn, and the median of a mode's rounds counts. The ratio is the default mode's time over the better
one of the others: above ``1.05`` it is marked, with the laws for accuracy that fired, if any did.
Three rounds are enough where that is clearly below 1; what would be marked and has no such law gets
more, which count together with the first, for other work on the machine may have come between. The
exit status is 1 if anything is marked in which none fired.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from shared.beside_peer import numbers, one_of
from shared.timing import in_turn, times
from shared.vector_families import FAMILIES, built, drawn

import relgraph.tensor as at
from relgraph import config, function, grad, optimize_graph

ELEMENTS = (1, 100, 1_000, 20_000, 200_000, 2_000_000)
DTYPES = ("float64", "float32")
BESIDE = ("None", "strict")
MOST = 1.05
WARM_UP, OTHERS = 10, 2
"""Calls of the default mode before those that are measured, for a fused node tries its ways; and of
the other modes."""
FIRST, CLEARLY = 3, 0.9
"""After so many rounds a case is done if its ratio is no larger than that."""
MORE = 3
"""So often again as many rounds are added where a case would be marked."""
LEAST_SECONDS = 2e-3
"""A round takes at least this long: short calls are repeated."""


class Case(NamedTuple):
    """One program at one length."""

    family: str
    elements: int
    dtype: str
    gradient: bool


def main() -> int:
    options = _parser().parse_args()
    config.tier = options.tier
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 140
    cases = [
        Case(name, n, dtype, gradient)
        for name in options.families
        for dtype in options.dtypes
        for gradient in (False, True)
        for n in options.elements
    ]
    modes = (*BESIDE, options.mode)
    table = Table("family", "", "dtype", "elements", *(f"µs, {m}" for m in modes), "ratio")
    for column in table.columns[3:]:
        column.justify = "right"
    rows, bad = [], 0
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(cases))
        for case, seconds, excused in _measured(cases, modes, options.rounds):
            progress.update(task, description=f"{case.family}, {case.elements}", advance=1)
            ratio = seconds[-1] / min(seconds[:-1])
            marked = ratio > MOST
            bad += marked and not excused
            rows.append({**case._asdict(), "seconds": seconds, "ratio": ratio, "laws": excused})
            if marked or options.all:
                table.add_row(
                    case.family,
                    "gradient" if case.gradient else "forward",
                    case.dtype,
                    f"{case.elements:,}",
                    *(f"{1e6 * s:,.1f}" for s in seconds),
                    f"{ratio:.2f} {', '.join(excused) if marked else ''}",
                )
    console.print(table)
    ratios = [row["ratio"] for row in rows]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    console.print(
        f"{len(rows)} cases, {sum(r > MOST for r in ratios)} above {MOST}, {bad} of them without a "
        f"law for accuracy; geometric mean {mean:.2f}, most {max(ratios):.2f}"
    )
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return int(bad > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY", type=one_of(FAMILIES), default=[*FAMILIES]
    )
    parser.add_argument("--elements", type=numbers, default=ELEMENTS)
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=DTYPES)
    parser.add_argument("--mode", default="fast_run")
    parser.add_argument("--tier", choices=("vm", "compiled"), default="vm")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--all", action="store_true", help="print every case, not what is slower")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures there")
    return parser


def _measured(
    cases: Sequence[Case], modes: Sequence[str], rounds: int
) -> Iterator[tuple[Case, list[float], list[str]]]:
    """Yield each case, the median seconds of a call in each mode, and laws for accuracy."""
    known: dict[Any, Any] = {}
    for case in cases:
        key = (case.family, case.dtype, case.gradient)
        if key not in known:
            known = {key: _compiled(case, modes)}
        compiled, inputs, laws = known[key]
        values = drawn(case.family, inputs, case.elements, case.dtype)
        with np.errstate(all="ignore"):
            try:
                compiled[0](*values)
            except ValueError:
                # a family that takes parts of a length needs longer vectors
                continue
            yield case, _medians([partial(f, *values) for f in compiled], rounds, bool(laws)), laws


def _compiled(case: Case, modes: Sequence[str]) -> tuple[list[Any], list[Any], list[str]]:
    inputs, outputs = built(case.family, at, grad, case.dtype, case.gradient)
    compiled = [function(inputs, outputs, mode=m, on_unused_input="ignore") for m in modes]
    return compiled, inputs, _accurate(outputs, modes[-1])


def _accurate(outputs: Sequence[Any], mode: str) -> list[str]:
    """Return the names of the stabilizing laws that the mode applied."""
    _, trace = optimize_graph(outputs, include=[mode], exclude=["inplace"], trace=True, clone=True)
    return sorted({step.name for step in trace if step.sound == "stable"})


def _medians(calls: Sequence[Callable[[], Any]], rounds: int, excused: bool) -> list[float]:
    """Return for each call the median of its seconds, taken in turn."""
    for call, often in zip(calls, [*[OTHERS] * (len(calls) - 1), WARM_UP], strict=True):
        times(call, 0, often)
    taken: list[list[float]] = [[] for _ in calls]
    medians: list[float] = []
    more = [(rounds, MOST)] * (1 + (0 if excused else MORE))
    for made, enough in [(min(FIRST, rounds), CLEARLY), *more]:
        once = sum(min(times(call, 0, 1)) for call in calls) / len(calls)
        repeats = max(1, round(LEAST_SECONDS / once))
        for one, more_of_it in zip(taken, in_turn(calls, made, count=repeats), strict=True):
            one += more_of_it
        medians = [statistics.median(one) for one in taken]
        if medians[-1] <= enough * min(medians[:-1]):
            break
    return medians


if __name__ == "__main__":
    raise SystemExit(main())

"""`FunctionProfile`: the times that the compilation of a function and its calls take."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from typing import Any, TextIO

from relgraph.gradient.timing import grad_stopwatch
from relgraph.graph.opt import print_optimizer_profile, profile_rows
from relgraph.settings import config


@dataclass
class FunctionProfile:
    """Times in seconds and counts of one function.

    Attributes
    ----------
    message
        The name of the function, or where it was compiled.
    compile_time
        The time that `function` took.
    optimizer_time, linker_time
        Parts of `compile_time`.
    validate_time
        The part of `optimizer_time` in which the graph was validated.
    import_time
        The part of `linker_time` in which Python compiled and loaded the program.
    grad_time
        The time of all calls of `grad` before the function was compiled.
    nodes
        The number of nodes of the optimized graph.
    optimizer_profile
        The optimizer and what its `optimize` returned, if `config.profile_optimizer` was set.
    calls, call_time
        The number of calls of the function, and their time.
    """

    message: str | None = None
    compile_time: float = 0.0
    optimizer_time: float = 0.0
    validate_time: float = 0.0
    linker_time: float = 0.0
    import_time: float = 0.0
    grad_time: float = 0.0
    nodes: int = 0
    optimizer_profile: tuple[Any, Any] | None = field(default=None, repr=False)
    calls: int = 0
    call_time: float = 0.0

    def count_call(self, seconds: float) -> None:
        """Count a call that took `seconds`."""
        self.calls += 1
        self.call_time += seconds

    def finish_compilation(self, seconds: float) -> None:
        """Add the time of a compilation; print the profile if `config.profile` is set."""
        self.compile_time += seconds
        self.grad_time = grad_stopwatch.seconds
        if config.profile:
            self.summary(sys.stderr)

    def summary(self, file: TextIO | None = None) -> None:
        """Print the profile to a file; by default to standard output."""
        out = sys.stdout if file is None else file
        lines = [
            "Function profiling",
            "==================",
            f"  Message: {self.message or ''}".rstrip(),
            *(f"{label} {value}" for label, value in self._entries()),
        ]
        print("\n".join(lines), file=out)
        if self.optimizer_profile is not None:
            print(file=out)
            print_optimizer_profile(out, *self.optimizer_profile)

    def _entries(self) -> list[tuple[str, str]]:
        """Return the lines of the report as pairs of an indented label and a value."""
        return [
            (f"  Time in {self.calls} calls to Function.__call__:", f"{self.call_time:e}s"),
            ("  Total compile time:", f"{self.compile_time:e}s"),
            ("    Number of Apply nodes:", f"{self.nodes}"),
            ("    relgraph Optimizer time:", f"{self.optimizer_time:e}s"),
            ("       relgraph validate time:", f"{self.validate_time:e}s"),
            (
                "    relgraph Linker time (includes code generation/compiling):",
                f"{self.linker_time:e}s",
            ),
            ("       Import time", f"{self.import_time:e}s"),
            ("  Time in all call to relgraph.grad()", f"{self.grad_time:e}s"),
        ]

    def _repr_html_(self) -> str:
        """Return the profile as HTML tables, for notebooks."""
        title = f"Function profiling: {self.message}" if self.message else "Function profiling"
        rows = [(label.rstrip(":"), value) for label, value in self._entries()]
        tables = [_table(title, (), rows)]
        if self.optimizer_profile is not None:
            heads = ("name", "class", "time", "validate time", "nodes before", "nodes after",
                     "times applied", "nb node created")  # fmt: skip
            tables.append(_table("Optimizer Profile", heads, profile_rows(*self.optimizer_profile)))
        return "\n".join(tables)

    def __str__(self) -> str:
        out = StringIO()
        self.summary(out)
        return out.getvalue().rstrip()

    __repr__ = __str__


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return an HTML table; leading spaces in the first cell of a row indent it."""
    lines = [f"<table><caption>{escape(title)}</caption>"]
    if heads:
        lines.append(f"<thead><tr>{''.join(f'<th>{escape(h)}</th>' for h in heads)}</tr></thead>")
    lines.append("<tbody>")
    for first, *others in rows:
        text = first.lstrip(" ")
        style = f"text-align: left; padding-left: {(len(first) - len(text)) / 2:g}em"
        cells = "".join(f"<td>{escape(_cell(value))}</td>" for value in others)
        lines.append(f'<tr><th style="{style}">{escape(text)}</th>{cells}</tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6f}s" if isinstance(value, float) else str(value)

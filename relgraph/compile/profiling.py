"""`FunctionProfile`: the times that the compilation of a function and its calls take."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, TextIO

from relgraph.gradient.timing import grad_stopwatch
from relgraph.graph.basic import Apply
from relgraph.graph.opt import print_optimizer_profile, profile_rows
from relgraph.settings import config
from relgraph.vm.profiled import NodeTimes

# How many nodes the report lists: those that took most time.
NODES_SHOWN = 20


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
    node_times
        The times of the nodes in these calls, and the memory that their values took.
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
    node_times: NodeTimes = field(default_factory=NodeTimes, repr=False)

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
        if self.node_times.calls:
            lines += self._node_lines()
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

    def _node_lines(self) -> list[str]:
        """Return the lines about what was run: times by op and by node, and memory."""
        lines = []
        for title, heads, rows in self._node_tables():
            lines += ["", title, "-" * len(title), "  " + " ".join(f"{h:>10}" for h in heads[:-1])]
            lines[-1] += f"  {heads[-1]}"
            lines += [
                "  " + " ".join(f"{cell:>10}" for cell in row[:-1]) + f"  {row[-1]}" for row in rows
            ]
        return [*lines, "", f"Peak memory of the values of nodes: {self.node_times.peak_bytes} B"]

    def _node_tables(self) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Return the title, the heads and the rows of the tables of times by op and by node."""
        times = self.node_times
        total = sum(times.seconds.values()) or 1.0
        by_op: list[tuple[str, ...]] = [
            (*_time_cells(seconds, calls, total), str(nodes), name)
            for name, seconds, calls, nodes in times.by_op()
        ]
        by_node: list[tuple[str, ...]] = [
            (*_time_cells(times.seconds[node], times.calls[node], total), node_text(node))
            for node in times.slowest()[:NODES_SHOWN]
        ]
        heads: tuple[str, ...] = ("%", "time", "a call", "calls")
        return [
            ("Ops by time", (*heads, "nodes", "op"), by_op),
            ("Nodes by time", (*heads, "node"), by_node),
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
        if self.node_times.calls:
            tables += [
                _table(title, (heads[-1], *heads[:-1]), [(row[-1], *row[:-1]) for row in rows])
                for title, heads, rows in self._node_tables()
            ]
        return "\n".join(tables)

    def __str__(self) -> str:
        return f"profile of {self.message or 'a function'}: {self.calls} calls"


def _time_cells(seconds: float, calls: int, total: float) -> tuple[str, str, str, str]:
    """Return the share of a time, the time, that of a call, and the number of calls as text."""
    share = 100 * seconds / total
    return f"{share:.1f}", f"{seconds:.3e}s", f"{seconds / calls:.3e}s", str(calls)


def node_text(node: Apply) -> str:
    """Return a node as one line: its op, its inputs and the types of its outputs."""
    types = ", ".join(str(out.type) for out in node.outputs)
    return f"{node.op}({', '.join(map(str, node.inputs))}) -> {types}"


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

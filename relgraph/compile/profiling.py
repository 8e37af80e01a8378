"""`FunctionProfile`: the times that the compilation of a function and its calls take."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, TextIO

from relgraph.gradient.backward import grad_stopwatch
from relgraph.graph.basic import Apply
from relgraph.graph.opt import print_optimizer_profile
from relgraph.introspection import Displayed
from relgraph.settings import config
from relgraph.vm.linker import NodeTimes, duration

# How many nodes the report lists: those that took most time.
NODES_SHOWN = 20


@dataclass
class FunctionProfile(Displayed):
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
        The times of the nodes in the calls that NumPy ran, and the memory that their values took.
    tiers
        What was compiled, how long that took, and which tier ran the calls; None where there is no
        compiled tier.
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
    tiers: Any = field(default=None, repr=False)

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
            *(
                f"{label} {value}" if isinstance(value, int) else f"{label} {value:e}s"
                for label, value in self.entries()
            ),
        ]
        if self.calls:
            lines += ["", *self.in_words()]
        if self.tiers is not None:
            lines += ["", *self.tiers.lines()]
        if self.node_times.calls:
            lines += self._node_lines()
        print("\n".join(lines), file=out)
        if self.optimizer_profile is not None:
            print(file=out)
            print_optimizer_profile(out, *self.optimizer_profile)

    def in_words(self) -> list[str]:
        """Return what took most of the time, in sentences."""
        text = f"A call takes {duration(self.call_time / self.calls)}"
        ops = self.by_op()
        if ops:
            (name, most, _, _), *_ = ops
            seconds = sum(self.node_times.seconds.values())
            # a compiled tier counts no nodes, and branches not all of them
            calls = max(self.node_times.calls.values())
            text += f", the nodes {duration(seconds / calls)} of it where NumPy runs them"
            text += f"; {most / seconds:.0%} of these go into {name}"
        rewriting = self.optimizer_time / self.compile_time if self.compile_time else 0.0
        compiling = duration(self.compile_time)
        return [f"{text}.", f"Compiling took {compiling}, of which rewriting was {rewriting:.0%}."]

    def entries(self) -> list[tuple[str, float]]:
        """Return the labels of the report with their values: times in seconds, and an int that is
        a count. A part of another one stands after it, and is indented."""
        return [
            (f"  Time in {self.calls} calls to Function.__call__:", self.call_time),
            ("  Total compile time:", self.compile_time),
            ("    Number of Apply nodes:", self.nodes),
            ("    relgraph Optimizer time:", self.optimizer_time),
            ("       relgraph validate time:", self.validate_time),
            ("    relgraph Linker time (includes code generation/compiling):", self.linker_time),
            ("       Import time", self.import_time),
            ("  Time in all call to relgraph.grad()", self.grad_time),
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

    def by_op(self) -> list[tuple[str, float, int, int]]:
        """Return of each op its name, seconds, calls and nodes, the slowest first."""
        return list(self.node_times.by_op())

    def by_node(self) -> list[tuple[str, float, int]]:
        """Return of the slowest nodes what they are, their seconds and calls, the slowest first."""
        times = self.node_times
        nodes = times.slowest()[:NODES_SHOWN]
        return [(node_text(node), times.seconds[node], times.calls[node]) for node in nodes]

    def _node_tables(self) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Return the title, the heads and the rows of the tables of times by op and by node."""
        total = sum(self.node_times.seconds.values()) or 1.0
        by_op: list[tuple[str, ...]] = [
            (*_time_cells(seconds, calls, total), str(nodes), name)
            for name, seconds, calls, nodes in self.by_op()
        ]
        by_node: list[tuple[str, ...]] = [
            (*_time_cells(seconds, calls, total), text) for text, seconds, calls in self.by_node()
        ]
        heads: tuple[str, ...] = ("%", "time", "a call", "calls")
        return [
            ("Ops by time", (*heads, "nodes", "op"), by_op),
            ("Nodes by time", (*heads, "node"), by_node),
        ]

    def __str__(self) -> str:
        out = StringIO()
        self.summary(out)
        return out.getvalue().rstrip()

    __repr__ = __str__


def _time_cells(seconds: float, calls: int, total: float) -> tuple[str, str, str, str]:
    """Return the share of a time, the time, that of a call, and the number of calls as text."""
    share = 100 * seconds / total
    return f"{share:.1f}", duration(seconds), duration(seconds / calls), f"{calls:,}"


def node_text(node: Apply) -> str:
    """Return a node as one line: its op, its inputs and the types of its outputs."""
    types = ", ".join(str(out.type) for out in node.outputs)
    return f"{node.op}({', '.join(map(str, node.inputs))}) → {types}"

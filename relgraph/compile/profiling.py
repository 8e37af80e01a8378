"""Where the time goes: in the making of a function, and in its calls."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, TextIO

from relgraph.graph.opt import print_optimizer_profile


@dataclass
class FunctionProfile:
    """Times in seconds, and counts, of one function.

    Attributes
    ----------
    message
        What it is the profile of.
    compile_time
        From the call of `function` to its end.
    optimizer_time, validate_time, linker_time
        Parts of that; the second is a part of the first.
    nodes
        How many nodes there are after the optimization.
    optimizer_profile
        The optimizer and what its `optimize` returned, if that was asked for.
    calls, call_time
        How often the function was called, and how long that took.
    """

    message: str | None = None
    compile_time: float = 0.0
    optimizer_time: float = 0.0
    validate_time: float = 0.0
    linker_time: float = 0.0
    nodes: int = 0
    optimizer_profile: tuple[Any, Any] | None = None
    calls: int = 0
    call_time: float = 0.0

    def count_call(self, seconds: float) -> None:
        """Note a call that took `seconds`."""
        self.calls += 1
        self.call_time += seconds

    def summary(self, file: TextIO | None = None) -> None:
        """Write the profile; the standard output is where it goes if `file` is None."""
        out = sys.stdout if file is None else file
        rows = [
            "Function profiling",
            "==================",
            f"  Message: {self.message or ''}".rstrip(),
            f"  Time in {self.calls} calls to Function.__call__: {self.call_time:e}s",
            f"  Total compile time: {self.compile_time:e}s",
            f"    Number of Apply nodes: {self.nodes}",
            f"    relgraph Optimizer time: {self.optimizer_time:e}s",
            f"       relgraph validate time: {self.validate_time:e}s",
            f"    relgraph Linker time (includes code generation/compiling): {self.linker_time:e}s",
        ]
        print("\n".join(rows), file=out)
        if self.optimizer_profile is not None:
            print(file=out)
            print_optimizer_profile(out, *self.optimizer_profile)

    def __str__(self) -> str:
        return f"profile of {self.message or 'a function'}: {self.calls} calls"

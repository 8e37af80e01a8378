"""What the optimizers note down about their work, as data; `profile` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class RewriterRecord:
    """What one rewriter did: seconds spent in it, changes made, nodes that those created.

    In an equilibrium on a large graph that is not profiled, how often it was tried and the seconds
    spent in looking are estimates from a sample of the nodes; the time to make changes is measured.
    """

    name: str
    time: float = 0.0
    applied: int = 0
    created: int = 0
    tried: int = 0


@dataclass(slots=True)
class PassRecord:
    """One generation of the worklist, or one sequence of global optimizers before it."""

    nodes: int
    time: float = 0.0
    time_global: float = 0.0
    time_toposort: float = 0.0
    applied: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class EquilibriumRecord:
    """What an EquilibriumOptimizer did.

    Attributes
    ----------
    stop_reason
        ``"fixpoint"``: nothing is left to do. ``"budget"``: `max_use_ratio` was reached.
        ``"cycle"``: the rewriters undo each other.
    passes
        One for each generation: first what the graph held, then what the first generation
        touched, and so on.
    rewriters
        One for each rewriter, in the order given, with "MergeOptimizer" for merges.
    sub_profiles
        What the global optimizers returned, in the order in which they ran.
    """

    optimizer: Any
    nodes_start: int
    nodes_end: int = 0
    nodes_max: int = 0
    stop_reason: str = "fixpoint"
    time: float = 0.0
    time_toposort: float = 0.0
    time_local: float = 0.0
    time_global: float = 0.0
    passes: list[PassRecord] = field(default_factory=list)
    rewriters: dict[Any, RewriterRecord] = field(default_factory=dict)
    sub_profiles: list[tuple[Any, Any]] = field(default_factory=list)

    @property
    def applied(self) -> Counter[str]:
        """How often each rewriter that did something was applied, by name."""
        counts: Counter[str] = Counter()
        for record in self.rewriters.values():
            if record.applied:
                counts[record.name] += record.applied
        return counts


@dataclass(slots=True)
class StepRecord:
    """One optimizer of a sequence: where it stands, its times, its own profile."""

    optimizer: Any
    index: int
    time: float
    validate_time: float
    nodes_before: int
    nodes_after: int
    profile: Any


@dataclass(slots=True)
class SequenceRecord:
    """What a SequenceOptimizer did, step by step."""

    optimizer: Any
    nodes_before: int
    nodes_after: int = 0
    time: float = 0.0
    validate_time: float = 0.0
    callback_time: float = 0.0
    steps: list[StepRecord] = field(default_factory=list)

"""What the optimizers note down about their work, as data; `profile` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from relgraph.graph.opt.base import display_name


@dataclass(slots=True)
class RewriterRecord:
    """What one rewriter did: seconds spent in it, changes made, nodes that those created.

    In an equilibrium on a large graph that is not profiled, how often it was tried and the seconds
    are estimates from a sample of the nodes.
    """

    name: str
    time: float = 0.0
    applied: int = 0
    created: int = 0
    tried: int = 0


class UsedRewriters(dict[Any, RewriterRecord]):
    """Records by rewriter, begun when they are first asked for."""

    def __missing__(self, rewriter: Any) -> RewriterRecord:
        self[rewriter] = made = RewriterRecord(display_name(rewriter))
        return made


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
    used
        One for each rewriter that has done something or was timed, with "MergeOptimizer" for
        merges.
    sub_profiles
        What the global optimizers returned, in the order in which they ran.
    visits
        How often a node was looked at; see `EquilibriumOptimizer` for how often that may be.
    calls
        How often a local optimizer was asked about a node.
    made
        How many nodes came into the graph.
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
    used: UsedRewriters = field(default_factory=UsedRewriters)
    sub_profiles: list[tuple[Any, Any]] = field(default_factory=list)
    visits: int = 0
    calls: int = 0
    made: int = 0

    @property
    def rewriters(self) -> dict[Any, RewriterRecord]:
        """One for each rewriter, in the order given, whether it has been used or not."""
        optimizer, used = self.optimizer, self.used
        every = (*optimizer.local_optimizers, *optimizer.every_global())
        given = {r: used.get(r) or RewriterRecord(display_name(r)) for r in every}
        return {**given, **used}

    @property
    def applied(self) -> Counter[str]:
        """How often each rewriter that did something was applied, by name."""
        counts: Counter[str] = Counter()
        for record in self.used.values():
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

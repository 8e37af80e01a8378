"""Records of what optimizers did, as data; `report` prints them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from relgraph.graph.opt.base import display_name


@dataclass(slots=True)
class RewriterRecord:
    """What one rewriter did: the seconds it took, the changes it made, the nodes it created.

    In an equilibrium on a large graph that is not profiled, `tried` and `time` are estimates from
    a sample of the nodes.
    """

    name: str
    time: float = 0.0
    applied: int = 0
    created: int = 0
    tried: int = 0


class UsedRewriters(dict[Any, RewriterRecord]):
    """Records by rewriter, created on first access."""

    def __missing__(self, rewriter: Any) -> RewriterRecord:
        self[rewriter] = made = RewriterRecord(display_name(rewriter))
        return made


@dataclass(slots=True)
class PassRecord:
    """One generation of the worklist, with the global optimizers applied before it."""

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
        ``"cycle"``: the rewriters undo each other. ``"visits"``: nodes were visited too often.
    passes
        A record for each generation of the worklist; in the first one all nodes are visited.
    used
        A record for each rewriter that has changed something or was timed, and one under
        "MergeOptimizer" for merges.
    sub_profiles
        The global optimizers in the order in which they ran, each with what it returned.
    visits
        The number of visits of nodes; see `EquilibriumOptimizer` for its bound.
    calls
        The number of calls of local optimizers.
    made
        The number of nodes that were imported into the graph.
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
        """A record for each rewriter, used or not, in the order in which they were given."""
        optimizer, used = self.optimizer, self.used
        every = (*optimizer.local_optimizers, *optimizer.every_global())
        given = {r: used.get(r) or RewriterRecord(display_name(r)) for r in every}
        return {**given, **used}

    @property
    def applied(self) -> Counter[str]:
        """How often each rewriter changed the graph, by name, for those that did."""
        counts: Counter[str] = Counter()
        for record in self.used.values():
            if record.applied:
                counts[record.name] += record.applied
        return counts


@dataclass(slots=True)
class StepRecord:
    """One optimizer of a sequence: its index, its times, the sizes of the graph, its profile."""

    optimizer: Any
    index: int
    time: float
    validate_time: float
    nodes_before: int
    nodes_after: int
    profile: Any


@dataclass(slots=True)
class SequenceRecord:
    """What a SequenceOptimizer did, with a record of each step."""

    optimizer: Any
    nodes_before: int
    nodes_after: int = 0
    time: float = 0.0
    validate_time: float = 0.0
    callback_time: float = 0.0
    steps: list[StepRecord] = field(default_factory=list)

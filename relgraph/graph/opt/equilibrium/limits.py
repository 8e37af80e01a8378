"""Limits: what stops a run of an equilibrium that diverges."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.divergence import (
    Budget,
    CycleDetector,
    DivergenceError,
    DivergenceWarning,
    Step,
    budget_message,
    cycle_message,
    step_of,
    visits_message,
)
from relgraph.graph.opt.profile.records import EquilibriumRecord

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.equilibrium.optimizer import EquilibriumOptimizer


# The visits allowed for each node of the graph or made by rewriting: as a new node, after changes
# within the depth of the rewriters (see `postponed.MAX_EAGER_VISITS`), and as a postponed node.
# Real graphs take a sixth of this.
VISITS_PER_NODE = 32
VISITS_AT_LEAST = 1_000


class SuspectRewrite(NamedTuple):
    """A rewrite that may be one of an endless series; see `Limits.before_rewrite`."""

    name: str
    uses: int
    times: int
    suspicion: int
    watched: bool
    step: Step | None


class Limits:
    """Checks the rewrites of one run, and stops it if they undo each other or do not end.

    Attributes
    ----------
    safe_uses, safe_times, safe_nodes
        A rewrite need not be checked if its rewriter has been used fewer times, what stands in its
        place has been replaced fewer times, and the graph has no more nodes.
    stopped
        Whether the run has to end without an error.
    """

    def __init__(
        self, optimizer: EquilibriumOptimizer, fgraph: FunctionGraph, record: EquilibriumRecord
    ) -> None:
        self.stopped = False
        self._optimizer, self._fgraph, self._record = optimizer, fgraph, record
        self._budget = Budget(record.nodes_start, optimizer.max_use_ratio)
        self._cycles = CycleDetector(fgraph)
        self._steps: list[Step] = []
        self.safe_uses, self.safe_times, self.safe_nodes = self._budget.safe_bounds(
            CycleDetector.PATIENCE
        )

    def before_rewrite(
        self, name: str, pairs: Sequence[tuple[Variable, Variable]], uses: int, times: int
    ) -> SuspectRewrite:
        """Record a rewrite before the graph changes; the result is for `after_rewrite`.

        Parameters
        ----------
        name
            The rewriter's name.
        pairs
            Pairs of a variable and its replacement.
        uses
            How often the rewriter has been applied, this time included.
        times
            How often what stands in this place has been replaced, this time included.
        """
        suspicion = max(times, uses // (1 + self._record.nodes_start))
        watched = self._cycles.watching(suspicion)
        step = None
        if watched or self._budget.nearly(uses, times, len(self._fgraph.apply_nodes)):
            step = step_of(name, pairs)
            self._steps = [*self._steps[-5:], step]
        return SuspectRewrite(name, uses, times, suspicion, watched, step)

    def after_rewrite(self, suspect: SuspectRewrite) -> None:
        """Check the graph after a rewrite.

        Raises
        ------
        DivergenceError
            If there is a cycle or the budget is exceeded, unless the user set a ratio.
        """
        name, uses, times, suspicion, watched, step = suspect
        if watched and step is not None:
            # from now on all rewrites are checked
            self.safe_uses = self.safe_times = 0
            cycle = self._cycles.observe(step, suspicion)
            if cycle is not None:
                self._stop("cycle", cycle_message(str(self._optimizer), cycle), cycle)
        nodes = len(self._fgraph.apply_nodes)
        if self._budget.exceeded(uses, times, nodes) and not self.stopped:
            sizes = (self._record.nodes_start, nodes)
            message = budget_message(str(self._optimizer), name, uses, sizes, self._steps)
            self._stop("budget", message, self._steps, name)

    def check_visits(
        self, visits_by_node: Mapping[Apply, int], applied: Sequence[str], made: int
    ) -> None:
        """Check the number of visits so far.

        Parameters
        ----------
        visits_by_node
            How often each node was visited; nodes with one visit may be left out.
        applied
            The names of the rewriters that changed something in the last pass.
        made
            How many nodes have been imported into the graph.

        Raises
        ------
        DivergenceError
            If there have been too many.
        """
        visits, nodes = self._record.visits, self._record.nodes_start + made
        allowed = VISITS_AT_LEAST + VISITS_PER_NODE * nodes
        if visits <= allowed:
            return
        most = sorted(visits_by_node.items(), key=lambda item: -item[1])[:3]
        described = [(describe(node, 2), times) for node, times in most]
        names = [name for name, _ in Counter(applied).most_common(3)]
        message = visits_message(str(self._optimizer), visits, allowed, described, names)
        self.stopped = True
        self._record.stop_reason = "visits"
        raise DivergenceError(message, "visits", names, [], self._record)

    def _stop(self, reason: str, message: str, steps: Iterable[Step], name: str = "") -> None:
        """Stop the run: with a warning if the user set the bound, with an error otherwise."""
        self.stopped = True
        self._record.stop_reason = reason
        if self._budget.explicit:
            ratio = self._optimizer.max_use_ratio
            text = f"{message}\nStopped there, as max_use_ratio={ratio} asks."
            warnings.warn(text, DivergenceWarning, stacklevel=2)
            return
        names = Counter(step.rewriter for step in steps)
        if name:
            names[name] += len(names) + 1
        who = [rewriter for rewriter, _ in names.most_common()]
        raise DivergenceError(message, reason, who, list(steps), self._record)

"""What keeps one run of an equilibrium from going on for ever."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.divergence import (
    Budget,
    CycleWatch,
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


# How often nodes may be looked at, for each one that was there or made: because it is new, because
# something within reach has changed (see `postponed.PATIENCE`), and because it waited for the rest.
# What real graphs take is a sixth of this.
VISITS_PER_NODE = 32
VISITS_AT_LEAST = 1_000


class Suspect(NamedTuple):
    """A rewrite that may be one of an endless series."""

    name: str
    uses: int
    times: int
    suspicion: int
    watched: bool
    step: Step | None


class Limits:
    """Watches the rewrites of one run, and stops it if they undo each other or have no end.

    Attributes
    ----------
    calm_uses, calm_times, calm_nodes
        A rewrite by a rewriter that has been used less often, of what has been replaced fewer
        times, in a graph that is smaller, need not be told to anybody.
    stopped
        Whether the run has to end, though nothing was raised.
    """

    def __init__(
        self, optimizer: EquilibriumOptimizer, fgraph: FunctionGraph, record: EquilibriumRecord
    ) -> None:
        self.stopped = False
        self._optimizer, self._fgraph, self._record = optimizer, fgraph, record
        self._budget = Budget(record.nodes_start, optimizer.max_use_ratio)
        self._watch = CycleWatch(fgraph)
        self._steps: list[Step] = []
        self.calm_uses, self.calm_times, self.calm_nodes = self._budget.calm(CycleWatch.PATIENCE)

    def before(
        self, name: str, pairs: Sequence[tuple[Variable, Variable]], uses: int, times: int
    ) -> Suspect:
        """Take down a rewrite before the graph changes; `after` is told when it has.

        Parameters
        ----------
        uses
            How often its rewriter has been applied, this time included.
        times
            How often what stands in this place has been replaced, this time included.
        """
        suspicion = max(times, uses // (1 + self._record.nodes_start))
        watched = self._watch.watching(suspicion)
        step = None
        if watched or self._budget.nearly(uses, times, len(self._fgraph.apply_nodes)):
            step = step_of(name, pairs)
            self._steps = [*self._steps[-5:], step]
        return Suspect(name, uses, times, suspicion, watched, step)

    def after(self, suspect: Suspect) -> None:
        """Look at the graph that a rewrite has made; raises `DivergenceError`."""
        name, uses, times, suspicion, watched, step = suspect
        if watched and step is not None:
            # what is being watched is watched to the end
            self.calm_uses = self.calm_times = 0
            cycle = self._watch.observe(step, suspicion)
            if cycle is not None:
                self._stop("cycle", cycle_message(str(self._optimizer), cycle), cycle)
        nodes = len(self._fgraph.apply_nodes)
        if self._budget.exceeded(uses, times, nodes) and not self.stopped:
            sizes = (self._record.nodes_start, nodes)
            message = budget_message(str(self._optimizer), name, uses, sizes, self._steps)
            self._stop("budget", message, self._steps, name)

    def after_pass(self, looks: Mapping[Apply, int], applied: Sequence[str], made: int) -> None:
        """Look at how often nodes were looked at; raises `DivergenceError`.

        Parameters
        ----------
        looks
            How often which was.
        applied
            The rewriters that have changed something in the last pass.
        made
            How many nodes have come into the graph.
        """
        visits, nodes = self._record.visits, self._record.nodes_start + made
        allowed = VISITS_AT_LEAST + VISITS_PER_NODE * nodes
        if visits <= allowed:
            return
        most = sorted(looks.items(), key=lambda item: -item[1])[:3]
        told = [(describe(node, 2), times) for node, times in most]
        names = [name for name, _ in Counter(applied).most_common(3)]
        message = visits_message(str(self._optimizer), visits, allowed, told, names)
        self.stopped = True
        self._record.stop_reason = "visits"
        raise DivergenceError(message, "visits", names, [], self._record)

    def _stop(self, reason: str, message: str, steps: Iterable[Step], name: str = "") -> None:
        """Give up: by a warning if the user set the bound, by an error otherwise."""
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

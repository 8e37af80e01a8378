"""Limits of rewriting: budgets, cycles and visits, which end a run that diverges, and costs.

`costs_no_more` says whether a replacement makes a graph cost more, by what it brings in and takes
out.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import structure
from relgraph.graph.opt.base import Pairs, describe
from relgraph.graph.opt.merge import HashConsing
from relgraph.graph.opt.profile import EquilibriumRecord
from relgraph.graph.traversal import general_toposort

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.equilibrium import EquilibriumOptimizer


class DivergenceError(RuntimeError):
    """Rewriting would go on for ever.

    Attributes
    ----------
    stop_reason
        ``"cycle"`` if the graph became what it had been before; ``"budget"`` if one place was
        rewritten too often, or the graph grew too large; ``"visits"`` if nodes were visited too
        often.
    rewriters
        The names of the rewriters involved.
    steps
        The rewrites of the cycle, or the last ones before the budget ran out.
    record
        The record of the optimizer so far, or None.
    """

    def __init__(
        self,
        message: str,
        stop_reason: str,
        rewriters: Sequence[str],
        steps: Sequence[Step],
        record: Any = None,
    ) -> None:
        super().__init__(message)
        self.stop_reason = stop_reason
        self.rewriters = tuple(rewriters)
        self.steps = tuple(steps)
        self.record = record


class DivergenceWarning(RuntimeWarning):
    """An optimizer stopped at its `max_use_ratio`, before it reached a fixpoint."""


class Step(NamedTuple):
    """One rewrite: the name of the rewriter, and the terms before and after."""

    rewriter: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.rewriter}: {self.before} -> {self.after}"


def step_of(name: str, pairs: Sequence[tuple[Variable, Variable]]) -> Step:
    """Return a rewrite as a step; to be called before the graph changes, or at once after it."""
    return Step(
        name,
        ", ".join(describe(old) for old, _ in pairs),
        ", ".join(describe(new) for _, new in pairs),
    )


class CycleDetector:
    """Detects that the graph has become what it was before.

    A comparison of whole graphs is expensive, so it starts only when one place has been rewritten
    `PATIENCE` times. Then the graph is compared after each rewrite with those before. After some
    comparisons the detector gives up, and starts again with more comparisons when a place has been
    rewritten four times as often.
    """

    PATIENCE = 32
    FIRST = 8  # comparisons before it gives up the first time
    WORK = 300_000  # nodes it may look at before it gives up; FIRST comparisons are always made

    def __init__(self, fgraph: FunctionGraph) -> None:
        self._fgraph = fgraph
        self._patience = self.PATIENCE
        self._most = self.FIRST
        self._left = 0

    def watching(self, times: int) -> bool:
        """Whether a rewrite of a place rewritten `times` times must be observed."""
        if self._left == 0 and times >= self._patience:
            self._steps: list[Step] = []
            self._seen: dict[Hashable, int] = {}
            self._left = self._most
            allowed = self.WORK // (1 + len(self._fgraph.apply_nodes))
            self._most = max(self.FIRST, min(2 * self._most, allowed))
        return self._left > 0

    def observe(self, step: Step, times: int) -> list[Step] | None:
        """Compare the graph, which has just changed by `step`, with those before.

        Returns
        -------
        cycle
            The rewrites that lead from the graph to itself if it is one of those, else None.
        """
        self._steps.append(step)
        count = len(self._steps)
        _, _, key = structure(self._fgraph.inputs, self._fgraph.outputs)
        try:
            before = self._seen.setdefault(key, count)
        except TypeError:
            before = count  # the value of a constant has no hash
        if before < count:
            return self._steps[before:]
        self._left -= 1
        if self._left == 0:
            self._patience = 4 * max(self._patience, times)
        return None


def cycle_message(optimizer: str, steps: Sequence[Step]) -> str:
    """The message about a cycle."""
    names = list(dict.fromkeys(step.rewriter for step in steps))
    who = f"{names[0]} undoes itself" if len(names) == 1 else f"{_and(names)} undo each other"
    lines = "\n".join(f"  {step}" for step in steps[:12])
    more = f"\n  ... and {len(steps) - 12} more" if len(steps) > 12 else ""
    count = "1 rewrite" if len(steps) == 1 else f"{len(steps)} rewrites"
    return f"{optimizer} goes in a circle: {who}. After {count} the graph is back:\n{lines}{more}"


def budget_message(
    optimizer: str, name: str, uses: int, sizes: tuple[int, int], steps: Sequence[Step]
) -> str:
    """The message about a budget that ran out; `sizes` are the nodes at the start and now."""
    lines = "\n".join(dict.fromkeys(f"  {step}" for step in steps))
    return (
        f"{optimizer} has applied {name} {uses} times and reached no fixpoint; the graph went from "
        f"{sizes[0]} to {sizes[1]} nodes. The last rewrites:\n{lines}"
    )


def budget_error(
    optimizer: object, step: Step, uses: int, sizes: tuple[int, int]
) -> DivergenceError:
    """The error of an optimizer that has no `Limits`, by its last rewrite."""
    message = budget_message(str(optimizer), step.rewriter, uses, sizes, [step])
    return DivergenceError(message, "budget", [step.rewriter], [step])


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


# The visits allowed for each node of the graph or made by rewriting: as a new node, after changes
# within the depth of the rewriters (see `worklist.MAX_EAGER_VISITS`), and as a postponed node.
# Real graphs take a sixth of this.
VISITS_PER_NODE = 32
VISITS_AT_LEAST = 1_000


class Limits:
    """Checks the rewrites of one run, and stops it if they undo each other or do not end.

    Rewriting without end and without a cycle either replaces the variable in one place again
    and again, or rewrites what it has just inserted, deeper and deeper, and so grows the graph.
    The number of steps alone is no measure: an op that sinks through a chain takes one at each
    level. So without a `max_use_ratio` there is no bound on uses; with one there is no other.

    Attributes
    ----------
    safe_uses, safe_times, safe_nodes
        A rewrite need not be checked if its rewriter has been used fewer times, its place has
        been rewritten fewer times, and the graph has no more nodes.
    stopped
        Whether the run has to end without an error.
    """

    def __init__(
        self, optimizer: EquilibriumOptimizer, fgraph: FunctionGraph, record: EquilibriumRecord
    ) -> None:
        self.stopped = False
        self._optimizer, self._fgraph, self._record = optimizer, fgraph, record
        self._cycles = CycleDetector(fgraph)
        self._steps: list[Step] = []
        nodes, ratio = record.nodes_start, optimizer.max_use_ratio
        self._uses = self._times = self._nodes = float("inf")
        if ratio is None:
            self._times, self._nodes = 1000.0 + 2 * nodes, 1000.0 + 32 * nodes
        else:
            self._uses = ratio * max(nodes, 1)
        patience = CycleDetector.PATIENCE
        self.safe_uses = min(self._uses - 3, patience * (1 + nodes))
        self.safe_times = min(self._times - 3, patience)
        self.safe_nodes = self._nodes - 3

    def _exceeded(self, uses: int, times: int, nodes: int) -> bool:
        return uses > self._uses or times > self._times or nodes > self._nodes

    def check_rewrite(
        self, name: str, pairs: Sequence[tuple[Variable, Variable]], uses: int, times: int
    ) -> None:
        """Check the graph after a rewrite.

        Parameters
        ----------
        name
            The rewriter's name.
        pairs
            Pairs of a variable and its replacement.
        uses
            How often the rewriter has been applied, this time included.
        times
            How often this place has been rewritten, this time included.

        Raises
        ------
        DivergenceError
            If there is a cycle or a bound is exceeded, unless the user set a ratio.
        """
        nodes = len(self._fgraph.apply_nodes)
        suspicion = max(times, uses // (1 + self._record.nodes_start))
        watched = self._cycles.watching(suspicion)
        # the message will need the rewrites shortly before a bound is exceeded
        if not watched and not self._exceeded(uses + 3, times + 3, nodes + 3):
            return
        step = step_of(name, pairs)
        self._steps = [*self._steps[-5:], step]
        if watched:
            # from now on all rewrites are checked
            self.safe_uses = self.safe_times = 0
            cycle = self._cycles.observe(step, suspicion)
            if cycle is not None:
                self._stop("cycle", cycle_message(str(self._optimizer), cycle), cycle)
        if self._exceeded(uses, times, nodes) and not self.stopped:
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
        lines = "\n".join(f"  {describe(node, 2)}: {times} times" for node, times in most)
        names = [name for name, _ in Counter(applied).most_common(3)]
        who = f"; what was applied there last: {_and(names)}" if names else ""
        message = (
            f"{self._optimizer} has visited nodes {visits} times, which is more than the {allowed} "
            f"that the graph and what was made explain{who}. Most often lately:\n{lines}"
        )
        self.stopped = True
        self._record.stop_reason = "visits"
        raise DivergenceError(message, "visits", names, [], self._record)

    def _stop(self, reason: str, message: str, steps: Iterable[Step], name: str = "") -> None:
        """Stop the run: with a warning if the user set the bound, with an error otherwise."""
        self.stopped = True
        self._record.stop_reason = reason
        ratio = self._optimizer.max_use_ratio
        if ratio is not None:
            text = f"{message}\nStopped there, as max_use_ratio={ratio} asks."
            warnings.warn(text, DivergenceWarning, stacklevel=2)
            return
        names = Counter(step.rewriter for step in steps)
        if name:
            names[name] += len(names) + 1
        who = [rewriter for rewriter, _ in names.most_common()]
        raise DivergenceError(message, reason, who, list(steps), self._record)


Cost = Callable[[Apply], float]
"""What a node costs."""

# Sums of the same costs in another order differ by less.
_ROUNDING = 1e-9


def one_a_node(node: Apply) -> float:
    """Return 1: where nothing else is said, a graph costs what it has nodes."""
    return 1.0


def costs_no_more(fgraph: FunctionGraph, table: HashConsing, pairs: Pairs, cost: Cost) -> bool:
    """Return whether a graph costs no more after some replacements.

    What is new costs something unless an equal node is there. What is read by nothing else goes;
    it is looked at only until it outweighs what is new.

    Parameters
    ----------
    table
        The nodes of the graph by their keys.
    pairs
        Variables and what replaces them.
    """
    made = [new for _, new in pairs]
    prices = {node: cost(node) for node in _new_nodes(fgraph.variables, made)}
    if not prices:
        return True
    added = sum(prices.values())
    kept = {*made, *[var for node in prices for var in node.inputs]}
    if _frees(fgraph, pairs, kept, added, cost):
        return True
    # of what is there already, nothing is added
    really, kept = _added(table, prices, made)
    return really < added and _frees(fgraph, pairs, kept, really, cost)


def _frees(
    fgraph: FunctionGraph, pairs: Pairs, kept: Collection[Variable], least: float, cost: Cost
) -> bool:
    """Return whether what goes outweighs `least`, where `kept` is read by what is new."""
    freed, least = 0.0, least * (1 - _ROUNDING)
    clients, dead = fgraph.clients, set[Apply]()
    replaced = {old for old, _ in pairs}
    waiting = [old.owner for old in replaced if old.owner is not None]
    while freed < least:
        if not waiting:
            return False
        node = waiting.pop()
        if node in dead or any(
            out in kept
            # an output of the graph is read by what is no node
            or (out not in replaced and any(r not in dead for r, _ in clients.get(out, ())))
            for out in node.outputs
        ):
            continue
        dead.add(node)
        freed += cost(node)
        waiting += [var.owner for var in node.inputs if var.owner is not None]
    return True


def _added(
    table: HashConsing, prices: Mapping[Apply, float], new: list[Variable]
) -> tuple[float, set[Variable]]:
    """Return what those of some new nodes cost that a graph does not have yet, and what it has that
    they read.

    Parameters
    ----------
    prices
        The new nodes, each after what it reads, with what they cost.
    new
        What they compute.
    """
    added, kept = 0.0, set[Variable]()
    known: dict[Variable, Variable] = {}
    for node, price in prices.items():
        inputs = [_found(table, known, var) for var in node.inputs]
        kept.update(inputs)
        equal = table.equal_to(node, inputs)
        if equal is None:
            added += price
        else:
            known.update(zip(node.outputs, equal.outputs, strict=True))
    kept.update(known.get(var, var) for var in new)
    return added, kept


def _new_nodes(here: Collection[Variable], new: list[Variable]) -> list[Apply]:
    """Return the nodes that compute some variables from those that are there, each after what it
    reads."""

    def made(variables: Iterable[Variable]) -> list[Apply]:
        return [var.owner for var in variables if var.owner is not None and var not in here]

    last = made(new)
    if len(last) == 1 and not made(last[0].inputs):
        return last
    return general_toposort(last, lambda node: made(node.inputs))


def _found(table: HashConsing, known: dict[Variable, Variable], var: Variable) -> Variable:
    if isinstance(var, Constant):
        return table.constants.representative(var)
    return known.get(var, var)

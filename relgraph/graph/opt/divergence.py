"""Rewriting that would never end: how it is noticed, and how it is reported."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.merge.hash_consing import constant_key

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class DivergenceError(RuntimeError):
    """Rewriters would go on for ever.

    Attributes
    ----------
    stop_reason
        ``"cycle"`` if the graph came back to what it had been, ``"budget"`` if one place was
        rewritten more often, or the graph grew larger, than its size explains, ``"visits"`` if
        nodes were looked at more often than there is a cause for.
    rewriters
        The names of the rewriters involved.
    steps
        The rewrites that make up the cycle, or the last ones before the budget ran out.
    record
        What the optimizer had recorded up to then, or None.
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
    """An optimizer with a `max_use_ratio` stopped before it had reached a fixpoint."""


class Step(NamedTuple):
    """One rewrite: who, and from which term to which."""

    rewriter: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.rewriter}: {self.before} -> {self.after}"


def step_of(name: str, pairs: Sequence[tuple[Variable, Variable]]) -> Step:
    """Write down a rewrite; to be called before the graph changes."""
    return Step(
        name,
        ", ".join(describe(old) for old, _ in pairs),
        ", ".join(describe(new) for _, new in pairs),
    )


class Budget:
    """How often a rewriter may be applied, how often what stands in one place may be replaced, and
    how large the graph may get.

    Rewriting that goes on for ever without coming back to where it was replaces what stands in one
    place again and again, or else goes on in what it has just put below, deeper and deeper, and so
    grows the graph. How long rewriting goes on that does neither is nobody's business: what sinks
    through a chain a level at a time takes as many steps as the chain is long, each in another
    place. With an explicit ratio its bound, and no other, is that of the uses of a rewriter.
    """

    def __init__(self, nodes: int, max_use_ratio: float | None) -> None:
        self._nodes = nodes
        self.explicit = max_use_ratio is not None
        self.uses = self.times = self.nodes = float("inf")
        if max_use_ratio is None:
            self.times = 1000.0 + 2 * nodes
            self.nodes = 1000.0 + 32 * nodes
        else:
            self.uses = max_use_ratio * max(nodes, 1)

    def calm(self, patience: int) -> tuple[float, float, float]:
        """The uses, the times and the nodes below which nothing is nearly exceeded, or suspicious
        to who has that much patience."""
        uses = min(self.uses - 3, patience * (1 + self._nodes))
        return uses, min(self.times - 3, patience), self.nodes - 3

    def exceeded(self, uses: int, times: int, nodes: int) -> bool:
        return uses > self.uses or times > self.times or nodes > self.nodes

    def nearly(self, uses: int, times: int, nodes: int) -> bool:
        """Whether rewrites should be written down, for the message that is about to come."""
        return self.exceeded(uses + 3, times + 3, nodes + 3)


class Fingerprints:
    """Numbers for terms: equal computations of equal leaves have equal numbers, across time."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, fgraph: FunctionGraph) -> tuple[int, ...]:
        """The numbers of the graph's outputs; two graphs are alike if these are."""
        known: dict[Variable, int] = {}
        for node in fgraph.toposort():
            key = (node.op, *[self._of(v, known) for v in node.inputs])
            for i, out in enumerate(node.outputs):
                known[out] = self._number((i, key))
        return tuple(self._of(v, known) for v in fgraph.outputs)

    def _of(self, var: Variable, known: dict[Variable, int]) -> int:
        number = known.get(var)
        if number is None:
            key = constant_key(var) if isinstance(var, Constant) else None
            number = known[var] = self._number(var if key is None else key)
        return number

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class CycleWatch:
    """Looks for a graph that comes back, once one place has been rewritten so often that it looks
    suspicious.

    How often what stands in a place has been replaced is cheap to keep, and small where rewriting
    ends soon. Beyond `patience` the watch compares the whole graph, after each rewrite, with one
    kept from before (Brent's method: the kept one moves on after 1, 2, 4, ... steps). It gives up
    after a few comparisons, more each time, and has four times the patience from then on: it looks
    at the graph less often than its size times the logarithm of the rewrites.
    """

    PATIENCE = 32
    FIRST = 8  # comparisons in the first watch
    WORK = 300_000  # nodes looked at in one watch, beyond as many comparisons

    def __init__(self, fgraph: FunctionGraph) -> None:
        self._fgraph = fgraph
        self._patience = self.PATIENCE
        self._most = self.FIRST
        self._left = 0
        self._reset()

    def _reset(self) -> None:
        self._numbers = Fingerprints()
        self._kept: tuple[int, ...] | None = None
        self._stride = 1
        self._steps: list[Step] = []

    def watching(self, times: int) -> bool:
        """Whether rewrites of a place that has been rewritten so often are to be reported to
        `observe`."""
        if self._left == 0 and times >= self._patience:
            self._reset()
            self._left = self._most
            allowed = self.WORK // (1 + len(self._fgraph.apply_nodes))
            self._most = max(self.FIRST, min(2 * self._most, allowed))
        return self._left > 0

    def observe(self, step: Step, times: int) -> list[Step] | None:
        """Note that the graph has just changed by `step`.

        Returns
        -------
        cycle
            The rewrites that lead from the graph to itself, if it has been seen before, or None.
        """
        self._steps.append(step)
        now = self._numbers.of(self._fgraph)
        if now == self._kept:
            return self._steps
        if self._kept is None or len(self._steps) >= self._stride:
            self._stride *= 2
            self._kept = now
            self._steps = []
        self._left -= 1
        if self._left == 0:
            self._patience = 4 * max(self._patience, times)
            self._reset()
        return None


def visits_message(
    optimizer: str,
    visits: int,
    allowed: int,
    nodes: Sequence[tuple[str, int]],
    names: Sequence[str],
) -> str:
    """What to tell about nodes that are looked at too often."""
    lines = "\n".join(f"  {node}: {times} times" for node, times in nodes)
    who = f"; what was applied there last: {_and(names)}" if names else ""
    return (
        f"{optimizer} has looked at nodes {visits} times, which is more than the {allowed} that "
        f"the graph and what was made explain{who}. Most often lately:\n{lines}"
    )


def cycle_message(optimizer: str, steps: Sequence[Step]) -> str:
    """What to tell about a cycle."""
    names = _names(steps)
    who = f"{names[0]} undoes itself" if len(names) == 1 else f"{_and(names)} undo each other"
    lines = "\n".join(f"  {step}" for step in steps[:12])
    more = f"\n  ... and {len(steps) - 12} more" if len(steps) > 12 else ""
    count = "1 rewrite" if len(steps) == 1 else f"{len(steps)} rewrites"
    return f"{optimizer} goes in a circle: {who}. After {count} the graph is back:\n{lines}{more}"


def budget_message(
    optimizer: str, name: str, uses: int, sizes: tuple[int, int], steps: Sequence[Step]
) -> str:
    """What to tell about a budget that ran out; `sizes` are nodes at the start and now."""
    lines = "\n".join(dict.fromkeys(f"  {step}" for step in steps))
    return (
        f"{optimizer} has applied {name} {uses} times and reached no fixpoint; the graph went from "
        f"{sizes[0]} to {sizes[1]} nodes. The last rewrites:\n{lines}"
    )


def _names(steps: Sequence[Step]) -> list[str]:
    return list(dict.fromkeys(step.rewriter for step in steps))


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

"""Divergence: how rewriting without end is detected and reported."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.merge.hash_consing import constant_key

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


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


class Budget:
    """Bounds on the uses of a rewriter, on the replacements in one place, and on the graph's size.

    Rewriting without end and without a cycle either replaces what stands in one place again and
    again, or rewrites what it has just inserted, deeper and deeper, and so grows the graph. The
    number of steps alone says nothing: an op that sinks through a chain takes one at each level.
    Without a `max_use_ratio` there is therefore no bound on uses; with one there is no other.

    Attributes
    ----------
    explicit
        Whether there is a `max_use_ratio`.
    uses, times, nodes
        The bounds: the uses of one rewriter, the replacements in one place, the nodes.
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

    def safe_bounds(self, patience: int) -> tuple[float, float, float]:
        """Return uses, times and nodes below which no bound is nearly exceeded.

        Below them a `CycleDetector` with this patience has no need to compare graphs either.
        """
        uses = min(self.uses - 3, patience * (1 + self._nodes))
        return uses, min(self.times - 3, patience), self.nodes - 3

    def exceeded(self, uses: int, times: int, nodes: int) -> bool:
        return uses > self.uses or times > self.times or nodes > self.nodes

    def nearly(self, uses: int, times: int, nodes: int) -> bool:
        """Whether a bound may soon be exceeded: the message will need the rewrites from now on."""
        return self.exceeded(uses + 3, times + 3, nodes + 3)


class Fingerprints:
    """Numbers for terms: equal computations on equal leaves get one number, at any time."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, fgraph: FunctionGraph) -> tuple[int, ...]:
        """The numbers of the graph's outputs. Graphs with equal ones compute the same."""
        known: dict[Variable, int] = {}
        for node in fgraph.toposort(with_orderings=False):
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


class CycleDetector:
    """Detects that the graph has become what it was before (Brent's algorithm).

    A comparison of whole graphs is expensive, so it starts only when one place has been rewritten
    `PATIENCE` times. Then the graph is compared after each rewrite with a kept one, which is
    renewed after 1, 2, 4, ... steps. After some comparisons the detector gives up, and starts again
    with more comparisons when a place has been rewritten four times as often.
    """

    PATIENCE = 32
    FIRST = 8  # comparisons before it gives up the first time
    WORK = 300_000  # nodes it may look at before it gives up; FIRST comparisons are always made

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
        """Whether the next rewrite, of a place rewritten `times` times, must be observed."""
        if self._left == 0 and times >= self._patience:
            self._reset()
            self._left = self._most
            allowed = self.WORK // (1 + len(self._fgraph.apply_nodes))
            self._most = max(self.FIRST, min(2 * self._most, allowed))
        return self._left > 0

    def observe(self, step: Step, times: int) -> list[Step] | None:
        """Compare the graph, which has just changed by `step`, with the kept one.

        Returns
        -------
        cycle
            The rewrites that lead from the graph to itself if the two are equal, else None.
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
    """The message about nodes that are visited too often."""
    lines = "\n".join(f"  {node}: {times} times" for node, times in nodes)
    who = f"; what was applied there last: {_and(names)}" if names else ""
    return (
        f"{optimizer} has visited nodes {visits} times, which is more than the {allowed} that "
        f"the graph and what was made explain{who}. Most often lately:\n{lines}"
    )


def cycle_message(optimizer: str, steps: Sequence[Step]) -> str:
    """The message about a cycle."""
    names = _names(steps)
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


def _names(steps: Sequence[Step]) -> list[str]:
    return list(dict.fromkeys(step.rewriter for step in steps))


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

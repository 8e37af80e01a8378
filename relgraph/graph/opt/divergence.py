"""Rewriting that would never end: how it is noticed, and how it is reported."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.hashcons import constant_key

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class DivergenceError(RuntimeError):
    """Rewriters would go on for ever.

    Attributes
    ----------
    stop_reason
        ``"cycle"`` if the graph came back to what it had been, ``"budget"`` if the rewriting went
        on for longer than the size of the graph explains.
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
    """How often a rewriter may be applied, and how long a chain of rewrites may get.

    Without an explicit ratio the bounds are far above what rewriting that ends is known to need.
    """

    def __init__(self, nodes: int, max_use_ratio: float | None) -> None:
        self._nodes = nodes
        self.explicit = max_use_ratio is not None
        if max_use_ratio is None:
            self.uses = 1000.0 + 32 * nodes
            self.descent = 1000.0 + 2 * nodes
        else:
            self.uses = max_use_ratio * max(nodes, 1)
            self.descent = float("inf")

    def calm(self, patience: int) -> tuple[float, float]:
        """The uses and the descent below which nothing is nearly exceeded, or suspicious to who
        has that much patience."""
        uses = min(self.uses - 3, patience * (1 + self._nodes))
        return uses, min(self.descent - 3, patience)

    def exceeded(self, uses: int, descent: int) -> bool:
        return uses > self.uses or descent > self.descent

    def nearly(self, uses: int, descent: int) -> bool:
        """Whether rewrites should be written down, for the message that is about to come."""
        return uses + 3 > self.uses or descent + 3 > self.descent


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
    """Looks for a graph that comes back, once a rewrite of a rewrite of a rewrite looks suspicious.

    How many times over a node descends from rewrites is cheap to keep, and small where rewriting
    ends. Beyond `patience` the watch compares the whole graph, after each rewrite, with one kept
    from before (Brent's method: the kept one moves on after 1, 2, 4, ... steps). It gives up after
    so many comparisons as cost about a fixed time, and waits for twice the patience.
    """

    PATIENCE = 32
    WORK = 300_000  # nodes looked at in one watch

    def __init__(self, fgraph: FunctionGraph) -> None:
        self._fgraph = fgraph
        self._patience = self.PATIENCE
        self._left = 0
        self._reset()

    def _reset(self) -> None:
        self._numbers = Fingerprints()
        self._kept: tuple[int, ...] | None = None
        self._stride = 1
        self._steps: list[Step] = []

    def watching(self, descent: int) -> bool:
        """Whether rewrites of nodes of this descent are to be reported to `observe`."""
        if self._left == 0 and descent >= self._patience:
            self._reset()
            self._left = min(256, max(8, self.WORK // (1 + len(self._fgraph.apply_nodes))))
        return self._left > 0

    def observe(self, step: Step, descent: int) -> list[Step] | None:
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
            self._patience = 2 * max(self._patience, descent)
            self._reset()
        return None


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
    return f"{', '.join(names[:-1])} and {names[-1]}"

"""What rewriting a graph of a family costs: looks, tries and changes, by node.

What is claimed of every graph is that these don't depend on how large it is. They are counts, the
same on every machine, read from what the optimizers note down.
"""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import relgraph.tensor as at
from relgraph import grad
from relgraph.compile import optdb, predefined_optimizers
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.opt.dispatch import union_of
from relgraph.graph.opt.merge import merged_copy
from relgraph.graph.optdb import OptimizationQuery
from tests.families import Family, value_and_gradient

# How much more of something there may be for each node, if there are many times as many nodes.
MOST_GROWTH = 1.5
# What is done for fewer than one node in twenty is noise.
FLOOR = 0.05
COUNTS = ("visits", "calls", "replacements", "made")


@dataclass
class Figures:
    """What was done to one graph.

    Attributes
    ----------
    nodes, left
        How many nodes there were at the start and at the end.
    visits, calls, made
        How often a node was looked at; how often a rewriter was asked; nodes that were made.
    applied
        How often each rewriter was applied, by name.
    failure
        What went wrong, if anything did; the counts are then zero.
    """

    nodes: int = 0
    left: int = 0
    visits: int = 0
    calls: int = 0
    made: int = 0
    applied: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    failure: str | None = None

    def by_node(self, count: str) -> float:
        """One of `COUNTS` for each node there or made; nodes made, for each at the start."""
        if count == "made":
            return self.made / max(1, self.nodes)
        n = self.applied.total() if count == "replacements" else getattr(self, count)
        return n / max(1, self.nodes + self.made)

    def as_data(self) -> dict[str, Any]:
        by_node = {count: self.by_node(count) for count in COUNTS}
        return {**vars(self), "applied": dict(self.applied), "by_node": by_node}


def calls_of(call: Callable[[], Any]) -> tuple[int, Any]:
    """Return how many functions were called, of Python and of C, and the result."""
    count = 0

    def tell(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    gc.disable()
    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        result = call()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count, result


class TooLong(BaseException):
    """Raised by the alarm; no Exception, for optimizers may catch these and go on."""


def counted(
    family: Family, size: int, mode: str, gradient: bool, limit: float | None = None
) -> Figures:
    """Rewrite a graph of `family` of about `size` nodes as `mode` does, and return the `Figures`.

    Parameters
    ----------
    gradient
        Whether the gradient by each input is computed too.
    limit
        Seconds after which to give up, or None to wait. A graph that takes longer, or an exception,
        is a `failure`; without a limit, exceptions are raised.
    """
    figures = Figures()
    if limit is None:
        _count(figures, family, size, mode, gradient)
        return figures
    try:
        with _alarm(limit):
            _count(figures, family, size, mode, gradient)
    except TooLong:
        figures.failure = "too long"
    except Exception as error:
        figures.failure = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    return figures


def growth(small: Figures, large: Figures, count: str, floor: float = FLOOR) -> float:
    """How much more of `count` there is by node in `large`; less than `floor` counts as it."""
    return max(floor, large.by_node(count)) / max(floor, small.by_node(count))


def _count(figures: Figures, family: Family, size: int, mode: str, gradient: bool) -> None:
    outputs = _built(family, size)
    fgraph = FunctionGraph(outputs=outputs if gradient else outputs[:1], clone=True)
    figures.nodes = len(fgraph.apply_nodes)
    _rewrite(figures, fgraph, optdb.query(predefined_optimizers[mode]))


def counted_in_copy(outputs: Sequence[Any], include: Sequence[str]) -> Figures:
    """Return the `Figures` of a copy of a graph that is rewritten as by `optimize_graph`."""
    optimizer = optdb.query(OptimizationQuery(include=include))
    fgraph = merged_copy(outputs, union_of(optimizer.collapsing_first() or ()))
    figures = Figures(nodes=len(FunctionGraph(outputs=outputs, clone=True).apply_nodes))
    _rewrite(figures, fgraph, optimizer)
    return figures


def _rewrite(figures: Figures, fgraph: FunctionGraph, optimizer: GlobalOptimizer) -> None:
    start = time.perf_counter()
    record = optimizer.optimize(fgraph)
    figures.seconds = time.perf_counter() - start
    figures.left = len(fgraph.apply_nodes)
    for one in _records(record):
        figures.visits += one.visits
        figures.calls += one.calls
        figures.made += one.made
        figures.applied += one.applied


@lru_cache(maxsize=2)
def _built(family: Family, size: int) -> list[Any]:
    """Return the output and the gradients; one mode after the other takes a copy of them."""
    return value_and_gradient(family, at, grad, size)


def _records(record: Any) -> Iterator[Any]:
    """Yield what the equilibria in `record` have noted down, however deep they stand in it."""
    waiting = [record]
    while waiting:
        one = waiting.pop()
        if hasattr(one, "visits"):
            yield one
        waiting += [step.profile for step in getattr(one, "steps", ())]
        waiting += [profile for _, profile in getattr(one, "sub_profiles", ())]


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def most_applied(small: Figures, large: Figures, most: int = 4) -> Sequence[str]:
    """Name the rewriters most applied in `large`, with their uses by node at both sizes."""
    return [
        f"{name}: {small.applied[name] / max(1, small.nodes):.2f}"
        f" → {uses / max(1, large.nodes):.2f}"
        for name, uses in large.applied.most_common(most)
    ]

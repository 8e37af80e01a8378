"""Saturation: laws are applied to an e-graph until they say nothing new, or a bound is met."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.search.egraph.matching import Match, Matcher
from relgraph.search.egraph.terms import EGraph, Reason
from relgraph.search.translation.directions import Direction
from relgraph.search.translation.questions import Asked, Questions, UnitingLaw
from relgraph.search.translation.regrouping import DroppingUnits

FIRST_SHARE = 100
"""How many matches of a rule are used in its first round; see `Saturation`."""
MAX_MATCHES = 2000
"""Rules that match more often in a round are switched off for some rounds: 2, then 4, and so on."""
MAX_REFUSED = 20_000
"""How many matches that a condition refused are kept to be asked about again."""


class Limits(NamedTuple):
    """Bounds of a saturation.

    Attributes
    ----------
    nodes
        How many terms there may be.
    rounds
        How often all rules are matched.
    seconds
        How long it may take.
    """

    nodes: int = 2000
    rounds: int = 30
    seconds: float = 2.0


class _Stop(Exception):
    """A bound was met; the argument is its name."""


class Saturation:
    """Applies directions of laws to an e-graph, round by round.

    A round matches all rules, and uses what they match. Of a rule that matches more than its share
    only so many matches are used, and the others wait for the next round; its share doubles then,
    so that distribution and the like don't fill the e-graph before the other laws are asked.

    Parameters
    ----------
    egraph
        The e-graph, which is changed.
    directions
        The directions of laws.
    limits
        When to stop.

    Attributes
    ----------
    stopped
        Why it stopped: ``saturated`` if the laws say nothing new, or the name of a bound.
    rounds, seconds
        How many rounds there were, and how long they took.
    used
        How often each law has united two classes, by label.
    sounds
        The soundness classes of these laws.
    """

    def __init__(self, egraph: EGraph, directions: Sequence[Direction], limits: Limits) -> None:
        self.egraph = egraph
        self.limits = limits
        self.stopped = ""
        self.rounds = 0
        self.seconds = 0.0
        self.used: defaultdict[str, int] = defaultdict(int)
        self.sounds: set[str] = set()
        self._directions = directions
        self._asked = [d for d in directions if d.rule is None]
        self._nodes: set[Apply] = set()
        self._may_match: dict[tuple[int, Op], bool] = {}
        self._queues: defaultdict[int, deque[Match]] = defaultdict(deque)
        self._shares: defaultdict[int, int] = defaultdict(lambda: FIRST_SHARE)
        self._bans: Counter[int] = Counter()
        self._banned: dict[int, int] = {}
        self._done: set[Any] = set()
        self._refused: list[tuple[int, Match, int]] = []

    def run(self) -> None:
        """Apply the laws until nothing is new, or a bound is met."""
        began = time.perf_counter()
        self._deadline = began + self.limits.seconds
        self.egraph.rebuild()
        with Matcher() as matcher:
            self._matcher = matcher
            self._questions = Questions(self.egraph, matcher, self._directions)
            try:
                while self.rounds < self.limits.rounds:
                    if not self._round():
                        raise _Stop("saturated")
                    self.rounds += 1
                raise _Stop("rounds")
            except _Stop as why:
                self.stopped = str(why)
        self.egraph.rebuild()
        self.seconds = time.perf_counter() - began

    def _round(self) -> bool:
        """Match all rules once; return whether there was anything to do."""
        before = len(self.egraph), len(self.egraph.unions)
        new = self._questions.state_new()
        self._thin_out()
        self._queue_matches()
        refused, self._refused = self._refused, []
        for index, match, stamp in refused:
            if self._stamp(index, match) != stamp:
                self._queues[index].append(match)
            else:
                self._refused.append((index, match, stamp))
        for term in new:
            self._ask_node(term)
        self._use_matches()
        self.egraph.rebuild()
        changed = (len(self.egraph), len(self.egraph.unions)) != before
        return changed or any(self._queues.values()) or bool(new or self._banned)

    def _queue_matches(self) -> None:
        """Match, and switch off for some rounds the rules that match more than they may."""
        for index in [i for i, until in self._banned.items() if until <= self.rounds]:
            del self._banned[index]
            self._matcher.switch(index, on=True)
        counts: Counter[int] = Counter()
        for match in sorted(self._matcher.matches(), key=self._in_written_order):
            counts[match[0]] += 1
            self._queues[match[0]].append(match[1:])
        for index, count in counts.items():
            if count > MAX_MATCHES * 2 ** self._bans[index]:
                self._bans[index] += 1
                self._banned[index] = self.rounds + 2 ** self._bans[index]
                self._matcher.switch(index, on=False)

    def _in_written_order(self, match: Match) -> Any:
        """Return a key by which arguments are matched in the order in which they stand."""
        columns = self._questions.asked[match[0]][1].query.columns
        places = [n for n, (_, what) in zip(match[1:], columns, strict=True) if what[0] == "place"]
        return places, match

    def _thin_out(self) -> None:
        """Drop the sums and products of which another one says the same, or a shorter one."""
        egraph = self.egraph
        kept = []
        for term in self._questions.sums:
            classes = [egraph.find(k) for k in egraph.children(term)]
            if (
                egraph.find(term) in classes
                or not egraph.is_canonical(term)
                or self._drop_units(term)
            ):
                self._matcher.drop(term)
            else:
                kept.append(term)
        self._questions.sums = kept

    def _drop_units(self, term: int) -> bool:
        """Make of a sum with zeros, or a product with ones, one without; return whether it was."""
        node = self.egraph.variables[term].owner
        if not self.egraph.regroups or node is None:
            return False
        dropping = DroppingUnits(node.op)
        sides = dropping.sides(self.egraph, term)
        if sides is not None:
            self._unite(*sides, dropping)
        return sides is not None

    def _check_bounds(self) -> None:
        if len(self.egraph) > self.limits.nodes:
            raise _Stop("nodes")
        if time.perf_counter() > self._deadline:
            raise _Stop("seconds")

    # -- matches -------------------------------------------------------------------------------

    def _use_matches(self) -> None:
        waiting = sorted(self._queues.items(), key=lambda item: len(item[1]))
        for index, queue in waiting:
            share = self._shares[index]
            if len(queue) > share:
                self._shares[index] = 2 * share
            for _ in range(min(share, len(queue))):
                self._use(index, queue.popleft())

    def _use(self, index: int, match: Match) -> None:
        direction, instance = self._questions.asked[index]
        key = self._canonical(index, instance, match)
        if key is None or key in self._done:
            return
        self._check_bounds()
        sides = instance.sides(self.egraph, match)
        if sides is None:
            if len(self._refused) < MAX_REFUSED:
                self._refused.append((index, match, self._stamp(index, match)))
            return
        self._done.add(key)
        self._unite(*sides, direction)

    def _canonical(self, index: int, instance: Asked, match: Match) -> Any:
        """Return a match with classes for terms; None if another one says the same."""
        key = [index]
        for value, (_, what) in zip(match, instance.query.columns, strict=True):
            if what[0] == "place":
                key.append(value)
            elif what[0] == "sum":
                if not self.egraph.is_canonical(value):
                    return None
                key.append(value)
            else:
                key.append(self.egraph.find(value))
        return tuple(key)

    def _stamp(self, index: int, match: Match) -> int:
        """Return a number that changes when more is known of what a match is about."""
        columns = self._questions.asked[index][1].query.columns
        return sum(
            self.egraph.version(value)
            for value, (_, what) in zip(match, columns, strict=True)
            if what[0] != "place"
        )

    def _unite(self, old: Variable, new: Variable, direction: UnitingLaw) -> None:
        egraph = self.egraph
        a, b = egraph.add(old), egraph.add(new)
        if egraph.union(a, b, Reason(direction.label, direction.sound)):
            self.used[direction.label] += 1
            self.sounds.add(direction.sound)

    # -- nodes ---------------------------------------------------------------------------------

    def _ask_node(self, term: int) -> None:
        """Ask the relations that are no queries about the node of a term."""
        var = self.egraph.variables[term]
        node = var.owner
        if node is None or node in self._nodes or not self.egraph.is_canonical(term):
            return
        self._nodes.add(node)
        for direction in self._asked:
            key = (id(direction), node.op)
            if key not in self._may_match:
                self._may_match[key] = direction.rewriter.might_match_op(node)
            if not self._may_match[key]:
                continue
            self._check_bounds()
            for old, new in _answers(direction, node):
                self._unite(old, new, direction)


def _answers(direction: Direction, node: Apply) -> Iterator[tuple[Variable, Variable]]:
    """Yield the outputs of a node that a relation replaces, with what replaces them."""
    try:
        # without a graph: nobody knows who reads what
        answer: Any = direction.rewriter.transform(cast(FunctionGraph, None), node)
    except (TypeError, ValueError, OverflowError):
        return
    if isinstance(answer, dict):
        yield from ((old, new) for old, new in answer.items() if isinstance(old, Variable))
    elif answer:
        yield from (
            (old, new) for old, new in zip(node.outputs, answer, strict=True) if new is not None
        )

"""Saturation: laws are applied to an e-graph until they say nothing new, or a bound is met.

`best` applies all laws wherever something is new. `improve` applies them where bits are lost, and
those that make an expression smaller or more accurate wherever something is new.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from relgraph.graph.utils import Deadline
from relgraph.search.egraph import EClass, EGraph, Node
from relgraph.search.matching import Match

FIRST_SHARE = 100
"""How many matches of a rule are used in its first round; see `Saturation`."""


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


Equal = tuple[Any, Any, Any]
"""Two terms that are equal, and why: the arguments of `EGraph.join`."""


class Rule(Protocol):
    """A law in a direction, or a law about all nodes of some ops."""

    @property
    def reach(self) -> int:
        """How far below the root of a match a class may be that says whether there is one."""

    def may_match(self, node: Any) -> bool:
        """Return whether a node, and others of its op, may be the root of a match."""

    def matches(self, egraph: Any, at: Any) -> Iterable[Match]:
        """Return the matches whose root is in a class."""

    def subjects(self, egraph: Any, match: Match) -> Iterable[EClass[Any]]:
        """Return the classes that the conditions of the rule are about."""

    def sides(self, egraph: Any, match: Match) -> Sequence[Equal]:
        """Return what a match says is equal; nothing if a condition does not hold."""


class Stopped(Exception):
    """A bound was met; the argument is its name."""


class _Scheduled:
    """A rule, and where it is still to be matched.

    Attributes
    ----------
    rule
        The rule.
    share
        How many of its matches are used in a round.
    waiting
        The classes at which it is matched in the next round.
    """

    def __init__(self, rule: Rule, share: int) -> None:
        self.rule, self.share = rule, share
        self.waiting: set[EClass[Any]] = set()
        self._done: dict[Match, int | None] = {}

    def matches(self, egraph: EGraph[Any]) -> list[Match]:
        """Return the new matches, no more than its share, which doubles if there are others."""
        found = dict[Match, None]()
        for at in sorted(self.waiting, key=lambda c: c.index):
            for match in self.rule.matches(egraph, at) if at.root() is at else ():
                if match in found or self._is_done(egraph, match):
                    continue
                if len(found) == self.share:
                    self.share *= 2
                    return list(found)
                found[match] = None
            self.waiting.discard(at)
        return list(found)

    def _is_done(self, egraph: EGraph[Any], match: Match) -> bool:
        """Return whether a match was used, or refused and no more is known of what it is about."""
        known = self._done.get(match, _NEVER)
        return known is None or (known != _NEVER and known == self._known_of(egraph, match))

    def _known_of(self, egraph: EGraph[Any], match: Match) -> int:
        """Return a number that grows when more is known of what a match is about."""
        return sum(c.terms for c in self.rule.subjects(egraph, match))

    def sides(self, egraph: EGraph[Any], match: Match) -> Sequence[Equal]:
        """Return what a match says is equal; nothing if a condition refuses it."""
        known = self._known_of(egraph, match)
        sides = self.rule.sides(egraph, match)
        self._done[match] = None if sides else known
        return sides


_NEVER = -1


class Saturation:
    """Applies rules to an e-graph, round by round.

    A round matches the rules, and uses what they match. Of a rule that matches more than its share
    only so many matches are used, and the others wait for the next round; its share doubles then,
    so that distribution and the like don't fill the e-graph before the other laws are asked. A rule
    is matched where something is new that it may see.

    Parameters
    ----------
    egraph
        The e-graph, which is changed.
    rules
        The rules.
    limits
        When to stop.
    thin_out
        Is given the new nodes of a round, leaves out those of which others say the same, and yields
        what is equal to them.
    share
        How many matches of a rule are used in its first round.

    Attributes
    ----------
    stopped
        Why it stopped: ``saturated`` if the rules say nothing new, or the name of a bound.
    rounds, seconds
        How many rounds there were, and how long they took.
    used
        How often each reason has united two classes.
    """

    def __init__(
        self,
        egraph: EGraph[Any],
        rules: Sequence[Rule],
        limits: Limits,
        thin_out: Callable[[list[Node[Any]]], Iterable[Equal]] = lambda new: (),
        share: int = FIRST_SHARE,
    ) -> None:
        self.egraph = egraph
        self.limits = limits
        self.stopped = ""
        self.rounds = 0
        self.seconds = 0.0
        self.used: Counter[Any] = Counter()
        self._thin_out = thin_out
        self._scheduled = [_Scheduled(rule, share) for rule in rules]
        self._reach = max((rule.reach for rule in rules), default=0)
        self._by_head: dict[Any, list[_Scheduled]] = {}
        self._made = self._joined = 0
        self.deadline = Deadline(limits.seconds)

    def run(self) -> None:
        """Apply the rules until nothing is new, or a bound is met."""
        began = time.perf_counter()
        self.egraph.rebuild()
        try:
            while self.rounds < self.limits.rounds:
                if not self._round():
                    raise Stopped("saturated")
                self.rounds += 1
            raise Stopped("rounds")
        except Stopped as why:
            self.stopped = str(why)
        self.egraph.rebuild()
        self.seconds = time.perf_counter() - began

    def _round(self) -> bool:
        """Match all rules once; return whether there was anything to do."""
        before = len(self.egraph.made), len(self.egraph.joined)
        new = self.look_at_news()
        for equal in self._thin_out(new):
            self._unite(equal)
        matched = self.apply()
        changed = (len(self.egraph.made), len(self.egraph.joined)) != before
        return changed or bool(new) or matched

    def look_at(self, classes: Iterable[EClass[Any]], steps: int = 0) -> None:
        """Say that something is new so many steps below some classes."""
        for at in classes:
            for head, nodes in at.nodes.items():
                if nodes and head not in self._by_head:
                    admitted = [s for s in self._scheduled if s.rule.may_match(nodes[0])]
                    self._by_head[head] = admitted
                for scheduled in self._by_head.get(head, ()):
                    if scheduled.rule.reach >= steps:
                        scheduled.waiting.add(at)

    def look_at_news(self) -> list[Node[Any]]:
        """Look at what is new since the last call, and above it; return the new nodes. The e-graph
        has to be rebuilt."""
        egraph = self.egraph
        new, joined = egraph.made[self._made :], egraph.joined[self._joined :]
        self._made, self._joined = len(egraph.made), len(egraph.joined)
        level = dict.fromkeys([*(egraph.find(n.term) for n in new), *(c.root() for c in joined)])
        known = set(level)
        for steps in range(self._reach + 1):
            self.look_at(level, steps)
            readers = dict.fromkeys(egraph.find(n.term) for c in level for n in c.readers)
            level = dict.fromkeys(c for c in readers if c not in known)
            known |= level.keys()
        return new

    def apply(self) -> bool:
        """Match the rules where something is new, and use what they match; return whether there
        was anything.

        Raises
        ------
        Stopped
            If there is no more time, or are more terms than there may be.
        """
        self.egraph.rebuild()
        found = []
        for scheduled in self._scheduled:
            if scheduled.waiting:
                self._check_bounds()
                found.append((scheduled, scheduled.matches(self.egraph)))
        for scheduled, matches in sorted(found, key=lambda item: len(item[1])):
            for match in matches:
                self._check_bounds()
                for equal in scheduled.sides(self.egraph, match):
                    self._unite(equal)
        self.egraph.rebuild()
        return any(matches for _, matches in found)

    def _check_bounds(self) -> None:
        if len(self.egraph) > self.limits.nodes:
            raise Stopped("nodes")
        if self.deadline.is_over:
            raise Stopped("seconds")

    def _unite(self, equal: Equal) -> None:
        if self.egraph.unite(*equal) is not None:
            self.used[equal[2]] += 1

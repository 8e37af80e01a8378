"""Saturation: laws are applied to an e-graph until they say nothing new, or a bound is met."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.rules import is_ac
from relgraph.graph.op import Op
from relgraph.search.egraph import Node
from relgraph.search.laws import Direction
from relgraph.search.matching import Match
from relgraph.search.regrouping import REGROUPINGS, DroppingUnits, Regrouping
from relgraph.search.rules import Pattern
from relgraph.search.variables import Class, News, Reason, Sides, VariableEGraph

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


class _Stop(Exception):
    """A bound was met; the argument is its name."""


class _Asked:
    """A direction of a law or a regrouping, and where it is still to be matched.

    Attributes
    ----------
    law
        What unites two classes.
    pattern
        What it matches.
    share
        How many of its matches are used in a round.
    """

    def __init__(self, law: Direction | Regrouping, pattern: Pattern | Regrouping) -> None:
        self.law, self.pattern = law, pattern
        self.share = FIRST_SHARE
        self._waiting: set[Class] = set()
        self._done: dict[Match, int | None] = {}

    def look_at(self, at: Class) -> None:
        """Match it at a class in the next round."""
        self._waiting.add(at)

    def matches(self, egraph: VariableEGraph) -> list[Match]:
        """Return the new matches, no more than its share, which doubles if there are others."""
        found = dict[Match, None]()
        for at in sorted(self._waiting, key=lambda c: c.index):
            for match in self.pattern.matches(egraph, at) if at.root() is at else ():
                if match in found or self._is_done(egraph, match):
                    continue
                if len(found) == self.share:
                    self.share *= 2
                    return list(found)
                found[match] = None
            self._waiting.discard(at)
        return list(found)

    def _is_done(self, egraph: VariableEGraph, match: Match) -> bool:
        """Return whether a match was used, or refused and no more is known of what it is about."""
        known = self._done.get(match, _NEVER)
        return known is None or (known != _NEVER and known == self._known_of(egraph, match))

    def _known_of(self, egraph: VariableEGraph, match: Match) -> int:
        """Return a number that grows when more is known of what a match is about."""
        return sum(c.terms for c in self.pattern.subjects(egraph, match))

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        """Return what a match says is equal; None if a condition refuses it."""
        known = self._known_of(egraph, match)
        sides = self.pattern.sides(egraph, match)
        self._done[match] = known if sides is None else None
        return sides


_NEVER = -1


class Saturation:
    """Applies directions of laws to an e-graph, round by round.

    A round matches all rules, and uses what they match. Of a rule that matches more than its share
    only so many matches are used, and the others wait for the next round; its share doubles then,
    so that distribution and the like don't fill the e-graph before the other laws are asked. A rule
    is matched where something is new that it may see.

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

    def __init__(
        self, egraph: VariableEGraph, directions: Sequence[Direction], limits: Limits
    ) -> None:
        self.egraph = egraph
        self.limits = limits
        self.stopped = ""
        self.rounds = 0
        self.seconds = 0.0
        self.used: defaultdict[str, int] = defaultdict(int)
        self.sounds: set[str] = set()
        self._news = News(egraph)
        self._asked: list[_Asked] = []
        self._by_head: defaultdict[Any, list[_Asked]] = defaultdict(list)
        for direction in directions:
            if direction.pattern is not None:
                self._ask(direction, direction.pattern)
        self._of_nodes = [d for d in directions if d.pattern is None]
        self._sums: list[Node[Variable]] = []
        self._dropping: dict[Op, DroppingUnits] = {}
        self._nodes: set[Apply] = set()
        self._may_match: dict[tuple[int, Op], bool] = {}

    def _ask(self, law: Direction | Regrouping, pattern: Pattern | Regrouping) -> None:
        self._asked.append(_Asked(law, pattern))
        self._by_head[pattern.head].append(self._asked[-1])

    def run(self) -> None:
        """Apply the laws until nothing is new, or a bound is met."""
        began = time.perf_counter()
        self._deadline = began + self.limits.seconds
        self.egraph.rebuild()
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
        before = len(self.egraph.made), len(self.egraph.joined)
        new = self._look_at_new()
        self._thin_out()
        self.egraph.rebuild()
        found = [(asked, asked.matches(self.egraph)) for asked in self._within_bounds()]
        for node in new:
            self._ask_node(node)
        for asked, matches in sorted(found, key=lambda item: len(item[1])):
            for match in matches:
                self._check_bounds()
                self._unite(asked.sides(self.egraph, match), asked.law)
        self.egraph.rebuild()
        changed = (len(self.egraph.made), len(self.egraph.joined)) != before
        return changed or bool(new) or any(matches for _, matches in found)

    def _look_at_new(self) -> list[Node[Variable]]:
        """Say where rules are to be matched again; return the new nodes."""
        new, changed = self._news()
        for node in new:
            op = node.head
            if op is not None and is_ac(op):
                self._sums.append(node)
                if self.egraph.regroups and op not in self._dropping:
                    self._dropping[op] = DroppingUnits(op)
                    for regrouping in REGROUPINGS:
                        self._ask(made := regrouping(op), made)
        for steps, classes in enumerate(changed):
            for at in classes:
                for head in dict.fromkeys(h for op in at.nodes for h in (op, type(op))):
                    for asked in self._by_head.get(head, ()):
                        if asked.pattern.reach >= steps:
                            asked.look_at(at)
        return new

    def _within_bounds(self) -> Iterator[_Asked]:
        """Yield what is to be matched, as long as there is time."""
        for asked in self._asked:
            self._check_bounds()
            yield asked

    def _thin_out(self) -> None:
        """Drop the sums and products of which another one says the same, or a shorter one."""
        kept = []
        for node in self._sums:
            is_known = node.is_copy or self.egraph.find(node.term) in node.classes
            if is_known or self._has_units(node):
                self.egraph.drop(node)
            else:
                kept.append(node)
        self._sums = kept

    def _has_units(self, node: Node[Variable]) -> bool:
        """Make of a sum with zeros, or a product with ones, one without; return whether it was."""
        dropping = self._dropping.get(node.head)
        sides = None if dropping is None else dropping.sides(self.egraph, (node,))
        if dropping is not None:
            self._unite(sides, dropping)
        return sides is not None

    def _check_bounds(self) -> None:
        if len(self.egraph) > self.limits.nodes:
            raise _Stop("nodes")
        if time.perf_counter() > self._deadline:
            raise _Stop("seconds")

    def _unite(self, sides: Sides | None, law: Direction | Regrouping) -> None:
        """Unite the classes of two sides, if there are two."""
        if sides is None:
            return
        if self.egraph.unite(*sides, Reason(law.label, law.sound)) is not None:
            self.used[law.label] += 1
            self.sounds.add(law.sound)

    # -- nodes ---------------------------------------------------------------------------------

    def _ask_node(self, found: Node[Variable]) -> None:
        """Ask the relations that are no queries about a node."""
        node = found.term.owner
        if node is None or node in self._nodes or found.is_copy:
            return
        self._nodes.add(node)
        for direction in self._of_nodes:
            key = (id(direction), node.op)
            if key not in self._may_match:
                self._may_match[key] = direction.rewriter.might_match_op(node)
            if not self._may_match[key]:
                continue
            self._check_bounds()
            for old, new in _answers(direction, node):
                self._unite((old, new), direction)


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

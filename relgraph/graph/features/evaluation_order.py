"""An order of evaluation that follows the changes of a graph, and finds cycles by that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count

from relgraph.graph.basic import Apply

# room for a million new nodes between two neighbours; should it be used up, all are placed anew
STEP = 2.0**-20


class EvaluationOrder:
    """A place for each node of a graph, after the places of all nodes that have to come before it.

    A change costs a look at the nodes that got new predecessors. If one of them stands too early,
    it is moved with what has to come after it, as in D. J. Pearce and P. H. J. Kelly, "A dynamic
    topological sort algorithm for directed acyclic graphs" (2006): only nodes that stood between
    the two that are out of order matter, and a cycle is met on the way.

    Parameters
    ----------
    before, after
        Give the nodes that have to come before a node, and after it.
    """

    def __init__(
        self,
        before: Callable[[Apply], Iterable[Apply]],
        after: Callable[[Apply], Iterable[Apply]],
    ) -> None:
        self._before = before
        self._after = after
        self._place: dict[Apply, float] = {}

    def __bool__(self) -> bool:
        return bool(self._place)

    def clear(self) -> None:
        """Forget all places."""
        self._place.clear()

    def discard(self, node: Apply) -> None:
        """Forget the place of `node`, which went."""
        self._place.pop(node, None)

    def place_all(self, nodes: Iterable[Apply]) -> None:
        """Place all nodes, in the order given, which has to be right."""
        self._place = {node: float(i) for i, node in enumerate(nodes)}

    def update(self, changed: Iterable[Apply]) -> list[Apply] | None:
        """Give new nodes a place, and move others where that is needed.

        Parameters
        ----------
        changed
            The nodes that are new or got new predecessors.

        Returns
        -------
        cycle
            Nodes each of which has to come after the next, and the last after the first. Empty
            if all is well; None if it can't be said from here: then `place_all` is needed.
        """
        waiting = list(changed)
        while waiting:
            later: list[Apply] = []
            for node in waiting:
                last = self._last_before(node)
                if last is node:
                    later.append(node)
                elif node not in self._place:
                    self._place[node] = self._place[last] + STEP if last is not None else 0.0
                elif last is not None and self._place[last] >= self._place[node]:
                    cycle = self._move(node, last)
                    if cycle is None or cycle:
                        return cycle
            if len(later) == len(waiting):
                return None
            waiting = later
        return []

    def _last_before(self, node: Apply) -> Apply | None:
        """Return the last of those before `node`; `node` itself if one of them has no place yet."""
        last: Apply | None = None
        latest = float("-inf")
        for other in self._before(node):
            place = self._place.get(other)
            if place is None:
                return node
            if place > latest:
                last, latest = other, place
        return last

    def _move(self, node: Apply, last: Apply) -> list[Apply] | None:
        """Move `node` to behind `last`, and what has to come after it. See `update`."""
        place = self._place
        moved = {node: place[last] + STEP}
        led_from: dict[Apply, Apply] = {}
        # by place, so that a node is looked at after those that push it
        ties = count()
        queue = [(place[node], next(ties), node)]
        done: set[Apply] = set()
        while queue:
            pushing = heappop(queue)[2]
            done.add(pushing)
            for other in self._after(pushing):
                stands = moved.get(other, place.get(other))
                if stands is None or stands > moved[pushing]:
                    continue
                led_from[other] = pushing
                if other is last:
                    return _chain(led_from, last, node)
                if other in done:
                    # out of order by another change too
                    return None
                moved[other] = moved[pushing] + STEP
                heappush(queue, (place[other], next(ties), other))
        place.update(moved)
        return []


def _chain(led_from: dict[Apply, Apply], start: Apply, end: Apply) -> list[Apply]:
    chain = [start]
    while chain[-1] is not end:
        chain.append(led_from[chain[-1]])
    return chain


def find_cycle(nodes: Iterable[Apply], before: Callable[[Apply], Iterable[Apply]]) -> list[Apply]:
    """Return nodes each of which has to come after the next, and the last after the first.

    The list is empty if there is no cycle.
    """
    done: set[Apply] = set()
    for start in nodes:
        if start in done:
            continue
        # a dict, for its order: the nodes that are being waited for
        path: dict[Apply, None] = {start: None}
        pending = [iter(before(start))]
        while pending:
            node = next(pending[-1], None)
            if node is None:
                pending.pop()
                done.add(path.popitem()[0])
            elif node in path:
                cycle = list(path)
                return cycle[cycle.index(node) :]
            elif node not in done:
                path[node] = None
                pending.append(iter(before(node)))
    return []

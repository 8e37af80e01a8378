"""An order of evaluation that is kept right while a graph changes, and finds cycles by that."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from relgraph.graph.basic import Apply

# room for a million new nodes between two neighbours; should it be used up, all are placed anew
STEP = 2.0**-20


class EvaluationOrder:
    """A place on the line for each node of a graph, after the places of all it has to wait for.

    A change costs a look at the nodes that got new predecessors. Only where their places do not
    suit any more, and a search among the nodes between finds no cycle, are all nodes placed anew.

    Parameters
    ----------
    before
        Gives the nodes that have to come before a node.
    """

    def __init__(self, before: Callable[[Apply], Iterable[Apply]]) -> None:
        self._before = before
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
        """Give new nodes a place, and see whether the others' still suit.

        Parameters
        ----------
        changed
            The nodes that are new or got new predecessors; best in an order of evaluation.

        Returns
        -------
        cycle
            Nodes each of which has to come after the next, and the last after the first. Empty
            if all is well; None if the places do not suit though no cycle is in sight: then
            `place_all` is needed.
        """
        place = self._place
        for node in changed:
            latest = -1.0
            for other in self._before(node):
                there = place.get(other)
                if there is None:
                    return None
                if there >= place.get(node, there + 1):
                    return self._path(other, node) or None
                latest = max(latest, there)
            if node not in place:
                place[node] = latest + STEP
        return []

    def _path(self, last: Apply, first: Apply) -> list[Apply]:
        """Return the nodes from `last` back to `first`, if `last` has to wait for `first`."""
        floor = self._place[first]
        led_to: dict[Apply, Apply] = {last: last}
        stack = [last]
        while stack:
            node = stack.pop()
            if node is first:
                path = [node]
                while path[-1] is not last:
                    path.append(led_to[path[-1]])
                return path[::-1]
            for other in self._before(node):
                if other not in led_to and self._place.get(other, floor) >= floor:
                    led_to[other] = node
                    stack.append(other)
        return []


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

"""The worklist: nodes that are still to be visited, by generation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from relgraph.graph.basic import Apply


class Worklist:
    """A queue of nodes in two parts: this generation and the next one.

    A node is in it at most once. A node that leaves the graph is discarded at once, and so is
    never visited.

    >>> from relgraph.graph.basic import Apply
    >>> work = Worklist([])
    >>> work.pop() is None, work.next_generation()
    (True, False)
    """

    __slots__ = ("_later", "_now")

    def __init__(self, nodes: Sequence[Apply]) -> None:
        # in reverse: `dict.popitem` takes the last
        self._now = dict.fromkeys(reversed(nodes))
        # in order
        self._later: dict[Apply, None] = {}

    def __len__(self) -> int:
        return len(self._now) + len(self._later)

    def __contains__(self, node: object) -> bool:
        return node in self._now or node in self._later

    def pop(self) -> Apply | None:
        """Take out the next node of this generation; None if there is none left."""
        return next(self.generation(), None)

    def generation(self) -> Iterator[Apply]:
        """Take out the nodes of this generation one by one, with those that join it meanwhile."""
        now = self._now
        while now:
            yield now.popitem()[0]

    def next_generation(self) -> bool:
        """Begin the next generation; return whether the worklist has any nodes."""
        self._now, self._later = _in_reverse(self._later), _in_reverse(self._now)
        return bool(self._now or self._later)

    def put_later(self, nodes: Iterable[Apply]) -> None:
        """Queue `nodes` for the next generation, unless they are in the queue."""
        now, later = self._now, self._later
        for node in nodes:
            if node not in now:
                later[node] = None

    def put_next(self, nodes: Iterable[Apply]) -> None:
        """Queue `nodes` before all others, in the given order, unless they are in the queue."""
        now, later = self._now, self._later
        for node in reversed([*nodes]):
            if node not in now and node not in later:
                now[node] = None

    def discard(self, nodes: Collection[Apply]) -> None:
        """Take `nodes` out of the queue."""
        for queue in (self._now, self._later):
            if queue and not queue.keys().isdisjoint(nodes):
                for node in nodes:
                    queue.pop(node, None)


def _in_reverse(nodes: dict[Apply, None]) -> dict[Apply, None]:
    return dict.fromkeys(reversed(nodes))

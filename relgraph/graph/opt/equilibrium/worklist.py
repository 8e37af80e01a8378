"""The nodes that are still to be looked at, by generation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from relgraph.graph.basic import Apply


class Worklist:
    """A queue of nodes in two parts: those of this generation, and those of the next.

    A node is in it at most once. What `discard` takes out is gone at once, so that nobody is
    handed a node that has left the graph.

    >>> from relgraph.graph.basic import Apply
    >>> work = Worklist([])
    >>> work.pop() is None, work.turn()
    (True, False)
    """

    __slots__ = ("_later", "_now")

    def __init__(self, nodes: Sequence[Apply]) -> None:
        # the next one stands last, where a dict gives it at once
        self._now = dict.fromkeys(reversed(nodes))
        # the next one stands first
        self._later: dict[Apply, None] = {}

    def __len__(self) -> int:
        return len(self._now) + len(self._later)

    def __contains__(self, node: object) -> bool:
        return node in self._now or node in self._later

    def pop(self) -> Apply | None:
        """Take out the next node of this generation; None when there is none left."""
        return next(self.generation(), None)

    def generation(self) -> Iterator[Apply]:
        """Take out the nodes of this generation one by one, those that join it meanwhile too."""
        now = self._now
        while now:
            yield now.popitem()[0]

    def turn(self) -> bool:
        """Begin the next generation; False if there is nothing in it."""
        self._now, self._later = _backwards(self._later), _backwards(self._now)
        return bool(self._now or self._later)

    def put_later(self, nodes: Iterable[Apply]) -> None:
        """Have `nodes` looked at in the next generation, unless they are waiting already."""
        now, later = self._now, self._later
        for node in nodes:
            if node not in now:
                later[node] = None

    def put_next(self, nodes: Iterable[Apply]) -> None:
        """Have `nodes` looked at before anything else, in the order given, unless they are waiting
        already."""
        now, later = self._now, self._later
        for node in reversed([*nodes]):
            if node not in now and node not in later:
                now[node] = None

    def discard(self, nodes: Collection[Apply]) -> None:
        """Take out those of `nodes` that are there."""
        for waiting in (self._now, self._later):
            if waiting and not waiting.keys().isdisjoint(nodes):
                for node in nodes:
                    waiting.pop(node, None)


def _backwards(nodes: dict[Apply, None]) -> dict[Apply, None]:
    return dict.fromkeys(reversed(nodes))

"""The nodes that are still to be looked at, by generation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from relgraph.graph.basic import Apply


class Worklist:
    """A queue of nodes in two parts: those of this generation, and those of the next.

    A node is in it at most once. `discard` takes one out at once (its place in the queue is
    skipped when its turn comes, unless it has come back by then), so that nobody is handed a node
    that has left the graph.

    >>> from relgraph.graph.basic import Apply
    >>> work = Worklist([])
    >>> work.pop() is None, work.turn()
    (True, False)
    """

    __slots__ = ("_later", "_now", "_pending", "discard")

    discard: Callable[[Apply], None]

    def __init__(self, nodes: Iterable[Apply]) -> None:
        self._now = deque(nodes)
        self._later: deque[Apply] = deque()
        self._pending = set(self._now)
        # without a call in between: it is asked to forget each node that leaves the graph
        self.discard = self._pending.discard

    def __len__(self) -> int:
        return len(self._pending)

    def __contains__(self, node: Apply) -> bool:
        return node in self._pending

    def pop(self) -> Apply | None:
        """Take out the next node of this generation; None when there is none left."""
        now, pending = self._now, self._pending
        while now:
            node = now.popleft()
            if node in pending:
                pending.remove(node)
                return node
        return None

    def generation(self) -> Iterator[Apply]:
        """Take out the nodes of this generation one by one, those that join it meanwhile too."""
        now, pending = self._now, self._pending
        while now:
            node = now.popleft()
            if node in pending:
                pending.remove(node)
                yield node

    def turn(self) -> bool:
        """Begin the next generation; False if there is nothing in it."""
        self._now, self._later = self._later, self._now
        return bool(self._pending)

    def put_later(self, nodes: Iterable[Apply]) -> None:
        """Have `nodes` looked at in the next generation, unless they are waiting already."""
        pending, later = self._pending, self._later
        for node in nodes:
            if node not in pending:
                pending.add(node)
                later.append(node)

    def put_next(self, nodes: Iterable[Apply]) -> None:
        """Have `nodes` looked at before anything else, in the order given."""
        fresh = [node for node in nodes if node not in self._pending]
        if fresh:
            self._pending.update(fresh)
            self._now.extendleft(reversed(fresh))

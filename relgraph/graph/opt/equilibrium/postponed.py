"""The nodes that wait until nothing else is left to do."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from relgraph.graph.basic import Apply
from relgraph.graph.opt.dispatch.plan import Plan

# A node that has been looked at so often waits until all else is at rest.
PATIENCE = 16


class Resting:
    """Nodes that wait until nothing else is left to do, with what is to be done on them then.

    They are taken in the order in which they came, what is read before its readers; but what a
    change has made is done with before the others, and what was taken before comes again at the
    end: a sum of many terms is looked at when all of them have come to rest, not after each.
    """

    __slots__ = ("_began", "_plans", "_queues", "_taken")

    def __init__(self) -> None:
        self._plans: dict[Apply, Plan] = {}
        self._queues: list[deque[Apply]] = [deque()]
        self._taken: set[Apply] = set()
        self._began = False  # whether one has been taken since the last was put

    def put(self, node: Apply, plan: Plan, anew: bool) -> None:
        """Have `plan` done on `node`; if it waits already it keeps its place, and its plan too
        unless it is to be looked at `anew`."""
        if node not in self._plans:
            if node in self._taken:
                self._queues[0].append(node)
            else:
                if self._began and self._queues[-1]:
                    self._queues.append(deque())
                self._began = False
                self._queues[-1].append(node)
            self._plans[node] = plan
        elif anew:
            self._plans[node] = plan

    def forget(self, node: Apply) -> None:
        """Leave `node` out."""
        self._plans.pop(node, None)

    def take(self) -> tuple[Apply, Plan] | None:
        """Take out the next one; None if there is none left."""
        queues = self._queues
        while True:
            queue = queues[-1]
            while queue:
                node = queue.popleft()
                plan = self._plans.pop(node, None)
                if plan is not None:
                    self._taken.add(node)
                    self._began = True
                    return node, plan
            if len(queues) == 1:
                return None
            queues.pop()


class Postponed:
    """What is to be done on nodes when all else is at rest, by kind.

    Attributes
    ----------
    inward
        What takes something inwards; the outermost nodes come last, and are taken first.
    resting
        Nests, and late rewriters.
    looks
        How often each node was looked at that was so again.
    """

    def __init__(self) -> None:
        self.inward: dict[Apply, Plan] = {}
        self.resting = Resting()
        self.looks: dict[Apply, int] = {}
        self._crowded = False  # whether some are looked at so often that they have to wait
        self._impatient: dict[Apply, None] = {}

    def put(self, node: Apply, plan: Plan, waits: bool, anew: bool, again: bool) -> None:
        """Note what is left to do on `node`, which has been looked at.

        Parameters
        ----------
        waits
            Whether some of the early rewriters wait, since it is a nest.
        anew
            False if only something further below has changed: what was noted before then stands.
        again
            Whether it may have been noted before.
        """
        if plan.inward and (anew or node not in self.inward):
            self.inward[node] = plan
        if waits or plan.late:
            self.resting.put(node, plan, anew)
        elif anew and again:
            self.resting.forget(node)

    def count_look(self, node: Apply) -> None:
        """Note that `node` is looked at again."""
        self.looks[node] = times = self.looks.get(node, 1) + 1
        if times > PATIENCE:
            self._crowded = True

    def soon(self, nodes: Iterable[Apply]) -> Iterable[Apply]:
        """Return those of some nodes that are to be looked at soon.

        The others, the readers perhaps of what is rewritten again and again, wait for its end.
        """
        if not self._crowded:
            return nodes
        found = []
        for node in nodes:
            if self.looks.get(node, 1) <= PATIENCE:
                found.append(node)
            else:
                self._impatient[node] = None
        return found

    def take_impatient(self) -> list[Apply]:
        """Take out the nodes that wait because they were looked at so often."""
        nodes, self._impatient = list(self._impatient), {}
        return nodes

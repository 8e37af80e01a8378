"""Postponed nodes: those to visit when the worklist is empty, and what to try on them then."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from relgraph.graph.basic import Apply
from relgraph.graph.opt.dispatch.visit_plan import VisitPlan

# After so many visits a node is visited again only when the worklist is empty.
MAX_EAGER_VISITS = 16


class PostponedQueue:
    """A queue of nodes with their plans, each node once.

    Nodes are taken in the order in which they were put. There are two exceptions, both for sums of
    many terms, which should be visited when all terms are done, and not after each one: nodes that
    are put after one was taken go before those that were there; and a node that was taken before
    goes to the end.
    """

    __slots__ = ("_plans", "_queues", "_taken", "_took")

    def __init__(self) -> None:
        self._plans: dict[Apply, VisitPlan] = {}
        self._queues: list[deque[Apply]] = [deque()]
        self._taken: set[Apply] = set()
        self._took = False  # whether a node has been taken since the last was put

    def put(self, node: Apply, plan: VisitPlan, overwrite: bool) -> None:
        """Put a node into the queue.

        A node that is there keeps its place, and its plan too unless `overwrite` is true.
        """
        if node not in self._plans:
            if node in self._taken:
                self._queues[0].append(node)
            else:
                if self._took and self._queues[-1]:
                    self._queues.append(deque())
                self._took = False
                self._queues[-1].append(node)
            self._plans[node] = plan
        elif overwrite:
            self._plans[node] = plan

    def forget(self, node: Apply) -> None:
        """Remove `node`."""
        self._plans.pop(node, None)

    def take(self) -> tuple[Apply, VisitPlan] | None:
        """Take out the next node with its plan; None if there is none left."""
        queues = self._queues
        while True:
            queue = queues[-1]
            while queue:
                node = queue.popleft()
                plan = self._plans.pop(node, None)
                if plan is not None:
                    self._taken.add(node)
                    self._took = True
                    return node, plan
            if len(queues) == 1:
                return None
            queues.pop()


class Postponed:
    """The nodes to visit when the worklist is empty.

    Attributes
    ----------
    inward
        Nodes on which to try inward rewriters, with their plans. The node that was put last is
        taken first: readers before what they read.
    queue
        Nodes on which to try late rewriters, or early ones that wait for nested sums.
    visits
        How often a node has been visited, for nodes with more than one visit.
    """

    def __init__(self) -> None:
        self.inward: dict[Apply, VisitPlan] = {}
        self.queue = PostponedQueue()
        self.visits: dict[Apply, int] = {}
        self._any_frequent = False  # whether a node has more than MAX_EAGER_VISITS visits
        self._frequent: dict[Apply, None] = {}

    def put(
        self, node: Apply, plan: VisitPlan, waits: bool, overwrite: bool, revisiting: bool
    ) -> None:
        """Note what is left to try on `node` after a visit.

        Parameters
        ----------
        waits
            Whether early rewriters wait for the nested sums of `node`.
        overwrite
            Whether `plan` takes the place of an earlier one. It does not if it holds fewer
            rewriters, since the visit was due to a change further below.
        revisiting
            Whether `node` may have been put before.
        """
        if plan.inward and (overwrite or node not in self.inward):
            self.inward[node] = plan
        if waits or plan.late:
            self.queue.put(node, plan, overwrite)
        elif overwrite and revisiting:
            self.queue.forget(node)

    def count_visit(self, node: Apply) -> None:
        """Count a visit of `node` that is not the first."""
        self.visits[node] = times = self.visits.get(node, 1) + 1
        if times > MAX_EAGER_VISITS:
            self._any_frequent = True

    def hold_back_frequent(self, nodes: Iterable[Apply]) -> Iterable[Apply]:
        """Postpone those of some nodes that are visited too often, and return the others.

        What they read may be rewritten again and again, and they wait until that ends.
        """
        if not self._any_frequent:
            return nodes
        found = []
        for node in nodes:
            if self.visits.get(node, 1) <= MAX_EAGER_VISITS:
                found.append(node)
            else:
                self._frequent[node] = None
        return found

    def take_frequent(self) -> list[Apply]:
        """Take out the nodes that were held back."""
        nodes, self._frequent = list(self._frequent), {}
        return nodes

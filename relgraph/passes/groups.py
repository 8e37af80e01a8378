"""Groups of nodes that can run as one: convex, and without a cycle between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph

# A group of more nodes would become one function of as many lines, which Python compiles slowly.
MAX_NODES = 256

_NEVER = 1 << 60


class Groups:
    """A partition of the nodes of a graph into groups.

    Each node has a *stage*. It is not below that of a node that it reads, and above it where the
    two can't be in one group, or are not. So a way out of a group never leads back into it, nor do
    ways between groups make a cycle. Nodes of one stage that can be joined are one group.

    Parameters
    ----------
    nodes
        All nodes of a graph in an order of evaluation.
    joins
        Whether a node, the second, may be in a group with one that it reads.
    before
        For some nodes, those that must run before them though they do not read them.

    Attributes
    ----------
    visits
        How many times the partition looked from a node to another, for tests of the cost.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        nodes: Sequence[Apply],
        joins: Callable[[Apply, Apply], bool],
        before: Mapping[Apply, Sequence[Apply]],
    ) -> None:
        self.visits = 0
        self._fgraph = fgraph
        self._nodes = nodes
        self._joins = joins
        self._before = before
        self._stage: dict[Apply, int] = {}
        self._members: dict[Apply, list[Apply]] = {}
        for node in nodes:
            self._join_inputs(node)
        self._join_readers()

    def all(self) -> list[list[Apply]]:
        """Return the groups, each in an order of evaluation."""
        position = {node: i for i, node in enumerate(self._nodes)}
        found = {id(members): members for members in self._members.values()}
        return [sorted(members, key=position.__getitem__) for members in found.values()]

    def _join_inputs(self, node: Apply) -> None:
        """Give a node the least stage that it can have, and join it with what it reads there."""
        stage = 0
        joined: list[Apply] = []
        for v in node.inputs:
            before = v.owner
            if before is None or before not in self._stage:
                continue
            self.visits += 1
            least = self._stage[before]
            if self._joins(before, node):
                joined.append(before)
            else:
                least += 1
            stage = max(stage, least)
        for before in self._before.get(node, ()):
            self.visits += 1
            stage = max(stage, self._stage[before] + 1)
        groups = self._groups_at(stage, joined)
        if sum(map(len, groups)) >= MAX_NODES:
            stage, groups = stage + 1, []
        self._stage[node] = stage
        self._join([*groups, [node]])

    def _groups_at(self, stage: int, nodes: Sequence[Apply]) -> list[list[Apply]]:
        """Return the groups of those of some nodes that have this stage."""
        groups = [self._members[n] for n in nodes if self._stage[n] == stage]
        return list({id(group): group for group in groups}.values())

    def _join(self, groups: Sequence[list[Apply]]) -> None:
        largest = max(groups, key=len)
        for group in groups:
            if group is not largest:
                largest += group
        for group in groups:
            if group is not largest:
                for node in group:
                    self._members[node] = largest
        if len(largest) == 1:
            self._members[largest[0]] = largest

    def _join_readers(self) -> None:
        """Move groups to the stage of what reads them, where all their readers allow it."""
        after: dict[Apply, list[Apply]] = {}
        for node, earlier in self._before.items():
            for other in earlier:
                after.setdefault(other, []).append(node)
        groups = list({id(group): group for group in self._members.values()}.values())
        for group in sorted(groups, key=lambda group: -self._stage[group[0]]):
            self._move(group, after)

    def _move(self, group: list[Apply], after: Mapping[Apply, Sequence[Apply]]) -> None:
        stage = self._stage[group[0]]
        latest = _NEVER
        joined: list[Apply] = []
        for node in group:
            for later in after.get(node, ()):
                self.visits += 1
                latest = min(latest, self._stage[later] - 1)
            for out in node.outputs:
                for reader, _ in self._fgraph.clients[out]:
                    if reader == "output" or self._members[reader] is group:
                        continue
                    self.visits += 1
                    if self._joins(node, reader):
                        joined.append(reader)
                        latest = min(latest, self._stage[reader])
                    else:
                        latest = min(latest, self._stage[reader] - 1)
        if not joined or latest <= stage:
            return
        others = self._groups_at(latest, joined)
        if others and sum(map(len, others)) + len(group) <= MAX_NODES:
            for node in group:
                self._stage[node] = latest
            self._join([*others, group])

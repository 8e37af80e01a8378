"""Which nodes an equilibrium visits next: the worklist, postponed nodes, and those that a change
affects.

A nested sum is a node of an associative and commutative op that one node of that op reads.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg.listeners import ReplacementListener
from relgraph.graph.kanren.rules import is_ac
from relgraph.graph.op import Op
from relgraph.graph.opt.dispatch import RewriterTables, VisitPlan

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.structure import Replacement


def has_nested_sum(node: Apply) -> bool:
    """Whether an input of `node` is computed by the same op."""
    return node.op in [v.head for v in node.inputs]


def is_nested_sum(fgraph: FunctionGraph, node: Apply) -> bool:
    """Whether the only reader of `node` is one of the same op, which flattens it as it matches."""
    var = node.outputs[0]
    readers = fgraph.clients[var]
    if len(readers) != 1:
        return False
    reader = readers[0][0]
    if isinstance(reader, str) or reader.op is not node.op or len(node.outputs) != 1:
        return False
    kind = reader.outputs[0].type
    return var.type is kind or bool(var.type.in_same_class(kind))


class Worklist:
    """A queue of nodes in two parts: this generation and the next one.

    A node is in it at most once. A node that leaves the graph is discarded at once, and so is
    never visited.
    """

    __slots__ = ("_later", "_now")

    def __init__(self, nodes: Sequence[Apply]) -> None:
        # in reverse: `dict.popitem` takes the last
        self._now = dict.fromkeys(reversed(nodes))
        # in order
        self._later: dict[Apply, None] = {}

    def __len__(self) -> int:
        return len(self._now) + len(self._later)

    def generation(self) -> Iterator[Apply]:
        """Take out the nodes of this generation one by one, with those that join it meanwhile."""
        now = self._now
        while now:
            yield now.popitem()[0]

    def next_generation(self) -> None:
        """Begin the next generation."""
        self._now, self._later = _in_reverse(self._later), _in_reverse(self._now)

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


# After so many visits a node is visited again only when the worklist is empty.
MAX_EAGER_VISITS = 16


class Postponed:
    """The nodes to visit when the worklist is empty.

    Attributes
    ----------
    inward
        Nodes on which to try inward rewriters, with their plans. The node that was put last is
        taken first: readers before what they read.
    late
        Nodes on which to try late rewriters, or early ones that wait for nested sums. The node that
        was put first is taken first.
    visits
        How often a node has been visited, for nodes with more than one visit.
    """

    def __init__(self) -> None:
        self.inward: dict[Apply, VisitPlan] = {}
        self.late: OrderedDict[Apply, VisitPlan] = OrderedDict()
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
            if overwrite or node not in self.late:
                self.late[node] = plan
        elif overwrite and revisiting:
            self.late.pop(node, None)

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


# a distance beyond that of any change; that of a node that is not visited for one
FAR = 1_000_000


class ChangeTracker(ReplacementListener):
    """Collects the changes of a graph, and finds the nodes on which they may make a difference.

    The distance of a change from a node is how many levels of nodes it is below: 0 for a new node,
    and for one whose own inputs have changed.

    Attributes
    ----------
    version
        The number of changes so far.
    imported
        The number of nodes imported so far.
    replaced
        How often the place of a node has been rewritten.
    distances
        The distance of the nearest change from each node that is to be visited because of one.
    reached
        The distance of the nearest change that was propagated to a node in this generation, until
        the node is visited. A change is propagated to a node again only if it is nearer than that,
        so that it does not matter how many paths lead there.
    left_to_outer
        Nested sums that are not visited, since the outer sum is visited for them.
    """

    def __init__(self, work: Worklist, tables: RewriterTables, nodes: Iterable[Apply]) -> None:
        self.version = 0
        self.imported = 0
        self.replaced: dict[Apply, int] = {}
        self.left_to_outer: dict[Apply, None] = {}
        self._has_nested_sum: dict[Apply, bool] = {}
        self._outermost_of: dict[Apply, Apply] = {}
        self.distances: dict[Apply, int] = {}
        self.reached: dict[Apply, int] = {}
        self._discard = work.discard
        self._depths = tables.depths
        # how far rewriters look on the nodes that there are: those that look deepest are of few ops
        self._deepest = max([self._depths[op] for op in {node.op for node in nodes}], default=1)
        self._new: dict[Apply, None] = {}
        self._touched: dict[Apply, None] = {}
        self._dropped: dict[Variable, None] = {}

    def on_replace(self, fgraph: FunctionGraph, replacement: Replacement) -> None:
        imported, pruned = replacement.imported, replacement.pruned
        self.version += 1
        self.imported += len(imported)
        new, touched = self._new, self._touched
        new.update(dict.fromkeys(imported))
        has_nested = self._has_nested_sum
        for user, _ in replacement.users:
            if not isinstance(user, str):
                touched[user] = None
                has_nested.pop(user, None)
        self._discard(pruned)
        if has_nested:
            for node in pruned:
                has_nested.pop(node, None)
        if replacement.single_use:
            self._dropped.update(dict.fromkeys(replacement.single_use))

    def take_freed(self, fgraph: FunctionGraph) -> list[Apply]:
        """Take out those of `left_to_outer` that are nested no more; their distances are noted."""
        here = fgraph.apply_nodes
        there = [node for node in self.left_to_outer if node in here]
        freed = [node for node in there if not is_nested_sum(fgraph, node)]
        self.left_to_outer = dict.fromkeys(there)
        for node in freed:
            del self.left_to_outer[node]
            self.distances[node] = 0
        return freed

    def discard_touched(self) -> None:
        """Forget which inputs have changed since the last call of `take`."""
        self._touched.clear()
        self._dropped.clear()

    def take(self, fgraph: FunctionGraph) -> tuple[Iterable[Apply], Iterable[Apply]]:
        """The nodes to visit because of the changes since the last call; their distances are noted.

        Returns
        -------
        new, touched
            The new nodes, each after those that it reads; and the other nodes on which rewriters
            may see a change, the nearest ones first.
        """
        new, touched, distances = self._new, self._touched, self.distances
        here = fgraph.apply_nodes
        if new:
            self._new = {}
            if not here.issuperset(new):
                new = {node: None for node in new if node in here}
            for node in new:
                distances[node] = 0
                depth = self._depths[node.op]
                if depth > self._deepest:
                    self._deepest = depth
        if not touched and not self._dropped:
            return new, touched
        if not here.issuperset(touched):
            touched = self._touched = {node: None for node in touched if node in here}
        sole = self._sole_readers(fgraph) if self._dropped else {}
        self._touched = {}
        self._propagate(fgraph, touched, sole)
        return new, [node for node in touched if node not in new] if new else touched

    def _propagate(
        self, fgraph: FunctionGraph, touched: dict[Apply, None], sole: Iterable[Apply]
    ) -> None:
        """Add to `touched` the nodes on which a rewriter looks as deep as one of these.

        The nodes `sole` are not touched themselves: what changed is one level below them.
        """
        distances, reached, clients = self.distances, self.reached, fgraph.clients
        level = [n for n in touched if reached.get(n, FAR)] if reached else list(touched)
        for node in level:
            distances[node] = 0
        above = [node for node in sole if reached.get(node, FAR) > 1]
        for node in level:
            reached[node] = 0
        for node in above:
            reached[node] = 1
        depths = self._depths
        for distance in range(1, self._deepest):
            for node in level:
                op = node.op
                # an op that only repeats elements is no level, nor is a nested sum
                below = distance if op.repeats is None else distance - 1
                for out in node.outputs:
                    for reader, _ in clients[out]:
                        if isinstance(reader, str):
                            continue
                        if reader.op is op and is_ac(op):
                            outer = self._outermost(fgraph, node)
                            if outer is not None and reached.get(outer, FAR) >= distance:
                                reached[outer] = distance - 1
                                level.append(outer)
                                self._touch(touched, outer, distance - 1)
                        if reached.get(reader, FAR) <= below:
                            continue
                        reached[reader] = below
                        if below == distance:
                            above.append(reader)
                        else:
                            level.append(reader)
                            self._touch(touched, reader, below)
            for node in above:
                if depths[node.op] > distance:
                    touched[node] = None
                    if distances.get(node, FAR) > distance:
                        distances[node] = distance
            level, above = above, []

    def _touch(self, touched: dict[Apply, None], node: Apply, distance: int) -> None:
        touched[node] = None
        if self.distances.get(node, FAR) > distance:
            self.distances[node] = distance

    def _outermost(self, fgraph: FunctionGraph, node: Apply) -> Apply | None:
        """The outermost sum that `node` is nested in; None if it is nested in none.

        None too if a change has been propagated from one of the nested sums to the outermost one.
        """
        nested: list[Apply] = []
        while is_nested_sum(fgraph, node):
            known = self._outermost_of.get(node)
            if known is not None and known in self.reached:
                return None
            nested.append(node)
            reader = fgraph.clients[node.outputs[0]][0][0]
            assert isinstance(reader, Apply)
            node = reader
        self._outermost_of.update(dict.fromkeys(nested, node))
        return node if nested else None

    def begin_generation(self) -> None:
        """Begin another generation: forget which changes were propagated in the last one."""
        self._outermost_of.clear()
        self.reached.clear()

    def reads_nested_sum(self, node: Apply, sums: frozenset[Op]) -> bool:
        """Whether an input of `node` computed by one of the ops `sums` has nested sums."""
        if not sums:
            return False
        known = self._has_nested_sum
        for var in node.inputs:
            inner = var.owner
            if inner is not None and inner.op in sums:
                found = known.get(inner)
                if found is None:
                    found = known[inner] = has_nested_sum(inner)
                if found:
                    return True
        return False

    def is_new(self, node: Apply) -> bool:
        """Whether `node` has been imported since the last call of `take`."""
        return node in self._new

    def _sole_readers(self, fgraph: FunctionGraph) -> dict[Apply, None]:
        """The nodes that have become the only readers of a variable, which a rewriter may ask."""
        sole: dict[Apply, None] = {}
        for var in self._dropped:
            readers = fgraph.clients.get(var)
            if readers is not None and len(readers) == 1:
                reader = readers[0][0]
                if isinstance(reader, Apply):
                    sole[reader] = None
                    if reader.op is var.head and is_ac(reader.op):
                        # from now on the variable is a nested sum, and part of its reader
                        self._touched[reader] = None
        self._dropped = {}
        return sole

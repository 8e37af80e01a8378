"""Change tracking: what rewriting has changed in a graph, and which nodes a change affects."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.features.feature import Feature, takes_notes
from relgraph.graph.op import Op
from relgraph.graph.opt.dispatch.by_op import is_ac
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.opt.equilibrium.nested_sums import has_nested_sum, is_nested_sum
from relgraph.graph.opt.equilibrium.worklist import Worklist

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.replacement import Replacement


# a distance beyond that of any change
_FAR = 1_000_000


class ChangeTracker(Feature):
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
        How often what stands in the place of a node has been replaced.
    distances
        The distance of the nearest change from each node that is to be visited because of one.
    reached, reached_opaque
        The distance of the nearest change that was propagated to a node in this generation, until
        the node is visited. The second is for changes that only opaque rewriters see (see
        `RewriterTables`). A change is propagated to a node again only if it is nearer than that,
        so that it does not matter how many paths lead there.
    first_pass
        Whether all nodes are visited for the first time, each after those that it reads.
    left_to_outer
        Nested sums that are not visited, since the outer sum is visited for them.
    reactivated
        Those of them that are to be visited after all, since they may not be nested any more.
    """

    def __init__(self, work: Worklist, tables: RewriterTables, frugal: bool = False) -> None:
        self.version = 0
        self.imported = 0
        self.replaced: dict[Apply, int] = {}
        self.left_to_outer: dict[Apply, None] = {}
        self._has_nested_sum: dict[Apply, bool] = {}
        self._outermost_of: dict[Apply, Apply] = {}
        self.reactivated: dict[Apply, None] = {}
        self.distances: dict[Apply, int] = {}
        self.reached: dict[Apply, int] = {}
        self.reached_opaque: dict[Apply, int] = {}
        self.first_pass = False
        self._pending = work.__contains__
        self._discard = work.discard
        self._tables = tables
        # whether any rewriter may do more where a variable has lost its other readers
        self._frugal = frugal
        # the ops that have been in the graph, and how deep rewriters look if there are no others
        self._ops: set[Op] = set()
        self._depths = tables.depths
        self._new: dict[Apply, None] = {}
        self._touched: dict[Apply, None] = {}
        self._dropped: dict[Variable, None] = {}

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._ops = {node.op for node in fgraph.apply_nodes}
        self._depths = self._tables.depths_among(frozenset(self._ops))

    def _add_op(self, op: Op) -> None:
        """Note that an op has come into the graph for the first time."""
        self._ops.add(op)
        self.begin_generation()  # rewriters that require it see changes that were not propagated
        self._depths = self._tables.depths_among(frozenset(self._ops))

    @takes_notes
    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        if node.op not in self._ops:
            self._add_op(node.op)
        self.imported += 1
        self._new[node] = None
        if self.left_to_outer:
            for var in node.inputs:
                self._reactivate(var)

    @takes_notes
    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Any,
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        self.version += 1
        if isinstance(node, Apply):
            self._touched[node] = None
            self._has_nested_sum.pop(node, None)
        if var.owner is not None:
            self._dropped[var] = None
        if self.left_to_outer:
            self._reactivate(var)
            self._reactivate(new_var)

    @takes_notes
    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        self._discard((node,))
        self._has_nested_sum.pop(node, None)
        if self.left_to_outer or self.reactivated:
            self.left_to_outer.pop(node, None)
            self.reactivated.pop(node, None)
            for var in node.inputs:
                self._reactivate(var)
        for var in node.inputs:
            if var.owner is not None:
                self._dropped[var] = None

    def on_replace(self, fgraph: FunctionGraph, replacement: Replacement) -> None:
        imported, pruned = replacement.imported, replacement.pruned
        self.version += 1
        self.imported += len(imported)
        new, touched = self._new, self._touched
        for node in imported:
            new[node] = None
            if node.op not in self._ops:
                self._add_op(node.op)
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
        if self.left_to_outer or self.reactivated:
            self._reactivate_around(replacement)

    def _reactivate_around(self, replacement: Replacement) -> None:
        """Reactivate sums whose readers may have changed, and forget those that were pruned."""
        pruned = replacement.pruned
        for sums in (self.left_to_outer, self.reactivated):
            if sums and not sums.keys().isdisjoint(pruned):
                for node in pruned:
                    sums.pop(node, None)
        for var in (replacement.var, replacement.new_var, *replacement.single_use):
            self._reactivate(var)
        for node in replacement.imported:
            for read in node.inputs:
                self._reactivate(read)

    def _reactivate(self, var: Variable) -> None:
        node = var.owner
        if node is not None and node in self.left_to_outer:
            del self.left_to_outer[node]
            self.reactivated[node] = None

    def take_reactivated(self) -> Iterable[Apply]:
        """Take out `reactivated`; their distances are noted."""
        reactivated, self.reactivated = self.reactivated, {}
        self.distances.update(dict.fromkeys(reactivated, 0))
        return reactivated

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
        if not touched and not self._dropped:
            return new, touched
        if not here.issuperset(touched):
            touched = self._touched = {node: None for node in touched if node in here}
        sole = self._sole_readers(fgraph) if self._dropped else {}
        self._touched = {}
        if self.first_pass and all(map(self._pending, chain(touched, sole))):
            # they are still to be visited, and so are their readers
            distances.update(dict.fromkeys(touched, 0))
        else:
            self._propagate(fgraph, touched, sole)
        return new, [node for node in touched if node not in new] if new else touched

    def _propagate(
        self, fgraph: FunctionGraph, touched: dict[Apply, None], sole: Iterable[Apply]
    ) -> None:
        """Add to `touched` the nodes on which a rewriter looks as deep as one of these.

        The nodes `sole` are not touched themselves: what changed is one level below them.
        """
        distances, reached, clients = self.distances, self.reached, fgraph.clients
        level = [n for n in touched if reached.get(n, _FAR)] if reached else list(touched)
        for node in level:
            distances[node] = 0
        if self._tables.opaque_depth < self._tables.depths.max_depth:
            self._propagate_by_pairs(fgraph, touched, level, sole)
            return
        above = [node for node in sole if reached.get(node, _FAR) > 1]
        for node in level:
            reached[node] = 0
        for node in above:
            reached[node] = 1
        depths = self._depths
        for distance in range(1, depths.max_depth):
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
                            if outer is not None and reached.get(outer, _FAR) >= distance:
                                reached[outer] = distance - 1
                                level.append(outer)
                                self._touch(touched, outer, distance - 1)
                        if reached.get(reader, _FAR) <= below:
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
                    if distances.get(node, _FAR) > distance:
                        distances[node] = distance
            level, above = above, []

    def _touch(self, touched: dict[Apply, None], node: Apply, distance: int) -> None:
        touched[node] = None
        if self.distances.get(node, _FAR) > distance:
            self.distances[node] = distance

    def _propagate_by_pairs(
        self,
        fgraph: FunctionGraph,
        touched: dict[Apply, None],
        changed: Iterable[Apply],
        sole: Iterable[Apply],
    ) -> None:
        """The same where the opaque rewriters look less deep than the others.

        With each node goes whether the others see the change from there, by the pairs of ops that
        they inspect. Opaque rewriters may see any change within their depth.
        """
        tables = self._tables
        level = {node: True for node in changed if self._is_nearer(node, 0, True)}
        above = {node: self._frugal for node in sole if self._is_nearer(node, 1, self._frugal)}
        for distance in range(1, tables.depths.max_depth):
            for node in self._climb(fgraph, level, above, distance):
                self._touch(touched, node, distance - 1)
            for node, seen in above.items():
                if (tables.depths if seen else tables.opaque_depths)[node.op] > distance:
                    self._touch(touched, node, distance)
            level, above = above, {}

    def _climb(
        self,
        fgraph: FunctionGraph,
        level: dict[Apply, bool],
        above: dict[Apply, bool],
        distance: int,
    ) -> list[Apply]:
        """Add to `above` the readers of the nodes of `level`.

        Returns
        -------
        same
            Readers at the distance of `level`: nodes between are no levels (see `_propagate`).
        """
        clients, inspects = fgraph.clients, self._tables.inspects
        opaque_depth = self._tables.opaque_depth
        nodes, same = list(level.items()), []
        for node, seen in nodes:
            op = node.op
            repeats = op.repeats is not None
            outer = self._outermost(fgraph, node) if is_ac(op) else None
            if outer is not None and self._is_nearer(outer, distance - 1, seen):
                nodes.append((outer, seen))
                same.append(outer)
            for out in node.outputs:
                for reader, _ in clients[out]:
                    if isinstance(reader, str):
                        continue
                    seen_there = seen and (repeats or inspects(reader.op, op))
                    if not repeats and not seen_there and distance >= opaque_depth:
                        continue
                    if not self._is_nearer(reader, distance - repeats, seen_there):
                        continue
                    if repeats:
                        nodes.append((reader, seen_there))
                        same.append(reader)
                    else:
                        above[reader] = seen_there
        return same

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

    def _is_nearer(self, node: Apply, distance: int, seen: bool) -> bool:
        """Whether no change as near as this has been propagated to `node`; note that one has."""
        if self.reached.get(node, _FAR) <= distance:
            return False
        if seen:
            self.reached[node] = distance
        elif self.reached_opaque.get(node, _FAR) <= distance:
            return False
        else:
            self.reached_opaque[node] = distance
        return True

    def begin_generation(self) -> None:
        """Begin another generation: forget which changes were propagated in the last one."""
        self._outermost_of.clear()
        self.reached.clear()
        self.reached_opaque.clear()

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

"""What a rewrite has changed, as the graph tells it, and which nodes that concerns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.features.feature import Feature, takes_notes
from relgraph.graph.op import Op
from relgraph.graph.opt.dispatch.by_op import is_bag
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.opt.equilibrium.nested_sums import has_nest, is_nested
from relgraph.graph.opt.equilibrium.worklist import Worklist

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.replacement import Replacement


# further than any change
_FAR = 1_000_000


class Changes(Feature):
    """Collects the events of a graph between two looks, and forgets what they make obsolete.

    Attributes
    ----------
    version
        Grows with every change of the graph.
    imported
        The number of nodes that came in so far.
    replaced
        How often what stands in the place of a node has been replaced, where it has.
    near
        For the nodes that are to be looked at because of a change, how many levels it is below
        them: 0 for new nodes, and for those whose own inputs have changed.
    reached, reached_unseen
        For the nodes that a change has been followed to in this generation, and that have not been
        looked at since, how many levels it was below them; apart, where only those see it that
        don't tell what they look into. A later change is not followed on from there unless it is
        nearer: however many ways lead up to a node, it is come to a few times.
    in_order
        Whether nodes are looked at for the first time, each after what it reads, by all the
        rewriters there are.
    nested
        Sums left to the one sum that reads them. They are looked at again when something else
        begins to read them, or that sum no longer does.
    woken
        Those to be looked at again because of that.
    """

    def __init__(self, work: Worklist, tables: RewriterTables) -> None:
        self.version = 0
        self.imported = 0
        self.replaced: dict[Apply, int] = {}
        self.nested: dict[Apply, None] = {}
        self._has_nest: dict[Apply, bool] = {}
        self._outermost_of: dict[Apply, Apply] = {}
        self.woken: dict[Apply, None] = {}
        self.near: dict[Apply, int] = {}
        self.reached: dict[Apply, int] = {}
        self.reached_unseen: dict[Apply, int] = {}
        self.in_order = False
        self._pending = work.__contains__
        self._discard = work.discard
        self._tables = tables
        # the ops that the graph has had, and how far rewriters see where there are no others
        self._ops: set[Op] = set()
        self._reaches = tables.reaches
        self._new: dict[Apply, None] = {}
        self._touched: dict[Apply, None] = {}
        self._dropped: dict[Variable, None] = {}

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._ops = {node.op for node in fgraph.apply_nodes}
        self._reaches = self._tables.reaches_among(frozenset(self._ops))

    def _meet(self, op: Op) -> None:
        """Take an op into account that the graph has not had before."""
        self._ops.add(op)
        self.turn()  # some may see further from now on
        self._reaches = self._tables.reaches_among(frozenset(self._ops))

    @takes_notes
    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        if node.op not in self._ops:
            self._meet(node.op)
        self.imported += 1
        self._new[node] = None
        if self.nested:
            for var in node.inputs:
                self._wake(var)

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
            self._has_nest.pop(node, None)
        if var.owner is not None:
            self._dropped[var] = None
        if self.nested:
            self._wake(var)
            self._wake(new_var)

    @takes_notes
    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        self._discard((node,))
        self._has_nest.pop(node, None)
        if self.nested or self.woken:
            self.nested.pop(node, None)
            self.woken.pop(node, None)
            for var in node.inputs:
                self._wake(var)
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
                self._meet(node.op)
        nests = self._has_nest
        for user, _ in replacement.users:
            if not isinstance(user, str):
                touched[user] = None
                nests.pop(user, None)
        self._discard(pruned)
        if nests:
            for node in pruned:
                nests.pop(node, None)
        if replacement.single_use:
            self._dropped.update(dict.fromkeys(replacement.single_use))
        if self.nested or self.woken:
            self._wake_around(replacement)

    def _wake_around(self, replacement: Replacement) -> None:
        """Wake nested sums that something else may read now."""
        for waiting in (self.nested, self.woken):
            if waiting and not waiting.keys().isdisjoint(replacement.pruned):
                for node in replacement.pruned:
                    waiting.pop(node, None)
        for var in (replacement.var, replacement.new_var, *replacement.single_use):
            self._wake(var)
        for node in replacement.imported:
            for read in node.inputs:
                self._wake(read)

    def _wake(self, var: Variable) -> None:
        node = var.owner
        if node is not None and node in self.nested:
            del self.nested[node]
            self.woken[node] = None

    def take_woken(self) -> Iterable[Apply]:
        """The nodes that were nested and may not be any more, since the last call; what is `near`
        is noted."""
        woken, self.woken = self.woken, {}
        self.near.update(dict.fromkeys(woken, 0))
        return woken

    def same_again(self) -> None:
        """Forget what changed since the last call of `take`: it makes no difference to anybody."""
        self._touched.clear()
        self._dropped.clear()

    def take(self, fgraph: FunctionGraph) -> tuple[Iterable[Apply], Iterable[Apply]]:
        """What is to be looked at because of the changes since the last call.

        Returns
        -------
        new, touched
            The new nodes, what they read before them; and the nodes whose inputs have changed, or
            that see something else than before within the reach of the rewriters: the nearest
            first. What is `near` is noted.
        """
        new, touched, near = self._new, self._touched, self.near
        here = fgraph.apply_nodes
        if new:
            self._new = {}
            if not here.issuperset(new):
                new = {node: None for node in new if node in here}
            for node in new:
                near[node] = 0
        if not touched and not self._dropped:
            return new, touched
        if not here.issuperset(touched):
            touched = self._touched = {node: None for node in touched if node in here}
        alone = self._alone(fgraph) if self._dropped else {}
        self._touched = {}
        if self.in_order and all(map(self._pending, chain(touched, alone))):
            # so is all that reads them, which has not been looked at either
            near.update(dict.fromkeys(touched, 0))
        else:
            self._climb(fgraph, touched, alone)
        return new, [node for node in touched if node not in new] if new else touched

    def _climb(
        self, fgraph: FunctionGraph, touched: dict[Apply, None], alone: Iterable[Apply]
    ) -> None:
        """Add to `touched` the nodes that see one of them within the reach of the rewriters; those
        `alone` are one nearer."""
        near, reached, clients = self.near, self.reached, fgraph.clients
        level = [n for n in touched if reached.get(n, _FAR)] if reached else list(touched)
        for node in level:
            near[node] = 0
        if self._tables.blind < self._tables.reaches.deepest:
            self._climb_as_told(fgraph, touched, level, alone)
            return
        above = [node for node in alone if reached.get(node, _FAR) > 1]
        for node in level:
            reached[node] = 0
        for node in above:
            reached[node] = 1
        reaches = self._reaches
        for distance in range(1, reaches.deepest):
            for node in level:
                op = node.op
                # what only repeats elements is seen through, and a sum is one with those in it
                below = distance if op.repeats is None else distance - 1
                for out in node.outputs:
                    for reader, _ in clients[out]:
                        if isinstance(reader, str):
                            continue
                        if reader.op is op and is_bag(op):
                            whole = self._outermost(fgraph, node)
                            if whole is not None and reached.get(whole, _FAR) >= distance:
                                reached[whole] = distance - 1
                                level.append(whole)
                                self._touch(touched, whole, distance - 1)
                        if reached.get(reader, _FAR) <= below:
                            continue
                        reached[reader] = below
                        if below == distance:
                            above.append(reader)
                        else:
                            level.append(reader)
                            self._touch(touched, reader, below)
            for node in above:
                if reaches[node.op] > distance:
                    touched[node] = None
                    if near.get(node, _FAR) > distance:
                        near[node] = distance
            level, above = above, []

    def _touch(self, touched: dict[Apply, None], node: Apply, distance: int) -> None:
        touched[node] = None
        if self.near.get(node, _FAR) > distance:
            self.near[node] = distance

    def _climb_as_told(
        self,
        fgraph: FunctionGraph,
        touched: dict[Apply, None],
        changed: Iterable[Apply],
        alone: Iterable[Apply],
    ) -> None:
        """Do the same for rewriters some of which tell what they look into.

        With each node goes whether those may see the change from there; those that don't tell may
        see anything within their depth, which is less.
        """
        tables = self._tables
        level = {node: True for node in changed if self._is_nearer(node, 0, True)}
        above = {node: False for node in alone if self._is_nearer(node, 1, False)}
        for distance in range(1, tables.reaches.deepest):
            for node in self._follow(fgraph, level, above, distance):
                self._touch(touched, node, distance - 1)
            for node, seen in above.items():
                if (tables.reaches if seen else tables.blind_reaches)[node.op] > distance:
                    self._touch(touched, node, distance)
            level, above = above, {}

    def _follow(
        self,
        fgraph: FunctionGraph,
        level: dict[Apply, bool],
        above: dict[Apply, bool],
        distance: int,
    ) -> list[Apply]:
        """Add to `above` what reads those of `level`, and return what is on that level, too."""
        clients, see_into, blind = fgraph.clients, self._tables.see_into, self._tables.blind
        nodes, alike = list(level.items()), []
        for node, told in nodes:
            op = node.op
            through = op.repeats is not None
            whole = self._outermost(fgraph, node) if is_bag(op) else None
            if whole is not None and self._is_nearer(whole, distance - 1, told):
                nodes.append((whole, told))
                alike.append(whole)
            for out in node.outputs:
                for reader, _ in clients[out]:
                    if isinstance(reader, str):
                        continue
                    seen = told and (through or see_into(reader.op, op))
                    if not through and not seen and distance >= blind:
                        continue
                    if not self._is_nearer(reader, distance - through, seen):
                        continue
                    if through:
                        nodes.append((reader, seen))
                        alike.append(reader)
                    else:
                        above[reader] = seen
        return alike

    def _outermost(self, fgraph: FunctionGraph, node: Apply) -> Apply | None:
        """The sum that `node` is nested in, at any depth; None if it is in none, or if it waits
        already because of something that is as far inside."""
        way: list[Apply] = []
        while is_nested(fgraph, node):
            known = self._outermost_of.get(node)
            if known is not None and known in self.reached:
                return None
            way.append(node)
            reader = fgraph.clients[node.outputs[0]][0][0]
            assert isinstance(reader, Apply)
            node = reader
        self._outermost_of.update(dict.fromkeys(way, node))
        return node if way else None

    def _is_nearer(self, node: Apply, distance: int, seen: bool) -> bool:
        """Whether no change as near as this has been followed to `node` in this generation; from
        now on one has."""
        if self.reached.get(node, _FAR) <= distance:
            return False
        if seen:
            self.reached[node] = distance
        elif self.reached_unseen.get(node, _FAR) <= distance:
            return False
        else:
            self.reached_unseen[node] = distance
        return True

    def turn(self) -> None:
        """Begin another generation."""
        self._outermost_of.clear()
        self.reached.clear()
        self.reached_unseen.clear()

    def reads_nest(self, node: Apply, sums: frozenset[Op]) -> bool:
        """Whether an input of `node` that one of the ops `sums` computes has a nest."""
        if not sums:
            return False
        known = self._has_nest
        for var in node.inputs:
            inner = var.owner
            if inner is not None and inner.op in sums:
                found = known.get(inner)
                if found is None:
                    found = known[inner] = has_nest(inner)
                if found:
                    return True
        return False

    def is_new(self, node: Apply) -> bool:
        """Whether `node` has come in since the last call of `take`."""
        return node in self._new

    def _alone(self, fgraph: FunctionGraph) -> dict[Apply, None]:
        """The nodes that now are the only readers of something, and so are free to be rewritten
        together with it, where a rewriter may ask for that."""
        alone: dict[Apply, None] = {}
        for var in self._dropped:
            readers = fgraph.clients.get(var)
            if readers is not None and len(readers) == 1:
                reader = readers[0][0]
                if isinstance(reader, Apply):
                    alone[reader] = None
                    if reader.op is var.head and is_bag(reader.op):
                        # a sum that is nested from now on is a part of the one that reads it
                        self._touched[reader] = None
        self._dropped = {}
        return alone

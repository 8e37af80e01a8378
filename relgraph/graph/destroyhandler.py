"""The destroy handler: a feature for graphs whose nodes overwrite or view each other's storage.

An `Op` says by `destroy_map` which inputs it overwrites, and by `view_map` whose storage an output
may share: that of any number of inputs, so that a choice between two branches is a view of both.
Nodes that read a value, or a view of it, have to run before the node that overwrites it. The order
of evaluation follows the changes of a graph, and finds cycles by that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Literal

from relgraph.graph.basic import Apply, Constant, Variable, view_roots, walk
from relgraph.graph.features import Bookkeeper, Feature, takes_notes
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


def destroyed_indices(node: Apply) -> list[int]:
    """Return the inputs that `node` overwrites, by index."""
    found: dict[int, None] = {}
    for indices in node.op.destroy_map.values():
        found.update(dict.fromkeys(indices))
    return list(found)


def destroyed_roots(node: Apply) -> dict[Variable, int]:
    """Return the variables whose storage `node` may overwrite, each with the input it does it by.

    The output that is made by overwriting counts as storage of its own: by then nothing else uses
    what was there before.
    """
    return {root: i for i in destroyed_indices(node) for root in view_roots(node.inputs[i])}


def sharers(fgraph: FunctionGraph, *roots: Variable) -> Iterator[Variable]:
    """Yield `roots` and all that may be views of one of them, directly or by other views."""

    def views(var: Variable) -> Iterator[Variable]:
        for node, i in fgraph.clients.get(var, ()):
            if not isinstance(node, str):
                for k, viewed in node.op.view_map.items():
                    if i in viewed:
                        yield node.outputs[k]

    return walk(roots, views, bfs=False)


def destroyers_of(fgraph: FunctionGraph, var: Variable) -> list[Apply]:
    """Return the nodes that may overwrite the storage of `var`."""
    found: dict[Apply, None] = {}
    for shared in sharers(fgraph, *view_roots(var)):
        for node, i in fgraph.clients.get(shared, ()):
            if not isinstance(node, str) and i in destroyed_indices(node):
                found[node] = None
    return list(found)


def _is_alone(fgraph: FunctionGraph, var: Variable) -> bool:
    """Return whether a variable has storage of its own and one reader, as most have that nodes
    overwrite."""
    node = var.owner
    viewed = node is not None and node.op.view_map
    return not viewed and len(fgraph.clients.get(var, ())) == 1


def readers_before(fgraph: FunctionGraph, node: Apply) -> dict[Apply, Variable]:
    """Return the nodes that need a value that `node` overwrites, each with that value.

    They have to run before `node`.
    """
    before: dict[Apply, Variable] = {}
    if all(_is_alone(fgraph, node.inputs[i]) for i in destroyed_indices(node)):
        return before
    for var in sharers(fgraph, *destroyed_roots(node)):
        for reader, _ in fgraph.clients.get(var, ()):
            if not isinstance(reader, str) and reader is not node:
                before.setdefault(reader, var)
    return before


# room for a million new nodes between two neighbours; should it be used up, all are placed anew
STEP = 2.0**-20


class EvaluationOrder:
    """A place for each node of a graph, after the places of all nodes that have to come before it.

    A change costs a look at the nodes that got new predecessors. If one of them stands too early,
    it is moved with what has to come after it, as in D. J. Pearce and P. H. J. Kelly, "A dynamic
    topological sort algorithm for directed acyclic graphs" (2006): only nodes that stood between
    the two that are out of order matter, and a cycle is met on the way.

    Parameters
    ----------
    before, after
        Give the nodes that have to come before a node, and after it.
    """

    def __init__(
        self,
        before: Callable[[Apply], Iterable[Apply]],
        after: Callable[[Apply], Iterable[Apply]],
    ) -> None:
        self._before = before
        self._after = after
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
        """Give new nodes a place, and move others where that is needed.

        Parameters
        ----------
        changed
            The nodes that are new or got new predecessors.

        Returns
        -------
        cycle
            Nodes each of which has to come after the next, and the last after the first. Empty
            if all is well; None if it can't be said from here: then `place_all` is needed.
        """
        waiting = list(changed)
        while waiting:
            later: list[Apply] = []
            for node in waiting:
                last = self._last_before(node)
                if last is node:
                    later.append(node)
                elif node not in self._place:
                    self._place[node] = self._place[last] + STEP if last is not None else 0.0
                elif last is not None and self._place[last] >= self._place[node]:
                    cycle = self._move(node, last)
                    if cycle is None or cycle:
                        return cycle
            if len(later) == len(waiting):
                return None
            waiting = later
        return []

    def _last_before(self, node: Apply) -> Apply | None:
        """Return the last of those before `node`; `node` itself if one of them has no place yet."""
        last: Apply | None = None
        latest = float("-inf")
        for other in self._before(node):
            place = self._place.get(other)
            if place is None:
                return node
            if place > latest:
                last, latest = other, place
        return last

    def _move(self, node: Apply, last: Apply) -> list[Apply] | None:
        """Move `node` to behind `last`, and what has to come after it. See `update`."""
        place = self._place
        moved = {node: place[last] + STEP}
        led_from: dict[Apply, Apply] = {}
        # by place, so that a node is looked at after those that push it
        ties = count()
        queue = [(place[node], next(ties), node)]
        done: set[Apply] = set()
        while queue:
            pushing = heappop(queue)[2]
            done.add(pushing)
            for other in self._after(pushing):
                stands = moved.get(other, place.get(other))
                if stands is None or stands > moved[pushing]:
                    continue
                led_from[other] = pushing
                if other is last:
                    return _chain(led_from, last, node)
                if other in done:
                    # out of order by another change too
                    return None
                moved[other] = moved[pushing] + STEP
                heappush(queue, (place[other], next(ties), other))
        place.update(moved)
        return []


def _chain(led_from: dict[Apply, Apply], start: Apply, end: Apply) -> list[Apply]:
    chain = [start]
    while chain[-1] is not end:
        chain.append(led_from[chain[-1]])
    return chain


def find_cycle(nodes: Iterable[Apply], before: Callable[[Apply], Iterable[Apply]]) -> list[Apply]:
    """Return nodes each of which has to come after the next, and the last after the first.

    The list is empty if there is no cycle.
    """
    try:
        TopologicalSorter({node: before(node) for node in nodes}).prepare()
    except CycleError as error:
        closed: list[Apply] = error.args[1]  # each comes before the next, and the first ends it too
        return closed[:0:-1]
    return []


class MutableInputs(Feature):
    """Says which inputs of a graph may be overwritten; without it none may.

    It is published as ``fgraph.mutable_inputs``, and which outputs may then be in their storage as
    ``fgraph.borrowing_outputs``. A clone of it means the same inputs of the cloned
    graph. Attach it before validating; a graph takes one.

    Parameters
    ----------
    positions
        Which inputs, by position.
    borrowing
        The outputs that may be in the storage of an input, by position; another one is copied in
        the end, so that nothing is gained by making it there.
    """

    def __init__(self, positions: Iterable[int], borrowing: Iterable[int] = ()) -> None:
        self.positions = tuple(positions)
        self.borrowing = tuple(borrowing)

    def on_attach(self, fgraph: FunctionGraph) -> None:
        for i in self.positions:
            if not 0 <= i < len(fgraph.inputs):
                raise IndexError(f"the graph has {len(fgraph.inputs)} inputs, so no input {i}")
        self._allowed = frozenset(fgraph.inputs[i] for i in self.positions)
        fgraph.publish(
            self, mutable_inputs=self._allowed, borrowing_outputs=frozenset(self.borrowing)
        )

    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        self._find(fgraph)

    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._find(fgraph)

    def _find(self, fgraph: FunctionGraph) -> None:
        self.positions = tuple(i for i, v in enumerate(fgraph.inputs) if v in self._allowed)

    def clone(self) -> Feature:
        return type(self)(self.positions, self.borrowing)


class DestroyHandler(Bookkeeper):
    """Orders nodes by what they overwrite, and refuses graphs where no order is right.

    `validate`, which ``fgraph.validate()`` calls, looks at the destroyers that recent changes may
    concern and raises InconsistencyError

    - if a value is overwritten that something needs later, so that there is no order;
    - if storage is overwritten twice;
    - if an input of the graph (unless `MutableInputs` allows it), a constant, or an output of the
      graph is overwritten, directly or through a view;
    - if a node overwrites an input while another of its inputs may share the storage, and its op
      does not allow that (``destroyhandler_tolerate_same`` where both are one variable,
      ``destroyhandler_tolerate_aliased`` for any sharing; pairs of the index of the overwritten
      input and that of the other).

    It publishes ``fgraph.destroy_handler``, ``fgraph.destroyers(var)`` (the nodes that overwrite
    the storage of a variable) and ``fgraph.has_destroyers(variables)``. An instance serves one
    graph.

    Parameters
    ----------
    do_imports_on_attach
        Whether the nodes that are in the graph already matter; otherwise only those that come
        later do.
    """

    def __init__(self, do_imports_on_attach: bool = True) -> None:
        self.do_imports_on_attach = do_imports_on_attach
        self._destroyers: dict[Apply, None] = {}
        # the storage that a destroyer overwrote when it was last checked, and the reverse
        self._roots: dict[Apply, dict[Variable, int]] = {}
        self._by_root: dict[Variable, dict[Apply, None]] = {}
        # what changed since the last successful validation
        self._unchecked: dict[Apply, None] = {}
        self._gained_users: dict[Variable, None] = {}
        self._changed_views: dict[Apply, None] = {}
        self._moved: dict[Apply, None] = {}
        self._order: EvaluationOrder | None = None

    def clone(self) -> Feature:
        return type(self)(self.do_imports_on_attach)

    def on_attach(self, fgraph: FunctionGraph) -> None:
        if self._order is not None:
            raise ValueError(f"{self} is attached to another graph; attach a clone of it")
        fgraph.publish(
            self,
            destroy_handler=self,
            destroyers=partial(destroyers_of, fgraph),
            has_destroyers=partial(self.has_destroyers, fgraph),
        )
        self._order = EvaluationOrder(partial(self._before, fgraph), partial(self._after, fgraph))
        if self.do_imports_on_attach:
            super().on_attach(fgraph)

    def on_detach(self, fgraph: FunctionGraph) -> None:
        for node in list(self._destroyers):
            self.on_prune(fgraph, node, "on_detach")
        self._forget_changes()
        self._order = None

    def has_destroyers(self, fgraph: FunctionGraph, variables: Iterable[Variable]) -> bool:
        """Return whether some node overwrites the storage of one of `variables`."""
        return any(destroyers_of(fgraph, var) for var in variables)

    @takes_notes
    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        if node.op.destroy_map and destroyed_indices(node):
            self._destroyers[node] = self._unchecked[node] = None
        if self._destroyers:
            self._gained_users.update(dict.fromkeys(node.inputs))
            self._note_move(node)

    @takes_notes
    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        if node in self._destroyers:
            del self._destroyers[node]
            self._unregister(node)
        self._unchecked.pop(node, None)
        self._changed_views.pop(node, None)
        self._moved.pop(node, None)
        if self._order:
            self._order.discard(node)

    @takes_notes
    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        if not self._destroyers:
            return
        self._gained_users[new_var] = None
        if isinstance(node, str):
            return
        if node in self._destroyers:
            self._unchecked[node] = None
        if node.op.view_map:
            self._changed_views[node] = None
        self._note_move(node)

    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        if self._destroyers:
            self._gained_users[var] = None

    def _note_move(self, node: Apply) -> None:
        if self._order:
            self._moved[node] = None

    def orderings(self, fgraph: FunctionGraph, ordered: bool = True) -> dict[Apply, list[Apply]]:
        """Return, for each destroyer, the nodes that read what it overwrites."""
        wanted: dict[Apply, list[Apply]] = {}
        for node in self._destroyers:
            known = {var.owner for var in node.inputs}
            readers = [r for r in readers_before(fgraph, node) if r not in known]
            if readers:
                wanted[node] = readers
        return wanted

    def validate(self, fgraph: FunctionGraph) -> None:
        """Raise InconsistencyError if something overwrites what it must not (see the class)."""
        order = self._order
        assert order is not None, "a DestroyHandler validates the graph it is attached to"
        if self._destroyers:
            self._unchecked.update(self._concerned(fgraph))
            self._gained_users.clear()
            self._changed_views.clear()
            for node in self._unchecked:
                self._check_destroyer(fgraph, node)
            self._check_order(fgraph, order)
        else:
            order.clear()
        self._forget_changes()

    def _forget_changes(self) -> None:
        self._unchecked.clear()
        self._gained_users.clear()
        self._changed_views.clear()
        self._moved.clear()

    def _concerned(self, fgraph: FunctionGraph) -> dict[Apply, None]:
        """Return the destroyers whose storage has new users, or became that of other variables."""
        found: dict[Apply, None] = {}
        for var in self._gained_users:
            for root in view_roots(var):
                found.update(self._by_root.get(root, {}))
        views = [out for node in self._changed_views for out in node.outputs]
        for var in sharers(fgraph, *views):
            for node, _ in fgraph.clients.get(var, ()):
                if not isinstance(node, str) and node in self._destroyers:
                    found[node] = None
        return found

    def _unregister(self, node: Apply) -> None:
        for root in self._roots.pop(node, ()):
            known = self._by_root[root]
            del known[node]
            if not known:
                del self._by_root[root]

    def _check_destroyer(self, fgraph: FunctionGraph, node: Apply) -> None:
        self._unregister(node)
        self._roots[node] = roots = destroyed_roots(node)
        for root in roots:
            self._by_root.setdefault(root, {})[node] = None
        # first what needs no look at the clients: an input may have as many as there are nodes
        allowed = getattr(fgraph, "mutable_inputs", ())
        for root, i in roots.items():
            if root.owner is None and root not in allowed:
                kind = "constant" if isinstance(root, Constant) else "an input, and not mutable"
                raise InconsistencyError(
                    "{} overwrites the storage of {}, which is {}, through its input {}, {}",
                    *(node, root, kind, i, node.inputs[i]),
                )
        for i in destroyed_indices(node):
            _check_aliasing(fgraph, node, i)
        for root in roots:
            for var in sharers(fgraph, root):
                _check_other_users(fgraph, node, root, var)

    def _before(self, fgraph: FunctionGraph, node: Apply) -> Iterable[Apply]:
        needed = [var.owner for var in node.inputs if var.owner is not None]
        if node in self._destroyers:
            needed.extend(readers_before(fgraph, node))
        return needed

    def _after(self, fgraph: FunctionGraph, node: Apply) -> Iterable[Apply]:
        for out in node.outputs:
            for user, _ in fgraph.clients[out]:
                if not isinstance(user, str):
                    yield user
        for var in node.inputs:
            for root in view_roots(var):
                for destroyer in self._by_root.get(root, ()):
                    if destroyer is not node:
                        yield destroyer

    def _check_order(self, fgraph: FunctionGraph, order: EvaluationOrder) -> None:
        cycle: list[Apply] | None = None
        if order:
            cycle = order.update({**self._moved, **self._unchecked})
        if cycle is None:
            try:
                order.place_all(fgraph.toposort())
                return
            except ValueError:
                cycle = find_cycle(fgraph.apply_nodes, partial(self._before, fgraph))
        if cycle:
            self._blame(fgraph, cycle)

    def _blame(self, fgraph: FunctionGraph, cycle: list[Apply]) -> None:
        for node, waits_for in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            if node in self._destroyers and all(v.owner is not waits_for for v in node.inputs):
                var = readers_before(fgraph, node).get(waits_for)
                if var is not None:
                    raise InconsistencyError(
                        "{} overwrites {}, which {} needs, but has to run later",
                        *(node, var, waits_for),
                    )
        raise InconsistencyError(f"the graph contains a cycle through {cycle[0].op}")


def _check_aliasing(fgraph: FunctionGraph, node: Apply, i: int) -> None:
    """Check that no other input of `node` shares storage with input `i`, which it overwrites."""
    if len(node.inputs) == 1:
        return
    op, overwritten = node.op, node.inputs[i]
    shared = set(sharers(fgraph, *view_roots(overwritten)))
    for j, var in enumerate(node.inputs):
        if j == i or var not in shared or (i, j) in op.destroyhandler_tolerate_aliased:
            continue
        if var is not overwritten:
            raise InconsistencyError(
                "{} overwrites its input {}, {}, while its input {}, {}, may share the storage",
                *(node, i, overwritten, j, var),
            )
        if (i, j) not in op.destroyhandler_tolerate_same:
            raise InconsistencyError(
                "{} overwrites its input {}, {}, which is its input {} too",
                *(node, i, overwritten, j),
            )


def _check_other_users(fgraph: FunctionGraph, node: Apply, root: Variable, var: Variable) -> None:
    """Check that `var`, which shares storage that `node` overwrites, is safe from that."""
    for other, k in fgraph.clients[var]:
        if isinstance(other, str):
            raise InconsistencyError(
                "{} overwrites the storage of {}, and output {} of the graph, {}, is in it",
                *(node, root, k, var),
            )
        if other is not node and k in destroyed_indices(other):
            raise InconsistencyError(
                "{} and {} both overwrite the storage of {} (the second as {})",
                *(node, other, root, var),
            )

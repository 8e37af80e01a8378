"""Copies of graphs: clones, deep copies and pickles, none of which recurses.

`copy.deepcopy` and `pickle` go from each object to those that it refers to, one call inside the
other, and a graph is deeper than Python's stack and C's. Here both meet the nodes of a graph in
topological order, so that what a node reads is there already.

For `deepcopy` that is a loop, since it hands on a memo. `pickle` hands on nothing, but it saves an
object once in a run, refers to it after that, and saves a list element by element. So each node
refers to a `Listing` of all nodes that it depends on, which is saved before what it reads is.
"""

from __future__ import annotations

import copy
import heapq
import itertools
import threading
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

from relgraph.graph.traversal import io_toposort

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable


def clone(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool | None = None,
) -> tuple[list[Variable], list[Variable]]:
    """Return copies of the inputs and outputs of a graph, and so of all between them.

    Parameters
    ----------
    copy_inputs
        Copy the inputs too; otherwise the copy shares them.
    copy_orphans
        Copy constants and other variables that are not among the inputs. Like `copy_inputs` if
        None.
    """
    memo = clone_get_equiv(
        inputs, outputs, copy_inputs, copy_inputs if copy_orphans is None else copy_orphans
    )
    return [memo[v] for v in inputs], [memo[v] for v in outputs]


def clone_get_equiv(
    inputs: Iterable[Variable],
    outputs: Iterable[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool = True,
    memo: dict[Any, Any] | None = None,
) -> dict[Any, Any]:
    """Copy a graph; return a dict from each of its variables and nodes to its copy.

    Parameters
    ----------
    memo
        Where to note the copies; what it maps already is not copied again.
    """
    same_types = memo is None
    memo = {} if memo is None else memo
    for var in inputs:
        if var not in memo:
            memo[var] = var.clone() if copy_inputs else var
    outputs = list(outputs)
    for node in io_toposort(memo, outputs):
        if node in memo:
            continue
        inputs = []
        for var in node.inputs:
            known = memo.get(var)
            if known is None:
                known = memo[var] = var.clone() if copy_orphans else var
            inputs.append(known)
        if same_types:
            copy = node.copy_with_inputs(inputs)
        else:
            copy = node.clone_with_new_inputs(inputs)
        memo[node] = copy
        for old, new in zip(node.outputs, copy.outputs, strict=True):
            if old not in memo:
                new.name = old.name
                memo[old] = new
    for var in outputs:
        if var not in memo:
            memo[var] = var.clone() if copy_orphans else var
    return memo


def clone_replace(
    output: Variable | Sequence[Variable],
    replace: Mapping[Variable, Variable] | Iterable[tuple[Variable, Variable]] | None = None,
) -> Any:
    """Return a copy of a graph in which some variables are replaced.

    Parameters
    ----------
    output
        One output or several; what comes back has the same form.
    replace
        From variables to what stands in their place. A replacement is used as it is, not copied.

    Raises
    ------
    TypeError
        If a replacement does not fit the type of what it replaces.
    """
    pairs = dict({} if replace is None else replace)
    memo: dict[Any, Any] = {
        old: old.type.filter_variable(new, allow_convert=True) for old, new in pairs.items()
    }
    outs = list(output) if isinstance(output, Sequence) else [output]
    clone_get_equiv([], outs, copy_inputs=False, copy_orphans=False, memo=memo)
    new_outs = [memo[out] for out in outs]
    return new_outs if isinstance(output, Sequence) else new_outs[0]


_serial = itertools.count()


class _Registry(threading.local):
    """The listing that each node is in, for as long as somebody holds that: the pickler does."""

    def __init__(self) -> None:
        self.by_node: dict[Apply, ref[Listing]] = {}


_registry = _Registry()


class Listing:
    """Nodes in topological order, that become a plain list of nodes when copied or unpickled.

    Parameters
    ----------
    needs
        The listings of what these nodes depend on besides.
    """

    __slots__ = ("__weakref__", "_by_node", "_self", "needs", "nodes", "serial")

    def __init__(self, nodes: list[Apply], needs: dict[Listing, None] | None = None) -> None:
        self.nodes = nodes
        self.needs = {} if needs is None else needs
        self.serial = next(_serial)
        self._by_node = _registry.by_node
        self._self = ref(self)
        self._by_node.update(dict.fromkeys(nodes, self._self))

    def __del__(self) -> None:
        for node in self.nodes:
            if self._by_node.get(node) is self._self:
                del self._by_node[node]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, iter(self.nodes)


def listing_of(node: Apply) -> Listing:
    """Return a listing that holds `node` and, with those it needs, all that it depends on."""
    known = _registry.by_node.get(node)
    found = None if known is None else known()
    return found if found is not None else _new_listing(node)


def _new_listing(node: Apply) -> Listing:
    """Return a listing of what is not in one yet, and of what is in small ones.

    Where one variable after another is pickled, and each is made from the last, there would be a
    listing for each, which needs the one before it, as deep as the graph. So a new one takes in
    those that are no larger than itself: there are at most as many, one below the other, as a
    number of that size has binary digits.
    """
    nodes, needs = _unlisted(node)
    waiting = [(len(found.nodes), found.serial, found) for found in needs]
    heapq.heapify(waiting)
    taken: dict[Listing, None] = {}
    size = len(nodes)
    while waiting and waiting[0][0] <= size:
        _, _, small = heapq.heappop(waiting)
        if small not in taken:
            taken[small] = None
            size += len(small.nodes)
            for other in small.needs:
                heapq.heappush(waiting, (len(other.nodes), other.serial, other))
    older = sorted(taken, key=lambda found: found.serial)
    listed = {old: None for found in older for old in found.nodes}
    return Listing([*listed, *nodes], {found: None for _, _, found in waiting})


def _unlisted(root: Apply) -> tuple[list[Apply], dict[Listing, None]]:
    """Return the nodes behind `root` that are in no listing, and the listings where that ends."""
    needs: dict[Listing, None] = {}

    def is_listed(node: Apply) -> bool:
        known = _registry.by_node.get(node)
        found = None if known is None else known()
        if found is not None:
            needs[found] = None
        return found is not None

    return list(_behind(root, is_listed)), needs


def _behind(root: Apply, stops: Any) -> Iterator[Apply]:
    """Yield the nodes that `root` depends on and `root`, each after what it reads, but for those
    that `stops` says yes to and what only they need."""
    met = {root}
    path = [(root, iter(root.inputs))]
    while path:
        node, rest = path[-1]
        for var in rest:
            owner = var.owner
            if owner is not None and owner not in met:
                met.add(owner)
                if not stops(owner):
                    path.append((owner, iter(owner.inputs)))
                    break
        else:
            path.pop()
            yield node


def deep_copy(thing: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of a variable or a node, and so of all that it depends on.

    Parameters
    ----------
    memo
        What `copy.deepcopy` hands on: the copies made so far, by the `id` of what they copy.
    """
    later: list[tuple[Any, str, Any]] = []
    node: Apply | None = thing.owner if hasattr(thing, "owner") else thing
    if node is not None and id(node) not in memo:
        for old in _behind(node, lambda other: id(other) in memo):
            _copy_node(old, memo, later)
    found = memo.get(id(thing))
    if found is None:
        found = _copy_variable(thing, memo, later)
    # what people attach may refer to any of these variables, so it waits until they are there
    for new, name, value in later:
        setattr(new, name, copy.deepcopy(value, memo))
    return found


def _copy_node(node: Apply, memo: dict[int, Any], later: list[tuple[Any, str, Any]]) -> None:
    inputs = []
    for var in node.inputs:
        known = memo.get(id(var))
        inputs.append(_copy_variable(var, memo, later) if known is None else known)
    new = memo[id(node)] = object.__new__(type(node))
    new.op, new.inputs, new.view = node.op, inputs, None
    new.outputs = [_copy_variable(out, memo, later) for out in node.outputs]
    _copy_rest(node, new, ("op", "inputs", "outputs", "view"), later)


def _copy_variable(
    var: Variable, memo: dict[int, Any], later: list[tuple[Any, str, Any]]
) -> Variable:
    new = memo[id(var)] = object.__new__(type(var))
    new.type, new.index, new.name, new.head = var.type, var.index, var.name, var.head
    new.owner = None if var.owner is None else memo[id(var.owner)]
    for name in var.immutable:
        setattr(new, name, getattr(var, name))
    _copy_rest(var, new, ("type", "index", "name", "head", "owner", *var.immutable), later)
    return new


def _copy_rest(old: Any, new: Any, done: Container[str], later: list[tuple[Any, str, Any]]) -> None:
    for name, value in attributes(old).items():
        if name not in done:
            if value is None:
                setattr(new, name, None)
            else:
                later.append((new, name, value))


def attributes(thing: Any) -> dict[str, Any]:
    """Return what an object has in its slots and its dictionary, by name."""
    state = object.__getstate__(thing)
    parts = state if isinstance(state, tuple) else (state,)
    return {name: value for part in parts if part is not None for name, value in part.items()}

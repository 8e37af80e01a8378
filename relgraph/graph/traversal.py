"""Walks over graphs. None of them recurses: a chain of 100,000 nodes is an ordinary graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable

T = TypeVar("T")


def walk(
    nodes: Iterable[T], expand: Callable[[T], Iterable[T] | None], bfs: bool = True
) -> Iterator[T]:
    """Yield every thing that `expand` leads to from `nodes`, each once.

    Parameters
    ----------
    expand
        Gives what follows a thing, or None.
    bfs
        Breadth first; depth first otherwise.
    """
    pending = deque(nodes)
    seen: set[T] = set()
    take = pending.popleft if bfs else pending.pop
    while pending:
        node = take()
        if node in seen:
            continue
        seen.add(node)
        yield node
        following = expand(node)
        if following is not None:
            pending.extend(following)


def ancestors(
    graphs: Iterable[Variable], blockers: Collection[Variable] | None = None
) -> Iterator[Variable]:
    """Yield the variables that `graphs` depend on, themselves included.

    Parameters
    ----------
    blockers
        Variables that are yielded but not looked behind.
    """
    blocked = frozenset() if blockers is None else frozenset(blockers)

    def expand(var: Variable) -> Iterable[Variable] | None:
        if var.owner is None or var in blocked:
            return None
        inputs: list[Variable] = var.owner.inputs
        return reversed(inputs)

    return walk(graphs, expand, bfs=False)


def graph_inputs(
    graphs: Iterable[Variable], blockers: Collection[Variable] | None = None
) -> Iterator[Variable]:
    """Yield the variables that `graphs` depend on and that no node computes, constants included."""
    return (var for var in ancestors(graphs, blockers) if var.owner is None)


def vars_between(ins: Collection[Variable], outs: Iterable[Variable]) -> Iterator[Variable]:
    """Yield the variables on the way from `ins` to `outs`, both included."""
    stops = frozenset(ins)

    def expand(var: Variable) -> Iterable[Variable] | None:
        if var.owner is None or var in stops:
            return None
        return [*var.owner.outputs, *var.owner.inputs]

    return walk(outs, expand)


def orphans_between(ins: Collection[Variable], outs: Iterable[Variable]) -> Iterator[Variable]:
    """Yield what the graph from `ins` to `outs` needs that is not in `ins` and has no owner."""
    given = frozenset(ins)
    return (var for var in vars_between(ins, outs) if var.owner is None and var not in given)


def applys_between(ins: Collection[Variable], outs: Iterable[Variable]) -> Iterator[Apply]:
    """Yield the nodes on the way from `ins` to `outs`."""
    given = frozenset(ins)
    seen: set[Apply] = set()
    for var in vars_between(ins, outs):
        node = var.owner
        if node is not None and var not in given and node not in seen:
            seen.add(node)
            yield node


def general_toposort(outputs: Iterable[T], deps: Callable[[T], Iterable[T] | None]) -> list[T]:
    """Return the things that `outputs` depend on, each after all that it depends on.

    Parameters
    ----------
    deps
        Gives what a thing depends on, or None.

    Raises
    ------
    ValueError
        If a thing depends on itself.
    """
    order: list[T] = []
    done: set[T] = set()
    open_: set[T] = set()
    # a thing is on the stack twice: to open it, and (wrapped) to close it after what it needs
    stack: list[tuple[T, bool]] = [(out, False) for out in reversed(list(outputs))]
    while stack:
        thing, closing = stack.pop()
        if closing:
            open_.discard(thing)
            done.add(thing)
            order.append(thing)
            continue
        if thing in done:
            continue
        if thing in open_:
            raise ValueError(f"the graph contains a cycle through {thing}")
        open_.add(thing)
        stack.append((thing, True))
        needed = deps(thing)
        if needed is None:
            continue
        for other in reversed(list(needed)):
            if other in open_:
                raise ValueError(f"the graph contains a cycle through {other}")
            if other not in done:
                stack.append((other, False))
    return order


def io_toposort(
    inputs: Collection[Variable],
    outputs: Iterable[Variable],
    orderings: Mapping[Apply, Iterable[Apply]] | None = None,
) -> list[Apply]:
    """Return the nodes between `inputs` and `outputs`, each after the nodes it depends on.

    Parameters
    ----------
    orderings
        For some nodes, further nodes that have to come before.

    Raises
    ------
    ValueError
        If that leaves no order.
    """
    # where no input is computed by a node, none has to be looked for on the way
    cut = {v for v in inputs if v.owner is not None}
    if not cut and not orderings:
        return toposort_and_leaves(outputs)[0]
    roots = [v.owner for v in outputs if v.owner is not None and v not in cut]
    before: Mapping[Apply, Iterable[Apply]] = {} if orderings is None else orderings

    def deps(node: Apply) -> Iterable[Apply]:
        needed = [v.owner for v in node.inputs if v.owner is not None and v not in cut]
        needed.extend(before.get(node, ()))
        return needed

    return general_toposort(roots, deps)


_INPUTS: Callable[[Apply], Sequence[Variable]] = attrgetter("inputs")


def toposort_and_leaves(
    outputs: Iterable[Variable], reads: Callable[[Apply], Sequence[Variable]] = _INPUTS
) -> tuple[list[Apply], dict[Variable, None], set[Apply]]:
    """Return the nodes that `outputs` depend on, each after what it depends on, the leaves, and the
    nodes that are read more than once.

    This is the one walk that every optimizer makes, so it is written for speed. Leaves come in the
    order in which they are read, from the first output on.

    Parameters
    ----------
    outputs
        The variables to begin with.
    reads
        Gives the variables that a node depends on; called once for each node, before it is called
        for these.

    Raises
    ------
    ValueError
        If the graph contains a cycle.
    """
    order: list[Apply] = []
    leaves: dict[Variable, None] = {}
    # False for the nodes on the way to the present one, True for those that are done
    closed: dict[Apply, bool] = {}
    shared: set[Apply] = set()
    for output in outputs:
        node = output.owner
        if node is None:
            leaves[output] = None
            continue
        if node in closed:
            shared.add(node)
            continue
        closed[node] = False
        path: list[tuple[Apply, Iterator[Variable]]] = []
        rest = iter(reads(node))
        while True:
            for var in rest:
                owner = var.owner
                if owner is None:
                    leaves[var] = None
                    continue
                state = closed.get(owner)
                if state is None:
                    closed[owner] = False
                    path.append((node, rest))
                    node, rest = owner, iter(reads(owner))
                    break
                if not state:
                    raise ValueError(f"the graph contains a cycle through {owner}")
                shared.add(owner)
            else:
                closed[node] = True
                order.append(node)
                if not path:
                    break
                node, rest = path.pop()
    return order, leaves, shared


def list_of_nodes(inputs: Collection[Variable], outputs: Iterable[Variable]) -> list[Apply]:
    """Return the nodes between `inputs` and `outputs`, in no promised order."""
    return list(applys_between(inputs, outputs))


def is_in_ancestors(l_apply: Apply, f_node: Apply) -> bool:
    """Return whether node `l_apply` depends on node `f_node` (a node depends on itself)."""
    return any(
        node is f_node
        for node in walk(
            [l_apply], lambda node: [v.owner for v in node.inputs if v.owner is not None]
        )
    )


def equal_computations(
    xs: Sequence[Variable],
    ys: Sequence[Variable],
    in_xs: Sequence[Variable] | None = None,
    in_ys: Sequence[Variable] | None = None,
    same_calls: bool = False,
    seen_as: Callable[[Variable], Variable] | None = None,
) -> bool:
    """Return whether two graphs compute the same thing in the same way.

    Parameters
    ----------
    xs, ys
        The outputs of each.
    in_xs, in_ys
        Inputs that correspond, pair by pair; any other leaf corresponds to itself alone, and a
        constant to a constant that equals it.
    same_calls
        Whether a node of an op that is not pure (a random draw) equals itself alone. By default it
        equals one of another graph that is written in the same way.
    seen_as
        Gives for a variable of either graph the one to be compared in its place.
    """
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} outputs can't be compared with {len(ys)}")
    if (in_xs is None) != (in_ys is None) or (
        in_xs is not None and in_ys is not None and len(in_xs) != len(in_ys)
    ):
        raise ValueError("in_xs and in_ys correspond pair by pair: give both, of one length")
    given = dict(zip(in_xs or (), in_ys or (), strict=True))
    equal: set[tuple[Variable, Variable]] = set()
    stack = list(zip(xs, ys, strict=True))
    while stack:
        x, y = stack.pop()
        if seen_as is not None:
            x, y = seen_as(x), seen_as(y)
        if (x is y and not given) or (x, y) in equal:
            continue
        equal.add((x, y))
        if x in given:
            if given[x] is not y:
                return False
        elif x.owner is None or y.owner is None:
            if x is not y and not _equal_constants(x, y):
                return False
        else:
            a, b = x.owner, y.owner
            if x.index != y.index or a.op != b.op or len(a.inputs) != len(b.inputs):
                return False
            if same_calls and a is not b and not a.op.pure:
                return False
            stack.extend(zip(a.inputs, b.inputs, strict=True))
    return True


def _equal_constants(x: Any, y: Any) -> bool:
    return hasattr(x, "equals") and x.owner is None and bool(x.equals(y))


def view_roots(node: Variable, overwritten: bool = False) -> list[Variable]:
    """Return the variables whose storage `node` (a variable) may share by a chain of views.

    Parameters
    ----------
    overwritten
        Whether a value that is written over another one counts as a view of that.
    """
    roots: list[Variable] = []

    def seen_through(var: Variable) -> Iterable[Variable] | None:
        owner = var.owner
        viewed: Sequence[int] = ()
        if owner is not None:
            viewed = owner.op.view_map.get(var.index, ())
            if overwritten:
                viewed = [*viewed, *owner.op.destroy_map.get(var.index, ())]
        if not viewed or owner is None:
            roots.append(var)
            return None
        return [owner.inputs[i] for i in viewed]

    for _ in walk([node], seen_through):
        pass
    return roots


def io_connection_pattern(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> list[list[bool]]:
    """Return, for each input and output, whether a gradient can flow from that output to it."""
    stops = frozenset(inputs)
    patterns: dict[Apply, list[list[bool]]] = {}

    def reached_from(var: Variable) -> Iterable[Variable] | None:
        node = var.owner
        if node is None or var.index is None or var in stops:
            return None
        pattern = patterns.get(node)
        if pattern is None:
            pattern = patterns[node] = node.op.connection_pattern(node)
        return [v for v, row in zip(node.inputs, pattern, strict=True) if row[var.index]]

    columns = [set(walk([out], reached_from)) for out in outputs]
    return [[v in column for column in columns] for v in inputs]


def as_string(inputs: Collection[Variable], outputs: Sequence[Variable]) -> list[str]:
    """Return each output as text in the form ``add(x, mul(y, z))``.

    What is used more than once is written out where it comes first, as ``*1 -> add(y, z)``, and
    called ``*1`` after that. An output of a node with several is written ``op.1(...)``.

    Parameters
    ----------
    inputs
        Variables that are not looked behind.
    """
    stops = frozenset(inputs)
    uses: dict[Variable, int] = {}
    nodes = io_toposort(stops, outputs)
    for var in (*outputs, *(v for node in nodes for v in node.inputs)):
        uses[var] = uses.get(var, 0) + 1
    numbers: dict[Variable, int] = {}
    return [_one_as_string(out, stops, uses, numbers) for out in outputs]


def _one_as_string(
    root: Variable,
    stops: frozenset[Variable],
    uses: Mapping[Variable, int],
    numbers: dict[Variable, int],
) -> str:
    pieces: list[str] = []
    stack: list[Variable | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif item.owner is None or item in stops:
            pieces.append(str(item))
        elif item in numbers:
            pieces.append(f"*{numbers[item]}")
        else:
            if uses[item] > 1:
                numbers[item] = len(numbers) + 1
                pieces.append(f"*{numbers[item]} -> ")
            node = item.owner
            which = f".{item.index}" if len(node.outputs) > 1 else ""
            pieces.append(f"{node.op}{which}(")
            stack.append(")")
            for i in range(len(node.inputs) - 1, -1, -1):
                stack.append(node.inputs[i])
                if i:
                    stack.append(", ")
    return "".join(pieces)

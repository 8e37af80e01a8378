"""Sums and products as they were written: trees of one operation and its inverse.

``(a - b) + (c - d)`` is a *nest* of `add` and `sub`. Its *leaves* are `a` and `c`, which stand
above the line, so to say, and `b` and `d`, which stand below it: they are subtracted. In a nest of
`mul` and `true_div` the leaves below the line are divided by. Leaves that cancel or are collected
are edited where they stand, and all others keep the grouping in which they were written:
floating-point sums and products round, overflow and underflow by it.

So each partial product of an edited nest is one that was there, or its reciprocal, but for

- a factor that has cancelled, which the partial products between its places lack: that they over-
  or underflow without it is far rarer than that they did with it;
- constants that are folded: a partial product is larger or smaller by what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from relations.kit.guards import asks_graph, depends_on_levels, requires_heads
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.goals import found_in
from relgraph.graph.op import WIDE, Op
from relgraph.tensor.basic import number
from relgraph.tensor.math import add, mul, neg, pow, reciprocal, sqr, sub, true_div


class Operation(NamedTuple):
    """An operation that can be undone.

    Attributes
    ----------
    join, part
        The op of any number of arguments, and the op whose second argument is below the line.
    invert
        The op that takes its argument below the line.
    """

    join: Op
    part: Op
    invert: Op

    def inverse(self, var: Variable) -> Variable:
        """Return `var` taken below the line."""
        whole: Variable = self.invert(var) if self is SUM else self.part(1, var)
        return whole


SUM, PRODUCT = Operation(add, sub, neg), Operation(mul, true_div, reciprocal)

DEPTH = 3
"""A change deeper in a nest than this is seen when something else in it changes too."""

Part = tuple[Any, bool]
"""A variable (or a number), and whether it stands below the line."""


@dataclass(slots=True, eq=False)
class Nest:
    """The leaves of a sum or product and the nodes between.

    Attributes
    ----------
    operation
        Whether it is a sum or a product.
    leaves
        In the order in which they were written.
    below
        Whether each is subtracted, or divided by.
    nodes
        The nodes of the nest, each before those nested in it.
    inverted
        Whether each of them stands below the line.
    children
        Of each node, its arguments: the index of a leaf, or of a node as ``-1 - index``.
    dtype
        That of the nodes.
    counted
        What laws have found of the leaves, by the view that they are seen by.
    """

    operation: Operation
    leaves: list[Variable]
    below: list[bool]
    nodes: list[Apply]
    inverted: list[bool]
    children: list[list[int]]
    dtype: str
    counted: dict[Any, Any] = field(default_factory=dict)

    @property
    def ndim(self) -> int:
        """The number of axes of the whole."""
        return int(self.nodes[0].outputs[0].type.ndim)

    def number(self, value: Any) -> Variable:
        """Return a number as a constant that can be a leaf."""
        return number(value, self.dtype, self.ndim)

    def is_of_one_real_dtype(self) -> bool:
        """Return whether all leaves have the dtype of the nodes, and that is a real one."""
        for leaf in self.leaves:
            if leaf.type.dtype != self.dtype:
                return False
        return np.dtype(self.dtype).kind in "fiu"

    def spans(self) -> list[tuple[int, int]]:
        """Return the indices of the first and the last leaf of each node."""
        spans: list[tuple[int, int]] = [(0, 0)] * len(self.nodes)
        for k in reversed(range(len(self.nodes))):
            of_args = [(c, c) if c >= 0 else spans[-1 - c] for c in self.children[k]]
            spans[k] = (of_args[0][0], of_args[-1][1])
        return spans

    def partial_spans(self) -> set[tuple[int, int]]:
        """Return the indices of the first and the last leaf of what is computed on the way: of the
        first arguments of each node, from the left to the right."""
        spans = self.spans()
        found: set[tuple[int, int]] = set()
        for children, (first, _) in zip(self.children, spans, strict=True):
            found.update((first, c if c >= 0 else spans[-1 - c][1]) for c in children[1:])
        return found


@depends_on_levels(DEPTH)
@asks_graph
def nest_of(fgraph: Any, whole: Any, joins_only: bool = False) -> Nest:
    """Return the nest whose outermost node computes `whole`.

    A node that is read more than once is a leaf, or each of its readers would get a copy of it.

    Parameters
    ----------
    fgraph
        The graph of `whole`; None if it is not known.
    whole
        A sum, difference, product or quotient: a variable, or a term for one.
    joins_only
        Whether nodes of other ops than the one that joins are leaves, and those that are broadcast:
        the leaves are the arguments that a law is given.
    """
    root = found_in(fgraph, whole)
    # several laws look at one nest
    known = getattr(fgraph, "known", None)
    if known is None:
        return _nest_of(fgraph, root, joins_only)
    key = root, joins_only
    found: Nest | None = known.get(key)
    if found is None:
        found = known[key] = _nest_of(fgraph, root, joins_only)
    return found


def _nest_of(fgraph: Any, root: Variable, joins_only: bool) -> Nest:
    operation = SUM if root.head in SUM else PRODUCT
    join, *others = operation
    inner_ops = () if joins_only else tuple(others)
    clients = None if fgraph is None else fgraph.clients
    kind = root.type
    dtype = kind.dtype
    nest = Nest(operation, [], [], [], [], [], dtype)
    leaves, sides = nest.leaves, nest.below
    seen: set[Variable] = set()
    path: list[tuple[Iterator[Part], list[int]]] = []
    rest: Iterator[Part] = iter([(root, False)])
    children: list[int] = []
    while True:
        for var, below in rest:
            head = var.head
            if var is not root and not (
                (head is join or head in inner_ops)
                and (len(clients.get(var, ())) <= 1 if clients is not None else var not in seen)
                and var.type.dtype == dtype
                and (not joins_only or var.type is kind or var.type.in_same_class(kind))
            ):
                children.append(len(leaves))
                leaves.append(var)
                sides.append(below)
                continue
            seen.add(var)
            children.append(-1 - len(nest.nodes))
            path.append((rest, children))
            rest, children = _arguments(var.owner, below, join), []
            nest.nodes.append(var.owner)
            nest.inverted.append(below)
            nest.children.append(children)
            break
        else:
            rest, children = path.pop()
            if not path:
                return nest


def _arguments(node: Apply, below: bool, join: Op) -> Iterator[Part]:
    """Yield the arguments of a node of a nest with the sides on which they stand, by its side."""
    last = below if node.op is join else not below
    return zip(node.inputs, [below] * (len(node.inputs) - 1) + [last], strict=True)


def is_nested(fgraph: Any, var: Variable) -> bool:
    """Return whether a sum or product is nested in another node of the same operation."""
    operation = SUM if var.head in SUM else PRODUCT
    while fgraph is not None:
        readers = fgraph.clients.get(var, ())
        if len(readers) != 1:
            return False
        reader: Apply | str = readers[0][0]
        if isinstance(reader, str) or reader.outputs[0].type.dtype != var.type.dtype:
            return False
        # a nest of several dtypes is left alone, and so its parts are looked at for themselves
        if not _is_of_one_dtype(reader):
            return False
        if reader.op is not operation.invert:
            return reader.op in operation
        var = reader.outputs[0]
    return False


_OF_ONE_DTYPE: WeakKeyDictionary[Apply, bool] = WeakKeyDictionary()
"""Of wide nodes: each of the terms of a sum asks it."""


def _is_of_one_dtype(node: Apply) -> bool:
    """Return whether the inputs of a node have the dtype of its first output."""
    wide = len(node.inputs) >= WIDE
    found = _OF_ONE_DTYPE.get(node) if wide else None
    if found is None:
        dtype = node.outputs[0].type.dtype
        found = all(v.type.dtype == dtype for v in node.inputs)
        if wide:
            _OF_ONE_DTYPE[node] = found
    return found


def edited(nest: Nest, edits: Mapping[int, Part | None]) -> Any:
    """Return a nest with some leaves replaced; the rest of it stays as it was written.

    Parameters
    ----------
    edits
        For indices of leaves what stands in their place, and whether that is below the line; None
        if nothing does.

    Returns
    -------
    whole
        A variable; 0 or 1 if nothing is left.
    """
    made: list[list[Part]] = []
    changed: list[bool] = []
    # each node after those nested in it
    for k in reversed(range(len(nest.nodes))):
        parts: list[Part] = []
        inverted, differs = nest.inverted[k], False
        for child in nest.children[k]:
            if child < 0:
                # the last node was made first
                place = len(nest.nodes) + child
                parts += made[place]
                differs |= changed[place]
            elif child in edits:
                part = edits[child]
                parts += [] if part is None else [part]
                differs = True
            else:
                parts.append((nest.leaves[child], nest.below[child]))
        if not differs:
            parts = [(nest.nodes[k].outputs[0], inverted)]
        elif len(parts) > 1:
            joined = _joined(nest.operation, [(var, below != inverted) for var, below in parts])
            parts = [(var, below != inverted) for var, below in joined]
        made.append(parts)
        changed.append(differs)
    if not made[-1]:
        return 0 if nest.operation is SUM else 1
    ((var, below),) = made[-1]
    return nest.operation.inverse(var) if below else var


def _joined(operation: Operation, parts: list[Part]) -> list[Part]:
    """Return the sum or product of two parts or more, from the left to the right, as one part.

    What stands below the line before anything is above it is joined: ``-a - b + c`` is
    ``c - (a + b)``, to the last bit, and ``1 / a / b * c`` is ``c / (a * b)``, where nothing over-
    or underflows that did not before.
    """
    first_below = [var for var, _ in takewhile(lambda part: part[1], parts)]
    run = [var for var, _ in parts[len(first_below) : len(first_below) + 1]]
    if first_below:
        below = _join(operation, first_below)
        if not run:
            return [(below, True)]
        run = [operation.part(run[0], below)]
    for var, is_below in parts[len(first_below) + 1 :]:
        if is_below:
            run = [operation.part(_join(operation, run), var)]
        else:
            run.append(var)
    return [(_join(operation, run), False)]


def _join(operation: Operation, run: Sequence[Variable]) -> Any:
    return run[0] if len(run) == 1 else operation.join(*_constant_first(run))


def _constant_first(run: Sequence[Variable]) -> Sequence[Variable]:
    """Return the arguments with a constant that is the second before the first: their order means
    nothing."""
    if len(run) > 1 and run[1].head is Constant and run[0].head is not Constant:
        return [run[1], run[0], *run[2:]]
    return run


def nest_at(
    admits: Callable[[Sequence[Any]], bool],
    parts_too: bool = False,
    leaves_admitted: Callable[[Sequence[Variable]], bool] | None = None,
) -> Callable[..., Nest | None]:
    """Return the function that finds the nest of which a sum, difference, product or quotient is
    the outermost node; None if it is nested itself, or if not all leaves are of one real dtype.

    Parameters
    ----------
    admits
        Whether laws that ask for the nest can do something, by the heads of the arguments.
    parts_too
        Whether to return, of a sum or product that is nested, the nest of the op that joins alone.
    leaves_admitted
        Whether the laws can do something, by the leaves.
    """

    @requires_heads(admits)
    @depends_on_levels(DEPTH)
    @asks_graph
    def nest(fgraph: Any, whole: Any) -> Nest | None:
        root = found_in(fgraph, whole)
        nested = is_nested(fgraph, root)
        if nested and not (parts_too and root.head.associative):
            return None
        found = nest_of(fgraph, root, joins_only=nested)
        if leaves_admitted is not None and not leaves_admitted(found.leaves):
            return None
        # a quotient of integers is a float, and its parts are computed as integers
        return found if found.is_of_one_real_dtype() else None

    return nest


def flattened(op: Op) -> Callable[..., Any]:
    """Return the function that makes one sum of nested ones; None is the result if there is none.

    ``c + (a + b)`` is ``a + b + c``, to the last bit. ``(a + b) + (c + d)`` of floats becomes
    ``a + b + (c + d)``: it keeps its grouping. That of integers has no meaning.
    """

    @requires_heads(lambda heads: op in heads)
    @asks_graph
    def flatten(fgraph: Any, whole: Any) -> Any:
        nest = nest_of(fgraph, whole, joins_only=True)
        if nest.is_of_one_real_dtype() and np.dtype(nest.dtype).kind != "f":
            return op(*nest.leaves)
        flat = _exactly_flat(nest)
        return None if flat is None else op(*_constant_first(flat))

    flatten.__name__ = f"flattened_{op}"
    return flatten


def _exactly_flat(nest: Nest) -> list[Variable] | None:
    """Return the arguments of one sum that is computed as the nested ones are; None if all nested
    ones have to stay."""
    made: list[list[Variable]] = []
    merged = 0
    for k in reversed(range(len(nest.nodes))):
        flat: list[Variable] = []
        first = True
        for c in nest.children[k]:
            if c >= 0:
                flat.append(nest.leaves[c])
                continue
            inner = made[len(nest.nodes) + c]
            if first and len(flat) < 2:
                # the order of the first two means nothing
                flat, first, merged = [*inner, *flat], False, merged + 1
            else:
                flat.append(_join(nest.operation, inner))
        made.append(flat)
    return made[-1] if merged else None


def power_of(count: Any, base: Variable) -> Any:
    """Return a variable to the power of a number that its dtype has."""
    if count == 1:
        return base
    if count == 2:
        return sqr(base)
    return pow(base, number(count, base.type.dtype, base.type.ndim))


@depends_on_levels(DEPTH)
@asks_graph
def added_leaves(fgraph: Any, whole: Any) -> tuple[Variable, ...] | None:
    """Return the leaves of a sum; None if some are subtracted."""
    nest = nest_of(fgraph, whole)
    return None if any(nest.below) else tuple(nest.leaves)


@depends_on_levels(DEPTH)
def terms_of_sum(arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments of a sum, with those of nested ones in their place."""
    found, stack = [], [*reversed(arguments)]
    while stack:
        var = stack.pop()
        if var.head is add:
            stack.extend(reversed(var.owner.inputs))
        else:
            found.append(var)
    return found

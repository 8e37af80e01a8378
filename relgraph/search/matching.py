"""Matching: the instances of patterns in the classes of an e-graph, by code made for each pattern.

A pattern is a tree: a part matches the nodes of its head in a class, a variable represents a class.
The code for ``sin(x + y)`` goes through the sines of a class, the sums in the class of the argument
of each, and the arguments of these in each order.

De Moura and Bjørner, Efficient E-matching for SMT solvers (2007). Joins of facts, which egglog 13.1
evaluated, led to forms of the same costs of the sixty expressions of the tests in 17.9 s of the
processor where an interpreter of patterns took 15.3 s. In a profile of `improve` on eight formulas
an interpreter takes a third of the time, and this a seventh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from relgraph.graph.kanren.codegen import OpWriter
from relgraph.graph.kanren.goals import Where
from relgraph.graph.op import Op
from relgraph.search.egraph import Node

Match = tuple[Any, ...]
"""What the slots of a pattern hold: classes, nodes, parameters of ops, and places of arguments;
None if nothing."""

Matcher = Callable[[Any, Any], Iterator[Match]]
"""Is given an e-graph and a class, and yields the matches there."""


class Order(Enum):
    """In which order the arguments of a node are matched.

    ``EITHER`` is both orders of two arguments where those of the node are unordered; ``ANY`` is
    each choice of as many arguments as the pattern has, at any places.
    """

    AS_WRITTEN = 0
    EITHER = 1
    ANY = 2


@dataclass(frozen=True)
class Leaf:
    """A number or a constant of a pattern, and the slot of its class; -1 if that is not kept."""

    value: Any
    slot: int = -1


@dataclass(eq=False)
class Part:
    """An op of a pattern on its arguments.

    Attributes
    ----------
    head
        What its nodes are found by.
    order
        The order of its arguments.
    arguments
        Its arguments: parts, leaves, and variables.
    slot
        That of its node; -1 if that is not kept.
    places
        If the order is any, the slots of the places of the arguments.
    taker
        Which of these arguments takes all that the others leave; None if none does.
    op
        The op, or a pattern of it with variables; None if the head says all of it.
    output
        Which of several outputs the node is; None if that is not said.
    """

    head: Any
    order: Order
    arguments: list[Any] = field(default_factory=list)
    slot: int = -1
    places: list[int] = field(default_factory=list)
    taker: int | None = None
    op: Any = None
    output: int | None = None

    def reach(self, is_seen: Callable[[Any], bool]) -> int:
        """Return how far below a class something may be that says whether the part matches there.

        Parameters
        ----------
        is_seen
            Whether more is asked of a variable than that there is some class.
        """
        below = [0]
        for argument in self.arguments:
            if isinstance(argument, Part):
                below.append(1 + argument.reach(is_seen))
            elif isinstance(argument, Leaf) or is_seen(argument):
                below.append(1)
        return max(below)


class Lookup(NamedTuple):
    """How nodes are found in a class ``c`` of an ``egraph``, as code.

    Attributes
    ----------
    nodes, sums
        The nodes of a ``head`` in the class; those of sums and products of any order.
    has
        Whether there are some.
    leaf
        Whether the class is that of a ``leaf``.
    """

    nodes: str
    sums: str
    has: str
    leaf: str


def matcher(
    root: Part,
    width: int,
    slots: Mapping[Any, int],
    lookup: Lookup,
    conditions: Iterable[Where] = (),
) -> Matcher:
    """Return the function that matches a pattern.

    Parameters
    ----------
    root
        The pattern.
    width
        How many slots there are.
    slots
        Those of the variables.
    lookup
        How nodes are found.
    conditions
        What has to hold of parameters of ops.
    """
    writer = _Writer(width, slots, lookup, conditions)
    writer.part(root, "at", [])
    found: Matcher = writer.compile_function("match(egraph, at)", "pattern")
    return found


def is_output(node: Node[Any], wanted: int | None) -> bool:
    """Return whether a node is an output of its op: that of a number, or the one that the op
    gives by default."""
    op, index = node.head, node.term.index
    plain = op.default_output == index or (op.nout in (1, None) and index == 0)
    return bool(plain if wanted is None else not plain and index == wanted)


class _Place(NamedTuple):
    """The argument `j` of a part, at any place of the node of a name."""

    part: Part
    j: int
    node: str


_DEEPEST = 14
"""Python nests twenty loops at most; what is further in is a function of its own."""


class _Writer(OpWriter):
    """The lines of a matcher: loops in loops."""

    def __init__(
        self,
        width: int,
        slots: Mapping[Any, int],
        lookup: Lookup,
        conditions: Iterable[Where],
    ) -> None:
        super().__init__({"is_output": is_output})
        self._width, self._slots, self._lookup = width, slots, lookup
        self._conditions = list(conditions)
        self._bound: dict[int, str] = {}

    def _begin_if(self, tests: Sequence[str]) -> None:
        if tests:
            self.begin_block(f"if {' and '.join(tests)}:")

    def part(self, part: Part, c: str, todo: Sequence[Any]) -> None:
        """Add loops over the nodes of a part in a class, and inside what is to be done then."""
        node, head = self.fresh_name("n"), self.global_name(part.head, "k")
        lookup = self._lookup.sums if part.order is Order.ANY else self._lookup.nodes
        self.begin_block(f"for {node} in {lookup.format(c=c, head=head)}:")
        if part.slot >= 0:
            self._bound[part.slot] = node
        if part.op is not None:
            self._head(part, node)
        if part.order is Order.ANY:
            places = (j for j, _ in enumerate(part.arguments) if j != part.taker)
            self._all([*(_Place(part, j, node) for j in places), *todo])
            return
        names = [self.fresh_name("c") for _ in part.arguments]
        unpacked = f"({''.join(f'{name}, ' for name in names)})"
        classes = f"{node}.classes"
        if part.order is Order.EITHER:
            swaps = f"{node}.unordered and {classes}[0] is not {classes}[1]"
            orders = f"({classes}, {classes}[::-1]) if {swaps} else ({classes},)"
            self.begin_block(f"for {unpacked} in {orders}:")
        else:
            self.emit(f"{unpacked} = {classes}")
        pairs = list(zip(part.arguments, names, strict=True))
        self._begin_if([test for a, name in pairs if (test := self._may_be(a, name))])
        self._all([*pairs, *todo])

    def _head(self, part: Part, node: str) -> None:
        """Add tests of the op of a node, and of which of its outputs the node is."""
        count = f"{'>=' if part.order is Order.ANY else '=='} {len(part.arguments)}"
        self.begin_block(f"if len({node}.classes) {count} and is_output({node}, {part.output}):")
        if isinstance(part.op, Op):
            return
        self.match_op(f"{node}.head", part.op)
        self._bound.update((self._slots[v], name) for v, name in self.bound.items())
        for condition in self._conditions[:]:
            if self.bound.keys() >= set(condition.variables):
                self._conditions.remove(condition)
                values = ", ".join(self.bound[v] for v in condition.variables)
                self.begin_block(f"if {self.global_name(condition.function, 'holds')}({values}):")

    def _all(self, todo: Sequence[Any]) -> None:
        """Add lines for arguments in classes, which they may match, and for arguments at places."""
        if self.depth > _DEEPEST:
            todo = list(todo)
            others = [item.node if isinstance(item, _Place) else item[1] for item in todo]
            known = ", ".join(dict.fromkeys(["egraph", *self._bound.values(), *others]))
            inner = self.fresh_name("f")
            self.emit(f"yield from {inner}({known})")
            self.depth = 0
            self.begin_block(f"def {inner}({known}):")
        for k, item in enumerate(todo):
            if isinstance(item, _Place):
                self._place(item, todo[k + 1 :])
                return
            argument, c = item
            if isinstance(argument, Part):
                self.part(argument, c, todo[k + 1 :])
                return
            if not isinstance(argument, Leaf):
                known_as = self._bound.setdefault(self._slots[argument], c)
                if known_as != c:
                    self.begin_block(f"if {c} is {known_as}:")
            elif argument.slot >= 0:
                self._bound[argument.slot] = c
        values = [self._bound.get(k, "None") for k in range(self._width)]
        self.emit(f"yield ({', '.join(values)},)")

    def _place(self, item: _Place, todo: Sequence[Any]) -> None:
        """Add a loop over the places of an argument that are not taken."""
        part, j, node = item
        place, c = self.fresh_name("p"), self.fresh_name("c")
        self.begin_block(f"for {place}, {c} in enumerate({node}.classes):")
        taken = [self._bound[s] for s in part.places[:j] if s in self._bound]
        may_be = self._may_be(part.arguments[j], c)
        self._begin_if([*(f"{place} != {p}" for p in taken), *([may_be] if may_be else [])])
        self._bound[part.places[j]] = place
        self._all([(part.arguments[j], c), *todo])

    def _may_be(self, argument: Any, c: str) -> str:
        """Return a test whether an argument of a pattern may match a class."""
        if isinstance(argument, Part):
            return self._lookup.has.format(c=c, head=self.global_name(argument.head, "k"))
        if isinstance(argument, Leaf):
            return self._lookup.leaf.format(c=c, leaf=self.global_name(argument.value, "k"))
        return ""

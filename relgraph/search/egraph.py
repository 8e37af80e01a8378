"""The e-graph: terms, classes of equal terms, and congruence.

A *term* is a variable of a graph, known by its number. A *class* is a set of terms that are equal;
it is known by the number of one of them, which `find` returns. Terms with the same op on the same
classes are equal too: that is congruence, which `rebuild` restores after classes were united
(Willsey et al., "egg: fast and extensible equality saturation", POPL 2021).

The e-graph of `relgraph.search.accuracy.egraph` holds real numbers with their true values instead;
its docstring says why they are two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation import number_of
from relgraph.graph.opt.merge import constant_key


class Reason(NamedTuple):
    """Why two terms are equal: the label of a law, and its soundness class if that is known."""

    label: str
    sound: str | None


class Edge(NamedTuple):
    """That two terms are equal, by a law from `old` to `new`, or by congruence (None).

    Attributes
    ----------
    flipped
        Whether the law leads from `new` to `old`.
    """

    old: Any
    new: Any
    reason: Any
    flipped: bool


class Between(NamedTuple):
    """Two equal terms at a place, whose steps are part of others."""

    place: Any
    old: Any
    new: Any


class TooLong(Exception):
    """There are more steps from one term to another than anyone would read."""


class ProofForest:
    """Why terms are equal: trees of equal ones, each of which but the root hangs on another.

    Nieuwenhuis and Oliveras, "Proof-producing congruence closure", RTA 2005; Flatt et al., "Small
    proofs from congruence closure", FMCAD 2022.
    """

    def __init__(self) -> None:
        self._links: dict[Any, tuple[Any, Any, bool]] = {}

    def link(self, old: Any, new: Any, reason: Any) -> None:
        """Say why two terms of different trees are equal: `new` becomes the root of its tree, and
        hangs on `old`."""
        term, link = new, (old, reason, True)
        while True:
            before = self._links.get(term)
            self._links[term] = link
            if before is None:
                return
            link = (term, before[1], not before[2])
            term = before[0]

    def path(self, old: Any, new: Any) -> list[Edge]:
        """Return the edges that lead from a term to an equal one."""
        up, down = self._to_root(old), self._to_root(new)
        if next(reversed(up)) != next(reversed(down)):
            raise ValueError(f"{old} and {new} are not equal")
        edges = [self._edge(term) for term in takewhile(lambda t: t not in down, up)]
        back = [self._edge(term) for term in takewhile(lambda t: t not in up, down)]
        return edges + [Edge(e.new, e.old, e.reason, not e.flipped) for e in reversed(back)]

    def steps(
        self,
        whole: Between,
        of_edge: Callable[[Any, Edge], Iterable[Any]],
        most: int,
    ) -> Iterator[Any]:
        """Yield the steps from a term to an equal one.

        Parameters
        ----------
        of_edge
            Returns what an edge at a place consists of: steps, and what is `Between` arguments.
        most
            How many steps there may be.

        Raises
        ------
        TooLong
            If there are more.
        """
        waiting: list[Any] = [whole]
        made = 0
        while waiting:
            item = waiting.pop()
            if not isinstance(item, Between):
                made += 1
                if made > most:
                    raise TooLong
                yield item
            elif item.old != item.new:
                edges = self.path(item.old, item.new)
                waiting += reversed([s for edge in edges for s in of_edge(item.place, edge)])

    def _to_root(self, term: Any) -> dict[Any, None]:
        found = {term: None}
        while term in self._links:
            term = self._links[term][0]
            found[term] = None
        return found

    def _edge(self, term: Any) -> Edge:
        return Edge(term, *self._links[term])


class EGraph:
    """Terms and the classes of equal ones.

    Parameters
    ----------
    regroups
        Whether sums and products of three or more terms are equal in any order, which rounds
        otherwise. Two are equal in any order where that is exact.

    Attributes
    ----------
    variables
        The terms by number.
    unions
        The pairs of terms that were united, in order, by laws and by congruence.
    why
        Why terms are equal.
    """

    def __init__(self, regroups: bool = True) -> None:
        self.variables: list[Variable] = []
        self.unions: list[tuple[int, int]] = []
        self.regroups = regroups
        self._numbers: dict[Variable, int] = {}
        self._children: list[tuple[int, ...]] = []
        self._exact: dict[Hashable, int] = {}
        self._parent: list[int] = []
        self._members: dict[int, list[int]] = {}
        self._readers: dict[int, list[int]] = {}
        self._table: dict[Hashable, int] = {}
        self._pending: list[int] = []
        self.why = ProofForest()
        self._constants: dict[int, Variable] = {}
        self._uniform: set[int] = set()

    def __len__(self) -> int:
        return len(self.variables)

    # -- terms ---------------------------------------------------------------------------------

    def add(self, var: Variable) -> int:
        """Return the number of a variable, which is added with all that it is computed from.

        A variable that is built like one that is there gets the number of that one.
        """
        stack = [var]
        while stack:
            top = stack[-1]
            if top in self._numbers:
                stack.pop()
                continue
            inputs = [] if top.owner is None else top.owner.inputs
            missing = [v for v in inputs if v not in self._numbers]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            self._numbers[top] = self._add(top)
        return self._numbers[var]

    def known(self, op: Any, index: int, children: Sequence[int]) -> Variable | None:
        """Return the term of an op on terms, if there is one."""
        number = self._exact.get((op, index, *children)) if op.pure else None
        return None if number is None else self.variables[number]

    def children(self, term: int) -> tuple[int, ...]:
        """Return the terms that a term is computed from."""
        return self._children[term]

    def _add(self, var: Variable) -> int:
        node = var.owner
        if node is None:
            key = (constant_key(var) if isinstance(var, Constant) else None) or (var,)
            return self._exact[key] if key in self._exact else self._new(var, (), key)
        children = tuple(self._numbers[v] for v in node.inputs)
        assert var.index is not None
        key = (node.op if node.op.pure else node, var.index, *children)
        if key in self._exact:
            return self._exact[key]
        own = [self.variables[k] for k in children]
        if own != node.inputs:
            var = node.clone_with_new_inputs(own, strict=False).outputs[var.index]
        return self._new(var, children, key)

    def _new(self, var: Variable, children: tuple[int, ...], key: Hashable) -> int:
        number = len(self.variables)
        self.variables.append(var)
        self._numbers[var] = number
        self._exact[key] = number
        self._children.append(children)
        self._parent.append(number)
        self._members[number] = [number]
        self._readers[number] = []
        if number_of(var) is not None:
            self._constants[number] = var
            self._uniform.add(number)
        if var.owner is not None:
            for child in {self.find(k) for k in children}:
                self._readers[child].append(number)
            known = self._table.setdefault(self._key(number), number)
            if known != number:
                self._unite(known, number, None)
        return number

    def _key(self, term: int) -> Hashable:
        """Return the op of a term and the classes of its arguments, in order if that counts."""
        var = self.variables[term]
        node = var.owner
        assert node is not None
        classes = [self.find(k) for k in self._children[term]]
        if self.is_unordered(node):
            classes.sort()
        # what is told of axes of length 1 may differ: a length is a number, or computed
        kind = getattr(var.type, "broadcastable", None)
        return (node.op if node.op.pure else node, var.index, kind, *classes)

    def is_unordered(self, node: Apply) -> bool:
        """Return whether the order of the arguments of a node does not count."""
        op = node.op
        if not op.commutative or op.destroy_map:
            return False
        if len(node.inputs) == 2:
            dtype = getattr(node.outputs[0].type, "dtype", None)
            return self.regroups or dtype not in op.rounds_by_order
        return self.regroups and op.associative

    # -- classes -------------------------------------------------------------------------------

    def find(self, term: int) -> int:
        """Return the class of a term."""
        parent = self._parent
        while parent[term] != term:
            parent[term] = parent[parent[term]]
            term = parent[term]
        return term

    def classes(self) -> Iterator[tuple[int, list[int]]]:
        """Yield each class with its terms."""
        yield from self._members.items()

    def members(self, term: int) -> list[int]:
        """Return the terms that are equal to a term."""
        return self._members[self.find(term)]

    def readers(self, term: int) -> Sequence[int]:
        """Return the terms that have an argument equal to a term."""
        return self._readers[self.find(term)]

    def representative(self, term: int) -> Variable:
        """Return the variable that stands for the class of a term: a constant if there is one."""
        found = self.find(term)
        constant = self._constants.get(found)
        return self.variables[found] if constant is None else constant

    def constant(self, term: int) -> Variable | None:
        """Return a variable equal to a term whose every element is one number; or None."""
        return self._constants.get(self.find(term))

    def is_constant(self, term: int) -> bool:
        """Return whether every element of a term, by itself, is known to be one number."""
        return term in self._uniform

    def version(self, term: int) -> int:
        """Return a number that grows when something is learned about the class of a term."""
        return len(self.members(term))

    def is_canonical(self, term: int) -> bool:
        """Return whether a term is the first one of its op on its classes."""
        return self._table.get(self._key(term)) == term

    def union(self, old: int, new: int, reason: Reason) -> bool:
        """State that two terms are equal; return whether that is new. `rebuild` afterwards."""
        return self._unite(old, new, reason)

    def _unite(self, old: int, new: int, reason: Reason | None) -> bool:
        kept, gone = self.find(old), self.find(new)
        if kept == gone:
            return False
        self.why.link(old, new, reason)
        if gone < kept:
            kept, gone = gone, kept
        self.unions.append((kept, gone))
        self._parent[gone] = kept
        self._members[kept].extend(self._members.pop(gone))
        self._pending.extend(self._readers[gone])
        self._readers[kept].extend(self._readers.pop(gone))
        if gone in self._constants:
            self._constants.setdefault(kept, self._constants[gone])
        return True

    def rebuild(self) -> None:
        """Unite the terms that have become congruent."""
        while self._pending:
            terms, self._pending = dict.fromkeys(self._pending), []
            for term in terms:
                known = self._table.setdefault(self._key(term), term)
                if known != term:
                    self._unite(known, term, None)

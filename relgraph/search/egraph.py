"""The e-graph: terms, classes of equal terms, congruence, and why terms are equal.

A *class* is a set of terms that are equal. Terms with the same op on the same classes are equal
too: that is congruence, which `rebuild` restores after classes were joined. What a term is, and
what is known of a class (its *analysis*), a subclass of `EGraph` says.

Nelson and Oppen, "Fast decision procedures based on congruence closure", JACM 1980; Willsey et al.,
"egg: fast and extensible equality saturation", POPL 2021.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Congruent(NamedTuple):
    """Why two terms are equal: they have the same op on equal arguments.

    Attributes
    ----------
    order
        The places in the one term of the arguments of the other; None if they are the same.
    """

    order: tuple[int, ...] | None = None


class Edge(NamedTuple):
    """That two terms are equal.

    Attributes
    ----------
    old, new
        The terms.
    reason
        Why: `Congruent`, or what was given to `EGraph.join`.
    flipped
        Whether the reason leads from `new` to `old`.
    """

    old: Any
    new: Any
    reason: Any
    flipped: bool


class Rewrite(NamedTuple):
    """A step from a term to an equal one at a place.

    Attributes
    ----------
    path
        The place: the positions of arguments from the whole on.
    old, new, reason, flipped
        See `Edge`; the reason is `Congruent` where arguments change their order.
    """

    path: tuple[int, ...]
    old: Any
    new: Any
    reason: Any
    flipped: bool


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

    def _to_root(self, term: Any) -> dict[Any, None]:
        found = {term: None}
        while term in self._links:
            term = self._links[term][0]
            found[term] = None
        return found

    def _edge(self, term: Any) -> Edge:
        return Edge(term, *self._links[term])


class Node(Generic[T]):
    """A term of a class.

    Attributes
    ----------
    term
        The term.
    head
        Its op.
    classes
        The classes of its arguments, as they were after the last `EGraph.rebuild`.
    signature
        What terms on the same classes have to have in common to be equal.
    unordered
        Whether the order of its arguments does not count.
    is_copy
        Whether another node has the same signature and classes; this one is in no class then.
    """

    __slots__ = ("classes", "head", "is_copy", "signature", "term", "unordered")

    def __init__(
        self, term: T, head: Any, classes: tuple[Any, ...], signature: Any, unordered: bool
    ) -> None:
        self.term, self.head, self.classes = term, head, classes
        self.signature, self.unordered = signature, unordered
        self.is_copy = False

    @property
    def key(self) -> Hashable:
        """What it has in common with its copies."""
        if not self.classes:
            return self.term
        places = [c.index for c in self.classes]
        if self.unordered:
            places.sort()
        return (self.signature, *places)


class EClass(Generic[T]):
    """Terms that are equal.

    Attributes
    ----------
    index
        Its number.
    nodes
        Its nodes by op, one for each list of classes of arguments.
    readers
        The nodes of which it is an argument.
    best
        The term that represents it: the one with the least rank.
    rank
        The rank of that.
    terms
        How many terms have been found to be equal.
    """

    def __init__(self, index: int) -> None:
        self.index = index
        self.nodes: dict[Any, list[Node[T]]] = {}
        self.readers: list[Node[T]] = []
        self.best: T
        self.rank: Any
        self.terms = 1
        self._joined: EClass[T] | None = None

    def root(self) -> Any:
        """Return the class that this one has become a part of, or itself."""
        c = self
        while c._joined is not None:
            c = c._joined
        if self is not c:
            self._joined = c
        return c

    def become_part_of(self, other: EClass[T]) -> None:
        """Hand over all terms to another class."""
        self._joined = other
        for head, nodes in self.nodes.items():
            other.nodes.setdefault(head, []).extend(nodes)
        other.readers.extend(self.readers)
        other.terms += self.terms
        other.prefer(self.best, self.rank)

    def prefer(self, term: T, rank: Any) -> None:
        """Let a term represent the class if its rank is less."""
        if rank < self.rank:
            self.best, self.rank = term, rank

    def all_nodes(self) -> Iterable[Node[T]]:
        """Return the nodes of all ops."""
        for nodes in self.nodes.values():
            yield from nodes


class EGraph(Generic[T]):
    """Classes of equal terms.

    Attributes
    ----------
    made
        All nodes, in order.
    joined
        The classes that others have become a part of, in order.
    why
        Why terms are equal.
    """

    def __init__(self) -> None:
        self.made: list[Node[T]] = []
        self.joined: list[Any] = []
        self.why = ProofForest()
        self._classes: dict[T, Any] = {}
        self._known: dict[Hashable, Node[T]] = {}
        self._changed: list[Any] = []
        self._copies = 0

    def __len__(self) -> int:
        """Return how many terms there are, equal ones too."""
        return len(self._classes)

    @property
    def size(self) -> int:
        """How many nodes there are in all classes."""
        return len(self.made) - self._copies

    # -- what a kind of terms says -----------------------------------------------------------------

    def arguments(self, term: T) -> Sequence[T]:
        """Return what a term is made of."""
        raise NotImplementedError

    def node(self, term: T, classes: tuple[Any, ...]) -> Node[T]:
        """Return the node of a term."""
        raise NotImplementedError

    def new_class(self, index: int, node: Node[T]) -> Any:
        """Return the class of a node, with what is known of it."""
        return EClass(index)

    def rank(self, term: T) -> Any:
        """Return the rank of a term: the least one of a class represents it."""
        raise NotImplementedError

    def agrees(self, a: Any, b: Any) -> bool:
        """Return whether two classes may be equal, by what is known of them."""
        return True

    def take_over(self, kept: Any, gone: Any) -> None:
        """Learn of a class what is known of another one, which becomes a part of it."""

    def look_at(self, node: Node[T]) -> None:
        """Learn from a node that is new, or of which an argument was joined with another class."""

    def turned(self, term: T, order: Sequence[int]) -> T:
        """Return a term with its arguments in another order."""
        raise NotImplementedError

    # -- terms -------------------------------------------------------------------------------------

    def find(self, term: T) -> Any:
        """Return the class of a term that was added."""
        return self._classes[term].root()

    def classes(self) -> Collection[Any]:
        """Return all classes."""
        return dict.fromkeys(self.find(node.term) for node in self.made)

    def add(self, term: T) -> Any:
        """Return the class of a term; it is added if it is new."""
        known = self._classes.get(term)
        if known is not None:
            return known.root()
        node = self.node(term, tuple([self.add(a) for a in self.arguments(term)]))
        key = node.key
        same = self._known.get(key)
        if same is None:
            return self._new(node, key)
        found = self._classes[term] = self.find(same.term)
        self.why.link(term, same.term, _congruence(node, same))
        found.terms += 1
        found.prefer(term, self.rank(term))
        return found

    def _new(self, node: Node[T], key: Hashable) -> Any:
        new = self.new_class(len(self.made), node)
        self.made.append(node)
        new.nodes[node.head] = [node]
        new.best, new.rank = node.term, self.rank(node.term)
        self._known[key] = node
        self._classes[node.term] = new
        for c in dict.fromkeys(node.classes):
            c.readers.append(node)
        self.look_at(node)
        return new.root()

    # -- equality ----------------------------------------------------------------------------------

    def unite(self, old: T, new: T, reason: Any) -> Any:
        """State that two terms are equal, unless that is known or their classes do not agree.

        Returns
        -------
        found
            Their class; None if nothing was stated. `rebuild` afterwards.
        """
        a, b = self.add(old), self.add(new)
        if a.root() is b.root() or not self.agrees(a, b):
            return None
        return self.join(old, new, reason)

    def join(self, old: T, new: T, reason: Any) -> Any:
        """State that two terms are equal, and return their class. `rebuild` afterwards."""
        kept, gone = self.add(old), self.add(new)
        if kept is gone:
            return kept
        self.why.link(old, new, reason)
        if len(kept.readers) < len(gone.readers):
            kept, gone = gone, kept
        gone.become_part_of(kept)
        self.take_over(kept, gone)
        self._changed.append(kept)
        self.joined.append(kept)
        return kept

    def rebuild(self) -> None:
        """Join the classes of terms whose arguments have become equal."""
        while self._changed:
            changed, self._changed = dict.fromkeys(c.root() for c in self._changed), []
            for c in changed:
                for node in dict.fromkeys(c.root().readers):
                    if not node.is_copy:
                        self._renew(node)
                c = c.root()
                c.readers = [n for n in dict.fromkeys(c.readers) if not n.is_copy]

    def _renew(self, node: Node[T]) -> None:
        """See on which classes a node is now."""
        node.classes = tuple([c.root() for c in node.classes])
        same = self._known.setdefault(node.key, node)
        if same is node:
            self.look_at(node)
            return
        self.join(node.term, same.term, _congruence(node, same))
        self.find(node.term).nodes[node.head].remove(node)
        node.is_copy = True
        self._copies += 1

    def rewrites(self, old: T, new: T, most: int) -> Iterator[Rewrite]:
        """Yield the steps from a term to an equal one.

        Parameters
        ----------
        most
            How many steps there may be.

        Raises
        ------
        TooLong
            If there are more.
        """
        waiting: list[Any] = [((), old, new)]
        made = 0
        while waiting:
            item = waiting.pop()
            if isinstance(item, Rewrite):
                made += 1
                if made > most:
                    raise TooLong
                yield item
            elif item[1] != item[2]:
                path, before, after = item
                edges = self.why.path(before, after)
                waiting += reversed([s for edge in edges for s in self._of_edge(path, edge)])

    def _of_edge(self, path: tuple[int, ...], edge: Edge) -> Iterator[Any]:
        """Yield what an edge consists of: a step, or what makes the arguments of one term those of
        another, and where."""
        before, after, reason, flipped = edge
        if not isinstance(reason, Congruent):
            yield Rewrite(path, *edge)
            return
        if reason.order is not None:
            order = _inverse(reason.order) if flipped else reason.order
            turned = self.turned(before, order)
            yield Rewrite(path, before, turned, reason, flipped)
            before = turned
        pairs = zip(self.arguments(before), self.arguments(after), strict=True)
        yield from (((*path, k), a, b) for k, (a, b) in enumerate(pairs))


def _congruence(old: Node[Any], new: Node[Any]) -> Congruent:
    before, after = ([c.root() for c in node.classes] for node in (old, new))
    if before == after:
        return Congruent()
    places = defaultdict(list)
    for k, c in enumerate(before):
        places[c].append(k)
    return Congruent(tuple(places[c].pop(0) for c in after))


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))

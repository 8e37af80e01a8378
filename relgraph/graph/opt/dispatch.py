"""Which rewriters to try on a node, by its Op."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.numbers import number_key, number_of
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, Tracked

# Patterns are not as wide as this, so that all nodes that are look the same to them.
WIDE = 32

# Ops made by the thousand (one for each inner graph) must not pile up in a long-lived table.
LIMIT = 10_000


def is_bag(head: Any) -> bool:
    """Whether the head of a variable is an op whose arguments are a bag."""
    known = head is not None and head is not Constant
    return known and bool(head.associative and head.commutative)


def heads_of_terms(node: Apply) -> list[Any]:
    """The heads of the arguments of a sum, those of the sums of its op that are nested in it in
    their place; and the op itself, for nested sums that somebody may leave whole."""
    op, heads = node.op, [node.op]
    seen: set[Variable] = set()
    stack = list(node.inputs)
    while stack:
        var = stack.pop()
        if var.head is op and var.owner is not None and var not in seen:
            seen.add(var)
            stack += var.owner.inputs
        else:
            heads.append(var.head)
    return heads


class Dispatch:
    """An ordered group of LocalOptimizers, looked up by Op.

    The answer for an Op (those that track it, its class or a base class, and those that track
    nothing in particular, in the order given) is made once and kept.
    """

    __slots__ = ("_by_op", "rewriters")

    def __init__(self, rewriters: Iterable[LocalOptimizer]):
        self.rewriters = tuple(rewriters)
        self._by_op: dict[Op, tuple[LocalOptimizer, ...]] = {}

    def on(self, node: Apply) -> tuple[LocalOptimizer, ...]:
        """The rewriters that may match `node`, and others of its structure."""
        rewriters = self[node.op]
        if len(node.inputs) >= WIDE and not is_bag(node.op):
            return rewriters
        return tuple([r for r in rewriters if r.might_match(node)])

    def __getitem__(self, op: Op) -> tuple[LocalOptimizer, ...]:
        found = self._by_op.get(op)
        if found is None:
            if len(self._by_op) >= LIMIT:
                self._by_op.clear()
            found = self._by_op[op] = tuple(r for r in self.rewriters if tracks_op(r, op))
        return found


@dataclass(frozen=True, slots=True)
class Plan:
    """What an equilibrium does on the nodes of one structure.

    Attributes
    ----------
    idle
        Whether there is nothing to do.
    early, late
        The rewriters to try at once, and those to try when the others have nothing left to do.
    nested
        Of the early ones, those to try on a sum that only another sum reads.
    unknown
        Those that may depend on anything, however far from the node.
    bag
        Whether the op is one whose arguments are a bag; the node is called a sum then.
    nest, sums
        Whether an input is computed by the same op, or is any sum.
    by_numbers
        What knows better if some of them want a number among the arguments.
    """

    idle: bool
    early: tuple[LocalOptimizer, ...]
    late: tuple[LocalOptimizer, ...]
    nested: tuple[LocalOptimizer, ...]
    unknown: tuple[LocalOptimizer, ...]
    bag: bool
    nest: bool
    sums: bool
    by_numbers: ByNumbers | None = None


class ByNumbers:
    """The plans for nodes of one structure, which differ in the numbers among their arguments."""

    __slots__ = ("_bits", "_numbers", "_plans", "_whole")

    def __init__(self, whole: Plan) -> None:
        self._whole = whole
        rewriters = (*whole.early, *whole.late)
        self._numbers = tuple(dict.fromkeys(n for r in rewriters for n in r.numbers))
        self._bits: dict[Hashable, int] = {}
        self._plans: dict[int, Plan] = {}

    def on(self, node: Apply) -> Plan:
        """What to do on `node`."""
        bits = 0
        for var in node.inputs:
            head = var.head
            if head is not None and (head is Constant or head.repeats is not None):
                number = number_of(var)
                if number is not None:
                    bits |= self._told(number)
        found = self._plans.get(bits)
        if found is None:
            found = self._plans[bits] = self._plan(bits)
        return found

    def _told(self, number: Any) -> int:
        """Return which of the numbers that rewriters want this is."""
        key = number_key(number)
        bits = self._bits.get(key)
        if bits is None:
            if len(self._bits) >= LIMIT:
                self._bits.clear()
            bits = sum(1 << i for i, n in enumerate(self._numbers) if n.is_value(number))
            self._bits[key] = bits
        return bits

    def _plan(self, bits: int) -> Plan:
        here = {n for i, n in enumerate(self._numbers) if bits >> i & 1}
        return narrowed(self._whole, lambda r: r.numbers <= here)


def narrowed(plan: Plan, wanted: Callable[[LocalOptimizer], bool]) -> Plan:
    """What is left of a plan of which only some rewriters are wanted."""
    early, late, nested, unknown = (
        tuple([r for r in rewriters if wanted(r)])
        for rewriters in (plan.early, plan.late, plan.nested, plan.unknown)
    )
    idle = not early and not late and not plan.bag
    return Plan(idle, early, late, nested, unknown, plan.bag, plan.nest, plan.sums)


def by_numbers(plan: Plan) -> Plan:
    """The same plan, which tells apart nodes with different numbers if a rewriter does."""
    # the numbers may be arguments of a sum in the sum
    if plan.nest or not any(r.numbers for r in (*plan.early, *plan.late)):
        return plan
    return replace(plan, by_numbers=ByNumbers(plan))


class Reaches(dict[Op, int]):
    """By op, how many levels of nodes the rewriters for its nodes look at: those that may do
    something in a graph of some ops.

    Attributes
    ----------
    deepest
        How many levels any of them looks at.
    """

    def __init__(self, dispatch: Dispatch, ops: Iterable[Op] | None) -> None:
        super().__init__()
        self._dispatch = dispatch
        self._here = ops and {*ops, *(cls for op in ops for cls in type(op).__mro__)}
        self.deepest = self._deepest(dispatch.rewriters)

    def __missing__(self, op: Op) -> int:
        if len(self) >= LIMIT:
            self.clear()
        found = self[op] = self._deepest(self._dispatch[op])
        return found

    def _deepest(self, rewriters: Iterable[LocalOptimizer]) -> int:
        here = self._here
        return deepest_of([r for r in rewriters if here is None or r.wants <= here])


# A rewriter that does not say how deep it looks most often looks at a node and what it reads.
USUAL_DEPTH = 2


def deepest_of(rewriters: Iterable[LocalOptimizer], default: int = 1) -> int:
    """How many levels of nodes any of some rewriters looks at; `default` if there are none."""
    depths = [USUAL_DEPTH if r.depth is None else r.depth for r in rewriters]
    return max(depths, default=default)


class RewriterTables:
    """Which of some rewriters an equilibrium tries on which nodes, and how far they see.

    What is found out about the structures of nodes is kept, so that it pays to keep the tables for
    as long as the rewriters.

    Attributes
    ----------
    unknown
        Whether some of them may depend on anything, however far from the node.
    bounded
        The others.
    blind
        How many levels are looked at by those that don't tell what they look into; 0 if all do.
    reaches
        How many levels of nodes they look at, by op.
    """

    __slots__ = (
        "_blind_reach",
        "_concerned",
        "_dispatch",
        "_nests",
        "_pairs",
        "_plans",
        "_reaches_among",
        "_seen",
        "_silent",
        "_whole",
        "blind",
        "bounded",
        "reaches",
        "unknown",
    )

    def __init__(
        self,
        rewriters: Iterable[LocalOptimizer],
        whole: RewriterTables | None = None,
    ) -> None:
        every = tuple(rewriters)
        self._whole = whole
        self.bounded = frozenset(r for r in every if r.depth is not None)
        self.unknown = len(self.bounded) < len(set(every))
        self._dispatch = Dispatch(every)
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._concerned: dict[tuple[frozenset[RewriterTables], int], RewriterTables] = {}
        self.reaches = Reaches(self._dispatch, None)
        self._nests: dict[tuple[Any, ...], tuple[LocalOptimizer, ...]] = {}
        self._reaches_among: dict[frozenset[Op], Reaches] = {}
        told = [(r, r.looks_into()) for r in every]
        self._pairs = frozenset(pair for _, pairs in told for pair in pairs or ())
        self._seen: dict[tuple[Op, Op], bool] = {}
        self._silent = Dispatch(r for r, pairs in told if pairs is None)
        self._blind_reach: dict[Op, int] = {}
        self.blind = deepest_of(self._silent.rewriters, 0)

    def on(self, node: Apply) -> Plan:
        """What to do on `node`, by its op, and the heads and numbers of its inputs."""
        op, inputs = node.op, node.inputs
        count = len(inputs)
        key: tuple[Any, ...]
        if count == 1:
            key = (op, inputs[0].head)
        elif count == 2:
            key = (op, inputs[0].head, inputs[1].head)
        elif is_bag(op):
            # of a bag it matters which heads there are, not where
            key = (op, min(count, WIDE), frozenset([v.head for v in inputs]))
        elif count < WIDE:
            key = (op, *[v.head for v in inputs])
        else:
            key = (op, WIDE)
        found = self._plans.get(key)
        if found is None:
            found = self._on_structure(key, node)
        return found if found.by_numbers is None else found.by_numbers.on(node)

    def _on_structure(self, key: tuple[Any, ...], node: Apply) -> Plan:
        """What to do on nodes like `node`, which have this key."""
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) >= LIMIT:
                self._plans.clear()
            found = self._plans[key] = self._plan(key, node)
        return found

    def on_nest(self, node: Apply, plan: Plan) -> tuple[LocalOptimizer, ...]:
        """Those of the early rewriters of a plan to try on `node`, a sum with sums nested in it."""
        heads = heads_of_terms(node)
        kinds = frozenset(heads)
        key = (plan.early, kinds, len(kinds) < len(heads))
        found = self._nests.get(key)
        if found is None:
            if len(self._nests) >= LIMIT:
                self._nests.clear()
            told = [*kinds, *kinds] if len(kinds) < len(heads) else heads
            found = self._nests[key] = tuple([r for r in plan.early if r.fits_sum(told)])
        return found

    def _plan(self, key: tuple[Any, ...], node: Apply) -> Plan:
        if self._whole is not None:
            here = set(self._dispatch.rewriters)
            return by_numbers(narrowed(self._whole._on_structure(key, node), here.__contains__))
        return by_numbers(self._whole_plan(node))

    def _whole_plan(self, node: Apply) -> Plan:
        rewriters, heads = self._dispatch.on(node), [v.head for v in node.inputs]
        early, bag = tuple(r for r in rewriters if not r.late), is_bag(node.op)
        return Plan(
            not rewriters and not bag,
            early,
            tuple(r for r in rewriters if r.late),
            tuple(r for r in early if not r.regroups),
            tuple(r for r in rewriters if r.depth is None),
            bag,
            bag and node.op in heads,
            any(is_bag(head) for head in heads),
        )

    def concerned(self, tried: frozenset[RewriterTables], distance: int) -> RewriterTables:
        """The tables of the rewriters that may do something on nodes on which those of `tried` did
        nothing before a change so many levels below; these tables, if that is all."""
        key = (tried, distance)
        found = self._concerned.get(key)
        if found is None:
            if len(self._concerned) >= WIDE:
                self._concerned.clear()
            idle = {r for tables in tried for r in tables.bounded}
            every = self._dispatch.rewriters
            left = [r for r in every if r not in idle or r.depth is None or r.depth > distance]
            found = self if len(left) == len(every) else RewriterTables(left, self)
            self._concerned[key] = found
        return found

    def see_into(self, outer: Op, inner: Op) -> bool:
        """Whether some rewriter looks at the inputs of a node of `inner` that one of `outer` reads.

        That is among those that tell; see `blind` for the others.
        """
        found = self._seen.get((outer, inner))
        if found is None:
            if len(self._seen) >= LIMIT:
                self._seen.clear()
            found = self._seen[outer, inner] = (
                inner.repeats is not None
                or (outer is inner and is_bag(outer))
                or any(_is_one(outer, a) and _is_one(inner, b) for a, b in self._pairs)
            )
        return found

    def reaches_among(self, ops: frozenset[Op]) -> Reaches:
        """How many levels of nodes those look at that may do something where there are no other
        ops than these."""
        found = self._reaches_among.get(ops)
        if found is None:
            if len(self._reaches_among) >= LIMIT:
                self._reaches_among.clear()
            found = self._reaches_among[ops] = Reaches(self._dispatch, ops)
        return found

    def blind_reach(self, op: Op) -> int:
        """The same for those that don't tell what they look into; 0 if there is none."""
        found = self._blind_reach.get(op)
        if found is None:
            if len(self._blind_reach) > LIMIT:
                self._blind_reach.clear()
            found = self._blind_reach[op] = deepest_of(self._silent[op], 0)
        return found


def tracks_op(rewriter: LocalOptimizer, op: Op) -> bool:
    """Whether `rewriter` wants to see nodes of `op`."""
    tracks = rewriter.tracks()
    return tracks is None or any(_is_one(op, tracked) for tracked in tracks)


def _is_one(op: Op, tracked: Tracked) -> bool:
    return isinstance(op, tracked) if isinstance(tracked, type) else op == tracked

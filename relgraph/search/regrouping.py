"""Regrouping: sums and products in other groups, which no pattern says.

Regrouping holds of all of them. Whatever is grouped is added or multiplied in the dtype of the
whole: two integers beside a float are added as floats, and among themselves they may wrap around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.goals import fitted
from relgraph.graph.kanren.matching import combine_arguments
from relgraph.graph.kanren.rules import is_ac
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op
from relgraph.search.egraph import Node
from relgraph.search.matching import Match
from relgraph.search.saturation import Equal
from relgraph.search.variables import Class, Reason, Sides, VariableEGraph, node_of

UNITS = {"add": 0, "mul": 1}
"""What may be left out of a sum, or of a product."""


class Regrouping:
    """A law about every sum or product: a `Rule` of a saturation."""

    name: ClassVar[str]
    reach = 1

    def may_match(self, node: Node[Variable]) -> bool:
        """Return whether a node is a sum or product of any order and grouping."""
        return is_ac(node.head)

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        """Yield what the law may be about in a class: the numbers of sums, and places in them."""
        for op in [op for op in at.nodes if is_ac(op)]:
            yield from self.of_sums(egraph, at, op)

    def of_sums(self, egraph: VariableEGraph, at: Class, op: Op) -> Iterator[Match]:
        """Yield the same of the sums or products by an op."""
        raise NotImplementedError

    def subjects(self, egraph: VariableEGraph, match: Match) -> Iterator[Class]:
        """Yield the classes of the sums that a match is about."""
        return (egraph.find(item.term) for item in match if isinstance(item, Node))

    def sides(self, egraph: VariableEGraph, match: Match) -> Sequence[Equal]:
        """Return a sum, and the same terms in other groups; nothing if that is not another form."""
        both = self.groups(egraph, match)
        # -0 + 0 is 0
        reason = Reason(f"{self.name}-{match[0].head}", "rounding")
        return () if both is None else ((*both, reason),)

    def groups(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        """Return the two sides; None if the other one is not another form."""
        raise NotImplementedError


class Flattening(Regrouping):
    """``(x + y) + z → x + y + z``, for sums in the class of an argument."""

    name = "flatten"

    def of_sums(self, egraph: VariableEGraph, at: Class, op: Op) -> Iterator[Match]:
        for outer in egraph.sums(at, op):
            for place, argument in enumerate(outer.classes):
                for inner in egraph.sums(argument, op):
                    yield outer, place, inner

    def groups(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        outer, place, inner = match
        classes = {c.root() for c in inner.classes}
        if egraph.find(outer.term) in classes or egraph.find(inner.term) in classes:
            return None  # x = x + 0: it would grow without end
        node, arguments = node_of(outer)
        nested = node_of(inner)[1]
        within = combine_arguments(node, nested)
        if within is None:
            return None
        before, after = arguments[:place], arguments[place + 1 :]
        return _sides(node, [*before, within, *after], [*before, *nested, *after])


class Sharing(Regrouping):
    """``x + y + z → (x + y) + z`` where there is another sum that ``x`` and ``y`` are part of."""

    name = "share"

    def of_sums(self, egraph: VariableEGraph, at: Class, op: Op) -> Iterator[Match]:
        for one in egraph.sums(at, op):
            readers = dict.fromkeys(egraph.find(r.term) for c in one.classes for r in c.readers)
            for other in (other for c in readers for other in egraph.sums(c, op)):
                if other is not one and _have_two_in_common(one, other):
                    yield one, other
                    yield other, one

    def groups(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        one, other = match
        left = [c.root() for c in other.classes]
        common: list[Variable] = []
        rest: list[Variable] = []
        for c in (c.root() for c in one.classes):
            if c in left:
                left.remove(c)
                common.append(c.best)
            else:
                rest.append(c.best)
        node, arguments = node_of(one)
        both = combine_arguments(node, common) if len(common) > 1 and rest else None
        return None if both is None else _sides(node, arguments, [both, *rest])


def _have_two_in_common(one: Node[Variable], other: Node[Variable]) -> bool:
    """Return whether two arguments of a sum are arguments of another one."""
    return (Counter(one.classes) & Counter(other.classes)).total() > 1


class GroupingByShape(Regrouping):
    """``c * x * d → (c * d) * x``: what has fewer numbers is added or multiplied first."""

    name = "group"

    def of_sums(self, egraph: VariableEGraph, at: Class, op: Op) -> Iterator[Match]:
        yield from ((s,) for s in egraph.sums(at, op) if len(s.classes) > 2)

    def groups(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        node, arguments = node_of(match[0])
        ndim = max(v.type.ndim for v in arguments)
        groups: dict[tuple[bool, ...], list[Variable]] = {}
        for v in arguments:
            pattern = (True,) * (ndim - v.type.ndim) + tuple(v.type.broadcastable)
            groups.setdefault(pattern, []).append(v)
        if len(groups) < 2 or len(groups) == len(arguments):
            return None
        sums = [
            combine_arguments(node, group)
            for _, group in sorted(groups.items(), key=lambda item: -sum(item[0]))
        ]
        made = [v for v in sums if v is not None]
        return _sides(node, arguments, made) if len(made) == len(sums) else None


class DroppingUnits(Regrouping):
    """``x + y + 0 → x + y`` and ``x * y * 1 → x * y``; it is asked of every sum or product."""

    name = "drop-unit"

    def groups(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        node, arguments = node_of(match[0])
        unit = UNITS.get(str(node.op))
        others = [v for v in arguments if unit is None or number_of(v) != unit]
        if len(others) in (0, 1, len(arguments)) or combine_arguments(node, others) is None:
            return None
        return _sides(node, arguments, others)


def _sides(node: Apply, old: Sequence[Variable], new: Sequence[Variable]) -> Sides | None:
    before = node.op.make_node(*old).outputs[0]
    after = fitted(node.op.make_node(*new).outputs[0], before)
    return None if after is None else (before, after)


REGROUPINGS = (Flattening(), Sharing(), GroupingByShape())


class Thinning:
    """Drops the sums and products of which another one says the same, or a shorter one.

    Parameters
    ----------
    egraph
        The e-graph, of which `Saturation` tells the new nodes.
    """

    def __init__(self, egraph: VariableEGraph) -> None:
        self._egraph = egraph
        self._sums: list[Node[Variable]] = []
        self._dropping = DroppingUnits()

    def __call__(self, new: Sequence[Node[Variable]]) -> Iterator[Equal]:
        """Drop sums, and yield those without units that they are equal to."""
        kept = []
        for node in [*self._sums, *(n for n in new if is_ac(n.head))]:
            without: Sequence[Equal] = ()
            is_known = node.is_copy or self._egraph.find(node.term) in node.classes
            if not is_known and self._egraph.regroups:
                without = self._dropping.sides(self._egraph, (node,))
                yield from without
            if is_known or without:
                self._egraph.drop(node)
            else:
                kept.append(node)
        self._sums = kept

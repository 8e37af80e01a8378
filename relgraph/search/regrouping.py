"""Regrouping: sums and products in other groups, which no pattern says.

Regrouping holds of all of them. Whatever is grouped is added or multiplied in the dtype of the
whole: two integers beside a float are added as floats, and among themselves they may wrap around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.goals import fitted
from relgraph.graph.kanren.matching import combine_arguments
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op
from relgraph.search.egraph import Node
from relgraph.search.matching import Match
from relgraph.search.variables import Class, Sides, VariableEGraph, node_of

UNITS = {"add": 0, "mul": 1}
"""What may be left out of a sum, or of a product."""


class Regrouping:
    """A law about every sum or product by an op.

    Attributes
    ----------
    label, sound
        Its name, and its soundness class.
    head
        The op.
    reach
        See `Pattern`.
    """

    name: str
    sound = "rounding"  # -0 + 0 is 0
    reach = 1

    def __init__(self, op: Op) -> None:
        self.label = f"{self.name}-{op}"
        self.head = op

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        """Yield what the law may be about in a class: the numbers of sums, and places in them."""
        raise NotImplementedError

    def subjects(self, egraph: VariableEGraph, match: Match) -> Iterator[Class]:
        """Yield the classes of the sums that a match is about."""
        return (egraph.find(item.term) for item in match if isinstance(item, Node))

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        """Return a sum, and the same terms in other groups; None if that is not another form."""
        raise NotImplementedError


class Flattening(Regrouping):
    """``(x + y) + z → x + y + z``, for sums in the class of an argument."""

    name = "flatten"

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        for outer in egraph.sums(at, self.head):
            for place, argument in enumerate(outer.classes):
                for inner in egraph.sums(argument, self.head):
                    yield outer, place, inner

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
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

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        for one in egraph.sums(at, self.head):
            readers = dict.fromkeys(egraph.find(r.term) for c in one.classes for r in c.readers)
            for other in (other for c in readers for other in egraph.sums(c, self.head)):
                if other is not one and _have_two_in_common(one, other):
                    yield one, other
                    yield other, one

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
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

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        yield from ((s,) for s in egraph.sums(at, self.head) if len(s.classes) > 2)

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
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

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
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


REGROUPINGS = (Flattening, Sharing, GroupingByShape)

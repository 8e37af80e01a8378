"""Regrouping of sums and products: what holds of all of them, and no pattern says.

Whatever is grouped is added or multiplied in the dtype of the whole: two integers beside a float
are added as floats, and among themselves they may wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.rules.matching import combine_arguments
from relgraph.graph.kanren.search.match_checks import fitted
from relgraph.graph.notation.numbers import number_of
from relgraph.graph.op import Op
from relgraph.search.egraph.terms import EGraph
from relgraph.search.translation.patterns import Column, Query

UNITS = {"add": 0, "mul": 1}
"""What may be left out of a sum, or of a product."""

Sides = tuple[Variable, Variable]


class Regrouping:
    """A law about every sum or product by an op.

    Attributes
    ----------
    label, sound
        Its name, and its soundness class.
    query
        What egglog is asked.
    """

    sound = "rounding"

    def __init__(self, name: str, op: Op, query: Query) -> None:
        self.label = f"{name}-{op}"
        self.query = query

    def sides(self, egraph: EGraph, match: Sequence[int]) -> Sides | None:
        """Return a sum, and the same terms in other groups; None if that is not another form."""
        raise NotImplementedError


class Flattening(Regrouping):
    """``(x + y) + z → x + y + z``, for sums in the class of an argument."""

    def __init__(self, op: Op, number: int) -> None:
        facts = [f"(s {number} m c)", "(h m i a)", f"(s {number} n a)"]
        columns = [Column("m", ("sum", 0)), Column("i", ("place", 0, 0)), Column("n", ("sum", 1))]
        super().__init__("flatten", op, Query(facts, columns))

    def sides(self, egraph: EGraph, match: Sequence[int]) -> Sides | None:
        outer, place, inner = match
        classes = {egraph.find(k) for k in egraph.children(inner)}
        if egraph.find(outer) in classes or egraph.find(inner) in classes:
            return None  # x = x + 0: it would grow without end
        node, arguments = node_of(egraph, outer)
        nested = node_of(egraph, inner)[1]
        within = combine_arguments(node, nested)
        if within is None:
            return None
        before, after = arguments[:place], arguments[place + 1 :]
        return _sides(node, [*before, within, *after], [*before, *nested, *after])


class Sharing(Regrouping):
    """``x + y + z → (x + y) + z`` where there is another sum that ``x`` and ``y`` are part of."""

    def __init__(self, op: Op, number: int) -> None:
        facts = [
            f"(s {number} m c)",
            "(h m i a)",
            "(h m j b)",
            "(< i j)",
            f"(s {number} n d)",
            "(!= m n)",
            "(h n i1 a)",
            "(h n j1 b)",
            "(!= i1 j1)",
        ]
        columns = [Column("m", ("sum", 0)), Column("n", ("sum", 1))]
        super().__init__("share", op, Query(facts, columns))

    def sides(self, egraph: EGraph, match: Sequence[int]) -> Sides | None:
        one, other = match
        left = [egraph.find(k) for k in egraph.children(other)]
        common: list[Variable] = []
        rest: list[Variable] = []
        for child in egraph.children(one):
            if egraph.find(child) in left:
                left.remove(egraph.find(child))
                common.append(egraph.representative(child))
            else:
                rest.append(egraph.representative(child))
        node, arguments = node_of(egraph, one)
        both = combine_arguments(node, common) if len(common) > 1 and rest else None
        return None if both is None else _sides(node, arguments, [both, *rest])


class GroupingByShape(Regrouping):
    """``c * x * d → (c * d) * x``: what has fewer numbers is added or multiplied first."""

    def __init__(self, op: Op, number: int) -> None:
        # three arguments at least
        query = Query([f"(s {number} m c)", "(h m 2 a)"], [Column("m", ("sum", 0))])
        super().__init__("group", op, query)

    def sides(self, egraph: EGraph, match: Sequence[int]) -> Sides | None:
        node, arguments = node_of(egraph, match[0])
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


class DroppingUnits:
    """``x + y + 0 → x + y`` and ``x * y * 1 → x * y``."""

    sound = "rounding"  # -0 + 0 is 0

    def __init__(self, op: Op) -> None:
        self.label = f"drop-unit-{op}"

    def sides(self, egraph: EGraph, term: int) -> Sides | None:
        """Return a sum or product with units, and the same without; None if there are none."""
        node, arguments = node_of(egraph, term)
        unit = UNITS.get(str(node.op))
        others = [v for v in arguments if unit is None or number_of(v) != unit]
        if len(others) in (0, 1, len(arguments)) or combine_arguments(node, others) is None:
            return None
        return _sides(node, arguments, others)


def node_of(egraph: EGraph, term: int) -> tuple[Apply, list[Variable]]:
    """Return the node of a sum or product, and what stands for its arguments."""
    node = egraph.variables[term].owner
    assert node is not None
    return node, [egraph.representative(k) for k in egraph.children(term)]


def _sides(node: Apply, old: Sequence[Variable], new: Sequence[Variable]) -> Sides | None:
    before = node.op.make_node(*old).outputs[0]
    after = fitted(node.op.make_node(*new).outputs[0], before)
    return None if after is None else (before, after)


REGROUPINGS = (Flattening, Sharing, GroupingByShape)

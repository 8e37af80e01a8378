"""What laws make of another form of what a law matches: of a difference the other way round, of two
factors of a quotient, of the natural logarithm in place of one of another base.

So what a law says of one form need not be said of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relations.kit.constant_arithmetic import applied
from relations.kit.guards import Heads, asks_graph, depends_on_levels, requires_heads
from relations.kit.vocabulary import Law
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules import head_of
from relgraph.graph.op import Op
from relgraph.graph.utils import Memo
from relgraph.tensor.math import mul, true_div


class _ByHeads:
    """Some laws, by the heads of the arguments of the op that they match.

    Attributes
    ----------
    depth
        How many levels of nodes they look at below that op.
    """

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = laws
        self.depth = int(max(law.forward.depth for law in laws)) - 1
        self._known: Memo[Heads, Sequence[Law]] = Memo()

    def fitting(self, heads: Heads) -> Sequence[Law]:
        """Return the laws that may match on arguments with these heads, in order."""
        found = self._known.recall(heads)
        if found is not None:
            return found
        fitting = [law for law in self.laws if all(map(_may_have_head, law.lhs.args, heads))]
        return self._known.keep(heads, fitting)

    def made_of(self, fgraph: Any, op: Any, *arguments: Any) -> Variable | None:
        """Return what the first of the laws makes of an op of some arguments; None if none
        matches."""
        fitting = self.fitting(tuple([v.head for v in arguments]))
        if not fitting:
            return None
        node = op(*arguments).owner
        for law in fitting:
            found = law.forward.transform(fgraph, node)
            if found is not False:
                made: Variable = found[0]
                return made
        return None


def _may_have_head(side: Any, head: Any) -> bool:
    wanted = head_of(side)
    of_family = isinstance(wanted, type) and isinstance(head, wanted)
    return wanted is None or wanted is head or of_family


def made_of(laws: Sequence[Law], op: Op, turned: bool = False) -> Callable[..., Any]:
    """Return the function of some arguments that returns what some laws make of an op of them; None
    if none matches.

    Parameters
    ----------
    turned
        Whether it is the op of the arguments the other way round.
    """
    known, order = _ByHeads(laws), slice(None, None, -1 if turned else 1)

    @requires_heads(lambda heads: bool(known.fitting(tuple(heads[order]))))
    @depends_on_levels(known.depth)
    @asks_graph
    def made(fgraph: Any, *arguments: Any) -> Any:
        return known.made_of(fgraph, op, *arguments[order])

    made.__name__ = f"made of {op}"
    return made


def made_of_two_factors(laws: Sequence[Law]) -> Callable[..., Any]:
    """Return the function of the factors of a dividend and of a divisor, three or more, that
    returns their quotient with what some laws make of the quotient of two in its place; None if
    none matches any."""

    known = _ByHeads(laws)

    def admits(heads: Heads) -> bool:
        return mul in heads and any(
            all(
                head is mul or _may_have_head(side, head)
                for side, head in zip(law.lhs.args, heads, strict=True)
            )
            for law in laws
        )

    @requires_heads(admits)
    @depends_on_levels(known.depth + 1)
    @asks_graph
    def quotient(fgraph: Any, above: Sequence[Any], below: Sequence[Any]) -> Any:
        pairs = [(i, j) for i in range(len(above)) for j in range(len(below))]
        for i, j in pairs if len(pairs) > 1 else ():
            made = known.made_of(fgraph, true_div, above[i], below[j])
            if made is not None:
                # one after the other, as they were: the product of some might overflow
                top = applied(mul, [*above[:i], made, *above[i + 1 :]])
                rest = [*below[:j], *below[j + 1 :]]
                return true_div(top, applied(mul, rest)) if rest else top
        return None

    return quotient

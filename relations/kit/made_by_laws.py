"""What laws make of another form of what a law matches: of a difference the other way round, of two
factors of a quotient, of the natural logarithm in place of one of another base, of elements before
they are taken.

So what a law says of one form need not be said of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relations.kit.constant_arithmetic import applied
from relations.kit.guards import (
    Heads,
    asks_graph,
    containing_constant,
    depends_on_levels,
    requires_heads,
)
from relations.kit.index_arithmetic import BasicIndex
from relations.kit.parts import operand_parts
from relations.kit.vocabulary import Law
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules import may_have_head
from relgraph.graph.notation import number_of
from relgraph.graph.utils import Memo
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.math import mul, neg, true_div
from relgraph.tensor.shapes import Reshape
from relgraph.tensor.subtensor import Subtensor


class _ByHeads:
    """Some laws about one op, by the heads of the arguments."""

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = laws
        self.op: Any = laws[0].lhs.op
        self._known: Memo[Heads, Sequence[Law]] = Memo()

    @property
    def depth(self) -> int:
        """How many levels of nodes they look at below that op; this compiles them."""
        return int(max(law.forward.depth for law in self.laws)) - 1

    def fitting(self, heads: Heads) -> Sequence[Law]:
        """Return the laws that may match on arguments with these heads, in order."""
        found = self._known.recall(heads)
        if found is not None:
            return found
        fitting = [law for law in self.laws if all(map(may_have_head, law.lhs.args, heads))]
        return self._known.keep(heads, fitting)

    def made_of(self, fgraph: Any, *arguments: Any) -> Variable | None:
        """Return what the first of the laws makes of the op of some arguments; None if none
        matches."""
        fitting = self.fitting(tuple([v.head for v in arguments]))
        if not fitting:
            return None
        node = self.op(*arguments).owner
        for law in fitting:
            found = law.forward.transform(fgraph, node)
            if found is not False:
                made: Variable = found[0]
                return made
        return None


def made_of(laws: Sequence[Law], turned: bool = False) -> Callable[..., Any]:
    """Return the function of some arguments that returns what some laws about one op make of it;
    None if none matches.

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
        return known.made_of(fgraph, *arguments[order])

    made.__name__ = f"made of {known.op}"
    return made


_MOVES = (Subtensor, AdvancedSubtensor, DimShuffle, Reshape)
"""Ops whose results are elements of their first input."""

DEEPEST = 10
"""As many levels as laws may look at below an op of elements. To ask each of them would compile
them all when the book is imported."""


def made_before_moves(laws: Sequence[Law]) -> Callable[..., Any]:
    """Return the function of a scalar op and operands, which are elements taken of tensors, or
    numbers, that returns the same elements of what some laws make of the op of the tensors; None if
    none matches.

    Other nodes may read the tensors, which keeps the op that takes elements where it is.
    """
    by_op: dict[Any, list[Law]] = {}
    for law in laws:
        by_op.setdefault(law.lhs.op.scalar_op, []).append(law)
    by_heads = {scalar_op: _ByHeads(of_op) for scalar_op, of_op in by_op.items()}

    @requires_heads(_are_moves_and_numbers)
    @depends_on_levels(DEEPEST)
    @asks_graph
    def made(fgraph: Any, scalar_op: Any, operands: Sequence[Any]) -> Any:
        known = by_heads.get(scalar_op)
        if known is None:
            return None
        numbers = [number_of(v) for v in operands]
        if numbers.count(None) != 1:
            parts = [_of_parts(v) for v in operands]
            if any(part is None for part in parts):
                return None
            return known.made_of(fgraph, *parts)
        move = operands[numbers.index(None)].owner
        if move is None or not isinstance(move.op, _MOVES):
            return None
        arguments = [move.inputs[0] if n is None else as_tensor_variable(n) for n in numbers]
        return _moved(known.made_of(fgraph, *arguments), move)

    return made


def made_before_moves_of_negated(laws: Sequence[Law], op: Any) -> Callable[..., Any]:
    """Return the function of elements taken of a tensor that returns the same elements of what some
    laws make of an op of the negated tensor; None if none matches."""
    known = _ByHeads([law for law in laws if law.lhs.op is op])

    @depends_on_levels(DEEPEST)
    @asks_graph
    def made(fgraph: Any, elements: Any) -> Any:
        move = elements.owner
        if move is None or not isinstance(move.op, _MOVES):
            return None
        return _moved(known.made_of(fgraph, neg(move.inputs[0])), move)

    return made


def _moved(made: Any, move: Any) -> Any:
    return None if made is None else move.op(made, *move.inputs[1:])


def _are_moves_and_numbers(heads: Heads) -> bool:
    moves = [isinstance(head, _MOVES) for head in heads]
    return any(moves) and all(
        is_move or containing_constant((head,)) for is_move, head in zip(moves, heads, strict=True)
    )


def _of_parts(v: Any) -> Any:
    """Return the elements that `v` takes of an elementwise result, computed from the same elements
    of its operands; None if `v` takes none."""
    node = v.owner
    if node is None or not isinstance(node.op, Subtensor):
        return None
    whole, *inputs = node.inputs
    if whole.owner is None or not isinstance(whole.owner.op, Elemwise):
        return None
    parts = operand_parts(BasicIndex(node.op.idx_list, tuple(inputs)), whole.owner.inputs)
    return None if parts is None else whole.owner.op(*parts)


def made_of_two_factors(laws: Sequence[Law]) -> Callable[..., Any]:
    """Return the function of the factors of a dividend and of a divisor, three or more, that
    returns their quotient with what some laws make of the quotient of two in its place; None if
    none matches any."""

    known = _ByHeads(laws)

    def admits(heads: Heads) -> bool:
        return mul in heads and any(
            all(
                head is mul or may_have_head(side, head)
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
            made = known.made_of(fgraph, above[i], below[j])
            if made is not None:
                # one after the other, as they were: the product of some might overflow
                top = applied(mul, [*above[:i], made, *above[i + 1 :]])
                rest = [*below[:j], *below[j + 1 :]]
                return true_div(top, applied(mul, rest)) if rest else top
        return None

    return quotient

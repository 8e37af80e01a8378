"""The patterns of rules, to be matched in classes, and what a match says is equal.

A sum or product is a set of arguments, so that its order and its grouping cost nothing; the other
ops have an argument at each place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeGuard, cast

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.codegen import NotCompilable, OpWriter, compile_replacement
from relgraph.graph.kanren.goals import Compute, Readers, Where
from relgraph.graph.kanren.matching import (
    LeftOver,
    combine_arguments,
    is_number,
    numbers_keep_shape,
)
from relgraph.graph.kanren.rules import Rule, flat_patterns, head_of, is_ac, split
from relgraph.graph.kanren.terms import (
    Arguments,
    Literal,
    is_variable,
    leaves_of,
    variables_of,
)
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, replaced
from relgraph.search.egraph import Node
from relgraph.search.matching import Leaf, Lookup, Match, Matcher, Order, Part, matcher
from relgraph.search.saturation import Equal
from relgraph.search.variables import Class, Reason, Sides, VariableEGraph, node_of

LOOKUP = Lookup(
    nodes="egraph.nodes_of({c}, {head})",
    sums="egraph.sums({c}, {head})",
    has="egraph.nodes_of({c}, {head})",
    leaf="egraph.is_leaf({c}, {leaf})",
)


class Untranslatable(Exception):
    """The pattern of a rule does not match classes; the message says why."""


class Pattern:
    """The pattern of a rule, to be matched against classes.

    Attributes
    ----------
    rule
        The rule.
    reason
        The name of the law, with the direction if that is backward, its soundness class, and the
        law.
    parts
        The parts of its pattern, the root first.
    variables, in_heads
        The slots of its logic variables: of arguments, and of parameters of ops.
    head
        The op of the root, or the class of ops.
    reach
        How far below the root a class may be that says whether there is a match.

    Raises
    ------
    Untranslatable
        If the pattern has any number of arguments, or an op of which nothing is known.
    NotCompilable
        If parameters of an op are patterns that no code matches.
    """

    def __init__(self, rule: Rule, reason: Reason) -> None:
        self.rule, self.reason = rule, reason
        self.parts: list[Part] = []
        self._compounds: list[Any] = []
        self.variables: dict[Any, int] = {}
        self.in_heads: dict[Any, int] = {}
        self._width = 0
        self._counts = Counter(leaves_of(rule.pattern))
        self._argument(rule.pattern)
        self.head = self.parts[0].head if self.parts else None
        self.reach = self.parts[0].reach(self._is_seen) if self.parts else 0
        for c in rule.conditions:
            computes = isinstance(c, Compute) and is_variable(c.out)
            if not (computes or isinstance(c, Where | Readers)):
                raise Untranslatable(f"its condition {c} is a goal of another kind")

    # -- reading -------------------------------------------------------------------------------

    def _slot(self) -> int:
        self._width += 1
        return self._width - 1

    def _part(self, pattern: Any) -> Part:
        head, patterns, output = split(pattern)
        if head is None:
            raise Untranslatable(f"its pattern holds {pattern}, which is no op on arguments")
        if any(isinstance(p, Arguments) for p in patterns):
            raise Untranslatable("its pattern has any number of arguments")
        family = head_of(pattern)
        if family is None:
            raise Untranslatable(f"the op of its pattern, {head}, may be any")
        regrouped = self.rule.regroup and is_ac(head) and len(patterns) > 1
        order = Order.ANY if regrouped else Order.EITHER if len(patterns) == 2 else Order.AS_WRITTEN
        part = Part(family, order, slot=self._slot(), op=head, output=output)
        self.parts.append(part)
        self._compounds.append(pattern)
        if not isinstance(part.op, Op):
            OpWriter({}).match_op("op", part.op)  # while another way can be found
            new = [v for v in variables_of(part.op) if v not in self.in_heads]
            self.in_heads |= {v: self._slot() for v in new}
        if regrouped:
            patterns = tuple(flat_patterns(head, patterns))
            part.places = [self._slot() for _ in patterns]
            alone = [i for i, p in enumerate(patterns) if is_variable(p) and self._counts[p] == 1]
            part.taker = alone[-1] if alone else None
        part.arguments += map(self._argument, patterns)
        return part

    def _argument(self, pattern: Any) -> Any:
        if is_variable(pattern):
            if pattern not in self.variables:
                self.variables[pattern] = self._slot()
            return pattern
        if isinstance(pattern, bool | int | float | complex):
            return Leaf(Literal(pattern), self._slot())
        if isinstance(pattern, Literal | Variable):
            return Leaf(pattern, self._slot())
        return self._part(pattern)

    def _is_seen(self, variable: Any) -> bool:
        return bool(self.rule.conditions) or self._counts[variable] > 1

    # -- matching ------------------------------------------------------------------------------

    def may_match(self, node: Node[Variable]) -> bool:
        """Return whether nodes of the op of one may match the root."""
        return self.head in (node.head, type(node.head))

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        """Return the matches of the pattern at a class."""
        return self._matcher(egraph, at)

    @cached_property
    def _matcher(self) -> Matcher:
        conditions = [c for c in self.rule.conditions if is_about_ops(c, self.in_heads)]
        slots = {**self.variables, **self.in_heads}
        return matcher(self.parts[0], self._width, slots, LOOKUP, conditions)

    @cached_property
    def replacement(self) -> Callable[..., Variable | None]:
        """What the rule builds of a match; see `compile_replacement`."""
        leaves_over = self.parts[0].order is Order.ANY
        variables = [*self.variables, *self.in_heads]
        return compile_replacement(self.rule, self._compounds, variables, leaves_over)

    def subjects(self, egraph: VariableEGraph, match: Match) -> Iterator[Class]:
        """Yield the classes that a match is about, those of its sums too."""
        for part in self.parts:
            if part.order is Order.ANY:
                yield egraph.find(match[part.slot].term)
        yield from (match[k].root() for k in self.variables.values() if match[k] is not None)

    def sides(self, egraph: VariableEGraph, match: Match) -> Sequence[Equal]:
        """Return what a match is about and what is equal to it; nothing if a condition says no."""
        try:
            found = _Sides(self, egraph, match).made()
        except _NOT_BUILT:
            return ()
        return () if found is None else ((*found, self.reason),)


class NodeByNode:
    """What a relation that no pattern says matches: the nodes that it may rewrite.

    They are asked one by one, and their arguments may be swapped wherever laws match so.

    Parameters
    ----------
    rewriter
        The local optimizer of the relation.
    reason
        See `Pattern`.
    """

    reach = 0

    def __init__(self, rewriter: LocalOptimizer, reason: Reason) -> None:
        self._rewriter, self.reason = rewriter, reason
        self._heads: dict[Op, bool] = {}

    def may_match(self, node: Node[Variable]) -> bool:
        """Return whether the relation may rewrite nodes of the op of one."""
        if node.head not in self._heads:
            made = node.term.owner
            self._heads[node.head] = made is not None and self._rewriter.might_match_op(made)
        return self._heads[node.head]

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        """Yield the nodes of a class whose op the relation may rewrite."""
        for nodes in at.nodes.values():
            if nodes and self.may_match(nodes[0]):
                yield from ((node.term.owner,) for node in nodes)

    def subjects(self, egraph: VariableEGraph, match: Match) -> Sequence[Class]:
        """Return nothing: a node is asked about once."""
        return ()

    def sides(self, egraph: VariableEGraph, match: Match) -> Sequence[Equal]:
        """Return the outputs of a node that the relation replaces, with what replaces them."""
        (node,) = match
        try:
            # without a graph: nobody knows who reads what
            answer: Any = self._rewriter.transform(cast(FunctionGraph, None), node)
        except (TypeError, ValueError, OverflowError):
            return ()
        return [(old, new, self.reason) for old, new in replaced(node, answer).items()]


def output_of(node: Node[Variable]) -> tuple[Op, int]:
    """Return the op of a node, and which of its outputs it is."""
    assert node.term.index is not None
    return node.head, node.term.index


def is_about_ops(condition: Any, in_heads: Collection[Any]) -> TypeGuard[Where]:
    """Return whether a condition is about variables in heads alone."""
    return isinstance(condition, Where) and all(
        is_variable(v) and v in in_heads for v in condition.variables
    )


class _NoMatch(Exception):
    """What matches classes is no match: the law asks for more."""


_NOT_BUILT = (_NoMatch, NotCompilable, TypeError, ValueError, OverflowError)


class _Sides:
    """The two sides of a rule for one match."""

    def __init__(self, pattern: Pattern, egraph: VariableEGraph, match: Match) -> None:
        self._pattern, self._egraph, self._match = pattern, egraph, match
        self._inner: list[Variable] = []
        self._values: dict[Any, Any] = {
            variable: match[slot].root().best
            for variable, slot in pattern.variables.items()
            if match[slot] is not None
        }

    def made(self) -> Sides | None:
        old, rest = self._built_part(self._pattern.parts[0], at_root=True, below_others=False)
        values = [self._values[v] for v in self._pattern.variables]
        values += [self._match[slot] for slot in self._pattern.in_heads.values()]
        result = self._pattern.replacement(old, self._inner, values, LeftOver(rest))
        return None if result is None else (old, result)

    # -- the left side -------------------------------------------------------------------------

    def _built_part(
        self, part: Part, at_root: bool, below_others: bool
    ) -> tuple[Variable, list[Variable]]:
        """Return the variable that a part has matched, and the arguments that it left at the root.

        Parameters
        ----------
        below_others
            Whether an op above works on more than an element (see `kanren.matching`).

        Raises
        ------
        _NoMatch
            If it has matched none.
        """
        place = len(self._inner)
        op, index = output_of(self._match[part.slot])
        below = below_others or not op.elementwise
        rest: list[Variable] = []
        if part.order is Order.ANY:
            arguments, rest = self._arguments_of_sum(part, below, at_root)
        else:
            arguments = [self._argument(part, j, below) for j in range(len(part.arguments))]
        var = self._applied(op, index, arguments)
        node = var.owner
        if node is None or (isinstance(part.op, Op) and not part.op.makes(node)):
            raise _NoMatch
        if below_others and op.elementwise:
            self._check_shape(part, node)
        self._inner.insert(place, var)
        return var, rest

    def _check_shape(self, part: Part, node: Apply) -> None:
        """Raise if the numbers of a part broadcast what is beside them."""
        numbers = [j for j, a in enumerate(part.arguments) if isinstance(a, Leaf)]
        taken = (
            [self._match[part.places[j]] for j in numbers] if part.order is Order.ANY else numbers
        )
        beside = [v for k, v in enumerate(node.inputs) if k not in taken]
        if numbers and not numbers_keep_shape(node, beside):
            raise _NoMatch

    def _argument(self, part: Part, j: int, below: bool) -> Variable:
        argument = part.arguments[j]
        if isinstance(argument, Part):
            return self._built_part(argument, at_root=False, below_others=below)[0]
        if isinstance(argument, Leaf) and is_number(argument.value):
            constant = self._egraph.constant(self._match[argument.slot].root())
            if constant is None:
                raise _NoMatch
            return constant
        found: Variable
        found = argument.value if isinstance(argument, Leaf) else self._values[argument]
        return found

    def _arguments_of_sum(
        self, part: Part, below: bool, at_root: bool
    ) -> tuple[list[Variable], list[Variable]]:
        """Return the arguments of a sum or product, and those that no pattern takes."""
        node, arguments = node_of(self._match[part.slot])
        left = list(range(len(arguments)))
        for j, _ in enumerate(part.arguments):
            if j != part.taker:
                place = self._match[part.places[j]]
                arguments[place] = self._argument(part, j, below)
                left.remove(place)
        others = [arguments[k] for k in left]
        if part.taker is None:
            if others and not at_root:
                raise _NoMatch
            return arguments, others
        taken = combine_arguments(node, others) if others else None
        if taken is None:
            raise _NoMatch
        self._values[part.arguments[part.taker]] = taken
        return arguments, []

    def _applied(self, op: Op, index: int, arguments: Sequence[Variable]) -> Variable:
        known = self._egraph.known(op, index, arguments)
        if known is not None:
            return known
        made: Variable = op.make_node(*arguments).outputs[index]
        return made

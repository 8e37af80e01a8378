"""Matching: the instances of the patterns of rules in an e-graph, and what they say is equal.

A pattern matches classes: a part of it is a term of its op in a class, a variable stands for a
class. A sum or product is a set of arguments, so that its order and its grouping cost nothing; the
other ops have an argument at each place.

Regrouping of sums and products holds of all of them, and no pattern says it. Whatever is grouped is
added or multiplied in the dtype of the whole: two integers beside a float are added as floats, and
among themselves they may wrap around.

De Moura and Bjørner, Efficient E-matching for SMT solvers (2007). Joins of facts, which egglog 13.1
evaluated, led to forms of the same costs of the sixty expressions of the tests in 17.9 s of the
processor; this takes 15.3 s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from unification.core import reify, unify

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.goals import (
    Where,
    fitted,
)
from relgraph.graph.kanren.matching import (
    Refused,
    check_result,
    combine_arguments,
    conditions_of,
    is_number,
    numbers_keep_shape,
)
from relgraph.graph.kanren.rules import Output, Rule, flat_patterns, head_of, is_ac, is_fixed, split
from relgraph.graph.kanren.terms import (
    Arguments,
    Literal,
    LogicVariable,
    OpenAnswerError,
    build,
    is_variable,
    variables_of,
)
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op
from relgraph.search.egraph import EClass, Node
from relgraph.search.variables import VariableEGraph

Match = tuple[Any, ...]
"""What the slots of a pattern hold: classes, nodes, ops, and places of arguments."""

Class = EClass[Variable]
Sides = tuple[Variable, Variable]


class Untranslatable(Exception):
    """The pattern of a rule does not match classes; the message says why."""


@dataclass(frozen=True)
class Leaf:
    """A number or a constant of a pattern."""

    pattern: Any


@dataclass(eq=False)
class Part:
    """An op of a pattern on its arguments.

    Attributes
    ----------
    head, family
        The pattern of the op; the op that it stands for, or the class of ops.
    arguments
        Its arguments: parts, leaves, and logic variables.
    regrouped
        Whether it is a sum or product of any order and grouping.
    op
        The slot of its op; that of the sum or product itself is the next one.
    slots, places
        The slots of the arguments; of a sum or product, also those of the places of these.
    taker
        Which argument of a sum or product takes all that the others leave; None if none does.
    """

    head: Any
    family: Any
    regrouped: bool
    op: int
    arguments: list[Any] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    taker: int | None = None
    _bound: dict[Op, Any] = field(default_factory=dict, repr=False)
    _outputs: dict[tuple[Op, int], bool] = field(default_factory=dict, repr=False)

    def bound(self, op: Op) -> Mapping[Any, Any] | None:
        """Return the values of the variables in the head if it is an op; None if it can't be."""
        head = self.head.op if isinstance(self.head, Output) else self.head
        if isinstance(head, Op):
            return {}
        if op not in self._bound:
            found = unify(reify(head, {}), op, {})
            self._bound[op] = None if found is False else found
        known: Mapping[Any, Any] | None = self._bound[op]
        return known

    def may_be(self, op: tuple[Op, int]) -> bool:
        """Return whether the part may stand for an output of an op."""
        if op not in self._outputs:
            self._outputs[op] = self._is_output(*op) and self.bound(op[0]) is not None
        return self._outputs[op]

    def _is_output(self, op: Op, index: int) -> bool:
        plain = op.default_output == index or (op.nout in (1, None) and index == 0)
        if isinstance(self.head, Output):
            return not plain and self.head.index == index
        return plain


class Pattern:
    """The pattern of a rule, to be matched against classes.

    Attributes
    ----------
    rule
        The rule.
    parts
        The parts of its pattern, the root first.
    variables
        The slots of its logic variables.
    head
        The op of the root, or the class of ops.
    reach
        How far below the root a class may be that says whether there is a match.

    Raises
    ------
    Untranslatable
        If the pattern stands for any number of arguments, or for an op of which nothing is known.
    """

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.parts: list[Part] = []
        self.variables: dict[Any, int] = {}
        self._width = 0
        self._counts = _occurrences(rule.pattern)
        self._argument(rule.pattern)
        self.head = self.parts[0].family if self.parts else None
        self.reach = self._reach(self.parts[0]) if self.parts else 0
        self._heads: dict[tuple[Any, ...], Mapping[Any, Any] | None] = {}

    # -- reading -------------------------------------------------------------------------------

    def _slot(self) -> int:
        self._width += 1
        return self._width - 1

    def _part(self, pattern: Any) -> Part:
        found = split(pattern)
        if found is None:
            raise Untranslatable(f"its pattern holds {pattern}, which is no op on arguments")
        head, patterns = found
        if any(isinstance(p, Arguments) for p in patterns):
            raise Untranslatable("its pattern stands for any number of arguments")
        family = head_of(pattern)
        if family is None:
            raise Untranslatable(f"the op of its pattern, {head}, may be any")
        regrouped = self.rule.regroup and is_ac(head) and len(patterns) > 1
        part = Part(head, family, regrouped, self._slot())
        self.parts.append(part)
        if regrouped:
            patterns = tuple(flat_patterns(head, patterns))
            self._slot()
            part.places = [self._slot() for _ in patterns]
            alone = [i for i, p in enumerate(patterns) if is_variable(p) and self._counts[p] == 1]
            part.taker = alone[-1] if alone else None
        for p in patterns:
            part.arguments.append(self._argument(p))
            part.slots.append(self.variables[p] if is_variable(p) else self._slot())
        return part

    def _argument(self, pattern: Any) -> Any:
        if is_variable(pattern):
            if pattern not in self.variables:
                self.variables[pattern] = self._slot()
            return pattern
        if isinstance(pattern, bool | int | float | complex):
            return Leaf(Literal(pattern))
        return Leaf(pattern) if isinstance(pattern, Literal | Variable) else self._part(pattern)

    def _reach(self, part: Part) -> int:
        """Return how far below a part a class may be that says whether it matches."""
        below = [0]
        for argument in part.arguments:
            if isinstance(argument, Part):
                below.append(1 + self._reach(argument))
            elif isinstance(argument, Leaf) or self.rule.conditions or self._counts[argument] > 1:
                below.append(1)
        return max(below)

    # -- matching ------------------------------------------------------------------------------

    def matches(self, egraph: VariableEGraph, at: Class) -> Iterator[Match]:
        """Yield the matches of the pattern at a class."""
        for match in self._at(self.parts[0], egraph, at, (None,) * self._width):
            if self.heads(match) is not None:
                yield match

    def heads(self, match: Match) -> Mapping[Any, Any] | None:
        """Return the values of the variables in the heads of the parts; None if they differ, or if
        a condition on them alone does not hold."""
        ops = tuple(match[part.op][0] for part in self.parts)
        if ops not in self._heads:
            self._heads[ops] = self._heads_of(ops)
        return self._heads[ops]

    def _heads_of(self, ops: Sequence[Op]) -> Mapping[Any, Any] | None:
        found: dict[Any, Any] = {}
        for part, op in zip(self.parts, ops, strict=True):
            bound = part.bound(op)
            if bound is None or any(found.setdefault(v, x) != x for v, x in bound.items()):
                return None
        admitted = all(
            c.predicate(*(found[v] for v in c.variables))
            for c in self.rule.conditions
            if is_about_ops(c, found)
        )
        return found if admitted else None

    @property
    def in_heads(self) -> set[LogicVariable]:
        """The logic variables in the heads of the parts."""
        heads = [
            part.head.op if isinstance(part.head, Output) else part.head for part in self.parts
        ]
        return {v for head in heads if not isinstance(head, Op) for v in variables_of(head)}

    def _at(self, part: Part, egraph: VariableEGraph, at: Class, known: Match) -> Iterator[Match]:
        if part.regrouped:
            count = len(part.arguments)
            for node in egraph.sums(at, part.family):
                op = output_of(node)
                if len(node.classes) >= count and part.may_be(op):
                    mine = _with(known, part.op, op, node)
                    yield from self._of_sum(part, 0, egraph, node.classes, mine)
            return
        for node in egraph.nodes_of(at, part.family):
            op = output_of(node)
            if len(node.classes) == len(part.arguments) and part.may_be(op):
                mine = _with(known, part.op, op)
                yield from self._of_arguments(part, 0, egraph, node.classes, mine)
                both = node.unordered and len(node.classes) == 2
                if both and node.classes[0] is not node.classes[1]:
                    yield from self._of_arguments(part, 0, egraph, node.classes[::-1], mine)

    def _of_arguments(
        self, part: Part, j: int, egraph: VariableEGraph, given: Sequence[Class], known: Match
    ) -> Iterator[Match]:
        """Yield the matches of the arguments of a part from the place `j` on."""
        if j == len(given):
            yield known
        elif j > 0 or all(map(_may_be, part.arguments, [egraph] * len(given), given)):
            for match in self._of_argument(part, j, egraph, given[j], known):
                yield from self._of_arguments(part, j + 1, egraph, given, match)

    def _of_sum(
        self, part: Part, j: int, egraph: VariableEGraph, given: Sequence[Class], known: Match
    ) -> Iterator[Match]:
        """Yield the same of a sum or product, whose arguments may be at any places."""
        if j == len(part.arguments):
            yield known
        elif j == part.taker:
            yield from self._of_sum(part, j + 1, egraph, given, known)
        else:
            taken = [known[slot] for slot in part.places[:j]]
            for place, at in enumerate(given):
                if place not in taken and _may_be(part.arguments[j], egraph, at):
                    mine = _with(known, part.places[j], place)
                    for match in self._of_argument(part, j, egraph, at, mine):
                        yield from self._of_sum(part, j + 1, egraph, given, match)

    def _of_argument(
        self, part: Part, j: int, egraph: VariableEGraph, at: Class, known: Match
    ) -> Iterator[Match]:
        argument, slot = part.arguments[j], part.slots[j]
        if isinstance(argument, Part):
            yield from self._at(argument, egraph, at, known)
        elif known[slot] is None:
            yield _with(known, slot, at)
        elif known[slot].root() is at:
            yield known

    def subjects(self, egraph: VariableEGraph, match: Match) -> Iterator[Class]:
        """Yield the classes that a match is about, those of its sums too."""
        for part in self.parts:
            if part.regrouped:
                yield egraph.find(match[part.op + 1].term)
        yield from (match[k].root() for k in self.variables.values() if match[k] is not None)

    def sides(self, egraph: VariableEGraph, match: Match) -> Sides | None:
        """Return what a match is about and what is equal to it; None if a condition says no."""
        try:
            return _Sides(self, egraph, match).made()
        except _NOT_BUILT:
            return None


def output_of(node: Node[Variable]) -> tuple[Op, int]:
    """Return the op of a node, and which of its outputs it is."""
    assert node.term.index is not None
    return node.head, node.term.index


def is_about_ops(condition: Any, in_heads: Collection[Any]) -> TypeGuard[Where]:
    """Return whether a condition is about variables in heads alone."""
    return isinstance(condition, Where) and all(
        is_variable(v) and v in in_heads for v in condition.variables
    )


def _with(known: Match, slot: int, *values: Any) -> Match:
    return (*known[:slot], *values, *known[slot + len(values) :])


def _may_be(argument: Any, egraph: VariableEGraph, at: Class) -> bool:
    """Return whether an argument of a pattern may match a class."""
    if isinstance(argument, Part):
        return bool(egraph.nodes_of(at, argument.family))
    return not isinstance(argument, Leaf) or egraph.is_leaf(at, argument.pattern)


def _occurrences(pattern: Any) -> Mapping[Any, int]:
    counts: dict[Any, int] = {}
    stack = [pattern]
    while stack:
        item = stack.pop()
        found = split(item)
        if found is not None:
            stack.extend(found[1])
            for lv in variables_of(found[0]) if not isinstance(found[0], Op | Output) else ():
                counts[lv] = counts.get(lv, 0) + 1
        elif is_variable(item):
            counts[item] = counts.get(item, 0) + 1
    return counts


class _NoMatch(Exception):
    """What matches classes is no match: the law asks for more."""


_NOT_BUILT = (_NoMatch, Refused, TypeError, ValueError, OverflowError, OpenAnswerError)


class _Sides:
    """The two sides of a rule for one match."""

    def __init__(self, pattern: Pattern, egraph: VariableEGraph, match: Match) -> None:
        self._egraph, self._match, self._rule = egraph, match, pattern.rule
        self._root = pattern.parts[0]
        self._inner: list[Variable] = []
        self._values: dict[Any, Any] = dict(pattern.heads(match) or {})
        for variable, slot in pattern.variables.items():
            if match[slot] is not None:
                self._values[variable] = match[slot].root().best

    def made(self) -> Sides | None:
        rule = self._rule
        old, rest = self._built_part(self._root, at_root=True, below_others=False)
        if not self._conditions_hold():
            return None
        new = self._built(rule.template)
        if rest:
            new = self._match[self._root.op][0].make_node(new, *rest).outputs[0]
        check_result(rule, old, self._inner, (*self._values.values(), *rest), new)
        result = fitted(new, old)
        return None if result is None or result is old else (old, result)

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
        op, index = self._match[part.op]
        below = below_others or not op.elementwise
        rest: list[Variable] = []
        if part.regrouped:
            arguments, rest = self._arguments_of_sum(part, below, at_root)
        else:
            arguments = [self._argument(part, j, below) for j in range(len(part.arguments))]
        var = self._applied(op, index, arguments)
        node = var.owner
        head = part.head.op if isinstance(part.head, Output) else part.head
        if node is None or (isinstance(head, Op) and not head.makes(node)):
            raise _NoMatch
        if below_others and op.elementwise:
            self._check_shape(part, node)
        self._inner.insert(place, var)
        return var, rest

    def _check_shape(self, part: Part, node: Apply) -> None:
        """Raise if the numbers of a part broadcast what is beside them."""
        numbers = [j for j, a in enumerate(part.arguments) if isinstance(a, Leaf)]
        taken = [self._match[part.places[j]] for j in numbers] if part.regrouped else numbers
        beside = [v for k, v in enumerate(node.inputs) if k not in taken]
        if numbers and not numbers_keep_shape(node, beside):
            raise _NoMatch

    def _argument(self, part: Part, j: int, below: bool) -> Variable:
        argument = part.arguments[j]
        if isinstance(argument, Part):
            return self._built_part(argument, at_root=False, below_others=below)[0]
        if isinstance(argument, Leaf) and is_number(argument.pattern):
            constant = self._egraph.constant(self._match[part.slots[j]].root())
            if constant is None:
                raise _NoMatch
            return constant
        found: Variable
        found = argument.pattern if isinstance(argument, Leaf) else self._values[argument]
        return found

    def _arguments_of_sum(
        self, part: Part, below: bool, at_root: bool
    ) -> tuple[list[Variable], list[Variable]]:
        """Return the arguments of a sum or product, and those that no pattern takes."""
        node, arguments = node_of(self._match[part.op + 1])
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

    # -- conditions ----------------------------------------------------------------------------

    def _conditions_hold(self) -> bool:
        waiting = conditions_of(self._rule)
        while waiting:
            later = []
            for condition in waiting:
                values = condition.values(self._values)
                if variables_of(values):
                    later.append(condition)
                    continue
                after = condition.check(tuple(map(_value, values)), self._values)
                if after is False:
                    return False
                self._values = after
            if len(later) == len(waiting):
                return False
            waiting = later
        return True

    # -- the right side ------------------------------------------------------------------------

    def _built(self, template: Any) -> Any:
        """Return what a template makes; `build` of what is reified takes a fifth longer in all."""
        if is_variable(template):
            if template not in self._values:
                raise OpenAnswerError(f"{template} is open")
            return self._values[template]
        if isinstance(template, Literal):
            return template.value
        parts = split(template)
        if parts is None:
            return template
        head, patterns = parts
        arguments: list[Any] = []
        for pattern in patterns:
            if isinstance(pattern, Arguments):
                arguments.extend(self._built(pattern.of))
            else:
                arguments.append(self._built(pattern))
        if isinstance(head, Output):
            return self._op(head.op)(*arguments, return_list=True)[head.index]
        if is_fixed(head) and head.nout == 1:
            return head.make_node(*arguments).outputs[0]
        return self._op(head)(*arguments)

    def _op(self, head: Any) -> Any:
        if isinstance(head, Op):
            return head
        parts = split(head)
        if parts is None:
            return self._built(head)
        cls, properties = parts
        return cls(*[self._op(p) if split(p) is not None else self._built(p) for p in properties])


def _value(given: Any) -> Any:
    """Return what a condition is given: a term as the variable that it stands for."""
    return given if isinstance(given, Variable | tuple | Op) else build(given)


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


def node_of(found: Node[Variable]) -> tuple[Apply, list[Variable]]:
    """Return the Apply of a sum or product, and a term for each of its arguments."""
    made = found.term.owner
    assert made is not None
    return made, [c.root().best for c in found.classes]


def _sides(node: Apply, old: Sequence[Variable], new: Sequence[Variable]) -> Sides | None:
    before = node.op.make_node(*old).outputs[0]
    after = fitted(node.op.make_node(*new).outputs[0], before)
    return None if after is None else (before, after)


REGROUPINGS = (Flattening, Sharing, GroupingByShape)

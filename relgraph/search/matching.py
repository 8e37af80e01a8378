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

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

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
from relgraph.graph.unify import same_variable
from relgraph.search.egraph import EGraph

Match = tuple[Any, ...]
"""What the slots of a pattern hold: classes, terms, ops, and places of arguments."""

Sides = tuple[Variable, Variable]


class Term(NamedTuple):
    """A term of a class, and what patterns ask of it.

    Attributes
    ----------
    number
        Its number in the e-graph.
    op
        Its op, and the index of the output that it is.
    classes
        The classes of its arguments.
    unordered
        Whether it has two arguments, whose order does not count.
    """

    number: int
    op: tuple[Op, int]
    classes: tuple[int, ...]
    unordered: bool


class Classes:
    """The classes of an e-graph as patterns are matched against them.

    They are those of the last `update`; of equal terms on equal classes there is one, and of a
    class that is a number, only what repeats it.

    Attributes
    ----------
    egraph
        The e-graph.
    """

    def __init__(self, egraph: EGraph) -> None:
        self.egraph = egraph
        self._terms: dict[int, dict[Any, list[Term]]] = {}
        self._leaves: dict[tuple[int, int], bool] = {}
        self._dropped: set[int] = set()
        self._seen_terms = self._seen_unions = 0

    def update(self) -> tuple[list[int], list[set[int]]]:
        """Take over what is new in the e-graph.

        Returns
        -------
        new
            The new terms.
        changed
            The classes in which something is new; those that read one of them; those that read
            one of these, and so on. Each class is where it is first.
        """
        egraph = self.egraph
        new = list(range(self._seen_terms, len(egraph)))
        united = [kept for kept, _ in egraph.unions[self._seen_unions :]]
        self._seen_terms, self._seen_unions = len(egraph), len(egraph.unions)
        changed = [set(map(egraph.find, (*new, *united)))]
        known = set(changed[0])
        while changed[-1]:
            readers = {egraph.find(r) for c in changed[-1] for r in egraph.readers(c)} - known
            known |= readers
            changed.append(readers)
        for c in set().union(*changed[:2]):
            self._terms[c] = self._terms_of(c)
        return new, changed

    def _terms_of(self, at: int) -> dict[Any, list[Term]]:
        """Return the terms of a class, by their ops and by the classes of these."""
        egraph = self.egraph
        found: defaultdict[Any, list[Term]] = defaultdict(list)
        is_number = egraph.constant(at) is not None
        for number in egraph.members(at):
            var = egraph.variables[number]
            node = var.owner
            if node is None or not egraph.is_canonical(number):
                continue
            op = node.op
            if is_number and op.repeats is None:
                continue
            classes = tuple(map(egraph.find, egraph.children(number)))
            unordered = len(classes) == 2 and egraph.is_unordered(node)
            assert var.index is not None
            term = Term(number, (op, var.index), classes, unordered)
            for head in (op, type(op)) if op.pure else (op,):
                found[head].append(term)
        return found

    def heads(self, at: int) -> Iterable[Any]:
        """Return the ops in a class, and the classes of these."""
        return self._terms[at]

    def terms(self, at: int, head: Any) -> Sequence[Term]:
        """Return the terms of an op, or of a class of ops, in a class."""
        return self._terms[at].get(head, ())

    def sums(self, at: int, op: Op) -> Iterator[Term]:
        """Yield the sums or products by an op in a class, without those that were dropped."""
        return (term for term in self.terms(at, op) if term.number not in self._dropped)

    def drop(self, term: int) -> None:
        """Leave out a sum or product: another one says the same."""
        self._dropped.add(term)

    def is_leaf(self, at: int, leaf: Leaf) -> bool:
        """Return whether a class is the number or the constant of a pattern."""
        egraph = self.egraph
        return any(
            self._is(number, leaf.pattern)
            for number in egraph.members(at)
            if egraph.is_constant(number) or egraph.variables[number].owner is None
        )

    def _is(self, number: int, pattern: Any) -> bool:
        key = (number, id(pattern))
        if key not in self._leaves:
            var = self.egraph.variables[number]
            same = pattern.matches(var) if isinstance(pattern, Literal) else None
            self._leaves[key] = same_variable(pattern, var) if same is None else same
        return self._leaves[key]


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

    def matches(self, classes: Classes, at: int) -> Iterator[Match]:
        """Yield the matches of the pattern at a class."""
        for match in self._at(self.parts[0], classes, at, (None,) * self._width):
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

    def _at(self, part: Part, classes: Classes, at: int, known: Match) -> Iterator[Match]:
        if part.regrouped:
            count = len(part.arguments)
            for term in classes.sums(at, part.family):
                if len(term.classes) >= count and part.may_be(term.op):
                    mine = _with(known, part.op, term.op, term.number)
                    yield from self._of_sum(part, 0, classes, term.classes, mine)
            return
        for term in classes.terms(at, part.family):
            if len(term.classes) == len(part.arguments) and part.may_be(term.op):
                mine = _with(known, part.op, term.op)
                yield from self._of_arguments(part, 0, classes, term.classes, mine)
                if term.unordered and term.classes[0] != term.classes[1]:
                    yield from self._of_arguments(part, 0, classes, term.classes[::-1], mine)

    def _of_arguments(
        self, part: Part, j: int, classes: Classes, given: Sequence[int], known: Match
    ) -> Iterator[Match]:
        """Yield the matches of the arguments of a part from the place `j` on."""
        if j == len(given):
            yield known
        elif j > 0 or all(map(_may_be, part.arguments, [classes] * len(given), given)):
            for match in self._of_argument(part, j, classes, given[j], known):
                yield from self._of_arguments(part, j + 1, classes, given, match)

    def _of_sum(
        self, part: Part, j: int, classes: Classes, given: Sequence[int], known: Match
    ) -> Iterator[Match]:
        """Yield the same of a sum or product, whose arguments may be at any places."""
        if j == len(part.arguments):
            yield known
        elif j == part.taker:
            yield from self._of_sum(part, j + 1, classes, given, known)
        else:
            taken = [known[slot] for slot in part.places[:j]]
            for place, at in enumerate(given):
                if place not in taken and _may_be(part.arguments[j], classes, at):
                    mine = _with(known, part.places[j], place)
                    for match in self._of_argument(part, j, classes, at, mine):
                        yield from self._of_sum(part, j + 1, classes, given, match)

    def _of_argument(
        self, part: Part, j: int, classes: Classes, at: int, known: Match
    ) -> Iterator[Match]:
        argument, slot = part.arguments[j], part.slots[j]
        if isinstance(argument, Part):
            yield from self._at(argument, classes, at, known)
        elif known[slot] is None:
            yield _with(known, slot, at)
        elif known[slot] == at:
            yield known

    def subjects(self, match: Match) -> Iterator[int]:
        """Yield the classes and sums that a match is about."""
        slots = [part.op + 1 for part in self.parts if part.regrouped]
        slots += self.variables.values()
        return (match[slot] for slot in slots if match[slot] is not None)

    def sides(self, egraph: EGraph, match: Match) -> Sides | None:
        """Return what a match is about and what is equal to it; None if a condition says no."""
        try:
            return _Sides(self, egraph, match).made()
        except _NOT_BUILT:
            return None


def is_about_ops(condition: Any, in_heads: Collection[Any]) -> TypeGuard[Where]:
    """Return whether a condition is about variables in heads alone."""
    return isinstance(condition, Where) and all(
        is_variable(v) and v in in_heads for v in condition.variables
    )


def _with(known: Match, slot: int, *values: Any) -> Match:
    return (*known[:slot], *values, *known[slot + len(values) :])


def _may_be(argument: Any, classes: Classes, at: int) -> bool:
    """Return whether an argument of a pattern may match a class."""
    if isinstance(argument, Part):
        return bool(classes.terms(at, argument.family))
    return not isinstance(argument, Leaf) or classes.is_leaf(at, argument)


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

    def __init__(self, pattern: Pattern, egraph: EGraph, match: Match) -> None:
        self._egraph, self._match, self._rule = egraph, match, pattern.rule
        self._root = pattern.parts[0]
        self._inner: list[Variable] = []
        self._values: dict[Any, Any] = dict(pattern.heads(match) or {})
        for variable, slot in pattern.variables.items():
            if match[slot] is not None:
                self._values[variable] = egraph.representative(match[slot])

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
            constant = self._egraph.constant(self._match[part.slots[j]])
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
        node, arguments = node_of(self._egraph, self._match[part.op + 1])
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
        numbers = [self._egraph.add(v) for v in arguments]
        known = self._egraph.known(op, index, numbers)
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

    def matches(self, classes: Classes, at: int) -> Iterator[Match]:
        """Yield what the law may be about in a class: the numbers of sums, and places in them."""
        raise NotImplementedError

    def subjects(self, match: Match) -> Iterator[int]:
        """Yield the sums that a match is about."""
        return iter(match)

    def sides(self, egraph: EGraph, match: Match) -> Sides | None:
        """Return a sum, and the same terms in other groups; None if that is not another form."""
        raise NotImplementedError


class Flattening(Regrouping):
    """``(x + y) + z → x + y + z``, for sums in the class of an argument."""

    name = "flatten"

    def matches(self, classes: Classes, at: int) -> Iterator[Match]:
        for outer in classes.sums(at, self.head):
            for place, argument in enumerate(outer.classes):
                for inner in classes.sums(argument, self.head):
                    yield outer.number, place, inner.number

    def subjects(self, match: Match) -> Iterator[int]:
        return iter(match[::2])

    def sides(self, egraph: EGraph, match: Match) -> Sides | None:
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

    name = "share"

    def matches(self, classes: Classes, at: int) -> Iterator[Match]:
        egraph = classes.egraph
        for one in classes.sums(at, self.head):
            readers = {egraph.find(r): None for c in one.classes for r in egraph.readers(c)}
            for other in (other for c in readers for other in classes.sums(c, self.head)):
                if other.number != one.number and _have_two_in_common(one, other):
                    yield one.number, other.number
                    yield other.number, one.number

    def sides(self, egraph: EGraph, match: Match) -> Sides | None:
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


def _have_two_in_common(one: Term, other: Term) -> bool:
    """Return whether two arguments of a sum are arguments of another one."""
    return (Counter(one.classes) & Counter(other.classes)).total() > 1


class GroupingByShape(Regrouping):
    """``c * x * d → (c * d) * x``: what has fewer numbers is added or multiplied first."""

    name = "group"

    def matches(self, classes: Classes, at: int) -> Iterator[Match]:
        yield from ((s.number,) for s in classes.sums(at, self.head) if len(s.classes) > 2)

    def sides(self, egraph: EGraph, match: Match) -> Sides | None:
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


class DroppingUnits(Regrouping):
    """``x + y + 0 → x + y`` and ``x * y * 1 → x * y``; it is asked of every sum or product."""

    name = "drop-unit"

    def sides(self, egraph: EGraph, match: Match) -> Sides | None:
        node, arguments = node_of(egraph, match[0])
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

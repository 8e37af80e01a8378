"""Translation: the pattern of a rule as a query over an e-graph, and what its matches say is equal.

Regrouping of sums and products holds of all of them, and no pattern says it. Whatever is grouped is
added or multiplied in the dtype of the whole: two integers beside a float are added as floats, and
among themselves they may wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

from unification.core import reify, unify

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.goals import (
    Compute,
    Readers,
    Where,
    agree,
    built_variables,
    dtypes_admitted,
    finite_constants,
    fitted,
    hold_numbers,
)
from relgraph.graph.kanren.matching import combine_arguments, is_number, numbers_keep_shape
from relgraph.graph.kanren.rules import Output, Rule, flat_patterns, is_ac, is_fixed, split
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
from relgraph.graph.unify import NO_ITEMS
from relgraph.search.egraph import EGraph


class Untranslatable(Exception):
    """The pattern of a rule is no query; the message says why."""


@dataclass(frozen=True)
class Leaf:
    """A number or a constant of a pattern."""

    pattern: Any


@dataclass(eq=False)
class Part:
    """An op of a pattern on its arguments.

    Attributes
    ----------
    head
        The pattern of the op.
    arguments
        Its arguments: parts, leaves, and logic variables.
    regrouped
        Whether it is a sum or product of any order and grouping.
    taker
        Which argument of such a one takes all that the others leave; None if none does.
    """

    head: Any
    arguments: list[Any]
    regrouped: bool
    taker: int | None = None
    _bound: dict[Op, Any] = field(default_factory=dict, repr=False)

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

    def is_output(self, op: Op, index: int) -> bool:
        """Return whether the part may stand for output `index` of an op."""
        plain = op.default_output == index or (op.nout in (1, None) and index == 0)
        if isinstance(self.head, Output):
            return not plain and self.head.index == index
        return plain


def parts_of(rule: Rule) -> list[Part]:
    """Return the parts of the pattern of a rule, the root first.

    Raises
    ------
    Untranslatable
        If the pattern stands for any number of arguments, or for an op of which nothing is known.
    """
    parts: list[Part] = []
    counts = _occurrences(rule.pattern)

    def made(pattern: Any) -> Any:
        if is_variable(pattern):
            return pattern
        if isinstance(pattern, Literal | Variable | bool | int | float | complex):
            return Leaf(
                pattern if not isinstance(pattern, int | float | complex) else Literal(pattern)
            )
        found = split(pattern)
        if found is None:
            raise Untranslatable(f"its pattern holds {pattern}, which is no op on arguments")
        head, patterns = found
        if any(isinstance(p, Arguments) for p in patterns):
            raise Untranslatable("its pattern stands for any number of arguments")
        if family_of(head) is None:
            raise Untranslatable(f"the op of its pattern, {head}, may be any")
        regrouped = rule.regroup and is_ac(head) and len(patterns) > 1
        if regrouped:
            patterns = tuple(flat_patterns(head, patterns))
        part = Part(head, [], regrouped)
        parts.append(part)
        part.arguments = [made(p) for p in patterns]
        if regrouped:
            part.taker = _taker(patterns, counts)
        return part

    made(rule.pattern)
    return parts


def family_of(head: Any) -> Any:
    """Return the op that a head stands for, or the class of ops; None if that is not known."""
    if isinstance(head, Output):
        head = head.op
    if isinstance(head, Op):
        return head.tracked
    inner = split(head)
    return inner[0] if inner is not None and isinstance(inner[0], type) else None


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


def _taker(patterns: Sequence[Any], counts: Mapping[Any, int]) -> int | None:
    alone = [i for i, p in enumerate(patterns) if is_variable(p) and counts[p] == 1]
    return alone[-1] if alone else None


def variables_in_heads(parts: Sequence[Part]) -> set[LogicVariable]:
    """Return the logic variables for what is in the ops of some parts."""
    heads = [part.head.op if isinstance(part.head, Output) else part.head for part in parts]
    return {v for head in heads if not isinstance(head, Op) for v in variables_of(head)}


def is_about_ops(condition: Any, in_heads: Collection[Any]) -> TypeGuard[Where]:
    """Return whether a condition is about variables in the heads alone: it is decided before there
    are matches."""
    return isinstance(condition, Where) and all(
        is_variable(v) and v in in_heads for v in condition.variables
    )


def bound_heads(parts: Sequence[Part], ops: Sequence[Any]) -> dict[Any, Any] | None:
    """Return the values of the variables in the heads for some ops; None if they differ."""
    found: dict[Any, Any] = {}
    for part, op in zip(parts, ops, strict=True):
        bound = part.bound(op)
        if bound is None or any(found.setdefault(v, value) != value for v, value in bound.items()):
            return None
    return found


class Column(NamedTuple):
    """A variable of a query, and what it is.

    Attributes
    ----------
    what
        ``("class", logic variable)``, ``("leaf", part, argument)``, ``("sum", part)``, or
        ``("place", part, argument)``.
    """

    name: str
    what: tuple[Any, ...]

    @property
    def kind(self) -> str:
        """``v`` for a class, ``i`` for a number."""
        return "v" if self.what[0] in ("class", "leaf") else "i"


class Query(NamedTuple):
    """What egglog is asked about a rule: facts over variables, and what a match gives."""

    facts: list[str]
    columns: list[Column]


class QueryWriter:
    """Writes the query of a rule whose heads are some ops.

    Parameters
    ----------
    parts, op_numbers
        The parts of its pattern, the root first, and the number of the op of each.
    leaf_number
        A function that gives each number or constant of a pattern a number.
    relation_of
        A function that gives the facts about a part, its columns and their kinds a relation.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        op_numbers: Sequence[int],
        leaf_number: Callable[[Any], int],
        relation_of: Callable[[Sequence[str], Sequence[str], str], str],
    ) -> None:
        self._index = {id(part): i for i, part in enumerate(parts)}
        self._op_numbers = op_numbers
        self._leaf_number = leaf_number
        self._relation_of = relation_of
        self._root = parts[0]

    def query(self) -> Query:
        """Return the query."""
        facts, columns = self._of_part(self._root)
        given = []
        for column in columns:
            if column.kind == "v":
                facts.append(f"(= r_{column.name} (rep {column.name}))")
                given.append(Column(f"r_{column.name}", column.what))
            else:
                given.append(column)
        return Query(facts, given)

    def _of_part(self, part: Part) -> tuple[list[str], list[Column]]:
        """Return the facts that hold of a part, whose class is ``c``, and their variables."""
        i = self._index[id(part)]
        facts: list[str] = []
        columns: list[Column] = []
        names: dict[Any, str] = {}
        if part.regrouped:
            facts.append(f"(s {self._op_numbers[i]} m c)")
            columns.append(Column("m", ("sum", i)))
        arguments: list[str] = []
        taken: list[str] = []
        for j, argument in enumerate(part.arguments):
            if j == part.taker:
                continue
            name = self._argument(argument, i, j, facts, columns, names)
            arguments.append(name)
            if part.regrouped:
                place = f"i{j}"
                facts.append(f"(h m {place} {name})")
                facts.extend(f"(!= {place} {other})" for other in taken)
                taken.append(place)
                columns.append(Column(place, ("place", i, j)))
        if not part.regrouped:
            facts.append(f"(n{len(arguments)}x {self._op_numbers[i]} c {' '.join(arguments)})")
        return facts, columns

    def _argument(
        self,
        argument: Any,
        i: int,
        j: int,
        facts: list[str],
        columns: list[Column],
        names: dict[Any, str],
    ) -> str:
        """Return the name of the class of an argument, and state what is known of it."""
        if isinstance(argument, Leaf):
            facts.append(f"(k {self._leaf_number(argument.pattern)} l{j})")
            columns.append(Column(f"l{j}", ("leaf", i, j)))
            return f"l{j}"
        if not isinstance(argument, Part):
            if argument not in names:
                names[argument] = f"x{len(names)}"
                columns.append(Column(names[argument], ("class", argument)))
            return names[argument]
        inner, own = self._of_part(argument)
        kinds = "v" + "".join(column.kind for column in own)
        relation = self._relation_of(inner, ["c", *(column.name for column in own)], kinds)
        given = []
        for column in own:
            if column.what[0] == "class":
                given.append(self._argument(column.what[1], i, j, facts, columns, names))
            else:
                given.append(f"y{j}_{column.name}")
                columns.append(Column(given[-1], column.what))
        facts.append(f"({relation} a{j} {' '.join(given)})")
        return f"a{j}"


def heads_of(parts: Sequence[Part]) -> Iterator[Any]:
    """Yield what the head of each part is looked up by."""
    for part in parts:
        yield family_of(part.head)


class _NoMatch(Exception):
    """What egglog has found is no match: the law asks for more than facts say."""


_NOT_BUILT = (_NoMatch, TypeError, ValueError, OverflowError, OpenAnswerError)


class Instance:
    """A rule whose heads are certain ops.

    Parameters
    ----------
    rule, parts
        The rule, and its pattern.
    ops
        The op of each part, with the index of the output that it stands for.
    heads
        The values of the variables in the heads.
    query
        What egglog is asked.
    """

    def __init__(
        self,
        rule: Rule,
        parts: Sequence[Part],
        ops: Sequence[tuple[Op, int]],
        heads: dict[Any, Any],
        query: Query,
    ) -> None:
        self.rule = rule
        self.heads = heads
        self.query = query
        self._parts = parts
        self._ops = dict(zip(map(id, parts), ops, strict=True))
        self._index = {id(part): i for i, part in enumerate(parts)}

    def sides(self, egraph: EGraph, match: Sequence[int]) -> tuple[Variable, Variable] | None:
        """Return what a match is about and what is equal to it; None if a condition says no."""
        try:
            return _Sides(self, egraph, match).made()
        except _NOT_BUILT:
            return None

    def op_of(self, part: Part) -> tuple[Op, int]:
        """Return the op of a part, and the index of its output."""
        return self._ops[id(part)]

    def index_of(self, part: Part) -> int:
        """Return the place of a part among all."""
        return self._index[id(part)]

    @property
    def root(self) -> Part:
        return self._parts[0]


class _Sides:
    """The two sides of a rule for one match."""

    def __init__(self, instance: Instance, egraph: EGraph, match: Sequence[int]) -> None:
        self._instance, self._egraph, self._rule = instance, egraph, instance.rule
        self._values: dict[Any, Any] = dict(instance.heads)
        self._of_leaves: dict[tuple[int, int], int] = {}
        self._sums: dict[int, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._inner: list[Variable] = []
        for value, (_, (kind, *what)) in zip(match, instance.query.columns, strict=True):
            if kind == "class":
                self._values[what[0]] = egraph.representative(value)
            elif kind == "leaf":
                self._of_leaves[what[0], what[1]] = value
            elif kind == "sum":
                self._sums[what[0]] = value
            else:
                self._places[what[0], what[1]] = value

    def made(self) -> tuple[Variable, Variable] | None:
        rule = self._rule
        old, rest = self._built_part(self._instance.root, at_root=True, below_others=False)
        if not self._conditions_hold():
            return None
        if rule.rounded_numbers and not hold_numbers(self._inner, rule.rounded_numbers):
            return None
        given = [v for v in (*self._values.values(), *rest) if isinstance(v, Variable | tuple)]
        new = self._built(rule.template)
        if rest:
            new = self._instance.op_of(self._instance.root)[0].make_node(new, *rest).outputs[0]
        if rule.one_dtype or not rule.complex:
            every = (*self._inner, *built_variables(given, new))
            if not dtypes_admitted(every, rule.one_dtype, rule.complex):
                return None
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
        op, index = self._instance.op_of(part)
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
        i = self._instance.index_of(part)
        numbers = [j for j, a in enumerate(part.arguments) if isinstance(a, Leaf)]
        taken = [self._places[i, j] for j in numbers] if part.regrouped else numbers
        beside = [v for k, v in enumerate(node.inputs) if k not in taken]
        if numbers and not numbers_keep_shape(node, beside):
            raise _NoMatch

    def _argument(self, part: Part, j: int, below: bool) -> Variable:
        argument = part.arguments[j]
        if isinstance(argument, Part):
            return self._built_part(argument, at_root=False, below_others=below)[0]
        if isinstance(argument, Leaf) and is_number(argument.pattern):
            constant = self._egraph.constant(self._of_leaves[self._instance.index_of(part), j])
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
        i = self._instance.index_of(part)
        node = self._egraph.variables[self._sums[i]].owner
        children = self._egraph.children(self._sums[i])
        arguments = [self._egraph.representative(k) for k in children]
        left = list(range(len(arguments)))
        for j, _ in enumerate(part.arguments):
            if j != part.taker:
                arguments[self._places[i, j]] = self._argument(part, j, below)
                left.remove(self._places[i, j])
        others = [arguments[k] for k in left]
        if part.taker is None:
            if others and not at_root:
                raise _NoMatch
            return arguments, others
        taken = combine_arguments(node, others) if node is not None and others else None
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
        waiting = list(self._rule.conditions)
        asked_constants = False
        while waiting:
            later = []
            for condition in waiting:
                if not asked_constants and isinstance(condition, Compute):
                    asked_constants = True  # computations may rely on it
                    if self._rule.finite and not finite_constants(self._values.values()):
                        return False
                given = self._given(condition.variables)
                if given is None:
                    later.append(condition)
                elif not self._holds(condition, given):
                    return False
            if len(later) == len(waiting):
                return False
            waiting = later
        return not self._rule.finite or finite_constants(self._values.values())

    def _given(self, arguments: Sequence[Any]) -> list[Any] | None:
        """Return the values of the arguments of a condition; None if one is open."""
        found = []
        for argument in arguments:
            value = argument
            if is_variable(argument):
                value = self._values.get(argument, argument)
            elif variables_of(argument):
                value = reify(argument, self._values)
            if is_variable(value) or variables_of(value):
                return None
            found.append(_value(value))
        return found

    def _holds(self, condition: Any, values: Sequence[Any]) -> bool:
        if isinstance(condition, Readers):
            return True
        if isinstance(condition, Where):
            return bool(condition.predicate(*values))
        value = condition.computed(tuple(values))
        known = reify(condition.out, self._values)
        if isinstance(known, Variable):
            return bool(agree(known, value))
        found = unify(condition.out, value, self._values)
        if found is False:
            return False
        self._values = dict(found)
        return True

    # -- the right side ------------------------------------------------------------------------

    def _built(self, template: Any) -> Any:
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
    if given is NO_ITEMS:
        return ()
    return given if isinstance(given, Variable | tuple | Op) else build(given)


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

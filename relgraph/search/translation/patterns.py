"""The pattern of a rule as a query: what egglog has to find, and what a match tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from unification.core import reify, unify

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules.rule import (
    Output,
    Rule,
    flat_patterns,
    is_ac,
    split,
)
from relgraph.graph.kanren.terms.term import Arguments, Literal, is_variable, variables_of
from relgraph.graph.op import Op


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

"""Laws: relations that are equations between two terms.

A side may call functions whose results depend on types. Such a call is done once on stand-ins of
the ranks that the law states, and the ops on the way from its arguments to its result take its
place. What it makes of lengths alone is found, or built, by calling it on what the law has matched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from kanren.core import eq, lall
from unification.core import reify
from unification.variable import isvar

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.compilation import Extraction
from relgraph.graph.kanren.explanation import NoSuchDirection
from relgraph.graph.kanren.goals import (
    Compute,
    Computed,
    Condition,
    Readers,
    Where,
    is_found,
    renamed_goal,
    with_goals_of_variables,
)
from relgraph.graph.kanren.matching import results_of
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rewriters import LawRewriter
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.kanren.terms import (
    Call,
    Literal,
    LogicVariable,
    OpenAnswerError,
    Term,
    build,
    fresh_variable,
    has_calls,
    renamed,
    variables_of,
)
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations, graph_inputs, io_toposort
from relgraph.graph.unify import nth
from relgraph.graph.utils import labelled

_Path = tuple[int, ...]
_Side = tuple[Any, list[tuple[LogicVariable, "_Part"]]]


def expanded(side: Any, ranks: Mapping[Any, int]) -> _Side:
    """Return a side with what its calls make in their place.

    Parameters
    ----------
    ranks
        The ranks of logic variables, as far as they are stated.

    Returns
    -------
    term, parts
        `parts` are variables in `term` for what calls make of the lengths of arguments alone, each
        with the function that gives it.

    Raises
    ------
    TypeError
        If the rank of a variable in a call is not stated, or no variable is made of them.
    """
    if not has_calls(side):
        return side, []
    sides = [expanded(arg, ranks) for arg in side.args]
    terms, parts = [term for term, _ in sides], [part for _, found in sides for part in found]
    if not isinstance(side.op, Call):
        return Term(side.op, terms, side._ops), parts
    term, own = _expanded_call(side, terms, ranks)
    return term, [*parts, *own]


def _expanded_call(side: Term, terms: Sequence[Any], ranks: Mapping[Any, int]) -> _Side:
    leaves = variables_of(side)
    for leaf in leaves:
        if leaf not in ranks:
            raise TypeError(
                f"what {side} is depends on the rank of {leaf}: state it, by "
                f"relations.kit.type_guards.ranko({leaf}, ...)"
            )
    stand_ins = {leaf: side._ops.stand_in(ranks[leaf]) for leaf in leaves}
    arguments = [build(renamed(arg, stand_ins)) for arg in side.args]
    made = side.op(*arguments)
    if not isinstance(made, Variable) or made.owner is None:
        raise TypeError(f"{side} makes {made}, which no law can match")
    reader = _Reader(dict(zip(arguments, terms, strict=True)), side._ops, leaves[0])
    term = reader.read(made)
    return term, [(v, _Part(side, tuple(leaves), path)) for v, path in reader.others.items()]


class _Reader:
    """Reads the graph that a call has made as a pattern.

    Attributes
    ----------
    others
        For each variable of the pattern that is not made of the arguments, its path from the
        result: the index of an input, of an input of that, and so on.
    """

    def __init__(self, arguments: Mapping[Variable, Any], ops: Any, leaf: Any) -> None:
        self.arguments = arguments
        self.others: dict[Any, _Path] = {}
        self._ops = ops
        self._leaf = leaf
        self._data: set[Variable] = set()

    def read(self, made: Variable) -> Any:
        for node in io_toposort(list(self.arguments), [made]):
            if not self._ops.asks_shape(node.op) and any(
                v in self.arguments or v in self._data for v in node.inputs
            ):
                self._data.update(node.outputs)
        return self._read(made, ())

    def _read(self, var: Variable, path: _Path) -> Any:
        if var in self.arguments:
            return self.arguments[var]
        if var in self._data and var.owner is not None:
            node = var.owner
            parts = [self._read(v, (*path, i)) for i, v in enumerate(node.inputs)]
            term = Term(node.op, parts, self._ops)
            return term if len(node.outputs) == 1 else nth(node.outputs.index(var), term)
        number = var.unique_value() if isinstance(var, Constant) else None
        if number is not None:
            return Literal(number)
        other = self._leaf.fresh()
        self.others[other] = path
        return other


@dataclass(frozen=True, eq=False)
class _Part:
    """The function from the values of a call's logic variables to what it makes at a path; None if
    it makes nothing there."""

    side: Term
    leaves: tuple[Any, ...]
    path: _Path

    def __call__(self, *values: Any) -> Variable | None:
        try:
            var = build(renamed(self.side, dict(zip(self.leaves, values, strict=True))))
        except (TypeError, ValueError, IndexError):
            return None
        for i in self.path:
            if var.owner is None or i >= len(var.owner.inputs):
                return None
            var = var.owner.inputs[i]
        made: Variable = var
        return made

    def is_same(self, found: Any, *values: Any) -> bool:
        """Return whether a variable is what the call makes at the path."""
        return _is_same(found, self(*values))


def _is_same(found: Any, made: Any) -> bool:
    """Return whether a variable is written as another one, or is the constant that it is."""
    if made is None or found.type.ndim != made.type.ndim:
        return False
    if equal_computations([found], [made]):
        return True
    if not all(isinstance(v, Constant) for v in [found, *graph_inputs([made])]):
        return False
    (value,) = evaluate([made], {})
    return bool(np.array_equal(value, found.data))


def stated_ranks(conditions: Sequence[Any]) -> dict[Any, int]:
    """Return the ranks that the conditions of a law state of its variables."""
    found: dict[Any, int] = {}
    for condition in conditions:
        if type(condition) is Where and getattr(condition.function, "states_rank", False):
            variable, rank = condition.variables
            found[variable] = int(getattr(rank, "value", rank))
    return found


class Law(Relation):
    """The law that `lhs` equals `rhs` under `conditions`.

    It fires only if the root and every intermediate value of both sides have one dtype,
    comparisons and explicit casts aside.

    Parameters
    ----------
    name
        Its name in tables, queries, reports and errors.
    lhs, rhs
        Terms over logic variables (``lvars("x y")``), or numbers.
    conditions
        Goals over the same variables, such as `whereo` and `computo`. One on the side that is
        matched, written as that is, gets the variable of the graph.
    tags, sound
        See `Relation`.
    mixed
        Whether it fires on different dtypes too.
    complex
        Whether it fires on complex numbers too.
    domain
        The condition under which a law of the class ``domain`` holds: a goal such as
        ``whereo(are_positive, x)``. The predicate is evaluated on values when the law is checked.
    tries
        Terms to check it on, in place of the left side: of the shapes that its conditions admit.
    implied
        The conditions that every law of a vocabulary has without stating them: a function from the
        left side and the class to goals about the clients of its parts. They hold if there is no
        graph.

    Raises
    ------
    TypeError
        If a side is not a term (or one a number), or a condition not a goal.
    ValueError
        If the sides are equal, or no direction would bind all variables of the other side.
    """

    def __init__(
        self,
        name: str,
        lhs: Any,
        rhs: Any,
        *conditions: Any,
        tags: Iterable[str] = (),
        sound: str = "exact",
        mixed: bool = False,
        complex: bool = False,
        domain: Any = None,
        tries: Sequence[Any] = (),
        implied: Callable[[Any, str], Sequence[Readers]] | None = None,
    ) -> None:
        for condition in conditions:
            if not callable(condition):
                raise TypeError(f"{name}: the condition {condition!r} is not a goal")
        super().__init__(name, self._relate, tags, sound, domain, tries)
        self.lhs = _side(name, lhs)
        self.rhs = _side(name, rhs)
        _check_sides(name, self.lhs, self.rhs)
        self._implied = implied
        self.conditions = with_goals_of_variables(conditions, self.lhs, self.rhs)
        self._stated = [condition for condition in self.conditions if _is_stated(condition)]
        self.mixed = mixed
        self.complex = complex
        left, right = variables_of(self.lhs), variables_of(self.rhs)
        others = (c.open_variables() for c in self.conditions if isinstance(c, Condition))
        self._variables = list(dict.fromkeys([*left, *right]))
        _check_names(name, self._variables)
        ranks = stated_ranks(self.conditions)
        self._sides = [expanded(self.lhs, ranks), expanded(self.rhs, ranks)]
        made = [v for _, parts in self._sides for v, _ in parts]
        every = [*self._variables, *chain.from_iterable(others), *made]
        self._renamed = list(dict.fromkeys(every))
        # the variables of each side to which nothing would give a value if it were built
        self._unbound = {"forward": self._left_open(left, right)}
        self._unbound["backward"] = self._left_open(right, left)
        if all(self._unbound.values()):
            lost = self._unbound["forward"][0]
            raise ValueError(f"{name}: {lost} is on one side alone, and nothing gives it a value")

    def _left_open(
        self, matched: list[LogicVariable], built: list[LogicVariable]
    ) -> list[LogicVariable]:
        """Return the variables of what is built that neither a match nor a condition binds."""
        if any(not isinstance(c, Condition) for c in self.conditions):
            return []  # a goal of another kind may bind any; an open answer is refused later
        given = {*matched, *chain.from_iterable(c.binds for c in self.conditions)}
        return [v for v in built if v not in given]

    def _rule(self, direction: str) -> Rule:
        sides = self._sides if direction == "forward" else self._sides[::-1]
        (pattern, matched), (template, built) = sides
        same = [Where(part.is_same, (v, *part.leaves)) for v, part in matched]
        made: list[Condition] = []
        for v, part in built:
            made += [Compute(v, part, part.leaves), Where(is_found, (v,))]
        implied: Sequence[Readers] = ()
        if self._implied is not None and direction == "forward":
            implied = self._implied(pattern, self.sound)
        return Rule(
            labelled(self.name, direction),
            pattern,
            template,
            (*same, *self.conditions, *made, *implied),
            regroup=self.sound != "exact",
            one_dtype=not self.mixed,
            complex=self.complex,
            finite=self.sound == "finite",
        )

    def _direction(self, name: str) -> LawRewriter:
        lost, matched = self._unbound[name], self.lhs if name == "forward" else self.rhs
        if lost:
            raise NoSuchDirection(
                f"the law {self} has no direction {name}: it would leave {lost[0]} without a value"
            )
        if not isinstance(matched, Term):
            raise NoSuchDirection(
                f"the law {self} has no direction {name}: {matched} alone would match everything"
            )
        goal = self if name == "forward" else lambda x, y: self(y, x)
        return LawRewriter(self, self._rule(name), goal)

    @cached_property
    def forward(self) -> LawRewriter:
        """The local optimizer that replaces the left side by the right one.

        Raises
        ------
        NoSuchDirection
            If that would leave a variable unbound, or match everything.
        """
        return self._direction("forward")

    @cached_property
    def backward(self) -> LawRewriter:
        """The local optimizer that replaces the right side by the left; raises like `forward`."""
        return self._direction("backward")

    def _extraction(self, direction: str) -> Extraction:
        name = f"{self.name} {direction}"
        try:
            rule = (self.forward if direction == "forward" else self.backward).rule
        except NoSuchDirection as why:
            return Extraction(name, "none", reason=str(why))
        try:
            compile_rule(rule)
        except NotCompilable as why:
            return Extraction(name, "open", reason=str(why))
        return Extraction(name, "closed", (rule,))

    def _relate(self, in_lv: Any, out_lv: Any) -> Any:
        names = {v: fresh_variable(v) for v in self._renamed}

        def goal(s: Any) -> Iterator[Any]:
            seen_in, seen_out = _ground(in_lv, s), _ground(out_lv, s)
            backward = not isinstance(seen_in, Variable) and isinstance(seen_out, Variable)
            rule = _renamed_rule(self._rule("backward" if backward else "forward"), names)
            if backward:
                yield from _rewritten(rule, seen_out, in_lv, s)
            elif isinstance(seen_in, Variable):
                yield from _rewritten(rule, seen_in, out_lv, s)
            else:
                left, right = eq(in_lv, rule.pattern), eq(out_lv, rule.template)
                yield from lall(left, *rule.conditions, right)(s)

        return goal

    def __str__(self) -> str:
        text = f"{self.lhs} → {self.rhs}"
        if self._stated:
            text += f"  where {', '.join(map(str, self._stated))}"
        return text

    def __repr__(self) -> str:
        proved = f" ({self.proof})" if self.proof.holds else ""
        return f"<Law {self.name}: {self}>{proved}"


def _renamed_rule(rule: Rule, names: Mapping[Any, Any]) -> Rule:
    return replace(
        rule,
        pattern=renamed(rule.pattern, names),
        template=renamed(rule.template, names),
        conditions=[renamed_goal(c, names) for c in rule.conditions],
    )


def _rewritten(rule: Rule, var: Variable, other: Any, s: Any) -> Iterator[Any]:
    """Match a rule with a variable of a graph, and unify what it builds with `other`."""
    for answer, new in results_of(rule, var, s, getattr(s, "fgraph", None)):
        yield from eq(other, new)(answer)


def _check_names(name: str, variables: Sequence[LogicVariable]) -> None:
    """Raise an error if two variables have one name, as one that is given with goals and another
    one may have."""
    names = Counter(map(str, variables))
    for v in variables:
        if names[str(v)] > 1:
            raise ValueError(f"{name}: there are two variables of the name {v}")


def _is_stated(condition: Any) -> bool:
    """Return whether a condition is no goal of a computed variable, which is written as a call."""
    return not isinstance(condition, Condition) or not any(
        isinstance(v, Computed) and condition in v.goals for v in condition.open_variables()
    )


def _side(name: str, side: Any) -> Any:
    if isinstance(side, bool | int | float | complex):
        return Literal(side)
    if isinstance(side, Term | LogicVariable | Literal | Constant):
        return side
    raise TypeError(f"{name}: a side of a law is a term over lvars(...), or a number, not {side!r}")


def _check_sides(name: str, lhs: Any, rhs: Any) -> None:
    """Raise an error if an equation is trivial."""
    if isinstance(lhs, Literal) and isinstance(lhs.value, bool):
        raise TypeError(
            f"{name}: the left side is {lhs}, no term; if it was written a == b or a != b, "
            "write eq(a, b) or neq(a, b)"
        )
    if isinstance(lhs, Literal) and isinstance(rhs, Literal):
        raise TypeError(f"{name}: both sides are numbers, {lhs} and {rhs}")
    if _same_term(lhs, rhs):
        raise ValueError(f"{name}: both sides are {lhs}")


def _same_term(lhs: Any, rhs: Any) -> bool:
    """Return whether two terms are written in the same way."""
    stack = [(lhs, rhs)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, Term) and isinstance(b, Term) and len(a.args) == len(b.args):
            stack.extend(zip((a.op, *a.args), (b.op, *b.args), strict=True))
        elif a is not b and not (isinstance(a, Literal) and a == b):
            return False
    return True


def _ground(x: Any, s: Any) -> Any:
    """Return the value of `x` in a state, built as a variable of a graph if that is possible."""
    seen = reify(x, s)
    if isvar(seen) or isinstance(seen, Variable):
        return seen
    try:
        return build(seen)
    except (OpenAnswerError, TypeError):
        return seen


law = Law

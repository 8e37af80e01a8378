"""Views: functions of a variable that are defined by patterns.

A law about sums of any length needs the same of each argument: its coefficient, or its sign.
``view("term", case(-x, (-1, x)), case(x, (1, x)))`` is the function that returns ``(-1, x)`` for a
negation, and ``(1, x)`` for anything else. A law uses it in a `computo`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.fg.structure import UNKNOWN_READERS
from relgraph.graph.kanren.codegen import RuleWriter
from relgraph.graph.kanren.goals import Condition, with_goals_of_variables
from relgraph.graph.kanren.rules import Rule, head_of
from relgraph.graph.kanren.terms import Term, build


class Case:
    """A case of a `View`.

    Parameters
    ----------
    pattern
        A term, or a logic variable, which matches everything.
    seen_as
        The value of the view: a logic variable of the pattern, a term, a tuple of such, or a
        constant.
    conditions
        Goals over the variables of the pattern.
    """

    def __init__(self, pattern: Any, seen_as: Any, *conditions: Condition) -> None:
        self.pattern = pattern
        self.seen_as = seen_as
        self.conditions = with_goals_of_variables(conditions, pattern, seen_as)


class View:
    """A function from a variable to the value of the first case that it matches.

    Raises
    ------
    ValueError
        If the last case does not match everything.

    Attributes
    ----------
    each
        The function from several variables to the tuple of their values.
    depth
        How many levels of nodes the view looks at.
    by_head
        The results of `functions_for`.
    """

    def __init__(self, name: str, *cases: Case) -> None:
        self.__name__ = name
        self.cases = cases
        if not self.cases or not isvar(self.cases[-1].pattern):
            raise ValueError(f"the last case of the view {name} has to match everything")
        self.depth = max(Rule(name, c.pattern, None, c.conditions).depth for c in self.cases)
        self.each = _Each(self)
        self.by_head: dict[Any, tuple[Callable[[Variable], Any], ...]] = {}

    @cached_property
    def _functions(self) -> list[tuple[Any, Callable[[Variable], Any]]]:
        return [(head_of(c.pattern), _CaseWriter(c, self.__name__).made()) for c in self.cases]

    def __call__(self, var: Variable) -> Any:
        """Return the value of the first case that `var` matches.

        A part of what a law matches is a term in plain `run`: it is built then.
        """
        (seen,) = self.each((var if isinstance(var, Variable) else build(var),))
        return seen

    def functions_for(self, head: Any) -> tuple[Callable[[Variable], Any], ...]:
        """Return the functions of the cases that a variable with this head may match."""
        # a pattern with a variable for a parameter of its op is known by the class of the op
        admits = (None, head, type(head))
        functions = tuple(f for wanted, f in self._functions if wanted in admits)
        self.by_head[head] = functions
        return functions


class _Each:
    """See `View.each`."""

    def __init__(self, one: View) -> None:
        self.one = one
        self.depth = one.depth
        self.__name__ = f"{one.__name__} of each"

    def __call__(self, variables: Iterable[Variable]) -> tuple[Any, ...]:
        by_head, every = self.one.by_head, []
        known: dict[Variable, Any] = {}
        for var in variables:
            seen = known.get(var)
            if seen is None:
                for function in by_head.get(var.head) or self.one.functions_for(var.head):
                    seen = function(var)
                    if seen is not None:
                        break
                known[var] = seen
            every.append(seen)
        return tuple(every)


case = Case
view = View


class _CaseWriter(RuleWriter):
    """Generates the function of one case."""

    def __init__(self, row: Case, name: str) -> None:
        rule = Rule(name, row.pattern, None, row.conditions, regroup=True)
        super().__init__(rule)
        self.seen_as = row.seen_as

    def made(self) -> Callable[[Variable], Any]:
        """Return the function from a variable to the value of the case; None if it doesn't match.

        Raises
        ------
        NotCompilable
            If the pattern can't be compiled.
        """
        # with unknown readers no nested sum is flattened: the view is of one argument of a sum
        self.emit(f"fgraph = {self.global_name(UNKNOWN_READERS, 'GRAPH')}")
        self.match_one(self.rule.pattern, "root")
        self.check_conditions()
        self.emit(f"return {self.seen_text(self.seen_as)}")
        self.lines.append("    return None")
        function: Callable[[Variable], Any] = self.compile_function(
            "see(root)", f"view {self.rule.name}"
        )
        return function

    def seen_text(self, value: Any) -> str:
        """Return the expression for a value, or a tuple of values."""
        if isinstance(value, Term):
            return self.build_term(value, [])
        if isinstance(value, tuple):
            return f"({''.join(f'{self.seen_text(part)}, ' for part in value)})"
        return self.value_text(value)

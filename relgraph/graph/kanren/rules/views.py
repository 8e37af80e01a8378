"""Functions that say what a variable is, written as patterns.

A law about sums of any length asks the same of each argument: what is its coefficient, what its
sign. ``view("term", case(-x, (-1, x)), case(x, (1, x)))`` is the function that answers ``(-1, x)``
for a negation, and ``(1, x)`` for anything else. A law uses it in a `computo`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.fg.clients import UNKNOWN_READERS
from relgraph.graph.kanren.rules.codegen import NotCompilable, RuleWriter
from relgraph.graph.kanren.rules.rule import Rule, head_of, height, split
from relgraph.graph.kanren.search.goals import Condition, read_once
from relgraph.graph.kanren.terms.term import Term


@dataclass(frozen=True)
class Case:
    """One row of a view: what matches `pattern` under `conditions` is seen as `seen_as`."""

    pattern: Any
    seen_as: Any
    conditions: tuple[Condition, ...]


def case(pattern: Any, seen_as: Any, *conditions: Condition) -> Case:
    """Return a row of a `view`.

    Parameters
    ----------
    pattern
        A term, or a logic variable, which matches everything.
    seen_as
        A logic variable of the pattern, a tuple, or anything else, which stands for itself.
    conditions
        Goals over the variables of the pattern.
    """
    return Case(pattern, seen_as, conditions)


class View:
    """A function of a variable, by the first case that matches; see `view`.

    Attributes
    ----------
    each, each_unshared
        The functions that give a tuple of what each of some variables is seen as; the latter sees
        those that are read more than once in their graph as the last case has it.
    depth
        How many levels of nodes it looks at.
    by_head
        What `functions_for` has returned.
    """

    def __init__(self, name: str, cases: Iterable[Case]) -> None:
        self.__name__ = name
        self.cases = tuple(cases)
        if not self.cases or not isvar(self.cases[-1].pattern):
            raise ValueError(f"the last case of the view {name} has to match everything")
        self.depth = max(height(c.pattern) for c in self.cases)
        self.each = _Each(self)
        self.each_unshared = _EachUnshared(self)
        self.by_head: dict[Any, tuple[Callable[[Variable], Any], ...]] = {}

    @cached_property
    def _functions(self) -> list[tuple[Any, Callable[[Variable], Any]]]:
        return [(head_of(c.pattern), _CaseWriter(c, self.__name__).made()) for c in self.cases]

    def __call__(self, var: Variable) -> Any:
        """Return what `var` is seen as in the first case that it matches."""
        (seen,) = self.each((var,))
        return seen

    def functions_for(self, head: Any) -> tuple[Callable[[Variable], Any], ...]:
        """Return the functions of the cases that a variable with this head may match, in order."""
        functions = tuple(f for wanted, f in self._functions if wanted is None or wanted is head)
        self.by_head[head] = functions
        return functions


class _Each:
    """A view of each of some variables."""

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


class _EachUnshared:
    """A view of each of some variables of a graph that nothing else reads."""

    asks_graph = True

    def __init__(self, one: View) -> None:
        self.one = one
        self.depth = one.depth
        self.__name__ = f"{one.__name__} of each"

    def __call__(self, fgraph: Any, variables: Iterable[Variable]) -> tuple[Any, ...]:
        whole = self.one.functions_for(None)[-1]
        # what nothing computes costs nothing to take apart
        return tuple(
            [
                self.one(v) if v.owner is None or read_once(fgraph, v) else whole(v)
                for v in variables
            ]
        )


def view(name: str, *cases: Case) -> View:
    """Return a function from a variable to what it is seen as, in the first case that matches.

    Raises
    ------
    ValueError
        If the last case does not match everything.
    """
    return View(name, cases)


class _CaseWriter(RuleWriter):
    """Writes the function of one case."""

    def __init__(self, row: Case, name: str) -> None:
        rule = Rule(name, row.pattern, None, row.conditions, regroup=True)
        super().__init__(rule, every=False)
        self.seen_as = row.seen_as

    def made(self) -> Callable[[Variable], Any]:
        """Return the function of a variable that gives what it is seen as, or None.

        Raises
        ------
        NotCompilable
            If the pattern has an op that is not known ahead.
        """
        # a look at one level: what is nested is seen in its own place, when it has been flattened
        self.line(f"fgraph = {self.constant(UNKNOWN_READERS, 'GRAPH')}")
        parts = split(self.rule.pattern)
        if parts is None:
            self.one(self.rule.pattern, "root")
        else:
            self.line("node = root.owner")
            self.compound("root", "node", parts[0], parts[1])
        self.conditions()
        self.line(f"return {self.seen(self.seen_as)}")
        self.lines.append("    return None")
        function: Callable[[Variable], Any] = self.function("see(root)", f"view {self.rule.name}")
        return function

    def seen(self, what: Any) -> str:
        """Return the text for a value, or a tuple of them."""
        if isinstance(what, Term):
            return self.term(what, [])
        if isinstance(what, tuple):
            return f"({''.join(f'{self.seen(part)}, ' for part in what)})"
        return self.value(what)


__all__ = ["Case", "NotCompilable", "View", "case", "view"]

"""Goals for the conditions and computed values of laws.

They are data as well as goals: a law renames their variables along with its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kanren.core import eq
from unification.core import isground, reify

from relgraph.graph.kanren.terms import renamed, variables_of


class Condition:
    """A goal over the variables of a law."""

    def rename(self, names: Mapping[Any, Any]) -> Condition:
        """Return the same condition on other variables."""
        raise NotImplementedError(type(self).__name__)

    def __call__(self, s: Any) -> Iterator[Any]:
        raise NotImplementedError(type(self).__name__)

    @property
    def binds(self) -> list[Any]:
        """The variables that this goal gives a value to."""
        return []


class Where(Condition):
    """The goal that `predicate` holds of some variables; see `whereo`."""

    def __init__(self, predicate: Callable[..., bool], variables: tuple[Any, ...]) -> None:
        self.predicate = predicate
        self.variables = variables

    def rename(self, names: Mapping[Any, Any]) -> Where:
        return Where(self.predicate, tuple(renamed(v, names) for v in self.variables))

    def __call__(self, s: Any) -> Iterator[Any]:
        values = reify(self.variables, s)
        if isground(values, {}) and self.predicate(*values):
            yield s

    def __str__(self) -> str:
        name = getattr(self.predicate, "__name__", str(self.predicate))
        return f"{name}({', '.join(map(str, self.variables))})"


class Compute(Condition):
    """The goal that a variable is a function of others; see `computo`."""

    def __init__(self, out: Any, function: Callable[..., Any], variables: tuple[Any, ...]) -> None:
        self.out = out
        self.function = function
        self.variables = variables

    @property
    def binds(self) -> list[Any]:
        return variables_of(self.out)

    def rename(self, names: Mapping[Any, Any]) -> Compute:
        variables = tuple(renamed(v, names) for v in self.variables)
        return Compute(renamed(self.out, names), self.function, variables)

    def __call__(self, s: Any) -> Iterator[Any]:
        values = reify(self.variables, s)
        if isground(values, {}):
            yield from eq(self.out, self.function(*values))(s)

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", str(self.function))
        return f"{self.out} = {name}({', '.join(map(str, self.variables))})"


def whereo(predicate: Callable[..., bool], *variables: Any) -> Where:
    """Construct the goal that `predicate` holds of what `variables` are bound to.

    While one of them is open the goal has no answer.
    """
    return Where(predicate, variables)


def computo(out: Any, function: Callable[..., Any], *variables: Any) -> Compute:
    """Construct the goal that `out` is ``function(*variables)``.

    While one of `variables` is open the goal has no answer.
    """
    return Compute(out, function, variables)

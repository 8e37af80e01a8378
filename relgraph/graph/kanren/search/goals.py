"""Goals for the conditions and computed values of laws: `whereo`, `computo`, `readerso`.

They are data too: a law renames their variables along with its own. While a variable of such a goal
is unbound, the state delays the goal (see `state`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kanren.constraints import ConstrainedState
from unification.core import isground, reify, unify

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.search.match_checks import agree
from relgraph.graph.kanren.search.state import extended, guarded
from relgraph.graph.kanren.terms.building import build
from relgraph.graph.kanren.terms.term import renamed, variables_of
from relgraph.graph.unify import NO_ITEMS


class Condition:
    """A goal over variables of a law that is delayed until they are bound."""

    variables: tuple[Any, ...]

    def rename(self, names: Mapping[Any, Any]) -> Condition:
        """Return the same condition on other variables."""
        raise NotImplementedError(type(self).__name__)

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        """Return the state that follows from `s` now that `variables` are `values`, or False."""
        raise NotImplementedError(type(self).__name__)

    def values(self, s: Any) -> tuple[Any, ...]:
        """Return the values of `variables` in a state."""
        return tuple([() if v is NO_ITEMS else v for v in reify(self.variables, s)])

    def decide(self, s: Any) -> Any:
        """Return the state that follows from `s`, False, or None while a variable is unbound."""
        values = self.values(s)
        return self.check(values, s) if isground(values, {}) else None

    def __call__(self, s: Any) -> Iterator[Any]:
        after = self.decide(s)
        if after is None:
            yield guarded(s).delay(self)
        elif after is not False:
            yield after

    @property
    def binds(self) -> list[Any]:
        """The variables that this goal gives a value to."""
        return []

    def open_variables(self) -> list[Any]:
        """Return all logic variables of the goal."""
        return [*variables_of(self.variables), *self.binds]


class Where(Condition):
    """The goal that `predicate` holds of some variables; see `whereo`."""

    def __init__(self, predicate: Callable[..., bool], variables: tuple[Any, ...]) -> None:
        self.predicate = predicate
        self.variables = variables

    def rename(self, names: Mapping[Any, Any]) -> Where:
        return Where(self.predicate, tuple(renamed(v, names) for v in self.variables))

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        return s if self.predicate(*values) else False

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

    @property
    def asks_graph(self) -> bool:
        """Whether the first argument of the function is the graph (None without a graph)."""
        return bool(getattr(self.function, "asks_graph", False))

    def computed(self, values: tuple[Any, ...], fgraph: Any = None) -> Any:
        """Return the value of the function for `values` (of variables of `fgraph`, if given)."""
        return self.function(fgraph, *values) if self.asks_graph else self.function(*values)

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        value = self.computed(values, getattr(s, "fgraph", None))
        known = reify(self.out, s)
        if isinstance(known, Variable):
            return s if agree(known, value) else False
        return unify(self.out, value, s)

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", str(self.function))
        return f"{self.out} = {name}({', '.join(map(str, self.variables))})"


ReadersTest = Callable[[Any, Variable], bool]


class Readers(Condition):
    """The goal that something holds of those who read a variable; see `readerso`."""

    def __init__(self, test: ReadersTest, variable: Any) -> None:
        self.test = test
        self.variables = (variable,)

    def rename(self, names: Mapping[Any, Any]) -> Readers:
        return Readers(self.test, renamed(self.variables[0], names))

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        return s if holds_of_readers(self.test, getattr(s, "fgraph", None), values[0]) else False

    def __str__(self) -> str:
        return f"{self.test.__name__}({self.variables[0]})"


def holds_of_readers(test: ReadersTest, fgraph: Any, var: Any) -> bool:
    """Return whether `test` holds of a graph and a variable in it; True without a graph.

    Parameters
    ----------
    var
        A variable, or a term for a variable of the graph.
    """
    if fgraph is None:
        return True
    return test(fgraph, found_in(fgraph, var))


def found_in(fgraph: Any, var: Any) -> Variable:
    """Return the variable of a graph that a term stands for; a variable is returned as it is."""
    return var if isinstance(var, Variable) else _found_in(fgraph, build(var))


def one_client(fgraph: Any, var: Variable) -> bool:
    """Return whether `var` is read in one place of a graph at most."""
    return len(fgraph.clients.get(var, ())) <= 1


def _found_in(fgraph: Any, made: Variable) -> Variable:
    """Return the variable of a graph with the op and the inputs of `made`; else `made`."""
    node = made.owner
    if node is None or not node.inputs:
        return made
    inputs = [_found_in(fgraph, v) for v in node.inputs]
    read = next((v for v in inputs if not isinstance(v, Constant)), inputs[0])
    for reader, _ in fgraph.clients.get(read, ()):
        if isinstance(reader, str) or reader.op is not node.op:
            continue
        if _are_same(reader.inputs, inputs):
            found: Variable = reader.outputs[made.index]
            return found
    return made


def _are_same(some: Sequence[Variable], others: Sequence[Variable]) -> bool:
    """Return whether variables are the same, or constants of the same value."""
    return len(some) == len(others) and all(
        a is b or (isinstance(a, Constant) and a.equals(b))
        for a, b in zip(some, others, strict=True)
    )


def whereo(predicate: Callable[..., bool], *variables: Any) -> Where:
    """Construct the goal that `predicate` holds of the values of `variables`.

    It is decided when all of them are bound.
    """
    return Where(predicate, variables)


def computo(out: Any, function: Callable[..., Any], *variables: Any) -> Compute:
    """Construct the goal that `out` is ``function(*variables)``.

    It is computed when all of `variables` are bound. If the function has a true attribute
    `asks_graph`, its first argument is the FunctionGraph, or None without one.
    """
    return Compute(out, function, variables)


def readerso(test: ReadersTest, variable: Any) -> Readers:
    """Construct the goal that ``test(fgraph, variable)`` holds, which asks who reads the variable.

    `variable` may be a term, a part of what the law matches. Without a graph, as in plain `run`,
    the goal holds.
    """
    return Readers(test, variable)


def one_cliento(variable: Any) -> Readers:
    """Construct the goal that `variable` is read in one place of its FunctionGraph only.

    To be an output counts as one place; see `readerso`.
    """
    return readerso(one_client, variable)


def renamed_goal(goal: Any, names: Mapping[Any, Any]) -> Any:
    """Return `goal` on renamed variables."""
    if isinstance(goal, Condition):
        return goal.rename(names)

    def on_new_variables(s: Any) -> Iterator[Any]:
        # the goal hides its variables, so they are bound to the new ones while it runs
        start = extended(s, names)
        for answer in goal(start) if start is not False else ():
            data = {k: v for k, v in answer.items() if k not in names}
            copied: Any = answer
            yield copied.copy(data) if isinstance(answer, ConstrainedState) else data

    return on_new_variables

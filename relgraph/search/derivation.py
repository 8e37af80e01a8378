"""Why one expression is another: steps by named laws, which can be done again.

A `Derivation` of `relgraph.graph.opt` has edits of a FunctionGraph, which a replay makes again.
Here there is no graph to edit: a step says which part of an expression becomes which by an
equation, and a replay checks that it is an instance of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.formulas.expressions import (
    NUMBER,
    Expr,
    as_scaled_product,
    at_path,
    with_part,
    without_decided_choices,
    written,
)
from relgraph.graph.opt.derivation import Steps
from relgraph.search.egraph import TooLong
from relgraph.search.equations import COMMUTATIVE, Equation, Terms, fits
from relgraph.search.reals import Computed, RealEGraph, computed

_MOST_STEPS = 2000


class ReplayError(ValueError):
    """A step that does not say what it claims; the message names it."""


@dataclass(frozen=True)
class Step:
    """One part of an expression becomes another.

    Attributes
    ----------
    name
        That of the law; ``commutes``, ``arithmetic``, ``scaled-product``, ``series``; or
        ``decided-choices``, which takes away what is never chosen.
    path
        Where: the positions of arguments from the root on.
    before, after
        What was there, and what is there instead.
    equation
        The law in the direction in which it is applied; None of what is no law.
    backward
        Whether `after` is what the equation matches.
    detail
        More about a series: in which input, where, and how many terms.
    conditions
        On what signs it depends, of parts of the expression.
    """

    name: str
    path: tuple[int, ...]
    before: Expr
    after: Expr
    equation: Equation | None = None
    backward: bool = False
    detail: str = ""
    conditions: tuple[Expr, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether both sides are equal as real numbers: whether it is no series."""
        return self.name != "series"

    def check(self) -> None:
        """See whether the step is an instance of what it names.

        Raises
        ------
        ReplayError
            If not.
        """
        if not self._holds():
            raise ReplayError(f"{self.name} does not make {self.after} of {self.before}")

    def _holds(self) -> bool:
        if self.equation is not None:
            return self._is_instance(self.equation)
        if self.name == "commutes":
            swapped = self.before.args == self.after.args[::-1]
            return self.before.op == self.after.op and self.before.op in COMMUTATIVE and swapped
        if self.name == "arithmetic":
            return any(
                b.op is NUMBER and computed(a.op, [x.value for x in a.args]) == b.value
                for a, b in ((self.before, self.after), (self.after, self.before))
                if all(x.op is NUMBER for x in a.args)
            )
        if self.name == "scaled-product":
            sides = (self.before, self.after)
            return any(as_scaled_product(a) is b for a, b in (sides, sides[::-1]))
        if self.name == "decided-choices":
            return without_decided_choices(self.before) is self.after
        return self.name == "series"

    def _is_instance(self, equation: Equation) -> bool:
        values = stands_for(equation, self.before, self.after, self.backward)
        if values is None:
            return False
        if equation.conditions is None:
            return True
        completed = equation.conditions.completed(values, Terms())
        return completed is not None and all(completed[k] is v for k, v in values.items())

    def __str__(self) -> str:
        way = " (backward)" if self.equation is not None and self._reads_backward() else ""
        more = f" {self.detail}" if self.detail else ""
        if self.conditions:
            more += f" where {' and '.join(map(written, self.conditions))}"
        return f"{self.name}{way}{more}: {written(self.before)} → {written(self.after)}"

    def _reads_backward(self) -> bool:
        assert self.equation is not None
        return self.backward != self.equation.backward


def stands_for(
    equation: Equation, before: Expr, after: Expr, backward: bool
) -> dict[int, Expr] | None:
    """Return what the variables of a law stand for; None if this is no instance of it."""
    sides = (after, before) if backward else (before, after)
    values: dict[int, Expr] = {}
    fitting = (fits(equation.left, sides[0], values), fits(equation.right, sides[1], values))
    return values if all(fitting) else None


class Derivation(Steps[Step]):
    """The steps from an expression to another.

    Attributes
    ----------
    start
        Where it begins.
    """

    def __init__(self, start: Expr, steps: Iterable[Step]) -> None:
        super().__init__(steps)
        self.start = start

    @property
    def conditions(self) -> list[Expr]:
        """Where all steps hold: conditions on signs, each once."""
        return list(dict.fromkeys(c for s in self.steps for c in s.conditions))

    @property
    def exact(self) -> bool:
        """Whether no step is a series."""
        return all(s.exact for s in self.steps)

    def replay(self) -> Expr:
        """Do all steps again, each checked, and return where they end.

        Raises
        ------
        ReplayError
            If a step does not apply, or is not an instance of its law.
        """
        for expr in self.expressions():
            found = expr
        return found

    def expressions(self) -> Iterator[Expr]:
        """Yield the expression that there is at the start and after each step."""
        expr = self.start
        yield expr
        for step in self.steps:
            if at_path(expr, step.path) is not step.before:
                raise ReplayError(f"{step.name}: {step.before} is not where the step applies")
            step.check()
            expr = with_part(expr, step.path, step.after)
            yield expr

    def __str__(self) -> str:
        return "\n".join([written(self.start), *(f"  {s}" for s in self.steps)])


def derivation(graph: RealEGraph, start: Expr, end: Expr) -> Derivation:
    """Return the steps by which an e-graph has found that two expressions are equal.

    Parameters
    ----------
    graph
        The e-graph, in which both are.
    start, end
        The expressions.
    """
    try:
        steps = [_step(graph, *found) for found in graph.rewrites(start, end, _MOST_STEPS)]
    except TooLong:
        raise ReplayError(f"the derivation of {end} is too long") from None
    return Derivation(start, _shortened(start, steps))


def _step(
    graph: RealEGraph, path: tuple[int, ...], before: Expr, after: Expr, why: Any, backward: bool
) -> Step:
    if isinstance(why, Equation):
        values = stands_for(why, before, after, backward)
        conditions = () if values is None else graph.conditions(why, values)
        return Step(why.name, path, before, after, why, backward, "", conditions)
    return Step(why.name if isinstance(why, Computed) else "commutes", path, before, after)


def _shortened(start: Expr, steps: Sequence[Step]) -> list[Step]:
    """Leave out what leads back to where one has been."""
    places = {start: 0}
    kept: list[Step] = []
    expr = start
    for step in steps:
        expr = with_part(expr, step.path, step.after)
        if expr in places:
            del kept[places[expr] :]
            places = {e: k for e, k in places.items() if k <= len(kept)}
        else:
            kept.append(step)
            places[expr] = len(kept)
    return kept

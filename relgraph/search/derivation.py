"""Why one form is another: the steps of an e-graph of expressions, as a `Derivation`.

The steps are made on a graph of scalars and recorded, as those of an optimizer are. Each carries
its expressions, so that a replay can check that it is an instance of its law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import relgraph.tensor as at
from relgraph.formulas.expressions import (
    NUMBER,
    Expr,
    as_scaled_product,
    branches_of,
    inputs_of,
    to_graph,
    with_part,
    without_decided_choices,
    written,
)
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, Recorder
from relgraph.graph.utils import labelled
from relgraph.search.egraph import Rewrite, TooLong
from relgraph.search.equations import COMMUTATIVE, Equation, Terms, fits
from relgraph.search.proof import REORDERED, Claim, make, on_its_own, recorded
from relgraph.search.reals import Computed, RealEGraph, computed
from relgraph.search.variables import Reason

_MOST_STEPS = 2000


class ReplayError(ValueError):
    """A step that does not say what it claims; the message names it."""


@dataclass(frozen=True)
class Instance:
    """One part of an expression becomes another: the `Evidence` of a step.

    Attributes
    ----------
    name
        That of the law; ``commutativity``, ``arithmetic``, ``scaled-product``, ``series``;
        ``decided-choices``, which takes away what is never chosen; or ``branch``, which takes one
        of the branches of a choice.
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
        On what signs it depends, of parts of the expression; of choices, the conditions that hold
        in all of the domain.
    """

    name: str
    path: tuple[int, ...]
    before: Expr
    after: Expr
    equation: Equation | None = None
    backward: bool = False
    detail: str = ""
    conditions: tuple[Expr, ...] = ()

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
        if self.name == REORDERED.label:
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
            known = dict(
                (c.args[0], False) if c.op == "invert" else (c, True) for c in self.conditions
            )
            return without_decided_choices(self.before, known) is self.after
        if self.name == "branch":
            return self.after in branches_of(self.before)
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
        signs = " and ".join(map(written, self.conditions))
        return " ".join(filter(None, (self.detail, signs and f"where {signs}")))

    @property
    def reason(self) -> Reason:
        """The name, with the direction in which the law is read, and what is known of the law."""
        if self.equation is None:
            return Reason(self.name, None)
        reads_backward = self.backward != self.equation.backward
        label = labelled(self.name, "backward" if reads_backward else "forward")
        return Reason(label, self.equation.law.sound, self.equation.law)


def stands_for(
    equation: Equation, before: Expr, after: Expr, backward: bool
) -> dict[int, Expr] | None:
    """Return what the variables of a law represent; None if this is no instance of it."""
    sides = (after, before) if backward else (before, after)
    values: dict[int, Expr] = {}
    fitting = (fits(equation.left, sides[0], values), fits(equation.right, sides[1], values))
    return values if all(fitting) else None


def instances(graph: RealEGraph, start: Expr, end: Expr) -> list[Instance]:
    """Return the steps by which an e-graph has found that two expressions are equal.

    Parameters
    ----------
    graph
        The e-graph, in which both are.
    start, end
        The expressions.

    Raises
    ------
    ReplayError
        If there are too many.
    """
    try:
        steps = [_instance(graph, found) for found in graph.rewrites(start, end, _MOST_STEPS)]
    except TooLong:
        raise ReplayError(f"the derivation of {end} is too long") from None
    return _shortened(start, steps)


def _instance(graph: RealEGraph, step: Rewrite) -> Instance:
    path, before, after, why, backward = step
    if isinstance(why, Equation):
        values = stands_for(why, before, after, backward)
        conditions = () if values is None else graph.conditions(why, values)
        return Instance(why.name, path, before, after, why, backward, "", conditions)
    name = why.name if isinstance(why, Computed) else REORDERED.label
    return Instance(name, path, before, after)


def derivation(start: Expr, steps: Sequence[Instance]) -> Derivation:
    """Return the steps from an expression on as a derivation of its graph."""
    names = dict.fromkeys(n for e in (start, *(s.after for s in steps)) for n in inputs_of(e))
    inputs = {n: at.dscalar(n) for n in names}
    made: dict[Expr, Variable] = {}

    def graph(expr: Expr) -> Variable:
        found: Variable = to_graph(expr, inputs, made=made)
        return found

    def follow(fgraph: FunctionGraph, recorder: Recorder) -> None:
        for step in steps:
            recorder.evidence = step
            sides = graph(step.before), graph(step.after)
            make(fgraph, 0, Rewrite(step.path, *sides, step.reason, flipped=False))

    fgraph = on_its_own([graph(start)], list(inputs.values()))
    return recorded(fgraph, follow, [Claim(*s.reason) for s in steps])[1]


def _shortened(start: Expr, steps: Sequence[Instance]) -> list[Instance]:
    """Leave out what leads back to where one has been."""
    places = {start: 0}
    kept: list[Instance] = []
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

"""Build plans: straight-line programs that build an answer found on tracers for a node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable, ancestors
from relgraph.graph.kanren.staging.tracers import (
    Unstageable,
    ValueTracer,
    VariableTracer,
    holds_tracer,
    instantiator,
)
from relgraph.graph.kanren.terms.building import build


class BuildPlan:
    """A program of calls that builds an answer for any node of a structure.

    Parameters
    ----------
    answer
        An answer of a run on tracers.
    known
        How many values are known of a node. The results of the calls get the slots after them.

    Raises
    ------
    OpenAnswerError
        If the answer contains a logic variable.
    Unstageable
        If the answer has a node on a tracer, or an expression that is headed by no op.
    """

    def __init__(self, answer: Any, known: int) -> None:
        self._known = known
        self._steps: list[tuple[Any, tuple[int, ...]]] = []
        self._result = self._slot(build(answer, self._call))

    def __call__(self, values: Sequence[Any]) -> Any:
        """Return the answer for the node with these values by slot."""
        made = list(values[: self._known])
        for head, slots in self._steps:
            made.append(head(*[made[i] for i in slots]))
        return made[self._result]

    def _call(self, parts: list[Any], source: Any) -> Any:
        head, *arguments = parts
        if isinstance(head, _Result | ValueTracer):
            return self._step(_apply, [self._slot(part) for part in parts])
        if not callable(head):
            raise Unstageable(f"it answers with {source}, which is headed by no op")
        fixed = not any(isinstance(x, _Result) for x in arguments) and not holds_tracer(arguments)
        if fixed and isinstance(head, type) and getattr(head, "__props__", None):
            return head(*arguments)  # an op or a type: the same object at each call
        return self._step(head, [self._slot(argument) for argument in arguments])

    def _slot(self, part: Any) -> int:
        """Return the slot in which `part` will be."""
        if isinstance(part, VariableTracer | ValueTracer | _Result):
            return part.slot
        if isinstance(part, Variable) and any(
            isinstance(v, VariableTracer) for v in ancestors([part])
        ):
            raise Unstageable("it builds a node on a tracer")
        if holds_tracer(part):
            instantiate = instantiator(part)
            return self._step(lambda *values: instantiate(values), range(self._known)).slot
        return self._step(lambda: part, ()).slot

    def _step(self, head: Any, slots: Sequence[int]) -> _Result:
        self._steps.append((head, tuple(slots)))
        return _Result(self._known + len(self._steps) - 1)


def _apply(head: Any, *arguments: Any) -> Any:
    return head(*arguments)


class _Result:
    """The result of a step of a plan."""

    __slots__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot

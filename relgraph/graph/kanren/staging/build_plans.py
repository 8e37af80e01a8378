"""How an answer that was found on stand-ins is built for a node that they stand for."""

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


class Plan:
    """How an answer is built for a node of the structure.

    Parameters
    ----------
    answer
        An answer of a run on stand-ins.
    known
        How many values are known of a node; what is built comes after them.

    Raises
    ------
    OpenAnswerError
        If the answer is open.
    Unstageable
        If there is a node on stand-ins in it.
    """

    def __init__(self, answer: Any, known: int) -> None:
        self._known = known
        self._steps: list[tuple[Any, tuple[int, ...]]] = []
        self._result = self._slot(build(answer, self._call))

    def __call__(self, values: Sequence[Any]) -> Any:
        """Return the answer for the node with these values."""
        made = list(values[: self._known])
        for head, slots in self._steps:
            made.append(head(*[made[i] for i in slots]))
        return made[self._result]

    def _call(self, parts: list[Any], source: Any) -> Any:
        head, *arguments = parts
        if isinstance(head, _Made | ValueTracer):
            return self._step(_applied, [self._slot(part) for part in parts])
        if not callable(head):
            raise Unstageable(f"it answers with {source}, which is headed by no op")
        fixed = not any(isinstance(x, _Made) for x in arguments) and not holds_tracer(arguments)
        if fixed and isinstance(head, type) and getattr(head, "__props__", None):
            return head(*arguments)  # an op or a type, of which there is but one
        return self._step(head, [self._slot(argument) for argument in arguments])

    def _slot(self, part: Any) -> int:
        """Return where `part` is found when it is wanted."""
        if isinstance(part, VariableTracer | ValueTracer | _Made):
            return part.slot
        if isinstance(part, Variable) and any(
            isinstance(v, VariableTracer) for v in ancestors([part])
        ):
            raise Unstageable("it builds a node on a stand-in")
        if holds_tracer(part):
            make = instantiator(part)
            return self._step(lambda *values: make(values), range(self._known)).slot
        return self._step(lambda: part, ()).slot

    def _step(self, head: Any, slots: Sequence[int]) -> _Made:
        self._steps.append((head, tuple(slots)))
        return _Made(self._known + len(self._steps) - 1)


def _applied(head: Any, *arguments: Any) -> Any:
    return head(*arguments)


class _Made:
    """What a step of a plan has made."""

    __slots__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot

"""Which values of compiled code take one place in memory after another."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from relgraph.vm.tier.parts import Length, Nest, Routine, Step, Value
from relgraph.vm.tier.scalar_code import itemsize

Part = Step | Routine | Nest
"""What is computed at one time."""


@dataclass(eq=False)
class Place:
    """Room for a value.

    Attributes
    ----------
    axes, itemsize
        The lengths of what has room there, and the bytes of an element.
    end
        When what is there is read last.
    """

    axes: tuple[Length, ...]
    itemsize: int
    end: int


def places_for(
    values: Collection[Value], parts: Sequence[Part], kept: Collection[Value]
) -> dict[Value, Place]:
    """Return the place of each value.

    Values of the same lengths take one place if the one is read no more when the other is made.

    Parameters
    ----------
    values
        Arrays that parts make.
    parts
        What is computed, in order.
    kept
        The values that are read after all of it.
    """
    made: dict[Value, int] = {}
    last: dict[Value, int] = {}
    for time, part in enumerate(parts):
        for value in _made(part):
            made[value] = last[value] = time
        for value in _read(part):
            last[value] = time
    last.update((value, len(parts)) for value in kept)
    places: list[Place] = []
    found: dict[Value, Place] = {}
    for value in sorted(values, key=lambda v: made[v]):
        kind = (value.axes, itemsize(value.dtype))
        free = [p for p in places if (p.axes, p.itemsize) == kind and p.end < made[value]]
        if not free:
            free = [Place(*kind, 0)]
            places += free
        free[0].end = last[value]
        found[value] = free[0]
    return found


def _made(part: Part) -> list[Value]:
    """Return the arrays that a part makes."""
    if isinstance(part, Nest):
        made = [*(step.out for step in part.steps), *(r.out for r in part.reductions)]
    else:
        made = part.outs if isinstance(part, Routine) else []
    return [value for value in made if value.whole]


def _read(part: Part) -> list[Value]:
    """Return what a part reads."""
    if isinstance(part, Nest):
        read = [operand.value for step in part.steps for operand in step.operands]
        return [*read, *(reduction.operand.value for reduction in part.reductions)]
    return [f.value for f in part.factors] if isinstance(part, Routine) else []

"""How wide the vectors of elements are that a loop computes, and how many of them side by side.

The steps of a chain wait for each other: one that takes four cycles begins every four, where the
processor could begin eight meanwhile. The steps of other vectors fill these. It does not pay where
a loop reads and writes many arrays, and waits for memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from relgraph.vm.tier.parts import Step

MOST_ARRAYS = 24
"""A loop over more arrays waits for memory."""
WIDE = '"prefer-vector-width"="512"'
"""What asks LLVM for vectors as wide as the machine has: it takes shorter ones by itself, which
leave the clock of some processors as it is. Wide ones take 0.6 to 0.9 times as long where a loop
does not wait for memory."""
_NARROW = 4
_USUAL, _MOST = 4, 8


def side_by_side(steps: Sequence[Step], arrays: int) -> int:
    """Return how many vectors are computed at a time.

    More values than there are registers for are put down and taken up again, which takes less time
    than is won; but where hardly any are alive, twice as many vectors have room.

    Parameters
    ----------
    steps
        The operations on an element, in order.
    arrays
        How many arrays the loop reads and writes.
    """
    if arrays > MOST_ARRAYS:
        return 1
    return _MOST if most_alive(steps) <= _NARROW else _USUAL


def most_alive(steps: Sequence[Step]) -> int:
    """Return how many values of an element are read later still, at most, while it is computed."""
    first: dict[object, int] = {}
    last: dict[object, int] = {}
    for i, step in enumerate(steps):
        for operand in step.operands:
            if operand.value.axes:
                first.setdefault(operand.value, i)
                last[operand.value] = i
        first[step.out] = last[step.out] = i
    changes = [0] * (len(steps) + 1)
    for value, start in first.items():
        changes[start] += 1
        changes[last[value]] -= 1
    alive = most = 0
    for change in changes:
        alive += change
        most = max(most, alive)
    return most

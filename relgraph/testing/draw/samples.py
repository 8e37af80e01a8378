"""Values for the inputs of an instance, made of a few bytes.

Hypothesis draws one string of bytes for a set of values and shrinks it towards zeros. Each byte
picks a number from a table that begins with the simple ones, so drawing costs next to nothing, and
a failure shrinks to simple numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.testing.draw.arrays import LAYOUTS, pool

Array = np.ndarray[Any, Any]

AMOUNTS = ("ordinary", "any", "finite", "positive", "unit")
# What the first byte of a string says about the tables of all inputs; None: each has its own.
_SHARED = ("ordinary", "any", None, "finite", "any", "positive", "unit", None, "any")
# How many bytes stand before those of the elements of an input.
_HEAD = 2


@dataclass(frozen=True)
class Slot:
    """An input of an instance.

    Attributes
    ----------
    var
        The variable.
    shape
        The shape of its values, which its type may leave open.
    among
        The numbers that it may hold, if not all of its dtype will do (lengths, indices).
    """

    var: Variable
    shape: tuple[int, ...]
    among: tuple[int, ...] | None = None

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))


@cache
def table(dtype: str, amount: str) -> Array:
    """Return the numbers of a dtype that bytes pick from, simple ones first.

    Parameters
    ----------
    amount
        As for `pool`; or ``positive``, or ``unit``: from 0 to 1.
    """
    if amount in ("ordinary", "any", "finite"):
        among: Any = amount
        return pool(dtype, among)
    ordinary, finite = pool(dtype, "ordinary"), pool(dtype, "finite")
    if np.dtype(dtype).kind not in "iuf":
        return ordinary
    positive = np.concatenate([ordinary[ordinary > 0], np.abs(ordinary[ordinary < 0])])
    if amount == "positive":
        return np.concatenate([positive, finite[finite > 0]])[:256]
    inside = finite[(finite >= 0) & (finite <= 1)]
    if np.dtype(dtype).kind == "f":
        inside = np.concatenate([inside, positive[positive < 1], 1 - positive[positive < 1]])
    return inside[:256]


@cache
def edge_positions(dtype: str, amount: str) -> Array:
    """Return which numbers of a table are edges: not finite, zero, one, or of extreme size."""
    values = table(dtype, amount)
    if values.dtype.kind == "b":
        return np.ones(len(values), dtype=bool)
    if values.dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [0, 1, -1, info.max, info.max - 1, info.min, info.min + 1]
        return np.isin(values, [n for n in near if info.min <= n <= info.max])
    real = np.finfo(dtype)
    edge = np.zeros(len(values), dtype=bool)
    for part in (values.real, values.imag) if values.dtype.kind == "c" else (values,):
        size = np.abs(part)
        edge |= ~np.isfinite(part) | (size > np.sqrt(real.max) / 2)
        edge |= (size < np.sqrt(real.tiny) * 2) | (size == 1)
    return edge


@dataclass
class Seen:
    """Which numbers of which tables have been used."""

    marks: dict[tuple[str, str], Array] = field(default_factory=dict)

    def mark(self, dtype: str, amount: str, positions: Array) -> None:
        """Note that the numbers at some positions of a table were used."""
        known = self.marks.get((dtype, amount))
        if known is None:
            known = self.marks[dtype, amount] = np.zeros(len(table(dtype, amount)), dtype=bool)
        known[positions] = True

    def edges(self) -> set[tuple[str, bytes]]:
        """Return the distinct edge values among them, as dtypes and bits."""
        return {
            (dtype, value.tobytes())
            for (dtype, amount), used in self.marks.items()
            for value in table(dtype, amount)[used & edge_positions(dtype, amount)]
        }


def bytes_needed(slots: Sequence[Slot]) -> int:
    """Return how many bytes make values for `slots`."""
    return 1 + sum(_HEAD + slot.size for slot in slots)


def values_from(blob: bytes, slots: Sequence[Slot], seen: Seen | None = None) -> list[Array]:
    """Return values for `slots`, made of as many bytes as `bytes_needed` says."""
    picks = np.frombuffer(blob, dtype=np.uint8).astype(np.intp)
    shared = _SHARED[blob[0] % len(_SHARED)]
    made, at = [], 1
    for slot in slots:
        amount = AMOUNTS[blob[at] % len(AMOUNTS)] if shared is None else shared
        layout = LAYOUTS[blob[at + 1] % len(LAYOUTS)]
        at += _HEAD
        chosen = picks[at : at + slot.size]
        at += slot.size
        made.append(_filled(slot, amount, layout, chosen, seen))
    return made


def _filled(slot: Slot, amount: str, layout: Any, chosen: Array, seen: Seen | None) -> Array:
    var: Any = slot.var
    dtype: str = var.type.dtype
    if slot.among is not None:
        numbers: Array = np.array(slot.among, dtype)
        return np.asarray(numbers[chosen % len(slot.among)].reshape(slot.shape))
    among = table(dtype, amount)
    positions = chosen % len(among)
    if seen is not None:
        seen.mark(dtype, amount, positions)
    array: Array = among[positions].reshape(slot.shape)
    return np.asarray(layout(array)) if slot.shape else array

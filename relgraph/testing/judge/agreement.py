"""Whether an optimized graph computes what the graph did, as closely as its rewrites claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.testing.judge.comparison import same_bits
from relgraph.testing.judge.sensitivity import (
    SLACK,
    Excluded,
    Spread,
    Values,
    native,
    spread_of,
    widened,
)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Disagreement:
    """Where an optimized graph does not compute what it should.

    Attributes
    ----------
    output
        Which output; None if there are no values to compare.
    what
        What is wrong with it.
    expected, found
        The values.
    """

    output: int | None
    what: str
    expected: Any = None
    found: Any = None


class Reference:
    """What a graph computes for some values of its inputs, and how closely that can be asked for.

    Parameters
    ----------
    inputs, outputs
        The graph.
    values
        Values of the inputs.
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.values = list(values)
        self.usual = native(inputs, outputs, values)
        self._spreads: dict[Excluded, Spread] = {}

    def spread(self, excluded: Excluded) -> Spread:
        """Return how far rounding moves the outputs."""
        if excluded not in self._spreads:
            self._spreads[excluded] = spread_of(
                self.inputs, self.outputs, self.values, self.usual, excluded
            )
        return self._spreads[excluded]

    def compare(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], sound: str
    ) -> Disagreement | None:
        """Compare another graph with this one.

        Parameters
        ----------
        inputs, outputs
            The other graph; its inputs and outputs correspond to those of this one.
        sound
            How closely it has to agree: ``exact``, ``rounding``, ``stable``, ``finite``, or
            ``domain`` (only the dtypes and shapes).
        """
        try:
            new = native(inputs, outputs, self.values)
        except Exception as error:
            return Disagreement(None, f"it raises {type(error).__name__}: {error}")
        other = _Other(inputs, outputs, self.values, new)
        for i, (old_var, new_var) in enumerate(zip(self.outputs, outputs, strict=True)):
            old, value = self.usual[old_var], new[new_var]
            if not old_var.type.is_super(new_var.type):
                return Disagreement(i, f"it is a {new_var.type}, not a {old_var.type}")
            if old.dtype != value.dtype or old.shape != value.shape:
                what = f"its dtype and shape are {value.dtype}, {value.shape}"
                return Disagreement(i, what, old, value)
            if sound == "domain" or bool(np.all(same_bits(old, value))):
                continue
            if sound == "exact" or self._differs(i, value, other, sound):
                return Disagreement(i, "its value differs", old, value)
        return None

    def accepts(self, found: Sequence[Any]) -> bool:
        """Return whether values of the outputs are those of this graph but for rounding."""
        spread = self.spread("range")
        return not any(
            value.dtype != self.usual[out].dtype
            or value.shape != self.usual[out].shape
            or np.any(Expected(spread, i, self.usual[out], out.type.dtype).refuses(value, 0))
            for i, (out, value) in enumerate(zip(self.outputs, found, strict=True))
        )

    def _differs(self, i: int, value: Array, other: _Other, sound: str) -> bool:
        spread = self.spread("range" if sound == "rounding" else "infinite")
        old = self.usual[self.outputs[i]]
        dtype = self.outputs[i].type.dtype
        expected = Expected(spread, i, old, dtype)
        bad = expected.refuses(value, 0)
        if not bool(np.any(bad)):
            return False
        # The new graph may leave the range where the old one did not; and it may round more,
        # unless it is said to round less.
        mine = Expected(other.spread(), i, value, dtype)
        allowed = mine.reach if mine.numeric and sound != "stable" else 0
        return bool(np.any(expected.refuses(value, allowed) & mine.settled))


class _Other:
    """The graph that is compared with the reference; computed closely only if need be."""

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        values: Sequence[Any],
        usual: Values,
    ) -> None:
        self._arguments = (inputs, outputs, values, usual)
        self._spread: Spread | None = None

    def spread(self) -> Spread:
        if self._spread is None:
            self._spread = spread_of(*self._arguments, "range")
        return self._spread


class Expected:
    """What is expected of one output, element by element.

    Attributes
    ----------
    settled
        Where there is something to expect: where all runs come to the same, but for a distance.
    reach
        How far from the true value a result may be, where it is `settled` and finite.
    numeric
        Whether the output has floats or complex numbers.
    """

    def __init__(self, spread: Spread, place: int, usual: Any, dtype: str) -> None:
        self._true = np.asarray(spread.exact[place])
        self._usual = usual
        self._dtype = dtype
        self.numeric = np.dtype(dtype).kind in "fc"
        runs = np.stack([np.asarray(run[place]) for run in spread.runs])
        if not self.numeric:
            self.settled = np.all(runs == self._true, axis=0) & (usual == self._true)
            return
        with np.errstate(all="ignore"):
            self._codes = _codes(self._true)
            same = np.all(_codes(runs) == self._codes, axis=0)
            self.settled = same & (_codes(usual) == self._codes)
            moved = np.abs(np.where(np.isfinite(runs), runs - self._true, 0))
            far = moved.max(axis=0) if moved.size else np.zeros(self._true.shape)
            own = np.abs(np.where(self.settled, widened(usual, dtype) - self._true, 0))
            self.reach = np.where(np.isfinite(self._true), SLACK * (far + own), 0)

    def refuses(self, value: Any, more: Any) -> Array:
        """Return which elements of `value` are not as expected.

        Parameters
        ----------
        more
            How much farther than their `reach` they may be.
        """
        if not self.numeric:
            return np.asarray(self.settled & (value != self._usual))
        info = np.finfo(self._dtype)
        with np.errstate(all="ignore"):
            distance = np.abs(widened(value, self._dtype) - self._true)
            bound = self.reach + 4 * info.eps * np.abs(self._true) + 4 * info.tiny + more
            near = distance <= bound
            finite = np.isfinite(self._true)
            good = np.where(finite, near, _codes(value) == self._codes)
        return np.asarray(self.settled & ~good)


def _codes(value: Any) -> Any:
    """Return 0 for finite numbers, 1 for nan, 2 and 3 for infinities; 1 for any complex one."""
    if np.asarray(value).dtype.kind == "c":
        return np.where(np.isfinite(value), 0, 1)
    return np.where(np.isfinite(value), 0, np.where(np.isnan(value), 1, 2 + (value > 0)))

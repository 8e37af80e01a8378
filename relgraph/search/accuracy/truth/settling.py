"""The true values of an expression, with as many bits as settle them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from relgraph.search.accuracy.expressions import (
    COMPARISONS,
    INPUT,
    NUMBER,
    Expr,
    NoTrueValue,
    counts_of,
    parts,
)
from relgraph.search.accuracy.truth.intervals import UNKNOWN, Intervals
from relgraph.search.accuracy.truth.mpmath_numbers import libmp, to_float

PRECISIONS = (80, 200, 560, 1400, 2800, 5600)
"""Bits, tried one after the other."""

UNDECIDED = "undecided"
"""Stands for a value that no precision settles."""


class Settler:
    """Finds the true values of an expression.

    Parameters
    ----------
    expr
        The expression, a condition for instance.
    dtype
        What values are rounded to.

    Raises
    ------
    NoTrueValue
        If there is no rule for an op.
    """

    def __init__(self, expr: Expr, dtype: Any = np.float64) -> None:
        self.dtype = dtype
        self._order = list(parts(expr))
        self._numbers: dict[int, dict[Expr, Any]] = {}
        for e in self._order:
            known = e.op in _SPECIAL or hasattr(Intervals, e.op) or counts_of(e.op) is not None
            if not known:
                raise NoTrueValue(f"no true value of {e.op} is known")

    def interval(self, bits: int, inputs: Mapping[str, Any]) -> Any:
        """Return the interval of the value, or whether the condition holds, for intervals of the
        inputs."""
        return self._values(bits, inputs)[self._order[-1]]

    def _values(self, bits: int, inputs: Mapping[str, Any]) -> dict[Expr, Any]:
        """Return the intervals of all parts."""
        functions = Intervals(bits)
        known = self._numbers.get(bits)
        if known is None:
            known = self._numbers[bits] = {
                e: functions.number(e.value) for e in self._order if e.op is NUMBER
            }
        values = dict(known)
        for e in self._order:
            if e.op is INPUT:
                values[e] = inputs[e.value]
            elif e.op is not NUMBER:
                values[e] = _value(functions, e.op, [values[a] for a in e.args])
        return values

    def bits_of_parts(self, point: Mapping[str, float], least: int) -> int:
        """Return the bits with which the true values of all parts at a point are known too."""
        inputs = _exactly(point)
        for bits in (b for b in PRECISIONS if b >= least):
            found = self._values(bits, inputs).values()
            if bits > _MOST_FOR_PARTS or all(_is_narrow(v) for v in found):
                return bits
        return least

    def value(self, point: Mapping[str, float]) -> tuple[Any, int]:
        """Return the true value at a point, rounded, and the bits that settled it.

        It is None where there is none or where it is too large for the dtype; a bool for a
        condition; and `UNDECIDED` if no precision settles it.
        """
        inputs = _exactly(point)
        for bits in PRECISIONS:
            found = self.interval(bits, inputs)
            if found is None or isinstance(found, bool):
                return found, bits
            if found is UNKNOWN or found[2]:
                continue
            low, high = (to_float(v, self.dtype) for v in found[:2])
            if low == high:
                return (low + 0.0 if np.isfinite(low) else None), bits
        return UNDECIDED, PRECISIONS[-1]


_MOST_FOR_PARTS = 2800


def _exactly(point: Mapping[str, float]) -> dict[str, Any]:
    """Return the inputs at a point as intervals."""
    found = {}
    for name, v in point.items():
        exact = libmp.from_float(float(v))
        found[name] = (exact, exact, False)
    return found


def _is_narrow(interval: Any) -> bool:
    """Return whether an interval holds its value to some 40 digits in base 2, or holds none."""
    if not isinstance(interval, tuple) or interval[2]:
        return True
    low, high, _ = interval
    if low == high or not low[1] or not high[1]:
        return bool(low == high)
    width = libmp.mpf_sub(high, low, 30, "u")
    return bool(width[2] + width[3] < max(low[2] + low[3], high[2] + high[3]) - 40)


_SPECIAL = frozenset((INPUT, NUMBER, "switch", "and_", "or_", "invert", *COMPARISONS))


def _value(functions: Intervals, op: str, args: Sequence[Any]) -> Any:
    """Return the interval of an op of intervals, or the truth of a condition."""
    if op in COMPARISONS:
        return functions.compare(op, *args)
    if op == "switch":
        return functions.chosen(*args)
    if op == "and_":
        return functions.both(*args)
    if op == "or_":
        neither = functions.both(*[functions.negated(a) for a in args])
        return functions.negated(neither)
    if op == "invert":
        return functions.negated(args[0])
    if any(a is None for a in args):
        return None
    counts = counts_of(op)
    if counts is not None:
        found = functions.number(Fraction(1))
        for k, a in enumerate(args):
            if found is not None:
                found = (functions.mul if k < counts[0] else functions.true_div)(found, a)
        return found
    return getattr(functions, op)(*args)


@dataclass(frozen=True)
class Known:
    """Points, and what is true there.

    Attributes
    ----------
    inputs
        The values of each input, by name.
    true
        The true values.
    bits
        The precisions that settled them.
    """

    inputs: dict[str, np.ndarray[Any, Any]]
    true: np.ndarray[Any, Any]
    bits: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.true)

    def taken(self, which: Any) -> Known:
        """Return some of the points."""
        return Known(
            {k: v[which] for k, v in self.inputs.items()}, self.true[which], self.bits[which]
        )

    def with_more(self, more: Known) -> Known:
        """Return these points, and others after them."""
        return Known(
            {k: np.concatenate([v, more.inputs[k]]) for k, v in self.inputs.items()},
            np.concatenate([self.true, more.true]),
            np.concatenate([self.bits, more.bits]),
        )

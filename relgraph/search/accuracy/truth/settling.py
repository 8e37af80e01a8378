"""The true values of an expression, with as many bits as settle them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from relgraph.search.accuracy.expressions import INPUT, NUMBER, OPS, Expr, NotSupported, parts
from relgraph.truth.balls import (
    INFINITY,
    NONE,
    Ball,
    arb,
    is_infinite,
    is_none,
    set_precision,
    to_float,
)
from relgraph.truth.elementary import UNDECIDED
from relgraph.truth.functions import function_of, has_value
from relgraph.truth.ranges import Range, image, range_of

PRECISIONS = (80, 200, 560, 1400, 2800, 5600)
"""Bits, tried one after the other."""

UNSETTLED = "unsettled"
"""Stands for a value that no precision settles."""

_MOST_FOR_PARTS, _NARROW = 2800, 40
"""Parts of an expression are known by so many bits, unless more than those of the first are needed.
"""


def number_as_ball(value: Any) -> Ball:
    """Return a rational number, or π, e, inf or nan by name, at the precision."""
    if isinstance(value, Fraction):
        return arb(value.numerator) / arb(value.denominator)
    if value in ("pi", "e"):
        return arb.pi() if value == "pi" else arb(1).exp()
    return INFINITY if value == "inf" else NONE


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
    NotSupported
        If there is no rule for an op.
    """

    def __init__(self, expr: Expr, dtype: Any = np.float64) -> None:
        self.dtype = dtype
        self._order = list(parts(expr))
        self._numbers: dict[int, list[Any]] = {}
        places = {e: k for k, e in enumerate(self._order)}
        self._steps = []
        for k, e in enumerate(self._order):
            if e.op in (INPUT, NUMBER):
                continue
            op = OPS[e.op].scalar_op
            if not has_value(op):
                raise NotSupported(f"no true value of {e.op} is known")
            self._steps.append((k, op, function_of(op), [places[a] for a in e.args]))

    def range_over(self, bits: int, inputs: Mapping[str, Range]) -> Any:
        """Return the range of the value, or whether the condition holds, over ranges of the
        inputs."""
        set_precision(bits)
        values = [range_of(v) if isinstance(v, arb) else v for v in self._known(bits)]
        for k, e in enumerate(self._order):
            if e.op is INPUT:
                values[k] = inputs[e.value]
        for k, op, _, places in self._steps:
            values[k] = image(op, [values[p] for p in places])
        return values[-1]

    def _known(self, bits: int) -> list[Any]:
        """Return the numbers among the parts."""
        if bits not in self._numbers:
            self._numbers[bits] = [
                number_as_ball(e.value) if e.op is NUMBER else None for e in self._order
            ]
        return self._numbers[bits]

    def values(self, bits: int, point: Mapping[str, float]) -> list[Any]:
        """Return the values of all parts at a point, the whole last, with their errors."""
        set_precision(bits)
        values = list(self._known(bits))
        for k, e in enumerate(self._order):
            if e.op is INPUT:
                values[k] = arb(float(point[e.value]))
        for k, _, function, places in self._steps:
            values[k] = function(*[values[p] for p in places])
        return values

    def bits_of_parts(self, point: Mapping[str, float], least: int) -> int:
        """Return the bits with which the true values of all parts at a point are known too."""
        for bits in (b for b in PRECISIONS if b >= least):
            if bits > _MOST_FOR_PARTS or all(map(_is_narrow, self.values(bits, point))):
                return bits
        return least

    def value(self, point: Mapping[str, float]) -> tuple[Any, int]:
        """Return the true value at a point, rounded, and the bits that settled it.

        It is None where there is none or where it is too large for the dtype; a bool for a
        condition; and `UNSETTLED` if no precision settles it.
        """
        for bits in PRECISIONS:
            found = self.values(bits, point)[-1]
            if found is True or found is False:
                return found, bits
            if found is UNDECIDED:
                continue
            if is_none(found) or is_infinite(found):
                return None, bits
            rounded = to_float(found, self.dtype)
            if rounded is not None:
                return (rounded + 0.0 if np.isfinite(rounded) else None), bits
        return UNSETTLED, PRECISIONS[-1]


def _is_narrow(value: Any) -> bool:
    """Return whether a value is known to some digits, or nothing at all."""
    if not isinstance(value, arb) or not value.is_finite():
        return True
    return bool(value.is_exact() or value.rel_accuracy_bits() >= _NARROW)


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

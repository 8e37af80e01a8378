"""Interval arithmetic on mpmath's raw numbers.

An interval is ``(low, high, partial)``: it holds the value wherever there is one, and `partial`
says that there may be none. None stands for what certainly has no real value. A condition is True,
False, or `UNKNOWN`.

Moore, Interval Analysis (1966); Flatt and Panchekha, Making interval arithmetic robust to
overflow (2023), for the use of `partial`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from relgraph.search.accuracy.truth.mpmath_numbers import (
    INF,
    NINF,
    ZERO,
    libmp,
)

Number = Any
Interval = Any
UNKNOWN = object()

DOWN, UP, NEAR = "f", "c", "n"
SPARE = 12
"""Bits that functions are computed with beyond the precision, so that a margin covers them."""


def least(numbers: list[Number]) -> Number:
    found = numbers[0]
    for v in numbers[1:]:
        if libmp.mpf_lt(v, found):
            found = v
    return found


def greatest(numbers: list[Number]) -> Number:
    found = numbers[0]
    for v in numbers[1:]:
        if libmp.mpf_gt(v, found):
            found = v
    return found


def sign_of(v: Number) -> int:
    return int(libmp.mpf_sign(v))


def magnitude(v: Number) -> int:
    """Return an exponent of 2 that a finite number does not exceed; of 0 a small one."""
    return int(v[2] + v[3]) if v[1] else -(1 << 60)


def _times(x: Number, y: Number) -> Number:
    """Return an exact product, in which zero times infinity is zero: they bound what is finite."""
    return ZERO if ZERO in (x, y) else libmp.mpf_mul(x, y)


class IntervalArithmetic:
    """Sums, products and comparisons of intervals at one precision, as methods by the names of the
    scalar ops.

    Parameters
    ----------
    bits
        The precision.
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits

    # -- numbers -----------------------------------------------------------------------------------

    def number(self, value: Any) -> Interval:
        """Return the interval of a rational number, or of π, e, inf or nan by name."""
        if isinstance(value, Fraction):
            ends = (
                libmp.from_rational(value.numerator, value.denominator, self.bits, way)
                for way in (DOWN, UP)
            )
            return (*ends, False)
        if value in ("pi", "e"):
            function = libmp.mpf_pi if value == "pi" else libmp.mpf_e
            found = function(self.bits + SPARE)
            return self.below(found), self.above(found), False
        return None

    def below(self, v: Number) -> Number:
        """Return a lower bound of what was computed with the spare bits."""
        if not v[1]:
            return v
        margin = libmp.mpf_shift(libmp.mpf_abs(v), -self.bits - SPARE // 2)
        return libmp.mpf_sub(v, margin, self.bits + SPARE, DOWN)

    def above(self, v: Number) -> Number:
        return libmp.mpf_neg(self.below(libmp.mpf_neg(v)))

    def rising(self, function: Callable[..., Number], a: Interval, fixed: Any = ()) -> Interval:
        """Return the image under a function that rises; `fixed` maps arguments to exact values."""
        known = dict(fixed)
        low, high = (
            known[v] if v in known else function(v, self.bits + SPARE, NEAR) for v in a[:2]
        )
        return (
            low if a[0] in known else self.below(low),
            high if a[1] in known else self.above(high),
            a[2],
        )

    # -- arithmetic --------------------------------------------------------------------------------

    def add(self, a: Interval, b: Interval) -> Interval:
        low = libmp.mpf_add(a[0], b[0], self.bits, DOWN)
        high = libmp.mpf_add(a[1], b[1], self.bits, UP)
        # inf less inf
        low, high = NINF if low == libmp.fnan else low, INF if high == libmp.fnan else high
        return low, high, a[2] or b[2]

    def neg(self, a: Interval) -> Interval:
        return libmp.mpf_neg(a[1]), libmp.mpf_neg(a[0]), a[2]

    def sub(self, a: Interval, b: Interval) -> Interval:
        return self.add(a, self.neg(b))

    def mul(self, a: Interval, b: Interval) -> Interval:
        if a[0] == a[1] and b[0] == b[1]:
            low = high = _times(a[0], b[0])
        else:
            ends = [_times(x, y) for x in a[:2] for y in b[:2]]
            low, high = least(ends), greatest(ends)
        return (
            libmp.mpf_pos(low, self.bits, DOWN),
            libmp.mpf_pos(high, self.bits, UP),
            a[2] or b[2],
        )

    def true_div(self, a: Interval, b: Interval) -> Interval:
        if b[0] == b[1] == ZERO:
            return None
        if sign_of(b[0]) * sign_of(b[1]) <= 0:
            return NINF, INF, True
        pairs = [(x, y) for x in a[:2] for y in b[:2]]
        return (
            least([self._quotient(x, y, DOWN) for x, y in pairs]),
            greatest([self._quotient(x, y, UP) for x, y in pairs]),
            a[2] or b[2],
        )

    def _quotient(self, x: Number, y: Number, way: str) -> Number:
        if x == ZERO:
            return ZERO
        if y in (INF, NINF):
            if x not in (INF, NINF):
                return ZERO
            return ZERO if way == DOWN else INF
        return libmp.mpf_div(x, y, self.bits, way)

    def abs(self, a: Interval) -> Interval:
        if sign_of(a[0]) >= 0:
            return a
        if sign_of(a[1]) <= 0:
            return self.neg(a)
        return ZERO, greatest([libmp.mpf_neg(a[0]), a[1]]), a[2]

    def sqr(self, a: Interval) -> Interval:
        low, high, partial = self.abs(a)
        return self.mul((low, low, partial), (low, low, False))[0], *self.mul(
            (high, high, partial), (high, high, False)
        )[1:]

    def fma(self, a: Interval, b: Interval, c: Interval) -> Interval:
        return self.add(self.mul(a, b), c)

    def mul_error(self, a: Interval, b: Interval) -> Interval:
        return ZERO, ZERO, a[2] or b[2]

    add_error = mul_error

    def minimum(self, a: Interval, b: Interval) -> Interval:
        return least([a[0], b[0]]), least([a[1], b[1]]), a[2] or b[2]

    def maximum(self, a: Interval, b: Interval) -> Interval:
        return greatest([a[0], b[0]]), greatest([a[1], b[1]]), a[2] or b[2]

    def sign(self, a: Interval) -> Interval:
        return libmp.from_int(sign_of(a[0])), libmp.from_int(sign_of(a[1])), a[2]

    def copysign(self, a: Interval, b: Interval) -> Interval:
        a = self.abs(a)
        if sign_of(b[0]) >= 0:
            return a[0], a[1], a[2] or b[2]
        if sign_of(b[1]) < 0:
            return self.neg((a[0], a[1], a[2] or b[2]))
        return libmp.mpf_neg(a[1]), a[1], a[2] or b[2]

    def floor(self, a: Interval) -> Interval:
        return libmp.mpf_floor(a[0]), libmp.mpf_floor(a[1]), a[2]

    def ceil(self, a: Interval) -> Interval:
        return libmp.mpf_ceil(a[0]), libmp.mpf_ceil(a[1]), a[2]

    def trunc(self, a: Interval) -> Interval:
        return (
            *tuple(libmp.mpf_ceil(v) if sign_of(v) < 0 else libmp.mpf_floor(v) for v in a[:2]),
            a[2],
        )

    def round(self, a: Interval) -> Interval:
        return libmp.mpf_nint(a[0]), libmp.mpf_nint(a[1]), a[2]

    def fmod(self, a: Interval, b: Interval) -> Interval:
        return self._remainder(a, b, self.trunc)

    def mod(self, a: Interval, b: Interval) -> Interval:
        return self._remainder(a, b, self.floor)

    def _remainder(self, a: Interval, b: Interval, whole: Any) -> Interval:
        times = self.true_div(a, b)
        if times is None or INF in times[:2] or NINF in times[:2]:
            return None if times is None else (NINF, INF, True)
        return self.sub(a, self.mul(whole(times), b))

    # -- conditions --------------------------------------------------------------------------------

    def compare(self, name: str, a: Interval, b: Interval) -> Any:
        """Return whether a comparison holds, by the name of its scalar op."""
        if a is None or b is None or a[2] or b[2]:
            return UNKNOWN
        if name in ("gt", "ge"):
            return self.compare("lt" if name == "gt" else "le", b, a)
        if name in ("eq", "neq"):
            if libmp.mpf_lt(a[1], b[0]) or libmp.mpf_lt(b[1], a[0]):
                return name == "neq"
            return name == "eq" if a[0] == a[1] == b[0] == b[1] else UNKNOWN
        surely, never = (
            (libmp.mpf_lt, libmp.mpf_ge) if name == "lt" else (libmp.mpf_le, libmp.mpf_gt)
        )
        return True if surely(a[1], b[0]) else False if never(a[0], b[1]) else UNKNOWN

    def both(self, a: Any, b: Any) -> Any:
        """Return whether two conditions hold."""
        return False if False in (a, b) else True if a is b is True else UNKNOWN

    def negated(self, a: Any) -> Any:
        """Return whether a condition does not hold."""
        return UNKNOWN if a is UNKNOWN else operator.not_(a)

    def chosen(self, condition: Any, a: Interval, b: Interval) -> Interval:
        """Return the value of a choice."""
        if condition is not UNKNOWN:
            return a if condition else b
        if a is None or b is None:
            left = b if a is None else a
            return None if left is None else (left[0], left[1], True)
        return least([a[0], b[0]]), greatest([a[1], b[1]]), a[2] or b[2]

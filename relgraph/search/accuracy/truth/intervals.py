"""Functions of intervals, on mpmath's raw numbers."""

from __future__ import annotations

from typing import Any

from relgraph.search.accuracy.truth.interval_arithmetic import (
    DOWN,
    NEAR,
    SPARE,
    UNKNOWN,
    UP,
    Interval,
    IntervalArithmetic,
    Number,
    greatest,
    least,
    magnitude,
    sign_of,
)
from relgraph.search.accuracy.truth.mpmath_numbers import (
    HALF,
    INF,
    MINUS_HALF,
    MINUS_ONE,
    NINF,
    ONE,
    ZERO,
    libmp,
)

__all__ = ["UNKNOWN", "Intervals"]

_LARGEST_ANGLE = 1 << 13
"""No argument is reduced that is larger than 2 to this power."""

_HUGE_EXPONENT = 45
"""The exponential of what is larger than 2 to this power is no float in any format."""

_TINY = (0, 1, -(1 << 50), 1)
_HUGE = (0, 1, 1 << 50, 1)


class Intervals(IntervalArithmetic):
    """The functions of intervals at one precision, as methods by the names of the scalar ops."""

    # -- roots and powers --------------------------------------------------------------------------

    def sqrt(self, a: Interval) -> Interval:
        if sign_of(a[1]) < 0:
            return None
        partly = sign_of(a[0]) < 0
        low = ZERO if partly else libmp.mpf_sqrt(a[0], self.bits, DOWN)
        return low, libmp.mpf_sqrt(a[1], self.bits, UP), a[2] or partly

    def cbrt(self, a: Interval) -> Interval:
        def root(v: Number, bits: int, way: str) -> Number:
            if v in (INF, NINF):
                return v
            found = libmp.mpf_cbrt(libmp.mpf_abs(v), bits, way)
            return libmp.mpf_neg(found) if v[0] else found

        return self.rising(root, a, [(ZERO, ZERO), (ONE, ONE)])

    def hypot(self, a: Interval, b: Interval) -> Interval:
        return self.sqrt(self.add(self.sqr(a), self.sqr(b)))

    def _whole_power(self, a: Interval, n: int) -> Interval:
        if n == 0:
            return ONE, ONE, a[2]
        if n < 0:
            return self.true_div((ONE, ONE, False), self._whole_power(a, -n))
        if n % 2 == 0:
            a = self.abs(a)

        def power(v: Number, *_: Any) -> Number:
            if v in (ZERO, INF, NINF):
                return v
            return libmp.mpf_pow_int(v, n, self.bits + SPARE + 10, NEAR)

        return self.rising(power, a)

    def pow(self, a: Interval, b: Interval) -> Interval:
        fixed = b[0] == b[1] and b[0] not in (INF, NINF)
        whole = fixed and (not b[0][1] or b[0][2] >= 0)
        if whole:
            n = libmp.to_int(b[0]) if magnitude(b[0]) < 1200 else None
            if n is not None and abs(n) < 1024:
                return self._whole_power(a, n)
            if sign_of(a[1]) < 0:
                found = self.pow(self.abs(a), b)
                return self.neg(found) if n is not None and n % 2 and found else found
        if sign_of(a[1]) < 0:
            return None if fixed and not whole else (NINF, INF, True)
        if a[0] == a[1] == ZERO and sign_of(b[0]) > 0:
            return ZERO, ZERO, a[2] or b[2]
        if sign_of(a[1]) == 0:
            return NINF, INF, True
        if sign_of(a[0]) <= 0:
            if sign_of(b[0]) <= 0 or (whole and sign_of(a[0]) < 0):
                return NINF, INF, True
            top = self.exp(self.mul(b, self.log((a[1], a[1], False))))
            return ZERO, top[1], a[2] or b[2] or sign_of(a[0]) < 0
        return self.exp(self.mul(b, self.log(a)))

    # -- exponentials and logarithms ---------------------------------------------------------------

    def exp(self, a: Interval) -> Interval:
        return self._exp_at(a[0], self.below, ZERO), self._exp_at(a[1], self.above, _TINY), a[2]

    def _exp_at(self, v: Number, bound: Any, tiny: Number) -> Number:
        if v == ZERO:
            return ONE
        if v in (INF, NINF) or magnitude(v) > _HUGE_EXPONENT:
            if sign_of(v) < 0:
                return ZERO if v == NINF else tiny
            return _HUGE if tiny == ZERO and v != INF else INF
        return bound(libmp.mpf_exp(v, self.bits + SPARE, NEAR))

    def exp2(self, a: Interval) -> Interval:
        return self.exp(self.mul(a, self._log_of(2)))

    def expm1(self, a: Interval) -> Interval:
        fine = self._finer(a)
        return fine.sub(fine.exp(a), (ONE, ONE, False))

    def _finer(self, a: Interval) -> Intervals:
        """Return the functions at a precision at which 1 and what is small can be added."""
        lost = max((-magnitude(v) for v in a[:2] if v[1]), default=0)
        return Intervals(self.bits + min(max(lost, 0), 2400) + 8)

    def log(self, a: Interval) -> Interval:
        if sign_of(a[1]) <= 0:
            return None
        partly = sign_of(a[0]) <= 0
        known = [(ONE, ZERO), (INF, INF)]
        if partly:
            return NINF, self.rising(libmp.mpf_log, (a[1], a[1], a[2]), known)[1], True
        return self.rising(libmp.mpf_log, a, known)

    def _log_of(self, base: int) -> Interval:
        whole = libmp.from_int(base)
        return self.log((whole, whole, False))

    def log1p(self, a: Interval) -> Interval:
        fine = self._finer(a)
        return fine.log(fine.add((ONE, ONE, False), a))

    def _of_base(self, a: Interval, base: int) -> Interval:
        found = self.log(a)
        return None if found is None else self.true_div(found, self._log_of(base))

    def log2(self, a: Interval) -> Interval:
        return self._of_base(a, 2)

    def log10(self, a: Interval) -> Interval:
        return self._of_base(a, 10)

    # -- angles ------------------------------------------------------------------------------------

    def _half_turns(self, v: Number, shift: Number) -> int:
        """Return how many half turns, counted from `shift` half turns, are below a number."""
        bits = self.bits + max(0, magnitude(v)) + 40
        turns = libmp.mpf_div(v, libmp.mpf_pi(bits), bits, NEAR)
        return int(libmp.to_int(libmp.mpf_floor(libmp.mpf_sub(turns, shift, bits, NEAR))))

    def _wave(self, function: Any, a: Interval, shift: Number, at_zero: Number) -> Interval:
        """Return the image under a wave whose extremes, 1 and -1 in turn, are at `shift` half turns
        and each half turn from there."""
        if any(v in (INF, NINF) or magnitude(v) > _LARGEST_ANGLE for v in a[:2]):
            return MINUS_ONE, ONE, a[2]
        ends = [at_zero if v == ZERO else function(v, self.bits + SPARE, NEAR) for v in a[:2]]
        if a[0] != a[1]:
            first, last = (self._half_turns(v, shift) for v in a[:2])
            if last - first >= 2:
                return MINUS_ONE, ONE, a[2]
            if last > first:
                ends.append(ONE if last % 2 == 0 else MINUS_ONE)
        return (
            greatest([self.below(least(ends)), MINUS_ONE]),
            least([self.above(greatest(ends)), ONE]),
            a[2],
        )

    def sin(self, a: Interval) -> Interval:
        return self._wave(libmp.mpf_sin, a, HALF, ZERO)

    def cos(self, a: Interval) -> Interval:
        return self._wave(libmp.mpf_cos, a, ZERO, ONE)

    def tan(self, a: Interval) -> Interval:
        if any(v in (INF, NINF) or magnitude(v) > _LARGEST_ANGLE for v in a[:2]):
            return NINF, INF, True
        if a[0] != a[1]:
            first, last = (self._half_turns(v, MINUS_HALF) for v in a[:2])
            if first != last:
                return NINF, INF, True
        return self.rising(libmp.mpf_tan, a, [(ZERO, ZERO)])

    def _within_one(self, a: Interval) -> Interval:
        if libmp.mpf_gt(a[0], ONE) or libmp.mpf_lt(a[1], MINUS_ONE):
            return None
        outside = libmp.mpf_lt(a[0], MINUS_ONE) or libmp.mpf_gt(a[1], ONE)
        return greatest([a[0], MINUS_ONE]), least([a[1], ONE]), a[2] or outside

    def arcsin(self, a: Interval) -> Interval:
        inside = self._within_one(a)
        return inside and self.rising(libmp.mpf_asin, inside, [(ZERO, ZERO)])

    def arccos(self, a: Interval) -> Interval:
        inside = self._within_one(a)
        if inside is None:
            return None
        low, high, partial = inside
        return self.rising(libmp.mpf_acos, (high, low, partial), [(ONE, ZERO)])

    def arctan(self, a: Interval) -> Interval:
        return self.rising(libmp.mpf_atan, a, [(ZERO, ZERO)])

    def arctan2(self, y: Interval, x: Interval) -> Interval:
        if sign_of(x[0]) > 0:
            found = self.arctan(self.true_div(y, x))
            return found[0], found[1], y[2] or x[2]
        pi = self.number("pi")
        if sign_of(y[0]) * sign_of(y[1]) <= 0:
            if y[0] == y[1] == ZERO and sign_of(x[1]) < 0:
                return pi[0], pi[1], y[2] or x[2]
            return libmp.mpf_neg(pi[1]), pi[1], True
        # a quarter turn to its side of the axis, less the angle from there
        quarter = self.mul(pi, (HALF, HALF, False))
        quarter = quarter if sign_of(y[0]) > 0 else self.neg(quarter)
        found = self.sub(quarter, self.arctan(self.true_div(x, y)))
        return found[0], found[1], y[2] or x[2]

    # -- hyperbolic functions ----------------------------------------------------------------------

    def sinh(self, a: Interval) -> Interval:
        grown = self.sub(self.expm1(a), self.expm1(self.neg(a)))
        return libmp.mpf_shift(grown[0], -1), libmp.mpf_shift(grown[1], -1), a[2]

    def cosh(self, a: Interval) -> Interval:
        low, high, partial = self.abs(a)
        ends = []
        for v in (low, high):
            both = self.add(self.exp((v, v, False)), self.exp(self.neg((v, v, False))))
            ends.append(both)
        return libmp.mpf_shift(ends[0][0], -1), libmp.mpf_shift(ends[1][1], -1), partial

    def tanh(self, a: Interval) -> Interval:
        def at_end(v: Number) -> Interval:
            if magnitude(v) > 20 or v in (INF, NINF):
                near = self.below(ONE), ONE, False
                return near if sign_of(v) > 0 else self.neg(near)
            twice = libmp.mpf_shift(v, 1)
            grown = self.expm1((twice, twice, False))
            return self.true_div(grown, self.add(grown, (libmp.from_int(2),) * 2 + (False,)))

        return at_end(a[0])[0], at_end(a[1])[1], a[2]

    def arcsinh(self, a: Interval) -> Interval:
        return self.rising(libmp.mpf_asinh, a, [(ZERO, ZERO)])

    def arccosh(self, a: Interval) -> Interval:
        if libmp.mpf_lt(a[1], ONE):
            return None
        partly = libmp.mpf_lt(a[0], ONE)
        inside = (ONE if partly else a[0], a[1], a[2] or partly)
        return self.rising(libmp.mpf_acosh, inside, [(ONE, ZERO)])

    def arctanh(self, a: Interval) -> Interval:
        if libmp.mpf_ge(a[0], ONE) or libmp.mpf_le(a[1], MINUS_ONE):
            return None
        if libmp.mpf_le(a[0], MINUS_ONE) or libmp.mpf_ge(a[1], ONE):
            return NINF, INF, True
        return self.rising(libmp.mpf_atanh, a, [(ZERO, ZERO)])

    def erf(self, a: Interval) -> Interval:
        return self.rising(libmp.mpf_erf, a, [(ZERO, ZERO)])

    def erfc(self, a: Interval) -> Interval:
        return self.rising(libmp.mpf_erfc, (a[1], a[0], a[2]), [(ZERO, ONE)])

    # -- what is the op by another name ------------------------------------------------------------

    def cosm1(self, a: Interval) -> Interval:
        fine = self._finer(self.sqr(a))
        return fine.sub(fine.cos(a), (ONE, ONE, False))

    def sqr_less_sqr(self, a: Interval, b: Interval) -> Interval:
        return self.mul(self.sub(a, b), self.add(a, b))

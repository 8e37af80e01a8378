"""The scalar ops as functions of single numbers of many bits.

They guide the search alone: what it returns is judged by intervals. None stands for what has no
real value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from relgraph.search.accuracy.expressions import NoTrueValue, counts_of
from relgraph.search.accuracy.truth.mpmath_numbers import INF, NINF, ONE, ZERO, libmp

Number = Any

_LARGE = 1 << 11
"""No exponential is taken of what is larger than 2 to the 45th, no angle of what is larger than 2
to this power."""


def number_at(value: Any, bits: int) -> Number:
    """Return a rational number, or π or e by name, with some bits."""
    if isinstance(value, Fraction):
        return libmp.from_rational(value.numerator, value.denominator, bits, "n")
    if value in ("pi", "e"):
        return (libmp.mpf_pi if value == "pi" else libmp.mpf_e)(bits)
    return INF if value == "inf" else None


def _plain(name: str) -> Callable[..., Number]:
    function = getattr(libmp, f"mpf_{name}")
    return lambda bits, *args: function(*args, bits, "n")


def _sum(function: Callable[..., Number]) -> Callable[..., Number]:
    """Return a sum or difference that has no value where nearly all bits cancel."""

    def add(bits: int, a: Number, b: Number) -> Number:
        found = function(a, b, bits, "n")
        left = found[2] + found[3] if found[1] else -(1 << 62)
        lost = max(a[2] + a[3], b[2] + b[3]) - left
        if lost > bits - 100 and a[1] and b[1]:
            return None
        return found

    return add


def _divided(bits: int, a: Number, b: Number) -> Number:
    return None if b == ZERO else libmp.mpf_div(a, b, bits, "n")


def _root(bits: int, a: Number) -> Number:
    return None if libmp.mpf_sign(a) < 0 else libmp.mpf_sqrt(a, bits, "n")


def _cube_root(bits: int, a: Number) -> Number:
    found = libmp.mpf_cbrt(libmp.mpf_abs(a), bits, "n")
    return libmp.mpf_neg(found) if a[0] else found


def _exp(bits: int, a: Number) -> Number:
    if a[1] and a[2] + a[3] > 45:
        return None if not a[0] else ZERO
    return libmp.mpf_exp(a, bits, "n")


def _fine(bits: int, a: Number) -> int:
    """Return the bits with which what is small is added to 1."""
    return bits + min(max(0, -(a[2] + a[3])), 2400) if a[1] else bits


def _expm1(bits: int, a: Number) -> Number:
    fine = _fine(bits, a)
    grown = _exp(fine, a)
    return None if grown is None else libmp.mpf_sub(grown, ONE, fine, "n")


def _log(bits: int, a: Number) -> Number:
    if libmp.mpf_sign(a) <= 0:
        return None
    return _unless_lost(bits, libmp.mpf_log(a, bits, "n"))


def _unless_lost(bits: int, found: Number) -> Number:
    """Return what may vanish elsewhere than at zero, None where nearly all bits were lost."""
    return None if found[1] and found[2] + found[3] < 100 - bits else found


def _log1p(bits: int, a: Number) -> Number:
    fine = _fine(bits, a)
    return _log(bits, libmp.mpf_add(ONE, a, fine, "n"))


def _log_to(base: int) -> Callable[..., Number]:
    def log(bits: int, a: Number) -> Number:
        found = _log(bits, a)
        if found is None:
            return None
        return libmp.mpf_div(found, libmp.mpf_log(libmp.from_int(base), bits), bits, "n")

    return log


def _angle(name: str) -> Callable[..., Number]:
    function = getattr(libmp, f"mpf_{name}")

    def wave(bits: int, a: Number) -> Number:
        if a[1] and a[2] + a[3] > _LARGE:
            return None
        found = function(a, bits, "n")
        return found if a[2] + a[3] < 0 else _unless_lost(bits, found)

    return wave


def _within(name: str, low: Number, high: Number) -> Callable[..., Number]:
    function = getattr(libmp, f"mpf_{name}")

    def inside(bits: int, a: Number) -> Number:
        outside = libmp.mpf_lt(a, low) or libmp.mpf_gt(a, high)
        return None if outside else function(a, bits, "n")

    return inside


def _sinh(bits: int, a: Number) -> Number:
    up, down = _expm1(bits, a), _expm1(bits, libmp.mpf_neg(a))
    if up is None or down is None:
        return None
    return libmp.mpf_shift(libmp.mpf_sub(up, down, bits, "n"), -1)


def _cosh(bits: int, a: Number) -> Number:
    up, down = _exp(bits, a), _exp(bits, libmp.mpf_neg(a))
    if up is None or down is None:
        return None
    return libmp.mpf_shift(libmp.mpf_add(up, down, bits, "n"), -1)


def _tanh(bits: int, a: Number) -> Number:
    if a[1] and a[2] + a[3] > 20:
        return libmp.fnone if a[0] else ONE
    grown = _expm1(bits, libmp.mpf_shift(a, 1))
    return libmp.mpf_div(grown, libmp.mpf_add(grown, libmp.from_int(2), bits, "n"), bits, "n")


def _power(bits: int, a: Number, b: Number) -> Number:
    if b[1] and b[2] < 0:
        grown = _log(bits + 20, a)
        if a == ZERO and libmp.mpf_sign(b) > 0:
            return ZERO
        return None if grown is None else _exp(bits, libmp.mpf_mul(b, grown, bits + 20, "n"))
    whole = libmp.to_int(b) if not b[1] or b[2] + b[3] < 40 else None
    if a == ZERO:
        return None if libmp.mpf_sign(b) < 0 else (ONE if b == ZERO else ZERO)
    if whole is not None and abs(whole) < 1024:
        if whole >= 0:
            return libmp.mpf_pow_int(a, whole, bits, "n")
        return libmp.mpf_div(ONE, libmp.mpf_pow_int(a, -whole, bits, "n"), bits, "n")
    grown = _log(bits + 20, libmp.mpf_abs(a))
    found = None if grown is None else _exp(bits, libmp.mpf_mul(b, grown, bits + 20, "n"))
    odd = whole is not None and whole % 2
    return libmp.mpf_neg(found) if found is not None and odd and a[0] else found


def _root_of_squares(bits: int, *values: Number) -> Number:
    squares = [libmp.mpf_mul(v, v) for v in values]
    return libmp.mpf_sqrt(libmp.mpf_sum(squares, bits + 10, "n"), bits, "n")


def _remainder(whole: Callable[..., Number]) -> Callable[..., Number]:
    def remainder(bits: int, a: Number, b: Number) -> Number:
        if b == ZERO:
            return None
        fine = bits + max(0, a[2] + a[3] - b[2] - b[3])
        if fine > bits + 3000:
            return None
        times = whole(libmp.mpf_div(a, b, fine, "n"))
        return libmp.mpf_sub(a, libmp.mpf_mul(times, b), bits, "n")

    return remainder


def _truncated(v: Number) -> Number:
    return libmp.mpf_ceil(v) if v[0] else libmp.mpf_floor(v)


def _cosm1(bits: int, a: Number) -> Number:
    if a[1] and a[2] + a[3] > _LARGE:
        return None
    half = libmp.mpf_sin(libmp.mpf_shift(a, -1), bits, "n")
    return libmp.mpf_mul(libmp.from_int(-2), libmp.mpf_mul(half, half), bits, "n")


def _squares_apart(bits: int, a: Number, b: Number) -> Number:
    ends = (f(a, b, bits + 10, "n") for f in (libmp.mpf_sub, libmp.mpf_add))
    return libmp.mpf_mul(*ends, bits, "n")


def _less(bits: int, a: Number, b: Number) -> Number:
    return None if a is None or b is None else libmp.mpf_sub(a, b, bits, "n")


_SIN, _TAN = _angle("sin"), _angle("tan")


def _zero(bits: int, *_: Number) -> Number:
    return ZERO


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": _sum(libmp.mpf_add),
    "sub": _sum(libmp.mpf_sub),
    "mul": _plain("mul"),
    "neg": lambda bits, a: libmp.mpf_neg(a),
    "abs": lambda bits, a: libmp.mpf_abs(a),
    "sqr": lambda bits, a: libmp.mpf_mul(a, a, bits, "n"),
    "fma": lambda bits, a, b, c: libmp.mpf_add(libmp.mpf_mul(a, b), c, bits, "n"),
    "mul_error": _zero,
    "add_error": _zero,
    "true_div": _divided,
    "sqrt": _root,
    "cbrt": _cube_root,
    "hypot": _root_of_squares,
    "pow": _power,
    "exp": _exp,
    "exp2": lambda bits, a: _power(bits, libmp.from_int(2), a),
    "expm1": _expm1,
    "log": _log,
    "log1p": _log1p,
    "log2": _log_to(2),
    "log10": _log_to(10),
    **{name: _angle(name) for name in ("sin", "cos", "tan")},
    "arcsin": _within("asin", libmp.fnone, ONE),
    "arccos": _within("acos", libmp.fnone, ONE),
    "arctan": _plain("atan"),
    "arctan2": lambda bits, y, x: None if y == x == ZERO else libmp.mpf_atan2(y, x, bits, "n"),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "arcsinh": _plain("asinh"),
    "arccosh": _within("acosh", ONE, INF),
    "arctanh": lambda bits, a: (
        None if libmp.mpf_ge(libmp.mpf_abs(a), ONE) else libmp.mpf_atanh(a, bits, "n")
    ),
    "erf": _plain("erf"),
    "erfc": _plain("erfc"),
    "minimum": lambda bits, a, b: a if libmp.mpf_lt(a, b) else b,
    "maximum": lambda bits, a, b: a if libmp.mpf_gt(a, b) else b,
    "sign": lambda bits, a: libmp.from_int(libmp.mpf_sign(a)),
    "copysign": lambda bits, a, b: libmp.mpf_neg(libmp.mpf_abs(a)) if b[0] else libmp.mpf_abs(a),
    "floor": lambda bits, a: libmp.mpf_floor(a),
    "ceil": lambda bits, a: libmp.mpf_ceil(a),
    "trunc": lambda bits, a: _truncated(a),
    "round": lambda bits, a: libmp.mpf_nint(a),
    "fmod": _remainder(_truncated),
    "mod": _remainder(libmp.mpf_floor),
    "cosm1": _cosm1,
    "sqr_less_sqr": _squares_apart,
    "length": _root_of_squares,
    "hypot1m1": lambda bits, a: _less(bits, _root_of_squares(_fine(bits, a) * 2, ONE, a), ONE),
    "log1p_sqr": lambda bits, a: _log1p(bits, libmp.mpf_mul(a, a)),
    "log1pmx": lambda bits, a: _less(bits, _log1p(_fine(bits, a) * 2, a), a),
    "x_less_sin": lambda bits, a: _less(bits, a, _SIN(_fine(bits, a) * 3, a)),
    "tan_less_x": lambda bits, a: _less(bits, _TAN(_fine(bits, a) * 3, a), a),
    "lt": lambda bits, a, b: bool(libmp.mpf_lt(a, b)),
    "le": lambda bits, a, b: bool(libmp.mpf_le(a, b)),
    "gt": lambda bits, a, b: bool(libmp.mpf_gt(a, b)),
    "ge": lambda bits, a, b: bool(libmp.mpf_ge(a, b)),
    "eq": lambda bits, a, b: bool(libmp.mpf_eq(a, b)),
    "neq": lambda bits, a, b: not libmp.mpf_eq(a, b),
    "and_": lambda bits, a, b: a and b,
    "or_": lambda bits, a, b: a or b,
    "invert": lambda bits, a: not a,
}

_INFINITE = (INF, NINF)


@cache
def _product_of(op: str) -> Callable[..., Number]:
    """Return the function of a scaled product."""
    counts = counts_of(op)
    if counts is None:
        raise NoTrueValue(f"no true value of {op} is known")

    def product(bits: int, *args: Number) -> Number:
        found = ONE
        for k, a in enumerate(args):
            if k >= counts[0] and a == ZERO:
                return None
            function = libmp.mpf_mul if k < counts[0] else libmp.mpf_div
            found = function(found, a, bits + 10, "n")
        return found

    return product


def has_value(op: str) -> bool:
    """Return whether the values of an op are known, or those of what is written in its place."""
    return op in FUNCTIONS or op in ("switch", "reciprocal")


def value_at(op: str, args: Sequence[Number], bits: int) -> Number:
    """Return the value of an op of numbers, with some bits; None if there is none."""
    if op == "switch":
        return None if args[0] is None else args[1] if args[0] else args[2]
    if None in args:
        return None
    function = FUNCTIONS.get(op) or _product_of(op)
    try:
        found = function(bits, *args)
    except (ValueError, ZeroDivisionError, OverflowError, libmp.ComplexResult):
        return None
    return None if found == libmp.fnan or found in _INFINITE else found

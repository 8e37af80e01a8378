"""Arb's functions by the names of ops, where it has them otherwise or not quite.

What libraries leave open is said here once, as IEEE 754 and NumPy have it:

- log(0) is minus infinity, 0 to the power 0 is 1, and a quotient by 0 has no value;
- what is beyond 2 to the power 2**1100 is infinite, and its reciprocal zero;
- on a branch cut a value is that from above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.truth.balls import INFINITY, UNKNOWN, Ball, acb, arb, is_infinite, is_none

Function = Callable[..., Any]

UNDECIDED = object()
"""Stands for a condition or an integer that the precision does not determine."""


class NoValue(Exception):
    """There is no value."""


NOT_COMPUTED = (ValueError, ZeroDivisionError, OverflowError, TypeError, AttributeError)
"""What python-flint raises where it has no value of a function."""


_MOST = arb(2) ** 1100
_ONE, _ZERO, _HALF = arb(1), arb(0), arb(0.5)


def is_real(x: Any) -> bool:
    return isinstance(x, arb)


# -- what Arb has by other names, or not quite -----------------------------------------------------


def exp(x: Ball) -> Ball:
    if is_real(x):
        if x > _MOST:
            return INFINITY
        if x < -_MOST:
            return _ZERO
    return x.exp()


def log(x: Ball) -> Ball:
    if x == 0:
        return -INFINITY
    if is_real(x) and x < 0:
        raise NoValue
    return x.log()


def log1p(x: Ball) -> Ball:
    return log(1 + x) if x == -1 or (is_real(x) and x < -1) else x.log1p()


def _logarithm_to(base: int) -> Function:
    """Return a logarithm that is exact for powers of its base."""

    def run(x: Ball) -> Ball:
        if not is_real(x):
            return x.log() / arb(base).log()
        return x.log_base(base) if x > 0 else log(x) / arb(base).log()

    return run


def quotient(x: Ball, y: Ball) -> Ball:
    if y == 0:
        raise NoValue
    return x / y


def power(x: Ball, y: Ball) -> Ball:
    if y == 0:
        return _ONE
    if x == 0:
        if is_real(y) and y < 0:
            raise NoValue
        return _ZERO if not is_real(y) or y > 0 else UNKNOWN
    if not (is_real(x) and is_real(y)):
        return x**y
    if abs(y) < 1024 and (x > 0 or y.is_integer()):
        return x**y
    if x > 0:
        return exp(y * x.log())
    if not y.is_exact():
        return UNKNOWN
    if x < 0 and not y.is_integer():
        raise NoValue
    size = exp(y * abs(x).log())
    return -size if (y / 2).is_integer() is False else size


def _sign(x: Ball) -> Ball:
    return x.sgn() if is_real(x) else (_ZERO if x == 0 else x / abs(x))


def _cube_root(x: Ball) -> Ball:
    if x > 0:
        return x.root(3)
    return -((-x).root(3)) if x < 0 else _ZERO if x == 0 else UNKNOWN


def _round(x: Ball) -> Ball:
    below = (x + _HALF).floor()
    if x + _HALF == below and not (below / 2).is_integer():
        return below - 1
    return below


def _trunc(x: Ball) -> Ball:
    if x >= 0:
        return x.floor()
    return x.ceil() if x < 0 else _ZERO if abs(x) < 1 else UNKNOWN


def _copysign(x: Ball, y: Ball) -> Ball:
    return abs(x) if y >= 0 else -abs(x) if y < 0 else UNKNOWN


def _at_no_pole(function: Function) -> Function:
    """Return a function that has poles at the integers from zero down."""

    def run(x: Ball) -> Ball:
        if is_real(x) and x <= 0 and x.is_integer():
            raise ZeroDivisionError
        return function(x)

    return run


def _from_above(method: str) -> Function:
    """Return a function that has a cut above 1, on which Arb has the value from below."""

    def run(x: Ball) -> Ball:
        found = getattr(x, method)()
        on_cut = not is_real(x) and x.imag == 0 and x.real > 1
        return found.conjugate() if on_cut else found

    return run


def _log_gamma(x: Ball) -> Ball:
    return x.lgamma() if not is_real(x) or x > 0 else abs(x.gamma()).log()


def _angle(x: Ball) -> Ball:
    if is_real(x):
        return _ZERO if x >= 0 else arb.pi() if x < 0 else UNKNOWN
    return x.arg()


def _ordered(holds: Function, fails: Function) -> Function:
    def compare(x: Ball, y: Ball) -> Any:
        if is_none(x) or is_none(y):
            return False
        return True if holds(x, y) else False if fails(x, y) else UNDECIDED

    return compare


def _equal(x: Ball, y: Ball) -> Any:
    if is_none(x) or is_none(y):
        return False
    return True if x == y else UNDECIDED if x.overlaps(y) else False


def _not(c: Any) -> Any:
    return c if c is UNDECIDED else not c


def _logical(decides: bool) -> Function:
    """Return the function of conditions that one alone decides if it is so."""

    def combine(a: Any, b: Any) -> Any:
        if decides in (a, b):
            return decides
        return UNDECIDED if UNDECIDED in (a, b) else not decides

    return combine


def _chosen(c: Any, x: Ball, y: Ball) -> Ball:
    return UNKNOWN if c is UNDECIDED else x if c else y


OF_NUMBERS: dict[str, Function] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "true_div": quotient,
    "neg": lambda x: -x,
    "abs": abs,
    "pow": power,
    "exp": exp,
    "log": log,
    "log1p": log1p,
    "arcsin": _from_above("asin"),
    "arccos": _from_above("acos"),
    "arctanh": _from_above("atanh"),
    "log2": _logarithm_to(2),
    "log10": _logarithm_to(10),
    "sign": _sign,
    "cbrt": _cube_root,
    "maximum": lambda x, y: x.max(y),
    "minimum": lambda x, y: x.min(y),
    "round": _round,
    "trunc": _trunc,
    "copysign": _copysign,
    "fmod": lambda x, y: x - y * _trunc(quotient(x, y)),
    "arctan2": lambda y, x: arb.atan2(y, x),
    "conj": lambda x: x if is_real(x) else x.conjugate(),
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "angle": _angle,
    "gammaln": _at_no_pole(_log_gamma),
    "gamma": _at_no_pole(lambda x: x.gamma()),
    "digamma": _at_no_pole(lambda x: x.digamma()),
    "polygamma": lambda n, x: acb(x).polygamma(n).real,
}
"""Of numbers that are known, or unknown; of what is none there is none."""

OF_CONDITIONS: dict[str, Function] = {
    "lt": _ordered(lambda x, y: x < y, lambda x, y: x >= y),
    "le": _ordered(lambda x, y: x <= y, lambda x, y: x > y),
    "gt": _ordered(lambda x, y: x > y, lambda x, y: x <= y),
    "ge": _ordered(lambda x, y: x >= y, lambda x, y: x < y),
    "eq": _equal,
    "neq": lambda x, y: _not(_equal(x, y)) if not (is_none(x) or is_none(y)) else True,
    "isnan": is_none,
    "isinf": is_infinite,
    "and_": _logical(False),
    "or_": _logical(True),
    "invert": _not,
}
"""Those whose values are conditions."""

CHOICES: dict[str, Function] = {"switch": _chosen, "second": lambda x, y: y}
"""Those that may have a value where an argument has none."""

"""Balls: Arb's numbers with a bound of their error, and the scalar ops as functions of them.

This is the only import of python-flint. `NONE` is what has no value: a logarithm of a negative
number. `UNKNOWN` is a value of which nothing is known at the precision. An op is Arb's function of
its name in C, or its formula. What libraries leave open is as IEEE 754 and NumPy have it:

- log(0) is minus infinity, 0 to the power 0 is 1, and a quotient by 0 has no value;
- what is beyond 2 to the power 2**1100 is infinite, and its reciprocal zero;
- on a branch cut a value is that from above;
- of an infinity, and at a pole, an op is what it is in floats, unless Arb has a limit:
  arctan(inf) is π/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, partial, reduce
from typing import Any

import numpy as np

from relgraph.scalar.named import Functions
from relgraph.scalar.named import scalar_op as op_of_name
from relgraph.scalar.op import EVERYWHERE, FoldOp, ScalarOp

try:
    from flint import acb as acb
    from flint import acb_mat as acb_mat
    from flint import arb as arb
    from flint import arb_mat as arb_mat
    from flint import ctx
    from flint import fmpq_mat as fmpq_mat
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "true values need python-flint, which comes with `pip install 'relgraph[check]'`",
        name="flint",
    ) from error


Ball = Any
"""An `arb` or an `acb`."""

NONE = arb.nan()
UNKNOWN = arb(0, math.inf)
INFINITY = arb.pos_inf()

_SETTLED = 100
"""Bits of a value that are enough to say which of two floats is nearer to it."""
_TINY = arb(2) ** -1300
"""An error that is nothing beside the smallest float."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with some bits."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def set_precision(bits: int) -> None:
    """Compute with some bits from now on."""
    if ctx.prec != bits:
        ctx.prec = bits


def as_ball(value: Any) -> Ball:
    """Return a number, of Python or NumPy, exactly."""
    if isinstance(value, arb | acb):
        return value
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return arb(int(value))
    if isinstance(value, complex | np.complexfloating):
        exact = complex(value)
        return acb(exact.real, exact.imag)
    return arb(float(value))


def as_fraction(x: Ball) -> Fraction:
    """Return an exact real ball as a rational number."""
    found = x.fmpq()
    return Fraction(int(found.p), int(found.q))


def is_none(x: Ball) -> bool:
    """Return whether there is no value."""
    return x.is_nan() if isinstance(x, arb) else x.real.is_nan() or x.imag.is_nan()


def is_infinite(x: Ball) -> bool:
    """Return whether a value is an infinity, one that is known."""
    if isinstance(x, acb):
        return is_infinite(x.real) or is_infinite(x.imag)
    return not x.is_finite() and (x == INFINITY or x == -INFINITY)


def is_settled(x: Ball) -> bool:
    """Return whether a value is known as closely as any float needs it."""
    if isinstance(x, acb):
        return is_settled(x.real) and is_settled(x.imag)
    if not x.is_finite():
        return is_none(x) or is_infinite(x)
    return bool(x.rel_accuracy_bits() >= _SETTLED or x.rad() < _TINY)


def to_float(x: Ball, dtype: Any = np.float64) -> float | None:
    """Return the float of a dtype that is nearest to a real value, infinite beyond the largest;
    None if the error leaves several."""
    if not x.is_finite():
        return math.nan if x.is_nan() else float(x) if is_infinite(x) else None
    if x.is_exact():
        return nearest(x, dtype)
    low, high = nearest(x.lower(), dtype), nearest(x.upper(), dtype)
    return low if low == high else None


def nearest(x: Ball, dtype: Any = np.float64) -> float:
    """Return the float of a dtype nearest to the midpoint of a finite ball."""
    if dtype == np.float64:
        return float(x)
    mantissa, exponent = x.mid().man_exp()
    mantissa, exponent = int(mantissa), int(exponent)
    if not mantissa:
        return 0.0
    info = np.finfo(dtype)
    lowest = max(exponent + mantissa.bit_length() - info.nmant - 1, info.minexp - info.nmant)
    if exponent < lowest:
        mantissa, exponent = _without_digits(mantissa, lowest - exponent), lowest
    if exponent + mantissa.bit_length() > info.maxexp:
        return math.copysign(math.inf, mantissa)
    return math.ldexp(mantissa, exponent)


def _without_digits(mantissa: int, count: int) -> int:
    """Return an integer without its last binary digits, rounded to the even one of two."""
    if count > mantissa.bit_length() + 1:
        return 0
    found, rest = divmod(mantissa, 1 << count)
    half = 1 << (count - 1)
    return found + (rest > half or (rest == half and found % 2 == 1))


Function = Callable[..., Any]

UNDECIDED = object()
"""The value of a condition or an integer that the precision does not determine."""


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
    # a number is a condition, too, and `bool` of a ball is always true
    given = _not(_equal(c, arb(0))) if isinstance(c, arb | acb) else c
    return UNKNOWN if given is UNDECIDED else x if given else y


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
    "gammaln": _log_gamma,
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


_FAR = 10


def _tail(square: Ball) -> Ball:
    """Return erfc(x) exp(x*x) for the square of a large x."""
    return square.hypgeom_u(_HALF, _HALF) / arb.const_sqrt_pi()


def _up_to_one(function: Function) -> Function:
    def run(x: Ball) -> Ball:
        if x > 1:
            raise NoValue
        return function(x)

    return run


def _times_log(x: Ball, y: Ball) -> Ball:
    return _ZERO if x == 0 and not is_none(y) else x * log(y)


def _normal(x: Ball) -> Ball:
    half = x * x / 2
    is_far = is_real(x) and x < -_FAR
    return exp(-half) * _tail(half) / 2 if is_far else (-x / arb(2).sqrt()).erfc() / 2


def _log_normal(x: Ball) -> Ball:
    if not is_real(x):
        return _normal(x).log()
    if x > 0:
        return (-_normal(-x)).log1p()
    half = x * x / 2
    return (_tail(half) / 2).log() - half if x < -_FAR else _normal(x).log()


SPECIAL: dict[str, Function] = {
    "loggamma": lambda x: x.lgamma(),
    "beta": lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
    "betaln": lambda a, b: abs(a.gamma() * b.gamma() * (a + b).rgamma()).log(),
    "poch": lambda x, n: x.rising(n),
    "binom": lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    "erfc": lambda x: exp(-x * x) * _tail(x * x) if is_real(x) and x > _FAR else x.erfc(),
    "erfcx": lambda x: _tail(x * x) if is_real(x) and x > _FAR else exp(x * x) * x.erfc(),
    "dawsn": lambda x: x * (-x * x).hypgeom_1f1(1, arb(1.5)),
    "ndtr": _normal,
    "log_ndtr": _log_normal,
    "logit": lambda x: log(quotient(x, 1 - x)),
    "log_expit": lambda x: -((-x).max(_ZERO) + exp(-abs(x)).log1p()),
    "xlogy": _times_log,
    "xlog1py": lambda x, y: _times_log(x, 1 + y),
    "entr": lambda x: -_times_log(x, x),
    "rel_entr": lambda x, y: _times_log(x, quotient(x, y)),
    "kl_div": lambda x, y: _times_log(x, quotient(x, y)) - x + y,
    "exp10": lambda x: power(arb(10), x),
    "exprel": lambda x: _ONE if x == 0 else x.expm1() / x,
    "exp1": lambda x: x.expint(1),
    "expi": lambda x: x.ei(),
    "expn": lambda n, x: x.expint(n),
    "gammainc": lambda a, x: x.gamma_lower(a, regularized=1),
    "gammaincc": lambda a, x: x.gamma_upper(a, regularized=1),
    "betainc": lambda a, b, x: x.beta_lower(a, b, regularized=1),
    "j0": lambda x: x.bessel_j(0),
    "j1": lambda x: x.bessel_j(1),
    "y0": lambda x: x.bessel_y(0),
    "y1": lambda x: x.bessel_y(1),
    "i0": lambda x: x.bessel_i(0),
    "i1": lambda x: x.bessel_i(1),
    "k0": lambda x: x.bessel_k(0),
    "k1": lambda x: x.bessel_k(1),
    "jv": lambda v, x: x.bessel_j(v),
    "yv": lambda v, x: x.bessel_y(v),
    "iv": lambda v, x: x.bessel_i(v),
    "kv": lambda v, x: x.bessel_k(v),
    "ellipk": _up_to_one(lambda m: acb(m).elliptic_k().real),
    "ellipe": _up_to_one(lambda m: acb(m).elliptic_e().real),
    "hyp0f1": lambda a, x: x.hypgeom_0f1(a),
    "hyp1f1": lambda a, b, x: x.hypgeom_1f1(a, b),
    "hyp2f1": lambda a, b, c, x: x.hypgeom_2f1(a, b, c),
    "hyperu": lambda a, b, x: x.hypgeom_u(a, b),
    "logaddexp2": lambda x, y: x.max(y) + (power(arb(2), -abs(x - y))).log1p() / arb(2).log(),
    "sinc": lambda x: x.sinc_pi(),
    "zeta": lambda s, q: s.zeta(q),
    "fmax": lambda x, y: x.max(y),
    "fmin": lambda x, y: x.min(y),
    "fabs": abs,
}
"""SciPy's and NumPy's by their names, as Arb has them: the argument comes before the parameters."""


class NoTrueValue(ValueError):
    """There is no rule for the true value of an op; the message names the op."""


def scalar_op(name: str) -> ScalarOp:
    """Return the scalar op of a name.

    Raises
    ------
    NoTrueValue
        If there is none.
    """
    found = op_of_name(name)
    if found is None:
        raise NoTrueValue(f"no true value of {name} is known")
    return found


@cache
def function_of(op: ScalarOp) -> Function:
    """Return the function that `value` asks.

    Raises
    ------
    NoTrueValue
        If there is no rule for the op.
    """
    for table in (OF_CONDITIONS, CHOICES):
        if op.name in table:
            return table[op.name]
    function = OF_NUMBERS.get(op.name) or SPECIAL.get(op.name) or _by_record(op)
    folds = isinstance(op, FoldOp)

    def run(*args: Any) -> Any:
        if folds and len(args) != 2:
            return reduce(run, args)
        try:
            for a in args:
                if not a.is_finite():
                    return _of_infinities(op, function, args)
            found = function(*args)
        except NoValue:
            return NONE
        except NOT_COMPUTED:
            found = UNKNOWN
        return found if found.is_finite() else _not_finite(op, function, args, found)

    return run


def _by_record(op: ScalarOp) -> Function:
    if op.formula is not None:
        return partial(op.formula, FUNCTIONS)
    method = op.c_name or op.name
    if not hasattr(arb, method):
        raise NoTrueValue(f"no true value of {op} is known")
    return lambda x, *rest: getattr(x, method)(*rest)


def _for_formulas(op: ScalarOp) -> Function:
    """Return an op as a function of balls and numbers of Python, which raises what has no value."""
    function = function_of(op)

    def run(*args: Any) -> Any:
        found = function(*[a if isinstance(a, arb | acb) else as_ball(a) for a in args])
        if is_none(found):
            raise NoValue
        return found

    return run


FUNCTIONS = Functions(_for_formulas)


def has_value(op: ScalarOp) -> bool:
    """Return whether the true values of an op are known."""
    try:
        function_of(op)
    except NoTrueValue:
        return False
    return True


def condition_of(op: ScalarOp) -> Function | None:
    """Return what an op says of balls and conditions, if that is a condition."""
    return OF_CONDITIONS.get(op.name)


def value(op: ScalarOp, args: Sequence[Ball]) -> Any:
    """Return what an op makes of balls: `NONE` where it has no value, `UNKNOWN` where nothing is
    known at the precision. A condition is a bool, or `UNDECIDED`.

    Raises
    ------
    NoTrueValue
        If there is no rule for the op.
    """
    return function_of(op)(*args)


def _of_infinities(op: ScalarOp, function: Function, args: Sequence[Ball]) -> Ball:
    """Return the value of arguments some of which are infinite, unknown or none."""
    if any(map(is_none, args)):
        return NONE
    if not all(a.is_finite() or is_infinite(a) for a in args):
        return UNKNOWN
    if op.facts.increasing == EVERYWHERE:
        limit = function(*args)
        if limit.is_finite():
            return limit
    return _as_floats_have_it(op, args)


_ENOUGH = 2600
"""Bits with which functions of floats are known."""


def _unless_none(function: Function, args: Sequence[Ball]) -> Ball:
    try:
        found: Ball = function(*args)
    except (NoValue, *NOT_COMPUTED):
        return NONE
    return found


def _not_finite(op: ScalarOp, function: Function, args: Sequence[Ball], found: Ball) -> Ball:
    """Return the value of finite arguments of which Arb knows no finite one."""
    if all(a.is_exact() for a in args):
        with precision(_ENOUGH):
            known = _unless_none(function, args)
        return UNKNOWN if known.is_finite() else _as_floats_have_it(op, args)
    low, high = op.facts.domain
    if len(args) == 1 and is_real(args[0]) and (args[0] < low or args[0] > high):
        return NONE
    return found if is_infinite(found) else UNKNOWN


def _as_floats_have_it(op: ScalarOp, args: Sequence[Ball]) -> Ball:
    """Return the value at a pole, outside of the domain, or of infinities."""
    floats = [complex(a) if isinstance(a, acb) else float(a) for a in args]
    with np.errstate(all="ignore"):
        value = np.asarray(op.ufunc(*map(np.asarray, floats)))[()]
    found = as_ball(value)
    if not found.is_finite():
        return found
    if not any(map(is_infinite, args)):
        return UNKNOWN
    # the lesser of a number and infinity is that number, with all its digits
    for exact, rounded in zip(args, floats, strict=True):
        if value and value in (rounded, -rounded):
            return exact if value == rounded else -exact
    return found

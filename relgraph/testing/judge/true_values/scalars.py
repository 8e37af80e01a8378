"""The scalar ops as functions of mpmath's numbers, by the names of the ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.testing.judge.true_values.mpmath_support import ComplexResult, mp
from relgraph.testing.judge.true_values.special import SPECIAL_FUNCTIONS, erfc

Number = Any


def real_or_nan(function: Callable[..., Number]) -> Callable[..., Number]:
    """Return a function that gives nan where `function` is not defined.

    For real operands that is so too where its value is complex.
    """

    def run(*args: Number) -> Number:
        undefined = any(isinstance(a, mp.mpf) and mp.isnan(a) for a in args)
        if undefined and function not in _SELECTIONS:  # the nan may be the operand not selected
            return mp.nan
        complex_in = any(isinstance(a, mp.mpc) for a in args)
        try:
            result = function(*args)
        except (ValueError, ZeroDivisionError, OverflowError, ComplexResult):
            return mp.nan
        if isinstance(result, mp.mpc) and not complex_in:
            return mp.nan
        return result

    return run


_HUGE = 1100  # a number above 2**1100 is out of every dtype's range, and its exp takes long


def _is_huge(x: Number) -> bool:
    return bool(isinstance(x, mp.mpf) and mp.isfinite(x) and x != 0 and mp.mag(x) > _HUGE)


def exp(x: Number) -> Number:
    if _is_huge(x):
        return mp.inf if x > 0 else mp.mpf(0)
    return mp.exp(x)


def _of_angle(function: Callable[[Number], Number]) -> Callable[[Number], Number]:
    """Return a periodic function that is not defined for huge angles, whose turns take long to
    count: every dtype has infinity for them."""

    def run(x: Number) -> Number:
        if _is_huge(x):
            raise ValueError("a huge angle")
        return function(x)

    return run


_sin, _cos, _tan = map(_of_angle, (mp.sin, mp.cos, mp.tan))


def log(x: Number) -> Number:
    if x == 0:
        return -mp.inf
    return mp.log(x)


def _log1p(x: Number) -> Number:
    return log(1 + x)


def _divide(x: Number, y: Number) -> Number:
    if y == 0:
        raise ZeroDivisionError
    return x / y


def _power(x: Number, y: Number) -> Number:
    if y == 0:
        return mp.mpf(1)
    if x == 0:
        if y < 0:
            raise ZeroDivisionError
        return mp.mpf(0)
    if isinstance(x, mp.mpc) or isinstance(y, mp.mpc):
        return mp.power(x, y)
    if mp.isfinite(y) and y == mp.floor(y):
        size = mp.power(abs(x), int(y)) if abs(y) < 2**10 else exp(y * log(abs(x)))
        return -size if x < 0 and int(y) % 2 else size
    if x < 0:
        raise ValueError("a root of a negative number")
    return exp(y * mp.log(x))


def _sigmoid(x: Number) -> Number:
    if x == -mp.inf:
        return mp.mpf(0)
    return 1 / (1 + exp(-x)) if x > 0 else (lambda e: e / (1 + e))(exp(x))


def _softplus(x: Number) -> Number:
    # For a larger x, softplus(x) is x to far more digits than any dtype has.
    return mp.mpf(x) if x > 20000 else mp.log1p(exp(x)) if x < 0 else x + mp.log1p(exp(-x))


def _tanh(x: Number) -> Number:
    return mp.mpf(mp.sign(x)) if abs(x) > 20000 else mp.tanh(x)


def _erf(x: Number) -> Number:
    return mp.mpf(mp.sign(x)) if abs(x) > 200 else mp.erf(x)


def _log_product(y: Number, z: Number, *xs: Number) -> Number:
    product = exp(y)
    for x in xs:
        product = product * x
    return log(_divide(product, z))


def _hyperbolic(x: Number, sign: int) -> Number:
    return (exp(x) + sign * exp(-x)) / 2


def _round(x: Number) -> Number:
    return mp.nint(x)


def _maximum(x: Number, y: Number) -> Number:
    return x if mp.isnan(x) or x >= y else y


def _minimum(x: Number, y: Number) -> Number:
    return x if mp.isnan(x) or x <= y else y


def _switch(c: Any, x: Number, y: Number) -> Number:
    return x if c else y


def _second(x: Number, y: Number) -> Number:
    return y


def _logical(x: Any, y: Any, both: bool) -> bool:
    return bool(x) and bool(y) if both else bool(x) or bool(y)


_SELECTIONS = (_switch, _second)

SCALAR_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "true_div": _divide,
    "reciprocal": lambda x: _divide(mp.mpf(1), x),
    "int_div": lambda x, y: mp.floor(_divide(x, y)),
    "mod": lambda x, y: x - y * mp.floor(_divide(x, y)),
    "pow": _power,
    "neg": lambda x: -x,
    "abs": lambda x: abs(x),
    "sign": lambda x: mp.mpf(mp.sign(x)),
    "sqr": lambda x: x * x,
    "sqrt": lambda x: mp.sqrt(x),
    "maximum": _maximum,
    "minimum": _minimum,
    "exp": exp,
    "exp2": lambda x: exp(x * mp.ln2),
    "expm1": lambda x: exp(x) - 1,
    "log": log,
    "log2": lambda x: log(x) / mp.ln2,
    "log10": lambda x: log(x) / mp.ln10,
    "log1p": _log1p,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "arcsin": mp.asin,
    "arccos": mp.acos,
    "arctan": mp.atan,
    "arctan2": mp.atan2,
    "sinh": lambda x: _hyperbolic(x, -1),
    "cosh": lambda x: _hyperbolic(x, 1),
    "tanh": _tanh,
    "arcsinh": mp.asinh,
    "arccosh": mp.acosh,
    "arctanh": mp.atanh,
    "erf": _erf,
    "erfc": erfc,
    "erfinv": mp.erfinv,
    "sigmoid": _sigmoid,
    "gammaln": lambda x: log(abs(mp.gamma(x))) if abs(x) < 1e4 else mp.loggamma(x).real,
    "digamma": mp.digamma,
    "polygamma": lambda n, x: mp.polygamma(int(n), x),
    "softplus": _softplus,
    "log1mexp": lambda x: log(-mp.expm1(x)) if -1 < x < 0 else log(1 - exp(x)),
    "fma": lambda x, y, z: x * y + z,
    "hypot": lambda x, y: mp.sqrt(x * x + y * y),
    "length": lambda *xs: mp.sqrt(mp.fsum(xs, squared=True)),
    "sqr_less_sqr": lambda x, y: (x - y) * (x + y),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "cosm1": lambda x: _cos(x) - 1,
    "log1pmx": lambda x: _log1p(x) - x,
    "log_determinant": lambda x, y, z, w: log(x * y - z * w),
    "log_product": _log_product,
    "log1p_sqr": lambda x: _log1p(x * x),
    "hypot1m1": lambda x: x * x / (mp.sqrt(1 + x * x) + 1) if mp.isfinite(x) else abs(x),
    "x_less_sin": lambda x: x - _sin(x),
    "tan_less_x": lambda x: _tan(x) - x,
    "logaddexp": lambda x, y: log(exp(x) + exp(y)),
    "eq": lambda x, y: x == y,
    "neq": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "isnan": lambda x: mp.isnan(x),
    "isinf": lambda x: mp.isinf(x),
    "and_": lambda x, y: _logical(x, y, True),
    "or_": lambda x, y: _logical(x, y, False),
    "invert": lambda x: not x,
    "second": _second,
    "identity": lambda x: x,
    "switch": _switch,
    "clip": lambda x, low, high: _minimum(_maximum(x, low), high),
    "ceil": mp.ceil,
    "floor": mp.floor,
    "trunc": lambda x: mp.floor(x) if x >= 0 else mp.ceil(x),
    "round": _round,
    "conj": mp.conj,
    "real": lambda x: mp.re(x),
    "imag": lambda x: mp.im(x),
    "angle": lambda x: mp.arg(x),
    **SPECIAL_FUNCTIONS,
}

"""The functions of SciPy and NumPy that Arb has by other names, or by a formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.truth.balls import Ball, acb, arb, is_none
from relgraph.truth.elementary import NoValue, exp, is_real, log, power, quotient

Function = Callable[..., Any]

_ONE, _ZERO, _HALF = arb(1), arb(0), arb(0.5)
_FAR = 10


def _tail(square: Ball) -> Ball:
    """Return erfc(x) exp(x*x) for the square of a large x."""
    return square.hypgeom_u(_HALF, _HALF) / arb.const_sqrt_pi()


def _erfc(x: Ball) -> Ball:
    return exp(-x * x) * _tail(x * x) if is_real(x) and x > _FAR else x.erfc()


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


def _log_sigmoid(x: Ball) -> Ball:
    return -((-x).max(arb(0)) + exp(-abs(x)).log1p())


def _scaled_error(x: Ball) -> Ball:
    return _tail(x * x) if is_real(x) and x > _FAR else exp(x * x) * x.erfc()


def _kullback_leibler(x: Ball, y: Ball) -> Ball:
    return _times_log(x, quotient(x, y)) - x + y


SPECIAL: dict[str, Function] = {
    "erfcinv": lambda x: (1 - x).erfinv(),
    "loggamma": lambda x: x.lgamma(),
    "beta": lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
    "betaln": lambda a, b: abs(a.gamma() * b.gamma() * (a + b).rgamma()).log(),
    "poch": lambda x, n: x.rising(n),
    "binom": lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    "erfc": _erfc,
    "erfcx": _scaled_error,
    "dawsn": lambda x: x * (-x * x).hypgeom_1f1(1, arb(1.5)),
    "ndtr": _normal,
    "log_ndtr": _log_normal,
    "logit": lambda x: log(quotient(x, 1 - x)),
    "log_expit": _log_sigmoid,
    "xlogy": _times_log,
    "xlog1py": lambda x, y: _times_log(x, 1 + y),
    "entr": lambda x: -_times_log(x, x),
    "rel_entr": lambda x, y: _times_log(x, quotient(x, y)),
    "kl_div": _kullback_leibler,
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

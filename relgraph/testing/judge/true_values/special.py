"""The functions of ``scipy.special`` as functions of mpmath's numbers, by the names of the ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.testing.judge.true_values.mpmath_support import mp

Number = Any


def _times_log(x: Number, y: Number) -> Number:
    return mp.mpf(0) if x == 0 and not mp.isnan(y) else x * mp.log(y)


def _integral_to(of: Callable[..., Number]) -> Callable[..., Number]:
    return lambda *args: of(*args[:-1], 0, args[-1], regularized=True)


_MOST = 512  # the square of a number of more bits before the point is no float, which mpmath takes


def erfc(x: Number) -> Number:
    """Return the complementary error function; far out, where it is in no dtype's range, its
    logarithm may be in one."""
    if isinstance(x, mp.mpc) or abs(x) <= 200:
        return mp.erfc(x)
    return mp.mpf(2) if x < 0 else mp.mpf(0) if mp.mag(x) > _MOST else mp.erfc(x)


def _scaled_error(x: Number) -> Number:
    return mp.exp(x * x) * mp.erfc(x)


def _dawson(x: Number) -> Number:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _log_normal(x: Number) -> Number:
    if x > 0:
        return mp.log1p(-erfc(x / mp.sqrt(2)) / 2)
    tail = erfc(-x / mp.sqrt(2)) / 2
    return -mp.inf if tail == 0 else mp.log(tail)


SPECIAL_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "gamma": mp.gamma,
    "loggamma": mp.loggamma,
    "rgamma": mp.rgamma,
    "beta": mp.beta,
    "betaln": lambda a, b: mp.log(abs(mp.beta(a, b))),
    "poch": mp.rf,
    "binom": mp.binomial,
    "zeta": mp.zeta,
    "erfcx": _scaled_error,
    "erfi": mp.erfi,
    "dawsn": _dawson,
    "ndtr": lambda x: erfc(-x / mp.sqrt(2)) / 2,
    "log_ndtr": _log_normal,
    "logit": lambda x: mp.log(x / (1 - x)),
    "log_expit": lambda x: -mp.log1p(mp.exp(-x)),
    "xlogy": _times_log,
    "xlog1py": lambda x, y: _times_log(x, 1 + y),
    "entr": lambda x: -_times_log(x, x),
    "rel_entr": lambda x, y: _times_log(x, x / y),
    "kl_div": lambda x, y: _times_log(x, x / y) - x + y,
    "exp10": lambda x: mp.power(10, x),
    "exprel": lambda x: mp.mpf(1) if x == 0 else mp.expm1(x) / x,
    "exp1": lambda x: mp.expint(1, x),
    "expi": mp.ei,
    "expn": mp.expint,
    "gammainc": _integral_to(mp.gammainc),
    "gammaincc": lambda a, x: mp.gammainc(a, x, regularized=True),
    "betainc": _integral_to(mp.betainc),
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
    "i0": lambda x: mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "k0": lambda x: mp.besselk(0, x),
    "k1": lambda x: mp.besselk(1, x),
    "jv": mp.besselj,
    "yv": mp.bessely,
    "iv": mp.besseli,
    "kv": mp.besselk,
    "ellipk": mp.ellipk,
    "ellipe": mp.ellipe,
    "hyp0f1": mp.hyp0f1,
    "hyp1f1": mp.hyp1f1,
    "hyp2f1": mp.hyp2f1,
    "hyperu": mp.hyperu,
    "logaddexp2": lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y)) / mp.ln2,
    "sinc": mp.sincpi,
}
"""Those of which mpmath has the true values."""

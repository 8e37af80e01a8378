"""Ufuncs of NumPy's and of ``scipy.special`` by their names.

Those that JAX has under the same name, and computes as closely, are looked up there; for some there
are short formulas in functions that it has. All others are computed by SciPy on the host, and some
that JAX has too: its `beta`, `betaln` and `poch` lose up to eight digits, the loops of its `exp1`,
`expi`, `expn`, `hyp1f1` and `hyp2f1` do not end, or end too early, at some values in some versions,
and its `owens_t` is nan at (0, inf).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special

from relgraph.engines.jax.lowering.scalars.logarithms import zeta
from relgraph.scalar.named.named_op import NamedOp

Function = Callable[..., Any]

_LARGE = 1e7
"""From this parameter on JAX adds up too many terms of the incomplete gamma functions."""


def _loggamma(x: Any) -> Any:
    return jnp.where(x < 0, jnp.nan, special.gammaln(x))


def _rgamma(x: Any) -> Any:
    at_pole = (x <= 0) & (x == jnp.floor(x))
    return jnp.where(at_pole, 0.0, 1 / special.gamma(jnp.where(at_pole, 1.0, x)))


def _exprel(x: Any) -> Any:
    whole = (x == 0) | (x == jnp.inf)
    return jnp.where(whole, jnp.exp(x), jnp.expm1(x) / jnp.where(whole, 1.0, x))


def _sinc(x: Any) -> Any:
    turned = math.pi * jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, jnp.sin(turned) / turned)


def _normal_limit(a: Any, x: Any) -> Any:
    """The number at which the normal distribution has the share of a gamma distribution (Wilson and
    Hilferty, 1931)."""
    limit = 3 * jnp.sqrt(a) * (jnp.cbrt(x / a) - 1 + 1 / (9 * a))
    return jnp.where(x < 0, jnp.nan, limit)


def _gammainc(a: Any, x: Any) -> Any:
    usual = special.gammainc(jnp.minimum(a, _LARGE), x)
    found = jnp.where(a > _LARGE, special.ndtr(_normal_limit(a, x)), usual)
    return jnp.where((a == 0) & (x > 0), 1.0, found)


def _gammaincc(a: Any, x: Any) -> Any:
    usual = special.gammaincc(jnp.minimum(a, _LARGE), x)
    return jnp.where(a > _LARGE, special.ndtr(-_normal_limit(a, x)), usual)


def _nan_kept(function: Function, x: Any, y: Any) -> Any:
    """A product with a logarithm, which some versions of JAX make zero of zero and nan."""
    return jnp.where(jnp.isnan(y), jnp.nan, function(x, y))


def _rel_entr(x: Any, y: Any) -> Any:
    return _of_shares(x, y, lambda x, y: x * _log_of_quotient(x, y), 0.0)


def _kl_div(x: Any, y: Any) -> Any:
    return _of_shares(x, y, lambda x, y: x * _log_of_quotient(x, y) - x + y, y)


def _log_of_quotient(x: Any, y: Any) -> Any:
    quotient = x / y
    near = (quotient > 0.5) & (quotient < 2)
    found = jnp.where(near, jnp.log1p((x - y) / y), jnp.log(quotient))
    is_normal = (quotient >= jnp.finfo(x.dtype).tiny) & (quotient < jnp.inf)
    return jnp.where(is_normal, found, jnp.log(x) - jnp.log(y))


def _of_shares(x: Any, y: Any, inside: Function, at_zero: Any) -> Any:
    """A function of positive numbers, its value where the first one is zero, and else infinity."""
    positive = (x > 0) & (y > 0)
    found = inside(jnp.where(positive, x, 1.0), jnp.where(positive, y, 1.0))
    found = jnp.where(positive, found, jnp.where((x == 0) & (y >= 0), at_zero, jnp.inf))
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), jnp.nan, found)


def _boxcox(logarithm: Function, x: Any, p: Any) -> Any:
    log, safe = logarithm(x), jnp.where(p == 0, 1.0, p)
    return jnp.where(jnp.abs(p) < 1e-19, log, jnp.expm1(p * log) / safe)


def _inv_boxcox(exponential: Function, y: Any, p: Any) -> Any:
    safe = jnp.where(p == 0, 1.0, p)
    return exponential(jnp.where((p == 0) | (jnp.abs(p * y) < 1e-154), y, jnp.log1p(p * y) / safe))


def _huber(d: Any, r: Any) -> Any:
    size = jnp.abs(r)
    found = jnp.where(size <= d, r * r / 2, d * (size - d / 2))
    return jnp.where(d < 0, jnp.inf, found)


def _pseudo_huber(d: Any, r: Any) -> Any:
    ratio = r / jnp.where(d == 0, 1.0, d)
    found = d * d * jnp.expm1(jnp.log1p(ratio * ratio) / 2)
    return jnp.where(d < 0, jnp.inf, jnp.where((d == 0) | (r == 0), 0.0, found))


def _of_counts(function: Function, k: Any, m: Any, at_zero: float) -> Any:
    """A share of Poisson's distribution; of one whose mean is zero also where `k` is nan."""
    found = jnp.where(m == 0, at_zero, function(jnp.floor(k) + 1, m))
    return jnp.where(k < 0, jnp.nan, found)


FORMULAS: dict[str, Function] = {
    "loggamma": _loggamma,
    "rgamma": _rgamma,
    "erfcinv": lambda x: -special.ndtri(x / 2) / math.sqrt(2),
    "log_ndtr": partial(special.log_ndtr, series_order=10),
    "log_expit": lambda x: -jnp.logaddexp(0.0, -x),
    "exp10": lambda x: jnp.power(10.0, x),
    "exprel": _exprel,
    "sinc": _sinc,
    "gammainc": _gammainc,
    "gammaincc": _gammaincc,
    "zeta": zeta,
    "xlogy": partial(_nan_kept, special.xlogy),
    "xlog1py": partial(_nan_kept, special.xlog1py),
    "rel_entr": _rel_entr,
    "kl_div": _kl_div,
    "huber": _huber,
    "pseudo_huber": _pseudo_huber,
    "boxcox": partial(_boxcox, jnp.log),
    "boxcox1p": partial(_boxcox, jnp.log1p),
    "inv_boxcox": partial(_inv_boxcox, jnp.exp),
    "inv_boxcox1p": partial(_inv_boxcox, jnp.expm1),
    "radian": lambda d, m, s: ((d * 60 + m) * 60 + s) * (math.pi / 648000),
    "chdtr": lambda v, x: _gammainc(v / 2, x / 2),
    "chdtrc": lambda v, x: _gammaincc(v / 2, x / 2),
    "gdtr": lambda a, b, x: _gammainc(b, jnp.where(x < 0, jnp.nan, a * x)),
    "gdtrc": lambda a, b, x: _gammaincc(b, jnp.where(x < 0, jnp.nan, a * x)),
    "pdtr": lambda k, m: _of_counts(_gammaincc, k, m, 1.0),
    "pdtrc": lambda k, m: _of_counts(_gammainc, k, m, 0.0),
    # JAX's own derivatives are wrong at 0 and at 1
    "i0": special.i0,
    "spence": special.spence,
    # it has none
    "nextafter": jnp.nextafter,
    # of a negative zero it is positive
    "spacing": lambda x: jnp.spacing(jnp.where(x == 0, 0.0, x)),
}
"""Functions of real numbers by name; JAX differentiates them by the derivatives of their ops."""

_OF_SPECIAL = "gamma gammasgn erfcx dawsn ndtr ndtri logit entr i1 i0e i1e betainc sici fresnel"
_OF_NUMPY = (
    "fmax fmin fmod fabs copysign heaviside signbit ldexp logaddexp2 float_power gcd lcm "
    "left_shift right_shift bitwise_count frexp"
)
_BY_JAX = {**dict.fromkeys(_OF_SPECIAL.split(), special), **dict.fromkeys(_OF_NUMPY.split(), jnp)}
"""What JAX has by the same name, and computes and differentiates as closely. An old one may lack
some of it."""


def is_by_jax(name: str) -> bool:
    """Return whether JAX computes a function, or one of the arrays that it gives."""
    return name in FORMULAS or name.partition(".")[0] in _BY_JAX


def named_function(op: NamedOp) -> Function | None:
    """Return what computes an op with JAX, for real numbers; None if nothing does."""
    if op.name in FORMULAS:
        return FORMULAS[op.name]
    name, _, index = op.name.partition(".")
    found: Function | None = getattr(_BY_JAX.get(name), name, None)
    return partial(_part, found, int(index)) if index and found is not None else found


def _part(function: Function, index: int, *values: Any) -> Any:
    return function(*values)[index]

"""What is tabulated: parts of Bessel functions and their relatives without zeros and singularities.

``near`` is by the argument x, ``far`` by its reciprocal. The names are those of the tables, which
the modules of ``relgraph.engines.jax.special.bessel`` put together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath as mp
from mpmath import mpc, mpf


class Group(NamedTuple):
    """Names of functions, and what gives their values, on an interval in equal pieces."""

    names: tuple[str, ...]
    low: Any
    high: Any
    pieces: int
    function: Callable[[Any], tuple[Any, ...]]


def _group(names: str, high: Any, pieces: int, function: Any, low: Any = 0) -> Group:
    return Group(tuple(names.split()), mpf(low), mpf(high), pieces, function)


AIRY = 1 / (mpf(2) / 3 * mpf(6) ** mpf(1.5))
"""The reciprocal of ``2 / 3 * x**(3 / 2)`` at 6."""


def _parts(z: Any) -> tuple[Any, Any]:
    return mp.re(z), mp.im(z)


def _far(function: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return the parts of a complex function of x as one of ``1 / x``."""
    return lambda y: _parts(function(1 / y))


def _wave(x: Any) -> Any:
    """The factor of what oscillates: ``exp(i(x - pi / 4)) * sqrt(2 / (pi * x))``."""
    return mp.expj(x - mp.pi / 4) * mp.sqrt(2 / (mp.pi * x))


def _log(x: Any) -> Any:
    return mp.log(x / 2)


# Orders 0 and 1.


def _ordinary_near(x: Any) -> tuple[Any, ...]:
    j0, j1 = mp.besselj(0, x), mp.besselj(1, x)
    y0 = mp.bessely(0, x) - 2 / mp.pi * _log(x) * j0
    y1 = mp.bessely(1, x) - 2 / mp.pi * (_log(x) * j1 - 1 / x)
    return j0, j1 / x, y0, y1 / x


def _modified_near(x: Any) -> tuple[Any, ...]:
    i0, i1 = mp.besseli(0, x), mp.besseli(1, x)
    k0 = mp.besselk(0, x) + _log(x) * i0
    k1 = mp.besselk(1, x) - _log(x) * i1 - 1 / x
    return i0, i1 / x, k0, k1 / x


def _modified_far(y: Any) -> tuple[Any, ...]:
    x = 1 / y
    scale = mp.exp(x) * mp.sqrt(x)
    return mp.besselk(0, x) * scale, mp.besselk(1, x) * scale


def _hankel_far(order: int) -> Any:
    return _far(lambda x: mp.hankel1(order, x) * mp.j**order / _wave(x))


# Airy functions: far ones by the reciprocal of 2 / 3 * x**(3 / 2).


def _airy(x: Any) -> tuple[Any, ...]:
    return (
        *(mp.airyai(x), mp.airyai(x, derivative=1), mp.airybi(x), mp.airybi(x, derivative=1)),
        *(mp.airyai(x, derivative=-1) / x, mp.airybi(x, derivative=-1) / x),
    )


def _airy_above(y: Any) -> tuple[Any, ...]:
    x = (3 / (2 * y)) ** (mpf(2) / 3)
    grown, root = mp.exp(1 / y), x ** mpf(0.25)
    return (
        mp.airyai(x) * grown * root,
        mp.airyai(x, derivative=1) * grown / root,
        mp.airybi(x) / grown * root,
        mp.airybi(x, derivative=1) / grown / root,
        mp.quad(lambda s: mp.airyai(x + s / root**2), [0, 2, 8, 30, 90]) * grown * root,
        mp.airybi(x, derivative=-1) / grown * root**3,
    )


def _airy_below(y: Any) -> tuple[Any, ...]:
    x = (3 / (2 * y)) ** (mpf(2) / 3)
    turned, root = mp.expj(mp.pi / 4 - 1 / y), x ** mpf(0.25)
    value = mp.airyai(-x) - mp.j * mp.airybi(-x)
    slope = mp.airybi(-x, derivative=1) + mp.j * mp.airyai(-x, derivative=1)
    rest = mpf(2) / 3 + mp.airyai(-x, derivative=-1) - mp.j * mp.airybi(-x, derivative=-1)
    return (
        *_parts(value * turned * root),
        *_parts(slope * turned / root),
        *_parts(rest * turned * root**3),
    )


# Kelvin functions: modified Bessel functions on the ray of angle pi / 4.


def _ray(x: Any) -> Any:
    return x * mp.expjpi(mpf(0.25))


def _kelvin_first(x: Any) -> tuple[Any, ...]:
    value, slope = mp.besseli(0, _ray(x)), mp.besseli(1, _ray(x)) * _ray(1)
    return mp.re(value), mp.im(value) / x**2, mp.re(slope) / x**3, mp.im(slope) / x


def _kelvin_second(x: Any) -> tuple[Any, ...]:
    z = _ray(x)
    value = mp.besselk(0, z) + _log(x) * mp.besseli(0, z)
    slope = (_log(x) * mp.besseli(1, z) - mp.besselk(1, z)) * _ray(1) + mp.besseli(0, z) / x
    return *_parts(value), *_parts(slope / x)


def _kelvin_far(y: Any, sign: int = 1) -> tuple[Any, ...]:
    z = sign * _ray(1 / y)
    scale = mp.exp(z) / mp.sqrt(y)
    return *_parts(mp.besselk(0, z) * scale), *_parts(mp.besselk(1, z) * scale)


def _kelvin_turned(y: Any) -> tuple[Any, ...]:
    """The same on the other side of zero, where they grow."""
    return _kelvin_far(y, -1)


# Integrals.


def _of_j(x: Any) -> Any:
    return x * mp.hyp1f2(0.5, 1, 1.5, -x * x / 4)


def _of_i(x: Any) -> Any:
    return x * mp.hyp1f2(0.5, 1, 1.5, x * x / 4)


def _over_t(x: Any, sign: int) -> Any:
    """The integral of ``(1 - J0(t)) / t``, or, with sign 1, of ``(I0(t) - 1) / t``."""
    return x * x / 8 * mp.hyper([1, 1], [2, 2, 2], sign * x * x / 4)


def _of_y(x: Any) -> Any:
    first, second = mp.bessely(0, x), mp.bessely(1, x)
    struve = mp.struveh(0, x) * second - mp.struveh(1, x) * first
    return x * first + mp.pi * x / 2 * struve


def _of_k(x: Any) -> Any:
    first, second = mp.besselk(0, x), mp.besselk(1, x)
    return x * first + mp.pi * x / 2 * (mp.struvel(0, x) * second + mp.struvel(1, x) * first)


def _second_over_t(x: Any, sign: int) -> Any:
    """What is entire of the integral of ``K0(t) / t`` from x on, or of ``-pi / 2 * Y0(t) / t``."""
    total, term = mpf(0), mpf(1)
    for k in range(1, 160):
        term *= sign * x * x / 4 / k**2
        total -= term / (2 * k) * (mp.digamma(k + 1) + mpf(1) / (2 * k))
    return total + mp.euler**2 / 2 + mp.pi**2 / (24 if sign > 0 else -12)


def _rest_over_t(x: Any, sign: int) -> Any:
    """The integral of ``K0(t) / t`` from x on, or of ``-pi / 2 * Y0(t) / t``."""
    log = _log(x)
    return _second_over_t(x, sign) + log * (log / 2 + mp.euler + sign * _over_t(x, sign))


def _asymptotic(x: Any, s: Any, power: int) -> Any:
    """Return the integral from x on of ``t**-power`` times K0, or, with s = i, the Hankel function.

    It is ``exp(s * x) * x**(-power - 1 / 2)`` times a series, which is returned: with that of the
    function (DLMF 10.17.5, 10.40.2) its derivative gives it term by term.
    """
    total, term, factor = mpf(0), mpf(0), mpf(1)
    for k in range(40):
        if k > 0:
            factor *= (2 * k - 1) ** 2 / (8 * k * s)
        term = ((k + power - mpf(0.5)) * term - factor) / s
        total += term / x**k
    return total


_FROM_HERE_ASYMPTOTIC = 45


def _integrals_near(x: Any) -> tuple[Any, ...]:
    of_j = _of_j(x)
    struve = x * x / mp.pi * mp.hyper([1, 1], [1.5, 1.5, 2], -x * x / 4)
    over = 2 / mp.pi * mp.hyper([0.5, 1], [1.5, 1.5, 1.5], -x * x / 4)
    return (
        of_j / x,
        (_of_y(x) - 2 / mp.pi * _log(x) * of_j) / x,
        _over_t(x, -1) / x**2,
        -2 / mp.pi * _second_over_t(x, -1),
        struve / x**2,
        over,
    )


def _growing_near(x: Any) -> tuple[Any, ...]:
    struve = mp.hyper([1, 1], [1.5, 1.5, 2], x * x / 4) / mp.pi
    return tuple(f * mp.exp(-x) for f in (_of_i(x) / x, _over_t(x, 1) / x**2, struve))


def _growing_far(y: Any) -> tuple[Any, ...]:
    x = 1 / y
    scale = mp.exp(-x) * mp.sqrt(x)
    return _of_i(x) * scale, (_over_t(x, 1) + _log(x) + mp.euler) * scale * x


def _falling_near(x: Any) -> tuple[Any, ...]:
    return (_of_k(x) + _log(x) * _of_i(x)) / x, _second_over_t(x, 1)


def _falling_far(y: Any) -> tuple[Any, ...]:
    x = 1 / y
    if x > _FROM_HERE_ASYMPTOTIC:
        return tuple(mp.sqrt(mp.pi / 2) * _asymptotic(x, -1, power) for power in (0, 1))
    with mp.workdps(80):
        scale = mp.exp(x) * mp.sqrt(x)
        return (mp.pi / 2 - _of_k(x)) * scale, _rest_over_t(x, 1) * scale * x


def _integrals_far(y: Any) -> tuple[Any, ...]:
    x = 1 / y
    if x > _FROM_HERE_ASYMPTOTIC:
        rest, over = (_asymptotic(x, mp.j, power) for power in (0, 1))
        return *_parts(rest), *_parts(over)
    with mp.workdps(80):
        rest = mpc(1 - _of_j(x), -_of_y(x)) / _wave(x)
        of_j = _over_t(x, -1) - _log(x) - mp.euler
        over = mpc(of_j, -2 / mp.pi * _rest_over_t(x, -1)) / _wave(x) * x
    return *_parts(rest), *_parts(over)


def _struve_far(y: Any) -> tuple[Any, ...]:
    """Of ``H0 - Y0``, by its integral (DLMF 11.5.2)."""
    x = 1 / y
    stops = [0, 2, 10, 40, 90]

    def less_one(s: Any) -> Any:
        return mp.expm1(-mp.log1p((s / x) ** 2) / 2)

    log = mp.quad(lambda s: mp.exp(-s) / s * less_one(s), stops)
    over = mp.quad(lambda s: mp.e1(s) * (1 + less_one(s)), stops)
    return -2 / mp.pi * log, 2 / mp.pi * over


# The gamma function, for Temme's series.


def _gamma(m: Any) -> tuple[Any, ...]:
    """Half the sum of ``1 / gamma(1 - m)`` and ``1 / gamma(1 + m)``, and their slope between."""
    below, above = mp.rgamma(1 - m), mp.rgamma(1 + m)
    return (below + above) / 2, (below - above) / (2 * m) if abs(m) > 1e-15 else -mp.euler


GROUPS = (
    _group("j0 j1 y0 y1", 6, 3, _ordinary_near),
    _group("h0.re h0.im", mpf(1) / 6, 2, _hankel_far(0)),
    _group("h1.re h1.im", mpf(1) / 6, 2, _hankel_far(1)),
    _group("i0 i1 k0 k1", 2, 1, _modified_near),
    _group("k0.far k1.far", 0.5, 4, _modified_far),
    _group("ai aip bi bip ai.it bi.it", 6, 12, _airy, low=-6),
    _group("ai.far aip.far bi.far bip.far ai.it.far bi.it.far", AIRY, 3, _airy_above),
    _group("airy.re airy.im airyp.re airyp.im airy.it.re airy.it.im", AIRY, 2, _airy_below),
    _group("ber bei berp beip", 8, 4, _kelvin_first),
    _group("ker kei kerp keip", 2, 1, _kelvin_second),
    _group("kelvin0.re kelvin0.im kelvin1.re kelvin1.im", 0.5, 4, _kelvin_far),
    _group("turned0.re turned0.im turned1.re turned1.im", 0.125, 2, _kelvin_turned),
    _group("itj itj.y it2j it2y itstruve it2struve", 8, 4, _integrals_near),
    _group("ith.re ith.im it2h.re it2h.im", 0.125, 4, _integrals_far),
    _group("itstruve.far it2struve.far", 0.125, 4, _struve_far),
    _group("iti it2i itmodstruve", 20, 16, _growing_near),
    _group("iti.far it2i.far", 0.05, 3, _growing_far),
    _group("itk it2k", 2, 1, _falling_near),
    _group("itk.far it2k.far", 0.5, 8, _falling_far),
    _group("gamma.sum gamma.slope", 0.5, 1, _gamma, low=-0.5),
)

"""Functions of one argument by mpmath, for positive and, where they are defined, negative ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath as mp

from tests.engines.jax.special.bessel import tabulated

_NAMES = (
    "j0 j1 ber bei berp beip itstruve0 it2struve0 itmodstruve0 itj0y0.0 iti0k0.0 it2j0y0.0 "
    "it2i0k0.0 airy.0 airy.1 airy.2 airy.3 airye.2 airye.3 itairy.0 itairy.1 itairy.2 itairy.3"
)

ON_BOTH_SIDES = tuple(_NAMES.split())
"""The functions that are defined below zero too."""


def _order(function: Callable[..., Any], n: int, scaled: bool = False) -> Callable[[Any], Any]:
    return lambda x: function(n, x) * (mp.exp(x) if scaled else 1)


def _airy(function: Callable[..., Any], derivative: int, power: int) -> Callable[[Any], Any]:
    """Return an Airy function; a scaled one has, above zero, an exponential with `power`."""

    def value(x: Any) -> Any:
        exponent = mp.mpf(2) / 3 * x ** mp.mpf(1.5) if x > 0 else 0
        return function(x, derivative=derivative) * mp.exp(power * exponent)

    return value


def _of_airy(function: Callable[..., Any], sign: int) -> Callable[[Any], Any]:
    return lambda x: sign * function(sign * x, derivative=-1)


@cache
def _on_the_ray(function: Callable[..., Any], x: Any) -> Any:
    return function(1, x * mp.expjpi(0.25)) * mp.expjpi(0.25)


def _slope(function: Callable[..., Any], part: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the derivative of a Kelvin function, of those of I or K."""
    sign = 1 if function is mp.besseli else -1
    return lambda x: part(sign * _on_the_ray(function, x))


def _struve_over_t(x: Any) -> Any:
    return mp.pi / 2 - 2 / mp.pi * x * mp.hyper([0.5, 1], [1.5, 1.5, 1.5], -x * x / 4)


def _integral_of_struve(x: Any, sign: int) -> Any:
    return x * x / mp.pi * mp.hyper([1, 1], [1.5, 1.5, 2], sign * x * x / 4)


VALUES: dict[str, Callable[[Any], Any]] = {
    **{f"j{n}": _order(mp.besselj, n) for n in (0, 1)},
    **{f"y{n}": _order(mp.bessely, n) for n in (0, 1)},
    **{f"k{n}": _order(mp.besselk, n) for n in (0, 1)},
    **{f"k{n}e": _order(mp.besselk, n, True) for n in (0, 1)},
    **{f"airy.{k}": _airy(mp.airyai, k, 0) for k in (0, 1)},
    **{f"airy.{k + 2}": _airy(mp.airybi, k, 0) for k in (0, 1)},
    **{f"airye.{k}": _airy(mp.airyai, k, 1) for k in (0, 1)},
    **{f"airye.{k + 2}": _airy(mp.airybi, k, -1) for k in (0, 1)},
    "itairy.0": _of_airy(mp.airyai, 1),
    "itairy.1": _of_airy(mp.airybi, 1),
    "itairy.2": _of_airy(mp.airyai, -1),
    "itairy.3": _of_airy(mp.airybi, -1),
    **{name: _order(getattr(mp, name), 0) for name in ("ber", "bei", "ker", "kei")},
    "berp": _slope(mp.besseli, mp.re),
    "beip": _slope(mp.besseli, mp.im),
    "kerp": _slope(mp.besselk, mp.re),
    "keip": _slope(mp.besselk, mp.im),
    "itj0y0.0": tabulated._of_j,
    "itj0y0.1": tabulated._of_y,
    "iti0k0.0": tabulated._of_i,
    "iti0k0.1": tabulated._of_k,
    "it2j0y0.0": lambda x: tabulated._over_t(x, -1),
    "it2j0y0.1": lambda x: -2 / mp.pi * tabulated._rest_over_t(x, -1),
    "it2i0k0.0": lambda x: tabulated._over_t(x, 1),
    "it2i0k0.1": lambda x: tabulated._rest_over_t(x, 1),
    "itstruve0": lambda x: _integral_of_struve(x, -1),
    "itmodstruve0": lambda x: _integral_of_struve(x, 1),
    "it2struve0": _struve_over_t,
}


def _size(*names: str) -> Callable[[Any], Any]:
    return lambda x: mp.norm([VALUES[name](x) for name in names])


def _pairs(*pairs: str) -> dict[str, Callable[[Any], Any]]:
    """Return for each of two functions that oscillate together the size of both."""
    return {name: _size(*pair.split()) for pair in pairs for name in pair.split()}


ENVELOPES: dict[str, Callable[[Any], Any]] = {
    "j0": lambda x: abs(mp.hankel1(0, abs(x))),
    "y0": lambda x: abs(mp.hankel1(0, x)),
    "j1": lambda x: abs(mp.hankel1(1, abs(x))),
    "y1": lambda x: abs(mp.hankel1(1, x)),
    **_pairs("ber bei", "ker kei", "berp beip", "kerp keip"),
    **{
        f"{name}.{k}": lambda x, k=k: _wave_of_airy(x, k % 2)
        for name in ("airy", "airye")
        for k in range(4)
    },
    "itj0y0.1": lambda x: mp.sqrt(2 / (mp.pi * x)),
    "it2j0y0.1": lambda x: mp.sqrt(2 / (mp.pi * x)) / x,
    "itairy.1": lambda x: abs(x) ** -0.75 if x < 0 else 0,
    "itairy.3": lambda x: x**-0.75 if x > 0 else 0,
}
"""The sizes of functions that oscillate, for arguments beyond 2."""


def _wave_of_airy(x: Any, derivative: int) -> Any:
    if x > 0:
        return 0
    return mp.norm([mp.airyai(x, derivative=derivative), mp.airybi(x, derivative=derivative)])


def true_value(name: str, x: float) -> tuple[float, float]:
    """Return a value, and the size of what oscillates, or 0."""
    # What integrals over t are made of cancels.
    with mp.workdps(100 if name.startswith("it2") else 40):
        size = ENVELOPES[name](mp.mpf(x)) if name in ENVELOPES and abs(x) > 2 else 0
        return float(mp.re(VALUES[name](mp.mpf(x)))), float(size)

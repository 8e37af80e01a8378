"""Airy functions, and their integrals from zero on, by tables (DLMF 9.7, 9.10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp

from relgraph.engines.jax.special.bessel.tables import reciprocal, table, wave

_NEAR = 6.0


class _Large(NamedTuple):
    """Of a large argument `x`: ``2 / 3 * abs(x)**(3 / 2)``, its reciprocal and a root of `x`."""

    exponent: Any
    reciprocal: Any
    root: Any


def _large(x: Any) -> _Large:
    size = jnp.abs(x)
    exponent = 2 / 3 * size * jnp.sqrt(size)
    return _Large(exponent, reciprocal(exponent), jnp.sqrt(jnp.sqrt(jnp.maximum(size, 1.0))))


def _airy(name: str, is_scaled: bool) -> Callable[[Any], Any]:
    """Return ``ai``, ``aip``, ``bi`` or ``bip``; a scaled one has no exponential above zero."""
    is_slope, grows = name.endswith("p"), name.startswith("b")

    def value(x: Any) -> Any:
        large = _large(x)
        scale = large.root if is_slope else 1 / large.root
        real, imag = wave("airyp" if is_slope else "airy", large.exponent, large.reciprocal)
        below = scale * {"ai": real, "aip": imag, "bi": -imag, "bip": real}[name]
        above = scale * table(f"{name}.far")(large.reciprocal)
        near = table(name)(x)
        grown = jnp.exp(large.exponent if grows else -large.exponent)
        if is_scaled:
            near = jnp.where(
                x > 0, near / grown, near if grows else jnp.where(x < 0, jnp.nan, near)
            )
            below = below if grows else jnp.full_like(x, jnp.nan)
        else:
            above = above * grown
        far = jnp.where(x > 0, above, below)
        return jnp.where(jnp.abs(x) < _NEAR, near, jnp.where(jnp.isfinite(x), far, jnp.nan))

    return value


def _integral_of_ai(x: Any) -> Any:
    large = _large(x)
    cube = large.root**3
    above = 1 / 3 - jnp.exp(-large.exponent) * table("ai.it.far")(large.reciprocal) / cube
    below = wave("airy.it", large.exponent, large.reciprocal)[0] / cube - 2 / 3
    far = jnp.where(x > 0, above, below)
    return jnp.where(jnp.abs(x) < _NEAR, x * table("ai.it")(x), far)


def _integral_of_bi(x: Any) -> Any:
    large = _large(x)
    cube = large.root**3
    above = jnp.exp(large.exponent) * table("bi.it.far")(large.reciprocal) / cube
    below = -wave("airy.it", large.exponent, large.reciprocal)[1] / cube
    far = jnp.where(x > 0, above, below)
    found = jnp.where(jnp.abs(x) < _NEAR, x * table("bi.it")(x), far)
    return jnp.where(jnp.isfinite(x), found, jnp.nan)


_NAMES = ("ai", "aip", "bi", "bip")

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{f"airy.{i}": _airy(name, False) for i, name in enumerate(_NAMES)},
    **{f"airye.{i}": _airy(name, True) for i, name in enumerate(_NAMES)},
    "itairy.0": _integral_of_ai,
    "itairy.1": _integral_of_bi,
    "itairy.2": lambda x: -_integral_of_ai(-x),
    "itairy.3": lambda x: -_integral_of_bi(-x),
}

"""Integrals through saddle points, which give Bessel functions of any real order.

With ``w**2 = |x**2 - v**2|``, or ``x**2 + v**2``, the exponent of Schläfli's and Sommerfeld's
integrals (DLMF 10.9.17, 10.9.18, 10.32.12) is about its saddle a multiple of ``w * C(u)`` plus
``v * D(u)``, where ``C(u) = cosh(u) - 1`` and ``D(u) = sinh(u) - u``. From there the paths descend
nearly as steeply as can be, at turning points too: what is summed does not cancel, and is of one
size, whatever the order and the argument are. See Gil, Segura and Temme, *Numerical Methods for
Special Functions* (2007), chapter 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

DEPTH = 38.0
"""What is smaller than its largest value by ``exp(-DEPTH)`` is left out of an integral."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_RULE = (_NODES + 1) / 2, _WEIGHTS / 2

_TERMS = 11


def _series(square: Any, first: int, sign: float) -> Any:
    """Return ``1 + sign * square / ((n + 1)(n + 2)) + ...``, the terms over factorials."""
    total = jnp.ones_like(square)
    for k in range(_TERMS, 0, -1):
        n = first + 2 * k
        total = 1 + square * (sign / (n * (n - 1))) * total
    return total


class Hyperbolic(NamedTuple):
    """Of ``a >= 0``: ``cosh(a) - 1``, ``sinh(a)`` and ``sinh(a) - a``."""

    cosh_less_1: Any
    sinh: Any
    sinh_less_a: Any


def hyperbolic(a: Any) -> Hyperbolic:
    grown = jnp.expm1(a)
    shrunk = grown / (1 + grown)
    sinh = (grown + shrunk) / 2
    near = jnp.minimum(a, 1.5)
    near_zero = near**3 / 6 * _series(near * near, 3, 1.0)
    return Hyperbolic(grown * shrunk / 2, sinh, jnp.where(a < 1.5, near_zero, sinh - a))


class Parts(NamedTuple):
    """``C(u)`` and ``D(u)`` at a complex `u`."""

    c_real: Any
    c_imag: Any
    d_real: Any
    d_imag: Any


class Path(NamedTuple):
    """The path ``u = a + i * bound * tanh(slope * a / bound)``, for ``a >= 0``.

    The integrand is ``exp((p + iq) * C(u) + v * D(u))``.
    """

    p: Any
    q: Any
    v: Any
    slope: Any
    bound: Any

    def height(self, a: Any) -> tuple[Any, Any]:
        """Return the imaginary part of `u`, and its derivative."""
        t = jnp.tanh(self.slope * a / self.bound)
        return self.bound * t, self.slope * (1 - t * t)

    def parts(self, a: Any, b: Any) -> Parts:
        real = hyperbolic(a)
        square = b * b
        b_less_sin = b * square / 6 * _series(square, 3, -1.0)
        less_cos = square / 2 * _series(square, 2, -1.0)
        sin = b - b_less_sin
        return Parts(
            real.cosh_less_1 * (1 - less_cos) - less_cos,
            real.sinh * sin,
            real.sinh_less_a - real.sinh * less_cos,
            real.cosh_less_1 * sin - b_less_sin,
        )

    def depth(self, a: Any) -> Any:
        """Return how far the integrand has fallen at `a`, as a logarithm."""
        at = self.parts(a, self.height(a)[0])
        return self.q * at.c_imag - self.p * at.c_real - self.v * at.d_real

    def integral(self, high: Any) -> tuple[Any, Any]:
        """Return the integral's real and imaginary parts; `high` is beyond what counts."""

        def value(a: Any) -> Any:
            b, slope = self.height(a)
            at = self.parts(a, b)
            size = jnp.exp(self.p * at.c_real - self.q * at.c_imag + self.v * at.d_real)
            angle = self.p * at.c_imag + self.q * at.c_real + self.v * at.d_imag
            cos, sin = cos_sin(angle)
            return lax.complex(size * (cos - slope * sin), size * (sin + slope * cos))

        total = gauss(value, reach(self.depth, high / 8, high))
        return total.real, total.imag


def real_integral(w: Any, v: Any, high: Any, cut: Any = jnp.inf) -> Any:
    """Return the integral of ``exp(-w * C(a) + v * D(a))`` from 0 to `cut`, or till it is spent."""

    def depth(a: Any) -> Any:
        at = hyperbolic(a)
        return w * at.cosh_less_1 - v * at.sinh_less_a

    low = jnp.minimum(gaussian_reach(w), high)
    length = jnp.minimum(reach(depth, low, high), cut)
    return gauss(lambda a: jnp.exp(-depth(a)), length)


def gaussian_reach(w: Any, depth: float = DEPTH) -> Any:
    """Return where ``w * C`` is `depth`."""
    return 2 * jnp.arcsinh(jnp.sqrt(depth / 2 / jnp.maximum(w, 1e-300)))


def cubic_reach(v: Any, depth: float = DEPTH) -> Any:
    """Return where ``v * u**3 / 6`` is `depth`."""
    return jnp.cbrt(6 * depth / jnp.maximum(v, 1e-300))


def reach(depth: Callable[[Any], Any], low: Any, high: Any, steps: int = 7) -> Any:
    """Return where a function has grown to `DEPTH`, or a little more, between two bounds."""

    def step(_: Any, bounds: tuple[Any, Any]) -> tuple[Any, Any]:
        low, high = bounds
        middle = jnp.sqrt(low * high)
        deep = depth(middle) > DEPTH
        return jnp.where(deep, low, middle), jnp.where(deep, middle, high)

    return lax.fori_loop(0, steps, step, (low, high))[1]


def gauss(function: Callable[[Any], Any], length: Any) -> Any:
    """Return the integral from 0 to a length, by the Gauss-Legendre rule."""

    def step(total: Any, rule: tuple[Any, Any]) -> tuple[Any, None]:
        node, weight = rule
        return total + weight * function(node * length), None

    start = jnp.zeros_like(function(length))
    rule = tuple(jnp.asarray(r, length.dtype) for r in _RULE)
    return lax.scan(step, start, rule)[0] * length


_HALF_PI = 1.5707963267341256, 6.077100506506192e-11


def cos_sin(angle: Any) -> tuple[Any, Any]:
    """Return the cosine and the sine of an angle of at most some thousands.

    It is quicker than JAX's functions, which are right for all numbers.
    """
    turns = jnp.round(angle * (2 / np.pi))
    rest = (angle - turns * _HALF_PI[0]) - turns * _HALF_PI[1]
    square = rest * rest
    sin = rest * _series(square, 1, -1.0)
    cos = _series(square, 0, -1.0)
    quarter = turns - 4 * jnp.floor(turns / 4)
    odd = (quarter == 1) | (quarter == 3)
    first, second = jnp.where(odd, sin, cos), jnp.where(odd, cos, sin)
    return (
        jnp.where((quarter == 1) | (quarter == 2), -first, first),
        jnp.where(quarter >= 2, -second, second),
    )

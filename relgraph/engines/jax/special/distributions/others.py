"""Functions of one or two numbers beside the distributions: integrals, zeta, omega, Tukey's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax
from scipy.special import bernoulli

from relgraph.engines.jax.special.distributions.densities import stirling_error

_EULER = 0.57721566490153286


def _erfi(x: Any) -> Any:
    """DLMF 7.5.1."""
    inside = jnp.abs(x) < 26.7
    safe = jnp.where(inside, x, 1.0)
    found = 2 / math.sqrt(math.pi) * jnp.exp(safe * safe) * special.dawsn(safe)
    return jnp.where(inside, found, x * jnp.inf)


_CUT = 12
# B_2k / (2k)!
_BERNOULLI = [float(bernoulli(2 * k)[-1] / math.factorial(2 * k)) for k in range(1, 12)]


def _zeta_less(s: Any) -> Any:
    """Return ``zeta(s) - 1`` for `s` of 0 and more (Euler-Maclaurin, DLMF 25.2.10)."""
    total = sum(jnp.power(float(n), -s) for n in range(2, _CUT))
    last = jnp.power(float(_CUT), -s)
    total = total + last * (_CUT / (s - 1) + 0.5)
    factor = last * s / _CUT
    for k, b in enumerate(_BERNOULLI):
        total = total + b * factor
        factor = factor * (s + 2 * k + 1) * (s + 2 * k + 2) / (_CUT * _CUT)
    return total


def _zetac(x: Any) -> Any:
    negative = x < 0
    right = jnp.where(negative, 2.0, jnp.minimum(x, 2000.0))
    left = jnp.where(negative, jnp.maximum(x, -300.0), -1.0)
    # the functional equation, DLMF 25.4.1; there are zeros at even numbers
    phase = _sine(jnp.where(negative, x, -1.0) / 2)
    size = jnp.exp(special.gammaln(1 - left) + (left - 1) * math.log(2 * math.pi))
    reflected = jnp.where(phase == 0, -1.0, 2 * size * phase * (1 + _zeta_less(1 - left)) - 1)
    found = jnp.where(negative, reflected, _zeta_less(right))
    found = jnp.where(x == 1, jnp.inf, jnp.where(x == jnp.inf, 0.0, found))
    return jnp.where(jnp.isnan(x) | (x == -jnp.inf), jnp.nan, found)


def _hyperbolic_integrals(x: Any) -> tuple[Any, Any]:
    """Return the hyperbolic sine and cosine integrals of sizes (DLMF 6.6.5, 6.6.6, 6.12.2)."""
    small, large = jnp.minimum(x, 40.0), jnp.clip(x, 40.0, 720.0)

    def step(k: Any, state: Any) -> Any:
        power, shi, chi = state
        even = 2 * k + 2
        power = power * small / even
        chi = chi + power / even
        power = power * small / (even + 1)
        return power, shi + power / (even + 1), chi

    start = (small, small, jnp.zeros_like(small))
    _, shi, chi = lax.fori_loop(0, 75, step, start)
    term, total = jnp.ones_like(large), jnp.ones_like(large)
    for k in range(1, 38):
        term = term * k / large
        total = total + term
    half = jnp.exp(large / 2)
    far = half * (total / (2 * large)) * half
    far = jnp.where(x > 720, jnp.inf, far)
    is_large = x > 40
    return jnp.where(is_large, far, shi), jnp.where(is_large, far, chi + _EULER + jnp.log(small))


def _shi(x: Any) -> Any:
    return jnp.where(jnp.isnan(x), x, jnp.copysign(_hyperbolic_integrals(jnp.abs(x))[0], x))


def _chi(x: Any) -> Any:
    return jnp.where(jnp.isnan(x), x, _hyperbolic_integrals(jnp.abs(x))[1])


def _wrightomega(x: Any) -> Any:
    """Return `w` with ``w + log(w) == x`` (Fritsch, Shafer and Crowley, Algorithm 443, 1973)."""
    safe = jnp.clip(jnp.where(jnp.isnan(x), 0.0, x), -45.0, 1e20)
    middle = 0.567 + 0.362 * safe + 0.07 * safe * safe
    w = jnp.where(safe > 2, safe - jnp.log(jnp.maximum(safe, 1.0)), middle)
    w = jnp.where(safe < -1, jnp.exp(jnp.minimum(safe, 0.0)), w)
    w = jnp.where(safe < -1, w / (1 + w), w)
    for _ in range(4):
        rest = safe - w - jnp.log(w)
        first = 1 + w
        twice = 2 * first * (first + 2 * rest / 3)
        w = w * (1 + rest / first * (twice - rest) / (twice - 2 * rest))
    w = jnp.where(x < -45, jnp.exp(x), w)
    return jnp.where(jnp.isnan(x) | (x > 1e20), x, w)


def _positive_binomial(n: Any, k: Any) -> Any:
    """Return the binomial coefficient where all of `n`, `k` and ``n - k`` are positive."""
    rest = n - k
    exponent = k * jnp.log(n / k) + rest * jnp.log(n / rest)
    exponent = exponent + stirling_error(n) - stirling_error(k) - stirling_error(rest)
    return jnp.exp(exponent) * jnp.sqrt(n / k / rest / (2 * math.pi))


def _binom(n: Any, k: Any) -> Any:
    n, k = jnp.broadcast_arrays(n, k)
    usual = (n > 0) & (k > 0) & (k < n)
    inner = _positive_binomial(jnp.where(usual, n, 2.0), jnp.where(usual, k, 1.0))
    whole = (k == jnp.floor(k)) & (n == jnp.floor(n)) & (jnp.abs(inner) < 2.0**50)
    inner = jnp.where(whole, jnp.round(inner), inner)
    # else one of the gamma functions is reflected (DLMF 5.5.3), where n is not negative
    excess = jnp.where(k < 0, -k, k - n)
    sine = jnp.where(k < 0, -_sine(k), _sine(k) * _cosine(n) - _cosine(k) * _sine(n))
    reflected = (n >= 0) & (excess > 0)
    a, b = jnp.where(reflected, n + 1, 1.0), jnp.where(reflected, excess, 1.0)
    outer = _beta(a, b) * sine / math.pi
    logs = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    signs = special.gammasgn(n + 1) * special.gammasgn(k + 1) * special.gammasgn(n - k + 1)
    found = jnp.where(usual, inner, jnp.where(reflected, outer, jnp.exp(logs) * signs))
    found = jnp.where((k == 0) | (k == n), 1.0, found)
    few = (k > 0) & (k < 20) & (k == jnp.floor(k))
    found = jnp.where((n == jnp.inf) & (k > 0), jnp.where(few, jnp.inf, jnp.nan), found)
    found = jnp.where((k < 0) & (jnp.isinf(k) | jnp.isinf(n)), 0.0, found)
    pole = (n < 0) & (n == jnp.floor(n)) | (k == jnp.inf)
    return jnp.where(pole | jnp.isnan(n) | jnp.isnan(k), jnp.nan, found)


def _sine(x: Any) -> Any:
    """Return the sine of `x` half turns; it is exact at whole numbers."""
    nearest = jnp.round(x)
    sign = 1 - 2 * jnp.mod(nearest, 2)
    return sign * jnp.sin(math.pi * (x - nearest))


def _cosine(x: Any) -> Any:
    nearest = jnp.round(x)
    return (1 - 2 * jnp.mod(nearest, 2)) * jnp.cos(math.pi * (x - nearest))


def _beta(a: Any, b: Any) -> Any:
    """Return the beta function of positive numbers, right for large ones too."""
    n = a + b
    exponent = jnp.where(a < b, a, b) * jnp.log(jnp.minimum(a, b) / n)
    exponent = exponent + jnp.maximum(a, b) * jnp.log1p(-jnp.minimum(a, b) / n)
    exponent = exponent + stirling_error(a) + stirling_error(b) - stirling_error(n)
    return jnp.exp(exponent) * jnp.sqrt(2 * math.pi / a * (n / b))


def _tklmbda(x: Any, lam: Any) -> Any:
    """Return the `p` with ``(p**lam - (1 - p)**lam) / lam == x`` (Tukey's lambda)."""
    x, lam = jnp.broadcast_arrays(x, lam)
    size, given, lam = -jnp.abs(x), lam, jnp.clip(lam, -600.0, 1e300)
    safe = jnp.where(lam == 0, 1.0, lam)

    def quantile(log_p: Any) -> Any:
        other = jnp.log1p(-jnp.exp(log_p))
        found = (jnp.expm1(lam * log_p) - jnp.expm1(lam * other)) / safe
        return jnp.where(lam == 0, log_p - other, found)

    def halve(_: Any, state: Any) -> Any:
        low, high = state
        middle = (low + high) / 2
        above = quantile(middle) > size
        return jnp.where(above, low, middle), jnp.where(above, middle, high)

    start = (jnp.full_like(size, -760.0), jnp.full_like(size, -math.log(2)))
    low, high = lax.fori_loop(0, 40, halve, start)
    p = jnp.exp((low + high) / 2)
    for _ in range(2):
        slope = jnp.power(p, lam) + p * jnp.power(1 - p, lam - 1)
        better = jnp.clip(p * (1 - (quantile(jnp.log(p)) - size) / slope), 0.0, 0.5)
        p = jnp.where(better > 0, better, p)
    p = jnp.where(p < 1e-307, 0.0, p)
    p = jnp.where((lam > 0) & (size * lam <= -1) | (size == -jnp.inf), 0.0, p)
    p = jnp.where(x > 0, 1 - p, jnp.where(x == 0, 0.5, p))
    p = jnp.where(given == jnp.inf, jnp.where(x > 0, 1.0, 0.0), p)
    p = jnp.where(given == -jnp.inf, 1.0, p)
    return jnp.where(jnp.isnan(x) | jnp.isnan(lam), jnp.nan, p)


def _frexp(index: int) -> Callable[[Any], Any]:
    return lambda x: jnp.frexp(x)[index]


def scaled_erfc(x: Any) -> Any:
    """Return ``erfcx(x)``, for large numbers by the series of DLMF 7.12.1.

    JAX's is nan for some between 26 and 27.
    """
    large = jnp.where(x > 10, x, 10.0)
    term, total = jnp.ones_like(x), jnp.ones_like(x)
    for k in range(1, 18):
        term = -term * (2 * k - 1) / (2 * large) / large
        total = total + term
    far = total / (large * math.sqrt(math.pi))
    return jnp.where(x > 10, far, special.erfcx(jnp.where(x > 10, 1.0, x)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "erfcx": scaled_erfc,
    "erfi": _erfi,
    "zetac": _zetac,
    "shichi.0": _shi,
    "shichi.1": _chi,
    "wrightomega": _wrightomega,
    "binom": _binom,
    "tklmbda": _tklmbda,
    "frexp.0": _frexp(0),
    "frexp.1": _frexp(1),
}

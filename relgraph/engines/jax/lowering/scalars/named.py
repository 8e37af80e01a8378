"""Ufuncs of NumPy's and of ``scipy.special`` by their names.

Those that JAX has under the same name are looked up there; for others there are formulas in
functions that it has. What is left is computed on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special

from relgraph.engines.jax.lowering.scalars.cancellation import log1pmx
from relgraph.engines.jax.special.bessel import BESSEL
from relgraph.engines.jax.special.distributions import DISTRIBUTIONS
from relgraph.engines.jax.special.elliptic import ELLIPTIC
from relgraph.engines.jax.special.hypergeometric import HYPERGEOMETRIC
from relgraph.engines.jax.special.oscillations import OSCILLATIONS
from relgraph.engines.jax.special.polynomials import POLYNOMIALS
from relgraph.scalar.named.named_op import NamedOp

_DEGREE = math.pi / 180


def _rgamma(x: Any) -> Any:
    at_pole = (x <= 0) & (x == jnp.floor(x))
    return jnp.where(at_pole, 0.0, 1 / special.gamma(jnp.where(at_pole, 1.0, x)))


def _exprel(x: Any) -> Any:
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, jnp.expm1(x) / safe)


def _of_degrees(function: Callable[[Any], Any], quarter: float) -> Callable[[Any], Any]:
    """Return a trigonometric function of degrees; multiples of 90 are exact."""

    def of_degrees(x: Any) -> Any:
        turned = jnp.mod(x + quarter, 360.0)
        folded = jnp.where(turned > 180, turned - 360, turned)
        near = jnp.where(jnp.abs(folded) > 90, jnp.sign(folded) * 180 - folded, folded)
        return function(near * _DEGREE)

    return of_degrees


_SINDG = _of_degrees(jnp.sin, 0.0)
_COSDG = _of_degrees(jnp.sin, 90.0)


def _tandg(x: Any) -> Any:
    return _SINDG(x) / _COSDG(x)


def _cotdg(x: Any) -> Any:
    return _COSDG(x) / _SINDG(x)


def _inv_boxcox(y: Any, p: Any) -> Any:
    safe = jnp.where(p == 0, 1.0, p)
    return jnp.where(p == 0, jnp.exp(y), jnp.exp(jnp.log1p(p * y) / safe))


def _inv_boxcox1p(y: Any, p: Any) -> Any:
    safe = jnp.where(p == 0, 1.0, p)
    return jnp.where(p == 0, jnp.expm1(y), jnp.expm1(jnp.log1p(p * y) / safe))


def _huber(d: Any, r: Any) -> Any:
    size = jnp.abs(r)
    found = jnp.where(size <= d, r * r / 2, d * (size - d / 2))
    return jnp.where(d < 0, jnp.inf, found)


def _pseudo_huber(d: Any, r: Any) -> Any:
    ratio = r / jnp.where(d == 0, 1.0, d)
    square = ratio * ratio
    found = d * d * square / (jnp.sqrt(1 + square) + 1)
    return jnp.where(d < 0, jnp.inf, jnp.where((d == 0) | (r == 0), 0.0, found))


def _powm1(x: Any, p: Any) -> Any:
    positive = x > 0
    safe = jnp.where(positive, x, 1.0)
    return jnp.where(positive, jnp.expm1(p * jnp.log(safe)), jnp.power(x, p) - 1)


def _kl_div(x: Any, y: Any) -> Any:
    """``x * log(x / y) - x + y``, exact where both are near."""
    relative = (y - x) / jnp.where(x == 0, 1.0, x)
    inside = (x > 0) & (y > 0)
    at_zero = jnp.where((x == 0) & (y >= 0), y, jnp.inf)
    found = jnp.where(inside, -x * log1pmx(jnp.where(inside, relative, 0.0)), at_zero)
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), jnp.nan, found)


def _ellipk(m: Any) -> Any:
    return _agm_integrals(m)[0]


def _ellipe(m: Any) -> Any:
    return _agm_integrals(m)[1]


def _agm_integrals(m: Any, steps: int = 9) -> tuple[Any, Any]:
    """Return the complete elliptic integrals by the arithmetic-geometric mean (DLMF 19.8)."""
    a, b = jnp.ones_like(m), jnp.sqrt(1 - m)
    total, weight = m / 2, 0.5
    for _ in range(steps):
        a, b, c = (a + b) / 2, jnp.sqrt(a * b), (a - b) / 2
        weight = 2 * weight
        total = total + weight * c * c
    first = math.pi / (2 * a)
    first = jnp.where(m == 1, jnp.inf, jnp.where(m > 1, jnp.nan, first))
    second = jnp.where(m == 1, 1.0, jnp.where(m > 1, jnp.nan, first * (1 - total)))
    return first, second


FORMULAS: dict[str, Callable[..., Any]] = {
    "rgamma": _rgamma,
    "erfcinv": lambda x: -special.ndtri(x / 2) / math.sqrt(2),
    "log_expit": lambda x: -jnp.logaddexp(0.0, -x),
    "exp10": lambda x: jnp.power(10.0, x),
    "exprel": _exprel,
    "sindg": _SINDG,
    "cosdg": _COSDG,
    "tandg": _tandg,
    "cotdg": _cotdg,
    "ellipk": _ellipk,
    "ellipe": _ellipe,
    "betaincc": lambda a, b, x: special.betainc(b, a, 1 - x),
    "powm1": _powm1,
    "kl_div": _kl_div,
    "huber": _huber,
    "pseudo_huber": _pseudo_huber,
    "inv_boxcox": _inv_boxcox,
    "inv_boxcox1p": _inv_boxcox1p,
    "radian": lambda d, m, s: (d + m / 60 + s / 3600) * _DEGREE,
    "fdtr": lambda n, m, x: special.betainc(n / 2, m / 2, n * x / (n * x + m)),
    "fdtrc": lambda n, m, x: special.betainc(m / 2, n / 2, m / (n * x + m)),
    "chdtr": lambda v, x: special.gammainc(v / 2, x / 2),
    "chdtrc": lambda v, x: special.gammaincc(v / 2, x / 2),
    "gdtr": lambda a, b, x: special.gammainc(b, a * x),
    "gdtrc": lambda a, b, x: special.gammaincc(b, a * x),
    "pdtr": lambda k, m: special.gammaincc(jnp.floor(k) + 1, m),
    "pdtrc": lambda k, m: special.gammainc(jnp.floor(k) + 1, m),
}

# What JAX has by the same name, and computes as closely.
_SPECIAL = (
    "gamma loggamma gammasgn dawsn ndtr log_ndtr ndtri logit entr exp1 expi i0 i1 i0e i1e "
    "spence betaln beta poch zeta xlogy xlog1py rel_entr expn gammainc gammaincc betainc boxcox "
    "boxcox1p owens_t"
)
_NUMPY = (
    "fmax fmin fmod fabs copysign heaviside nextafter spacing signbit ldexp logaddexp2 float_power "
    "sinc gcd lcm left_shift right_shift bitwise_count"
)

_PARTS: dict[str, Callable[..., Any]] = {
    "sici.0": lambda x: special.sici(x)[0],
    "sici.1": lambda x: special.sici(x)[1],
    "fresnel.0": lambda x: special.fresnel(x)[0],
    "fresnel.1": lambda x: special.fresnel(x)[1],
}

_BY_HOME: dict[str, dict[str, Callable[..., Any]]] = {
    "numpy": {name: getattr(jnp, name) for name in _NUMPY.split()},
    "scipy.special": {
        **{name: getattr(special, name) for name in _SPECIAL.split()},
        **FORMULAS,
        **_PARTS,
        **BESSEL,
        **DISTRIBUTIONS,
        **ELLIPTIC,
        **HYPERGEOMETRIC,
        **OSCILLATIONS,
        **POLYNOMIALS,
    },
}


def named_function(op: NamedOp) -> Callable[..., Any] | None:
    """Return what computes an op with JAX, for real numbers; None if nothing does."""
    return _BY_HOME[op.home].get(op.name)

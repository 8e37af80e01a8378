"""Elementwise functions, where JAX's own are missing or mean something else than NumPy's.

First arithmetic: integers divided by zero, floor division and remainders, powers, extremes,
rounding. Ops with an `array_formula` are computed by that.

Last ufuncs of NumPy's and of ``scipy.special`` by their names. Those that JAX has under the same
name, and computes as closely, are looked up there; for some there are short formulas in functions
that it has. All others are computed by SciPy on the host, and some that JAX has too: its `beta`,
`betaln` and `poch` lose up to eight digits, the loops of its `exp1`, `expi`, `expn`, `hyp1f1` and
`hyp2f1` do not end, or end too early, at some values in some versions, and its `owens_t` is nan at
(0, inf).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from relgraph.scalar.named import NamedOp


def int_div(x: Any, y: Any) -> Any:
    """Floor division; of integers by zero it is 0."""
    if x.dtype.kind in "biu":
        return jnp.where(y == 0, 0, jnp.floor_divide(x, jnp.where(y == 0, 1, y)))
    return jnp.where(y == 0, x / y, _divmod(x, y)[1])


def mod(x: Any, y: Any) -> Any:
    """The remainder of `int_div`, of the sign of `y`; of integers by zero it is 0."""
    if x.dtype.kind in "biu":
        return jnp.where(y == 0, 0, jnp.remainder(x, jnp.where(y == 0, 1, y)))
    return _divmod(x, y)[0]


def _divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the remainder and the floor of the quotient of floats, as C's `fmod` gives them."""
    rest = lax.rem(*jnp.broadcast_arrays(x, y))
    turns = (rest != 0) & ((y < 0) != (rest < 0))
    quotient = jnp.where(turns, (x - rest) / y - 1, (x - rest) / y)
    floor = jnp.floor(quotient)
    nearest = jnp.where(quotient - floor > 0.5, floor + 1, floor)
    whole = jnp.where(quotient == 0, jnp.copysign(jnp.zeros_like(quotient), x / y), nearest)
    rest = jnp.where(turns, rest + y, rest)
    return jnp.where(rest == 0, jnp.copysign(jnp.zeros_like(rest), y), rest), whole


def multiply(x: Any, y: Any) -> Any:
    """Multiply; signed integers by their bits.

    XLA takes a product of equal integers for none that is negative, which it is where it wraps
    around: their absolute values and comparisons with zero would be wrong.
    """
    if x.dtype.kind != "i":
        return jnp.multiply(x, y)
    unsigned = np.dtype(f"u{x.dtype}")
    bits = [lax.bitcast_convert_type(jnp.asarray(v), unsigned) for v in (x, y)]
    return lax.bitcast_convert_type(jnp.multiply(*bits), x.dtype)


def square(x: Any) -> Any:
    return multiply(x, x) if x.dtype.kind == "i" else jnp.square(x)


def power(x: Any, y: Any) -> Any:
    """A power; of floats to 0.5 it is the root."""
    if x.dtype.kind in "biu":
        return _whole_power(x, y)
    exponent = y.flat[0] if isinstance(y, np.ndarray) and y.size == 1 else None
    if x.dtype.kind == "f" and exponent is not None:
        known = _KNOWN_POWERS.get(float(exponent))
        if known is not None:
            return jnp.broadcast_to(known(x), jnp.broadcast_shapes(x.shape, y.shape))
        return jnp.power(x, y)
    found = jnp.power(x, y)
    if x.dtype.kind == "f" and x.dtype != np.float16:
        return jnp.where(y == 0.5, jnp.sqrt(x), found)
    return jnp.where(y == 0, jnp.ones_like(found), found) if x.dtype.kind == "c" else found


def _whole_power(x: Any, y: Any) -> Any:
    """A power of integers, which wraps around; JAX's own takes six binary digits of the exponent.

    Raises
    ------
    ValueError
        As NumPy does, if an exponent is negative and known.
    """
    if isinstance(y, np.ndarray) and np.any(y < 0):
        raise ValueError("Integers to negative integer powers are not allowed.")

    def body(state: Any) -> Any:
        found, base, left = state
        multiplied = jnp.where(left % 2 == 1, multiply(found, base), found)
        return multiplied, multiply(base, base), left // 2

    base, left = jnp.broadcast_arrays(x, y)
    first = (jnp.ones_like(base), base, jnp.maximum(left, 0))
    found, _, _ = lax.while_loop(lambda state: jnp.any(state[2] > 0), body, first)
    return found


_KNOWN_POWERS: dict[float, Callable[[Any], Any]] = {
    1.0: lambda x: x,
    2.0: jnp.square,
    0.5: jnp.sqrt,
    -1.0: lambda x: 1 / x,
}


def reciprocal(x: Any) -> Any:
    """One divided by a number; of integers but 1 and -1 it is 0."""
    if x.dtype.kind in "biu":
        one_or_none = jnp.where((x == 1) | (x + 1 == 0), x, jnp.zeros_like(x))
        # what NumPy makes of the infinite quotient
        of_zero = jnp.iinfo(x.dtype).min if x.dtype.itemsize >= 4 else 0
        return jnp.where(x == 0, of_zero, one_or_none).astype(x.dtype)
    return 1 / x


def sign(x: Any) -> Any:
    if x.dtype.kind != "c":
        return jnp.where(x == 0, jnp.zeros_like(x), jnp.sign(x))
    size = jnp.abs(x)
    return jnp.where(size == 0, jnp.zeros_like(x), x / jnp.where(size == 0, 1, size))


def rounding(function: Any) -> Any:
    """Return a function to whole numbers that leaves integers as they are."""

    def rounded(x: Any) -> Any:
        if x.dtype.kind == "c":
            return lax.complex(function(x.real), function(x.imag))
        return x if x.dtype.kind in "biu" else function(x)

    return rounded


def comparison(function: Any) -> Any:
    """Return a comparison that is right for signed integers beside unsigned ones too."""

    def compared(x: Any, y: Any) -> Any:
        if {x.dtype.name, y.dtype.name} != {"int64", "uint64"}:
            return function(x, y)
        wide = function(x.astype("uint64"), y.astype("uint64"))
        if x.dtype == np.int64:
            return jnp.where(x < 0, function(-1, 0), wide)
        return jnp.where(y < 0, function(0, -1), wide)

    return compared


def clip(x: Any, low: Any, high: Any) -> Any:
    """The number within bounds; a zero at a zero bound stays what it is."""
    found = lax.min(lax.max(x, low), high)
    return jnp.where(found == x, x, found) if x.dtype.kind == "f" else found


def gammaln(x: Any) -> Any:
    return jnp.where(x == -jnp.inf, -jnp.inf, special.gammaln(x))


def digamma(x: Any) -> Any:
    return jnp.where(x == 0, jnp.copysign(jnp.inf, -x), special.digamma(x))


def zeta(s: Any, q: Any) -> Any:
    at_pole = (q <= 0) & (q == jnp.floor(q))
    of_first = jnp.where(q < 1, jnp.inf, jnp.where(q == 1, 1.0, jnp.nan))
    found = jnp.where(s == jnp.inf, of_first, special.zeta(s, q))
    found = jnp.where((q == jnp.inf) & (s > 1), 0.0, found)
    return jnp.where(at_pole, jnp.where(s < 1, jnp.nan, jnp.inf), found)


def polygamma(n: Any, x: Any) -> Any:
    order = n + 1
    derivative = jnp.power(-1.0, order) * special.gamma(order) * zeta(order, x)
    return jnp.where(n == 0, digamma(x), derivative)


Function = Callable[..., Any]

_LARGE = 1e7
"""From this parameter on JAX adds up too many terms of the incomplete gamma functions."""


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


def _huber(d: Any, r: Any) -> Any:
    size = jnp.abs(r)
    found = jnp.where(size <= d, r * r / 2, d * (size - d / 2))
    return jnp.where(d < 0, jnp.inf, found)


def _pseudo_huber(d: Any, r: Any) -> Any:
    ratio = r / jnp.where(d == 0, 1.0, d)
    found = d * d * jnp.expm1(jnp.log1p(ratio * ratio) / 2)
    return jnp.where(d < 0, jnp.inf, jnp.where((d == 0) | (r == 0), 0.0, found))


FORMULAS: dict[str, Function] = {
    "erfcinv": lambda x: -special.ndtri(x / 2) / math.sqrt(2),
    "log_ndtr": partial(special.log_ndtr, series_order=10),
    "log_expit": lambda x: -jnp.logaddexp(0.0, -x),
    # that of newer versions is 0 at infinities
    "sinc": lambda x: jnp.where(jnp.isinf(x), jnp.nan, jnp.sinc(x)),
    "gammainc": _gammainc,
    "gammaincc": _gammaincc,
    "zeta": zeta,
    "xlogy": partial(_nan_kept, special.xlogy),
    "xlog1py": partial(_nan_kept, special.xlog1py),
    "huber": _huber,
    "pseudo_huber": _pseudo_huber,
    "chdtr": lambda v, x: _gammainc(v / 2, x / 2),
    "chdtrc": lambda v, x: _gammaincc(v / 2, x / 2),
    "gdtr": lambda a, b, x: _gammainc(b, jnp.where(x < 0, jnp.nan, a * x)),
    "gdtrc": lambda a, b, x: _gammaincc(b, jnp.where(x < 0, jnp.nan, a * x)),
    # JAX's own derivatives are wrong at 0 and at 1
    "i0": special.i0,
    "spence": special.spence,
    # JAX has no derivatives of these: of `betainc` none by its shapes
    "betainc": special.betainc,
    "nextafter": jnp.nextafter,
    # of a negative zero it is positive
    "spacing": lambda x: jnp.spacing(jnp.where(x == 0, 0.0, x)),
}
"""Functions of real numbers by name; JAX differentiates them by the derivatives of their ops."""

_OF_SPECIAL = (
    "gamma gammasgn erfcx dawsn ndtr ndtri logit entr i1 i0e i1e sici fresnel boxcox boxcox1p"
)
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

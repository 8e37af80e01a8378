"""What NumPy's functions of numbers mean where JAX's are others: integers divided by zero, floor
division and remainders, powers, extremes, rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


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


def maximum(x: Any, y: Any) -> Any:
    return jnp.where(_before(y, x) | jnp.isnan(x), x, y) if x.dtype.kind == "c" else lax.max(x, y)


def minimum(x: Any, y: Any) -> Any:
    return jnp.where(_before(x, y) | jnp.isnan(x), x, y) if x.dtype.kind == "c" else lax.min(x, y)


def _before(x: Any, y: Any) -> Any:
    """Return whether complex numbers come before others: by real parts, then by imaginary ones."""
    return (x.real < y.real) | ((x.real == y.real) & (x.imag < y.imag))


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


def angle(x: Any) -> Any:
    return jnp.arctan2(jnp.imag(x), jnp.real(x))


def length(*inputs: Any) -> Any:
    is_nan = reduce(jnp.logical_or, map(jnp.isnan, inputs))
    return jnp.where(is_nan, jnp.nan, jnp.abs(reduce(jnp.hypot, inputs)))


def clip(x: Any, low: Any, high: Any) -> Any:
    """The number within bounds; a zero at a zero bound stays what it is."""
    found = minimum(maximum(x, low), high)
    return jnp.where(found == x, x, found) if x.dtype.kind == "f" else found

"""What floats lose, computed exactly: errors of sums and products, and products rounded once.

Dekker, A floating-point technique for extending the available precision (1971); Knuth, The Art of
Computer Programming 2, 4.2.2 (the error of a sum); Boldo and Melquiond, Emulation of FMA and
correctly rounded sums: proved algorithms using rounding to odd (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.notation import Pieces, separated
from relgraph.scalar.op import ScalarOp

Array = Any

_SPLITTER = 2.0**27 + 1
_FAR = 115
"""Binary digits by which numbers of float64 are apart whose sum is the larger one, rounded."""


def _sum_and_error(x: Array, y: Array) -> tuple[Array, Array]:
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _halves(x: Array) -> tuple[Array, Array]:
    scaled = _SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high


def _product_and_error(x: Array, y: Array) -> tuple[Array, Array]:
    """Return a product of numbers near 1 and its error."""
    product = x * y
    (a, b), (c, d) = _halves(x), _halves(y)
    return product, b * d - (((product - a * c) - b * c) - a * d)


def _to_odd(high: Array, low: Array) -> Array:
    """Return a sum, of numbers that don't overlap, rounded to an odd last digit if inexact."""
    odd = high.view(np.int64) & 1
    inexact = (low != 0) & (odd == 0)
    toward = np.where(low > 0, np.inf, -np.inf)
    return np.where(inexact, np.nextafter(high, toward), high)


def _fused(x: Array, y: Array, z: Array) -> Array:
    (a, i), (b, j), (c, k) = np.frexp(x), np.frexp(y), np.frexp(z)
    shift = i + j
    apart = np.where(z == 0, 0, k - shift)
    near = np.ldexp(c, np.clip(apart, -2 * _FAR, _FAR))
    high, low = _product_and_error(a, b)
    inner, tail = _sum_and_error(near, low)
    outer, rest = _sum_and_error(high, inner)
    found = np.ldexp(outer + _to_odd(*_sum_and_error(tail, rest)), shift)
    found = np.where(apart >= _FAR, z, found)
    plain = x * y + z
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & (x != 0) & (y != 0)
    return np.where(finite, found, plain)


class _Exact(ScalarOp):
    """The base class: real, and nothing of the kind of other dtypes than floats."""

    holomorphic = False

    def of_doubles(self, dtype: Any, *values: Array) -> Array:
        """Return the result for arrays of float64 of one shape, of values of a dtype."""
        raise NotImplementedError

    def ufunc(self, *values: Any) -> Any:
        dtype = np.result_type(*values)
        if dtype.kind != "f":
            dtype = np.dtype(np.float64)
        arrays = np.broadcast_arrays(*[np.asarray(v, np.float64) for v in values])
        with np.errstate(all="ignore"):
            found = self.of_doubles(dtype, *[np.atleast_1d(a) for a in arrays])
        return found.reshape(arrays[0].shape).astype(dtype)

    def _resolve_dtype(self, *dtypes: str) -> str:
        found = np.result_type(*dtypes)
        if found.kind not in "fiub":
            raise TypeError
        return found.name if found.kind == "f" else "float64"


class Fma(_Exact):
    """``x * y + z``, rounded once."""

    cost = 50.0
    nin = 3

    def formula(self, of: Any, x: Any, y: Any, z: Any) -> Any:
        return x * y + z

    def of_doubles(self, dtype: Any, *values: Array) -> Array:
        if dtype == np.float64:
            return _fused(*values)
        x, y, z = values
        total, error = _sum_and_error(x * y, z)
        # odd, it is rounded again to a shorter format as if for the first time
        return np.where(np.isfinite(total), _to_odd(total, error), total)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, y, _ = inputs
        return [g * y, g * x, g]


class _Error(_Exact):
    """Base class of what operations lose to rounding: of real numbers nothing."""

    cost = 12.0
    nin = 2
    commutative = True

    def formula(self, of: Any, x: Any, y: Any) -> Any:
        return 0 * x * y

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [0 * g, 0 * g]


class MulError(_Error):
    """What ``x * y`` loses to rounding: the true product less the float; 0 where that is none."""

    def of_doubles(self, dtype: Any, *values: Array) -> Array:
        if dtype != np.float64:
            product = values[0] * values[1]
            found = product - product.astype(dtype)
            return np.where(np.isfinite(found), found, 0.0)
        (a, i), (b, j) = (np.frexp(v) for v in values)
        _, low = _product_and_error(a, b)
        found = np.ldexp(low, i + j)
        return np.where(np.isfinite(found) & np.isfinite(values[0] * values[1]), found, 0.0)


class AddError(_Error):
    """What ``x + y`` loses to rounding: the true sum less the float; zero where that is none."""

    def of_doubles(self, dtype: Any, *values: Array) -> Array:
        total, error = _sum_and_error(*[v.astype(dtype) for v in values])
        return np.where(np.isfinite(total) & np.isfinite(error), error, 0.0)


class ScaledProduct(_Exact):
    """A product of some numbers, divided by others, without over- or underflow on the way.

    Exponents are taken apart, added, and put on the product of the fractions.

    Parameters
    ----------
    above
        How many operands are factors; they come first.
    below
        How many are divisors.
    """

    __props__ = ("above", "below")

    def __init__(self, above: int, below: int) -> None:
        self.above, self.below = above, below
        self.nin = above + below

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"scaled_product{{{self.above},{self.below}}}"

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        above, below = arguments[: self.above], arguments[self.above :]
        factors, divisors = separated(above, ", "), separated(below, ", ")
        return Pieces(("scaled_product([", *factors, "], [", *divisors, "])"))

    def formula(self, of: Any, *xs: Any) -> Any:
        factors, divisors = of.mul(1, *xs[: self.above]), of.mul(1, *xs[self.above :])
        return of.true_div(factors, divisors)

    def of_doubles(self, dtype: Any, *values: Array) -> Array:
        fraction, exponent = np.ones_like(values[0]), 0
        for k, v in enumerate(values):
            part, place = np.frexp(v)
            if k < self.above:
                fraction, exponent = fraction * part, exponent + place
            else:
                fraction, exponent = fraction / part, exponent - place
        return np.ldexp(fraction, exponent)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        found = [g * output / x for x in inputs[: self.above]]
        return found + [-(g * output / x) for x in inputs[self.above :]]


fma = Fma()
mul_error = MulError()
add_error = AddError()

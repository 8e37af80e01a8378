"""Functions that are exact where the formula that defines them cancels, and roots without overflow.

Near zero each is its Taylor series; elsewhere it is the formula. Hamming, Numerical Methods for
Scientists and Engineers (1986), ch. 3; Higham, Accuracy and Stability of Numerical Algorithms
(2002), ch. 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.scalar.op import EVERYWHERE, INF, Facts, FloatOp, ScalarOp, ops_of, where_not
from relgraph.scalar.special import sin, tan

Array = Any

LOG1PMX = tuple(1 / (2 * k + 3) for k in range(17))
X_LESS_SIN = tuple((-1) ** k / math.factorial(2 * k + 3) for k in range(13))
SIN_LESS_XCOS = tuple((-1) ** k * (2 * k + 2) / math.factorial(2 * k + 3) for k in range(10))
# So many elements of some arrays of doubles fit in a core's second cache.
_BLOCK = 8192


def _polynomial(coefficients: Sequence[float], y: Array) -> Array:
    """Return the value of a polynomial at `y`, the coefficient of ``y ** 0`` first."""
    total: Any = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * y + c
    return total


def _float(x: Any) -> Any:
    """Return the dtype that NumPy's functions of `x` have."""
    dtype = np.asarray(x).dtype
    return dtype if dtype.kind in "fc" else np.sin.resolve_dtypes((dtype, None))[1]


class _ArrayOp(FloatOp):
    """A function of one number that is computed by its `array_formula`."""

    def ufunc(self, x: Any) -> Array:
        # NumPy multiplies complex numbers by themselves otherwise than in arrays
        found = np.asarray(x, _float(x))
        assert self.array_formula is not None
        return self.array_formula(np, np.atleast_1d(found)).reshape(found.shape)


class Hypot(ScalarOp):
    """``sqrt(x**2 + y**2)``, without overflow."""

    cost = 8.0
    ufunc: Any = np.hypot
    holomorphic = False
    commutative = True

    def formula(self, of: Any, *xs: Any) -> Any:
        return of.sqrt(of.add(*[x * x for x in xs]))

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        # at the origin the slope has no direction: it is taken to be zero
        length = output._ops.switch(output._ops.eq(output, 0), 1, output)
        return [g * (x / length) for x in inputs]


class Length(Hypot):
    """The root of a sum of squares, without overflow; nan if one of them is nan, even beside an
    infinity, of which `hypot` makes an infinity."""

    cost = 20.0
    nin = -1

    @staticmethod
    def ufunc(*inputs: Any) -> Any:
        return _in_blocks(_root_of_squares, *_of_one_dtype(*inputs))

    def array_formula(self, xp: Any, *xs: Array) -> Array:
        found, is_nan = xs[0], xp.isnan(xs[0])
        for x in xs[1:]:
            found, is_nan = xp.hypot(found, x), is_nan | xp.isnan(x)
        return xp.where(is_nan, math.nan, xp.abs(found))


def _of_one_dtype(*inputs: Any) -> list[Array]:
    """Return arrays in the dtype of floats that a function of all has."""
    arrays = [np.asarray(x) for x in inputs]
    first = arrays[0].dtype
    if first.kind == "f" and all(x.dtype == first for x in arrays):
        return arrays
    common = np.result_type(*[x.dtype for x in arrays])
    dtype = np.hypot.resolve_dtypes((common, common, None))[-1]
    return [x.astype(dtype, copy=False) for x in arrays]


def _in_blocks(function: Callable[..., Array], *arrays: Array) -> Array:
    """Return a function of arrays of one dtype, computed part by part where they are large: what it
    makes on the way stays in the cache then."""
    if max([x.size for x in arrays]) <= _BLOCK:
        return function(*arrays)
    flags: Any = [*[["readonly"]] * len(arrays), ["writeonly", "allocate"]]
    parts = np.nditer(
        (*arrays, None),
        ["external_loop", "buffered", "zerosize_ok"],
        flags,
        buffersize=_BLOCK,
    )
    with parts:
        whole = parts.operands[-1]
        for *read, out in parts:
            out[...] = function(*read)
    return whole


# Between these no digit of a sum of squares is lost to the ends of the range, by the dtype's size.
_USUAL = {2: (1e-2, 1e4), 4: (1e-30, 1e37), 8: (1e-290, 1e307), 16: (1e-290, 1e307)}


def _root_of_squares(*arrays: Array) -> Array:
    """Return what `Length` is: by `numpy.hypot`, one number after another, where it has to be."""
    square = arrays[0] * arrays[0]
    for x in arrays[1:]:
        square = square + x * x
    least, most = _USUAL[square.dtype.itemsize]
    found = np.sqrt(square)
    whole = square.size > 0 and np.minimum.reduce(square, None) > least
    if whole and np.maximum.reduce(square, None) < most:
        return found
    unusual = ~((square > least) & (square < most))
    found = np.asarray(found)
    left = [x[unusual] for x in np.broadcast_arrays(*arrays)]
    is_nan = np.isnan(left).any(axis=0)
    found[unusual] = np.where(is_nan, np.nan, reduce(np.hypot, left, found.dtype.type(0)))
    return found


class SqrLessSqr(ScalarOp):
    """``x**2 - y**2``, exact where that is small beside the squares.

    Numbers within a factor of 2 have an exact difference (Sterbenz), and squares of others do not
    cancel: ``(x - y) * (x + y)`` of them loses the last digit where `y` does not count.
    """

    nin = 2
    holomorphic = False

    def ufunc(self, x: Any, y: Any) -> Any:
        return _in_blocks(partial(self.array_formula, np), *_of_one_dtype(x, y))

    def array_formula(self, xp: Any, x: Array, y: Array) -> Array:
        square, other = x * x, y * y
        difference = square - other
        # of others within a factor of 2
        apart = xp.abs(difference) >= 0.6 * (square + other)
        found = where_not(xp, apart, difference, lambda: (x - y) * (x + y))
        return where_not(
            xp, xp.isfinite(found), found, lambda: 4 * ((x / 2 - y / 2) * (x / 2 + y / 2))
        )

    def formula(self, of: Any, x: Any, y: Any) -> Any:
        return (x - y) * (x + y)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, y = inputs
        return [2 * (g * x), -2 * (g * y)]


class Cbrt(FloatOp):
    """The real cube root, of negative numbers too."""

    facts = Facts(odd=True, increasing=EVERYWHERE, zeros=(0,))
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (3 * out * out)


class Cosm1(_ArrayOp):
    """``cos(x) - 1``, exact wherever that is small."""

    facts = Facts(even=True, periodic=True, range=(-2, 0))

    def array_formula(self, xp: Any, x: Array) -> Array:
        half = xp.sin(x * 0.5)
        return -2 * half * half

    def formula(self, of: Any, x: Any) -> Any:
        return -2 * of.sqr(of.sin(x / 2))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * sin(x))


class Log1pmx(_ArrayOp):
    """``log(1 + x) - x``, exact near 0.

    With ``r = x / (2 + x)``, ``log(1 + x)`` is ``2 * arctanh(r)``.
    """

    facts = Facts(decreasing=(0, INF), domain=(-1, INF), range=(-INF, 0), zeros=(0,))

    def array_formula(self, xp: Any, x: Array) -> Array:
        near = xp.abs(x) < 0.5
        small = xp.where(near, x, 0)
        r = small / (2 + small)
        y = r * r
        series = r * (2 * y * _polynomial(LOG1PMX, y) - small)
        return xp.where(near, series, xp.log1p(x) - x)

    def formula(self, of: Any, x: Any) -> Any:
        return of.log1p(x) - x

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * (x / (1 + x)))


class Log1pSqr(_ArrayOp):
    """``log(1 + x**2)``, without the overflow of the square."""

    facts = Facts(even=True, increasing=(0, INF), range=(0, INF), zeros=(0,))

    def array_formula(self, xp: Any, x: Array) -> Array:
        square = x * x
        near, found = xp.isfinite(square), xp.log1p(square)
        return where_not(xp, near, found, lambda: 2 * xp.log(xp.abs(x)))

    def formula(self, of: Any, x: Any) -> Any:
        return of.log1p(x * x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # it is the same at the reciprocal; the square of what is small does not overflow
        near = x._ops.abs(x) < 1
        small = x._ops.switch(near, x, 1 / x._ops.switch(near, 1, x))
        return g * (2 * small / (1 + x._ops.sqr(small)))


class Hypot1m1(_ArrayOp):
    """``sqrt(1 + x**2) - 1``, exact near 0, and without the overflow of the square."""

    facts = Facts(even=True, increasing=(0, INF), range=(0, INF), zeros=(0,))
    holomorphic = False

    def array_formula(self, xp: Any, x: Array) -> Array:
        near = xp.abs(x) < 1
        small = xp.where(near, x, 0)
        square = small * small
        found = square / (xp.sqrt(1 + square) + 1)
        return where_not(xp, near, found, lambda: xp.hypot(1.0, x) - 1)

    def formula(self, of: Any, x: Any) -> Any:
        return x * x / (of.sqrt(1 + x * x) + 1)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (x / hypot(1, x))


class XLessSin(_ArrayOp):
    """``x - sin(x)``, exact near 0."""

    # it rises everywhere, but nan - inf is what floats have at the ends
    facts = Facts(odd=True, zeros=(0,))

    def array_formula(self, xp: Any, x: Array) -> Array:
        near = xp.abs(x) < 2
        small = xp.where(near, x, 0)
        y = small * small
        return xp.where(near, small * y * _polynomial(X_LESS_SIN, y), x - xp.sin(x))

    def formula(self, of: Any, x: Any) -> Any:
        return x - of.sin(x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * cosm1(x))


class TanLessX(_ArrayOp):
    """``tan(x) - x``, exact near 0."""

    facts = Facts(odd=True)

    def array_formula(self, xp: Any, x: Array) -> Array:
        near = xp.abs(x) < 1
        small = xp.where(near, x, 0)
        y = small * small
        series = small * y * _polynomial(SIN_LESS_XCOS, y) / xp.cos(small)
        return xp.where(near, series, xp.tan(x) - x)

    def formula(self, of: Any, x: Any) -> Any:
        return of.tan(x) - x

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        slope = tan(x)
        return g * slope * slope


hypot = Hypot()
length = Length()
sqr_less_sqr = SqrLessSqr()
cbrt = Cbrt()
cosm1 = Cosm1()
log1pmx = Log1pmx()
log1p_sqr = Log1pSqr()
hypot1m1 = Hypot1m1()
x_less_sin = XLessSin()
tan_less_x = TanLessX()

if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = ops_of(globals())

"""True values and slopes: forward differentiation over mpmath, by arrays of dual numbers.

A formula is a function of a library and a point; here is a library for which it gives its value and
its slope to a thousand digits.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np

DIGITS = 1000


class Dual:
    """A number, and its slope by every element of the point."""

    __array_priority__ = 100

    def __init__(self, value: Any, slope: Any) -> None:
        self.value = value
        self.slope = slope

    def __add__(self, other: Any) -> Dual:
        other = dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Any) -> Dual:
        other = dual(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other: Any) -> Dual:
        other = dual(other)
        slope = (self.slope * other.value - self.value * other.slope) / other.value**2
        return Dual(self.value / other.value, slope)

    def __pow__(self, n: int) -> Dual:
        return Dual(self.value**n, n * self.value ** (n - 1) * self.slope)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Dual:
        return self + -dual(other)

    def __rsub__(self, other: Any) -> Dual:
        return dual(other) - self

    def __rtruediv__(self, other: Any) -> Dual:
        return dual(other) / self

    def __abs__(self) -> Dual:
        return -self if self.value < 0 else self

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > dual(other).value)

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= dual(other).value)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < dual(other).value)

    __radd__ = __add__
    __rmul__ = __mul__


def dual(number: Any) -> Dual:
    """Return a number as one that does not depend on the point."""
    return number if isinstance(number, Dual) else Dual(mpmath.mpf(float(number)), 0)


def _elementwise(f: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def one(x: Any) -> Any:
        if not isinstance(x, Dual):
            return float(f(mpmath.mpf(float(x))))
        return Dual(f(x.value), slope(x.value) * x.slope)

    return lambda x: np.frompyfunc(one, 1, 1)(x) if isinstance(x, np.ndarray) else one(x)


def _mean(x: Any, axis: Any = None) -> Any:
    return np.sum(x, axis=axis) * (mpmath.mpf(1) / (x.size if axis is None else x.shape[axis]))


exp = _elementwise(mpmath.exp, mpmath.exp)
log = _elementwise(mpmath.log, lambda v: 1 / v)


def _softmax(x: Any, axis: int = -1) -> Any:
    return exp(x) / np.sum(exp(x), axis=axis, keepdims=True)


library = SimpleNamespace(
    exp=exp,
    log=log,
    log1p=lambda x: log(1 + x),
    sqrt=_elementwise(mpmath.sqrt, lambda v: 1 / (2 * mpmath.sqrt(v))),
    tanh=_elementwise(mpmath.tanh, lambda v: mpmath.sech(v) ** 2),
    sinh=_elementwise(mpmath.sinh, mpmath.cosh),
    cosh=_elementwise(mpmath.cosh, mpmath.sinh),
    sigmoid=lambda x: 1 / (1 + exp(-x)),
    softplus=lambda x: log(1 + exp(x)),
    maximum=np.frompyfunc(lambda x, y: x if dual(x) >= y else dual(y), 2, 1),
    softmax=_softmax,
    abs=np.abs,
    sum=np.sum,
    max=np.max,
    dot=np.dot,
    mean=_mean,
)


def point(values: Any) -> Any:
    """Return an array of dual numbers, each its own variable."""
    values = np.asarray(values, dtype="float64")
    made = np.empty(values.shape, dtype=object)
    for k, place in enumerate(np.ndindex(values.shape)):
        slope = np.array([mpmath.mpf(0)] * values.size)
        slope[k] = mpmath.mpf(1)
        made[place] = Dual(mpmath.mpf(float(values[place])), slope)
    return made


def truth(formula: Callable[[Any, Any], Any], values: Any) -> tuple[Any, Any, Any]:
    """Return what a formula gives at a point, and the slope of the sum of it, as float64s.

    Returns
    -------
    value, slope
        Rounded once.
    condition
        How far the value moves at most when the point does, each element by a part of itself, as a
        multiple of that part.
    """
    with mpmath.workdps(DIGITS):
        x = point(values)
        found = np.asarray(formula(library, x), dtype=object)
        moves = [np.sum(abs(v.slope * [p.value for p in x.flat])) for v in found.flat]
        value = _floats([v.value for v in found.flat], found.shape)
        return value, _floats(np.sum(found).slope, x.shape), _floats(moves, found.shape)


def slope_condition(formula: Callable[[Any, Any], Any], values: Any) -> Any:
    """Return how far each slope moves with its own element, for a formula of each element alone."""
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -300
        moved = point(values)
        for p in moved.flat:
            p.value *= 1 + step
        change = (
            np.sum(formula(library, moved)).slope - np.sum(formula(library, point(values))).slope
        )
        return _floats(abs(change) / step, moved.shape)


def _floats(numbers: Any, shape: tuple[int, ...]) -> Any:
    return np.array([float(n) for n in numbers]).reshape(shape)

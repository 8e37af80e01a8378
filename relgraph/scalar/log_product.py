"""Logarithms of products, and of differences of them, that over- or underflow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.scalar.op import ScalarOp
from relgraph.scalar.special import logaddexp

Array = np.ndarray[Any, Any]


class LogProduct(ScalarOp):
    """``log_product(y, z, *xs)``: the logarithm of ``exp(y) * xs[0] * xs[1] * ... / z``.

    It is the logarithm of the quotient, as long as that and what comes before it are ordinary
    numbers; else it is the sum of the logarithms, and nan where that of a negative number is asked
    for.
    """

    name = "log_product"
    nin = -1
    holomorphic = False

    def check_count(self, count: int) -> None:
        if count < 2:
            raise TypeError(f"{self.name} takes at least 2 inputs, not {count}")

    def _resolve_dtype(self, *dtypes: str) -> str:
        found: str = logaddexp.output_dtype(*dtypes)
        return found

    @staticmethod
    def ufunc(*values: Any) -> Any:
        dtype = log_product.output_dtype(*[np.asarray(v).dtype.name for v in values])
        with np.errstate(all="ignore"):
            y, z, *xs = [np.asarray(v).astype(dtype) for v in values]
            product: Array = np.exp(y)
            ordinary: Any = True
            for x in xs:
                ordinary = ordinary & _is_normal(product)
                product = product * x
            ordinary = ordinary & _is_normal(product)
            quotient = product / z
            ordinary = ordinary & _is_normal(quotient)
            found = np.log(quotient)
            if np.all(ordinary):
                return found
            return np.where(ordinary, found, _sum_of_logarithms(y, z, xs))

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        _, z, *xs = inputs
        return [g, -(g / z), *[g / x for x in xs]]


def _is_normal(x: Array) -> Array:
    """Return where numbers have all digits of their dtype: neither over- nor underflown."""
    limits, size = np.finfo(x.dtype), np.abs(x)
    found: Array = (size >= limits.tiny) & (size <= limits.max)
    return found


def _sum_of_logarithms(y: Array, z: Array, xs: Sequence[Array]) -> Array:
    total, negative = y - np.log(np.abs(z)), np.signbit(z)
    for x in xs:
        total, negative = total + np.log(np.abs(x)), negative ^ np.signbit(x)
    # the logarithm of a zero is the same whatever its sign
    return np.where(negative & (total > -np.inf), total.dtype.type(np.nan), total)


class LogDeterminant(ScalarOp):
    """``log_determinant(x, y, z, w)``: the logarithm of ``x * y - z * w``.

    Where that is no ordinary number, the products are computed of fractions, and their exponents
    apart.
    """

    name = "log_determinant"
    nin = 4
    holomorphic = False

    def _resolve_dtype(self, *dtypes: str) -> str:
        found: str = logaddexp.output_dtype(*dtypes)
        return found

    @staticmethod
    def ufunc(*values: Any) -> Any:
        dtype = log_determinant.output_dtype(*[np.asarray(v).dtype.name for v in values])
        with np.errstate(all="ignore"):
            x, y, z, w = [np.asarray(v).astype(dtype) for v in values]
            difference = x * y - z * w
            found = np.log(difference)
            finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & np.isfinite(w)
            exact = _is_normal(difference) | ~finite
            if np.all(exact):
                return found
            return np.where(exact, found, _log_of_fractions(x, y, z, w))

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, y, z, w = inputs
        switch, lt, abs_ = output._ops.switch, output._ops.lt, output._ops.abs
        difference = x * y - z * w
        size = abs_(difference)
        ordinary = lt(size + 1 / size, math.inf)

        def share(a: Any, b: Any, c: Any, d: Any) -> Any:
            """Return ``b / (a * b - c * d)``."""
            return switch(ordinary, b / (a * b - c * d), 1 / (a - (c / b) * d))

        return [
            g * share(x, y, z, w),
            g * share(y, x, z, w),
            g * share(z, w, x, y),
            g * share(w, z, x, y),
        ]


def _log_of_fractions(x: Array, y: Array, z: Array, w: Array) -> Array:
    (a, of_a), (b, of_b), (c, of_c), (d, of_d) = map(np.frexp, (x, y, z, w))
    first, second = a * b, c * d
    least = np.iinfo(of_a.dtype).min // 4
    exponents = np.where(first == 0, least, of_a + of_b), np.where(second == 0, least, of_c + of_d)
    largest = np.maximum(*exponents)
    first, second = (
        np.ldexp(v, e - largest) for v, e in zip((first, second), exponents, strict=True)
    )
    found: Array = np.log(first - second) + (largest * np.log(2.0)).astype(x.dtype)
    return found


log_product = LogProduct()
log_determinant = LogDeterminant()

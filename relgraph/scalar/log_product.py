"""`LogProduct`, the logarithm of a product that over- or underflows."""

from __future__ import annotations

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


log_product = LogProduct()

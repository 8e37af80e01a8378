"""Arrays laid out in memory so that what is computed of them does not depend on where they lie.

The values of a graph are functions of values: a law may turn a copy into a view, or have the same
matrix written down by columns. But NumPy and the BLAS take other ways, which round otherwise, for
other layouts. So the ops whose results could differ lay out their inputs first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# Each element of the result is the correctly rounded one, or no rounding is involved at all.
_ROUNDED_CORRECTLY = frozenset(
    [
        *(np.add, np.subtract, np.multiply, np.true_divide, np.square, np.sqrt, np.reciprocal),
        *(np.negative, np.absolute, np.sign, np.maximum, np.minimum),
        *(np.floor, np.ceil, np.trunc, np.rint, np.isnan, np.isinf),
        *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert),
    ]
)


def in_order(x: Array) -> Array:
    """Return an array of numbers as NumPy lays it out by itself: the last axis without gaps.

    What sums over axes goes through the elements in the order of memory, and the BLAS has a way
    for each layout. Integers are exact in any order, and handed on.
    """
    return x if x.dtype.kind not in "fc" else laid_out(x)


def laid_out(x: Array) -> Array:
    """Return an array, of integers too, as `in_order` does: they may become floats as they lie."""
    return x if x.flags.c_contiguous else x.ravel().reshape(x.shape)


def forward(x: Any) -> Any:
    """Return an array whose axes all run forward in memory.

    On arrays that run backward or stand still NumPy's functions take loops of their own, which
    round otherwise.
    """
    if isinstance(x, np.ndarray) and min(x.strides, default=1) <= 0:
        return x.ravel().reshape(x.shape)
    return x


def _negative(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Return ``-x``, written to `out` if that is given.

    NumPy (2.4 at least) reads what it has overwritten if `out` is `x` and has gaps of 16 bytes, or
    of 64.
    """
    if out is None or out.flags.forc:
        return np.negative(x, out=out, **kwargs)
    out[...] = np.negative(x, **kwargs)
    return out


def steady(ufunc: Callable[..., Any], dtypes: Iterable[Any]) -> Callable[..., Any]:
    """Return a function of arrays as one whose result does not depend on their layout.

    Parameters
    ----------
    ufunc
        A ufunc, or a function of arrays that works element by element.
    dtypes
        Those of its inputs.
    """
    if ufunc in _ROUNDED_CORRECTLY and not any(np.dtype(dtype).kind == "c" for dtype in dtypes):
        return _negative if ufunc is np.negative else ufunc

    def compute(*inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        given = [forward(x) for x in inputs]
        if out is None:
            return ufunc(*given, **kwargs)
        if out.dtype.kind != "c":
            return ufunc(*given, out=out, **kwargs)
        # A product of complex numbers that is written over one of them is rounded otherwise.
        out[...] = ufunc(*given, **kwargs)
        return out

    return compute

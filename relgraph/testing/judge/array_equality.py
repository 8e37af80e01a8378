"""Which elements of two arrays are equal: their bits, or their nan and infinities."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def same_bits(a: Array, b: Array) -> Array:
    """Return where two arrays of one dtype and shape have the same bits; any nan equals any other.

    Returns
    -------
    equal
        A boolean array of the shape of both.
    """
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) & same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return np.asarray(equal | (np.isnan(a) & np.isnan(b)))


def same_nan_or_infinity(a: Array, b: Array) -> Array:
    """Return where two arrays of complex numbers have the same nan or the same infinity.

    NumPy's complex operations leave open what the finite part beside an infinite one is, and what
    the other part beside a nan is: these parts are not compared.

    Returns
    -------
    equal
        A boolean array; False where a number is finite.
    """
    infinite = np.isinf(a) & np.isinf(b)
    for x, y in ((a.real, b.real), (a.imag, b.imag)):
        infinite &= np.where(np.isinf(x), x, 0) == np.where(np.isinf(y), y, 0)
    return np.asarray((np.isnan(a) & np.isnan(b)) | infinite)

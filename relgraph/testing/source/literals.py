"""Numbers and arrays as Python source, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# An array of more elements than this that are all one number is written as that number.
_FULL = 8


def number_source(value: Any, dtype: str | None = None) -> str:
    """Return a number as source in which ``nan`` and ``inf`` are names.

    Parameters
    ----------
    value
        A Python or NumPy number, or an array of rank 0.
    """
    number = np.asarray(value).item() if dtype is None else np.asarray(value, dtype).item()
    if isinstance(number, complex):
        return f"complex({number.real!r}, {number.imag!r})"
    return repr(number)


def array_source(array: Any) -> str:
    """Return source for an array of the same dtype, shape, numbers and kind of layout.

    The strides have the same signs and zeros, and are contiguous in the same order or not at all;
    what may not be written to may not be written to again only where a stride is 0.
    """
    array = np.asarray(array)
    if array.ndim == 0 or 0 in array.shape or array.flags.c_contiguous:
        return _literal(array)
    fixed = [axis for axis, s in enumerate(array.strides) if s == 0 and array.shape[axis] > 1]
    if fixed:
        index = tuple(slice(0, 1) if i in fixed else slice(None) for i in range(array.ndim))
        return f"np.broadcast_to({array_source(array[index])}, {array.shape})"
    backward = [s < 0 for s in array.strides]
    if any(backward):
        index = tuple(slice(None, None, -1) if b else slice(None) for b in backward)
        text = ", ".join("::-1" if b else ":" for b in backward)
        return f"{array_source(array[index])}[{text}]"
    if array.flags.f_contiguous:
        return f"np.asfortranarray({_literal(array)})"
    wide = np.zeros([2 * n for n in array.shape], array.dtype)
    every = (slice(None, None, 2),) * array.ndim
    wide[every] = array
    return f"{_literal(wide)}[{', '.join(['::2'] * array.ndim)}]"


def _literal(array: Array) -> str:
    dtype = array.dtype.name
    if 0 in array.shape:
        return f"np.zeros({array.shape}, {dtype!r})"
    first = array.ravel()[:1]
    if array.size > _FULL and array.tobytes() == np.full(array.shape, first[0]).tobytes():
        return f"np.full({array.shape}, {_nested(first.item(), dtype)}, {dtype!r})"
    return f"np.array({_nested(array.tolist(), dtype)}, {dtype!r})"


def _nested(value: Any, dtype: str) -> str:
    # As deep as the rank of an array.
    if isinstance(value, list):
        return f"[{', '.join(_nested(v, dtype) for v in value)}]"
    return number_source(value)

"""Python source for numbers and arrays, which keeps every bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.tensor.random.type import is_generator

Array = np.ndarray[Any, Any]

# An array of more elements that are all the same number is written as ``np.full``.
_MAX_SPELLED_OUT = 8


def number_source(value: Any, dtype: str | None = None) -> str:
    """Return source for a number, in which ``nan`` and ``inf`` are names.

    Parameters
    ----------
    value
        A Python or NumPy number, or an array of rank 0.
    dtype
        The dtype that it is converted to first, if it is given.
    """
    number = np.asarray(value).item() if dtype is None else np.asarray(value, dtype).item()
    if isinstance(number, complex):
        return f"complex({number.real!r}, {number.imag!r})"
    return repr(number)


def array_source(array: Any) -> str:
    """Return source for an array of the same dtype, shape and numbers, and a similar layout.

    The same strides are negative or 0, and the array is contiguous in C order, in Fortran order or
    not at all, as before. It is read-only only if a stride is 0. A generator is made anew from its
    seed.
    """
    if is_generator(array):
        return f"np.random.default_rng({array.bit_generator.seed_seq.entropy})"
    array = np.asarray(array)
    if array.ndim == 0 or 0 in array.shape or array.flags.c_contiguous:
        return _literal(array)
    repeated = [axis for axis, s in enumerate(array.strides) if s == 0 and array.shape[axis] > 1]
    if repeated:
        index = tuple(slice(0, 1) if i in repeated else slice(None) for i in range(array.ndim))
        return f"np.broadcast_to({array_source(array[index])}, {array.shape})"
    backward = [s < 0 for s in array.strides]
    if any(backward):
        index = tuple(slice(None, None, -1) if b else slice(None) for b in backward)
        text = ", ".join("::-1" if b else ":" for b in backward)
        return f"{array_source(array[index])}[{text}]"
    if array.flags.f_contiguous:
        return f"np.asfortranarray({_literal(array)})"
    larger = np.zeros([2 * n for n in array.shape], array.dtype)
    every_second = (slice(None, None, 2),) * array.ndim
    larger[every_second] = array
    return f"{_literal(larger)}[{', '.join(['::2'] * array.ndim)}]"


def _literal(array: Array) -> str:
    dtype = array.dtype.name
    if 0 in array.shape:
        return f"np.zeros({array.shape}, {dtype!r})"
    first = array.ravel()[:1]
    if (
        array.size > _MAX_SPELLED_OUT
        and array.tobytes() == np.full(array.shape, first[0]).tobytes()
    ):
        return f"np.full({array.shape}, {_nested(first.item(), dtype)}, {dtype!r})"
    return f"np.array({_nested(array.tolist(), dtype)}, {dtype!r})"


def _nested(value: Any, dtype: str) -> str:
    # The recursion is as deep as the rank of the array.
    if isinstance(value, list):
        return f"[{', '.join(_nested(v, dtype) for v in value)}]"
    return number_source(value)

"""Strategies for dtypes, shapes and tensor types, in which edge cases are frequent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from relgraph.scalar.dtypes import BOOL, COMPLEXES, FLOATS, INTS, UINTS, check_dtype
from relgraph.tensor.type import TensorType

_BY_KIND = {"b": BOOL, "i": INTS, "u": UINTS, "f": FLOATS, "c": COMPLEXES}
# Relative frequencies; that of any other dtype is 1. Failures shrink to the first one.
_WEIGHTS = {
    "float64": 6,
    "float32": 4,
    "int64": 3,
    "int8": 2,
    "bool": 2,
    "complex128": 2,
    "uint8": 2,
}

# The lengths of axes. Failures shrink to the first one.
_LENGTHS = (1, 2, 3, 0, 1, 2, 3, 4, 5)


def dtypes(kinds: str = "fiubc", min_bits: int = 1, max_bits: int = 128) -> st.SearchStrategy[str]:
    """Return a strategy for the names of the dtypes that variables can have.

    Parameters
    ----------
    kinds
        The kinds to draw from, by NumPy's letters: ``b`` booleans, ``i`` and ``u`` integers with
        and without a sign, ``f`` floats, ``c`` complex numbers.
    min_bits, max_bits
        The least and the greatest size of one number (a boolean has 8 bits).

    Raises
    ------
    ValueError
        If `kinds` holds another letter, or no dtype is of these kinds and sizes.
    """
    unknown = set(kinds) - set(_BY_KIND)
    if unknown:
        raise ValueError(f"dtypes: {''.join(sorted(unknown))!r} is no kind; there are 'biufc'")
    found = [name for kind in kinds for name in _BY_KIND[kind]]
    found = [name for name in found if min_bits <= 8 * np.dtype(name).itemsize <= max_bits]
    if not found:
        raise ValueError(f"dtypes: none of kind {kinds!r} has {min_bits} to {max_bits} bits")
    # Failures shrink to what stands first: the most frequent dtype.
    found.sort(key=lambda name: -_WEIGHTS.get(name, 1))
    return st.sampled_from([name for name in found for _ in range(_WEIGHTS.get(name, 1))])


def lengths(max_side: int = 5) -> st.SearchStrategy[int]:
    """Return a strategy for the lengths of axes up to `max_side`; 0 and 1 are frequent."""
    return st.sampled_from([n for n in _LENGTHS if n <= max_side] or [0])


def shapes(
    ndim: int | None = None, min_dims: int = 0, max_dims: int = 3, max_side: int = 5
) -> st.SearchStrategy[tuple[int, ...]]:
    """Return a strategy for the shapes of arrays; axes of length 0 and 1 are frequent.

    Parameters
    ----------
    ndim
        The number of axes; None for `min_dims` to `max_dims`.
    max_side
        The greatest length of an axis.
    """
    least, most = (min_dims, max_dims) if ndim is None else (ndim, ndim)
    return st.lists(lengths(max_side), min_size=least, max_size=most).map(tuple)


def tensor_types(
    dtypes: st.SearchStrategy[str] | Sequence[str] | str | None = None,
    ndim: int | None = None,
    min_dims: int = 0,
    max_dims: int = 3,
) -> st.SearchStrategy[TensorType]:
    """Return a strategy for tensor types whose static shapes are known in part.

    The static length of an axis is None (unknown), 1, or another number, which may be 0.

    Parameters
    ----------
    dtypes
        A strategy for dtypes, a sequence of dtypes, or one dtype; None for all of them.
    ndim
        The rank; None for `min_dims` to `max_dims`.
    """
    axes = st.sampled_from([None, None, 1, 2, None, 3, None, 1, 0, None])
    least, most = (min_dims, max_dims) if ndim is None else (ndim, ndim)
    return st.builds(
        TensorType, dtype_choice(dtypes), st.lists(axes, min_size=least, max_size=most).map(tuple)
    )


def dtype_choice(
    among: st.SearchStrategy[str] | Sequence[str] | str | None,
) -> st.SearchStrategy[str]:
    """Return a strategy for dtypes, given one, a sequence of dtypes, or one dtype; None for all."""
    if among is None:
        return dtypes()
    if isinstance(among, st.SearchStrategy):
        return among
    if isinstance(among, str):
        return st.just(check_dtype(among))
    return st.sampled_from([check_dtype(name) for name in among])

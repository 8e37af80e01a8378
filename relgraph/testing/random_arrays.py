"""Strategies for dtypes, shapes, tensor types and arrays, in which edge cases are frequent.

An array consists of a few numbers, drawn and repeated over its shape, in all kinds of memory
layouts. So an array is drawn in well under a millisecond, and a failure shrinks to simple numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from relgraph.scalar.type import BOOL, COMPLEXES, FLOATS, INTS, UINTS, check_dtype
from relgraph.tensor.type import TensorType

_BY_KIND = {"b": BOOL, "i": INTS, "u": UINTS, "f": FLOATS, "c": COMPLEXES}
# Relative frequencies; that of any other dtype is 1. Failures shrink to the first one.
_WEIGHTS = {"float64": 6, "float32": 4, "int64": 3}
_WEIGHTS |= dict.fromkeys(("int8", "bool", "complex128", "uint8"), 2)

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
    shapes = st.lists(axes, min_size=least, max_size=most).map(tuple)
    return st.builds(TensorType, dtype_choice(dtypes), shapes)


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


Array = np.ndarray[Any, Any]
ValueRange = Literal["any", "finite", "ordinary"]
"""The numbers that an array may hold; see `number_pool`."""

# Failures shrink to the first of these.
_SIMPLE = (0.0, 1.0, 2.0, -1.0, 0.5, 3.0, -2.0, -0.5)
# Numbers where functions have extremes or zeros, are not defined, or lose their precision.
_CRITICAL = np.array(
    [np.pi / 2, np.pi, np.e, 1.5, 2.5, 3.0, 1e-3, 1e-8, 10.0, 20.0, 100.0, 700.0, 745.0, 1e3]
)
_POOL_SIZE = 256
_SEED = 20240229


def edge_numbers(dtype: str) -> list[Any]:
    """Return the extremes of a dtype of integers or floats, zeros and ones, and what is not finite;
    nothing for another dtype."""
    kind = np.dtype(dtype).kind
    if kind in "iu":
        info = np.iinfo(dtype)
        return [info.max, info.min, 0, 1, *([-1] if kind == "i" else [])]
    if kind != "f":
        return []
    limits = np.finfo(dtype)
    finite = [limits.max, -limits.max, limits.tiny, limits.smallest_subnormal, 0.0, -0.0, 1.0, -1.0]
    return [*finite, np.inf, -np.inf, np.nan]


def _edges(dtype: str) -> list[Any]:
    """Return the numbers of `edge_numbers`, and others of extreme size or near 1."""
    edges = edge_numbers(dtype)
    if np.dtype(dtype).kind != "f":
        info = np.iinfo(dtype)
        return [*edges, info.max - 1, info.min + 1, info.max // 2, info.min // 2]
    kind, limits = np.dtype(dtype).type, np.finfo(dtype)
    one = kind(1)
    below, root, log = np.nextafter(one, kind(0)), np.sqrt(limits.max), np.log(limits.max)
    edges += [-limits.tiny, -limits.smallest_subnormal, kind(limits.tiny / 2), np.sqrt(limits.tiny)]
    edges += [np.nextafter(one, kind(2)), kind(2) ** (limits.nmant + 1), limits.eps]
    return [*edges, below, -below, root, -root, log, -log]


def _float_pool(dtype: str, value_range: ValueRange) -> Array:
    random = np.random.default_rng(_SEED)
    count = _POOL_SIZE
    signs = random.choice([-1.0, 1.0], count)
    ordinary = signs * np.exp2(random.uniform(-4, 3, count))
    if value_range == "ordinary":
        values = np.concatenate([_SIMPLE * 2, ordinary])[:count]
        return values.astype(dtype)
    with np.errstate(over="ignore"):
        critical = np.array([-0.0, *_CRITICAL, *-_CRITICAL]).astype(dtype)
        simple = np.array(_SIMPLE * 3).astype(dtype)
        edges = np.array(_edges(dtype) * 3, dtype)
        far = (signs * np.exp2(random.uniform(-60, 60, 32)[np.arange(count) % 32])).astype(dtype)
        parts = [simple, edges, critical, far[:32], ordinary.astype(dtype)]
        numbers: Array = np.concatenate(parts)[:count]
    if value_range == "finite":
        return numbers[np.isfinite(numbers)]
    info = np.finfo(dtype)
    frequent = [-0.0, np.inf, -np.inf, np.nan, 0.0, -1.0, 1.0, info.max, -info.max, info.tiny]
    numbers[-4 * len(frequent) :] = np.array(frequent * 4, dtype)
    return numbers


def _int_pool(dtype: str, value_range: ValueRange) -> Array:
    random = np.random.default_rng(_SEED)
    info = np.iinfo(dtype)
    small = [0, 1, 2, -1, 3, -2, 5, 7, 10]
    values = [n for n in small if info.min <= n <= info.max] * 3
    if value_range != "ordinary":
        values += _edges(dtype) * 3
        values += random.integers(info.min, info.max, 16, dtype, endpoint=True).tolist()
    values += random.integers(max(info.min, -9), 9, 64).tolist()
    return np.array(values, dtype)


def _complex_pool(dtype: str, value_range: ValueRange) -> Array:
    """Return complex numbers: by turns real, of two parts, imaginary, and of two parts."""
    real = "float32" if dtype == "complex64" else "float64"
    parts = _float_pool(real, value_range)
    _bits, first = np.unique(parts.view(f"u{parts.itemsize}"), return_index=True)
    parts = parts[np.sort(first)]
    others = np.random.default_rng(_SEED).permutation(parts)
    numbers = np.zeros(_POOL_SIZE, dtype)
    position = np.arange(_POOL_SIZE)
    one, other = parts[position // 2 % len(parts)], others[position % len(parts)]
    numbers.real = np.where(position % 4 == 2, 0, one)
    numbers.imag = np.where(position % 4 == 0, 0, np.where(position % 4 == 2, one, other))
    if value_range != "ordinary":
        corners = [z for z in _corners(real) if value_range == "any" or np.isfinite(z)]
        numbers[-len(corners) :] = corners
    return numbers


def _corners(real: str) -> list[complex]:
    """Return complex numbers of two extreme parts.

    Their absolute values do not overflow: how much rounding may move is measured by these.
    """
    info = np.finfo(real)
    most, least = float(info.max) / 2, float(info.tiny)
    extremes = (0.0, 1.0, -1.0, least, most, -most, np.inf, np.nan)
    far = [complex(2 * most), complex(-2 * most), complex(-np.inf, np.inf), complex(-0.0, -0.0)]
    return [*(complex(*parts) for parts in product(extremes, repeat=2)), *far]


@cache
def number_pool(dtype: str, value_range: ValueRange = "any") -> Array:
    """Return numbers of a dtype to draw from: simple ones, edge values, and random ones.

    Parameters
    ----------
    value_range
        ``any`` for all numbers, ``finite`` for finite ones only, ``ordinary`` for finite ones that
        are not so large or small that a few operations on them leave the range of the dtype.

    Returns
    -------
    numbers
        A read-only vector.
    """
    kind = np.dtype(dtype).kind
    if kind == "b":
        numbers = np.array([False, True])
    elif kind in "iu":
        numbers = _int_pool(dtype, value_range)
    elif kind == "f":
        numbers = _float_pool(dtype, value_range)
    else:
        numbers = _complex_pool(dtype, value_range)
    numbers.flags.writeable = False
    return numbers


# -- layouts -----------------------------------------------------------------------------------


def _fortran(a: Array) -> Array:
    return np.array(a, order="F")


def _reversed(a: Array) -> Array:
    backwards = (slice(None, None, -1),) * a.ndim
    return np.array(a[backwards], order="C")[backwards] if a.ndim else a


def _strided(a: Array) -> Array:
    """Return `a` as every second element of a larger array."""
    larger = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    every_second = tuple(slice(1, None, 2) for _ in a.shape)
    larger[every_second] = a
    index: Any = (*every_second, ...)
    return np.asarray(larger[index])


def _repeated(a: Array) -> Array:
    """Return the first row of `a` for all rows: the first axis has stride 0. Changes the values."""
    return np.broadcast_to(a[:1], a.shape) if a.ndim and a.shape[0] else a


def _inner_repeated(a: Array) -> Array:
    """Return the first column of `a` for all columns: the last axis has stride 0."""
    return np.broadcast_to(a[..., :1], a.shape) if a.ndim and a.shape[-1] else a


def _read_only(a: Array) -> Array:
    a = a.copy()
    a.flags.writeable = False
    return a


def _plain(a: Array) -> Array:
    return a


LAYOUTS: tuple[Callable[[Array], Array], ...] = (
    _plain,
    _plain,
    _plain,
    _fortran,
    _reversed,
    _strided,
    _repeated,
    _inner_repeated,
    _read_only,
)

REPEATING = (_repeated, _inner_repeated)
"""Layouts that change the values."""


@cache
def _few_integers(least: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(least, most), min_size=1, max_size=6)


_LAYOUT_CHOICE = st.sampled_from(LAYOUTS)
_RANGE_CHOICES: dict[ValueRange, st.SearchStrategy[ValueRange]] = {
    "any": st.sampled_from(("ordinary", "any", "finite", "any")),
    "finite": st.sampled_from(("ordinary", "finite")),
    "ordinary": st.just("ordinary"),
}


def spread(elements: Array, shape: Sequence[int]) -> Array:
    """Return an array of `shape` filled with a few elements.

    They are repeated, and after each repetition shifted by one, so that rows differ.
    """
    size = int(np.prod(shape, dtype=np.int64))
    count = len(elements)
    position = np.arange(size)
    return np.asarray(elements[(position + position // count) % count].reshape(shape))


@st.composite
def _arrays(
    draw: Any, dtype: str, lengths_of_axes: tuple[int | None, ...], value_range: ValueRange
) -> Array:
    shape = [draw(_LENGTH_CHOICE) if n is None else n for n in lengths_of_axes]
    numbers = number_pool(dtype, draw(_RANGE_CHOICES[value_range]))
    array = spread(numbers[draw(_few_integers(0, len(numbers) - 1))], shape)
    return draw(_LAYOUT_CHOICE)(array) if shape else array


_LENGTH_CHOICE = lengths()


def values(
    type: TensorType,
    shape: Sequence[int] | None = None,
    finite: bool = False,
    ordinary: bool = False,
) -> st.SearchStrategy[Array]:
    """Return a strategy for arrays of a tensor type.

    Edge values are frequent: nan, infinities, both zeros, subnormal numbers, the extremes of the
    dtype, the neighbours of 1, and numbers where functions have zeros or extremes. So are arrays
    that are not contiguous, have negative or zero strides, are in Fortran order, read-only or
    empty.

    Parameters
    ----------
    type
        The type; its dtype is that of the arrays.
    shape
        The shape of the arrays; None for any that the type allows.
    finite
        Whether to leave out nan and infinities.
    ordinary
        Whether to draw only finite numbers that are not so large or small that a few operations on
        them leave the range of the dtype.

    Raises
    ------
    ValueError
        If the type does not allow `shape`.
    """
    known = type.shape if shape is None else tuple(shape)
    if len(known) != type.ndim or any(
        n is not None and n != m for n, m in zip(type.shape, known, strict=True)
    ):
        raise ValueError(f"values: {type} does not allow the shape {shape}")
    return _arrays(type.dtype, known, "ordinary" if ordinary else "finite" if finite else "any")


@st.composite
def indices(
    draw: Any, length: int, shape: Sequence[int] | None = None, dtype: str = "int64"
) -> Array:
    """Return a strategy for arrays of integers that are valid indices of an axis.

    Some indices are negative, and some occur several times.

    Parameters
    ----------
    length
        The length of the axis. If it is 0, the arrays are empty.
    shape
        The shape of the arrays; None for a vector of any length.
    dtype
        Their dtype; an unsigned one has no negative numbers.

    Raises
    ------
    ValueError
        When it is drawn from: if `length` is 0 and an array of `shape` has elements.
    """
    dims = [draw(_LENGTH_CHOICE)] if shape is None else list(shape)
    if length == 0:
        if shape is not None and 0 not in dims:
            raise ValueError(f"indices: an axis of length 0 has no elements for shape {shape}")
        return np.zeros([0] if shape is None else dims, dtype)
    signed = np.dtype(dtype).kind == "i"
    found = draw(_few_integers(-length if signed else 0, length - 1))
    return spread(np.array(found, dtype), dims)

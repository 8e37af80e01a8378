"""Random values, the awkward ones first, in arrays laid out in awkward ways.

An array is made of a few numbers that are drawn and repeated over its shape: drawing takes well
under a millisecond, and a failure still shrinks to simple numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from relgraph.tensor.type import TensorType
from relgraph.testing.draw.types import lengths

Array = np.ndarray[Any, Any]
Amount = Literal["any", "finite", "ordinary"]

# What failures shrink to comes first.
_SIMPLE = (0.0, 1.0, 2.0, -1.0, 0.5, 3.0, -2.0, -0.5)
# Where functions turn, or are not defined, or lose their precision.
_TURNING = (
    -0.0,
    np.pi / 2,
    -np.pi / 2,
    np.pi,
    np.e,
    1.5,
    -1.5,
    2.5,
    -3.0,
    10.0,
    1e-3,
    -1e-3,
    1e-8,
    -1e-8,
    20.0,
    -20.0,
    100.0,
    -100.0,
    700.0,
    -745.0,
    1000.0,
    -1000.0,
)
_POOL_SIZE = 256
_SEED = 20240229


def _float_edges(dtype: str) -> list[Any]:
    kind = np.dtype(dtype).type
    info = np.finfo(dtype)
    one, inf = kind(1), kind(np.inf)
    finite = [
        info.max,
        -info.max,
        info.tiny,
        -info.tiny,
        info.smallest_subnormal,
        -info.smallest_subnormal,
        kind(info.tiny / 2),
        np.nextafter(one, kind(2)),
        np.nextafter(one, kind(0)),
        np.nextafter(-one, kind(0)),
        np.sqrt(info.max),
        -np.sqrt(info.max),
        np.sqrt(info.tiny),
        np.log(info.max),
        -np.log(info.max),
        kind(2) ** (info.nmant + 1),
        info.eps,
    ]
    return [*finite, kind(np.nan), inf, -inf]


def _int_edges(dtype: str) -> list[Any]:
    info = np.iinfo(dtype)
    return [info.max, info.min, info.max - 1, info.min + 1, info.max // 2, info.min // 2]


def _float_pool(dtype: str, amount: Amount) -> Array:
    random = np.random.default_rng(_SEED)
    count = _POOL_SIZE
    signs = random.choice([-1.0, 1.0], count)
    ordinary = signs * np.exp2(random.uniform(-4, 3, count))
    if amount == "ordinary":
        values = np.concatenate([_SIMPLE * 2, ordinary])[:count]
        return values.astype(dtype)
    with np.errstate(over="ignore"):
        turning = np.array(_TURNING).astype(dtype)
        simple = np.array(_SIMPLE * 3).astype(dtype)
        edges = np.array(_float_edges(dtype) * 3, dtype)
        far = (signs * np.exp2(random.uniform(-60, 60, 32)[np.arange(count) % 32])).astype(dtype)
        parts = [simple, edges, turning, far[:32], ordinary.astype(dtype)]
        pool: Array = np.concatenate(parts)[:count]
    if amount == "finite":
        return pool[np.isfinite(pool)]
    info = np.finfo(dtype)
    few = [-0.0, np.inf, -np.inf, np.nan, 0.0, -1.0, 1.0, info.max, -info.max, info.tiny]
    pool[-4 * len(few) :] = np.array(few * 4, dtype)
    return pool


def _int_pool(dtype: str, amount: Amount) -> Array:
    random = np.random.default_rng(_SEED)
    info = np.iinfo(dtype)
    small = [0, 1, 2, -1, 3, -2, 5, 7, 10]
    values = [n for n in small if info.min <= n <= info.max] * 3
    if amount != "ordinary":
        values += _int_edges(dtype) * 3
        values += random.integers(info.min, info.max, 16, dtype, endpoint=True).tolist()
    values += random.integers(max(info.min, -9), 9, 64).tolist()
    return np.array(values, dtype)


@cache
def pool(dtype: str, amount: Amount = "any") -> Array:
    """Return numbers of a dtype to draw from: simple ones, edges, and some of no special kind.

    Parameters
    ----------
    amount
        ``any``; ``finite`` numbers alone; or ``ordinary`` ones, which are not so large or small
        that a few operations on them leave the range of the dtype.
    """
    kind = np.dtype(dtype).kind
    if kind == "b":
        made = np.array([False, True])
    elif kind in "iu":
        made = _int_pool(dtype, amount)
    elif kind == "f":
        made = _float_pool(dtype, amount)
    else:
        real = "float32" if dtype == "complex64" else "float64"
        parts = _float_pool(real, amount)
        random = np.random.default_rng(_SEED)
        made = np.empty(2 * len(parts), dtype)
        made.real = np.concatenate([parts, parts])
        # The first half is real.
        made.imag = np.concatenate([np.zeros_like(parts), random.permutation(parts)])
    made.flags.writeable = False
    return made


# -- layouts -----------------------------------------------------------------------------------


def _fortran(a: Array) -> Array:
    return np.array(a, order="F")


def _reversed(a: Array) -> Array:
    every = (slice(None, None, -1),) * a.ndim
    return np.array(a[every], order="C")[every] if a.ndim else a


def _spaced(a: Array) -> Array:
    """Every second element of a larger array."""
    wide = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    every = tuple(slice(1, None, 2) for _ in a.shape)
    wide[every] = a
    index: Any = (*every, ...)
    return np.asarray(wide[index])


def _repeated(a: Array) -> Array:
    """One row for all of them: an axis of stride 0. Changes the values."""
    return np.broadcast_to(a[:1], a.shape) if a.ndim and a.shape[0] else a


def _inner_repeated(a: Array) -> Array:
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
    _spaced,
    _repeated,
    _inner_repeated,
    _read_only,
)

_AMOUNTS: tuple[Amount, ...] = ("ordinary", "any", "finite", "any")


@cache
def _positions(largest: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, largest), min_size=1, max_size=6)


_LAYOUT_CHOICE = st.sampled_from(LAYOUTS)
_AMOUNT_CHOICE = st.sampled_from(_AMOUNTS)
_FINITE_CHOICE = st.sampled_from(("ordinary", "finite"))


def spread(elements: Array, shape: Sequence[int]) -> Array:
    """Return an array of `shape` that is filled with a few elements, each row another way."""
    size = int(np.prod(shape, dtype=np.int64))
    count = len(elements)
    at = np.arange(size)
    return np.asarray(elements[(at + at // count) % count].reshape(shape))


@st.composite
def _arrays(
    draw: Any, dtype: str, lengths_of_axes: tuple[int | None, ...], amount: Amount | None
) -> Array:
    shape = [draw(_LENGTHS) if n is None else n for n in lengths_of_axes]
    if amount is None:
        amount = draw(_AMOUNT_CHOICE)
    elif amount == "finite":
        amount = draw(_FINITE_CHOICE)
    among = pool(dtype, amount)
    made = spread(among[draw(_positions(len(among) - 1))], shape)
    return draw(_LAYOUT_CHOICE)(made) if shape else made


_LENGTHS = lengths()


def values(
    type: TensorType,
    shape: Sequence[int] | None = None,
    finite: bool = False,
    ordinary: bool = False,
) -> st.SearchStrategy[Array]:
    """Return a strategy for arrays of a tensor type.

    nan, infinities, both zeros, subnormal numbers, the extremes of the dtype, the neighbours of
    1 and points where functions turn come often; so do arrays that are not contiguous, of
    negative and zero strides, in Fortran's order, read-only, and empty.

    Parameters
    ----------
    shape
        The shape of the arrays; None for any that the type allows.
    finite
        No nan and no infinity.
    ordinary
        Finite numbers, and none so large or small that a few operations leave the dtype's range.

    Raises
    ------
    ValueError
        If `shape` is none that the type allows.
    """
    known = type.shape if shape is None else tuple(shape)
    if len(known) != type.ndim or any(
        n is not None and n != m for n, m in zip(type.shape, known, strict=True)
    ):
        raise ValueError(f"values: {shape} is no shape of {type}")
    amount: Amount | None = "ordinary" if ordinary else "finite" if finite else None
    return _arrays(type.dtype, known, amount)


@st.composite
def indices(
    draw: Any, length: int, shape: Sequence[int] | None = None, dtype: str = "int64"
) -> Array:
    """Return a strategy for arrays of integers that index an axis.

    Some are negative, and some occur several times.

    Parameters
    ----------
    length
        The length of the axis.
    shape
        The shape of the arrays; None for a vector of any length.
    dtype
        Their dtype; an unsigned one has no negative numbers.

    Where `length` is 0 there is no index, and the arrays are empty: a `shape` of some elements
    is a ValueError.
    """
    dims = [draw(_LENGTHS)] if shape is None else list(shape)
    if length == 0:
        if shape is not None and 0 not in dims:
            raise ValueError(f"indices: an axis of length 0 has no elements for shape {shape}")
        return np.zeros([0] if shape is None else dims, dtype)
    signed = np.dtype(dtype).kind == "i"
    found = draw(st.lists(_integers(-length if signed else 0, length - 1), min_size=1, max_size=6))
    return spread(np.array(found, dtype), dims)


@cache
def _integers(least: int, most: int) -> st.SearchStrategy[int]:
    return st.integers(least, most)

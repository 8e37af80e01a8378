"""Numbers evenly spaced, powers, coordinates of grids, and positions in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.tensor.along_axes.rearranging import flip
from relgraph.tensor.assembly.creation import arange, broadcast_to
from relgraph.tensor.assembly.joining import stack
from relgraph.tensor.basic import as_argument
from relgraph.tensor.functions.nonzero import flatnonzero
from relgraph.tensor.functions.parts import length, weak
from relgraph.tensor.indexing.functions import set_subtensor
from relgraph.tensor.math import cast, second
from relgraph.tensor.math import pow as power
from relgraph.tensor.shapes.reshaping import flatten


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`, along a new first axis.

    Parameters
    ----------
    start, stop
        The first number and the last one; tensors broadcast.
    num
        How many.
    endpoint
        Whether `stop` is one of them.
    dtype
        The dtype; None for that of a float.

    >>> linspace(0.0, 1.0, 3).eval()
    array([0. , 0.5, 1. ])
    """
    start, stop = (weak(v, "linspace", i) for i, v in enumerate((start, stop)))
    begin, delta = start * 1.0, as_argument(stop * 1.0 - start, "linspace")
    ndim = delta.type.ndim
    steps = cast(arange(num), delta.type.dtype).dimshuffle(0, *["x"] * ndim)
    parts = num - 1 if endpoint else num
    found = begin + steps * (delta / parts) if parts > 0 else begin + steps * delta
    if endpoint and num > 1:
        found = set_subtensor(found[-1], second(found[-1], cast(stop, found.type.dtype)))
    return found if dtype is None else cast(found, dtype)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    """Return `num` numbers from `start` to `stop` with a constant ratio, both of one sign.

    Parameters
    ----------
    start, stop
        The first number and the last one.
    num
        How many.
    endpoint
        Whether `stop` is one of them.

    >>> geomspace(1.0, 8.0, 4).eval()
    array([1., 2., 4., 8.])
    """
    start, stop = (weak(v, "geomspace", i) for i, v in enumerate((start, stop)))
    ratio = as_argument(stop * 1.0 / start, "geomspace")
    exponents = cast(linspace(0.0, 1.0, num, endpoint), ratio.type.dtype)
    return start * power(ratio, exponents.dimshuffle(0, *["x"] * ratio.type.ndim))


def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0) -> Any:
    """Return powers of `base`, of exponents evenly spaced from `start` to `stop`.

    Parameters
    ----------
    start, stop
        The first exponent and the last one.
    num
        How many.
    endpoint
        Whether `stop` is one of them.
    base
        The base.

    >>> logspace(0.0, 2.0, 3).eval()
    array([  1.,  10., 100.])
    """
    return power(base, linspace(start, stop, num, endpoint))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of the elements of a vector as columns, the highest one first.

    Parameters
    ----------
    x
        The vector.
    N
        How many powers; None for as many as elements.
    increasing
        Whether the lowest stands first.

    >>> vander([1, 2, 3]).eval()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_argument(x, "vander")
    n = length(x, 0) if N is None else N
    if x.type.dtype == "bool":
        x = cast(x, "int64")
    columns = power(x.dimshuffle(0, "x"), arange(n).dimshuffle("x", 0))
    return columns if increasing else flip(columns, 1)


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Any]:
    """Return vectors as coordinates of the points of a grid; see `numpy.meshgrid`.

    Parameters
    ----------
    xi
        The vectors.
    sparse
        Whether the results have axes of length 1.
    indexing
        ``xy`` if the first vector is along the second axis, ``ij`` along the first.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: the indexing is xy or ij, not {indexing!r}")
    xs = [flatten(as_argument(x, "meshgrid", i)) for i, x in enumerate(xi)]
    places = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        places[:2] = [1, 0]
    spread = [
        x.dimshuffle(*[0 if i == place else "x" for i in range(len(xs))])
        for x, place in zip(xs, places, strict=True)
    ]
    if sparse:
        return spread
    by_axis = dict(zip(places, xs, strict=True))
    shape = tuple(length(by_axis[i], 0) for i in range(len(xs)))
    return [broadcast_to(x, shape) for x in spread]


def ix_(*args: Any) -> tuple[Any, ...]:
    """Return index vectors along an axis each, which together pick rows, columns and so on.

    Parameters
    ----------
    args
        The vectors; one of booleans stands for where it is true.
    """
    xs = [as_argument(x, "ix_", i) for i, x in enumerate(args)]
    chosen = [flatnonzero(x) if x.type.dtype == "bool" else x for x in xs]
    return tuple(meshgrid(*chosen, sparse=True, indexing="ij"))


def indices(dimensions: Sequence[Any], dtype: Any = "int64", sparse: bool = False) -> Any:
    """Return the coordinates of the elements of an array of some shape.

    Parameters
    ----------
    dimensions
        The shape.
    dtype
        The dtype of the result.
    sparse
        Whether the coordinates are returned one by one, with axes of length 1.

    >>> indices((2,)).eval()
    array([[0, 1]])
    """
    grids = meshgrid(*[cast(arange(n), dtype) for n in dimensions], sparse=sparse, indexing="ij")
    return tuple(grids) if sparse else stack(grids)


def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of `arr`.

    Parameters
    ----------
    arr
        A tensor whose axes have one length.
    """
    arr = as_argument(arr, "diag_indices_from")
    return (arange(length(arr, 0)),) * int(arr.type.ndim)


def unravel_index(indices: Any, shape: Sequence[Any]) -> tuple[Any, ...]:
    """Return the coordinates of elements whose positions in C order are given.

    Parameters
    ----------
    indices
        The positions.
    shape
        The shape.
    """
    rest, found = cast(as_argument(indices, "unravel_index"), "int64"), []
    for n in reversed(shape):
        found.append(rest % n)
        rest = rest // n
    return tuple(reversed(found))


def ravel_multi_index(multi_index: Sequence[Any], dims: Sequence[Any]) -> Any:
    """Return the positions in C order of elements whose coordinates are given.

    Parameters
    ----------
    multi_index
        For each axis the coordinates along it.
    dims
        The shape.

    >>> ravel_multi_index(([0, 1], [1, 1]), (2, 2)).eval()
    array([1, 3])
    """
    total: Any = 0
    for index, n in zip(multi_index, dims, strict=True):
        total = total * n + cast(as_argument(index, "ravel_multi_index"), "int64")
    return total


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """Return the indices of the lower triangle of a matrix whose shape is known.

    Parameters
    ----------
    arr
        The matrix.
    k
        How far its diagonal is above the main one.
    """
    return _triangle(arr, np.tril_indices, k, "tril_indices_from")


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """Return the indices of the upper triangle of a matrix whose shape is known.

    Parameters
    ----------
    arr
        The matrix.
    k
        How far its diagonal is above the main one.
    """
    return _triangle(arr, np.triu_indices, k, "triu_indices_from")


def _triangle(arr: Any, indices_of: Any, k: int, what: str) -> tuple[Any, ...]:
    rows, columns = as_argument(arr, what).type.shape
    if rows is None or columns is None:
        raise TypeError(f"{what}: the shape of {arr} is not known")
    return tuple(as_argument(i, what) for i in indices_of(rows, k, columns))


__all__ = [
    *("diag_indices_from", "geomspace", "indices", "ix_", "linspace", "logspace", "meshgrid"),
    *("ravel_multi_index", "tril_indices_from", "triu_indices_from", "unravel_index", "vander"),
]

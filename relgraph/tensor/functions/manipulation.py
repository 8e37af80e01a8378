"""Array manipulation: arrays put together, turned, resized, split and padded, as NumPy does."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.type import is_discrete
from relgraph.tensor.along_axes import along, length, part
from relgraph.tensor.basic import CheckAndRaise, Tensor, as_argument, normalize_axis, static_int
from relgraph.tensor.math import inexact
from relgraph.tensor.shapes import greater, lengths, lesser, product


def _each(arrays: Sequence[Any], change: Any, what: str) -> Any:
    found = [change(as_argument(x, what, i)) for i, x in enumerate(arrays)]
    return found[0] if len(found) == 1 else found


def atleast_1d(*arys: Any) -> Any:
    """Return each tensor with one axis at least; a list if there are several.

    Parameters
    ----------
    arys
        Tensors.

    Examples
    --------
    >>> atleast_1d(3).eval()
    array([3])
    """
    return _each(arys, lambda x: at.flatten(x) if x.type.ndim == 0 else x, "atleast_1d")


def atleast_2d(*arys: Any) -> Any:
    """Return each tensor with two axes at least, new ones in front; a list of several.

    Parameters
    ----------
    arys
        Tensors.

    Examples
    --------
    >>> atleast_2d([1, 2]).eval()
    array([[1, 2]])
    """
    return _each(arys, _as_matrix, "atleast_2d")


def _as_matrix(x: Any) -> Any:
    return at.as_tensor_variable(x, ndim=max(x.type.ndim, 2))


def atleast_Nd(*arys: Any, n: int = 1, left: bool = True) -> Any:
    """Return tensors with axes of length 1 added until they have `n` axes.

    Parameters
    ----------
    arys
        The tensors; of several a list is returned.
    n
        How many axes there are at least.
    left
        Whether they are added in front, not behind.
    """

    def change(x: Any) -> Any:
        new = ["x"] * builtins.max(n - x.type.ndim, 0)
        order = (*new, *range(x.type.ndim)) if left else (*range(x.type.ndim), *new)
        return x.dimshuffle(*order) if new else x

    return _each(arys, change, "atleast_Nd")


def atleast_3d(*arys: Any) -> Any:
    """Return each tensor with three axes at least, as `numpy.atleast_3d` places them.

    Parameters
    ----------
    arys
        Tensors.

    Examples
    --------
    >>> atleast_3d([1, 2]).eval()
    array([[[1],
            [2]]])
    """
    new = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    return _each(
        arys,
        lambda x: at.expand_dims(x, new[x.type.ndim]) if x.type.ndim < 3 else x,
        "atleast_3d",
    )


def dstack(tup: Any) -> Any:
    """Return tensors joined along the third axis.

    Parameters
    ----------
    tup
        The tensors; those of lower rank get axes.

    Examples
    --------
    >>> dstack([[1, 2], [3, 4]]).eval()
    array([[[1, 3],
            [2, 4]]])
    """
    return at.join(2, *[atleast_3d(x) for x in tup])


def column_stack(tup: Any) -> Any:
    """Return vectors as the columns of a matrix; matrices are joined as they are.

    Parameters
    ----------
    tup
        The vectors and matrices, which have one length of the first axis.

    Examples
    --------
    >>> column_stack([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    columns = [as_argument(x, "column_stack", i) for i, x in enumerate(tup)]
    return at.join(1, *[_as_matrix(x).T if x.type.ndim < 2 else x for x in columns])


def block(arrays: Any) -> Any:
    """Return the tensor whose blocks are given by nested lists.

    Parameters
    ----------
    arrays
        The blocks: a list is joined along the last axis, a list of such along the one before.

    Examples
    --------
    >>> block([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    depth, item = 0, arrays
    while isinstance(item, list):
        depth, item = depth + 1, item[0]
    ranks: list[int] = [depth]
    _ranks(arrays, ranks)
    return _block(arrays, depth, max(ranks))


def _ranks(arrays: Any, found: list[int]) -> None:
    for item in arrays if isinstance(arrays, list) else [arrays]:
        if isinstance(item, list):
            _ranks(item, found)
        else:
            found.append(as_argument(item, "block").type.ndim)


def _block(item: Any, depth: int, ndim: int) -> Any:
    if not isinstance(item, list):
        return at.as_tensor_variable(as_argument(item, "block"), ndim=ndim)
    return at.join(ndim - depth, *[_block(one, depth - 1, ndim) for one in item])


def broadcast_arrays(*args: Any) -> list[Any]:
    """Return tensors broadcast against each other.

    Parameters
    ----------
    args
        Tensors whose shapes broadcast.
    """
    xs = [as_argument(x, "broadcast_arrays", i) for i, x in enumerate(args)]
    filled: Any = None
    for x in xs:
        mark = at.cast(at.second(x, np.int8(0)), "int8")
        filled = mark if filled is None else at.add(filled, mark)
    return [at.second(filled, x) for x in xs]


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return `values` joined to `arr` along an axis; for None both are flattened.

    Parameters
    ----------
    arr
        A tensor.
    values
        A tensor of the same rank, if there is an axis.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> append([1, 2], [3]).eval()
    array([1, 2, 3])
    """
    if axis is None:
        arr, values = (at.flatten(as_argument(x, "append")) for x in (arr, values))
    return at.concatenate([arr, values], axis=0 if axis is None else axis)


def flipud(m: Any) -> Any:
    """Return `m` reversed along its first axis.

    Parameters
    ----------
    m
        A tensor of rank 1 or more.

    Examples
    --------
    >>> flipud([[1, 2], [3, 4]]).eval()
    array([[3, 4],
           [1, 2]])
    """
    return at.flip(m, 0)


def fliplr(m: Any) -> Any:
    """Return `m` reversed along its second axis.

    Parameters
    ----------
    m
        A tensor of rank 2 or more.

    Examples
    --------
    >>> fliplr([[1, 2], [3, 4]]).eval()
    array([[2, 1],
           [4, 3]])
    """
    return at.flip(m, 1)


def rot90(m: Tensor, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Return `m` turned by `k` right angles in the plane of two axes.

    Parameters
    ----------
    m
        A tensor of rank 2 or more.
    k
        How often it is turned, from the first axis to the second.
    axes
        The two axes.

    Examples
    --------
    >>> rot90([[1, 2], [3, 4]]).eval()
    array([[2, 4],
           [1, 3]])
    """
    first, second_ = (normalize_axis(a, m.type.ndim, "rot90") for a in axes)
    if first == second_:
        raise ValueError("rot90: the two axes are the same")
    turns = k % 4
    if turns == 2:
        return at.flip(m, (first, second_))
    if turns == 1:
        return at.swapaxes(at.flip(m, second_), first, second_)
    return at.flip(at.swapaxes(m, first, second_), second_) if turns else m


def rollaxis(a: Tensor, axis: int, start: int = 0) -> Any:
    """Return `a` with an axis moved before the position `start`.

    Parameters
    ----------
    a
        A tensor.
    axis
        The axis that is moved.
    start
        The position, counted as it was before.
    """
    axis, start = normalize_axis(axis, a.type.ndim, "rollaxis"), start % (a.type.ndim + 1)
    return at.moveaxis(a, axis, start - 1 if axis < start else start)


def diagflat(v: Tensor, k: int = 0) -> Any:
    """Return a matrix with the elements of `v` on a diagonal.

    Parameters
    ----------
    v
        A tensor, which is flattened.
    k
        How far the diagonal is above the main one; below it if negative.

    Examples
    --------
    >>> diagflat([1, 2]).eval()
    array([[1, 0],
           [0, 2]])
    """
    return at.diag(at.flatten(v), k)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return `arr` without its parts at some integers, which are known, along an axis.

    Parameters
    ----------
    arr
        A tensor.
    obj
        An int, a slice or a sequence of ints.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> delete([1, 2, 3], 1).eval()
    array([1, 3])
    """
    arr, axis = along(arr, axis, "delete")
    if isinstance(obj, Variable | LogicTerm):
        raise TypeError("delete: which parts go must be known: an int, a slice, a list of ints")
    n = arr.type.shape[axis]
    single = static_int(obj)
    if single is not None:
        arr = _with_place(arr, axis, single, 0, "delete")
        after = length(arr, axis) if single == -1 else single + 1
        head, tail = part(arr, axis, slice(single)), part(arr, axis, slice(after, None))
        return at.join(axis, head, tail)
    if n is None:
        raise TypeError(f"delete: the length of axis {axis} is not known")
    return at.take(arr, np.delete(np.arange(n), obj), axis)


def _with_place(x: Any, axis: int, place: int, behind: int, what: str) -> Any:
    """Return `x`, with a check that `place` is one of its elements, or of some behind them.

    Raises
    ------
    IndexError
        If the length is known and too small.
    """
    n = length(x, axis)
    is_there = n >= (-place if place < 0 else place + 1 - behind)
    message = f"{what}: index {place} is out of bounds for axis {axis}"
    if not isinstance(n, int):
        return CheckAndRaise(IndexError, message)(x, is_there)
    if not is_there:
        raise IndexError(f"{message}, which has length {n}")
    return x


def insert(arr: Any, obj: int, values: Tensor, axis: int | None = None) -> Any:
    """Return `arr` with `values` put before one position along an axis.

    Parameters
    ----------
    arr
        A tensor.
    obj
        The position.
    values
        What is put there; it broadcasts to the other axes.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> insert([1, 2], 1, 5).eval()
    array([1, 5, 2])
    """
    arr, axis = along(arr, axis, "insert")
    place = static_int(obj)
    if place is None:
        raise TypeError("insert: the position must be one int")
    if place != 0:
        arr = _with_place(arr, axis, place, 1, "insert")
    values = at.cast(values, arr.type.dtype)
    head, tail = part(arr, axis, slice(place)), part(arr, axis, slice(place, None))
    if values.type.ndim == arr.type.ndim > 1:
        middle = values
    else:
        slot = [1 if i == axis else n for i, n in enumerate(lengths(arr))]
        middle = at.broadcast_to(values, slot) if arr.type.ndim > 1 else at.flatten(values)
    return at.join(axis, head, middle, tail)


def resize(a: Tensor, new_shape: Any) -> Any:
    """Return the elements of `a`, repeated as often as a new shape needs.

    Parameters
    ----------
    a
        A tensor.
    new_shape
        The shape of the result, an int or a sequence.

    Examples
    --------
    >>> resize([1, 2], (3,)).eval()
    array([1, 2, 1])
    """
    a = at.flatten(a)
    n = length(a, 0)
    if not a.type.shape[0]:  # nothing is repeated as zeros
        a = at.join(0, a, at.zeros((1,), dtype=a.type.dtype))
    shape = tuple(new_shape) if isinstance(new_shape, list | tuple) else (new_shape,)
    return at.reshape(at.take(a, at.arange(product(shape)) % greater(n, 1), 0), shape)


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """Return the parts of `x` along an axis, whose static length must be known.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis.
    """
    x, axis = along(x, axis, "unstack")
    n = x.type.shape[axis]
    if n is None:
        raise TypeError(f"unstack: the length of axis {axis} of {x} is not known")
    return tuple(part(x, axis, i) for i in range(n))


def hsplit(ary: Tensor, indices_or_sections: Any) -> list[Any]:
    """Return parts of `ary` along its second axis; along the first of a vector.

    Parameters
    ----------
    ary
        A tensor of rank 1 or more.
    indices_or_sections
        How many equal parts, or where all but the first begin.
    """
    return _equal_parts(ary, indices_or_sections, 0 if ary.type.ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return parts of `ary` along its first axis.

    Parameters
    ----------
    ary
        A tensor of rank 2 or more.
    indices_or_sections
        How many equal parts, or where all but the first begin.
    """
    return _equal_parts(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return parts of `ary` along its third axis.

    Parameters
    ----------
    ary
        A tensor of rank 3 or more.
    indices_or_sections
        How many equal parts, or where all but the first begin.
    """
    return _equal_parts(ary, indices_or_sections, 2)


def _equal_parts(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return equal parts of `ary`, or its parts between some indices, as `numpy.split` does."""
    return _parts(ary, indices_or_sections, axis, "split", True)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return nearly equal parts of `ary`, the longer ones first, or its parts between indices.

    Parameters
    ----------
    ary
        A tensor.
    indices_or_sections
        How many parts, or where all but the first begin.
    axis
        The axis.
    """
    return _parts(ary, indices_or_sections, axis, "array_split", False)


def _parts(ary: Any, indices_or_sections: Any, axis: int, what: str, are_equal: bool) -> list[Any]:
    x, axis = along(ary, axis, what)
    sections, n = static_int(indices_or_sections), length(x, axis)
    if sections is None:
        return _parts_between(x, indices_or_sections, axis)
    if are_equal and isinstance(n, int) and n % sections:
        raise ValueError(f"{what}: {n} elements don't make {sections} equal parts")
    each, longer = n // sections, 0 if are_equal else n % sections
    return _parts_between(x, [each * i + lesser(longer, i) for i in range(1, sections)], axis)


def _parts_between(x: Any, stops: Any, axis: int) -> list[Any]:
    """Return the parts of `x` between some indices."""
    known = list(stops) if isinstance(stops, Sequence) else np.asarray(stops).tolist()
    ends = zip([None, *known], [*known, None], strict=True)
    return [part(x, axis, slice(first, last)) for first, last in ends]


def pad(array: Tensor, pad_width: Any, mode: str = "constant", constant_values: Any = 0,
        end_values: Any = 0) -> Any:  # fmt: skip
    """Return `array` with elements added at the ends of its axes.

    Parameters
    ----------
    pad_width
        How many: an int, a pair for all axes, or a pair for each axis.
    mode
        ``constant``, ``edge``, ``linear_ramp``, ``wrap``, ``reflect``, ``symmetric``,
        ``maximum``, ``minimum`` or ``mean``, as in `numpy.pad`.
    constant_values
        What is added if the mode is ``constant``, given as `pad_width` is.
    end_values
        Where the ramps end if the mode is ``linear_ramp``.
    """
    widths = np.broadcast_to(np.asarray(pad_width), (array.type.ndim, 2)).tolist()
    if mode not in _PADDED:
        raise ValueError(f"pad: the mode is one of {', '.join(sorted(_PADDED))}, not {mode!r}")
    values = _pairs(end_values if mode == "linear_ramp" else constant_values, array.type.ndim)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            array = _PADDED[mode](array, axis, before, after, values[axis])
    return array


def _pairs(values: Any, ndim: int) -> list[Any]:
    if isinstance(values, Variable):
        return [(values, values)] * ndim
    pairs = np.broadcast_to(np.asarray(values), (ndim, 2))
    return [tuple(pair) for pair in pairs]


def _with_constants(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
    shape = list(lengths(x))
    ends = []
    for n, value in zip((before, after), values, strict=True):
        shape[axis] = n
        ends.append(at.full(tuple(shape), at.cast(as_argument(value, "pad"), x.type.dtype)))
    return at.join(axis, ends[0], x, ends[1])


def _with_ramps(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
    n, ends = length(x, axis), []
    for count, edge, value in ((before, 0, values[0]), (after, n - 1, values[1])):
        near = at.take(x, as_argument([edge], "pad"), axis)
        steps = at.arange(count).dimshuffle(*(0 if i == axis else "x" for i in range(x.type.ndim)))
        ramp = value + (inexact(near) - value) * (steps / builtins.max(count, 1))
        # of what has no sign, what is below zero wraps around
        ramp = at.cast(at.floor(ramp), "int64") if is_discrete(x.type.dtype) else ramp
        ends.append(at.cast(ramp, x.type.dtype))
    return at.join(axis, ends[0], x, at.flip(ends[1], axis))


def _taken(place: Any) -> Any:
    """Return what takes elements at places, which are a function of positions and of a length."""

    def padded(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
        n = length(x, axis)
        return at.take(x, place(at.arange(-before, n + after), n), axis)

    return padded


def _there_and_back(skip: int, position: Any, n: Any) -> Any:
    round_trip = at.maximum(2 * n - 2 * skip, 1)
    place = position % round_trip
    return at.minimum(place, round_trip - (1 - skip) - place)


def _statistic(function: Any) -> Any:
    def padded(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
        one = function(x, axis=axis, keepdims=True)
        one = at.rint(one) if x.type.dtype != "bool" and is_discrete(x.type.dtype) else one
        one = one if one.type.dtype == x.type.dtype else at.cast(one, x.type.dtype)
        ends = [at.take(one, at.zeros((n,), dtype="int64"), axis) for n in (before, after)]
        return at.join(axis, ends[0], x, ends[1])

    return padded


_PADDED = {
    "constant": _with_constants,
    "edge": _taken(lambda position, n: at.maximum(at.minimum(position, n - 1), 0)),
    "linear_ramp": _with_ramps,
    "wrap": _taken(lambda position, n: position % n),
    "reflect": _taken(partial(_there_and_back, 1)),
    "symmetric": _taken(partial(_there_and_back, 0)),
    "maximum": _statistic(at.max),
    "minimum": _statistic(at.min),
    "mean": _statistic(at.mean),
}

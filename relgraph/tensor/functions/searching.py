"""Functions that search and select: nonzero, searchsorted, take_along_axis, digitize; sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply
from relgraph.graph.op import Variables
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.type import is_complex, is_discrete, number_kind, result_dtype
from relgraph.tensor.along_axes import along, of_rank, places_along
from relgraph.tensor.basic import (
    CheckAndRaise,
    Tensor,
    TensorOp,
    as_argument,
    normalize_axis,
    number,
)
from relgraph.tensor.shapes import lengths, ravel
from relgraph.tensor.type import TensorType


class Nonzero(TensorOp):
    """The coordinates of the elements that are not zero: for each axis a vector of int64.

    Parameters
    ----------
    nout
        The number of axes of the input.
    """

    __props__ = ("nout",)
    connected_inputs = ()

    def __init__(self, nout: int) -> None:
        self.nout = nout

    def __str__(self) -> str:
        return "nonzero"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        return [TensorType("int64", (None,))] * self.nout

    def compute(self, node: Apply, a: Any) -> Any:
        found = [np.ascontiguousarray(places) for places in np.nonzero(a)]
        return found if self.nout > 1 else found[0]


def nonzero(a: Tensor) -> tuple[Any, ...]:
    """Return for each axis the indices of the elements that are not zero.

    Parameters
    ----------
    a
        A tensor of rank 1 or more.

    Raises
    ------
    ValueError
        If the rank is 0.
    """
    if a.type.ndim == 0:
        raise ValueError(f"nonzero: {a} has no axes; use flatnonzero")
    return tuple(Nonzero(a.type.ndim)(a, return_list=True))


def flatnonzero(a: Any) -> Any:
    """Return the indices of the elements of the flattened `a` that are not zero.

    Parameters
    ----------
    a
        A tensor.

    Examples
    --------
    >>> flatnonzero([0, 3, 4]).eval()
    array([1, 2])
    """
    return nonzero(at.ravel(a))[0]


def argwhere(a: Tensor) -> Any:
    """Return the coordinates of the elements that are not zero, each as a row.

    Parameters
    ----------
    a
        A tensor.

    Examples
    --------
    >>> argwhere([0, 3, 4]).eval()
    array([[1],
           [2]])
    """
    return at.stack(nonzero(a), axis=1)


def count_nonzero(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return how many elements are not zero.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> count_nonzero([0, 3, 4]).eval()
    array(2)
    """
    return at.sum(at.neq(a, 0), axis=axis, keepdims=keepdims)


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """Return the parts of `a` along an axis where a vector is true; for None, of the flattened.

    Parameters
    ----------
    condition
        A vector.
    a
        A tensor.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> compress([True, False], [1, 2]).eval()
    array([1])
    """
    a, axis = along(a, axis, "compress")
    return at.take(a, flatnonzero(condition), axis)


def extract(condition: Any, arr: Any) -> Any:
    """Return the elements of `arr` where `condition` is true, as a vector.

    Parameters
    ----------
    condition
        A tensor of the shape of `arr`.
    arr
        A tensor.

    Examples
    --------
    >>> extract([True, False], [1, 2]).eval()
    array([1])
    """
    return compress(at.ravel(condition), arr)


def take_along_axis(arr: Any, indices: Tensor, axis: int | None = -1) -> Any:
    """Return for each vector along an axis its elements at other indices.

    Parameters
    ----------
    arr
        A tensor.
    indices
        The positions along the axis, for each vector.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> take_along_axis([[1, 2], [3, 4]], [[0], [1]]).eval()
    array([[1],
           [4]])
    """
    arr, axis = along(arr, axis, "take_along_axis")
    return at.getitem(arr, places_along(arr, indices, axis))


def put_along_axis(arr: Any, indices: Tensor, values: Any, axis: int | None) -> Any:
    """Return `arr` with `values` at indices along an axis; `numpy.put_along_axis` changes it.

    Parameters
    ----------
    arr
        A tensor.
    indices
        The positions along the axis, for each vector.
    values
        What is put there; it broadcasts to `indices`.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> put_along_axis([1, 2, 3], [0], 9, 0).eval()
    array([9, 2, 3])
    """
    shape = None if axis is not None else lengths(at.as_tensor_variable(arr))
    arr, axis = along(arr, axis, "put_along_axis")
    index = places_along(arr, indices, axis)
    changed = at.set_subtensor(at.getitem(arr, index), values)
    return changed if shape is None else at.reshape(changed, shape)


def put(a: Tensor, ind: Any, v: Any) -> Any:
    """Return `a` with `v` at positions in its flattened form; `numpy.put` changes it.

    Parameters
    ----------
    a
        A tensor.
    ind
        The positions.
    v
        The values; as many, or repeated.

    Examples
    --------
    >>> put([1, 2, 3], [0], [9]).eval()
    array([9, 2, 3])
    """
    return at.reshape(at.set_subtensor(at.getitem(at.ravel(a), ind), v), lengths(a))


def choose(a: Tensor, choices: Any, mode: str = "raise") -> Any:
    """Return for each element of `a` the element at its place in the choice of that number.

    Parameters
    ----------
    a
        The numbers of choices, from 0 on.
    choices
        Tensors that broadcast with `a`.
    mode
        What a number that no choice has does: ``raise`` a ValueError, ``wrap`` around, or stand
        for the nearest one that a choice has, ``clip``.

    Examples
    --------
    >>> choose([0, 1], [[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    if mode == "wrap":
        a = a % len(choices)
    elif mode == "clip":
        a = at.clip(a, 0, len(choices) - 1)
    elif mode == "raise":
        known = at.all((a >= 0) & (a < len(choices)))
        a = CheckAndRaise(ValueError, "choose: a number that no choice has")(a, known)
    else:
        raise ValueError(f"choose: the mode is raise, wrap or clip, not {mode!r}")
    *others, found = _with_typed_numbers(choices, "choose")
    for i, choice in reversed(list(enumerate(others))):
        found = at.switch(at.eq(a, i), choice, found)
    return found


def _with_typed_numbers(values: Sequence[Any], what: str) -> list[Any]:
    """Return `values` with each Python number in the dtype that it has beside the others."""
    if any(isinstance(value, LogicTerm) for value in values):
        return list(values)
    made = [v if number_kind(v) is not None else as_argument(v, what) for v in values]
    typed = scalar.add.typed_numbers(made)
    return [v if t is None else number(*t, 0) for v, t in zip(made, typed, strict=True)]


def max_and_argmax(x: Any, axis: Any = None, keepdims: bool = False) -> tuple[Any, Any]:
    """Return the greatest element of `x` along `axis`, and the position of the first such one.

    Parameters
    ----------
    x, axis, keepdims
        As those of `argmax`.

    Examples
    --------
    >>> [v.eval() for v in max_and_argmax([1.0, 3.0, 2.0])]
    [array(3.), array(1)]
    """
    return at.max(x, axis=axis, keepdims=keepdims), at.argmax(x, axis=axis, keepdims=keepdims)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return the elements of the first choice whose condition is true there.

    Parameters
    ----------
    condlist
        The conditions.
    choicelist
        The choices, one for each.
    default
        What stands where none is true.

    Examples
    --------
    >>> select([[True, False]], [[1, 2]], 9).eval()
    array([1, 9])
    """
    *choices, found = _with_typed_numbers([*choicelist, default], "select")
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        found = at.switch(condition, choice, found)
    return found


def piecewise(x: Tensor, condlist: Any, funclist: Any) -> Any:
    """Return what the function for the last true condition gives, in the dtype of `x`.

    A function more than conditions is for where none is true, which else is 0; a number represents
    a function that gives it.

    Parameters
    ----------
    x
        A tensor.
    condlist
        The conditions, of the shape of `x`.
    funclist
        The functions or numbers.

    Examples
    --------
    >>> piecewise([-1.0, 2.0], [[True, False]], [5.0]).eval()
    array([5., 0.])
    """
    made = [at.cast(f(x) if callable(f) else f, x.type.dtype) for f in funclist]
    found = made[len(condlist)] if len(made) > len(condlist) else at.zeros_like(x)
    for condition, value in zip(condlist, made, strict=False):
        found = at.switch(condition, value, found)
    return at.fill(x, found)


class SearchSorted(TensorOp):
    """The positions in a sorted vector at which elements would be put in, as int64.

    Parameters
    ----------
    side
        ``left`` for the first such position, ``right`` for the last one.
    """

    __props__ = ("side",)
    name = "searchsorted"
    nin = 2
    connected_inputs = ()
    fixed_dtype = "int64"

    def __init__(self, side: str = "left") -> None:
        if side not in ("left", "right"):
            raise ValueError(f"{self.name}: the side is left or right, not {side!r}")
        self.side = side

    def __str__(self) -> str:
        return f"{self.name}{{{self.side}}}"

    def output_types(self, ordered: TensorType, wanted: TensorType) -> list[TensorType]:
        if ordered.ndim != 1:
            raise TypeError(f"{self}: input 0 is a {ordered}, not a vector")
        return super().output_types(ordered, wanted)

    def compute(self, node: Apply, ordered: Any, wanted: Any) -> Any:
        side: Any = self.side
        return np.asarray(np.searchsorted(ordered, wanted, side=side), "int64")

    def output_shapes(self, ordered: Any, wanted: Any) -> list[Any]:
        return [wanted]


class Digitize(SearchSorted):
    """The numbers of the bins that elements are in, given the edges of the bins; as int64.

    The edges ascend or descend; a ValueError is raised if they do neither.
    """

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        for i, t in enumerate(input_types):
            if is_complex(t.dtype):
                raise TypeError(f"{self}: input {i} is a {t}; complex numbers have no order")
        return super().output_types(*input_types)

    def compute(self, node: Apply, ordered: Any, wanted: Any) -> Any:
        try:
            found = np.digitize(wanted, ordered, right=self.side == "left")
        except ValueError:
            raise ValueError(f"{self}: the edges of the bins neither ascend nor descend") from None
        return np.asarray(found, "int64")


def searchsorted(a: Tensor, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return where in a sorted vector elements would be put in; see `numpy.searchsorted`.

    Parameters
    ----------
    a
        The vector.
    v
        The elements.
    side
        ``left`` or ``right`` of those that are equal.
    sorter
        Indices that sort `a`; None if it is sorted.

    Examples
    --------
    >>> searchsorted([1, 2, 3], [2, 5]).eval()
    array([1, 3])
    """
    if sorter is None:
        return SearchSorted(side)(a, v)
    sorter = as_argument(sorter, "searchsorted", 3)
    if a.type.ndim != 1 or sorter.type.ndim != 1 or not is_discrete(sorter.type.dtype):
        raise TypeError(
            f"searchsorted: the sorter is a {sorter.type}, not a vector of as many integers as {a} "
            "is long"
        )
    # a fill raises an error if the lengths differ
    return SearchSorted(side)(at.take(a, at.cast(at.fill(a, sorter), sorter.type.dtype), 0), v)


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Return the numbers of the bins that elements are in; see `numpy.digitize`.

    Parameters
    ----------
    x
        A tensor.
    bins
        The edges of the bins, a vector that ascends or descends. A ValueError is raised if it does
        neither; an engine that traces values can't raise it.
    right
        Whether a bin holds the edge with the higher number, and not the one with the lower.

    Examples
    --------
    >>> digitize([0.5, 1.5], [0.0, 1.0]).eval()
    array([1, 2])
    """
    return Digitize("left" if right else "right")(bins, x)


def lexsort(keys: Any, axis: int = -1) -> Any:
    """Return the indices that sort by several keys, the last one first.

    Parameters
    ----------
    keys
        Tensors of one shape, or one whose first axis they are along.
    axis
        The axis.

    Examples
    --------
    >>> lexsort([[1, 0, 0], [1, 1, 0]]).eval()
    array([2, 1, 0])
    """
    keys = [as_argument(k, "lexsort", i) for i, k in enumerate(keys)]
    axis = normalize_axis(axis, keys[0].type.ndim, "lexsort")
    order = None
    for key in keys:
        seen = key if order is None else take_along_axis(key, order, axis)
        step = at.argsort(seen, axis)
        order = step if order is None else take_along_axis(order, step, axis)
    return order


def argpartition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """Return the indices that sort along an axis: so each element is on its side of the `kth`.

    Parameters
    ----------
    a
        A tensor.
    kth
        The position that is in order then.
    axis
        The axis; None for the flattened tensor.
    """
    a, axis = along(a, axis, "argpartition")
    return at.argsort(a, axis)


def partition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """Return the elements sorted along an axis: so each is on its side of the `kth`.

    Parameters
    ----------
    a
        A tensor.
    kth
        The position that is in order then.
    axis
        The axis; None for the flattened tensor.
    """
    a, axis = along(a, axis, "partition")
    return at.sort(a, axis)


def isin(element: Tensor, test_elements: Tensor, invert: bool = False) -> Any:
    """Return which elements are among others.

    Parameters
    ----------
    element
        A tensor; the result has its shape.
    test_elements
        The others.
    invert
        Whether to tell which are not.

    Examples
    --------
    >>> isin([1, 2], [2, 3]).eval()
    array([False,  True])
    """
    others = at.ravel(test_elements)
    spread = element.dimshuffle(*range(element.type.ndim), "x")
    found = at.any(
        at.eq(spread, of_rank(others, element.type.ndim + 1, element.type.ndim)), axis=-1
    )
    return at.logical_not(found) if invert else found


class Unique(TensorOp):
    """The different parts along the first axis in order, and three vectors of int64 about them.

    The others are the index of the first part that is equal to each, for each part the number of
    its equal, and how often each occurs.

    Parameters
    ----------
    equal_nan
        Whether all nan are equal, or none.
    """

    __props__ = ("equal_nan",)
    nout = 4

    def __init__(self, equal_nan: bool = True) -> None:
        self.equal_nan = bool(equal_nan)

    def __str__(self) -> str:
        return "unique"

    def output_types(self, x: TensorType) -> list[TensorType]:
        if x.ndim == 0:
            raise TypeError(f"unique: the input is a {x}, which has no axes")
        some = TensorType("int64", (None,))
        parts = TensorType(x.dtype, (None, *x.shape[1:]))
        return [parts, some, TensorType("int64", x.shape[:1]), some]

    def compute(self, node: Apply, x: Any) -> Any:
        return tuple(map(np.ascontiguousarray, self.found_by(np, x)))

    def found_by(self, xp: Any, x: Any) -> Any:
        """Return the outputs, as NumPy or JAX finds them."""
        parts, first, inverse, counts = xp.unique(
            x,
            return_index=True,
            return_inverse=True,
            return_counts=True,
            equal_nan=self.equal_nan,
            axis=0 if x.ndim > 1 else None,
        )
        return parts, first, inverse.reshape(-1), counts

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True, False, False, False]]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradient: it is that of the first of equal elements."""
        zeros = at.zeros_like(inputs[0])
        return [at.inc_subtensor(at.getitem(zeros, outputs[1]), output_grads[0])]


def unique(ar: Tensor, return_index: bool = False, return_inverse: bool = False,
           return_counts: bool = False, axis: int | None = None, *, equal_nan: bool = True,
           ) -> Any:  # fmt: skip
    """Return the different elements of `ar` in order, or its parts along an axis, and more on
    request.

    The index of the first element equal to each; for each element the number of its equal, in the
    shape of `ar`; and how often each occurs.

    Parameters
    ----------
    ar
        A tensor.
    return_index, return_inverse, return_counts
        The requested arrays, in the order above.
    axis
        The axis along which parts are compared; None for the elements of the flattened tensor.
    equal_nan
        Whether all nan are one element.

    Examples
    --------
    >>> unique([2, 1, 2]).eval()
    array([1, 2])
    """
    if axis is None:
        values, index, inverse, counts = Unique(equal_nan)(ravel(ar))
        inverse = at.reshape(inverse, lengths(ar))
    else:
        axis = normalize_axis(axis, ar.type.ndim, "unique")
        values, index, inverse, counts = Unique(equal_nan)(at.moveaxis(ar, axis, 0))
        values = at.moveaxis(values, 0, axis)
    wanted = (return_index, return_inverse, return_counts)
    more = [index, inverse, counts]
    chosen = [v for v, is_wanted in zip(more, wanted, strict=True) if is_wanted]
    return (values, *chosen) if chosen else values


def unique_values(x: Tensor) -> Any:
    """Return the different elements in order; no two nan are equal.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> unique_values([2, 1, 2]).eval()
    array([1, 2])
    """
    return unique(x, equal_nan=False)


def unique_counts(x: Tensor) -> Any:
    """Return the different elements in order, and how often each occurs; as `unique_values`.

    Parameters
    ----------
    x
        A tensor.
    """
    return unique(x, return_counts=True, equal_nan=False)


def unique_inverse(x: Tensor) -> Any:
    """Return the different elements in order, and for each element the number of its equal; as
    `unique_values`.

    Parameters
    ----------
    x
        A tensor.
    """
    return unique(x, return_inverse=True, equal_nan=False)


def unique_all(x: Tensor) -> Any:
    """Return all that `unique` may return; as `unique_values`.

    Parameters
    ----------
    x
        A tensor.
    """
    return unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)


def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the elements of either, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    Examples
    --------
    >>> union1d([1, 2], [2, 3]).eval()
    array([1, 2, 3])
    """
    return unique(at.join(0, at.ravel(ar1), at.ravel(ar2)))


def intersect1d(ar1: Tensor, ar2: Tensor) -> Any:
    """Return the elements of both, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    Examples
    --------
    >>> intersect1d([1, 2], [2, 3]).eval()
    array([2])
    """
    both = at.cast(unique(ar1), result_dtype(ar1.type.dtype, ar2.type.dtype))
    return extract(isin(both, ar2), both)


def setdiff1d(ar1: Tensor, ar2: Tensor) -> Any:
    """Return the elements of the first that are not in the second, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    Examples
    --------
    >>> setdiff1d([1, 2], [2, 3]).eval()
    array([1])
    """
    own = unique(ar1)
    return extract(isin(own, ar2, invert=True), own)


def setxor1d(ar1: Tensor, ar2: Tensor) -> Any:
    """Return the elements of exactly one of two, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    Examples
    --------
    >>> setxor1d([1, 2], [2, 3]).eval()
    array([1, 3])
    """
    return at.sort(at.join(0, setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)), 0)

"""Sets of elements: `unique`, unions, intersections, and which elements are in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.scalar.dtypes import is_discrete, result_dtype
from relgraph.tensor.along_axes.sorting import sort
from relgraph.tensor.assembly.creation import zeros_like
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.basic import as_argument
from relgraph.tensor.functions.parts import of_rank
from relgraph.tensor.functions.searching import extract
from relgraph.tensor.indexing.functions import getitem, inc_subtensor
from relgraph.tensor.math import cast, eq, logical_not
from relgraph.tensor.reductions.reduction import any as any_
from relgraph.tensor.shapes.reshaping import ravel, reshape
from relgraph.tensor.shapes.shape import lengths, one_input
from relgraph.tensor.type import TensorType


def isin(element: Any, test_elements: Any, invert: bool = False) -> Any:
    """Return which elements are among others.

    Parameters
    ----------
    element
        A tensor; the result has its shape.
    test_elements
        The others.
    invert
        Whether to tell which are not.

    >>> isin([1, 2], [2, 3]).eval()
    array([False,  True])
    """
    element, others = as_argument(element, "isin"), ravel(as_argument(test_elements, "isin", 1))
    spread = element.dimshuffle(*range(element.type.ndim), "x")
    found = any_(eq(spread, of_rank(others, element.type.ndim + 1, element.type.ndim)), axis=-1)
    return logical_not(found) if invert else found


class Unique(TypedOp):
    """The different elements of a vector in order, and three vectors of int64 about them.

    The others are the index of the first element that is equal to each, for each element the
    number of its equal, and how often each occurs.

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

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        if x.ndim != 1:
            raise TypeError(f"unique: the input is a {x}, not a vector")
        some = TensorType("int64", (None,))
        return [TensorType(x.dtype, (None,)), some, TensorType("int64", x.shape), some]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        found = np.unique(
            inputs[0],
            return_index=True,
            return_inverse=True,
            return_counts=True,
            equal_nan=self.equal_nan,
        )
        for storage, values in zip(output_storage, found, strict=True):
            storage[0] = np.ascontiguousarray(values)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True, False, False, False]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient: it is that of the first of equal elements."""
        x: Any = inputs[0]
        if is_discrete(x.type.dtype):
            return [zeros_like(x, "float64")]
        return [inc_subtensor(getitem(zeros_like(x), outputs[1]), output_grads[0])]


def unique(ar: Any, return_index: bool = False, return_inverse: bool = False,
           return_counts: bool = False, *, equal_nan: bool = True) -> Any:  # fmt: skip
    """Return the different elements of the flattened `ar` in order, and more if it is asked for.

    The index of the first element equal to each; for each element the number of its equal, in the
    shape of `ar`; and how often each occurs.

    Parameters
    ----------
    ar
        A tensor.
    return_index, return_inverse, return_counts
        What is asked for, in the order above.
    equal_nan
        Whether all nan are one element.

    >>> unique([2, 1, 2]).eval()
    array([1, 2])
    """
    ar = as_argument(ar, "unique")
    values, index, inverse, counts = Unique(equal_nan)(ravel(ar))
    wanted = (return_index, return_inverse, return_counts)
    more = [index, reshape(inverse, lengths(ar)), counts]
    chosen = [v for v, is_wanted in zip(more, wanted, strict=True) if is_wanted]
    return (values, *chosen) if chosen else values


def unique_values(x: Any) -> Any:
    """Return the different elements in order; no two nan are equal.

    Parameters
    ----------
    x
        A tensor.

    >>> unique_values([2, 1, 2]).eval()
    array([1, 2])
    """
    return unique(x, equal_nan=False)


def unique_counts(x: Any) -> Any:
    """Return the different elements in order, and how often each occurs; as `unique_values`.

    Parameters
    ----------
    x
        A tensor.
    """
    return unique(x, return_counts=True, equal_nan=False)


def unique_inverse(x: Any) -> Any:
    """Return the different elements in order, and for each element the number of its equal; as
    `unique_values`.

    Parameters
    ----------
    x
        A tensor.
    """
    return unique(x, return_inverse=True, equal_nan=False)


def unique_all(x: Any) -> Any:
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

    >>> union1d([1, 2], [2, 3]).eval()
    array([1, 2, 3])
    """
    return unique(join(0, ravel(ar1), ravel(ar2)))


def intersect1d(ar1: Any, ar2: Any) -> Any:
    """Return the elements of both, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    >>> intersect1d([1, 2], [2, 3]).eval()
    array([2])
    """
    first, second = (as_argument(x, "intersect1d", i) for i, x in enumerate((ar1, ar2)))
    both = cast(unique(first), result_dtype(first.type.dtype, second.type.dtype))
    return extract(isin(both, second), both)


def setdiff1d(ar1: Any, ar2: Any) -> Any:
    """Return the elements of the first that are not in the second, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    >>> setdiff1d([1, 2], [2, 3]).eval()
    array([1])
    """
    own = unique(ar1)
    return extract(isin(own, ar2, invert=True), own)


def setxor1d(ar1: Any, ar2: Any) -> Any:
    """Return the elements of exactly one of two, each once and in order.

    Parameters
    ----------
    ar1, ar2
        Tensors, which are flattened.

    >>> setxor1d([1, 2], [2, 3]).eval()
    array([1, 3])
    """
    return sort(join(0, setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)), 0)


__all__ = [
    *("intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all"),
    *("unique_counts", "unique_inverse", "unique_values"),
]

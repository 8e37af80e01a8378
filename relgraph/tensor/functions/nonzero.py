"""`nonzero` and `flatnonzero`: the places of the elements that are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.op import TypedOp
from relgraph.tensor.basic import as_argument
from relgraph.tensor.shapes.reshaping import ravel
from relgraph.tensor.shapes.shape import one_input
from relgraph.tensor.type import TensorType


class Nonzero(TypedOp):
    """The coordinates of the elements that are not zero: for each axis a vector of int64.

    Parameters
    ----------
    nout
        The number of axes of the input.
    """

    __props__ = ("nout",)

    def __init__(self, nout: int) -> None:
        self.nout = nout

    def __str__(self) -> str:
        return "nonzero"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        return [TensorType("int64", (None,))] * self.nout

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        for storage, found in zip(output_storage, np.nonzero(inputs[0]), strict=True):
            storage[0] = np.ascontiguousarray(found)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False] * self.nout]


def nonzero(a: Any) -> tuple[Any, ...]:
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
    a = as_argument(a, "nonzero")
    if a.type.ndim == 0:
        raise ValueError(f"nonzero: {a} has no axes; use flatnonzero")
    return tuple(Nonzero(a.type.ndim)(a, return_list=True))


def flatnonzero(a: Any) -> Any:
    """Return the indices of the elements of the flattened `a` that are not zero.

    Parameters
    ----------
    a
        A tensor.

    >>> flatnonzero([0, 3, 4]).eval()
    array([1, 2])
    """
    return nonzero(ravel(a))[0]


__all__ = ["flatnonzero", "nonzero"]

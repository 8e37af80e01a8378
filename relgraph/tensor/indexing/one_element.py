"""Gradients with respect to one element along some axes: zero everywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from relgraph.graph.notation import number_of
from relgraph.tensor.indexing.indices import IndexList, Slice
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor


class OneElement(NamedTuple):
    """A tensor that is zero but for one place along some axes.

    Attributes
    ----------
    places, inputs
        The place, as in `Subtensor`: an integer on each of the axes, everything on the others.
    value
        What stands there; it broadcasts to that part of the tensor.
    """

    places: IndexList
    inputs: Sequence[Any]
    value: Any

    @staticmethod
    def in_(tensor: Any, axes: Sequence[int]) -> OneElement | None:
        """Return what a tensor has at one place along some axes; None if it is not known to be zero
        everywhere else."""
        node = tensor.owner
        if node is None or not isinstance(node.op, IncSubtensor):
            return None
        zeros, value, *inputs = node.inputs
        index = node.op.idx_list
        places = (*index, *[Slice()] * (tensor.type.ndim - len(index)))
        one_each = all(
            not isinstance(place, Slice) if axis in axes else place == Slice()
            for axis, place in enumerate(places)
        )
        return OneElement(index, inputs, value) if one_each and number_of(zeros) == 0 else None

    def part(self, x: Any) -> Any:
        """Return what another tensor has at the place."""
        return Subtensor(self.places)(x, *self.inputs)

    def replaced(self, x: Any, value: Any) -> Any:
        """Return another tensor with `value` at the place."""
        return IncSubtensor(self.places, set_instead_of_inc=True)(x, value, *self.inputs)

"""`HoldsOp`: what an op has that is run by an op of the other library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class HoldsOp:
    """A part of `HeldOp`, which holds an op of PyTensor's, and of `CarriedOp`, which holds one of
    this library.

    Parameters
    ----------
    op
        The op of the other library.
    inputs, outputs
        PyTensor's types of the inputs and outputs of the node.
    """

    def __init__(self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.op = op
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self._performed: Any = None

    def node(self) -> Any:
        """Return a node of `op` on fresh inputs."""
        raise NotImplementedError

    def node_to_perform(self) -> Any:
        """Return a node whose `perform` is ready to be called."""
        return self.node()

    def computed(
        self, inputs: Sequence[Any], converted: Callable[[Any, Any], Any], copied: set[int]
    ) -> list[Any]:
        """Return the values of the outputs, which the `perform` of `op` computes.

        Parameters
        ----------
        inputs
            The values of the inputs.
        converted
            Makes a value for `op` of PyTensor's type of an input and its value.
        copied
            The positions of the inputs of which `op` gets copies.
        """
        if self._performed is None:
            self._performed = self.node_to_perform()
        values = [
            converted(t, x.copy() if i in copied else x)
            for i, (t, x) in enumerate(zip(self.inputs, inputs, strict=True))
        ]
        cells: list[list[Any]] = [[None] for _ in self.outputs]
        self.op.perform(self._performed, values, cells)
        return [cell[0] for cell in cells]

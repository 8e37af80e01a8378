"""`RandomOp`: what the ops that draw have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op
from relgraph.tensor.random.type import RandomGeneratorType, copied


class RandomOp(Op):
    """An op whose first input is a generator; its outputs are the next generator and a draw.

    A draw is a function of the state of the generator, but two draws are never merged: each node
    draws by itself. Nor is one computed ahead of time.

    Attributes
    ----------
    inplace
        Whether the given generator itself is advanced; if not, a copy of it.
    nonnegative
        Whether no element of a draw is less than zero.
    """

    default_output = 1
    nout = 2
    pure = False
    inplace: bool
    nonnegative: bool = False

    def _set_inplace(self, inplace: bool) -> None:
        self.inplace = bool(inplace)
        self.destroy_map = {0: [0]} if inplace else {}

    @abstractmethod
    def overwriting(self) -> RandomOp:
        """Return this op, with the given generator advanced in place."""

    @abstractmethod
    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        """Return a draw; `values` are those of the inputs behind the generator."""

    def check_generator(self, rng: Any) -> None:
        """Raise a TypeError if `rng` is not a variable of generators."""
        if not isinstance(rng, Variable) or not isinstance(rng.type, RandomGeneratorType):
            found = f"{rng} of type {rng.type}" if isinstance(rng, Variable) else f"{rng!r}"
            raise TypeError(
                f"{self}: the generator is {found}, and a variable of RandomGeneratorType is "
                "wanted: relgraph.shared(numpy.random.default_rng(seed)) makes one"
            )

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        generator = inputs[0] if self.inplace else copied(inputs[0])
        drawn = self.draw(generator, node, inputs[1:])
        output_storage[0][0] = generator
        output_storage[1][0] = np.asarray(drawn, node.outputs[1].type.numpy_dtype)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False, False] for _ in node.inputs]

"""`Permutation` and `Permuted`: integers in random order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.axes import normalize_axis, static_int
from relgraph.tensor.basic import as_argument
from relgraph.tensor.math import maximum
from relgraph.tensor.random.random_op import RandomOp
from relgraph.tensor.random.type import random_generator_type
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.tensor.type import TensorType


class Permutation(RandomOp):
    """The integers from 0 to ``n - 1`` in random order, for an integer `n` of rank 0; none for a
    negative one.

    Parameters
    ----------
    inplace
        Whether the given generator itself is advanced; if not, a copy of it.
    """

    __props__ = ("inplace",)
    nonnegative = True

    def __init__(self, inplace: bool = False) -> None:
        self._set_inplace(inplace)

    def __str__(self) -> str:
        return "permutation{inplace}" if self.inplace else "permutation"

    def overwriting(self) -> Permutation:
        return Permutation(True)

    def make_node(self, rng: Any, n: Any) -> Apply:
        """Return a node; raises a TypeError if `n` is not an integer of rank 0."""
        self.check_generator(rng)
        n = as_argument(n, self, 1)
        if n.type.ndim != 0 or not is_discrete(n.type.dtype):
            raise TypeError(f"{self}: n is a {n.type}, and an integer of rank 0 is wanted")
        known = static_int(n)
        length = None if known is None else max(known, 0)
        drawn = TensorType("int64", (length,)).make_variable()
        return Apply(self, [rng, n], [random_generator_type.make_variable(), drawn])

    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        return generator.permutation(int(values[0]))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        n = node.inputs[1]
        is_length = n.owner is not None and isinstance(n.owner.op, Shape_i)
        return [None, (n if is_length else maximum(n, 0),)]


class Permuted(RandomOp):
    """A tensor of integers with the elements along an axis in random order, each row in its own.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    inplace
        Whether the given generator itself is advanced; if not, a copy of it.
    """

    __props__ = ("axis", "inplace")

    def __init__(self, axis: int, inplace: bool = False) -> None:
        self.axis = axis
        self._set_inplace(inplace)

    def __str__(self) -> str:
        return f"permuted{{axis={self.axis}{', inplace' if self.inplace else ''}}}"

    def overwriting(self) -> Permuted:
        return Permuted(self.axis, True)

    def make_node(self, rng: Any, x: Any) -> Apply:
        """Return a node; raises a TypeError if `x` holds no integers."""
        self.check_generator(rng)
        x = as_argument(x, self, 1)
        normalize_axis(self.axis, x.type.ndim, str(self))
        if not is_discrete(x.type.dtype):
            raise TypeError(f"{self}: x is a {x.type}, and integers are wanted")
        drawn = x.type.make_variable()
        return Apply(self, [rng, x], [random_generator_type.make_variable(), drawn])

    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        return generator.permuted(values[0], axis=self.axis)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [None, shapes[1]]

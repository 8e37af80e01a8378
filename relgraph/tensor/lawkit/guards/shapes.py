"""What is known of shapes: which lengths a variable has, and what broadcasts to what, as goals.

A tensor covers the shape of another if the two, broadcast together, have the shape of the first.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Constant
from relgraph.graph.kanren.goals import Where, whereo
from relgraph.tensor.axes import static_int
from relgraph.tensor.shapes.shape import MakeVector, Shape_i
from relgraph.tensor.type import TensorType


def has_one_element(var: Any) -> bool:
    """Return whether all axes of `var` are known to have length 1."""
    return isinstance(var.type, TensorType) and all(n == 1 for n in var.type.shape)


def covers_shape(x: Any, y: Any) -> bool:
    """Return whether an elementwise op on `x` and `y` has the shape of `x`.

    They have as many axes, and where `x` is known to have length 1 so is `y`.
    """
    if not isinstance(x.type, TensorType) or not isinstance(y.type, TensorType):
        return False
    known = y.type.broadcastable
    return x.type.ndim == y.type.ndim and all(
        small or not large for large, small in zip(x.type.broadcastable, known, strict=True)
    )


def broadcast_alike(x: Any, y: Any) -> bool:
    """Return whether `x` and `y` have as many axes, and the same of them broadcast."""
    return bool(x.type.broadcastable == y.type.broadcastable)


def known_length(n: Any) -> Any:
    """Return a length as an int if it is known ahead, else the variable that it is."""
    known = static_int(n)
    return n if known is None else known


def known_entries(vector: Any) -> list[Any] | None:
    """Return the entries of a vector of integers, ints where they are known.

    Returns
    -------
    entries
        None if `vector` is neither a constant nor made of its entries.
    """
    if isinstance(vector, Constant):
        return [int(n) for n in vector.data]
    if vector.owner is not None and isinstance(vector.owner.op, MakeVector):
        return [known_length(n) for n in vector.owner.inputs]
    return None


def is_length_of(n: Any, x: Any, axis: int) -> bool:
    """Return whether `n`, an int or an integer variable, is the length of `x` on `axis`."""
    return bool(n == x.type.shape[axis]) if isinstance(n, int) else reads_length_of(n, x, axis)


def reads_length_of(n: Any, x: Any, axis: int) -> bool:
    """Return whether the node of `n` asks for the length of `x` on `axis`."""
    node = n.owner
    return (
        node is not None
        and isinstance(node.op, Shape_i)
        and node.op.i == axis
        and node.inputs[0] is x
    )


def one_elemento(x: Any) -> Where:
    """Construct the goal that all axes of `x` are known to have length 1."""
    return whereo(has_one_element, x)


def covers_shapeo(x: Any, y: Any) -> Where:
    """Construct the goal that an elementwise op on `x` and `y` has the shape of `x`."""
    return whereo(covers_shape, x, y)

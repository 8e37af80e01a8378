"""Lengths and shapes that follow from a node, for the laws in `relations.layout.shapes`.

Nothing here looks at values: a length that is not known ahead is a variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.op import Op
from relgraph.tensor.basic import constant
from relgraph.tensor.indexing.indices import Slice, static_length
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.lawkit.guards.shapes import reads_length_of
from relgraph.tensor.math import cast
from relgraph.tensor.shapes.shape import (
    MakeVector,
    Shape_i,
    _shape,
    has_shape,
    inferred_shape,
)


def _inferred_lengths(y: Any) -> tuple[Variable, ...] | None:
    """Return the lengths of `y` as its node infers them, int64s of rank 0; None if it can't."""
    if not has_shape(y) or y.owner is None:
        return None
    if type(y.owner.op).infer_shape is Op.infer_shape:
        return None
    shape = inferred_shape(y)
    return None if shape is None else tuple(_as_int64(n) for n in shape)


def _as_int64(n: Any) -> Variable:
    made = constant(n, dtype="int64") if isinstance(n, int | np.integer) else cast(n, "int64")
    assert isinstance(made, Variable)
    return made


@depends_on_levels(1)
def length_from_inputs(y: Any, axis: int) -> Variable | None:
    """Return the length of an axis of `y` as an expression of the inputs of its node, or None."""
    if y.type.shape[axis] is not None:
        return _as_int64(y.type.shape[axis])
    lengths = _inferred_lengths(y)
    return None if lengths is None else lengths[axis]


@depends_on_levels(1)
def infers_length(y: Any, axis: int) -> bool:
    """Return whether the length of an axis of `y` follows from its type or its node."""
    return y.type.shape[axis] is not None or length_from_inputs(y, axis) is not None


@depends_on_levels(1)
def has_length_of_input(y: Any, axis: int) -> bool:
    """Return whether the length follows without arithmetic: it is known, or that of an input, or an
    element of an input."""
    length = length_from_inputs(y, axis)
    return length is not None and (
        length.owner is None
        or isinstance(length.owner.op, Shape_i)
        or _is_element_of_input(length, y)
    )


def _is_element_of_input(length: Any, y: Any) -> bool:
    """Return whether a length is an element of a vector that the node of `y` reads."""
    node = length.owner
    return (
        isinstance(node.op, Subtensor)
        and is_one_integer(node.op.idx_list)
        and any(v is node.inputs[0] for v in y.owner.inputs)
    )


@depends_on_levels(1)
def shape_from_inputs(y: Any) -> Variable | None:
    """Return the shape of `y`, a vector, as an expression of the inputs of its node, or None."""
    if None not in y.type.shape:
        vector = constant(np.array(y.type.shape, dtype="int64"))
        assert isinstance(vector, Variable)
        return vector
    lengths = _inferred_lengths(y)
    if lengths is None:
        return None
    whole = _whose_lengths(lengths)
    made = MakeVector("int64")(*lengths) if whole is None else _shape(whole)
    assert isinstance(made, Variable)
    return made


def _whose_lengths(lengths: Sequence[Variable]) -> Variable | None:
    """Return the variable whose lengths these are, all and in order, or None."""
    if not lengths or lengths[0].owner is None:
        return None
    first: Any = lengths[0].owner.inputs[0] if lengths[0].owner.inputs else None
    same = all(reads_length_of(n, first, i) for i, n in enumerate(lengths))
    return first if same and first.type.ndim == len(lengths) else None


@depends_on_levels(1)
def infers_shape(y: Any) -> bool:
    """Return whether the shape of `y` follows from its type or its node."""
    return None not in y.type.shape or shape_from_inputs(y) is not None


@depends_on_levels(1)
def has_shape_of_input(y: Any) -> bool:
    """Return whether the shape of `y` is known, or that of an input, or made of elements of an
    input."""
    if None not in y.type.shape:
        return True
    lengths = _inferred_lengths(y)
    if lengths is None:
        return False
    return _whose_lengths(lengths) is not None or all(
        n.owner is None or _is_element_of_input(n, y) for n in lengths
    )


def is_one_integer(index: Any) -> bool:
    """Return whether a basic index is one integer that is known."""
    return len(index) == 1 and isinstance(index[0], int)


def axis_at(index: Any, x: Any) -> int:
    """Return which axis of `x` an index of one integer into its shape means."""
    return int(index[0] % x.type.ndim)


def is_position_in(index: Any, elements: Sequence[Any]) -> bool:
    """Return whether a basic index is one integer within a vector of `elements`."""
    return is_one_integer(index) and -len(elements) <= index[0] < len(elements)


def element_at(index: Any, elements: Sequence[Any]) -> Any:
    """Return the element that an index of one integer means."""
    return elements[index[0]]


def is_slice_of(index: Any, elements: Sequence[Any]) -> bool:
    """Return whether a basic index is one slice, with known ends, of at least one element."""
    if len(index) != 1 or not isinstance(index[0], Slice):
        return False
    return bool(static_length(len(elements), index[0]))


def elements_in(index: Any, elements: Sequence[Any]) -> Any:
    """Return the elements that an index of one slice means."""
    return elements[slice(*index[0].parts())]

"""What laws about shapes compute: lengths that follow from a node, and which shapes cover which.

Nothing here looks at values; where a length is not known ahead the answer is a variable, or no.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.op import Op
from relgraph.tensor.assembly.allocation import alloc
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import constant
from relgraph.tensor.indexing.indices import Slice, static_length
from relgraph.tensor.lawkit.guards.dependence import looking
from relgraph.tensor.lawkit.layout.fills import inferred_shape
from relgraph.tensor.math import cast
from relgraph.tensor.shapes.shape import MakeVector, Shape_i, _shape
from relgraph.tensor.type import TensorType


def tells_shape(y: Any) -> bool:
    """Return whether the op that makes `y` says something about shapes."""
    if not isinstance(y.type, TensorType):
        return False
    return y.owner is not None and type(y.owner.op).infer_shape is not Op.infer_shape


def lifted_lengths(y: Any) -> tuple[Variable, ...] | None:
    """Return the lengths of `y` as its node infers them, int64s of rank 0; None if it can't."""
    shape = inferred_shape(y) if tells_shape(y) else None
    return None if shape is None else tuple(_as_int64(n) for n in shape)


def _as_int64(n: Any) -> Variable:
    made = constant(n, dtype="int64") if isinstance(n, int | np.integer) else cast(n, "int64")
    assert isinstance(made, Variable)
    return made


@looking(1)
def lifted_length(y: Any, i: int) -> Variable | None:
    """Return the length of axis `i` of `y` in terms of the inputs of its node, or None."""
    if y.type.shape[i] is not None:
        return _as_int64(y.type.shape[i])
    lengths = lifted_lengths(y)
    return None if lengths is None else lengths[i]


@looking(1)
def lifts_length(y: Any, i: int) -> bool:
    """Return whether the length of axis `i` of `y` follows from its type or its node."""
    return y.type.shape[i] is not None or lifted_length(y, i) is not None


@looking(1)
def lifts_plainly(y: Any, i: int) -> bool:
    """Return whether the length follows without computing: it is known, or that of an input."""
    length = None if y.type.shape[i] is None and not tells_shape(y) else lifted_length(y, i)
    return length is not None and _is_plain(length)


def _is_plain(length: Variable) -> bool:
    return length.owner is None or isinstance(length.owner.op, Shape_i)


@looking(1)
def lifted_shape(y: Any) -> Variable | None:
    """Return the shape of `y` as a vector in terms of the inputs of its node, or None."""
    if None not in y.type.shape:
        vector = constant(np.array(y.type.shape, dtype="int64"))
        assert isinstance(vector, Variable)
        return vector
    lengths = lifted_lengths(y)
    if lengths is None:
        return None
    whole = _whose_shape(lengths)
    made = MakeVector("int64")(*lengths) if whole is None else _shape(whole)
    assert isinstance(made, Variable)
    return made


def _whose_shape(lengths: Sequence[Variable]) -> Variable | None:
    """Return the variable whose lengths these are, all and in order, or None."""
    if not lengths or lengths[0].owner is None:
        return None
    first: Any = lengths[0].owner.inputs[0] if lengths[0].owner.inputs else None
    same = all(_is_length(n, first, i) for i, n in enumerate(lengths))
    return first if same and first.type.ndim == len(lengths) else None


@looking(1)
def lifts_shape(y: Any) -> bool:
    """Return whether the shape of `y` follows from its type or its node."""
    return None not in y.type.shape or lifted_shape(y) is not None


@looking(1)
def lifts_shape_plainly(y: Any) -> bool:
    """Return whether the shape of `y` is known, or that of an input."""
    if None not in y.type.shape:
        return True
    lengths = lifted_lengths(y)
    return lengths is not None and _whose_shape(lengths) is not None


def is_one_place(index: Any) -> bool:
    """Return whether a basic index is one integer that is known."""
    return len(index) == 1 and isinstance(index[0], int)


def place_in(index: Any, x: Any) -> int:
    """Return which axis of `x` an index into its shape means."""
    return int(index[0] % x.type.ndim)


def names_element(index: Any, elements: Sequence[Any]) -> bool:
    """Return whether a basic index is one integer within a vector of `elements`."""
    return is_one_place(index) and -len(elements) <= index[0] < len(elements)


def element_at(index: Any, elements: Sequence[Any]) -> Any:
    """Return the element that the index means."""
    return elements[index[0]]


def names_elements(index: Any, elements: Sequence[Any]) -> bool:
    """Return whether a basic index is one slice, with known ends, of some of the elements."""
    if len(index) != 1 or not isinstance(index[0], Slice):
        return False
    return bool(static_length(len(elements), index[0]))


def elements_at(index: Any, elements: Sequence[Any]) -> Any:
    """Return the elements that a slice means."""
    return elements[slice(*index[0].parts())]


def covers(y: Any, *lengths: Any) -> bool:
    """Return whether an elementwise op on `y` and a tensor of `lengths` has the shape of `y`."""
    return y.type.ndim == len(lengths) and all(
        static_int(n) == 1 or not small
        for n, small in zip(lengths, y.type.broadcastable, strict=True)
    )


def fits_lengths(x: Any, *lengths: Any) -> bool:
    """Return whether `x` broadcasts to `lengths`, as far as types tell."""
    missing = len(lengths) - x.type.ndim
    return missing >= 0 and all(
        small or static_int(n) != 1
        for n, small in zip(lengths[missing:], x.type.broadcastable, strict=True)
    )


def lies_within(y: Any, *lengths: Any) -> bool:
    """Return whether `y` broadcasts to `lengths`, and some of them are not its own."""
    return fits_lengths(y, *lengths) and not covers(y, *lengths)


def has_lengths(x: Any, *lengths: Any) -> bool:
    """Return whether `x` is known to have these lengths: numbers, or its own.

    A length that is known to be 1 has to be given as a number: what is allocated to a variable one
    does not broadcast there, and `x` does.
    """
    known = [_known_or_itself(n) for n in lengths]
    return x.type.ndim == len(lengths) and all(
        is_own_length(n, x, i) and (isinstance(n, int) or x.type.shape[i] != 1)
        for i, n in enumerate(known)
    )


def covers_moved(y: Any, order: Sequence[int | str], a: Any) -> bool:
    """Return whether `y` has all the axes that `a` has once they are in another order.

    Parameters
    ----------
    order
        That of a `DimShuffle` of `a`.
    """
    return y.type.ndim == len(order) and all(
        isinstance(axis, str) or a.type.broadcastable[axis] or not small
        for axis, small in zip(order, y.type.broadcastable, strict=True)
    )


def knows_shape(a: Any, x: Any) -> bool:
    """Return whether the shape of `a`, to which `x` broadcasts, is known ahead."""
    shape = a.type.shape
    return None not in shape and fits_lengths(x, *shape)


def allocated_like(a: Any, x: Any) -> Any:
    """Return `x`, filled into the shape of `a`, which is known."""
    return alloc(x, *a.type.shape)


def keeps_order(order: Sequence[int | str]) -> bool:
    """Return whether a `DimShuffle` to `order` leaves the elements where they are in memory."""
    axes = [axis for axis in order if not isinstance(axis, str)]
    return axes == sorted(axes)


@looking(2)
def is_shape_of(vector: Any, x: Any) -> bool:
    """Return whether `vector` is known to be the shape of `x`, or to stand for it by a -1.

    It is a constant, or made of ints and lengths of `x`.
    """
    entries = entries_of(vector)
    if entries is None:
        return False
    known = x.type.shape
    open_ones = [i for i, n in enumerate(entries) if isinstance(n, int) and n == -1]
    return (
        len(entries) == len(known)
        and len(open_ones) <= 1
        # of a tensor without elements a -1 may be anything
        and (not open_ones or len(entries) == 1 or (None not in known and 0 not in known))
        and all(i in open_ones or is_own_length(n, x, i) for i, n in enumerate(entries))
    )


def entries_of(vector: Any) -> list[Any] | None:
    """Return the entries of an integer vector, ints where they are known; None if it is neither a
    constant nor made of them."""
    if isinstance(vector, Constant):
        return [int(n) for n in vector.data]
    if vector.owner is not None and isinstance(vector.owner.op, MakeVector):
        return [_known_or_itself(n) for n in vector.owner.inputs]
    return None


def is_own_length(n: Any, x: Any, i: int) -> bool:
    """Return whether `n`, an int or an integer variable, is how long `x` is on axis `i`."""
    return bool(n == x.type.shape[i]) if isinstance(n, int) else _is_length(n, x, i)


def _known_or_itself(n: Any) -> Any:
    known = static_int(n)
    return n if known is None else known


def _is_length(n: Any, x: Any, i: int) -> bool:
    node = n.owner
    return (
        node is not None and isinstance(node.op, Shape_i) and node.op.i == i and node.inputs[0] is x
    )


def agrees_with(shape: Sequence[int | None], x: Any) -> bool:
    """Return whether all lengths in `shape` are known of `x` already."""
    return all(n is None or n == known for n, known in zip(shape, x.type.shape, strict=True))


def merged_lengths(s: Sequence[int | None], t: Sequence[int | None]) -> tuple[int | None, ...]:
    """Return the lengths that either of two shapes, which agree, declares."""
    return tuple(m if n is None else n for n, m in zip(s, t, strict=True))


def is_kept(order: Sequence[int | str], axis: Any, x: Any) -> bool:
    """Return whether a `DimShuffle` to `order` gives back the axes that reducing `x` took away.

    Parameters
    ----------
    axis
        Of the reduction: None for all axes, or a tuple.
    """
    axes = range(x.type.ndim) if axis is None else axis
    kept = iter(range(x.type.ndim))
    return tuple(order) == tuple("x" if i in axes else next(kept) for i in range(x.type.ndim))


def usual_axis(axis: Any, x: Any) -> Any:
    """Return the axes of a reduction of `x` as softmax spells them: an int if there is one."""
    if axis is None:
        return None
    return axis[0] if len(axis) == 1 else tuple(axis)

"""Shapes, views in other shapes, new arrays, joins, and identities; parts, and changes of these.

A shape is known when a graph is traced: it is a NumPy array, and so is what is computed from it. A
slice whose bounds are traced needs their values; an index of one element does not. What NumPy
refuses as out of bounds is clipped when it is traced.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import by_perform, is_known, is_traced, static
from relgraph.engines.jax.values import as_dtype, usable
from relgraph.graph.basic import Apply
from relgraph.printing import Print
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor, check_index_arrays
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.signatures import check_broadcast
from relgraph.tensor.subtensor import (
    BaseIncSubtensor,
    IncSubtensor,
    Subtensor,
    symbolic_index,
    within,
)

SMALL = 64
"""New arrays of known values are known as well, up to this size."""


def make_vector(op: MakeVector, node: Apply, *values: Any) -> Any:
    return jnp.stack([as_dtype(x, op.dtype) for x in values])


def reshape(op: Reshape, node: Apply, x: Any, vector: Any) -> Any:
    return jnp.reshape(x, op.checked_shape(node, x, static(node, 1, vector)))


def alloc(op: Alloc, node: Apply, value: Any, *lengths: Any) -> Any:
    wanted = tuple(int(static(node, 1 + i, n)) for i, n in enumerate(lengths))
    check_broadcast(node, value, wanted, 0, "the shape")
    if is_known(value) and math.prod(wanted) <= SMALL:
        return np.array(np.broadcast_to(value, wanted))
    return jnp.broadcast_to(value, wanted)


def eye(op: Eye, node: Apply, *values: Any) -> Any:
    rows, columns, k = (int(static(node, i, v)) for i, v in enumerate(values))
    if k < -rows or k > columns:
        return jnp.zeros((rows, columns), usable(op.dtype))
    return jnp.eye(rows, columns, k, dtype=usable(op.dtype))


def arange(op: ARange, node: Apply, *limits: Any) -> Any:
    start, stop, step = (static(node, i, v).item() for i, v in enumerate(limits))
    if step == 0:
        raise ValueError(f"arange: step ({node.inputs[2]}) is 0")
    length = max(0, math.ceil((stop - start) / step))
    if length <= SMALL:
        return np.arange(start, stop, step, dtype=op.dtype)
    # as NumPy fills it: from the first two elements, which have the dtype already
    first, second = np.asarray([start, start + step]).astype(op.dtype)
    steps = jax.lax.iota(usable(op.dtype), length)
    return first + steps * (second - first)


def join(op: Join, node: Apply, *values: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    return jnp.concatenate([as_dtype(x, dtype) for x in values], axis=op.axis)


def split(op: Split, node: Apply, x: Any, sizes: Any) -> Any:
    stops = op.checked_stops(node, x, static(node, 1, sizes))
    return tuple(jnp.split(x, stops[:-1].tolist(), axis=op.axis))


def printed(op: Print, node: Apply, x: Any) -> Any:
    jax.debug.print("{message} {x}", message=op.message, x=x)
    return x


def _index(node: Apply, first: int, values: Sequence[Any], x: Any) -> tuple[Any, ...]:
    """Return the index of a node, for arrays of JAX; a mask is the places where it is true.

    Parameters
    ----------
    first
        The position of the first input that is an index.
    values
        The values of these inputs.
    x
        The array that is indexed.

    Raises
    ------
    IndexError
        If an index that is known is out of bounds.
    """
    found: list[Any] = []
    axis = 0

    def bound(part: Any) -> Any:
        return int(static(node, *part)) if isinstance(part, tuple) else part

    for e in symbolic_index(node.op.idx_list, list(enumerate(values, first))):
        if e is None:
            found.append(None)
            continue
        if isinstance(e, slice):
            found.append(within(slice(*map(bound, (e.start, e.stop, e.step))), x.shape[axis]))
            axis += 1
            continue
        entries = [e]
        if isinstance(e, tuple):
            position, value = e
            if is_known(value):
                # JAX does not convert them beside traced ones
                value = value.astype(usable(value.dtype), copy=False)
            entries = [int(value) if is_known(value) and value.ndim == 0 else value]
            if value.dtype == bool and value.ndim:
                mask = static(node, position, value)
                if mask.size and mask.shape != x.shape[axis : axis + mask.ndim]:
                    raise IndexError(f"{node.op}: a mask of shape {mask.shape} for {x.shape}")
                entries = list(np.nonzero(mask))
        for entry in entries:
            _check_bounds(node, x, axis, entry)
            axis += 1
        found += entries
    return tuple(found)


def _check_bounds(node: Apply, x: Any, axis: int, entry: Any) -> None:
    n = x.shape[axis]
    known = None if is_traced(entry) else np.asarray(entry)
    if known is not None and known.size and not -n <= known.min() <= known.max() < n:
        raise IndexError(
            f"{node.op}: {node.inputs[0]} has shape {x.shape}: an index is out of bounds for "
            f"axis {axis} with length {n}"
        )


def part(op: Any, node: Apply, x: Any, *indices: Any) -> Any:
    _check_arrays(node, node.inputs[1:], indices)
    index = _index(node, 1, indices, x)
    return jnp.asarray(x)[index]


def with_part(op: BaseIncSubtensor, node: Apply, x: Any, y: Any, *indices: Any) -> Any:
    _check_arrays(node, node.inputs[2:], indices)
    index = _index(node, 2, indices, x)
    x = jnp.asarray(x)
    check_broadcast(node, y, _shape_of_part(x, index))
    y = as_dtype(y, x.dtype)
    if _is_whole(x, index):
        if op.set_instead_of_inc:
            return jnp.broadcast_to(y, x.shape)
        return x | y if x.dtype == bool else x + y
    at = x.at[index]
    if op.set_instead_of_inc:
        return at.set(y)
    if x.dtype == bool:
        return at.max(y)
    return at.add(y)


def _is_whole(x: Any, index: tuple[Any, ...]) -> bool:
    """Return whether slices take all of an array as it is. JAX makes a scatter of setting that, of
    which XLA's compiler for CPUs aborts the process where the result is reversed."""
    return all(
        isinstance(e, slice) and range(*e.indices(n)) == range(n)
        for e, n in zip(index, x.shape, strict=False)
    )


def _shape_of_part(x: Any, index: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape of a part, without computing it: that of a view of one element."""
    stand_in = np.broadcast_to(np.zeros((), bool), x.shape)
    known = tuple([np.zeros(e.shape, "int64") if is_traced(e) else e for e in index])
    if 0 in x.shape:
        return tuple(jnp.asarray(x)[index].shape)
    return tuple(stand_in[known].shape)


def _check_arrays(node: Apply, variables: Sequence[Any], values: Sequence[Any]) -> None:
    """Raise an IndexError if index arrays would broadcast along an axis not known to be 1."""
    arrays = [(v, x) for v, x in zip(variables, values, strict=True) if v.type.dtype != "bool"]
    check_index_arrays(node, [v for v, _ in arrays], [x for _, x in arrays])


TABLE: dict[type, Any] = {
    Shape: by_perform,
    Shape_i: by_perform,
    MakeVector: make_vector,
    Reshape: reshape,
    SpecifyShape: by_perform,
    Alloc: alloc,
    Eye: eye,
    ARange: arange,
    Join: join,
    Split: split,
    Print: printed,
    Subtensor: part,
    IncSubtensor: with_part,
    AdvancedSubtensor: part,
    AdvancedIncSubtensor: with_part,
}

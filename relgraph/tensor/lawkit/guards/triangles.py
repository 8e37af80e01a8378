"""Matrices that are zero on one side of a diagonal, as `tril` and `triu` make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Constant
from relgraph.tensor.assembly.creation import ARange
from relgraph.tensor.axes import static_int
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.guards.constants import is_zero_everywhere
from relgraph.tensor.lawkit.guards.numbers import real_number


def sides_left_by_mask(inputs: Sequence[Any]) -> frozenset[str]:
    """Return on which side of its diagonal a matrix may be other than zero, if it is zero on one.

    Parameters
    ----------
    inputs
        Those of a switch: a condition, and two branches.

    Returns
    -------
    sides
        ``lower``, ``upper``, both or none.
    """
    condition, then, otherwise = inputs
    if isinstance(condition, Constant):
        return _masked_by(np.asarray(condition.data), then, otherwise)
    kept_below = _true_on_and_below(condition)
    if kept_below is None:
        return frozenset()
    if is_zero_everywhere(otherwise) and kept_below <= 0:
        return frozenset({"lower"})
    if is_zero_everywhere(then) and kept_below >= -1:
        return frozenset({"upper"})
    return frozenset()


def _masked_by(mask: Any, then: Any, otherwise: Any) -> frozenset[str]:
    """Return the same for a mask that is known."""
    found: set[str] = set()
    for zeros, other in ((mask, then), (~mask.astype(bool), otherwise)):
        if mask.ndim == 2 and is_zero_everywhere(other):
            kept = ~zeros.astype(bool)
            found |= {"lower"} if np.array_equal(kept, np.tril(kept)) else set()
            found |= {"upper"} if np.array_equal(kept, np.triu(kept)) else set()
    return frozenset(found)


def _true_on_and_below(condition: Any) -> int | None:
    """Return the number of the diagonal on and below which a condition is true, else false."""
    node = condition.owner
    if node is None or not isinstance(node.op, Elemwise):
        return None
    if isinstance(node.op.scalar_op, scalar.Cast):
        return _true_on_and_below(node.inputs[0])
    if node.op.scalar_op not in (scalar.ge, scalar.le):
        return None
    rows, columns = node.inputs if node.op.scalar_op is scalar.ge else node.inputs[::-1]
    offset = 0
    moved = rows.owner
    if moved is not None and isinstance(moved.op, Elemwise) and len(moved.inputs) == 2:
        sign = {scalar.add: 1, scalar.sub: -1}.get(moved.op.scalar_op, 0)
        number = real_number(moved.inputs[1])
        if number is None or not sign:
            return None
        rows, offset = moved.inputs[0], sign * int(number)
    return offset if _counts(rows, 0) and _counts(columns, 1) else None


def _counts(v: Any, axis: int) -> bool:
    """Return whether a matrix holds the numbers from 0 on along an axis, and has no other axis."""
    if v.type.ndim != 2 or not v.type.broadcastable[1 - axis]:
        return False
    if isinstance(v, Constant):
        return np.array_equal(np.ravel(v.data), np.arange(v.data.size))
    node = v.owner
    if node is None or not isinstance(node.op, DimShuffle):
        return False
    vector = node.inputs[0]
    if isinstance(vector, Constant):
        return np.array_equal(vector.data, np.arange(vector.data.size))
    made = vector.owner
    if made is None or not isinstance(made.op, ARange):
        return False
    start, _, step = (static_int(u) for u in made.inputs)
    return start == 0 and step == 1

"""What is known of the sign of a variable from the ops that it is made by.

A nan is neither; what is called non-negative here is never less than zero, and may be nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Constant, Variable
from relgraph.scalar.dtypes import can_cast_exactly
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.dependence import looking
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape
from relgraph.tensor.shapes.shape import Shape, Shape_i
from relgraph.tensor.type import TensorType

DEPTH = 6
"""How many ops deep is looked: sums of products of squares are as deep as people write."""

NEVER_NEGATIVE = {
    *(scalar.abs, scalar.sqr, scalar.sqrt, scalar.exp, scalar.exp2, scalar.cosh),
    *(scalar.sigmoid, scalar.softplus, scalar.erfc, scalar.arccos, scalar.arccosh),
}
ALWAYS_POSITIVE = {scalar.cosh}
# Of integers these wrap around: the least int8 is -128, and so is its absolute value.
WRAP_AROUND = {scalar.abs, scalar.sqr, scalar.add, scalar.mul}
# Of these the sign is known if it is known of all arguments: of sums and products of what is not
# negative, and so on; and of a maximum if it is known of one.
KEEP = {scalar.add, scalar.mul, scalar.minimum, scalar.identity}
ANY = {scalar.maximum}


@looking(2)
def is_nonnegative(var: Variable) -> bool:
    """Return whether no element of `var` is less than zero, as far as can be told."""
    return _known(var, DEPTH, strictly=False)


@looking(2)
def is_positive(var: Variable) -> bool:
    """Return whether all elements of `var` are greater than zero (or nan), as far as can be told.

    An exponential is not, since it may underflow.
    """
    return _known(var, DEPTH, strictly=True)


def _known(var: Any, depth: int, strictly: bool) -> bool:
    if not isinstance(var.type, TensorType) or var.type.dtype.startswith("complex"):
        return False
    if isinstance(var, Constant):
        data = np.asarray(var.data)
        return not bool(np.any(data <= 0 if strictly else data < 0))
    if not strictly and np.dtype(var.type.dtype).kind in "ub":
        return True
    if var.owner is None or depth == 0:
        return False
    op, inputs = var.owner.op, var.owner.inputs
    if isinstance(op, DimShuffle | Reshape | Subtensor):
        return _known(inputs[0], depth - 1, strictly)
    if isinstance(op, CAReduce):
        # an empty sum is zero
        kept = not strictly and op.scalar_op in (scalar.add, scalar.mul)
        return kept and np.dtype(var.type.dtype).kind == "f" and _known(inputs[0], depth - 1, False)
    if isinstance(op, Shape | Shape_i):
        return not strictly
    return isinstance(op, Elemwise) and _known_elementwise(var, op.scalar_op, depth, strictly)


def _keeps_sign(old: Any, new: Any, strictly: bool) -> bool:
    """Return whether a cast neither wraps around, as to fewer integers, nor makes a small number
    zero where that matters, as to fewer floats."""
    to_float = np.dtype(new.type.dtype).kind == "f"
    return can_cast_exactly(old.type.dtype, new.type.dtype) or (to_float and not strictly)


def _known_elementwise(var: Any, op: Any, depth: int, strictly: bool) -> bool:
    inputs = var.owner.inputs
    if np.dtype(var.type.dtype).kind in "iu" and op in WRAP_AROUND:
        return False
    if op in ALWAYS_POSITIVE or (op in NEVER_NEGATIVE and not strictly):
        return True
    if strictly and op is scalar.add:
        # one positive term is enough beside others that are not negative
        at_least = all(_known(v, depth - 1, False) for v in inputs)
        return at_least and any(_known(v, depth - 1, True) for v in inputs)
    if strictly and op is scalar.mul:
        return False  # it underflows
    if isinstance(op, scalar.Cast):
        return _keeps_sign(inputs[0], var, strictly) and _known(inputs[0], depth - 1, strictly)
    if op in KEEP:
        return all(_known(v, depth - 1, strictly) for v in inputs)
    if op in ANY:
        return any(_known(v, depth - 1, strictly) for v in inputs)
    if op is scalar.switch:
        return all(_known(v, depth - 1, strictly) for v in inputs[1:])
    return False

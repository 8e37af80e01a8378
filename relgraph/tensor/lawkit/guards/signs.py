"""What is known of the sign of a variable from the ops that make it, as goals.

What is called nonnegative here is never less than zero; it may be nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import Where, whereo
from relgraph.scalar.dtypes import can_cast_exactly
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.random.random_op import RandomOp
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape
from relgraph.tensor.shapes.shape import Shape, Shape_i
from relgraph.tensor.type import TensorType

DEPTH = 6
"""How many levels of ops are asked; sums of products of squares are as deep as people write."""

MINUS_ZERO_OF_MINUS_ZERO = {scalar.sqrt}
# Integers wrap around in these: the least int8 is -128, and so is its absolute value.
WRAP_AROUND = {scalar.abs, scalar.sqr, scalar.add, scalar.mul}
# Of the results of these the sign is known if it is known of all arguments,
SIGN_OF_ALL_ARGUMENTS = {scalar.add, scalar.mul, scalar.minimum, scalar.identity}
# and of the results of these if it is known of one argument.
SIGN_OF_ONE_ARGUMENT = {scalar.maximum}


@depends_on_levels(2)
def is_nonnegative(var: Variable) -> bool:
    """Return whether no element of `var` is less than zero, as far as its ops tell."""
    return _has_sign(var, DEPTH, strictly=False)


@depends_on_levels(2)
def is_positive(var: Variable) -> bool:
    """Return whether all elements of `var` are greater than zero, or nan, as far as its ops tell.

    An exponential is not: it may underflow.
    """
    return _has_sign(var, DEPTH, strictly=True)


def _has_sign(var: Any, depth: int, strictly: bool) -> bool:
    """Return whether `var` is known to be positive, if `strictly`, or else nonnegative."""
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
        return _has_sign(inputs[0], depth - 1, strictly)
    if isinstance(op, CAReduce):
        # an empty sum is zero
        kept = not strictly and op.scalar_op in (scalar.add, scalar.mul)
        return (
            kept and np.dtype(var.type.dtype).kind == "f" and _has_sign(inputs[0], depth - 1, False)
        )
    if isinstance(op, Shape | Shape_i):
        return not strictly
    if isinstance(op, RandomOp):
        return op.nonnegative and not strictly
    return isinstance(op, Elemwise) and _has_sign_elementwise(var, op.scalar_op, depth, strictly)


def _keeps_sign(old: Any, new: Any, strictly: bool) -> bool:
    """Return whether a cast keeps the sign: it does not wrap around, as one to a smaller integer
    dtype may; and if `strictly`, it does not round to zero, as one to a smaller float may."""
    to_float = np.dtype(new.type.dtype).kind == "f"
    return can_cast_exactly(old.type.dtype, new.type.dtype) or (to_float and not strictly)


def _has_sign_elementwise(var: Any, op: Any, depth: int, strictly: bool) -> bool:
    inputs = var.owner.inputs
    if np.dtype(var.type.dtype).kind in "iu" and op in WRAP_AROUND:
        return False
    least = op.facts.range[0]
    if least > 0 or (least == 0 and not strictly):
        return True
    if strictly and op is scalar.add:
        # one positive term is enough beside others that are not negative
        at_least = all(_has_sign(v, depth - 1, False) for v in inputs)
        return at_least and any(_has_sign(v, depth - 1, True) for v in inputs)
    if op is scalar.pow:
        return not strictly and _is_never_minus_zero(inputs[0], depth - 1)
    if strictly and op is scalar.mul:
        return False  # it underflows
    if isinstance(op, scalar.Cast):
        return _keeps_sign(inputs[0], var, strictly) and _has_sign(inputs[0], depth - 1, strictly)
    if op in SIGN_OF_ALL_ARGUMENTS:
        return all(_has_sign(v, depth - 1, strictly) for v in inputs)
    if op in SIGN_OF_ONE_ARGUMENT:
        return any(_has_sign(v, depth - 1, strictly) for v in inputs)
    if op is scalar.switch:
        return all(_has_sign(v, depth - 1, strictly) for v in inputs[1:])
    return False


def _is_never_minus_zero(var: Any, depth: int) -> bool:
    """Return whether `var` is known to be nonnegative, and no zero of it to be a -0: one by that is
    minus infinity."""
    op = None if var.owner is None else var.owner.op
    if isinstance(op, Elemwise) and op.scalar_op.facts.range[0] >= 0:
        kept = op.scalar_op in MINUS_ZERO_OF_MINUS_ZERO
        return not kept and _has_sign(var, depth, strictly=False)
    return _has_sign(var, depth, strictly=True)


def nonnegativeo(x: Any) -> Where:
    """Construct the goal that no element of `x` is less than zero, as far as its ops tell."""
    return whereo(is_nonnegative, x)


def positiveo(x: Any) -> Where:
    """Construct the goal that all elements of `x` are greater than zero, as its ops tell."""
    return whereo(is_positive, x)

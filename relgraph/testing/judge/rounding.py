"""Rounding, bounded to first order: how far it can move the result of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

import relgraph.sparse as sparse
from relgraph.graph.basic import Apply
from relgraph.graph.reference import performed
from relgraph.scalar.type import is_discrete
from relgraph.tensor.along_axes import Cumulate
from relgraph.tensor.costs import moved_inputs
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.fft import DFT
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.linalg.functions import Det
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.random.type import is_generator
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.softmaxes import Softmax
from relgraph.tensor.subtensor import BaseIncSubtensor
from relgraph.testing.judge.claims import (
    PRODUCTS,
    SUMS,
    backward_error,
    is_elementwise,
    marked_elements,
    moves_alone,
    propagate_marks,
    propagated,
    size_of_logarithms,
    underflows_to_zero,
)
from relgraph.testing.judge.evaluation import (
    SELECTING,
    Array,
    Computed,
    Side,
    Values,
    array_of,
    widened,
)

MAX_ULPS = 8
"""How many units in the last place a single op may be off: NumPy's ufuncs are good to about 4."""


def is_exact(node: Apply) -> bool:
    """Return whether an elementwise op does not round."""
    op: Any = node.op
    return isinstance(op, Elemwise) and op.scalar_op.name in SELECTING


def is_sum(node: Apply) -> bool:
    """Return whether an op adds or subtracts element by element."""
    op: Any = node.op
    return isinstance(op, Elemwise) and op.scalar_op.name in SUMS


def magnitude_of(x: Any) -> Array:
    array = np.asarray(x)
    if array.dtype.kind == "b":
        return array.astype("float64")
    made = np.abs(widened(array))
    return np.where(np.isfinite(made), made, 0.0)


def _added_up(made: Computed, sizes: Sequence[Array]) -> Array | None:
    """Return what a sum, or a sum of products, adds up of magnitudes or errors; None for an op that
    is neither."""
    op = made.op
    if isinstance(op, CAReduce) and op.ufunc is np.add:
        return np.asarray(np.sum(sizes[0], axis=op.axes(sizes[0].ndim)))
    if isinstance(op, MatrixProduct):
        return _multiplied(np.matmul, *sizes)
    if isinstance(op, Convolve):
        return _multiplied(np.convolve, *sizes)
    if isinstance(op, DFT):
        total = np.sum(sizes[0], axis=op.axis, keepdims=True) * op.factor(sizes[0].shape[op.axis])
        return np.broadcast_to(total, made.result.shape)
    if isinstance(op, Cumulate) and op.scalar_op.ufunc is np.add:
        return np.asarray(np.cumsum(sizes[0], axis=op.axis))
    return None


def rounding_error_bound(
    side: Side,
    underflow: bool,
    max_relative_error: float,
    strict: bool = False,
    turning: float = 0.0,
) -> Array:
    """Return how far the rounding of all intermediate values can move each element of an output.

    Each op adds an error of one unit in the last place of its result. It propagates the errors of
    its inputs: where no formula is known, the inputs are shifted by their errors, and the change
    of the result is measured.

    Parameters
    ----------
    side
        The output.
    underflow
        Whether underflow counts as rounding too.
    max_relative_error
        The largest relative error that the rounding of one result is taken to make.
    strict
        Whether it is no excuse that rounding may turn a truth value over, or take a number out of
        the domain of an op: beside 1 the inverse cosine is nan, or not far from 0.
    turning
        If it is not 0, by how many times their bounds operands may be off where that turns over a
        truth value or changes an integer; a comparison is turned over wherever they are so near.

    Returns
    -------
    bounds
        An array of the shape of the output; an infinity where no bound is known.
    """

    def step(made: Computed, errors: Sequence[Array]) -> Array:
        op, result = made.op, made.result
        if result.dtype.kind == "b" and strict:
            return np.zeros(result.shape)
        if turning and is_discrete(result.dtype.name):
            errors = [turning * e for e in errors]
        error: Array = _propagated_error(made, errors, side.values, strict)
        if turning and isinstance(op, Elemwise) and op.scalar_op.name in _COMPARISONS:
            error = np.maximum(error, _are_as_near(made.inputs, errors))
        eps = min(float(np.finfo(result.dtype).eps), max_relative_error) if made.rounds else 0.0
        error = error + _local_error(made, eps)
        if underflow:
            error = error + _underflow_error(made, errors)
        if isinstance(op, MatrixOp):
            assert made.out.index is not None
            error = error + backward_error(made.node, made.inputs, made.out.index, eps)
        return error

    return propagated(side, lambda x: np.zeros(x.shape), step)


_COMPARISONS = frozenset(["eq", "neq", "lt", "le", "gt", "ge"])


def _are_as_near(inputs: Sequence[Array], errors: Sequence[Array]) -> Array:
    """Return where two operands are no farther from each other than they may be off."""
    moved = errors[0] + errors[1]
    return np.asarray((moved > 0) & ~(np.abs(widened(inputs[0]) - widened(inputs[1])) > moved))


def is_rounding_alone(side: Side) -> bool:
    """Return whether rounding may move each element of an output as far as it is large."""
    return bool(np.all(rounding_error_bound(side, False, 1.0) >= np.abs(side.value)))


def _local_error(made: Computed, eps: float) -> Any:
    """Return the error that one op makes when it rounds its result, and its partial results."""
    op, inputs, result = made.op, made.inputs, made.result
    if not made.rounds or moves_alone(made.node) or is_exact(made.node):
        return 0.0
    size = magnitude_of(result)
    if isinstance(op, CAReduce) and op.ufunc is np.multiply:
        size = size * max(1, inputs[0].size // max(1, result.size))
    elif isinstance(op, Det):
        size = size * (1 + size_of_logarithms(inputs[0]))
    elif isinstance(op, Softmax):
        size = size * (1 + _span(inputs[0]))
    elif isinstance(op, Elemwise) and op.scalar_op.name == "add" and len(inputs) > 2:
        # a partial sum may be larger than the sum, and another one where the terms are regrouped
        size = np.maximum(size, sum(magnitude_of(x) for x in inputs))
    elif isinstance(op, BaseIncSubtensor | CAReduce | MatrixProduct | Cumulate | Convolve | DFT):
        sizes = [magnitude_of(x) for x in inputs]
        parts = _added_up(made, sizes)
        size = np.maximum(size, propagate_marks(made, sizes) if parts is None else parts)
    return size * eps


def _span(x: Array) -> float:
    """Return how far the finite numbers of an array are from each other: what an exponential is
    given after the greatest is subtracted."""
    finite = x[np.isfinite(x)].astype("float64")
    return float(np.ptp(finite)) if finite.size else 0.0


def _underflow_error(made: Computed, errors: Sequence[Array]) -> Any:
    """Return the error that one op makes where its result underflows."""
    op, inputs, result = made.op, made.inputs, made.result
    if not made.rounds or moved_inputs(made.node) is not None or is_exact(made.node):
        return 0.0
    info = np.finfo(result.dtype)
    least = float(info.smallest_subnormal)
    if not isinstance(op, Elemwise):
        return least
    # a zero made of exact numbers is right if it has not underflowed: the exponential of -inf; but
    # that numbers cancel may be due to a constant that was rounded, a quarter of pi
    if op.scalar_op.name in SUMS:
        return least
    if op.scalar_op.name == "sigmoid":
        # it is 0 where the exponential of the negated operand overflows
        return np.where(result < info.tiny, float(info.tiny), 0.0)
    moved = np.logical_or.reduce(np.broadcast_arrays(result != 0, *[e > 0 for e in errors]))
    error = np.where(moved | underflows_to_zero(made), least, 0.0)
    if op.scalar_op.name == "mul" and len(inputs) > 2:
        return error + _underflow_within(inputs, errors, info)
    return error


def _underflow_within(inputs: Sequence[Array], errors: Sequence[Array], info: Any) -> Array:
    """Return the error that a product of several factors makes where a partial one underflows: of
    those that the factors may be, too."""
    sizes = [magnitude_of(x) + e for x, e in zip(inputs, errors, strict=True)]
    least = reduce(np.multiply, [np.minimum(s, 1) for s in sizes])
    others = reduce(np.multiply, [np.maximum(s, 1) for s in sizes])
    nonzero = np.logical_and.reduce(np.broadcast_arrays(*[s > 0 for s in sizes]))
    underflows = nonzero & (least < info.tiny)
    return np.asarray(np.where(underflows, float(info.smallest_subnormal) * others, 0.0))


def _propagated_error(
    made: Computed, errors: Sequence[Array], values: Values, strict: bool
) -> Array:
    """Return how far the errors of the inputs of a node move its output."""
    op, inputs, result = made.op, made.inputs, made.result
    if not any(e.any() for e in errors):
        return np.zeros(result.shape)
    if isinstance(op, MatrixProduct | Convolve):
        multiply = np.matmul if isinstance(op, MatrixProduct) else np.convolve
        a, b = map(magnitude_of, inputs)
        return _multiplied(multiply, errors[0], b) + _multiplied(multiply, a, errors[1])
    added_up = _added_up(made, errors)
    if added_up is not None:
        return added_up
    if isinstance(op, CAReduce) and op.ufunc is np.multiply:
        axes = op.axes(inputs[0].ndim)
        rest = np.sum(errors[0] / np.abs(inputs[0]), axis=axes) * np.abs(result)
        return np.asarray(np.where(np.isnan(rest), np.inf, rest))
    moved = moved_inputs(made.node)
    if moved is not None and any(e.any() for i, e in enumerate(errors) if i not in moved):
        return np.full(result.shape, np.inf)  # the places that they are taken from
    if isinstance(op, CAReduce) or moved is not None:
        return propagate_marks(made, errors)
    if isinstance(op, Elemwise):
        return _elemwise_error(made, errors, strict)
    if any(np.isinf(e).any() for e in errors):
        return np.full(result.shape, np.inf)
    change = _opaque_op_error(made, errors, values)
    return change if is_elementwise(op) else np.full(result.shape, np.max(change, initial=0.0))


def _multiplied(multiply: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Return sums of products of magnitudes or errors, where 0 times what has overflowed is 0."""
    found = np.asarray(multiply(a, b))
    if not np.isnan(found).any():
        return found
    infinite, nonzero = [np.isinf(x) * 1.0 for x in (a, b)], [(x > 0) * 1.0 for x in (a, b)]
    unbounded = multiply(infinite[0], nonzero[1]) + multiply(nonzero[0], infinite[1])
    finite = multiply(*[np.where(np.isinf(x), 0, x) for x in (a, b)])
    return np.where(unbounded > 0, np.inf, finite)


def _opaque_op_error(made: Computed, errors: Sequence[Array], values: Values) -> Array:
    """Return how far elements move, times 4, when all inputs are shifted up or all down.

    It is an infinity if the op refuses the shifted inputs, or its result changes its shape.
    """
    node, result = made.node, made.result
    most = np.zeros(result.shape)
    for sign in (1, -1):
        pairs = zip(node.inputs, errors, strict=True)
        shifted = [_shifted_value(values[v], e, sign) for v, e in pairs]
        try:
            found = array_of(performed(node, shifted)[made.out.index or 0])
        except (ValueError, IndexError):
            return np.full(result.shape, np.inf)
        if found.shape != result.shape:
            return np.full(result.shape, np.inf)
        # fmax leaves out nan: where both results are nan, nothing has moved
        most = np.fmax(most, np.abs(widened(found) - widened(result)))
    return 4 * most


def _elemwise_error(made: Computed, errors: Sequence[Array], strict: bool) -> Array:
    """Return how far an elementwise op's result moves, at most, where its inputs move up or down by
    their errors, a few at a time.

    Errors that are not small move it together as none alone does: ``(1 - x) ** x`` is 1 for a zero
    that is off by much, whichever operand alone moves.
    """
    op, inputs, result = made.op, made.inputs, made.result
    moving = [i for i, e in enumerate(errors) if e.any()]
    total = np.zeros(result.shape)
    for start in range(0, len(moving), _TOGETHER):
        together = moving[start : start + _TOGETHER]
        changes = []
        for signs in product((1, -1), repeat=len(together)):
            corner = list(inputs)
            for i, sign in zip(together, signs, strict=True):
                corner[i] = _shifted(inputs[i], errors[i], sign)
            found = op.scalar_op.impl(*corner)
            found = np.asarray(found[0] if op.nout > 1 else found).astype(result.dtype)
            change = np.abs(widened(found) - widened(result))
            same = (found == result) | ((found != found) & (result != result))
            changes.append(np.where(same, 0.0, change))
        # fmax leaves out nan, unless all are nan
        most = (np.fmax if strict else np.maximum).reduce(changes)
        total = total + np.where(np.isnan(most), np.inf, most)
    place = _POLE_OF.get(op.scalar_op.name)
    if not strict and place is not None:
        near = (errors[place] > 0) & (errors[place] >= np.abs(inputs[place]))
        if op.scalar_op.name == "pow":
            near = near & (inputs[1].real < 0)
        total = np.where(near, np.inf, total)
    return total


# So many operands move to all corners of their errors; of more the groups are added up.
_TOGETHER = 4


# Which operand of a scalar op has a pole at 0; of `pow` it is one for negative exponents.
_POLE_OF = {"true_div": 1, "reciprocal": 0, "pow": 0}


def _shifted_value(value: Any, error: Array, sign: int) -> Any:
    """Return a value moved by its error: of a sparse matrix the stored elements, and a generator as
    it is."""
    if is_generator(value):
        return value
    if not sparse.is_matrix(value):
        return _shifted(np.asarray(value), error, sign)
    moved = value.copy()
    rows, columns = value.tocoo().coords
    moved.data = _shifted(value.data, error[rows, columns], sign)
    return moved


def _shifted(x: Array, error: Array, sign: int) -> Array:
    """Return `x` moved by its error, upwards or downwards; a boolean with an error is negated or as
    it is."""
    if x.dtype.kind == "b":
        return np.where((error > 0) & (sign > 0), ~x, x)
    if x.dtype.kind in "iu":
        moved = x + sign * np.ceil(np.minimum(error, 1e15)).astype("int64")
        return np.asarray(moved).astype(x.dtype)
    moved = np.where(error == 0, x, x + sign * error)  # -0 + 0 is 0, whose reciprocal is far away
    return np.asarray(moved).astype(x.dtype)


def overflowed_by_rounding(side: Side) -> Array:
    """Return the elements of an output that are computed from an infinity which only the rounding
    of its operands made.

    Such is a sum or product of finite numbers that lies beyond the range by no more than rounding
    can move it.
    """
    return marked_elements(side, own=_is_little_beyond_range)


def _is_little_beyond_range(made: Computed) -> Any:
    """Return where the result of a sum or product is infinite by rounding."""
    op, result = made.op, made.result
    scalar_op = op.scalar_op if isinstance(op, Elemwise | CAReduce) else None
    if scalar_op is None or scalar_op.name not in SUMS + PRODUCTS:
        return False
    if result.dtype.kind != "f" or not np.isinf(result).any():
        return False
    wide = [x.astype(np.longdouble) for x in made.inputs]
    with np.errstate(all="ignore"):
        if isinstance(op, CAReduce):
            found = op.ufunc.reduce(wide[0], axis=op.axis)
        else:
            found = reduce(scalar_op.ufunc, wide)
    info = np.finfo(result.dtype)
    largest = np.longdouble(info.max) * (1 + MAX_ULPS * np.longdouble(info.eps))
    return np.isinf(result) & (np.abs(found) <= largest)

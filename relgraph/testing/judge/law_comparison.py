"""Whether the two sides of a law agree on some values as closely as a soundness class says.

Rounding is bounded to first order: how far it can move the result of a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

import relgraph.sparse as sparse
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.reference import performed
from relgraph.tensor.along_axes import Cumulate
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.fft import DFT
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.linalg.functions import Det
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.random.type import is_generator
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.softmaxes import Softmax
from relgraph.testing.judge.claims import (
    PRODUCTS,
    SUMS,
    backward_error,
    is_elementwise,
    marked_elements,
    propagate_marks,
    propagated,
    size_of_logarithms,
    unclaimed_elements,
    underflows_to_zero,
)
from relgraph.testing.judge.evaluation import (
    SELECTING,
    Array,
    RewritePair,
    Values,
    array_of,
    is_discrete,
    same_bits,
    same_nan_or_infinity,
    widened,
)
from relgraph.truth.balls import UNDECIDED, UNKNOWN, as_ball, is_infinite, is_none, precision
from relgraph.truth.graphs import PRECISIONS, true_values
from relgraph.truth.moves import moved_inputs

MAX_ULPS = 8
"""How many units in the last place a single op may be off: NumPy's ufuncs are good to about 4."""


def largest_magnitude(nodes: Sequence[Apply], values: Values, out: Variable) -> Array:
    """Return for each element of `out` the largest finite magnitude that was added up to it.

    For a sum over elements that is the sum of their magnitudes, which no partial sum exceeds. What
    is not rounded does not count: what a truth value was found by, and a value that is given to an
    elementwise op that rounds nothing but its result. Nor does what an op other than a sum is given
    that works element by element: the arc tangent of the largest number is small.

    Parameters
    ----------
    nodes
        The nodes that compute `out`, inputs first.
    values
        The values of all variables.

    Returns
    -------
    magnitudes
        A float64 array of the shape of `out`.
    """
    computed = {v for node in nodes for v in node.outputs}

    def step(node: Apply, v: Variable, inputs: Any, sizes: Any, value: Array) -> Array:
        result = _magnitude(value)
        if value.dtype.kind == "b" or not _passes_magnitudes_on(node):
            return result
        added = [
            np.zeros(size.shape) if _rounds_once(node) and u not in computed else size
            for u, size in zip(node.inputs, sizes, strict=True)
        ]
        found = _propagated_magnitude(node, added, inputs, result.shape)
        return found if _is_exact(node) else np.maximum(found, result)

    return propagated(nodes, values, out, _magnitude, step)


def _passes_magnitudes_on(node: Apply) -> bool:
    """Return whether an error of an operand is one of the result, as it is."""
    op: Any = node.op
    if not is_elementwise(op):
        return True
    return _is_exact(node) or (isinstance(op, Elemwise) and op.scalar_op.name in SUMS)


def _is_exact(node: Apply) -> bool:
    """Return whether an elementwise op does not round."""
    op: Any = node.op
    return isinstance(op, Elemwise) and op.scalar_op.name in SELECTING


def _rounds_once(node: Apply) -> bool:
    """Return whether an elementwise op rounds nothing but its result: no partial sums."""
    return is_elementwise(node.op) and (len(node.inputs) <= 2 or _is_exact(node))


def _magnitude(x: Any) -> Array:
    array = np.asarray(x)
    if array.dtype.kind == "b":
        return array.astype("float64")
    made = np.abs(widened(array))
    return np.where(np.isfinite(made), made, 0.0)


def _propagated_magnitude(
    node: Apply, sizes: Sequence[Array], inputs: Sequence[Array], shape: tuple[int, ...]
) -> Array:
    op: Any = node.op
    added_up = _added_up(node, sizes, shape)
    if added_up is not None:
        return added_up
    if is_elementwise(op) or isinstance(op, CAReduce) or moved_inputs(node) is not None:
        return propagate_marks(node, sizes, inputs, shape)
    return np.full(shape, sum(float(s.sum()) for s in sizes))


def _added_up(node: Apply, sizes: Sequence[Array], shape: tuple[int, ...]) -> Array | None:
    """Return what a sum, or a sum of products, adds up of magnitudes or errors; None for an op that
    is neither."""
    op: Any = node.op
    if isinstance(op, CAReduce) and op.ufunc is np.add:
        return np.asarray(np.sum(sizes[0], axis=op.axes(sizes[0].ndim)))
    if isinstance(op, MatrixProduct):
        return _multiplied(np.matmul, *sizes)
    if isinstance(op, Convolve):
        return _multiplied(np.convolve, *sizes)
    if isinstance(op, DFT):
        total = np.sum(sizes[0], axis=op.axis, keepdims=True) * op.factor(sizes[0].shape[op.axis])
        return np.broadcast_to(total, shape)
    if isinstance(op, Cumulate) and op.scalar_op.ufunc is np.add:
        return np.asarray(np.cumsum(sizes[0], axis=op.axis))
    return None


def rounding_error_bound(
    nodes: Sequence[Apply],
    values: Values,
    out: Variable,
    underflow: bool,
    max_relative_error: float,
    strict: bool = False,
) -> Array:
    """Return how far the rounding of all intermediate values can move each element of `out`.

    Each op adds an error of one unit in the last place of its result. It propagates the errors of
    its inputs: where no formula is known, the inputs are shifted by their errors, and the change
    of the result is measured.

    Parameters
    ----------
    nodes
        The nodes that compute `out`, inputs first.
    values
        The values of all variables.
    underflow
        Whether underflow counts as rounding too.
    max_relative_error
        The largest relative error that the rounding of one result is taken to make.
    strict
        Whether it is no excuse that rounding may turn a truth value over, or take a number out of
        the domain of an op: beside 1 the inverse cosine is nan, or not far from 0.

    Returns
    -------
    bounds
        An array of the shape of `out`; an infinity where no bound is known.
    """

    def step(node: Apply, v: Variable, inputs: Any, errors: Any, result: Array) -> Array:
        if result.dtype.kind == "b" and strict:
            return np.zeros(result.shape)
        error: Array = _propagated_error(node, v, errors, inputs, values, strict)
        error = error + _local_error(node, inputs, result, max_relative_error)
        if underflow:
            error = error + _underflow_error(node, errors, inputs, result)
        if isinstance(node.op, MatrixOp):
            assert v.index is not None
            eps = min(_eps_of(result), max_relative_error)
            error = error + backward_error(node, inputs, v.index, eps)
        return error

    return propagated(nodes, values, out, lambda x: np.zeros(x.shape), step)


def is_rounding_alone(nodes: Sequence[Apply], values: Values, out: Variable) -> bool:
    """Return whether rounding may move each element of `out` as far as it is large.

    For the parameters see `rounding_error_bound`.
    """
    size = np.abs(array_of(values[out]))
    return bool(np.all(rounding_error_bound(nodes, values, out, False, 1.0) >= size))


def _eps_of(x: Array) -> float:
    return float(np.finfo(x.dtype).eps) if x.dtype.kind in "fc" else 0.0


def _local_error(
    node: Apply,
    inputs: Sequence[Array],
    result: Array,
    max_relative_error: float,
) -> Any:
    """Return the error that one op makes when it rounds its result, and its partial results."""
    info = np.finfo(result.dtype) if result.dtype.kind in "fc" else None
    if info is None or moved_inputs(node) is not None or _is_exact(node):
        return 0.0
    op: Any = node.op
    size = _magnitude(result)
    if isinstance(op, CAReduce) and op.ufunc is np.multiply:
        size = size * max(1, inputs[0].size // max(1, result.size))
    elif isinstance(op, Det):
        size = size * (1 + size_of_logarithms(inputs[0]))
    elif isinstance(op, Softmax):
        size = size * (1 + _span(inputs[0]))
    elif isinstance(op, Elemwise) and op.scalar_op.name == "add" and len(inputs) > 2:
        # a partial sum may be larger than the sum, and another one where the terms are regrouped
        size = np.maximum(size, sum(_magnitude(x) for x in inputs))
    elif isinstance(op, CAReduce | MatrixProduct | Cumulate | Convolve | DFT):
        sizes = [_magnitude(x) for x in inputs]
        size = np.maximum(size, _propagated_magnitude(node, sizes, inputs, result.shape))
    return size * min(float(info.eps), max_relative_error)


def _span(x: Array) -> float:
    """Return how far the finite numbers of an array are from each other: what an exponential is
    given after the greatest is subtracted."""
    finite = x[np.isfinite(x)].astype("float64")
    return float(np.ptp(finite)) if finite.size else 0.0


def _underflow_error(
    node: Apply, errors: Sequence[Array], inputs: Sequence[Array], result: Array
) -> Any:
    """Return the error that one op makes where its result underflows."""
    info = np.finfo(result.dtype) if result.dtype.kind in "fc" else None
    if info is None or moved_inputs(node) is not None or _is_exact(node):
        return 0.0
    least = float(info.smallest_subnormal)
    op: Any = node.op
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
    made = np.where(moved | underflows_to_zero(op.scalar_op, inputs, result), least, 0.0)
    if op.scalar_op.name == "mul" and len(inputs) > 2:
        return made + _underflow_within(inputs, errors, info)
    return made


def _underflow_within(inputs: Sequence[Array], errors: Sequence[Array], info: Any) -> Array:
    """Return the error that a product of several factors makes where a partial one underflows: of
    those that the factors may be, too."""
    sizes = [_magnitude(x) + e for x, e in zip(inputs, errors, strict=True)]
    least = reduce(np.multiply, [np.minimum(s, 1) for s in sizes])
    others = reduce(np.multiply, [np.maximum(s, 1) for s in sizes])
    nonzero = np.logical_and.reduce(np.broadcast_arrays(*[s > 0 for s in sizes]))
    underflows = nonzero & (least < info.tiny)
    return np.asarray(np.where(underflows, float(info.smallest_subnormal) * others, 0.0))


def _propagated_error(
    node: Apply,
    out: Variable,
    errors: Sequence[Array],
    inputs: Sequence[Array],
    values: Values,
    strict: bool,
) -> Array:
    """Return how far the errors of the inputs of a node move its output `out`."""
    op: Any = node.op
    result = array_of(values[out])
    if not any(e.any() for e in errors):
        return np.zeros(result.shape)
    if isinstance(op, MatrixProduct | Convolve):
        product = np.matmul if isinstance(op, MatrixProduct) else np.convolve
        a, b = map(_magnitude, inputs)
        return _multiplied(product, errors[0], b) + _multiplied(product, a, errors[1])
    added_up = _added_up(node, errors, result.shape)
    if added_up is not None:
        return added_up
    if isinstance(op, CAReduce) and op.ufunc is np.multiply:
        axes = op.axes(inputs[0].ndim)
        rest = np.sum(errors[0] / np.abs(inputs[0]), axis=axes) * np.abs(result)
        return np.asarray(np.where(np.isnan(rest), np.inf, rest))
    if isinstance(op, CAReduce) or moved_inputs(node) is not None:
        return propagate_marks(node, errors, inputs, result.shape)
    if isinstance(op, Elemwise):
        return _elemwise_error(op, errors, inputs, result, strict)
    if any(np.isinf(e).any() for e in errors):
        return np.full(result.shape, np.inf)
    moved = _opaque_op_error(node, errors, values, out)
    return moved if is_elementwise(op) else np.full(result.shape, np.max(moved, initial=0.0))


def _multiplied(product: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Return sums of products of magnitudes or errors, where 0 times what has overflowed is 0."""
    found = np.asarray(product(a, b))
    if not np.isnan(found).any():
        return found
    finite = product(*[np.where(np.isinf(x), 0, x) for x in (a, b)])
    unbounded = product(np.isinf(a) * 1.0, (b > 0) * 1.0) + product(
        (a > 0) * 1.0, np.isinf(b) * 1.0
    )
    return np.where(unbounded > 0, np.inf, finite)


def _opaque_op_error(node: Apply, errors: Sequence[Array], values: Values, out: Variable) -> Array:
    """Return how far elements move, times 4, when all inputs are shifted up or all down.

    It is an infinity if the op refuses the shifted inputs, or its result changes its shape.
    """
    result = array_of(values[out])
    most = np.zeros(result.shape)
    for sign in (1, -1):
        shifted = [
            _shifted_value(values[v], e, sign) for v, e in zip(node.inputs, errors, strict=True)
        ]
        try:
            found = array_of(performed(node, shifted)[out.index or 0])
        except (ValueError, IndexError):
            return np.full(result.shape, np.inf)
        if found.shape != result.shape:
            return np.full(result.shape, np.inf)
        # fmax leaves out nan: where both results are nan, nothing has moved
        most = np.fmax(most, np.abs(widened(found) - widened(result)))
    return 4 * most


def _elemwise_error(
    op: Any, errors: Sequence[Array], inputs: Sequence[Array], result: Array, strict: bool
) -> Array:
    """Return the sum of how far each input's error alone moves an elementwise op's result."""
    total = np.zeros(result.shape)
    for i, e in enumerate(errors):
        if not e.any():
            continue
        changes = []
        for sign in (1, -1):
            shifted = [*inputs[:i], _shifted(inputs[i], e, sign), *inputs[i + 1 :]]
            found = op.scalar_op.impl(*shifted)
            if op.nout > 1:
                found = found[0]
            change = np.abs(widened(np.asarray(found).astype(result.dtype)) - widened(result))
            changes.append(np.where(_equal_or_nan(found, result), 0.0, change))
        # fmax leaves out nan, unless both are nan
        most = (np.fmax if strict else np.maximum)(*changes)
        total = total + np.where(np.isnan(most), np.inf, most)
        if not strict and _POLE_OF.get(op.scalar_op.name) == i:
            near = (e > 0) & (e >= np.abs(inputs[i]))
            if op.scalar_op.name == "pow":
                near = near & (inputs[1].real < 0)
            total = np.where(near, np.inf, total)
    return total


# Which operand of a scalar op has a pole at 0; of `pow` it is one for negative exponents.
_POLE_OF = {"true_div": 1, "reciprocal": 0, "pow": 0}


def _equal_or_nan(a: Any, b: Array) -> Any:
    return (a == b) | ((a != a) & (b != b))


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
    """Return `x` moved by its error, upwards or downwards; a boolean with an error is negated."""
    if x.dtype.kind == "b":
        return np.where(error > 0, ~x, x)
    if x.dtype.kind in "iu":
        moved = x + sign * np.ceil(np.minimum(error, 1e15)).astype("int64")
        return np.asarray(moved).astype(x.dtype)
    moved = np.where(error == 0, x, x + sign * error)  # -0 + 0 is 0, whose reciprocal is far away
    return np.asarray(moved).astype(x.dtype)


def overflowed_by_rounding(nodes: Sequence[Apply], values: Values, out: Variable) -> Array:
    """Return the elements of `out` that are computed from an infinity which only the rounding of
    its operands made.

    Such is a sum or product of finite numbers that lies beyond the range by no more than rounding
    can move it. For the parameters see `marked_elements`.
    """
    return marked_elements(nodes, values, out, own=_is_little_beyond_range)


def _is_little_beyond_range(
    node: Apply, v: Variable, inputs: Sequence[Array], result: Array
) -> Any:
    """Return where the result of a sum or product is infinite by rounding."""
    op: Any = node.op
    scalar_op = op.scalar_op if isinstance(op, Elemwise | CAReduce) else None
    if result.dtype.kind != "f" or not np.isinf(result).any():
        return np.zeros(result.shape, bool)
    if scalar_op is None or scalar_op.name not in SUMS + PRODUCTS:
        return np.zeros(result.shape, bool)
    wide = [x.astype(np.longdouble) for x in inputs]
    with np.errstate(all="ignore"):
        if isinstance(op, CAReduce):
            found = op.ufunc.reduce(wide[0], axis=op.axis)
        else:
            found = reduce(scalar_op.ufunc, wide)
    info = np.finfo(result.dtype)
    largest = np.longdouble(info.max) * (1 + MAX_ULPS * np.longdouble(info.eps))
    return np.isinf(result) & (np.abs(found) <= largest)


OLD_SIDE_FINITE = "old side finite"
"""A claim beside the soundness classes: where the old side is finite, the new one is the same up to
rounding. A law holds outside of its domain too if this does."""

_MANY = 40
"""For so many elements of one example the true value is computed."""

_LOGARITHMS = frozenset(["log", "log2", "log10", "log1p"])


@dataclass(frozen=True)
class Difference:
    """A difference between the two sides that a soundness class does not allow.

    Attributes
    ----------
    why
        What is wrong, in words.
    where
        The index of an element that differs; None if the dtype or the shape does.
    """

    why: str
    where: tuple[int, ...] | None = None


class Comparison:
    """The comparison of the two sides of a law for some values of their inputs.

    Parameters
    ----------
    pair
        The two sides.
    values
        The values of all their variables: what `pair.run` returned.

    Attributes
    ----------
    old, new
        The values of the two sides.
    identical
        Whether they have the same dtype, shape and bits.
    in_domain
        Whether the values of the inputs lie in the domain of the law, if it has one.
    is_discrete
        Whether the values are integers or booleans.
    """

    def __init__(self, pair: RewritePair, values: Values) -> None:
        self.pair, self.values = pair, values
        self.old = array_of(values[pair.old])
        self.new = array_of(values[pair.new])
        self._type_difference = self._compare_types()
        equal = same_bits(self.old, self.new) if self._type_difference is None else None
        self._same_bits = equal
        self.identical = equal is not None and bool(equal.all())
        self.in_domain = True
        self.is_discrete = is_discrete(self.old.dtype)
        self._claims: dict[str, Array] = {}

    def _compare_types(self) -> Difference | None:
        if self.old.dtype != self.new.dtype:
            return Difference(f"the dtype changes from {self.old.dtype} to {self.new.dtype}")
        if self.old.shape != self.new.shape:
            return Difference(f"the shape changes from {self.old.shape} to {self.new.shape}")
        return None

    def difference(self, sound: str) -> Difference | None:
        """Return the first difference between the sides that a class does not allow, or None.

        Parameters
        ----------
        sound
            A soundness class, or `OLD_SIDE_FINITE`.

        Raises
        ------
        NoTrueValue
            For ``stable``, if the true value of the old side can't be computed.
        """
        if self._type_difference is not None or self.identical:
            return self._type_difference
        assert self._same_bits is not None
        differing = ~self._same_bits
        if sound == "exact":
            return _first(differing, "the bits differ")
        if self.old.dtype.kind == "c" and sound != "stable":
            differing = differing & ~same_nan_or_infinity(self.old, self.new)
        with np.errstate(all="ignore"):
            beyond = self._beyond_rounding(differing, sound)
            if sound == "stable":
                return self._less_accurate(beyond)
        why = "the numbers differ" if self.is_discrete else "they differ by more than rounding"
        return _first(beyond, why)

    def is_falsifiable(self, sound: str) -> bool:
        """Return whether a class makes a claim on these values that could turn out to be false.

        It does if an element is finite and the class makes a claim about it.
        """
        claimed = np.isfinite(self.old)
        if sound != "exact":
            claimed = claimed & self._claimed(sound)
        return bool(claimed.any())

    def _claimed(self, sound: str) -> Array:
        """Return the elements about which a class makes a claim, by the values of both sides."""
        if sound not in self._claims:
            self._claims[sound] = self._find_claimed(sound)
        return self._claims[sound]

    def _find_claimed(self, sound: str) -> Array:
        if sound == OLD_SIDE_FINITE:
            return np.asarray(~self._unclaimed(self.pair.old, sound))
        # In its domain a law may not give nan or an infinity for a finite old value: only over- and
        # underflow excuse the new side.
        new_class = "rounding" if sound == "domain" else sound
        claimed = ~self._unclaimed(self.pair.old, sound)
        return np.asarray(claimed & ~self._unclaimed(self.pair.new, new_class))

    def _unclaimed(self, side: Variable, sound: str) -> Array:
        before = self._nodes(self.pair.old) if side is self.pair.new else ()
        return unclaimed_elements(self._nodes(side), self.values, side, sound, before)

    def _beyond_rounding(self, differing: Array, sound: str) -> Array:
        """Return which of some elements, of those about which a class makes a claim, differ by more
        than the rounding of intermediate values. Underflow counts as rounding too, except for the
        class ``rounding``.
        """
        if self.is_discrete:
            return differing & self._claimed(sound)
        underflow = sound != "rounding"
        gap = np.abs(widened(self.old) - widened(self.new))
        # Equal infinities have the same bits; any other pair with an infinity is a difference.
        finite = np.isfinite(self.old) & np.isfinite(self.new)
        info = np.finfo(self._least_precise_dtype())
        both = self.pair.old, self.pair.new
        differing = differing & ~(finite & (gap <= MAX_ULPS * float(info.eps) * self._own_sizes()))
        if not differing.any():
            return differing
        sizes = np.maximum(*[largest_magnitude(self._nodes(s), self.values, s) for s in both])
        allowed = MAX_ULPS * float(info.eps) * sizes
        if underflow:
            allowed = allowed + MAX_ULPS * float(info.smallest_subnormal)
        differing = differing & ~(finite & (gap <= allowed))
        if differing.any():
            differing = differing & self._claimed(sound)
        if not differing.any():
            return differing
        # The precision of the old side bounds the errors of both: a new side that computes in a
        # less precise dtype is not excused by that.
        errors = [
            rounding_error_bound(
                self._nodes(s),
                self.values,
                s,
                underflow,
                float(info.eps),
                strict=s is self.pair.new,
            )
            for s in both
        ]
        bound = errors[0] + errors[1]
        # where what a logarithm is taken of may be 0 by rounding, it may be negative on either side
        nan = np.isnan(self.new) & ~(np.isfinite(self.old) & _is_logarithm(self.pair.old))
        unbounded = np.isinf(errors[0]) & ~np.isnan(self.old) & ~nan
        # so near a pole that of the old one not even the sign is known
        pole = (float(info.eps) * np.abs(self.old) > 1) & (errors[0] >= np.abs(self.old))
        unbounded |= pole & np.isinf(self.new)
        rounding = (finite & (gap <= MAX_ULPS * bound)) | unbounded
        # from the end of the range rounding of the old side leads beyond it, not back
        largest = float(np.finfo(self.old.dtype).max)
        back = finite & (np.abs(self.old) > largest / 2) & (np.abs(self.new) < largest / 4)
        back &= gap > MAX_ULPS * errors[1]
        return np.asarray(differing & (back | ~rounding))

    def _own_sizes(self) -> Any:
        """Return what the results that are rounded count among the largest magnitudes."""
        sides = [(self.pair.old, self.old), (self.pair.new, self.new)]
        rounded = [
            _magnitude(x) for v, x in sides if v.owner is not None and not _is_exact(v.owner)
        ]
        return np.max([np.zeros(self.old.shape), *rounded], axis=0)

    def _least_precise_dtype(self) -> Any:
        """Return the least precise float or complex dtype among the nodes of the old side."""
        dtypes = {
            array_of(self.values[v]).dtype
            for node in self._nodes(self.pair.old)
            for v in node.outputs
        }
        floats = [d for d in dtypes | {self.old.dtype} if d.kind in "fc"]
        floats = floats or [np.dtype("float64")]
        return max(floats, key=lambda d: float(np.finfo(d).eps))

    def _nodes(self, side: Variable) -> list[Apply]:
        return self.pair.nodes_of(side)

    # -- against the true value ------------------------------------------------------------

    def _less_accurate(self, differing: Array) -> Difference | None:
        """Return the first element whose new value is farther from the true one than the old."""
        if differing.any() and not self.is_discrete:
            new = self.pair.new
            differing &= ~overflowed_by_rounding(self._nodes(new), self.values, new)
        info = np.finfo(self._least_precise_dtype() if self.is_discrete else self.old.dtype)
        indices = np.argwhere(differing)
        if not len(indices):
            return None
        # all, or many that lie far apart
        chosen = indices[:: max(1, len(indices) // _MANY)][:_MANY]
        for index, truth in zip(map(tuple, chosen), self._true_values(chosen), strict=True):
            if truth is UNKNOWN or truth is UNDECIDED:  # tan(arctan(inf)), say
                continue
            with precision(PRECISIONS[-1]):
                why = self._why_less_accurate(index, truth, info)
            if why is not None:
                return Difference(why, tuple(int(i) for i in index))
        return None

    def _true_values(self, indices: Array) -> list[Any]:
        """Return the true values of the old side's elements at some indices."""
        nodes, known = self._elements_at(indices)
        if known is not self.values:
            return list(np.ravel(true_values(nodes, known, self.pair.old)))
        where = [tuple(index) for index in indices]
        whole = true_values(nodes, known, self.pair.old, where)
        return [whole[index] for index in where]

    def _elements_at(self, indices: Array) -> tuple[list[Apply], Values]:
        """Return the nodes of the old side, and all values in it that its elements at some indices
        are computed by; that is all values if they are not elementwise.
        """
        nodes = self._nodes(self.pair.old)
        if not all(isinstance(node.op, Elemwise) for node in nodes):
            return nodes, self.values
        flat = tuple(indices.T)
        involved = {v for node in nodes for v in (*node.inputs, *node.outputs)}
        shape = self.old.shape
        return nodes, {v: np.broadcast_to(self.values[v], shape)[flat] for v in involved}

    def _has_nan_or_infinite_input(self, index: tuple[int, ...]) -> tuple[bool, bool]:
        """Return whether an element is computed from a nan, and whether from an infinity."""
        nodes, old = self._nodes(self.pair.old), self.pair.old
        nan, inf = (marked_elements(nodes, self.values, old, kind) for kind in (np.isnan, np.isinf))
        return bool(nan[index]), bool(inf[index])

    def _why_less_accurate(self, index: tuple[int, ...], truth: Any, info: Any) -> str | None:
        """Return what is wrong with the new value of an element, or None if nothing is.

        Parameters
        ----------
        index
            The index of the element.
        truth
            Its true value: a ball, or an integer or condition.
        info
            NumPy's `finfo` of the dtype.
        """
        old, new = self.old[index], self.new[index]
        if self.is_discrete:
            return None if new == truth else f"the true value is {truth}"
        has_nan, has_inf = self._has_nan_or_infinite_input(index)
        if has_nan:
            return (
                None
                if np.isnan(new) == np.isnan(old)
                else "an input is nan, and only one side is nan"
            )
        if is_none(truth):
            overflows = has_inf or bool(self._unclaimed(self.pair.old, "rounding")[index])
            if overflows and np.isnan(old):
                return None
            if not np.isfinite(old) and not np.isfinite(new):
                return None
            return "there is no true value, yet the two differ"
        if np.isnan(new):
            # what is infinitely wrong says no more than a nan
            is_lost = np.isnan(old) or (np.isinf(old) and not is_infinite(truth))
            return None if is_lost else f"the true value is {_written(truth)}"
        if np.isnan(old):
            old = np.inf * (-1 if np.isfinite(new) and truth > 0 else 1)
        if not _distance(new, truth, info) > _distance(old, truth, info):
            return None
        if not is_infinite(truth):
            ulp = float(info.eps) * abs(truth) + float(info.smallest_subnormal)
            if _distance(new, truth, info) <= MAX_ULPS * ulp:
                return None
        return f"the true value is {_written(truth)}, to which the old one is nearer"


def _is_logarithm(side: Variable) -> bool:
    op = None if side.owner is None else side.owner.op
    return isinstance(op, Elemwise) and op.scalar_op.name in _LOGARITHMS


def _written(truth: Any) -> str:
    """Return a true value as text."""
    return str(float(truth)) if is_infinite(truth) else str(truth.str(17, radius=False))


def _first(differing: Array, why: str) -> Difference | None:
    """Return the difference at the first of some elements, or None if there are no elements."""
    indices = np.argwhere(differing)
    return Difference(why, tuple(int(i) for i in indices[0])) if len(indices) else None


def _distance(value: Any, truth: Any, info: Any) -> Any:
    """Return how far a value is from the true one; 0 for an infinity that overflow explains."""
    if np.isinf(value):
        sign = 1 if value > 0 else -1
        return as_ball(0.0 if truth * sign > float(info.max) else np.inf)
    return abs(as_ball(value) - truth)

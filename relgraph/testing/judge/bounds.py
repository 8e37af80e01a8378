"""Where a soundness class makes a claim, and how far the two sides may then differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.along_axes.repetition import Cumulate
from relgraph.tensor.contraction import Product
from relgraph.tensor.elemwise.op import Elemwise
from relgraph.tensor.indexing.subtensor import Increment
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.testing.judge.abstract_values import carried, moved_inputs
from relgraph.testing.judge.sides import Values

Array = np.ndarray[Any, Any]

FEW = 8
"""How many units of rounding an op may be off: ufuncs are good to about 4."""

# Scalar ops that give an infinity for finite operands without overflowing, and where.
_POLES: dict[str, Callable[..., Any]] = {
    "true_div": lambda x, y: y == 0,
    "int_div": lambda x, y: y == 0,
    "mod": lambda x, y: y == 0,
    "reciprocal": lambda x: x == 0,
    "pow": lambda x, y: x == 0,
    **dict.fromkeys(
        (
            "log",
            "log2",
            "log10",
            "log1p",
            "arctanh",
            "gammaln",
            "digamma",
            "erfinv",
            "log1mexp",
            "log1pmx",
        ),
        lambda *x: np.True_,
    ),
}

# Scalar ops that can give zero for a true value that is not zero.
_VANISHING = frozenset(
    [
        *("mul", "true_div", "reciprocal", "pow", "exp", "exp2", "sqr"),
        *("sigmoid", "erfc", "softplus", "arctan2", "log1mexp", "cosm1"),
        *("log1pmx", "x_less_sin", "tan_less_x"),
    ]
)

# Scalar ops whose results below the normal range are as good as any.
_SAFE_BELOW = frozenset(
    [
        *("add", "sub", "neg", "abs", "maximum", "minimum", "second", "identity"),
        *("switch", "clip", "conj", "real", "imag", "mod"),
    ]
)


def _real_finite(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype) if dtype.kind in "fc" else None


def outside(nodes: Sequence[Apply], values: Values, out: Variable, sound: str) -> Array:
    """Return for which elements of `out` a class makes no claim.

    Parameters
    ----------
    nodes
        The nodes of one side, inputs first.
    sound
        ``rounding`` (no claim where finite operands over- or underflow on the way), ``finite`` or
        ``domain`` (none where an input or intermediate value is not finite).
    """
    marks: dict[Variable, Array] = {}
    finite = sound != "rounding"

    def mark(v: Variable) -> Array:
        known = marks.get(v)
        if known is None:
            value = np.asarray(values[v])
            known = ~np.isfinite(value) if finite else np.zeros(value.shape, bool)
            marks[v] = np.asarray(known)
        return marks[v]

    for node in nodes:
        inputs = [np.asarray(values[v]) for v in node.inputs]
        for v in node.outputs:
            result = np.asarray(values[v])
            came = carried(node, [mark(u) for u in node.inputs], inputs, result.shape)
            with np.errstate(all="ignore"):
                own = ~np.isfinite(result) if finite else _ranged(node, inputs, result)
            marks[v] = np.asarray(came, bool) | own
    return mark(out)


def reached(
    nodes: Sequence[Apply], values: Values, out: Variable, kind: Callable[[Any], Any]
) -> Array:
    """Return which elements of `out` come from a number of a kind (nan, say) that was put in."""
    marks: dict[Variable, Array] = {}

    def mark(v: Variable) -> Array:
        if v not in marks:
            marks[v] = np.asarray(kind(values[v]))
        return marks[v]

    for node in nodes:
        inputs = [np.asarray(values[v]) for v in node.inputs]
        given = [mark(u) for u in node.inputs]
        for v in node.outputs:
            marks[v] = np.asarray(carried(node, given, inputs, values[v].shape), bool)
    return mark(out)


def _ranged(node: Apply, inputs: Sequence[Array], result: Array) -> Any:
    """Return where finite operands over- or underflow in one op."""
    info = _real_finite(result.dtype)
    op: Any = node.op
    adds = isinstance(op, Increment) and not op.set_instead_of_inc
    if info is None or (moved_inputs(node) is not None and not adds):
        return np.zeros(result.shape, bool)
    if isinstance(op, Elemwise):
        return _elemwise_ranged(op.scalar_op, inputs, result, info)
    parts = [np.where(np.isfinite(x), np.abs(x), 0) for x in inputs]
    if adds:
        storage: list[list[Any]] = [[None]]
        op.perform(node, [*parts[:2], *inputs[2:]], storage)
        return ~np.isfinite(storage[0][0])
    if isinstance(op, CAReduce) and op.ufunc in (np.add, np.multiply):
        axes = op.axes(inputs[0].ndim)
        if op.ufunc is np.add:
            return ~np.isfinite(np.sum(parts[0], axis=axes))
        return _log_range(np.where(parts[0] == 0, 1, parts[0]), info, axes)
    if isinstance(op, Product):
        most = np.matmul(parts[0], parts[1])
        some = np.matmul((parts[0] > 0).astype(float), (parts[1] > 0).astype(float)) > 0
        return ~np.isfinite(most) | (some & (most < info.tiny / info.eps))
    if isinstance(op, CAReduce):
        return np.zeros(result.shape, bool)
    finite = all(np.isfinite(x).all() for x in inputs)
    return np.full(result.shape, finite and not np.isfinite(result).all())


def _log_range(sizes: Array, info: Any, axes: Any) -> Array:
    """Return where a product of these sizes may leave the range on the way."""
    exponents = np.abs(np.log2(sizes)).sum(axis=axes)
    return np.asarray(exponents >= -np.log2(float(info.tiny)) - 1)


def _elemwise_ranged(scalar_op: Any, inputs: Sequence[Array], result: Array, info: Any) -> Array:
    name = scalar_op.name
    finite = np.broadcast_to(
        np.logical_and.reduce(np.broadcast_arrays(*[np.isfinite(x) for x in inputs])), result.shape
    )
    bad = finite & ~np.isfinite(result) & ~np.isnan(result)
    if name in _POLES:
        bad = bad & ~_POLES[name](*inputs)
    # inf - inf of what overflowed on the way
    bad = bad | (finite & np.isnan(result) & (name in ("add", "mul")))
    size = np.abs(result)
    if name not in _SAFE_BELOW:
        bad = bad | (finite & (size > 0) & (size < info.tiny))
    if name in _VANISHING:
        factors = [x != 0 for x in inputs] if name in ("mul", "sqr") else []
        if name in ("true_div", "pow", "arctan2", "reciprocal"):
            factors = [inputs[0] != 0]
        nonzero: Any = np.logical_and.reduce(np.broadcast_arrays(finite, *factors))
        bad = bad | (nonzero & (size == 0))
    if name in ("mul", "add") and len(inputs) > 2:
        sizes = [np.where(np.isfinite(x) & (x != 0), np.abs(x), 1) for x in inputs]
        if name == "mul":
            bad = bad | _log_range(np.stack(np.broadcast_arrays(*sizes)), info, 0)
        else:
            bad = bad | ~np.isfinite(sum(sizes))
    return np.asarray(bad)


def largest(nodes: Sequence[Apply], values: Values, out: Variable) -> Array:
    """Return for each element of `out` the largest finite value that it is computed from.

    Of a sum over elements it is the sum of their magnitudes, which no partial sum exceeds.
    """
    sizes: dict[Variable, Array] = {}

    def size(v: Variable) -> Array:
        known = sizes.get(v)
        if known is None:
            known = sizes[v] = _magnitude(values[v])
        return known

    with np.errstate(all="ignore"):
        for node in nodes:
            inputs = [np.asarray(values[v]) for v in node.inputs]
            for v in node.outputs:
                result = _magnitude(values[v])
                came = _summed_size(node, [size(u) for u in node.inputs], inputs, result.shape)
                sizes[v] = np.maximum(came, result)
    return size(out)


def _magnitude(x: Any) -> Array:
    array = np.asarray(x)
    if array.dtype.kind == "b":
        return array.astype("float64")
    made = np.abs(array.astype("complex128" if array.dtype.kind == "c" else "float64"))
    return np.where(np.isfinite(made), made, 0.0)


def _summed_size(
    node: Apply, sizes: Sequence[Array], inputs: Sequence[Array], shape: tuple[int, ...]
) -> Array:
    op: Any = node.op
    if isinstance(op, CAReduce) and op.ufunc is np.add:
        return np.asarray(np.sum(sizes[0], axis=op.axes(inputs[0].ndim)))
    if isinstance(op, Product):
        return np.asarray(np.matmul(sizes[0], sizes[1]))
    if isinstance(op, Cumulate) and op.scalar_op.ufunc is np.add:
        return np.asarray(np.cumsum(sizes[0], axis=op.axis))
    if isinstance(op, Elemwise | CAReduce) or moved_inputs(node) is not None:
        return carried(node, sizes, inputs, shape)
    return np.full(shape, sum(float(s.sum()) for s in sizes))


def propagated(
    nodes: Sequence[Apply], values: Values, out: Variable, absolute: bool, coarsest: float
) -> Array:
    """Return how far the rounding of all intermediate values can move each element of `out`.

    Each op is off by a unit in the last place of its result; what its inputs are off by it
    passes on as much as its result moves when they do. To first order, found by moving them.

    Parameters
    ----------
    absolute
        Whether underflow counts as rounding too.
    coarsest
        The largest relative error that rounding is taken to make.
    """
    errors: dict[Variable, Array] = {}

    def error(v: Variable) -> Array:
        known = errors.get(v)
        if known is None:
            known = errors[v] = np.zeros(values[v].shape)
        return known

    with np.errstate(all="ignore"):
        for node in nodes:
            inputs = [np.asarray(values[v]) for v in node.inputs]
            for v in node.outputs:
                result = np.asarray(values[v])
                came = _passed_on(node, [error(u) for u in node.inputs], inputs, result)
                errors[v] = came + _own_error(node, result, absolute, coarsest)
    return error(out)


def _own_error(node: Apply, result: Array, absolute: bool, coarsest: float) -> Any:
    info = _real_finite(result.dtype)
    if info is None or moved_inputs(node) is not None:
        return 0.0
    own = _magnitude(result) * min(float(info.eps), coarsest)
    return own + float(info.smallest_subnormal) if absolute else own


def _passed_on(
    node: Apply, errors: Sequence[Array], inputs: Sequence[Array], result: Array
) -> Array:
    op: Any = node.op
    if not any(e.any() for e in errors):
        return np.zeros(result.shape)
    if isinstance(op, CAReduce) and op.ufunc is np.add:
        return np.asarray(np.sum(errors[0], axis=op.axes(inputs[0].ndim)))
    if isinstance(op, CAReduce) and op.ufunc is np.multiply:
        axes = op.axes(inputs[0].ndim)
        rest = np.sum(errors[0] / np.abs(inputs[0]), axis=axes) * np.abs(result)
        return np.asarray(np.where(np.isnan(rest), np.inf, rest))
    if isinstance(op, Product):
        a, b = _magnitude(inputs[0]), _magnitude(inputs[1])
        return np.asarray(np.matmul(errors[0], b) + np.matmul(a, errors[1]))
    if isinstance(op, Cumulate) and op.scalar_op.ufunc is np.add:
        return np.asarray(np.cumsum(errors[0], axis=op.axis))
    if isinstance(op, CAReduce) or moved_inputs(node) is not None:
        return carried(node, errors, inputs, result.shape)
    if isinstance(op, Elemwise):
        return _moved_by(op, errors, inputs, result, node)
    return np.full(
        result.shape,
        np.inf if any(np.isinf(e).any() for e in errors) else _shaken(node, errors, inputs, result),
    )


def _shaken(node: Apply, errors: Sequence[Array], inputs: Sequence[Array], result: Array) -> float:
    """Return how far a result moves at most when all inputs are moved up, or all down."""
    most = 0.0
    index = list(node.outputs).index(node.outputs[0])
    for sign in (1, -1):
        moved = [_shifted(x, e, sign) for x, e in zip(inputs, errors, strict=True)]
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        try:
            node.op.perform(node, moved, storage)
        except (ValueError, IndexError):
            return np.inf
        found = np.asarray(storage[index][0])
        if found.shape != result.shape:
            return np.inf
        if result.size:
            # where both are nan nothing has moved
            off = np.abs(_wide(found) - _wide(result))
            most = max(most, float(np.fmax.reduce(off, axis=None, initial=0.0)))
    return 4 * most


def _moved_by(
    op: Any, errors: Sequence[Array], inputs: Sequence[Array], result: Array, node: Apply
) -> Array:
    """Return how far an elementwise op moves when its inputs do, one after the other."""
    total = np.zeros(result.shape)
    for i, e in enumerate(errors):
        if not e.any():
            continue
        most = np.zeros(result.shape)
        for sign in (1, -1):
            moved = [*inputs[:i], _shifted(inputs[i], e, sign), *inputs[i + 1 :]]
            made = op.scalar_op.impl(*moved)
            if op.nout > 1:
                made = made[0]
            change = np.abs(_wide(np.asarray(made).astype(result.dtype)) - _wide(result))
            change = np.where(_same(made, result), 0.0, change)
            most = np.maximum(most, np.where(np.isnan(change), np.inf, change))
        total = total + most
    return total


def _same(a: Any, b: Array) -> Any:
    return (a == b) | ((a != a) & (b != b))


def _wide(x: Array) -> Array:
    return np.asarray(x, "complex128" if x.dtype.kind == "c" else "float64")


def _shifted(x: Array, error: Array, sign: int) -> Array:
    if x.dtype.kind == "b":
        return np.where(error > 0, ~x, x)
    if x.dtype.kind in "iu":
        moved = x + sign * np.ceil(np.minimum(error, 1e15)).astype("int64")
        return np.asarray(moved).astype(x.dtype)
    return np.asarray(x + sign * error).astype(x.dtype)

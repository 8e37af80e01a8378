"""Appliers: each applies one op or function to variables of the graph that is being built.

Appliers of indexing take, set or increment a part of a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.functions import FUNCTIONS
from relgraph.tensor.reductions import CAReduce
from relgraph.testing.draw.graph_builder import INVALID_APPLICATION, GraphBuilder

_BOUNDS = (None, 1, -1, 0, 2, -2, None)
_STEPS = (None, None, None, -1, 2, -2)


def _slice(b: GraphBuilder) -> slice:
    return slice(b.choose(_BOUNDS), b.choose(_BOUNDS), b.choose(_STEPS))


def _entry(b: GraphBuilder, length: int) -> Any:
    """Return an index of one axis: an integer, an input, or a slice."""
    kind = b.below(6)
    if length and kind == 0:
        return b.below(length)
    if length and kind == 1:
        return -1 - b.below(length)
    if kind == 2:
        variable = b.new_index(length)
        if variable is not None:
            return variable
    if kind == 3:
        # Not an input: the shape of the result would depend on its value.
        like = b.pick(_at_least(1))
        return slice(None, at.shape_i(like, 0) - b.below(2))
    return _slice(b)


def basic_index(b: GraphBuilder, x: Any) -> Any:
    """Return a tuple of integers and slices for the first axes of `x`."""
    count = 1 + b.below(x.type.ndim)
    return tuple(_entry(b, n) for n in b.shape(x)[:count])


def array_index(b: GraphBuilder, x: Any) -> Any:
    """Return an index with an array for one axis: a mask, an input, or a constant.

    The constant may hold an index several times.
    """
    shape = b.shape(x)
    axis = b.below(len(shape))
    length = shape[axis]
    kind = b.below(4)
    if kind == 0:
        mask = np.arange(length) % 2 == 0
        return (*[slice(None)] * axis, mask)
    if kind == 1:
        variable = b.new_index(length, b.choose(((3,), (2,), (0,), (2, 2))))
        if variable is not None:
            return (*[slice(None)] * axis, variable)
    if not length:
        return (*[slice(None)] * axis, np.zeros(0, "int64"))
    indices = [b.below(2 * length) - length for _ in range(1 + b.below(3))]
    return (*[slice(None)] * axis, np.array(indices))


def _update(function: Callable[..., Any], b: GraphBuilder, x: Any) -> Any:
    """Set or increment a part of a variable."""
    part = x[array_index(b, x) if b.chance(3) else basic_index(b, x)]
    candidates: Sequence[Any] = [v for v in b.variables if v.type.dtype == x.type.dtype]
    kind = b.below(3)
    if kind == 0:
        return function(part, b.choose((0, 1, 2)))
    if kind == 1:
        return function(part, at.neg(part) if x.type.dtype != "bool" else part)
    return function(part, b.choose(candidates))


Applier = Callable[[GraphBuilder], Any]
"""Returns the new variable or variables; raises one of `INVALID_APPLICATION` if the graph has no
fitting operands."""

ELEMENTWISE: tuple[Any, ...] = tuple(
    dict.fromkeys(
        value
        for name, value in vars(at).items()
        # whether a function is loaded depends on its users, and draws may not
        if isinstance(value, Elemwise) and name not in FUNCTIONS
    )
)
# These are drawn more often than the other elementwise ops.
_FREQUENT = (at.add, at.mul, at.sub, at.true_div, at.neg, at.exp, at.log, at.sqr, at.maximum)


def _rank(v: Any) -> int:
    return int(v.type.ndim)


def _at_least(ndim: int) -> Callable[[Any], bool]:
    return lambda v: _rank(v) >= ndim


def _apply_elementwise(op: Any, b: GraphBuilder) -> Any:
    """Apply an elementwise op to operands that broadcast."""
    nin = op.scalar_op.nin
    count = nin if nin >= 0 else b.choose((2, 2, 2, 3, 1))
    if op is at.switch:
        return _apply_switch(b)
    first = b.pick()
    arguments = [first, *(b.operand_for(first) for _ in range(count - 1))]
    if count > 1 and b.chance(2):
        arguments.reverse()
    if op is at.pow and not _takes_any_base(arguments[-1]):
        arguments[-1] = b.choose((2, 2.0, 0.5, -1.0, 3, 1, 0))
    return op(*arguments)


def _takes_any_base(exponent: Any) -> bool:
    """Return whether an exponent is a float: NumPy raises for negative integers."""
    return isinstance(exponent, float) or getattr(getattr(exponent, "type", None), "dtype", "")[
        :1
    ] in ("f", "c")


def _apply_switch(b: GraphBuilder) -> Any:
    left = b.pick()
    right = b.operand_for(left)
    condition = b.operand_for(left)
    if b.chance(2) and hasattr(condition, "type"):
        condition = b.choose((at.gt, at.le, at.eq, at.neq))(condition, b.operand_for(condition))
    return at.switch(condition, left, right)


def _axis(b: GraphBuilder, x: Any, several: bool) -> Any:
    """Return None, an axis of `x`, or a tuple of axes."""
    ndim = _rank(x)
    kind = b.below(3)
    if kind == 0 or ndim == 0:
        return None
    if kind == 2 and several:
        return tuple(i for i in range(ndim) if b.chance(2)) or (0,)
    return b.below(ndim)


def _reduce(function: Callable[..., Any], b: GraphBuilder, x: Any) -> Any:
    """Apply a function that reduces axes."""
    return function(x, axis=_axis(b, x, True), keepdims=b.chance(4))


def _along_axis(function: Callable[..., Any], b: GraphBuilder, x: Any) -> Any:
    """Apply a function that works along one axis."""
    return function(x, axis=b.below(_rank(x)))


def _dimshuffle(b: GraphBuilder, x: Any) -> Any:
    """Reorder the axes, drop some of length 1, and add a new one."""
    axes = [i for i, n in enumerate(x.type.shape) if n != 1 or b.chance(2)]
    order: list[Any] = []
    while axes:
        order.append(axes.pop(b.below(len(axes))))
    if b.chance(3) and len(order) < 4:
        order.insert(b.below(len(order) + 1), "x")
    return x.dimshuffle(*order)


def _reshape(b: GraphBuilder, x: Any) -> Any:
    """Reshape to known lengths, one of them perhaps -1, or to the shape of another variable."""
    shape = b.shape(x)
    size = int(np.prod(shape))
    others = [v for v in b.variables if b.samples[v].size == size]
    kind = b.below(4)
    if kind == 0:
        return at.flatten(x)
    if kind == 1:
        return at.reshape(x, b.choose(others).shape, ndim=None)
    wanted: list[Any] = list(b.shape(b.choose(others)))
    if kind == 2 and size and wanted:
        wanted[b.below(len(wanted))] = -1
    if b.chance(3):
        wanted.insert(b.below(len(wanted) + 1), 1)
    return at.reshape(x, tuple(wanted))


def _apply_alloc(b: GraphBuilder) -> Any:
    """Fill a shape: a known one, or that of another variable."""
    x, like = b.pick(), b.pick()
    value = x if b.chance(2) else b.choose((0.0, 1.0, np.float32(2.0), 3))
    known = b.chance(2)
    dims = list(b.shape(like)) if known else [like.shape[i] for i in range(_rank(like))]
    return at.alloc(value, *dims)


def _join(b: GraphBuilder, x: Any) -> Any:
    """Join along an axis, or stack."""
    same_shape = [v for v in b.variables if b.shape(v) == b.shape(x)]
    parts = [x, *(b.choose(same_shape) for _ in range(b.choose((1, 2))))]
    if b.chance(3) or _rank(x) == 0:
        return at.stack(parts, axis=b.below(_rank(x) + 1))
    return at.join(b.below(_rank(x)), *parts)


def _split(b: GraphBuilder, x: Any) -> Any:
    """Split along an axis."""
    axis = b.below(_rank(x))
    length = b.shape(x)[axis]
    first = b.below(length + 1)
    return at.split(x, [first, length - first], 2, axis=axis)


def _product(function: Callable[..., Any], b: GraphBuilder, x: Any) -> Any:
    """Apply a product of matrices and vectors; the right operand is transposed if need be."""
    inner = b.shape(x)[-1]
    fits = [
        v for v in b.variables if _rank(v) in (1, 2) and inner in (b.shape(v)[0], b.shape(v)[-1])
    ]
    if not fits or b.chance(3):
        made = b.new_input([inner, *b.choose(([], [2], [3]))], x.type.dtype)
        fits = fits if made is None else [made]
    y = b.choose(fits)
    return function(x, y if b.shape(y)[0] == inner else y.T)


def _shape(b: GraphBuilder, x: Any) -> Any:
    """Take the shape of a variable, the length of an axis, or the number of elements."""
    kind = b.below(3)
    if kind == 0:
        return x.shape
    return at.size(x) if kind == 1 or not _rank(x) else at.shape_i(x, b.below(_rank(x)))


def _apply_creation(function: Callable[..., Any], b: GraphBuilder) -> Any:
    """Create a tensor from lengths, of which one may be that of another variable."""
    n = b.below(4) if b.chance(2) else b.pick(_at_least(1)).shape[0]
    if function is at.arange:
        return at.arange(n)
    return at.eye(n, dtype=b.choose_dtype()) if function is at.eye else function((n, 2))


_REDUCTIONS = (at.sum, at.prod, at.max, at.min, at.mean, at.var, at.any, at.all, at.logsumexp)
_ALONG_AXIS = (at.argmax, at.argmin, at.softmax, at.log_softmax, at.cumsum, at.cumprod)

Step = Callable[[GraphBuilder, Any], Any]
"""Returns what an op or function makes of a variable, as an `Applier` does."""

_OF_ANY: dict[Any, Step] = {
    **{f: partial(_reduce, f) for f in _REDUCTIONS},
    at.zeros_like: lambda b, x: at.zeros_like(x),
    at.ones_like: lambda b, x: at.ones_like(x),
    at.squeeze: lambda b, x: at.squeeze(x),
    at.flatten: lambda b, x: at.flatten(x),
    DimShuffle: _dimshuffle,
    at.reshape: _reshape,
    at.second: lambda b, x: at.second(x, b.operand_for(x)),
    # the lengths of some axes are declared
    at.specify_shape: lambda b, x: at.specify_shape(
        x, [n if b.chance(2) else None for n in b.shape(x)]
    ),
    at.join: _join,
    at.outer: lambda b, x: at.outer(x, b.pick()),
    at.expand_dims: lambda b, x: at.expand_dims(x, b.below(_rank(x) + 1)),
    at.cast: lambda b, x: at.cast(x, b.choose_dtype()),
    at.shape: _shape,
    at.clip: lambda b, x: at.clip(x, b.operand_for(x), b.operand_for(x)),
}
# Functions of what has one axis or more, or two.
_OF_ARRAY: dict[Any, Step] = {
    **{f: partial(_along_axis, f) for f in _ALONG_AXIS},
    **{f: partial(_product, f) for f in (at.dot, at.matmul)},
    **{f: partial(_update, f) for f in (at.set_subtensor, at.inc_subtensor)},
    at.getitem: lambda b, x: x[basic_index(b, x)],
    at.take: lambda b, x: x[array_index(b, x)],
    at.split: _split,
    at.tensordot: lambda b, x: at.tensordot(
        x, b.pick(lambda v: _rank(v) > 0 and b.shape(v)[0] == b.shape(x)[-1]), axes=1
    ),
    at.repeat: lambda b, x: at.repeat(x, b.below(3), axis=b.below(_rank(x))),
}
_OF_MATRIX: dict[Any, Step] = {
    at.tril: lambda b, x: b.choose((at.tril, at.triu))(x, b.below(3) - 1),
    at.diagonal: lambda b, x: at.diagonal(x, b.below(3) - 1),
    at.transpose: lambda b, x: x.T,
    at.swapaxes: lambda b, x: at.swapaxes(x, 0, b.below(_rank(x))),
}


def _apply_to_variable(rank: int, step: Step, b: GraphBuilder) -> Any:
    """Apply a function to a variable of at least some rank."""
    return step(b, b.pick(_at_least(rank)))


_APPLIERS: dict[Any, Applier] = {
    **{
        function: partial(_apply_to_variable, rank, step)
        for rank, steps in enumerate((_OF_ANY, _OF_ARRAY, _OF_MATRIX))
        for function, step in steps.items()
    },
    **{f: partial(_apply_creation, f) for f in (at.arange, at.eye, at.zeros, at.ones)},
    at.alloc: _apply_alloc,
}


def _apply_unknown(op: Any, b: GraphBuilder) -> Any:
    """Apply an op or function of unknown signature to 1, 2 or 3 operands."""
    first = b.pick()
    return op(first, *(b.operand_for(first) for _ in range(b.below(3))))


def applier_of(op: Any) -> Applier:
    """Return the applier of an op or function.

    Raises
    ------
    TypeError
        If `op` is not callable.
    """
    if op in _APPLIERS:
        return _APPLIERS[op]
    if isinstance(op, Elemwise):
        return partial(_apply_elementwise, op)
    if isinstance(op, CAReduce):
        least = 0 if op.axis is None else 1 + max(op.axis)
        return lambda b: op(b.pick(_at_least(least)))
    if isinstance(op, DimShuffle):
        return lambda b: op(b.pick(lambda v: _rank(v) == op.input_ndim))
    if not callable(op):
        raise TypeError(f"graphs: {op!r} is neither an op nor a function")
    return partial(_apply_unknown, op)


def appliers_tracked(op: Any) -> list[Applier]:
    """Return appliers that make nodes of an op, or of a class of ops, that an optimizer tracks."""
    if not isinstance(op, type):
        return [applier_of(op)]
    known = [f for f in (*ELEMENTWISE, *_APPLIERS) if isinstance(f, op)]
    return [applier_of(f) for f in known] or _appliers_that_make(op)


@cache
def _appliers_that_make(cls: type) -> list[Applier]:
    """Return the appliers of the functions that make nodes of a class of a matrix, or of two."""
    x, y = at.dmatrices("x", "y")
    found = []
    for function, applier in _APPLIERS.items():
        for arguments in ((x,), (x, y)):
            try:
                made = function(*arguments)
            except INVALID_APPLICATION:
                continue
            if isinstance(made, Variable) and isinstance(made.head, cls):
                found.append(applier)
                break
    return found


@cache
def appliers_for(ops: tuple[Any, ...] | None) -> st.SearchStrategy[Applier]:
    """Return a strategy for the appliers of some ops; None for all ops.

    Raises
    ------
    ValueError
        If `ops` is empty.
    TypeError
        If one of them is neither an op nor a function.
    """
    if ops is not None:
        if not ops:
            raise ValueError("graphs: there are no ops to build with")
        return st.sampled_from([applier_of(op) for op in ops])
    frequent = [applier_of(op) for op in _FREQUENT]
    elementwise = [applier_of(op) for op in ELEMENTWISE]
    functions = list(_APPLIERS.values())
    reductions = [applier_of(f) for f in (at.sum, at.mean, DimShuffle, at.dot)]
    return st.one_of(
        st.sampled_from([*frequent, *elementwise]),
        st.sampled_from(reductions * 3 + functions),
    )

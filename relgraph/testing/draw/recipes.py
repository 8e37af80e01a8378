"""How random graphs apply ops and functions to what they have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.op import Elemwise
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.testing.draw.builder import Builder
from relgraph.testing.draw.idioms import IDIOMS, apply_idiom
from relgraph.testing.draw.indexing import INDEXING

Recipe = Callable[[Builder], Any]

ELEMENTWISE: tuple[Any, ...] = tuple(
    dict.fromkeys(value for value in vars(at).values() if isinstance(value, Elemwise))
)
# What these compute takes long, or is a copy.
_COMMON = (at.add, at.mul, at.sub, at.true_div, at.neg, at.exp, at.log, at.sqr, at.maximum)


def _rank(v: Any) -> int:
    return int(v.type.ndim)


def _at_least(ndim: int) -> Callable[[Any], bool]:
    return lambda v: _rank(v) >= ndim


def elementwise(op: Any, b: Builder) -> Any:
    """Apply an elementwise op; its inputs broadcast."""
    nin = op.scalar_op.nin
    count = nin if nin >= 0 else b.choose((2, 2, 2, 3, 1))
    if op is at.switch:
        return _switch(b)
    first = b.pick()
    arguments = [first, *(b.partner(first) for _ in range(count - 1))]
    if count > 1 and b.chance(2):
        arguments.reverse()
    if op is at.pow and not _power_of(arguments[-1]):
        arguments[-1] = b.choose((2, 2.0, 0.5, -1.0, 3, 1, 0))
    return op(*arguments)


def _power_of(exponent: Any) -> bool:
    """Return whether NumPy takes any such exponent: it refuses negative ones of integers."""
    return isinstance(exponent, float) or getattr(getattr(exponent, "type", None), "dtype", "")[
        :1
    ] in ("f", "c")


def _switch(b: Builder) -> Any:
    left = b.pick()
    right = b.partner(left)
    condition = b.partner(left)
    if b.chance(2) and hasattr(condition, "type"):
        condition = b.choose((at.gt, at.le, at.eq, at.neq))(condition, b.partner(condition))
    return at.switch(condition, left, right)


def _axis(b: Builder, x: Any, several: bool) -> Any:
    """Return None, an axis, or several."""
    ndim = _rank(x)
    kind = b.below(3)
    if kind == 0 or ndim == 0:
        return None
    if kind == 2 and several:
        return tuple(i for i in range(ndim) if b.chance(2)) or (0,)
    return b.below(ndim)


def reduction(function: Callable[..., Any], b: Builder) -> Any:
    """Apply a function that reduces axes."""
    x = b.pick()
    return function(x, axis=_axis(b, x, True), keepdims=b.chance(4))


def along(function: Callable[..., Any], b: Builder) -> Any:
    """Apply a function that takes one axis."""
    x = b.pick(_at_least(1))
    return None if x is None else function(x, axis=b.below(_rank(x)))


def _reduce_by(op: CAReduce, b: Builder) -> Any:
    least = 0 if op.axis is None else 1 + max(op.axis)
    x = b.pick(_at_least(least))
    return None if x is None else op(x)


def dimshuffle(b: Builder) -> Any:
    """Reorder the axes, drop some of length 1, add some."""
    x = b.pick()
    axes = [i for i, n in enumerate(x.type.shape) if n != 1 or b.chance(2)]
    order: list[Any] = []
    while axes:
        order.append(axes.pop(b.below(len(axes))))
    if b.chance(3) and len(order) < 4:
        order.insert(b.below(len(order) + 1), "x")
    return x.dimshuffle(*order)


def _shuffle_by(op: DimShuffle, b: Builder) -> Any:
    x = b.pick(lambda v: _rank(v) == op.input_ndim)
    return None if x is None else op(x)


def _transpose(b: Builder) -> Any:
    x = b.pick(_at_least(2))
    return None if x is None else x.T


def reshape(b: Builder) -> Any:
    """Reshape by known lengths, one of them perhaps left open, or to the shape of another."""
    x = b.pick()
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


def alloc(b: Builder) -> Any:
    """Fill a shape, known or taken from another variable."""
    x, like = b.pick(), b.pick()
    value = x if b.chance(2) else b.choose((0.0, 1.0, np.float32(2.0), 3))
    known = b.chance(2)
    dims = list(b.shape(like)) if known else [like.shape[i] for i in range(_rank(like))]
    return at.alloc(value, *dims)


def _second(b: Builder) -> Any:
    x = b.pick()
    return at.second(x, b.partner(x))


def specify_shape(b: Builder) -> Any:
    """Declare some of the lengths."""
    x = b.pick()
    return at.specify_shape(x, [n if b.chance(2) else None for n in b.shape(x)])


def join(b: Builder) -> Any:
    """Join along an axis, or stack."""
    x = b.pick()
    alike = [v for v in b.variables if b.shape(v) == b.shape(x)]
    parts = [x, *(b.choose(alike) for _ in range(b.choose((1, 2))))]
    if b.chance(3) or _rank(x) == 0:
        return at.stack(parts, axis=b.below(_rank(x) + 1))
    return at.join(b.below(_rank(x)), *parts)


def split(b: Builder) -> Any:
    """Split along an axis."""
    x = b.pick(_at_least(1))
    if x is None:
        return None
    axis = b.below(_rank(x))
    length = b.shape(x)[axis]
    first = b.below(length + 1)
    return at.split(x, [first, length - first], 2, axis=axis)


def _dot(function: Callable[..., Any], b: Builder) -> Any:
    """Apply a product of matrices and vectors to what fits, transposed if need be."""
    x = b.pick(_at_least(1))
    if x is None:
        return None
    inner = b.shape(x)[-1]
    fits = [
        v for v in b.variables if _rank(v) in (1, 2) and inner in (b.shape(v)[0], b.shape(v)[-1])
    ]
    y = b.choose(fits) if fits else None
    if y is None or b.chance(3):
        made = b.new_input([inner, *b.choose(([], [2], [3]))], x.type.dtype)
        y = y if made is None else made
    if y is None:
        return None
    return function(x, y if b.shape(y)[0] == inner else y.T)


def _outer(b: Builder) -> Any:
    x, y = b.pick(), b.pick()
    return at.outer(x, y)


def _tensordot(b: Builder) -> Any:
    x = b.pick(_at_least(1))
    if x is None:
        return None
    y = b.pick(lambda v: _rank(v) > 0 and b.shape(v)[0] == b.shape(x)[-1])
    return None if y is None else at.tensordot(x, y, axes=1)


def cast(b: Builder) -> Any:
    """Convert to another dtype."""
    return at.cast(b.pick(), b.choose_dtype())


def shape(b: Builder) -> Any:
    """Ask for a shape, a length or a size."""
    x = b.pick()
    kind = b.below(3)
    if kind == 0:
        return x.shape
    return at.size(x) if kind == 1 or not _rank(x) else at.shape_i(x, b.below(_rank(x)))


def _made(function: Callable[..., Any], b: Builder) -> Any:
    """Make a tensor of lengths alone."""
    x = b.pick(_at_least(1))
    n = b.below(4) if x is None or b.chance(2) else x.shape[0]
    if function is at.arange:
        return at.arange(n)
    return at.eye(n, dtype=b.choose_dtype()) if function is at.eye else function((n, 2))


def _like(function: Callable[..., Any], b: Builder) -> Any:
    return function(b.pick())


def _expand(b: Builder) -> Any:
    x = b.pick(lambda v: _rank(v) < 3)
    return None if x is None else at.expand_dims(x, b.below(_rank(x) + 1))


def _repeat(b: Builder) -> Any:
    x = b.pick(_at_least(1))
    return None if x is None else at.repeat(x, b.below(3), axis=b.below(_rank(x)))


def _clip(b: Builder) -> Any:
    x = b.pick()
    return at.clip(x, b.partner(x), b.partner(x))


def _swapaxes(b: Builder) -> Any:
    x = b.pick(_at_least(2))
    return None if x is None else at.swapaxes(x, 0, b.below(_rank(x)))


_REDUCTIONS = (at.sum, at.prod, at.max, at.min, at.mean, at.var, at.any, at.all, at.logsumexp)
_ALONG = (at.argmax, at.argmin, at.softmax, at.log_softmax, at.cumsum, at.cumprod)

_FUNCTIONS: dict[Any, Recipe] = {
    **{f: partial(reduction, f) for f in _REDUCTIONS},
    **{f: partial(along, f) for f in _ALONG},
    **{f: partial(_made, f) for f in (at.arange, at.eye, at.zeros, at.ones)},
    **{f: partial(_like, f) for f in (at.zeros_like, at.ones_like, at.squeeze, at.flatten)},
    **{f: partial(_dot, f) for f in (at.dot, at.matmul)},
    **INDEXING,
    DimShuffle: dimshuffle,
    at.transpose: _transpose,
    at.reshape: reshape,
    at.alloc: alloc,
    at.second: _second,
    at.specify_shape: specify_shape,
    at.join: join,
    at.split: split,
    at.outer: _outer,
    at.tensordot: _tensordot,
    at.cast: cast,
    at.shape: shape,
    at.expand_dims: _expand,
    at.repeat: _repeat,
    at.clip: _clip,
    at.swapaxes: _swapaxes,
}


def _unknown(op: Any, b: Builder) -> Any:
    """Apply something of which nothing is known: to 1, 2 or 3 variables."""
    first = b.pick()
    return op(first, *(b.partner(first) for _ in range(b.below(3))))


def recipe(op: Any) -> Recipe:
    """Return how an op or a function is applied."""
    if op in _FUNCTIONS:
        return _FUNCTIONS[op]
    if isinstance(op, Elemwise):
        return partial(elementwise, op)
    if isinstance(op, CAReduce):
        return partial(_reduce_by, op)
    if isinstance(op, DimShuffle):
        return partial(_shuffle_by, op)
    if not callable(op):
        raise TypeError(f"graphs: {op!r} is neither an op nor a function")
    return partial(_unknown, op)


@cache
def recipes_for(ops: tuple[Any, ...] | None) -> st.SearchStrategy[Recipe]:
    """Return a strategy for ways to go on; None for all that there are, idioms included."""
    if ops is not None:
        if not ops:
            raise ValueError("graphs: there are no ops to build with")
        return st.sampled_from([recipe(op) for op in ops])
    common = [recipe(op) for op in _COMMON]
    plain = [recipe(op) for op in ELEMENTWISE]
    functions = list(_FUNCTIONS.values())
    reductions = [recipe(f) for f in (at.sum, at.mean, DimShuffle, at.dot)]
    idioms = [partial(apply_idiom, idiom) for idiom in IDIOMS]
    # A third of each, about: what there is to see for rewriting are combinations.
    return st.one_of(
        st.sampled_from([*common, *plain]),
        st.sampled_from(reductions * 3 + functions),
        st.sampled_from(idioms),
    )

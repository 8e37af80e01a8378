"""Functions of variables with NumPy's parameters, where ours have others.

``numpy.split(x, 3)`` says in how many parts, `relgraph.tensor.split` how long the parts are.
"""

from __future__ import annotations

from typing import Any

import relgraph.tensor as at
from relgraph.tensor.functions.manipulation import _equal_parts


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None) -> Any:  # fmt: skip
    """Return the sum of `initial` and of the elements where `where` is true."""
    x = _kept(a, where, 0)
    total = at.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)
    return total if initial is None else total + initial


def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
         where: Any = None) -> Any:  # fmt: skip
    """Return the product of `initial` and of the elements where `where` is true."""
    x = _kept(a, where, 1)
    total = at.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)
    return total if initial is None else total * initial


def max(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None) -> Any:  # fmt: skip
    """Return the greatest of `initial` and of the elements where `where` is true."""
    found = at.max(_at_least(a, initial, where, "max"), axis=axis, keepdims=keepdims)
    return found if initial is None else at.maximum(found, initial)


def min(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None) -> Any:  # fmt: skip
    """Return the least of `initial` and of the elements where `where` is true."""
    found = at.min(_at_least(a, initial, where, "min"), axis=axis, keepdims=keepdims)
    return found if initial is None else at.minimum(found, initial)


def all(a: Any, axis: Any = None, keepdims: bool = False, where: Any = None) -> Any:
    """Return whether all elements where `where` is true are not zero."""
    return at.all(_kept(a, where, 1), axis=axis, keepdims=keepdims)


def any(a: Any, axis: Any = None, keepdims: bool = False, where: Any = None) -> Any:
    """Return whether any element where `where` is true is not zero."""
    return at.any(_kept(a, where, 0), axis=axis, keepdims=keepdims)


def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False,
         where: Any = None) -> Any:  # fmt: skip
    """Return the mean of the elements where `where` is true."""
    if where is None:
        return at.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    chosen = at.as_tensor_variable(where)
    x = at.where(chosen, a, at.zeros_like(a))
    counted = at.sum(at.fill(x, chosen), axis=axis, keepdims=keepdims)
    weights = at.mean(x, axis=axis, dtype=dtype, keepdims=keepdims).type.dtype
    return at.cast(at.sum(at.cast(x, weights), axis=axis, keepdims=keepdims) / counted, weights)


def _kept(x: Any, where: Any, neutral: int) -> Any:
    if where is None:
        return x
    x = at.as_tensor_variable(x)
    return at.where(where, x, at.cast(neutral, x.type.dtype))


def _at_least(x: Any, initial: Any, where: Any, what: str) -> Any:
    if where is None:
        return x
    if initial is None:
        raise ValueError(f"numpy.{what} with `where` needs `initial`")
    return at.where(where, x, initial)


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return the cumulative sums, in a dtype."""
    return at.cumsum(a if dtype is None else at.cast(a, dtype), axis)


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return the cumulative products, in a dtype."""
    return at.cumprod(a if dtype is None else at.cast(a, dtype), axis)


def clip(a: Any, a_min: Any = None, a_max: Any = None, min: Any = None, max: Any = None) -> Any:
    """Return `a` with its elements brought between two bounds, either of which may be missing."""
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    if low is None:
        return a if high is None else at.minimum(a, high)
    return at.maximum(a, low) if high is None else at.clip(a, low, high)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return the elements of `x` or of `y`; where there are none, the indices of what is true."""
    if x is None and y is None:
        return at.nonzero(condition)
    return at.where(condition, x, y)


def reshape(a: Any, shape: Any) -> Any:
    """Return the elements of `a` in another shape."""
    return at.reshape(a, shape)


def transpose(a: Any, axes: Any = None) -> Any:
    """Return `a` with its axes in another order."""
    return at.transpose(a, axes)


def ndim(a: Any) -> int:
    """Return the number of axes, which is known."""
    rank: int = at.as_tensor_variable(a).type.ndim
    return rank


def size(a: Any, axis: Any = None) -> Any:
    """Return the number of elements, or the length of an axis."""
    return at.size(a) if axis is None else at.shape(a)[axis]


def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return zeros of the shape of `a`, or of another one."""
    return _like(at.zeros_like, a, 0, dtype, shape)


def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return ones of the shape of `a`, or of another one."""
    return _like(at.ones_like, a, 1, dtype, shape)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return a tensor of the shape of `a`, or of another one, filled with a value."""
    if shape is None:
        return at.full_like(a, fill_value, dtype)
    return at.full(
        shape, fill_value, at.as_tensor_variable(a).type.dtype if dtype is None else dtype
    )


def _like(make: Any, a: Any, number: int, dtype: Any, shape: Any) -> Any:
    return make(a, dtype) if shape is None else full_like(a, number, dtype, shape)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return equal parts of `ary`, or its parts between some indices."""
    return _equal_parts(ary, indices_or_sections, axis)

"""Functions of variables with NumPy's parameters, where ours have others.

``numpy.split(x, 3)`` says in how many parts, `relgraph.tensor.split` how long the parts are.
"""

from __future__ import annotations

from typing import Any

import relgraph.tensor as at
from relgraph.tensor.functions.manipulation import _equal_parts


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


def ndim(a: Any) -> int:
    """Return the number of axes, which is known."""
    return int(at.as_tensor_variable(a).type.ndim)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return equal parts of `ary`, or its parts between some indices."""
    return _equal_parts(ary, indices_or_sections, axis)

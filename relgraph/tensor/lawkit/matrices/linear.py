"""What products of matrices cost, and which are trivial, for `relations.matrices.linear`.

Where a length is not known the answer is no.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant
from relgraph.tensor.lawkit.guards.constants import is_one_everywhere


def _cost(x: Sequence[int], y: Sequence[int]) -> int:
    """Return how many multiplications the product of two shapes takes."""
    return int(np.prod(x[:-1], dtype=object) * np.prod(y, dtype=object))


def _product_shape(x: Sequence[Any], y: Sequence[Any]) -> tuple[Any, ...]:
    return (*x[:-1], *y[1:])


def _costs(x: Any, y: Any, z: Any) -> tuple[int, int] | None:
    """Return the costs of ``(x @ y) @ z`` and ``x @ (y @ z)``, if both can be told."""
    shapes = [v.type.shape for v in (x, y, z)]
    if any(None in shape for shape in shapes):
        return None
    p, q, r = shapes
    left = _cost(p, q) + _cost(_product_shape(p, q), r)
    right = _cost(q, r) + _cost(p, _product_shape(q, r))
    return left, right


def is_cheaper_from_right(x: Any, y: Any, z: Any) -> bool:
    """Return whether ``x @ (y @ z)`` is known to take fewer multiplications than ``(x @ y) @ z``.

    Of two matrices and a vector it does unless a matrix has one row or column.
    """
    costs = _costs(x, y, z)
    if costs is not None:
        return costs[1] < costs[0]
    ranks = tuple(v.type.ndim for v in (x, y, z))
    return ranks == (2, 2, 1) and 1 not in (*x.type.shape, *y.type.shape)


def is_cheaper_from_left(x: Any, y: Any, z: Any) -> bool:
    """Return whether ``(x @ y) @ z`` is known to take fewer multiplications than
    ``x @ (y @ z)``."""
    costs = _costs(x, y, z)
    if costs is not None:
        return costs[0] < costs[1]
    ranks = tuple(v.type.ndim for v in (x, y, z))
    return ranks == (1, 2, 2) and 1 not in (*y.type.shape, *z.type.shape)


def shrinks_left(x: Any, y: Any) -> bool:
    """Return whether the product of `x` and `y` is known to have fewer elements than `x`."""
    if y.type.ndim < 2:
        return True
    return y.type.ndim == 2 and _is_shorter(y.type.shape[1], x.type.shape[-1])


def shrinks_right(x: Any, y: Any) -> bool:
    """Return whether the product of `x` and `y` is known to have fewer elements than `y`."""
    if x.type.ndim < 2 or y.type.ndim < 2:
        return bool(x.type.ndim < 2)
    return x.type.ndim == 2 and _is_shorter(x.type.shape[0], y.type.shape[-2])


def _is_shorter(a: int | None, b: int | None) -> bool:
    return a is not None and b is not None and a < b


def is_identity_matrix(x: Any) -> bool:
    """Return whether `x` is a constant with ones on its diagonal and zeros beside it."""
    if not isinstance(x, Constant):
        return False
    data = np.asarray(x.data)
    square = data.ndim == 2 and data.shape[0] == data.shape[1]
    return square and bool(np.array_equal(data, np.eye(len(data))))


def is_column_by_row(x: Any, y: Any) -> bool:
    """Return whether ``x @ y`` is the outer product of a column `x` and a row `y`."""
    p, q = x.type.shape, y.type.shape
    return len(p) == len(q) == 2 and bool(p[1] == q[0] == 1)


def is_vector_of_ones(x: Any) -> bool:
    """Return whether `x` is a vector, known to hold ones and nothing else."""
    return x.type.ndim == 1 and is_one_everywhere(x)

"""Functions of matrices that are made of those in `relgraph.tensor.linalg`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgraph.tensor.basic import as_argument
from relgraph.tensor.linalg.factors.singular_values import svdvals
from relgraph.tensor.linalg.systems.inverses import inv
from relgraph.tensor.linalg.systems.solving import solve
from relgraph.tensor.math import cast, gt, maximum, neq
from relgraph.tensor.reductions.reduction import any as any_
from relgraph.tensor.reductions.reduction import max as max_
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import expand_dims, ravel, reshape, transpose
from relgraph.tensor.shapes.shape import lengths, product


def matrix_rank(A: Any, tol: Any = None) -> Any:
    """Return the ranks of matrices: how many singular values are greater than a tolerance.

    Parameters
    ----------
    A
        A matrix, or a stack of them.
    tol
        By default the greatest singular value, times the longer side, times the distance of 1 to
        the next number of the dtype.

    >>> matrix_rank([[1.0, 2.0], [2.0, 4.0]]).eval()
    array(1)
    """
    A = as_argument(A, "matrix_rank")
    if A.type.ndim < 2:
        return cast(any_(neq(A, 0)), "int64")
    s = svdvals(A)
    if tol is None:
        rows, columns = lengths(A)[-2:]
        known = isinstance(rows, int) and isinstance(columns, int)
        longer = max(rows, columns) if known else cast(maximum(rows, columns), s.type.dtype)
        eps = np.finfo(s.type.dtype).eps
        tol = max_(s, axis=-1, keepdims=True) * longer * eps
    else:
        tol = expand_dims(as_argument(tol, "matrix_rank", 1), -1)
    return sum_(gt(s, tol), axis=-1)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Return the tensor whose product with `a` over all its axes is `b`.

    Parameters
    ----------
    a, b
        Tensors.
    axes
        The axes of `a` that are moved to its end first; None for none.
    """
    a, b = as_argument(a, "tensorsolve"), as_argument(b, "tensorsolve", 1)
    if axes is not None:
        moved = [axis % a.type.ndim for axis in axes]
        a = transpose(a, [*[i for i in range(a.type.ndim) if i not in moved], *moved])
    shape = lengths(a)[b.type.ndim :]
    n = product(shape)
    return reshape(solve(reshape(a, (n, n)), ravel(b)), shape)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """Return the inverse of `a` as a matrix of its first `ind` axes and the others.

    Parameters
    ----------
    a
        A tensor; the product of its first `ind` lengths is that of the others.
    ind
        How many axes.
    """
    a = as_argument(a, "tensorinv")
    if ind <= 0:
        raise ValueError(f"tensorinv: {ind} axes")
    shape = lengths(a)
    first, others = shape[:ind], shape[ind:]
    if all(isinstance(n, int) for n in shape) and math.prod(first) != math.prod(others):
        raise ValueError(f"tensorinv: {first} and {others} have different numbers of elements")
    n = product(others)
    return reshape(inv(reshape(a, (n, n))), (*others, *first))


__all__ = ["matrix_rank", "tensorinv", "tensorsolve"]

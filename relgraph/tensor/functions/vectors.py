"""Products of vectors, and of stacks of vectors and matrices."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.assembly.joining import stack
from relgraph.tensor.basic import as_argument
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.linalg.products import dot, tensordot
from relgraph.tensor.math import mul
from relgraph.tensor.shapes.reshaping import flatten, moveaxis


def cross(a: Any, b: Any, axis: int = -1) -> Any:
    """Return the cross products of vectors of length 3 along an axis.

    Parameters
    ----------
    a, b
        Tensors whose shapes broadcast.
    axis
        The axis of length 3.

    >>> cross([1, 0, 0], [0, 1, 0]).eval()
    array([0, 0, 1])
    """
    a, b = as_argument(a, "cross"), as_argument(b, "cross", 1)
    x, y = (moveaxis(v, axis, 0) for v in (a, b))
    for v in (x, y):
        if v.type.shape[0] not in (None, 3):
            raise ValueError(f"cross: vectors of length 3, not {v.type.shape[0]}")
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return moveaxis(stack(parts), 0, axis)


def inner(a: Any, b: Any) -> Any:
    """Return the sums of the products over the last axes.

    Parameters
    ----------
    a, b
        Tensors whose last axes have one length.

    >>> inner([1, 2], [3, 4]).eval()
    array(11)
    """
    a, b = as_argument(a, "inner"), as_argument(b, "inner", 1)
    if a.type.ndim == 0 or b.type.ndim == 0:
        return mul(a, b)
    return tensordot(a, b, ((-1,), (-1,)))


def vdot(a: Any, b: Any) -> Any:
    """Return the product of two flattened tensors, the first one conjugated.

    Parameters
    ----------
    a, b
        Tensors of one size.

    >>> vdot([1, 2], [3, 4]).eval()
    array(11)
    """
    return dot(conjugate(flatten(as_argument(a, "vdot"))), flatten(as_argument(b, "vdot", 1)))


def matvec(x1: Any, x2: Any) -> Any:
    """Return the products of matrices and vectors in two stacks.

    Parameters
    ----------
    x1
        A matrix, or a stack of them.
    x2
        A vector, or a stack of them.

    >>> matvec([[1, 2], [3, 4]], [1, 1]).eval()
    array([3, 7])
    """
    x1, x2 = as_argument(x1, "matvec"), as_argument(x2, "matvec", 1)
    return (x1 @ x2.dimshuffle(*range(x2.type.ndim), "x"))[..., 0]


def vecmat(x1: Any, x2: Any) -> Any:
    """Return the products of conjugated vectors and matrices in two stacks.

    Parameters
    ----------
    x1
        A vector, or a stack of them.
    x2
        A matrix, or a stack of them.

    >>> vecmat([1, 1], [[1, 2], [3, 4]]).eval()
    array([4, 6])
    """
    x1, x2 = conjugate(as_argument(x1, "vecmat")), as_argument(x2, "vecmat", 1)
    ndim = x1.type.ndim
    return (x1.dimshuffle(*range(ndim - 1), "x", ndim - 1) @ x2)[..., 0, :]


__all__ = ["cross", "inner", "matvec", "vdot", "vecmat"]

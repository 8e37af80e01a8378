"""Diagonals of matrices: taken out, set, and summed.

As in `numpy.diagonal`, the diagonal is the last axis of what is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.notation import Applied
from relgraph.introspection import public_functions
from relgraph.tensor.assembly import zeros, zeros_like
from relgraph.tensor.basic import as_tensor_variable, normalize_axis
from relgraph.tensor.linalg.matrix_op import MatrixOp, check_matrix
from relgraph.tensor.memory import Array
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.reductions import sum_like
from relgraph.tensor.shapes import greater, lengths, lesser
from relgraph.tensor.signatures import check_broadcast
from relgraph.tensor.subtensor import check_assignable
from relgraph.tensor.type import TensorType


def _view(x: Array, offset: int) -> Array:
    """Return the diagonals as a view, which can be written to if the matrices can."""
    found = np.diagonal(x, offset, -2, -1)
    if x.flags.writeable:
        found.flags.writeable = True
    return found


class ExtractDiag(MatrixOp):
    """The diagonals of matrices, a view of them.

    Parameters
    ----------
    offset
        How far the diagonal is above the main one; below it if negative.
    """

    __props__ = ("offset",)
    view_map = {0: [0]}
    name = "diagonal"

    def __init__(self, offset: int = 0) -> None:
        self.offset = int(offset)

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        (x,) = arguments
        k = self.offset
        if isinstance(x, Variable) and x.type.ndim == 2:
            return Applied("diag", (x,), f"k={k}" if k else "")
        return Applied("diagonal", (x,), f"{f'offset={k}, ' if k else ''}axis1=-2, axis2=-1")

    def output_types(self, a: TensorType) -> list[TensorType]:
        check_matrix(self.name, a)
        return super().output_types(a)

    def positions(self, shape: Sequence[int]) -> tuple[Array, Array]:
        """Return the rows and the columns of the elements that are taken from a shape."""
        (found,) = self.output_shapes(shape)
        along = np.arange(found[-1])
        return along + max(-self.offset, 0), along + max(self.offset, 0)

    def compute(self, node: Apply, a: Any) -> Any:
        return _view(a, self.offset)

    def output_shapes(self, a: Any) -> list[Any]:
        *batch, rows, columns = a
        if not self.offset:
            return [(*batch, lesser(rows, columns))]
        if rows is None or columns is None:
            return [(*batch, None)]
        least = lesser(rows - max(-self.offset, 0), columns - max(self.offset, 0))
        return [(*batch, greater(least, 0))]

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [SetDiagonal(self.offset)(zeros_like(x, dtype=g.type.dtype), g)]


class SetDiagonal(MatrixOp):
    """Matrices with new values on a diagonal.

    The inputs are the matrices and the values. The dtype of the matrices must be able to hold that
    of the values. An axis of the values broadcasts if its static length is 1.

    Parameters
    ----------
    offset
        How far the diagonal is above the main one; below it if negative.
    inplace
        Whether to overwrite the matrices.
    """

    __props__ = ("offset", "inplace")
    nin = 2
    keeps_shape = True
    overwritable = 0

    def __init__(self, offset: int = 0, inplace: bool = False) -> None:
        self.offset = int(offset)
        self.set_inplace(inplace)

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        shown = f"offset={self.offset}" if self.offset else ""
        return Applied("set_diagonal", tuple(arguments), shown)

    def output_types(self, a: TensorType, v: TensorType) -> list[TensorType]:
        (part,) = ExtractDiag(self.offset).output_types(a)
        check_assignable(self, a, v, part)
        return [a]

    def compute(self, node: Apply, a: Any, v: Any) -> Any:
        out = a if self.inplace else a.copy()
        part = _view(out, self.offset)
        check_broadcast(node, v, part.shape)
        part[...] = v
        return out

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        zero = np.zeros((), g.type.dtype)
        kept = sum_like(ExtractDiag(self.offset)(g), inputs[1])
        return [SetDiagonal(self.offset)(g, zero), kept]


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonals of `x` along two axes; the diagonal is the last axis of the result.

    Parameters
    ----------
    x
        A tensor of rank 2 or more.
    offset
        How far the diagonal is above the main one; below it if negative.
    axis1, axis2
        The axes.

    Examples
    --------
    >>> diagonal([[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    x = as_tensor_variable(x)
    i, j = (normalize_axis(a, x.type.ndim, "diagonal") for a in (axis1, axis2))
    if i == j:
        raise ValueError(f"diagonal: axis1 and axis2 are both {i}")
    order = [*(k for k in range(x.type.ndim) if k not in (i, j)), i, j]
    turned = x if order == sorted(order) else x.dimshuffle(*order)
    return ExtractDiag(offset)(turned)


def diag(v: Any, k: int = 0) -> Any:
    """Return a matrix with the vector `v` on its diagonal `k`, or that diagonal of the matrix `v`.

    Raises
    ------
    ValueError
        If `v` is neither a vector nor a matrix.
    """
    v = as_tensor_variable(v)
    if v.type.ndim == 2:
        return diagonal(v, k)
    if v.type.ndim != 1:
        raise ValueError(f"diag: the input is a {v.type}, neither a vector nor a matrix")
    n = lengths(v)[0] + abs(k) if k else lengths(v)[0]
    return SetDiagonal(k)(zeros((n, n), dtype=v.type.dtype), v)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the sums of the diagonals of `x`; for the parameters see `diagonal`.

    Parameters
    ----------
    x, offset, axis1, axis2
        As those of `diagonal`.

    Examples
    --------
    >>> trace([[1, 2], [3, 4]]).eval()
    array(5)
    """
    along = diagonal(x, offset, axis1, axis2)
    return sum_(along, axis=along.type.ndim - 1)


if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = public_functions(globals())

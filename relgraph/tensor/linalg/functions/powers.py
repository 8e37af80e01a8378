"""Powers of matrices: `matrix_power` of a known exponent, and `Expm`, the exponential."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from relgraph.graph.basic import Variable
from relgraph.tensor.assembly.creation import broadcast_to, zeros_like
from relgraph.tensor.assembly.joining import concatenate
from relgraph.tensor.basic import as_argument
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    Array,
    SquareMatrixOp,
    adjoint,
    check_square,
    eye_like,
    fitted_gradient,
)
from relgraph.tensor.linalg.systems.inverses import inv
from relgraph.tensor.shapes.shape import lengths, shape_i


def matrix_power(a: Any, n: int) -> Any:
    """Return the `n`-th powers of square matrices, as `numpy.linalg.matrix_power` does.

    Parameters
    ----------
    a
        Square matrices, in a stack along leading axes.
    n
        An integer known ahead. A negative one is a power of the inverse.

    Raises
    ------
    TypeError
        If `n` is no integer.
    """
    a = as_argument(a, "matrix_power", 0)
    check_square("matrix_power", a.type)
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(
            f"matrix_power: the exponent is an integer known ahead, not {n!r}"
        ) from None
    if n == 0:
        return broadcast_to(eye_like(a), lengths(a))
    base = inv(a) if n < 0 else a
    result, left = None, abs(n)
    while left:
        if left % 2:
            result = base if result is None else matmul(result, base)
        left //= 2
        if left:
            base = matmul(base, base)
    return result


class Expm(SquareMatrixOp):
    """The exponentials of square matrices, by scaling and squaring as `scipy.linalg.expm` does it:
    A. Al-Mohy and N. Higham, A New Scaling and Squaring Algorithm for the Matrix Exponential
    (2009)."""

    __props__ = ()
    name = "expm"

    def compute(self, a: Array) -> Array:
        # SciPy takes no empty ones
        return np.asarray(scipy.linalg.expm(a.copy("C")), a.dtype) if a.size else a.copy()

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient: the Fréchet derivative at the adjoint, which is a block of the
        exponential of a matrix twice as large.

        A. Al-Mohy and N. Higham, Computing the Fréchet Derivative of the Matrix Exponential (2009),
        (1.6).
        """
        a, g = adjoint(inputs[0]), output_grads[0]
        rows = a.type.ndim - 2
        above = concatenate([a, g], axis=rows + 1)
        below = concatenate([zeros_like(a), a], axis=rows + 1)
        n = shape_i(a, rows)
        both = self(concatenate([above, below], axis=rows))
        block = getitem(both, (*[slice(None)] * rows, slice(None, n), slice(n, None)))
        return [fitted_gradient(block, inputs[0])]


_expm = Expm()


def expm(a: Any) -> Any:
    """Return the exponentials of square matrices, as `scipy.linalg.expm` does.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.

    Examples
    --------
    >>> expm([[0.0, 1.0], [0.0, 0.0]]).eval()
    array([[1., 1.],
           [0., 1.]])
    """
    return _expm(a)

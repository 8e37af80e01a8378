"""`Eigh`, `Eigvalsh`, `Eig` and `Eigvals`: eigenvalues, and the vectors that go with them.

The gradients are those of M. Giles, Collected Matrix Derivative Results (2008), 3.1, and where the
vectors have length 1 those of C. Boeddeker et al., On the Computation of Complex-valued Gradients
with Application to Statistically Optimum Beamforming (2017), 4.17. They hold where the eigenvalues
differ, and for costs that do not depend on the phases of complex vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import DisconnectedType
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.linalg import lapack_calls
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    COMPLEX_OF,
    REAL_OF,
    MatrixOp,
    adjoint,
    check_square,
    eye_like,
    fitted_gradient,
    lapack_dtype,
)
from relgraph.tensor.linalg.systems.inverses import inv
from relgraph.tensor.linalg.systems.solving import solve
from relgraph.tensor.type import TensorType


def _row(v: Any) -> Any:
    """Return the vectors in a stack as rows."""
    return v.dimshuffle(*range(v.type.ndim - 1), "x", v.type.ndim - 1)


def _column(v: Any) -> Any:
    return v.dimshuffle(*range(v.type.ndim), "x")


def _reciprocal_gaps(w: Any, v: Any) -> Any:
    """Return ``1 / (w[j] - w[i])``, and 0 on the diagonal."""
    eye = eye_like(v, w.type.dtype)
    return (1 - eye) / (_row(w) - _column(w) + eye)


class _Eigen(MatrixOp):
    """Base class: the outputs are the eigenvalues, and the vectors if there are two."""

    def value_dtype(self, dtype: str) -> str:
        """Return the dtype of the eigenvalues of matrices of some dtype."""
        raise NotImplementedError

    def vector_dtype(self, dtype: str) -> str:
        """Return the dtype of the vectors."""
        return dtype

    def compute(self, a: Any) -> Sequence[Any]:
        """Return the values of the outputs."""
        raise NotImplementedError

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        n = check_square(self.name, a)
        dtype = lapack_dtype(self.name, a.dtype)
        types = [
            TensorType(self.value_dtype(dtype), (*a.shape[:-2], n)),
            TensorType(self.vector_dtype(dtype), (*a.shape[:-2], n, n)),
        ]
        return types[: self.nout]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], lapack_dtype(self.name, node.inputs[0].type.dtype))
        with np.errstate(all="ignore"):
            found = self.compute(a)
        for cell, value, out in zip(output_storage, found, node.outputs, strict=True):
            cell[0] = np.asarray(value, out.type.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (a,) = shapes
        return [a[:-1], a][: self.nout]


class _Hermitian(_Eigen):
    """Base class for Hermitian matrices, of which one triangle is read.

    Parameters
    ----------
    UPLO
        ``L`` for the lower triangle, ``U`` for the upper one.
    """

    __props__ = ("UPLO",)

    def __init__(self, UPLO: str = "L") -> None:
        if UPLO not in ("L", "U"):
            raise ValueError(f"{self.name}: UPLO is L or U, not {UPLO!r}")
        self.UPLO = UPLO

    def value_dtype(self, dtype: str) -> str:
        return REAL_OF.get(dtype, dtype)


class Eigh(_Hermitian):
    """The eigenvalues of Hermitian matrices in ascending order, and orthonormal vectors.

    The gradient is the Hermitian one: right along Hermitian matrices.
    """

    name = "eigh"
    nout = 2

    def compute(self, a: Any) -> Any:
        return lapack_calls.eigh(a, self.UPLO)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        w, v = outputs
        gw, gv = (None if isinstance(g.type, DisconnectedType) else g for g in output_grads)
        total: Any = 0
        if gw is not None:
            total = total + matmul(v * _row(gw), adjoint(v))
        if gv is not None:
            inner = _reciprocal_gaps(w, v) * matmul(adjoint(v), gv)
            total = total + matmul(v, matmul(inner, adjoint(v)))
        return [fitted_gradient((total + adjoint(total)) / 2, inputs[0])]


class Eigvalsh(_Hermitian):
    """The eigenvalues of Hermitian matrices in ascending order."""

    name = "eigvalsh"
    nout = 1

    def compute(self, a: Any) -> Sequence[Any]:
        return [lapack_calls.eigh(a, self.UPLO, vectors=False)]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        v = Eigh(self.UPLO)(inputs[0])[1]
        g = matmul(v * _row(output_grads[0]), adjoint(v))
        return [fitted_gradient(g, inputs[0])]


class _General(_Eigen):
    """Base class for matrices of any kind: the outputs are always complex."""

    __props__ = ()

    def value_dtype(self, dtype: str) -> str:
        return COMPLEX_OF.get(dtype, dtype)

    vector_dtype = value_dtype


class Eig(_General):
    """The eigenvalues of square matrices, and vectors of length 1; both are always complex."""

    name = "eig"
    nout = 2

    def compute(self, a: Any) -> Any:
        return lapack_calls.eig(a)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        w, v = outputs
        gw, gv = (None if isinstance(g.type, DisconnectedType) else g for g in output_grads)
        vh: Any = adjoint(v)
        inner: Any = 0
        eye = eye_like(v)
        if gw is not None:
            inner = inner + eye * _row(gw)
        if gv is not None:
            along = matmul(vh, gv)
            # the length of a vector stays 1
            lengths = matmul(vh, v * _row((along * eye).sum(axis=-1).real))
            inner = inner + conjugate(_reciprocal_gaps(w, v)) * (along - lengths)
        return [fitted_gradient(solve(vh, matmul(inner, vh)), inputs[0])]


class Eigvals(_General):
    """The eigenvalues of square matrices; they are always complex."""

    name = "eigvals"
    nout = 1

    def compute(self, a: Any) -> Sequence[Any]:
        return [lapack_calls.eig(a, vectors=False)]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        v = _eig(inputs[0])[1]
        g = matmul(adjoint(inv(v)) * _row(output_grads[0]), adjoint(v))
        return [fitted_gradient(g, inputs[0])]


_eig, _eigvals = Eig(), Eigvals()


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues and vectors of Hermitian matrices, as `numpy.linalg.eigh` does.

    Parameters
    ----------
    a
        A Hermitian matrix, or a stack of them.
    UPLO
        Which triangle is read, ``L`` or ``U``.
    """
    return Eigh(UPLO)(a)


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues of Hermitian matrices, as `numpy.linalg.eigvalsh` does.

    Parameters
    ----------
    a
        A Hermitian matrix, or a stack of them.
    UPLO
        Which triangle is read, ``L`` or ``U``.

    >>> eigvalsh([[2.0, 0.0], [0.0, 3.0]]).eval()
    array([2., 3.])
    """
    return Eigvalsh(UPLO)(a)


def eig(a: Any) -> Any:
    """Return the eigenvalues and vectors of square matrices, as `numpy.linalg.eig` does.

    They are complex even where all are real.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.
    """
    return _eig(a)


def eigvals(a: Any) -> Any:
    """Return the eigenvalues of square matrices, complex even where all are real.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.

    >>> eigvals([[2.0, 0.0], [0.0, 3.0]]).eval()
    array([2.+0.j, 3.+0.j])
    """
    return _eigvals(a)

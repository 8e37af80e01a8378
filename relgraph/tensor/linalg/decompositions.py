"""Matrices as products of simpler ones: Cholesky, QR, singular values, eigenvalues.

The gradients of eigenvalues are those of M. Giles, Collected Matrix Derivative Results (2008), 3.1,
and where the vectors have length 1 those of C. Boeddeker et al., On the Computation of
Complex-valued Gradients with Application to Statistically Optimum Beamforming (2017), 4.17. They
hold where the eigenvalues differ, and for costs that do not depend on the phases of complex
vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relgraph.graph.utils import MethodNotDefined
from relgraph.introspection import public_functions
from relgraph.tensor import fortran
from relgraph.tensor.assembly import concatenate, tril, zeros_like
from relgraph.tensor.indexing import getitem
from relgraph.tensor.linalg.matrix_op import (
    REAL_OF,
    LapackOp,
    SquareMatrixOp,
    adjoint,
    columns,
    eye_like,
)
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.systems import SolveTriangular, inv, solve
from relgraph.tensor.math import conjugated
from relgraph.tensor.memory import Array
from relgraph.tensor.shapes import lengths, lesser


class Cholesky(SquareMatrixOp):
    """The lower or upper triangular factor of positive definite matrices.

    Only that triangle of them is read. Raises LinAlgError if one is not positive definite.

    Parameters
    ----------
    lower
        Whether the factor is the lower one, ``a = c @ adjoint(c)``, or ``a = adjoint(c) @ c``.
    inplace
        Whether it is written over the matrix, one of floats.
    """

    cost_by_size = (1 / 3, 0.0)
    __props__ = ("lower", "inplace")
    overwritable = 0

    def __init__(self, lower: bool = True, inplace: bool = False) -> None:
        self.lower = bool(lower)
        self.set_inplace(inplace)

    def of_finite(self, a: Array) -> Array:
        if self.inplace:
            return fortran.cholesky_factor(a, self.lower, overwrite=True)
        return fortran.cholesky(a, self.lower)

    def input_gradients(self, g: Any, c: Any, x: Any) -> list[Any]:
        """Return the gradient, a Hermitian matrix: right along Hermitian matrices.

        The form is that of I. Murray, Differentiation of the Cholesky Decomposition (2016), 3.
        """
        if not self.lower:
            c, g = adjoint(c), adjoint(g)
        half = tril(matmul(adjoint(c), g))
        half = half - half * eye_like(half) / 2
        back = SolveTriangular(lower=False)
        inner = back(adjoint(c), half)
        made = adjoint(back(adjoint(c), adjoint(inner)))
        return [(made + adjoint(made)) / 2]


def cholesky(a: Any, lower: bool = True, *, upper: bool = False) -> Any:
    """Return the Cholesky factor of positive definite matrices, as `numpy.linalg.cholesky` does.

    Parameters
    ----------
    a
        Hermitian matrices, of which only one triangle is read.
    lower, upper
        Which factor: the lower one unless it says otherwise, as `numpy.linalg.cholesky` calls it
        (`upper`) or as `scipy.linalg.cholesky` does (`lower`).
    """
    return Cholesky(lower and not upper)(a)


_FACTORS = {"reduced": "(m,min),(min,n)", "complete": "(m,m),(m,n)", "r": "(min,n)"}
MODES = tuple(_FACTORS)


class QR(LapackOp):
    """The factors of matrices: `q`, whose columns are orthonormal, and `r`, upper triangular.

    Parameters
    ----------
    mode
        ``reduced`` for a `q` of as many columns as the shorter side, ``complete`` for a square one,
        ``r`` for `r` alone.
    """

    cost_by_size = (4 / 3, 0.0)
    __props__ = ("mode",)
    name = "qr"

    def __init__(self, mode: str = "reduced") -> None:
        if mode not in MODES:
            raise ValueError(f"qr: mode is one of {', '.join(MODES)}, not {mode!r}")
        self.mode = mode
        self.nout = 1 if mode == "r" else 2
        self.signature = f"(m,n)->{_FACTORS[mode]}"

    def of_arrays(self, a: Array) -> Any:
        mode: Any = self.mode
        return fortran.qr(a, mode)

    def input_gradients(self, g: Any, out: Any, a: Any) -> list[Any]:
        """Return the gradient, for matrices whose first columns are linearly independent.

        The form is that of S. Walter and L. Lehmann, Algorithmic Differentiation of Linear Algebra
        Functions with Application in Optimum Experimental Design (2010). Of matrices with more
        columns than rows it is that of the first, square part; the rest is that of a product.

        Raises
        ------
        MethodNotDefined
            If a `q` of the mode ``complete`` is differentiated and `a` is not known to have no more
            rows than columns: if it has, the last columns of `q` are arbitrary.
        """
        m, n = a.type.shape[-2:]
        gq, gr = (None, g) if self.mode == "r" else g
        if self.mode == "reduced" or (self.mode == "complete" and lesser(m, n) == m is not None):
            q, r = out
        elif gq is None:
            q, r = QR("reduced")(a)
            # what a complete r has below these rows is 0
            gr = getitem(gr, (..., slice(None, _shorter_side(a)), slice(None)))
        else:
            raise MethodNotDefined(
                "qr: a complete q has a gradient only where a is known to have no more rows than "
                "columns; use the mode reduced"
            )
        gq, gr = (zeros_like(v) if g is None else g for v, g in ((q, gq), (r, gr)))
        if lesser(m, n) == n is not None:
            return [_tall_gradient(q, r, gq, gr)]
        first = (..., slice(None, _shorter_side(a)))
        rest = (..., slice(_shorter_side(a), None))
        gq = gq + matmul(getitem(a, rest), adjoint(getitem(gr, rest)))
        by_first = _tall_gradient(q, getitem(r, first), gq, getitem(gr, first))
        by_rest = matmul(q, getitem(gr, rest))
        return [concatenate([by_first, by_rest], axis=a.type.ndim - 1)]


def _shorter_side(a: Any) -> Any:
    return lesser(*lengths(a)[-2:])


def _tall_gradient(q: Any, r: Any, gq: Any, gr: Any) -> Any:
    """Return the gradient by a matrix with as many rows as columns or more."""
    inner = matmul(r, adjoint(gr)) - matmul(adjoint(gq), q)
    lower = tril(inner, -1)
    # the diagonal of r is real
    diagonal = eye_like(inner) * (inner + adjoint(inner)) / 2
    both = lower + diagonal + adjoint(lower)
    return adjoint(SolveTriangular()(r, adjoint(gq + matmul(q, both))))


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return the QR factors of matrices, as `numpy.linalg.qr` does; see `QR`.

    Parameters
    ----------
    a
        A matrix, or a stack of them.
    mode
        ``reduced``, ``complete``, ``r`` or ``raw``.
    """
    return QR(mode)(a)


class SVD(LapackOp):
    """The factors of ``a = u @ diag(s) @ vh``: `u`, the singular values `s` in descending order,
    and `vh`.

    Parameters
    ----------
    full_matrices
        Whether `u` and `vh` are square, or have as many columns and rows as there are values.
    compute_uv
        Whether there are `u` and `vh`, or the values alone.
    """

    cost_by_size = (22.0, 0.0)
    __props__ = ("full_matrices", "compute_uv")
    name = "svd"

    def __init__(self, full_matrices: bool = True, compute_uv: bool = True) -> None:
        self.full_matrices = bool(full_matrices) and bool(compute_uv)
        self.compute_uv = bool(compute_uv)
        self.nout = 3 if compute_uv else 1
        vectors = ("m,m", "n,n") if self.full_matrices else ("m,min", "min,n")
        self.kinds = ("", "real", "") if compute_uv else ("real",)
        self.signature = "(m,n)->({}),(min),({})".format(*vectors) if compute_uv else "(m,n)->(min)"

    def of_arrays(self, a: Array) -> Any:
        return fortran.svd(a, self.full_matrices, self.compute_uv)

    def input_gradients(self, g: Any, out: Any, a: Any) -> list[Any]:
        """Return the gradient, for singular values that differ from each other and from 0.

        The form is that of J. Townsend, Differentiating the Singular Value Decomposition (2016);
        for complex matrices that of Z. Wan and S. Zhang, Automatic Differentiation for Complex
        Valued SVD (2019), right for costs that do not depend on the phases of the vectors.

        Raises
        ------
        MethodNotDefined
            If vectors of full matrices are differentiated that are not known to be square.
        """
        if not self.compute_uv:
            u, _, vh = SVD(False)(a)
            return [matmul(u * _row(g), vh)]
        m, n = a.type.shape[-2:]
        square = m is not None and m == n
        if self.full_matrices and not square:
            if g[0] is not None or g[2] is not None:
                raise MethodNotDefined(
                    "svd: the vectors of full matrices have a gradient only where a is known to be "
                    "square; use full_matrices=False"
                )
            u, s, vh = SVD(False)(a)
        else:
            u, s, vh = out
        return [_gradient(u, s, vh, *g)]


def _row(v: Any) -> Any:
    """Return the vectors in a stack as rows."""
    return v.dimshuffle(*range(v.type.ndim - 1), "x", v.type.ndim - 1)


def _gradient(u: Any, s: Any, vh: Any, gu: Any, gs: Any, gvh: Any) -> Any:
    """Return the gradient by a matrix, given its factors and the gradients by these, or None."""
    v = adjoint(vh)
    squares = s * s
    eye = eye_like(matmul(vh, v), s.type.dtype)
    gaps = _row(squares) - columns(squares)
    f = (1 - eye) / (gaps + eye)
    total: Any = 0
    if gs is not None:
        total = total + matmul(u * _row(gs), vh)
    if gu is not None:
        inner = matmul(adjoint(u), gu)
        total = total + matmul(u, matmul(f * (inner - adjoint(inner)) * _row(s), vh))
        beside = gu - matmul(u, inner)
        total = total + matmul(beside / _row(s), vh)
        if u.type.dtype in REAL_OF:
            phases = eye * (inner - adjoint(inner)) / 2
            total = total + matmul(u, matmul(phases / _row(s), vh))
    if gvh is not None:
        gv = adjoint(gvh)
        inner = matmul(vh, gv)
        total = total + matmul(u, matmul(columns(s) * (f * (inner - adjoint(inner))), vh))
        beside = gvh - matmul(adjoint(inner), vh)
        total = total + matmul(u / _row(s), beside)
    return total


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition, as `numpy.linalg.svd` does; see `SVD`.

    Parameters
    ----------
    a
        A matrix, or a stack of them.
    full_matrices
        Whether the vectors are square matrices.
    compute_uv
        Whether vectors are returned beside the values.
    """
    return SVD(full_matrices, compute_uv)(a)


def svdvals(a: Any) -> Any:
    """Return the singular values of matrices, in descending order.

    Parameters
    ----------
    a
        A matrix, or a stack of them.

    Examples
    --------
    >>> svdvals([[3.0, 0.0], [0.0, 4.0]]).eval()
    array([4., 3.])
    """
    return SVD(False, False)(a)


def _reciprocal_gaps(w: Any, v: Any) -> Any:
    """Return ``1 / (w[j] - w[i])``, and 0 on the diagonal."""
    eye = eye_like(v, w.type.dtype)
    return (1 - eye) / (_row(w) - columns(w) + eye)


class _Hermitian(LapackOp):
    """Base class of eigenvalues of Hermitian matrices, of which one triangle is read.

    Parameters
    ----------
    UPLO
        ``L`` for the lower triangle, ``U`` for the upper one.
    """

    __props__ = ("UPLO",)
    kinds = ("real", "")

    def __init__(self, UPLO: str = "L") -> None:
        if UPLO not in ("L", "U"):
            raise ValueError(f"{self.name}: UPLO is L or U, not {UPLO!r}")
        self.UPLO = UPLO


class Eigh(_Hermitian):
    """The eigenvalues of Hermitian matrices in ascending order, and orthonormal vectors.

    The gradient is the Hermitian one: right along Hermitian matrices.
    """

    cost_by_size = (9.0, 0.0)
    signature = "(n,n)->(n),(n,n)"

    def of_arrays(self, a: Array) -> Any:
        return fortran.eigh(a, self.UPLO)

    def input_gradients(self, g: Any, out: Any, a: Any) -> list[Any]:
        (w, v), (gw, gv) = out, g
        total: Any = 0
        if gw is not None:
            total = total + matmul(v * _row(gw), adjoint(v))
        if gv is not None:
            inner = _reciprocal_gaps(w, v) * matmul(adjoint(v), gv)
            total = total + matmul(v, matmul(inner, adjoint(v)))
        return [(total + adjoint(total)) / 2]


class Eigvalsh(_Hermitian):
    """The eigenvalues of Hermitian matrices in ascending order."""

    cost_by_size = (4 / 3, 0.0)
    signature = "(n,n)->(n)"

    def of_arrays(self, a: Array) -> Any:
        return fortran.eigh(a, self.UPLO, vectors=False)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        v = Eigh(self.UPLO)(x)[1]
        return [matmul(v * _row(g), adjoint(v))]


class Eig(LapackOp):
    """The eigenvalues of square matrices, and vectors of length 1; both are always complex."""

    cost_by_size = (25.0, 0.0)
    kinds = ("complex", "complex")
    signature = "(n,n)->(n),(n,n)"

    def of_arrays(self, a: Array) -> Any:
        return fortran.eig(a)

    def input_gradients(self, g: Any, out: Any, a: Any) -> list[Any]:
        (w, v), (gw, gv) = out, g
        vh: Any = adjoint(v)
        inner: Any = 0
        eye = eye_like(v)
        if gw is not None:
            inner = inner + eye * _row(gw)
        if gv is not None:
            along = matmul(vh, gv)
            # the length of a vector stays 1
            lengths = matmul(vh, v * _row((along * eye).sum(axis=-1).real))
            inner = inner + conjugated(_reciprocal_gaps(w, v)) * (along - lengths)
        return [solve(vh, matmul(inner, vh))]


class Eigvals(LapackOp):
    """The eigenvalues of square matrices; they are always complex."""

    cost_by_size = (10.0, 0.0)
    kinds = ("complex",)
    signature = "(n,n)->(n)"

    def of_arrays(self, a: Array) -> Any:
        return fortran.eig(a, vectors=False)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        v = Eig()(x)[1]
        return [matmul(adjoint(inv(v)) * _row(g), adjoint(v))]


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

    Examples
    --------
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
    return Eig()(a)


def eigvals(a: Any) -> Any:
    """Return the eigenvalues of square matrices, complex even where all are real.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.

    Examples
    --------
    >>> eigvals([[2.0, 0.0], [0.0, 3.0]]).eval()
    array([2.+0.j, 3.+0.j])
    """
    return Eigvals()(a)


if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = public_functions(globals())

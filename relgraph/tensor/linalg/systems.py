"""Systems of linear equations: `Solve` and its kin, inverses, pseudo-inverses, least squares.

As in NumPy, a right side of rank 1 is a vector, any other one a stack of matrices. A column of it
that holds nan or an infinity is multiplied by the inverse, so that these spread as in the product.

The gradients are those of M. Giles, Collected Matrix Derivative Results for Forward and Reverse
Mode Algorithmic Differentiation (2008), 2.2.3 and 2.3.1, and of G. H. Golub and V. Pereyra, The
Differentiation of Pseudo-Inverses and Nonlinear Least Squares Problems Whose Variables Separate
(1973).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor import fortran
from relgraph.tensor.assembly import tril, triu
from relgraph.tensor.basic import as_argument
from relgraph.tensor.fortran import (
    LARGE,
    check_regular,
    general_solution,
    symmetric_solution,
    triangular_solution,
)
from relgraph.tensor.linalg.matrix_op import (
    LapackOp,
    SquareMatrixOp,
    adjoint,
    columns,
    has_finite_sum,
    written_to,
)
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.memory import Array
from relgraph.tensor.shapes import shape_i, swapaxes


class LinearSolve(LapackOp):
    """Base class of ops that take a stack of square matrices and a right side, and solve a system.

    The result has the shape of the right side, and the leading axes of both, broadcast.
    """

    signature = "(n,n),(n,k?)->(n,k?)"

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        dtype = node.outputs[0].type.dtype
        a, b = (np.asarray(v, dtype, order="C") for v in values)
        x = _finite_columns(self, a, b[:, None] if b.ndim == 1 else b)
        x = x[..., 0] if b.ndim == 1 else x
        return written_to(values[1], x) if 0 in self.destroy_map else x

    def of_one(self, a: Array, b: Array) -> Array:
        """Return the solution for a finite matrix and a right side, a matrix too."""
        raise NotImplementedError

    def solve(self, a: Array, b: Array) -> Array:
        """Return the solution for finite matrices and a right side of matrices."""
        if a.ndim == b.ndim == 2:
            return self.of_one(a, b)
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (np.broadcast_to(m, batch + m.shape[-2:]) for m in (a, b))
        out = np.empty(b.shape, b.dtype)
        for index in np.ndindex(*batch):
            out[index] = self.of_one(a[index], b[index])
        return out

    def spread(self, a: Array, b: Array) -> Array:
        """Return the product of the inverse and `b`; it raises just where `solve` does."""
        return np.asarray(np.matmul(self.solve(a, np.eye(a.shape[-1], dtype=a.dtype)), b))


def _finite_columns(op: LinearSolve, a: Array, b: Array) -> Array:
    """Return the solution; of matrices and columns that are not finite, as the module says."""
    if not b.shape[-1]:
        # as in NumPy a singular matrix is an error where there are no columns too
        return _finite_columns(op, a, np.zeros((*b.shape[:-1], 1), b.dtype))[..., :0]
    if has_finite_sum(a) and has_finite_sum(b):
        return op.solve(a, b)
    finite_a: Any = np.isfinite(a).all(axis=(-2, -1))
    finite_b: Any = np.isfinite(b).all(axis=-2)
    if finite_a.all() and finite_b.all():
        return op.solve(a, b)
    safe = np.where(finite_a[..., None, None], a, np.eye(a.shape[-1], dtype=a.dtype))
    finite_columns = finite_b[..., None, :]
    x = op.solve(safe, np.where(finite_columns, b, b.dtype.type(0)))
    x = np.where(finite_columns, x, op.spread(safe, b))
    return np.where(finite_a[..., None, None], x, a.dtype.type(np.nan))


def solve_one(perform: Callable[..., Any], solver: Any, a: Array, b: Array) -> Any:
    """Return the solution for one matrix and a vector or matrix, as `perform` gives it.

    Parameters
    ----------
    perform
        What is called for a large system, where there is nothing to solve, or something is not
        finite.
    solver
        What returns the solution, and whether LAPACK found it, after other results.
    """
    if a.size >= LARGE or b.size == 0 or not (has_finite_sum(a) and has_finite_sum(b)):
        return perform(a, b)
    *_, x, info = solver(a, b)
    check_regular("solve", info)
    return x


STRUCTURES = ("gen", "sym", "her", "pos")


class Solve(LinearSolve):
    """The solution of ``a @ x = b``.

    Raises LinAlgError if a matrix is singular, or not positive definite though it was said to be.

    Parameters
    ----------
    assume_a
        What `a` is, as in `scipy.linalg.solve`: ``gen`` for any matrix, ``sym`` for a symmetric,
        ``her`` for a Hermitian, ``pos`` for a positive definite one. Of these only one triangle is
        read. The gradient by `a` is the symmetric one: right along matrices of the kind.
    lower
        Which triangle: the lower one or the upper one.
    inplace
        Whether LAPACK may overwrite `a`, one matrix of floats.
    """

    cost_by_size = (2 / 3, 2.0)
    __props__ = ("assume_a", "lower", "inplace")
    name = "solve"
    overwritable = 0

    def __init__(self, assume_a: str = "gen", lower: bool = False, inplace: bool = False) -> None:
        if assume_a not in STRUCTURES:
            raise ValueError(f"solve: assume_a is one of {', '.join(STRUCTURES)}, not {assume_a!r}")
        self.assume_a = assume_a
        self.lower, self.inplace = bool(lower), bool(inplace)
        if inplace:
            self.destroy_map = {None: [0]}

    def __str__(self) -> str:
        name = "solve_inplace" if self.inplace else "solve"
        return name if self.assume_a == "gen" else f"{name}{{{self.assume_a}}}"

    def of_one(self, a: Array, b: Array) -> Array:
        if self.assume_a == "gen":
            return general_solution(a, b, self.inplace)
        return symmetric_solution(a, b, self.assume_a, self.lower, self.inplace)

    def solve(self, a: Array, b: Array) -> Array:
        is_stack = max(a.ndim, b.ndim) > 2
        if is_stack and self.assume_a == "gen" and a.shape[-1] ** 2 < LARGE:
            return np.linalg.solve(a, b)
        return super().solve(a, b)

    def input_gradients(self, g: Any, out: Any, a: Any, b: Any) -> list[Any]:
        # a Hermitian matrix is its own adjoint; a symmetric one the conjugate of it
        matrix: Any = a if self.assume_a in ("her", "pos") else adjoint(a)
        op = self if self.assume_a != "sym" else Solve("sym", not self.lower)
        gb = solve_each(op, matrix, g, b.type.ndim == 1)
        ga = -outer_product(gb, out, b.type.ndim == 1)
        if self.assume_a in ("her", "pos"):
            ga = (ga + adjoint(ga)) / 2
        elif self.assume_a == "sym":
            ga = (ga + swapaxes(ga, -1, -2)) / 2
        return [ga, gb]


def outer_product(x: Any, y: Any, are_vectors: bool) -> Any:
    """Return ``x @ adjoint(y)`` of two variables, stacks of vectors or of matrices."""
    if are_vectors:
        x, y = columns(x), columns(y)
    return matmul(x, adjoint(y))


def solve_each(op: Callable[[Any, Any], Any], a: Any, g: Any, are_vectors: bool) -> Any:
    """Return what `op` makes of `a` and a stack of vectors or matrices."""
    if are_vectors and g.type.ndim > 1:
        found = op(a, columns(g))
        return found.dimshuffle(*range(g.type.ndim))
    return op(a, g)


class SolveTriangular(LinearSolve):
    """The solution of ``a @ x = b`` for triangular matrices; the other triangle is not read.

    Raises LinAlgError if a number on the diagonal is 0.

    Parameters
    ----------
    lower
        Whether `a` is lower triangular.
    unit_diagonal
        Whether its diagonal is taken to be 1 and not read.
    inplace
        Whether the solution is written over `b`, for one matrix.
    """

    cost_by_size = (0.0, 1.0)
    __props__ = ("lower", "unit_diagonal", "inplace")
    overwritable = 1

    def __init__(
        self, lower: bool = False, unit_diagonal: bool = False, inplace: bool = False
    ) -> None:
        self.lower, self.unit_diagonal = bool(lower), bool(unit_diagonal)
        self.set_inplace(inplace, 1)

    def of_one(self, a: Array, b: Array) -> Array:
        return triangular_solution(a, b, self.lower, self.unit_diagonal, self.inplace)

    def input_gradients(self, g: Any, out: Any, a: Any, b: Any) -> list[Any]:
        op = SolveTriangular(not self.lower, self.unit_diagonal)
        gb = solve_each(op, adjoint(a), g, b.type.ndim == 1)
        ga = -outer_product(gb, out, b.type.ndim == 1)
        k = 1 if self.unit_diagonal else 0
        ga = tril(ga, -k) if self.lower else triu(ga, k)
        return [ga, gb]


class CholeskySolve(LinearSolve):
    """The solution of ``a @ x = b``, given the Cholesky factor of `a`, as `scipy.linalg.cho_solve`.

    Parameters
    ----------
    lower
        Whether the factor is the lower one, ``a = c @ adjoint(c)``, or ``a = adjoint(c) @ c``.
    inplace
        Whether the solution is written over `b`, for one matrix.
    """

    cost_by_size = (0.0, 2.0)
    __props__ = ("lower", "inplace")
    name = "cho_solve"
    overwritable = 1

    def __init__(self, lower: bool = False, inplace: bool = False) -> None:
        self.lower = bool(lower)
        self.set_inplace(inplace, 1)

    def of_one(self, a: Array, b: Array) -> Array:
        half = triangular_solution(a, b, self.lower, False, self.inplace, not self.lower)
        return triangular_solution(a, half, self.lower, False, True, self.lower)

    def input_gradients(self, g: Any, out: Any, c: Any, b: Any) -> list[Any]:
        gb = solve_each(self, c, g, b.type.ndim == 1)
        triangle = tril(c) if self.lower else triu(c)
        ga = -outer_product(gb, out, b.type.ndim == 1)
        ga = ga + adjoint(ga)
        gc = tril(matmul(ga, triangle)) if self.lower else triu(matmul(triangle, ga))
        return [gc, gb]


_solve = Solve()


def solve(a: Any, b: Any, lower: bool = False, assume_a: str = "gen") -> Any:
    """Return the solution of ``a @ x = b``, as `numpy.linalg.solve` and `scipy.linalg.solve` do.

    Parameters
    ----------
    a
        Square matrices, in a stack along leading axes.
    b
        The right side: a vector (rank 1), or matrices in a stack.
    lower, assume_a
        What is known of `a`, and which triangle of it is read; see `Solve`.

    Raises
    ------
    TypeError
        If `a` has rank 0 or 1, `b` rank 0, or LAPACK does not have the dtype.
    ValueError
        If `a` is not square, or the lengths differ.
    """
    return Solve(assume_a, lower)(a, b)


_TRANSPOSITIONS = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """Return the solution for triangular matrices, as `scipy.linalg.solve_triangular` does.

    Parameters
    ----------
    a, b
        As for `solve`; of `a` only a triangle is read.
    trans
        0 or ``N`` for ``a @ x = b``, 1 or ``T`` with the transpose of `a`, 2 or ``C`` with the
        conjugate transpose.
    lower
        Whether `a` is lower triangular.
    unit_diagonal
        Whether its diagonal is taken to be 1 and not read.
    """
    if trans not in _TRANSPOSITIONS:
        raise ValueError(f"solve_triangular: trans is one of 0, 1, 2, N, T, C, not {trans!r}")
    how = _TRANSPOSITIONS[trans]
    a = as_argument(a, "solve_triangular", 0)
    if how == 0:
        return SolveTriangular(lower, unit_diagonal)(a, b)
    turned = swapaxes(a, -1, -2) if how == 1 else adjoint(a)
    return SolveTriangular(not lower, unit_diagonal)(turned, b)


def cho_solve(c_and_lower: tuple[Any, bool], b: Any) -> Any:
    """Return the solution of ``a @ x = b``, given the Cholesky factor of `a`.

    Parameters
    ----------
    c_and_lower
        The factor, and whether it is the lower one.
    b
        As for `solve`.
    """
    c, lower = c_and_lower
    return CholeskySolve(lower)(c, b)


class Inverse(SquareMatrixOp):
    """The inverses of square matrices; raises LinAlgError if one is singular.

    Parameters
    ----------
    inplace
        Whether the inverse is written over the matrix, one of floats.
    """

    cost_by_size = (2.0, 0.0)
    __props__ = ("inplace",)
    name = "inv"
    overwritable = 0

    def __init__(self, inplace: bool = False) -> None:
        self.set_inplace(inplace)

    def of_finite(self, a: Array) -> Array:
        return fortran.inverse(a, overwrite=True) if self.inplace else fortran.inv(a)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        turned = adjoint(out)
        return [-matmul(turned, matmul(g, turned))]


class PseudoInverse(LapackOp):
    """The Moore-Penrose inverses of matrices.

    Parameters
    ----------
    rcond
        Singular values below this times the largest one count as zero. None means as many eps as
        the larger side is long.
    hermitian
        Whether the matrices are taken to be Hermitian.
    """

    cost_by_size = (22.0, 0.0)
    __props__ = ("rcond", "hermitian")
    name = "pinv"

    def __init__(self, rcond: float | None = None, hermitian: bool = False) -> None:
        self.rcond = None if rcond is None else float(rcond)
        self.hermitian = bool(hermitian)
        self.signature = "(n,n)->(n,n)" if hermitian else "(m,n)->(n,m)"

    def __str__(self) -> str:
        return "pinv"

    def of_arrays(self, a: Array) -> Any:
        rcond = self.rcond
        if rcond is None:
            rcond = max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
        return fortran.pinv(a, rcond, self.hermitian)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        """Return the gradient along matrices of the same rank."""
        return [pinv_gradient(x, out, g)]


def pinv_gradient(a: Any, p: Any, g: Any) -> Any:
    """Return the gradient by a matrix, given its pseudo-inverse `p` and the gradient `g` by that.

    In matrices of linearly independent rows and columns the last two terms are zero; they are what
    the projections beside the range of `a` contribute.
    """
    ph, gh = adjoint(p), adjoint(g)
    inner = -matmul(ph, matmul(g, ph))
    left = matmul(gh, matmul(p, ph))
    right = matmul(matmul(ph, p), gh)
    return inner + left - matmul(a, matmul(p, left)) + right - matmul(matmul(right, p), a)


_inv = Inverse()


def inv(a: Any) -> Any:
    """Return the inverses of square matrices, as `numpy.linalg.inv` does.

    To solve a system of equations, `solve` is faster and closer.
    """
    return _inv(a)


def pinv(a: Any, rcond: float | None = None, hermitian: bool = False) -> Any:
    """Return the Moore-Penrose inverses of matrices; for the parameters see `PseudoInverse`.

    Parameters
    ----------
    a
        A matrix, or a stack of them.
    rcond
        Which part of the greatest singular value the least one is that counts; None for the
        precision of the dtype.
    hermitian
        Whether the matrices are Hermitian.

    Examples
    --------
    >>> pinv([[2.0, 0.0], [0.0, 4.0]]).eval()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return PseudoInverse(rcond, hermitian)(a)


class LeastSquares(LapackOp):
    """The vector or matrix `x` for which ``norm(b - a @ x)`` is least, as `numpy.linalg.lstsq`.

    The outputs are the solution, the sums of the squares of what is left (empty where there are
    not more rows than columns, or the columns are dependent), the rank, and the singular values.
    Leading axes make stacks, as for `Solve`; the sums of a stack are there if those of each of its
    matrices are.

    Parameters
    ----------
    rcond
        Singular values below this times the largest one count as zero. None means as many eps as
        the larger side is long.
    """

    cost_by_size = (4.0, 2.0)
    __props__ = ("rcond",)
    name = "lstsq"
    signature = "(m,n),(m,k?)->(n,k?),(residuals),(),(min)"
    kinds = ("", "real", "int64", "real")

    def __init__(self, rcond: float | None = None) -> None:
        self.rcond = None if rcond is None else float(rcond)

    def __str__(self) -> str:
        return "lstsq"

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        count = shape_i(node.outputs[1], node.outputs[1].type.ndim - 1)
        solution, residuals, *others = super().infer_shape(fgraph, node, shapes)
        return [solution, (*residuals[:-1], count), *others]

    def of_arrays(self, a: Array, b: Array) -> Any:
        core = 1 if b.ndim == 1 else 2
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-core])
        if not batch:
            return fortran.lstsq(a, b, self.rcond)
        (n, m), (k, *columns) = a.shape[-2:], b.shape[-core:]
        matrices = np.broadcast_to(a, (*batch, n, m)).reshape(-1, n, m)
        sides = np.broadcast_to(b, (*batch, k, *columns)).reshape(-1, k, *columns)
        found = [
            fortran.lstsq(one, side, self.rcond) for one, side in zip(matrices, sides, strict=True)
        ]
        if not found:
            real = np.empty((0,), a.real.dtype)
            found_shapes = ((m, *columns), (0,), (), (min(n, m),))
            return [real.reshape(*batch, *shape) for shape in found_shapes]
        whole = all(len(one[1]) for one in found)
        parts = [(x, r if whole else r[:0], rank, values) for x, r, rank, values in found]
        stacked = [np.stack(part) for part in zip(*parts, strict=True)]
        return [part.reshape(batch + part.shape[1:]) for part in stacked]

    def input_gradients(self, g: Any, out: Any, a: Any, b: Any) -> list[Any]:
        """Return the gradient of the solution, that of the pseudo-inverse times `b`.

        Raises
        ------
        MethodNotDefined
            If the residuals or the singular values are differentiated: write them as
            ``sum((b - a @ x) ** 2)`` and ``svdvals(a)``.
        """
        for i, name in ((1, "residuals"), (3, "singular values")):
            if g[i] is not None:
                raise MethodNotDefined(
                    f"lstsq has no gradient by its {name}; write them out, of its solution"
                )
        p, is_vector = pinv(a, self.rcond), b.type.ndim == 1
        by_inverse = outer_product(g[0], b, is_vector)
        by_side = solve_each(matmul, adjoint(p), g[0], is_vector)
        return [pinv_gradient(a, p, by_inverse), by_side]


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Return the least squares solution of ``a @ x = b``, the residuals, the rank, and the singular
    values of `a`, as `numpy.linalg.lstsq` does; see `LeastSquares`.

    Parameters
    ----------
    a
        A matrix.
    b
        A vector, or a matrix of columns.
    rcond
        Which part of the greatest singular value the least one is that counts; None for the
        precision of the dtype.
    """
    return LeastSquares(rcond)(a, b)

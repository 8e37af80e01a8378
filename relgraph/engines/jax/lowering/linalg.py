"""Products that sum over an axis of each input, and linear algebra on stacks of matrices.

Of a matrix that is not finite the results are nan, as they are in NumPy's engine. Where LAPACK
refuses a matrix, because it is singular or not positive definite, there is no error: nan or
infinities are in the result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.lowering.dispatch import is_traced, on_the_host
from relgraph.engines.jax.values import as_dtype
from relgraph.graph.basic import Apply
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.linalg.blas import Dot22, Dot22Scalar, Gemm, GemvAdd, Ger
from relgraph.tensor.linalg.decompositions import QR, SVD, Cholesky, Eig, Eigh, Eigvals, Eigvalsh
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.functions import (
    Cofactors,
    Det,
    Expm,
    SecondCofactors,
    SLogDet,
    cofactors,
    second_cofactors,
)
from relgraph.tensor.linalg.matrix_op import lapack_dtype
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.systems import (
    CholeskySolve,
    Inverse,
    LeastSquares,
    LinearSolve,
    PseudoInverse,
    Solve,
    SolveTriangular,
)
from relgraph.tensor.math import Dot
from relgraph.tensor.signatures import check_broadcast

PRECISION = lax.Precision.HIGHEST
"""Products have the digits of their dtype on every device: some would take fewer."""


def product(op: Any, node: Apply, x: Any, y: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    if dtype == "bool":
        return jnp.matmul(x.astype("int32"), y.astype("int32"), precision=PRECISION) != 0
    return jnp.matmul(as_dtype(x, dtype), as_dtype(y, dtype), precision=PRECISION)


def update(op: Any, node: Apply, z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
    """``beta * z + alpha * x @ y``; `z` is not read where `beta` is 0."""
    scaled = alpha * product(op, node, x, y)
    return jnp.where(beta == 0, scaled, beta * z + scaled)


def ger(op: Ger, node: Apply, z: Any, alpha: Any, x: Any, y: Any) -> Any:
    return z + alpha * x[:, None] * y[None, :]


def with_diagonal(op: SetDiagonal, node: Apply, a: Any, v: Any) -> Any:
    """Return matrices with other values on a diagonal."""
    i, j = ExtractDiag(op.offset).positions(a.shape)
    check_broadcast(node, v, (*a.shape[:-2], len(i)))
    return jnp.asarray(a).at[..., i, j].set(as_dtype(v, a.dtype))


def convolve(op: Convolve, node: Apply, a: Any, v: Any) -> Any:
    if 0 in (*a.shape, *v.shape):
        raise ValueError(f"{op}: an input is empty; the shapes are {a.shape} and {v.shape}")
    dtype = node.outputs[0].type.dtype
    if dtype.startswith("float"):
        return jnp.convolve(as_dtype(a, dtype), as_dtype(v, dtype), precision=PRECISION)
    return on_the_host(op, node, a, v)


def _prepared(op: Any, node: Apply, *values: Any) -> list[Any]:
    """Return the values of inputs in the dtype that LAPACK computes in."""
    dtype = lapack_dtype(op.name, *[v.type.dtype for v in node.inputs])
    return [as_dtype(jnp.asarray(x), dtype) for x in values]


def _on_finite(function: Callable[[Any], Any], a: Any) -> Any:
    """Return what a function makes of square matrices, nan for those that are not finite."""
    finite = jnp.isfinite(a).all(axis=(-2, -1))
    safe = jnp.where(finite[..., None, None], a, jnp.eye(a.shape[-1], dtype=a.dtype))

    def masked(x: Any) -> Any:
        return jnp.where(finite.reshape(finite.shape + (1,) * (x.ndim - finite.ndim)), x, jnp.nan)

    return jax.tree.map(masked, function(safe))


def _matrix(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return the lowering of an Op on matrices, given what it computes in LAPACK's dtype."""

    def lowered(op: Any, node: Apply, a: Any) -> Any:
        (a,) = _prepared(op, node, a)
        if op.signature.startswith("(n,n)"):
            return _on_finite(partial(function, op), a)
        return function(op, a)

    return lowered


def _adjoint(a: Any) -> Any:
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def _cholesky(op: Cholesky, a: Any) -> Any:
    if op.lower:
        return jnp.tril(lax.linalg.cholesky(a, symmetrize_input=False))
    return _adjoint(jnp.tril(lax.linalg.cholesky(_adjoint(a), symmetrize_input=False)))


def _determinant(op: Det, a: Any) -> Any:
    return jnp.linalg.det(a) if a.shape[-1] else jnp.ones(a.shape[:-2], a.dtype)


def change_of_cofactors(op: SecondCofactors, node: Apply, a: Any, e: Any) -> Any:
    a, e = jnp.broadcast_arrays(*_prepared(op, node, a, e))
    if not a.size:
        return a
    return _on_finite(lambda safe: second_cofactors(jnp, e, jnp.linalg.svd(safe)), a)


def _eigh(op: Eigh | Eigvalsh, a: Any) -> Any:
    return jnp.linalg.eigh(a, UPLO=op.UPLO, symmetrize_input=False)


def _svd(op: SVD, a: Any) -> Any:
    return jnp.linalg.svd(a, full_matrices=op.full_matrices, compute_uv=op.compute_uv)


def _pseudo_inverse(op: PseudoInverse, a: Any) -> Any:
    rcond = max(a.shape[-2:]) * float(jnp.finfo(a.dtype).eps) if op.rcond is None else op.rcond
    return jnp.linalg.pinv(a, rtol=rcond, hermitian=op.hermitian)


def least_squares(op: LeastSquares, node: Apply, a: Any, b: Any) -> Any:
    """The solution by singular values; where values are traced, a matrix with more rows than
    columns is taken to have full rank, which the shape of the residuals depends on."""
    a, columns = _of_one_stack(*_prepared(op, node, a, b))
    n, m = a.shape[-2:]
    solve = jnp.vectorize(
        partial(jnp.linalg.lstsq, rcond=op.rcond), signature="(n,m),(n,k)->(m,k),(k),(),(s)"
    )
    x, residuals, rank, values = solve(a, columns)
    if n <= m or (not is_traced(rank) and bool(jnp.any(rank < m))):
        residuals = residuals[..., :0]
    return x[..., 0] if b.ndim == 1 else x, residuals, as_dtype(rank, "int64"), values


def _of_one_stack(a: Any, b: Any) -> tuple[Any, Any]:
    """Return matrices and right sides of matrices, with the same leading axes."""
    columns = b[:, None] if b.ndim == 1 else b
    batch = jnp.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    return (
        jnp.broadcast_to(a, batch + a.shape[-2:]),
        jnp.broadcast_to(columns, batch + columns.shape[-2:]),
    )


def solution(op: LinearSolve, node: Apply, a: Any, b: Any) -> Any:
    x = _solved_where_finite(op, *_of_one_stack(*_prepared(op, node, a, b)))
    return x[..., 0] if b.ndim == 1 else x


def _solved_where_finite(op: Any, a: Any, b: Any) -> Any:
    """Return the solution; a column that is not finite spreads as a product does, and a matrix that
    is not makes all nan."""
    finite_a = jnp.isfinite(a).all(axis=(-2, -1))[..., None, None]
    finite_b = jnp.isfinite(b).all(axis=-2)[..., None, :]
    safe = jnp.where(finite_a, a, jnp.eye(a.shape[-1], dtype=a.dtype))
    x = _SOLVERS[type(op)](op, safe, jnp.where(finite_b, b, 0))
    spread = jnp.where(jnp.isfinite(b), 0, jnp.nan).sum(axis=-2)[..., None, :]
    return jnp.where(finite_a, jnp.where(finite_b, x, spread.astype(x.dtype)), jnp.nan)


def _general(op: Solve, a: Any, b: Any) -> Any:
    if 0 in (*a.shape, *b.shape):
        return jnp.zeros_like(b)
    if op.assume_a == "pos":
        factor = lax.linalg.cholesky(_mirrored(op, a), symmetrize_input=False)
        return _by_factor(factor, b)
    return jnp.linalg.solve(a if op.assume_a == "gen" else _mirrored(op, a), b)


def _mirrored(op: Solve, a: Any) -> Any:
    """Return a symmetric or Hermitian matrix of which one triangle counts."""
    triangle = jnp.tril(a, -1) if op.lower else jnp.triu(a, 1)
    hermitian = op.assume_a != "sym"
    other = _adjoint(triangle) if hermitian else jnp.swapaxes(triangle, -1, -2)
    diagonal = jnp.eye(a.shape[-1], dtype=bool)
    on_diagonal = jnp.real(a).astype(a.dtype) if hermitian else a
    return jnp.where(diagonal, on_diagonal, triangle + other)


def _triangular(op: SolveTriangular, a: Any, b: Any) -> Any:
    return lax.linalg.triangular_solve(
        a, b, left_side=True, lower=op.lower, unit_diagonal=op.unit_diagonal
    )


def _by_factor(factor: Any, b: Any) -> Any:
    half = lax.linalg.triangular_solve(factor, b, left_side=True, lower=True)
    return lax.linalg.triangular_solve(
        factor, half, left_side=True, lower=True, transpose_a=True, conjugate_a=True
    )


_SOLVERS: dict[type, Callable[..., Any]] = {
    Solve: _general,
    SolveTriangular: _triangular,
    CholeskySolve: lambda op, a, b: _by_factor(a if op.lower else _adjoint(a), b),
}

TABLE: dict[type, Any] = {
    Dot: product,
    Dot22: product,
    MatMul: product,
    Dot22Scalar: lambda op, node, x, y, alpha: product(op, node, x, y) * alpha,
    Gemm: update,
    GemvAdd: update,
    Ger: ger,
    ExtractDiag: lambda op, node, a: jnp.diagonal(a, op.offset, -2, -1),
    SetDiagonal: with_diagonal,
    Convolve: convolve,
    Cholesky: _matrix(_cholesky),
    Inverse: _matrix(lambda op, a: jnp.linalg.inv(a) if a.size else a),
    Expm: _matrix(lambda op, a: jax.scipy.linalg.expm(a) if a.size else a),
    Det: _matrix(_determinant),
    Cofactors: _matrix(lambda op, a: cofactors(jnp, jnp.linalg.svd(a)) if a.size else a),
    SecondCofactors: change_of_cofactors,
    SLogDet: _matrix(lambda op, a: jnp.linalg.slogdet(a)),
    Eigh: _matrix(_eigh),
    Eigvalsh: _matrix(lambda op, a: _eigh(op, a)[0]),
    Eig: _matrix(lambda op, a: jnp.linalg.eig(a)),
    Eigvals: _matrix(lambda op, a: jnp.linalg.eigvals(a)),
    QR: _matrix(lambda op, a: jnp.linalg.qr(a, mode=op.mode)),
    SVD: _matrix(_svd),
    PseudoInverse: _matrix(_pseudo_inverse),
    LeastSquares: least_squares,
    LinearSolve: solution,
}

"""Solutions of systems of equations, in the place of inverses, and by what the matrix is.

Where the matrix is singular both sides raise LinAlgError, or the left one alone: the classes claim
something only of what can be computed. What is known of a matrix is what
`relgraph.tensor.linalg.assume` declares, and what follows from it: if that is false, so may be the
right side.

N. Higham, Accuracy and Stability of Numerical Algorithms (2002): 14.1 on inverses, 8.1 on
triangular systems, 10.1 on Cholesky factors.
"""

from __future__ import annotations

from relations.kit import matrices as kit
from relations.kit.matrices import finite, rounding, stable
from relations.kit.matrix_facts import (
    diagonalo,
    is_lower_triangular,
    orthogonalo,
    positive_definiteo,
    symmetrico,
    triangularo,
)
from relations.kit.type_guards import matrixo, ranko, realo, same_dtypeo, vectoro
from relations.kit.vocabulary import lvars
from relations.matrices.products import as_column, transposed
from relgraph.graph.kanren import computed, whereo
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.diagonals import diag
from relgraph.tensor.linalg.products import _matmul, dot, matrix_transpose
from relgraph.tensor.linalg.systems import CholeskySolve, Solve, SolveTriangular, _inv, _solve
from relgraph.tensor.math import _dot

x, y, z = lvars("x y z")
v, m = lvars("v", vectoro), lvars("m", matrixo)
s, o = lvars("s", symmetrico, realo), lvars("o", orthogonalo, matrixo, realo)
p = lvars("p", positive_definiteo)
"""A vector and a matrix, and matrices that are known to be symmetric, orthogonal or positive
definite."""


lower_solve, upper_solve = SolveTriangular(True, False), SolveTriangular(False, False)
triangular_solve = SolveTriangular(computed(is_lower_triangular, x), False)
"""One of them, for a triangular `x`."""
cholesky, cholesky_solve = Cholesky(True), CholeskySolve(True)
symmetric_solve = Solve("sym", False)

OF_PRODUCTS = (
    stable("inverse-times", _dot(_inv(x), y), _solve(x, y)),
    stable("times-symmetric-inverse", _dot(m, _inv(s)), transposed(_solve(s, transposed(m)))),
    stable("vector-times-symmetric-inverse", _dot(v, _inv(s)), _solve(s, v)),
    stable("times-inverse", _dot(m, _inv(x)), transposed(_solve(transposed(x), transposed(m)))),
    stable("vector-times-inverse", _dot(v, _inv(x)), _solve(transposed(x), v)),
    stable("stacked-inverse-times", _matmul(_inv(x), y), _solve(x, y)),
    stable(
        "times-stacked-inverse",
        _matmul(y, _inv(x)),
        # the transposes of what solves the transposed system
        matrix_transpose(_solve(matrix_transpose(x), matrix_transpose(y))),
    ),
)
"""Products with inverses: solutions are nearer the true ones, and cheaper."""

ASSOCIATION = tuple(
    finite(
        f"product-with-{name}",
        _dot(op(x, y), z),
        op(x, _dot(y, z)),
        ranko(x, 2),
        whereo(kit.is_narrower, z, y),
        realo(x),
        same_dtypeo(x, y, z),
    )
    for name, op in (
        ("solution", _solve),
        ("symmetric-solution", symmetric_solve),
        ("triangular-solution", triangular_solve),
        ("cholesky-solution", cholesky_solve),
    )
)
"""The right side of a system is made narrow before the system is solved."""

IDENTITIES = (
    rounding("solve-identity", _solve(m, y), _inv(m), whereo(kit.is_identity_matrix, y)),
    rounding("inverse-transposed", _inv(transposed(x)), transposed(_inv(x))),
    # of a matrix with nan the left sides are nan throughout; a singular one is on the right alone
    finite("inverse-inverse", _inv(_inv(x)), x),
    finite(
        "solve-inverse",
        _solve(_inv(m), y),
        computed(dot, m, y),  # which a singular m has too
        whereo(kit.is_vector_or_matrix, y),
    ),
)


diagonal, identity = computed(diag, x), computed(kit.identity_like, x)
is_diagonal = (diagonalo(x), matrixo(x))

STRUCTURES = (
    # By what is known of the matrix; the first that holds is the cheapest.
    rounding("solve-symmetric-transposed", _solve(transposed(s), y), _solve(s, y)),
    # one nan makes one row nan
    finite("solve-diagonal-vector", _solve(x, v), v / diagonal, *is_diagonal),
    finite("solve-diagonal", _solve(x, m), m / as_column(diagonal), *is_diagonal),
    finite(
        "solve-orthogonal",
        _solve(o, y),
        _dot(transposed(o), y),
        same_dtypeo(o, y),  # it is orthogonal in its own precision
        whereo(kit.is_vector_or_matrix, y),
    ),
    stable("solve-triangular", _solve(x, y), triangular_solve(x, y), triangularo(x)),
    # the factor is there once for all right sides
    stable("solve-positive-definite", _solve(p, y), cholesky_solve(cholesky(p), y)),
    stable("solve-symmetric", _solve(s, y), symmetric_solve(s, y)),
    finite("inverse-diagonal", _inv(x), identity / as_column(diagonal), *is_diagonal),
    finite("inverse-orthogonal", _inv(o), transposed(o)),
    stable("inverse-triangular", _inv(x), triangular_solve(x, identity), triangularo(x)),
    # Two triangular systems that are one with a Cholesky factor, in one call; infinities of the
    # right side spread as in one system.
    stable(
        "solve-by-lower-factor",
        upper_solve(transposed(x), lower_solve(x, y)),
        cholesky_solve(x, y),
        complex=False,
    ),
    stable(
        "solve-by-upper-factor",
        upper_solve(x, lower_solve(transposed(x), y)),
        CholeskySolve(False)(x, y),
        complex=False,
    ),
)

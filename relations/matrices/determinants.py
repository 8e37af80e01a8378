"""Determinants and their logarithms; diagonals and traces of products, without the products.

A determinant over- or underflows where its logarithm is an ordinary number. Of a matrix with nan or
an infinity it is nan.
"""

from __future__ import annotations

from typing import Any

from relations.kit import matrices as kit
from relations.kit.guards import one_elemento, positiveo
from relations.kit.index_arithmetic import rank_of
from relations.kit.matrices import TAGS, finite, rounding, stable
from relations.kit.matrix_facts import counts_from_zero, positive_definiteo, triangularo
from relations.kit.type_guards import floato, matrixo, ranko, realo, same_dtypeo
from relations.kit.vocabulary import Law, any_dtype_law, law, lvars
from relations.matrices.products import transposed
from relgraph.graph.kanren import computed, one_cliento, whereo
from relgraph.graph.unify import nth
from relgraph.tensor import DimShuffle, log, prod, reciprocal
from relgraph.tensor import abs as abs_
from relgraph.tensor import sum as sum_
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.functions import _det, _slogdet, det
from relgraph.tensor.linalg.systems import _inv
from relgraph.tensor.math import _dot
from relgraph.tensor.subtensor import Placeholder

# -- determinants ----------------------------------------------------------------------------------

c, i, x, y = lvars("c i x y")
k, m = lvars("k", positiveo), lvars("m", matrixo)
p, q = lvars("p", positive_definiteo), lvars("q", positive_definiteo, matrixo)
"""A positive factor, a matrix, and stacks of matrices that are known to be positive definite."""


diagonal = ExtractDiag(0)
cholesky = Cholesky(True)


def trace(matrix: Any) -> Any:
    """Return the sum of a diagonal."""
    return sum_(diagonal(matrix))


def sign(matrix: Any) -> Any:
    """Return the sign of a determinant."""
    return nth(0, _slogdet(matrix))


def log_size(matrix: Any) -> Any:
    """Return the logarithm of the absolute value of a determinant."""
    return nth(1, _slogdet(matrix))


LOGARITHMS = (
    stable("log-multiple-of-det-of-positive-definite", log(k * _det(p)), log(k) + log_size(p)),
    stable("log-multiple-of-det", log(k * _det(x)), log(k) + (log_size(x) + log(sign(x)))),
    stable("log-det-of-positive-definite", log(_det(p)), log_size(p)),
    stable("log-abs-det", log(abs_(_det(x))), log_size(x)),
    # of a negative determinant it is nan
    stable("log-det", log(_det(x)), log_size(x) + log(sign(x))),
)

SIMPLER = (
    rounding("det-transposed", _det(transposed(x)), _det(x)),
    rounding("sign-det-transposed", sign(transposed(x)), sign(x)),
    rounding("log-det-transposed", log_size(transposed(x)), log_size(x)),
    # which a singular x has too
    rounding("det-inverse", _det(_inv(x)), reciprocal(computed(det, x))),
    rounding("log-det-inverse", log_size(_inv(x)), -computed(log_size, x)),
)


product = _dot(x, y)


def split(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law about a product of square matrices that nothing else reads."""
    square = (floato(x), same_dtypeo(x, y), whereo(kit.are_square, x, y))
    return rounding(name, lhs, rhs, one_cliento(product), *square)


triangular = (triangularo(x), ranko(x, 2))

PARTS = (
    split("det-of-product", _det(product), det(x) * det(y)),
    split("sign-det-of-product", sign(product), sign(x) * sign(y)),
    split("log-det-of-product", log_size(product), log_size(x) + log_size(y)),
    finite(
        "det-scaled",
        _det(c * m),
        DimShuffle(computed(rank_of, c), ())(c) ** computed(kit.row_count, m) * _det(m),
        one_elemento(c),
        floato(m),
    ),
    # a nan beside the diagonal is not seen
    finite("det-triangular", _det(x), prod(diagonal(x)), *triangular),
    finite("log-det-triangular", log_size(x), sum_(log(abs_(diagonal(x)))), *triangular),
    rounding("log-det-positive-definite", log_size(q), 2.0 * sum_(log(diagonal(cholesky(q))))),
    # of a matrix that is not finite it is nan
    finite("sign-det-positive-definite", sign(q), 1.0),
)
"""After the logarithms of determinants are found."""


# -- diagonals and traces of products --------------------------------------------------------------

o, z = lvars("o z")

set_diagonal = SetDiagonal(o, False)(x, y)
at_positions = AdvancedSubtensor((Placeholder.ARRAY, Placeholder.ARRAY))


rows, columns = (computed(f, x, y) for f in (kit.rows_of_diagonal, kit.columns_of_diagonal))

CYCLES = (
    finite(
        "trace-cycle",
        trace(_dot(_dot(x, y), z)),
        # trace(x @ y @ z) → trace(y @ z @ x), or trace(z @ x @ y)
        computed(kit.cheapest_cycle, x, y, z),
        same_dtypeo(x, y, z),
    ),
)

TRACES = (
    any_dtype_law("diagonal-transposed", diagonal(transposed(m)), diagonal(m), tags=TAGS),
    any_dtype_law(
        "diagonal-by-positions",
        at_positions(x, i, i),
        diagonal(x),
        whereo(counts_from_zero, i),
        whereo(kit.is_as_long_as_diagonal, i, x),
        tags=TAGS,
    ),
    rounding(
        "diagonal-of-product",
        diagonal(product),
        sum_(rows * transposed(columns), axis=(1,)),  # of each row and the column of its number
        one_cliento(product),
        ranko(x, 2),
        ranko(y, 2),
        same_dtypeo(x, y),
        realo(x),  # the BLAS makes nan of complex infinities
    ),
    law("diagonal-of-diagonal", ExtractDiag(o)(set_diagonal), y, complex=True, tags=TAGS),
)

"""Determinants and their logarithms; diagonals and traces of products, without the products.

A determinant over- or underflows where its logarithm is an ordinary number. Of a matrix with nan or
an infinity it is nan.
"""

from __future__ import annotations

from typing import Any

from kanren.core import eq, lall

from relations.kit import matrices as kit
from relations.kit.guards import foundo, one_elemento, positiveo
from relations.kit.index_arithmetic import rank_of
from relations.kit.matrices import TAGS, finite, rounding, stable
from relations.kit.matrix_facts import (
    counts_from_zero,
    lower_triangularo,
    positive_definiteo,
    upper_triangularo,
)
from relations.kit.type_guards import floato, ranko, realo, same_dtypeo
from relations.kit.vocabulary import Law, any_dtype_law, law, lvars, relation
from relations.matrices.products import transposed
from relgraph.graph.kanren import computo, one_cliento, whereo
from relgraph.graph.unify import nth
from relgraph.tensor import DimShuffle, log, prod, reciprocal
from relgraph.tensor import abs as abs_
from relgraph.tensor import sum as sum_
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.functions import _det, _slogdet, det
from relgraph.tensor.linalg.systems import _inv
from relgraph.tensor.math import _dot
from relgraph.tensor.subtensor import Placeholder

# -- determinants ----------------------------------------------------------------------------------

a, c, i, n, x, y = lvars("a c i n x y")


at_positions = AdvancedSubtensor((Placeholder.ARRAY, Placeholder.ARRAY))
diagonal = at_positions(x, i, i)
cholesky = Cholesky(True)


def sign(matrix: Any) -> Any:
    """Return the sign of a determinant."""
    return nth(0, _slogdet(matrix))


def log_size(matrix: Any) -> Any:
    """Return the logarithm of the absolute value of a determinant."""
    return nth(1, _slogdet(matrix))


LOGARITHMS = (
    stable(
        "log-multiple-of-det-of-positive-definite",
        log(y * _det(x)),
        log(y) + log_size(x),
        positiveo(y),
        positive_definiteo(x),
    ),
    stable(
        "log-multiple-of-det", log(y * _det(x)), log(y) + (log_size(x) + log(sign(x))), positiveo(y)
    ),
    stable("log-det-of-positive-definite", log(_det(x)), log_size(x), positive_definiteo(x)),
    stable("log-abs-det", log(abs_(_det(x))), log_size(x)),
    # of a negative determinant it is nan
    stable("log-det", log(_det(x)), log_size(x) + log(sign(x))),
)

SIMPLER = (
    rounding("det-transposed", _det(transposed(x)), _det(x), complex=True),
    rounding("sign-det-transposed", sign(transposed(x)), sign(x)),
    rounding("log-det-transposed", log_size(transposed(x)), log_size(x)),
    rounding(
        "det-inverse",
        _det(_inv(x)),
        reciprocal(y),
        computo(y, det, x),  # which a singular x has too
        complex=True,
    ),
    rounding("log-det-inverse", log_size(_inv(x)), -y, computo(y, log_size, x)),
)


product = _dot(x, y)


def split(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law about a product of square matrices that nothing else reads."""
    square = (floato(x), same_dtypeo(x, y), whereo(kit.are_square, x, y))
    return rounding(name, lhs, rhs, one_cliento(product), *square)


def of_triangular(side: str, is_triangular: Any) -> tuple[Law, Law]:
    """Return the laws about a matrix that has zeros on the other side of its diagonal."""
    triangular = (is_triangular(x), ranko(x, 2), computo(i, kit.positions, x))
    size = sum_(log(abs_(diagonal)))
    # a nan beside the diagonal is not seen
    return (
        finite(f"det-{side}-triangular", _det(x), prod(diagonal), *triangular, complex=True),
        finite(f"log-det-{side}-triangular", log_size(x), size, *triangular),
    )


PARTS = (
    split("det-of-product", _det(product), det(x) * det(y)),
    split("sign-det-of-product", sign(product), sign(x) * sign(y)),
    split("log-det-of-product", log_size(product), log_size(x) + log_size(y)),
    finite(
        "det-scaled",
        _det(c * x),
        DimShuffle(n, ())(c) ** a * _det(x),
        one_elemento(c),
        ranko(x, 2),
        floato(x),
        computo(n, rank_of, c),
        computo(a, kit.row_count, x),
    ),
    *of_triangular("lower", lower_triangularo),
    *of_triangular("upper", upper_triangularo),
    rounding(
        "log-det-positive-definite",
        log_size(x),
        2.0 * sum_(log(at_positions(cholesky(x), i, i))),
        positive_definiteo(x),
        ranko(x, 2),
        computo(i, kit.positions, x),
    ),
    # of a matrix that is not finite it is nan
    finite("sign-det-positive-definite", sign(x), 1.0, positive_definiteo(x), ranko(x, 2)),
)
"""After the logarithms of determinants are found."""


# -- diagonals and traces of products --------------------------------------------------------------

p, z = lvars("p z")

with_diagonal = AdvancedIncSubtensor((Placeholder.ARRAY, Placeholder.ARRAY), False, True)


@relation("diagonal-of-product", sound="rounding", depth=2, tags=TAGS)
def diagonal_of_producto(diagonal: Any, total: Any) -> Any:
    """``(x @ y)[i, i] → sum(x * y.T, axis=1)``, where `i` counts from 0 and nothing else reads
    ``x @ y``"""
    return lall(
        eq(diagonal, at_positions(product, i, i)),
        whereo(counts_from_zero, i),
        one_cliento(product),
        ranko(x, 2),
        ranko(y, 2),
        same_dtypeo(x, y),
        realo(x),  # the BLAS makes nan of complex infinities
        # the sums of the products of each row and the column of its number
        computo(total, kit.row_by_column, x, y, i),
    )


CYCLES = (
    finite(
        "trace-cycle",
        sum_(at_positions(_dot(_dot(x, y), z), i, i)),
        p,  # trace(x @ y @ z) → trace(y @ z @ x), or trace(z @ x @ y)
        whereo(counts_from_zero, i),
        same_dtypeo(x, y, z),
        *foundo(p, kit.cheapest_cycle, x, y, z, i),
        complex=True,
    ),
)

TRACES = (
    any_dtype_law(
        "diagonal-transposed",
        at_positions(transposed(x), i, i),
        at_positions(x, i, i),
        ranko(x, 2),
        tags=TAGS,
    ),
    diagonal_of_producto,
    law(
        "diagonal-of-diagonal",
        at_positions(with_diagonal(x, y, i, i), i, i),
        y,
        whereo(counts_from_zero, i),
        ranko(x, 2),
        whereo(kit.is_as_long, y, i),
        complex=True,
        tags=TAGS,
    ),
)

"""Matrices made of smaller ones: Kronecker products, and updates of low rank.

Determinants, inverses and solutions of a Kronecker product follow from its factors. Laws do not
build the product for them. Where a factor has nan or an infinity, other elements become nan.
G. Golub and C. Van Loan, Matrix Computations (2013), 12.3.

An updated matrix differs by few rows and columns from one that is easy to invert. Sizes decide:
where ``u @ v`` has far more rows than `u` has columns, as their types say, a small system takes the
place of a large one. W. Hager, Updating the Inverse of a Matrix (1989); H. Henderson and S. Searle,
On Deriving the Inverse of a Sum of Matrices (1981), for the push-through identity; J. Sylvester
(1851).
"""

from __future__ import annotations

from typing import Any

from relations.kit import matrices as kit
from relations.kit.guards import are_well_conditioned
from relations.kit.matrices import TAGS, finite
from relations.kit.matrix_facts import diagonalo
from relations.kit.type_guards import floato, roomyo, same_dtypeo, vectoro
from relations.kit.vocabulary import Law, any_dtype_law, law, lvars
from relations.matrices.determinants import log_size, trace
from relations.matrices.products import transposed
from relgraph.graph.kanren import computed, whereo
from relgraph.tensor import constant
from relgraph.tensor.linalg.functions import _det
from relgraph.tensor.linalg.products import _kron
from relgraph.tensor.linalg.systems import _inv, _solve
from relgraph.tensor.math import _dot
from relgraph.tensor.shapes import Reshape

b, d, u, v, w, x, y, z = lvars("b d u v w x y z")

# -- Kronecker products ----------------------------------------------------------------------------

vector = lvars("vector", vectoro)

kron = _kron(x, y)
table = computed(kit.as_table, vector, x, y)
"""The vector as a matrix between both factors."""
m, n = (computed(kit.row_count, factor) for factor in (x, y))

of_squares, of_one_dtype = whereo(kit.are_square, x, y), same_dtypeo(x, y)
"""What is known of the factors."""


def in_a_row(m: Any) -> Any:
    """Return the rows of a matrix, one behind the other, as a vector."""
    return Reshape(1)(m, constant([-1]))


FACTORS = (
    any_dtype_law(
        "kron-transposed", transposed(kron), _kron(transposed(x), transposed(y)), tags=TAGS
    ),
    finite(
        "kron-times-kron",
        _dot(kron, _kron(z, w)),
        _kron(_dot(x, z), _dot(y, w)),
        whereo(kit.fit, x, z),
        whereo(kit.fit, y, w),
    ),
    finite(
        "kron-times-vector",
        _dot(kron, vector),
        in_a_row(_dot(_dot(x, table), transposed(y))),
        same_dtypeo(x, y, vector),
    ),
    finite("inverse-kron", _inv(kron), _kron(_inv(x), _inv(y)), of_squares),
    finite(
        "solve-kron",
        _solve(kron, vector),
        in_a_row(transposed(_solve(y, transposed(_solve(x, table))))),  # x @ X @ y.T = table
        of_squares,
        same_dtypeo(x, y, vector),
    ),
    finite("det-kron", _det(kron), _det(x) ** n * _det(y) ** m, of_squares, of_one_dtype),
    finite(
        "log-det-kron", log_size(kron), log_size(x) * n + log_size(y) * m, of_squares, of_one_dtype
    ),
    finite("trace-kron", trace(kron), trace(x) * trace(y), of_squares, of_one_dtype),
)


# -- updates of low rank ---------------------------------------------------------------------------

updated = d + _dot(u, v)
thin = (
    floato(u),
    roomyo(u),  # LAPACK has no float16, and what is solved for may be of another dtype
    same_dtypeo(d, u, v),
    whereo(kit.is_tall, u),
    whereo(kit.is_wide, v),
    whereo(kit.are_sides_of, d, u, v),
)
"""That `u` has far more rows than columns, and `v` the other way round."""
i = computed(kit.identity_like, v)
"""The small identity matrix."""
identity = whereo(kit.is_identity_matrix, d)
small, of_identity = i + _dot(v, _solve(d, u)), i + _dot(v, u)


def where_regular(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that computes its right side from matrices far from singular."""
    regular = whereo(are_well_conditioned, d, u, v)
    # what is solved for the diagonal matrix, as costly as any, becomes a division next
    tags = ("invests",)
    return law(name, lhs, rhs, *thin, *conditions, sound="domain", domain=regular, tags=tags)


solution = _solve(d, b)


UPDATES = (
    # A small matrix that is singular by rounding where the large one is not raises.
    where_regular(
        "push-through",
        _solve(updated, u),
        transposed(_solve(transposed(of_identity), transposed(u))),
        identity,
    ),
    where_regular(
        "woodbury",
        _solve(updated, b),
        solution - _dot(_solve(d, u), _solve(small, _dot(v, solution))),
        diagonalo(d),
        whereo(kit.is_vector_or_matrix, b),
    ),
    where_regular("determinant-lemma", _det(updated), _det(small) * _det(d), diagonalo(d)),
    where_regular(
        "log-determinant-lemma", log_size(updated), log_size(small) + log_size(d), diagonalo(d)
    ),
    finite("det-of-identity-and-product", _det(updated), _det(of_identity), identity, *thin),
    finite(
        "log-det-of-identity-and-product",
        log_size(updated),
        log_size(of_identity),
        identity,
        *thin,
    ),
)

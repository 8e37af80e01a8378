"""Matrices that differ by few rows and columns from one that is easy to invert.

Sizes decide: where ``u @ v`` has far more rows than `u` has columns, as their types say, a small
system takes the place of a large one.

W. Hager, Updating the Inverse of a Matrix (1989); H. Henderson and S. Searle, On Deriving the
Inverse of a Sum of Matrices (1981), for the push-through identity; J. Sylvester (1851).
"""

from __future__ import annotations

from typing import Any

from relations.kit import matrices as kit
from relations.kit.guards import are_well_conditioned
from relations.kit.matrices import finite
from relations.kit.matrix_facts import diagonalo
from relations.kit.type_guards import floato, roomyo, same_dtypeo
from relations.kit.vocabulary import Law, law, lvars
from relations.matrices.determinants import log_size
from relgraph.graph.kanren import computo, whereo
from relgraph.tensor.linalg.functions import _det
from relgraph.tensor.linalg.systems import _solve
from relgraph.tensor.math import _dot

b, d, u, v, z = lvars("b d u v z")

updated = d + _dot(u, v)
thin = (
    floato(u),
    roomyo(u),  # LAPACK has no float16, and what is solved for may be of another dtype
    same_dtypeo(d, u, v),
    whereo(kit.is_tall, u),
    whereo(kit.is_wide, v),
    whereo(kit.are_sides_of, d, u, v),
)
identity = whereo(kit.is_identity_matrix, d)


def where_regular(name: str, lhs: Any, *conditions: Any) -> Law:
    """Return a law that computes `z` from matrices far from singular."""
    regular = whereo(are_well_conditioned, d, u, v)
    # what is solved for the diagonal matrix, as costly as any, becomes a division next
    tags = ("invests",)
    return law(name, lhs, z, *thin, *conditions, sound="domain", domain=regular, tags=tags)


UPDATES = (
    # inv(1 + u v) u = u inv(1 + v u)
    where_regular(
        "push-through", _solve(updated, u), identity, computo(z, kit.pushed_through, u, v)
    ),
    # inv(d + u v) b = d⁻¹ b - d⁻¹ u (1 + v d⁻¹ u)⁻¹ v d⁻¹ b
    where_regular(
        "woodbury",
        _solve(updated, b),
        diagonalo(d),
        whereo(kit.is_vector_or_matrix, b),
        computo(z, kit.updated_solution, d, u, v, b),
    ),
    # det(d + u v) = det(1 + v d⁻¹ u) det(d)
    where_regular(
        "determinant-lemma",
        _det(updated),
        diagonalo(d),
        computo(z, kit.updated_determinant, d, u, v),
    ),
    where_regular(
        "log-determinant-lemma",
        log_size(updated),
        diagonalo(d),
        computo(z, kit.updated_log_determinant, d, u, v),
    ),
)
"""A small matrix that is singular by rounding where the large one is not raises."""

DETERMINANTS = (
    finite(
        "det-of-identity-and-product",
        _det(updated),
        z,  # det(1 + v u)
        identity,
        *thin,
        computo(z, kit.small_determinant, u, v),
    ),
    finite(
        "log-det-of-identity-and-product",
        log_size(updated),
        z,
        identity,
        *thin,
        computo(z, kit.small_log_determinant, u, v),
    ),
)

"""Matrices that differ by few rows and columns from one that is easy to invert.

W. Hager, Updating the Inverse of a Matrix (1989); H. Henderson and S. Searle, On Deriving the
Inverse of a Sum of Matrices (1981), for the push-through identity.
"""

from __future__ import annotations

from typing import Any

from relations.matrices.linear import transposed
from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.terms.term import nth
from relgraph.tensor.lawkit.domains import are_well_conditioned
from relgraph.tensor.lawkit.guards.matrices import diagonalo
from relgraph.tensor.lawkit.matrices.linear import is_identity_matrix
from relgraph.tensor.lawkit.matrices.low_rank import identity_of_inner
from relgraph.tensor.lawkit.matrices.sizes import is_thin
from relgraph.tensor.lawkit.matrices.structure import is_vector_or_matrix
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.tensor.linalg.systems.determinants import _det, _slogdet
from relgraph.tensor.linalg.systems.solving import _solve
from relgraph.tensor.math import _dot

b, d, e, u, v, x = lvars("b d e u v x")
TAGS = ("linear_algebra",)


def log_size(matrix: Any) -> Any:
    """Return the logarithm of the absolute value of a determinant."""
    return nth(1, _slogdet(matrix))


thin = (whereo(is_thin, u, v), computo(e, identity_of_inner, u))
"""The product has far more rows than its factors have lengths in common."""

inner = e + _dot(v, _solve(d, u))

UPDATES = (
    law(
        "woodbury",
        _solve(d + _dot(u, v), b),
        _solve(d, b) - _dot(_solve(d, u), _solve(inner, _dot(v, _solve(d, b)))),
        diagonalo(d),
        *thin,
        whereo(is_vector_or_matrix, b),
        sound="domain",
        domain=whereo(are_well_conditioned, d, u, v),
    ),
    law(
        "determinant-lemma",
        _det(d + _dot(u, v)),
        _det(inner) * _det(d),
        diagonalo(d),
        *thin,
        sound="domain",
        domain=whereo(are_well_conditioned, d, u, v),
    ),
    law(
        "log-determinant-lemma",
        log_size(d + _dot(u, v)),
        log_size(inner) + log_size(d),
        diagonalo(d),
        *thin,
        sound="domain",
        domain=whereo(are_well_conditioned, d, u, v),
    ),
)
"""For a diagonal matrix that is not singular, nor nearly so."""

PUSHED_THROUGH = (
    law(
        "push-through",
        _solve(x + _dot(u, v), u),
        # u @ inv(e + v @ u)
        transposed(_solve(transposed(e + _dot(v, u)), transposed(u))),
        whereo(is_identity_matrix, x),
        *thin,
        sound="finite",
        tags=TAGS,
    ),
    law(
        "det-of-identity-and-product",
        _det(x + _dot(u, v)),
        _det(e + _dot(v, u)),
        whereo(is_identity_matrix, x),
        *thin,
        sound="finite",
        tags=TAGS,
    ),
    law(
        "log-det-of-identity-and-product",
        log_size(x + _dot(u, v)),
        log_size(e + _dot(v, u)),
        whereo(is_identity_matrix, x),
        *thin,
        sound="finite",
        tags=TAGS,
    ),
)

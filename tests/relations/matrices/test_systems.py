"""Each law about inverses and systems of equations at work."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.compile import optimize_graph
from relgraph.graph.notation import algebra
from relgraph.tensor import linalg
from relgraph.tensor.linalg import cho_solve, inv, solve, solve_triangular
from tests.relations.matrices.inputs import (
    a,
    diagonal,
    factor,
    identity,
    lower,
    orthogonal,
    positive,
    s,
    symmetric,
    t,
    upper,
    v,
    w,
    x,
    y,
    z,
)

turned = (0, 2, 1)

TABLE = [
    ("vector-times-inverse", v @ inv(x), solve(x.T, v)),
    ("times-symmetric-inverse", y @ inv(symmetric), solve(symmetric, y.T).T),
    ("vector-times-symmetric-inverse", v @ inv(symmetric), solve(symmetric, v)),
    ("stacked-inverse-times", inv(s) @ t, solve(s, t)),
    (
        "times-stacked-inverse",
        t @ inv(s),
        solve(s.dimshuffle(*turned), t.dimshuffle(*turned)).dimshuffle(*turned),
    ),
    ("product-with-solution", solve(x, y) @ v, solve(x, y @ v)),
    (
        "product-with-symmetric-solution",
        solve(symmetric, y, assume_a="sym") @ v,
        solve(symmetric, y @ v, assume_a="sym"),
    ),
    (
        "product-with-triangular-solution",
        solve_triangular(lower, y, lower=True) @ v,
        solve_triangular(lower, y @ v, lower=True),
    ),
    (
        "product-with-triangular-solution",
        solve_triangular(upper, y) @ v,
        solve_triangular(upper, y @ v),
    ),
    ("product-with-cholesky-solution", cho_solve((factor, True), y) @ v, None),
    ("solve-identity", solve(x, at.eye(at.lscalar("n"))), inv(x)),
    ("solve-identity", solve(a, identity), inv(a)),
    ("solve-inverse", solve(inv(x), y), x @ y),
    ("solve-symmetric-transposed", solve(symmetric.T, v), solve(symmetric, v)),
    ("solve-diagonal-vector", solve(at.eye(3) * z, w), None),
    ("solve-diagonal", solve(at.eye(3) * z, y), None),
    ("solve-orthogonal", solve(orthogonal, y), orthogonal.T @ y),
    ("solve-triangular", solve(lower, y), solve_triangular(lower, y, lower=True)),
    ("solve-triangular", solve(upper, y), solve_triangular(upper, y)),
    (
        "solve-positive-definite",
        solve(positive, v),
        cho_solve((linalg.cholesky(positive), True), v),
    ),
    ("solve-symmetric", solve(symmetric, y), solve(symmetric, y, assume_a="sym")),
    ("inverse-diagonal", inv(at.eye(3) * z), None),
    ("inverse-orthogonal", inv(orthogonal), orthogonal.T),
    ("inverse-triangular", inv(lower), None),
    ("inverse-triangular", inv(upper), None),
    (
        "solve-by-lower-factor",
        solve_triangular(factor.T, solve_triangular(factor, v, lower=True)),
        cho_solve((factor, True), v),
    ),
    (
        "solve-by-upper-factor",
        solve_triangular(upper, solve_triangular(upper.T, v, lower=True)),
        cho_solve((upper, False), v),
    ),
]


LEFT_ALONE = [
    ("solve-positive-definite", solve(symmetric, v)),
    ("solve-triangular", solve(x, v)),
    ("solve-symmetric-transposed", solve(x.T, v)),
    ("solve-identity", solve(x, np.ones((3, 3)))),
    ("solve-by-lower-factor", solve_triangular(x.T, solve_triangular(y, v, lower=True))),
    ("inverse-orthogonal", inv(lower)),
]


def test_the_diagonal_of_a_vector_is_not_taken_out_again():
    found = optimize_graph(
        solve(diagonal, w), include=["canonicalize", "stabilize", "specialize"], clone=True
    )
    assert algebra(found, 200) == "w / (v + 5.0)"

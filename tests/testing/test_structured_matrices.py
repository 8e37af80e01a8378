"""Matrices for laws that ask what a matrix is: they are what they are said to be."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.matrix_facts import facts_about
from relgraph.testing.instances.input_values import STRUCTURES, structured

VALUES = np.random.default_rng(0).normal(size=(3, 3)) * 1e3
IS = {
    "diagonal": lambda m: np.array_equal(m, np.diag(np.diag(m))),
    "lower triangular": lambda m: np.array_equal(m, np.tril(m)),
    "upper triangular": lambda m: np.array_equal(m, np.triu(m)),
    "symmetric": lambda m: np.allclose(m, m.T.conj()),
    "positive definite": lambda m: np.linalg.eigvalsh(m).min() > 0.1,
    "positive semidefinite": lambda m: np.linalg.eigvalsh(m).min() > -1e-12,
    "orthogonal": lambda m: np.allclose(m @ m.T.conj(), np.eye(3)),
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("kind", list(STRUCTURES))
def test_what_is_known_of_it_is_true(kind, dtype):
    x = at.TensorType(dtype, (3, 3))()
    made = structured(kind, x)
    value = VALUES.astype(dtype) * (1 if dtype == "float64" else 1 + 1j)
    (found,) = evaluate([made], {x: value})
    for fact in facts_about(made) - {"uniform"}:
        assert IS[fact](found), fact
    if kind != "symmetric":
        assert np.linalg.cond(found) < 100


def test_other_shapes_and_dtypes_stay():
    for x in (at.dvector(), at.lmatrix(), at.TensorType("float64", (2, 3))()):
        assert all(structured(kind, x) is x for kind in STRUCTURES)

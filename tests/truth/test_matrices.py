"""The true values of ops on matrices: those of NumPy, and exact where NumPy rounds."""

import numpy as np
import pytest
import scipy.linalg

from relgraph.tensor.linalg.decompositions import QR, Cholesky
from relgraph.tensor.linalg.functions import Det, SLogDet
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, Solve, SolveTriangular
from relgraph.truth.balls import arb, precision
from relgraph.truth.graphs import as_balls, matrix_values
from tests.tensor.linalg.matrices import positive, some


def computed(op, *values):
    with precision(120), np.errstate(invalid="ignore"):
        found = matrix_values(op, [as_balls(v) for v in values])
    return [np.asarray(v).astype("complex128") for v in found]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_they_are_those_of_numpy(dtype, batch):
    a, b = positive(*batch, 3, 3, dtype=dtype), some(*batch, 3, 2, dtype=dtype)
    c = np.linalg.cholesky(a)
    for op, values, expected in (
        (Solve(), (a, b), [np.linalg.solve(a, b)]),
        (Solve("pos"), (a, b), [np.linalg.solve(a, b)]),
        (Inverse(), (a,), [np.linalg.inv(a)]),
        (Det(), (a,), [np.linalg.det(a)]),
        (SLogDet(), (a,), np.linalg.slogdet(a)),
        (Cholesky(), (a,), [c]),
        (Cholesky(False), (a,), [np.swapaxes(c, -1, -2).conj()]),
        (CholeskySolve(True), (c, b), [np.linalg.solve(a, b)]),
        (SolveTriangular(True), (a, b), [np.linalg.solve(np.tril(a), b)]),
    ):
        for found, want in zip(computed(op, *values), expected, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-12)


def test_vectors_and_unit_diagonals():
    a, b = positive(3, 3), some(3)
    (found,) = computed(SolveTriangular(False, True), a, b)
    expected = scipy.linalg.solve_triangular(a, b, unit_diagonal=True)
    np.testing.assert_allclose(found, expected)


def test_it_is_exact_where_numpy_rounds():
    """The determinant of the Hilbert matrix of size 8, 1 / 365356847125734485878112256000000."""
    with precision(400):
        matrix = np.array([[1 / arb(i + j + 1) for j in range(8)] for i in range(8)])
        (found,) = matrix_values(Det(), [matrix])
        assert (1 / found[()]).contains(365356847125734485878112256000000)
        assert found[()].rel_accuracy_bits() > 200


def test_what_is_not_finite_or_singular():
    for value in (np.array([[np.nan, 0], [0, 1]]), np.array([[np.inf, 0], [0, 1]])):
        assert np.isnan(computed(Det(), value)[0])
        assert np.isnan(computed(Solve(), value, np.ones(2))[0]).all()
    sign, logarithm = computed(SLogDet(), np.zeros((2, 2)))
    assert sign == 0 and logarithm == -np.inf
    assert matrix_values(QR(), [as_balls(np.eye(2))]) is None

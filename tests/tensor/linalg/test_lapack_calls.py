"""SciPy's LAPACK, which large matrices take, gives what NumPy's does, and overwrites as it may."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import In, Mode, function
from relgraph.tensor import fortran
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, Solve, SolveTriangular
from tests.tensor.linalg.matrices import positive, regular, some

DTYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = [(5, 5), (2, 4, 4)]


def close(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    tolerance = 1e-3 if found.dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every matrix count as large."""
    monkeypatch.setattr(fortran, "LARGE", 1)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_as_numpy(dtype: str, shape: Any) -> None:
    a, p = regular(*shape, dtype=dtype), positive(*shape, dtype=dtype)
    close(fortran.inv(a), np.linalg.inv(a))
    close(fortran.cholesky(p, True), np.linalg.cholesky(p))
    close(fortran.cholesky(p, False), np.linalg.cholesky(p, upper=True))
    close(fortran.det(a), np.linalg.det(a))
    for found, expected in zip(fortran.slogdet(a), np.linalg.slogdet(a), strict=True):
        close(found, expected)
    close(fortran.eigh(p, "L", False), np.linalg.eigvalsh(p))
    values, vectors = fortran.eigh(p, "U")
    close(vectors * values[..., None, :] @ np.swapaxes(vectors, -1, -2).conj(), p)
    close(np.sort(np.abs(fortran.eig(a, False))), np.sort(np.abs(np.linalg.eigvals(a))))
    w, v = fortran.eig(a)
    close(a @ v, v * w[..., None, :])
    close(fortran.svd(a, compute_uv=False), np.linalg.svd(a, compute_uv=False))
    close(fortran.pinv(p, 1e-6, True), np.linalg.inv(p))


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 3, 5)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_that_are_not_square(dtype: str, shape: Any) -> None:
    a = some(*shape, dtype=dtype)
    for mode in ("reduced", "complete"):
        q, r = fortran.qr(a, mode)
        assert [q.shape, r.shape] == [f.shape for f in np.linalg.qr(a, mode)]
        close(q @ r, a)
    close(np.abs(fortran.qr(a, "r")), np.abs(np.linalg.qr(a, "r")))
    for full in (False, True):
        parts = fortran.svd(a, full)
        assert [v.shape for v in parts] == [v.shape for v in np.linalg.svd(a, full)]
    close(fortran.pinv(a, 1e-6, False), np.linalg.pinv(a, 1e-6))


@pytest.mark.usefixtures("large")
def test_of_a_singular_matrix() -> None:
    a = np.ones((3, 3))
    assert fortran.det(a) == 0.0
    assert fortran.slogdet(a) == (0.0, -np.inf)
    with pytest.raises(np.linalg.LinAlgError, match="inv: a matrix is singular"):
        fortran.inv(a)
    with pytest.raises(np.linalg.LinAlgError, match="minor 2 is not positive definite"):
        fortran.cholesky(a, True)


CASES = [
    (Cholesky(True), lambda a, b: (positive(*a.shape, dtype=a.dtype.name),)),
    (Cholesky(False), lambda a, b: (positive(*a.shape, dtype=a.dtype.name),)),
    (Inverse(), lambda a, b: (a,)),
    (Solve(), lambda a, b: (a, b)),
    (Solve("sym"), lambda a, b: (a + a.T, b)),
    (Solve("her", True), lambda a, b: (a + a.T.conj(), b)),
    (Solve("pos"), lambda a, b: (positive(*a.shape, dtype=a.dtype.name), b)),
    (SolveTriangular(True), lambda a, b: (a, b)),
    (SolveTriangular(False, True), lambda a, b: (a, b)),
    (CholeskySolve(True), lambda a, b: (np.tril(a), b)),
    (CholeskySolve(False), lambda a, b: (np.triu(a), b)),
]


@pytest.mark.parametrize("columns", [(), (1,), (3,)], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize(("op", "values"), CASES, ids=[str(op) for op, _ in CASES])
def test_in_place(op: Any, values: Any, dtype: str, columns: Any) -> None:
    """The same bits as from the op that overwrites nothing, whatever the layout."""
    n = 70
    given = values(regular(n, n, dtype=dtype), some(n, *columns, dtype=dtype))
    overwriting = type(op)(**{**op.props_dict(), "inplace": True})
    for order in ("C", "F"):
        arrays = [np.array(v, order=order) for v in given]  # type: ignore[call-overload]
        inputs = [at.TensorType(v.dtype.name, v.shape)() for v in arrays]
        mutable = [In(v, mutable=True) for v in inputs]
        expected = function(inputs, op(*inputs), mode=Mode("py", None))(*arrays)
        for linker in ("py", "vm"):
            own = [v.copy(order) for v in arrays]  # type: ignore[arg-type]
            f = function(
                mutable, overwriting(*inputs), mode=Mode(linker, None), accept_inplace=True
            )
            np.testing.assert_array_equal(f(*own), expected)
            kept = [i for i in range(len(own)) if i != op.overwritable]
            for i in kept:
                np.testing.assert_array_equal(own[i], arrays[i])


def test_what_is_dead_is_overwritten() -> None:
    x, b = at.dmatrix("x"), at.dmatrix("b")
    p = x @ x.T + at.eye(x.shape[0])
    value, right = some(70, 70), some(70, 3)
    for out, op, expected in (
        (at.linalg.cholesky(p), Cholesky, lambda p: np.linalg.cholesky(p)),
        (at.linalg.inv(p) + 1, Inverse, lambda p: np.linalg.inv(p) + 1),
        (at.linalg.solve(p, b), Solve, lambda p: np.linalg.solve(p, right)),
        (
            at.linalg.solve_triangular(x + 70 * at.eye(x.shape[0]), b * 2, lower=True),
            SolveTriangular,
            lambda p: np.linalg.solve(np.tril(value + 70 * np.eye(70)), right * 2),
        ),
    ):
        f = function([x, b], out, on_unused_input="ignore", mode="o4")
        assert [n.op.inplace for n in f.maker.fgraph.apply_nodes if type(n.op) is op] == [True]
        kept = value.copy(), right.copy()
        close(f(value, right), expected(value @ value.T + np.eye(70)))
        np.testing.assert_array_equal(value, kept[0])
        np.testing.assert_array_equal(right, kept[1])


def test_what_is_needed_is_not() -> None:
    x = at.dmatrix("x")
    for outputs in ([at.linalg.inv(x)], [at.linalg.inv(x + 1), x + 1]):
        f = function([x], outputs, mode="o4")
        assert not any(getattr(n.op, "inplace", False) for n in f.maker.fgraph.apply_nodes)

"""Products of the BLAS that takes threads: as NumPy's, for layouts, dtypes and ranks."""

import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from relgraph.tensor import fortran
from tests.tensor.blas_arrays import layouts, values

SHAPES = [((5, 7), (7, 3)), ((5, 7), (7,)), ((7,), (7, 3)), ((7,), (7,)), ((1, 1), (1, 4))]


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small products count as large ones."""
    monkeypatch.setattr(fortran, "MATRICES", 1)
    monkeypatch.setattr(fortran, "VECTORS", 1)


def check(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    tolerance = 1e-5 if expected.dtype in ("float32", "complex64") else 1e-13
    np.testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_products(dtype: str, shapes: Any) -> None:
    x, y = (values(dtype, *shape) for shape in shapes)
    for a, b in product(layouts(x), layouts(y)):
        check(fortran.product(a, b), np.dot(x, y))


@pytest.mark.parametrize("dtypes", [("int64", "int64"), ("float32", "float64")], ids=str)
def test_what_the_blas_does_not_have(dtypes: Any) -> None:
    x, y = np.ones((2, 3), dtypes[0]), np.ones((3, 2), dtypes[1])
    check(fortran.product(x, y), np.dot(x, y))
    check(fortran.products(x[None], y[None]), np.dot(x, y)[None])


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 2)), ((0, 3), (3,))], ids=str)
def test_nothing_to_multiply(shapes: Any) -> None:
    x, y = (np.ones(shape) for shape in shapes)
    check(fortran.product(x, y), np.dot(x, y))


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("rows", [3, 64, 130])
def test_with_the_transpose(rows: int, dtype: str) -> None:
    """A triangle of it is computed; the result is symmetric to the last bit."""
    x = values(dtype, rows, 5)
    for a in layouts(x):
        found = fortran.product(a, a.T)
        check(found, np.dot(x, x.T))
        np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("batches", [((2,), (2,)), ((2, 3), (3,)), ((1,), (4,)), ((0,), (0,))])
def test_stacks(batches: Any) -> None:
    x, y = values("float64", *batches[0], 4, 5), values("float64", *batches[1], 5, 3)
    check(fortran.products(x, y), np.matmul(x, y))
    turned = np.ascontiguousarray(np.swapaxes(y, -1, -2))
    check(fortran.products(x, np.swapaxes(turned, -1, -2)), np.matmul(x, y))


@pytest.mark.parametrize("n", [(140, 140, 140), (600, 1, 600), (96, 96, 1), (1, 96, 96)], ids=str)
def test_one_blas_takes_all_that_takes_threads(
    monkeypatch: pytest.MonkeyPatch, n: tuple[int, int, int]
) -> None:
    """Threads of one BLAS wait in the way of the other's, if both are called in turn."""
    monkeypatch.undo()
    rows, inner, columns = n
    x, y = values("float64", rows, inner), values("float64", inner, columns)
    z = np.dot(x, y)
    monkeypatch.setattr(fortran.np, "dot", None)
    check(fortran.product(x, y), z)
    check(fortran.products(x[None], y[None]), z[None])
    check(fortran.gemm(z.copy(), 1, x, y, 1, True), 2 * z)
    if columns == 1:
        check(fortran.gemv(z[:, 0], 1, x, y[:, 0], 1, False), 2 * z[:, 0])


def test_scipys_blas_is_loaded_by_itself() -> None:
    """Importing `scipy.linalg` takes longer than many programs run."""
    text = (
        "import sys, numpy as np; from relgraph.tensor import fortran;"
        "x = np.ones((200, 200)); assert (fortran.product(x, x) == 200).all();"
        "assert fortran.lapack().dpotrf(x)[1] > 0; assert 'scipy.linalg' not in sys.modules;"
        "import scipy.linalg; assert (scipy.linalg.blas.dgemm(1.0, x, x) == 200).all();"
        "assert (fortran.product(x, x) == 200).all()"
    )
    subprocess.run([sys.executable, "-c", text], check=True)


def test_without_the_modules_scipys_own_names_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fortran._extension("_no_such_module") is None
    monkeypatch.setattr(fortran, "_extension", lambda name: None)
    assert fortran.blas.__wrapped__() is scipy.linalg.blas
    assert fortran.lapack.__wrapped__() is scipy.linalg.lapack

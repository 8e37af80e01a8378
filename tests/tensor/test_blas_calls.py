"""Products of the BLAS that takes threads: as NumPy's, for layouts, dtypes and ranks."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from relgraph.tensor import blas_calls
from tests.tensor.blas_arrays import layouts, values

SHAPES = [((5, 7), (7, 3)), ((5, 7), (7,)), ((7,), (7, 3)), ((7,), (7,)), ((1, 1), (1, 4))]


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small products count as large ones."""
    monkeypatch.setattr(blas_calls, "MATRICES", 1)
    monkeypatch.setattr(blas_calls, "VECTORS", 1)


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
        check(blas_calls.product(a, b), np.dot(x, y))


@pytest.mark.parametrize("dtypes", [("int64", "int64"), ("float32", "float64")], ids=str)
def test_what_the_blas_does_not_have(dtypes: Any) -> None:
    x, y = np.ones((2, 3), dtypes[0]), np.ones((3, 2), dtypes[1])
    check(blas_calls.product(x, y), np.dot(x, y))
    check(blas_calls.products(x[None], y[None]), np.dot(x, y)[None])


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 2)), ((0, 3), (3,))], ids=str)
def test_nothing_to_multiply(shapes: Any) -> None:
    x, y = (np.ones(shape) for shape in shapes)
    check(blas_calls.product(x, y), np.dot(x, y))


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("rows", [3, 64, 130])
def test_with_the_transpose(rows: int, dtype: str) -> None:
    """A triangle of it is computed; the result is symmetric to the last bit."""
    x = values(dtype, rows, 5)
    for a in layouts(x):
        found = blas_calls.product(a, a.T)
        check(found, np.dot(x, x.T))
        np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("batches", [((2,), (2,)), ((2, 3), (3,)), ((1,), (4,)), ((0,), (0,))])
def test_stacks(batches: Any) -> None:
    x, y = values("float64", *batches[0], 4, 5), values("float64", *batches[1], 5, 3)
    check(blas_calls.products(x, y), np.matmul(x, y))
    turned = np.ascontiguousarray(np.swapaxes(y, -1, -2))
    check(blas_calls.products(x, np.swapaxes(turned, -1, -2)), np.matmul(x, y))


@pytest.mark.parametrize(
    ("rows", "inner", "columns", "taken"),
    [(141, 141, 141, "NumPy"), (300, 2, 300, "SciPy"), (200, 200, 200, "SciPy")],
)
def test_what_is_added_comes_from_where_the_product_does(
    monkeypatch: pytest.MonkeyPatch, rows: int, inner: int, columns: int, taken: str
) -> None:
    """Threads of one BLAS wait in the way of the other's, if both are called in turn."""
    monkeypatch.setattr(blas_calls, "MATRICES", 1 << 22)
    called = []
    blas = blas_calls._blas
    monkeypatch.setattr(blas_calls, "_blas", lambda *args: called.append(1) or blas(*args))
    x, y = values("float64", rows, inner), values("float64", inner, columns)
    z = values("float64", rows, columns)
    expected = z + np.dot(x, y)
    check(blas_calls.gemm(z, 1, x, y, 1, True), expected)
    assert (len(called) > 0) == (taken == "SciPy")


def test_a_vector_is_added_by_numpy_where_the_product_is_numpys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blas_calls, "VECTORS", 1 << 18)
    monkeypatch.setattr(blas_calls, "_blas", None)
    x, y = values("float64", 20_000, 5), values("float64", 5)
    z = values("float64", 20_000)
    check(blas_calls.gemv(z.copy(), 2, x, y, 1, True), z + 2 * np.dot(x, y))
    a, b = values("float64", 200), values("float64", 200)
    z = values("float64", 200, 200)
    check(blas_calls.ger(z.copy(), 2, a, b, True), z + 2 * np.multiply.outer(a, b))

"""Gradients against finite differences of the same functions of dense matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from tests.differences import differences

from .conftest import Matrices, as_dense, stored_places
from .test_functions import CASES, inputs_for, values_for

DIFFERENTIABLE = [name for name, case in CASES.items() if case.differentiable and "f" in case.kinds]

FULL = {
    *("full dot", "full dot sparse", "transpose", "tocsr", "tocsc", "add", "sub"),
    *("sum", "sum 0", "sum 1", "diagonal", "hstack", "vstack"),
    *("rows", "rows backwards", "columns", "block"),
    *("one element", "elements at pairs", "picked rows", "picked columns", "remove0"),
}
"""The functions whose gradient by the first sparse matrix is that by all elements; that of others
is that by the stored ones."""


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_gradient(name: str, fmt: str, matrices: Matrices) -> None:
    inputs = inputs_for("float64", fmt, "csc")
    values = values_for(matrices, (5, 4), "float64", fmt, "csc")
    case, dense = CASES[name], [as_dense(value) for value in values]
    out = case.graph(*inputs)
    expected_of = partial(case.of_arrays, stored_places(values[0]))
    weights = np.random.default_rng(1).normal(size=expected_of(*dense).shape)
    if isinstance(out.type, sparse.SparseTensorType):
        out = sparse.dense_from_sparse(out, structured_grad=False)
    cost = (out.real * weights).sum()
    gradients = relgraph.grad(cost, inputs, disconnected_inputs="ignore")
    assert all(g.type.in_same_class(v.type) for g, v in zip(gradients, inputs, strict=True))
    for mode in ("fast_compile", "fast_run"):
        found = relgraph.function(inputs, gradients, on_unused_input="ignore", mode=mode)(*values)
        for i, g in enumerate(found):
            expected = differences(lambda *v: (expected_of(*v).real * weights).sum(), dense, i)
            if (i == 0 and name not in FULL) or (i == 1 and name == "dot sparse"):
                expected = expected * stored_places(values[i])
            np.testing.assert_allclose(as_dense(g), expected, atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("structured", [True, False])
def test_meanings_of_sums_and_conversions(structured: bool, matrices: Matrices) -> None:
    """Both kinds of gradient of a sum and of a dense copy; of a stored one the same."""
    x, value = sparse.csr_matrix("x"), matrices.sparse((5, 4))
    d, v = matrices.dense((5, 4)), matrices.dense(4)
    costs = [
        (sparse.dense_from_sparse(x, structured_grad=structured) * d).sum(),
        (sparse.sp_sum(x, axis=0, sparse_grad=structured) * v).sum(),
    ]
    found = relgraph.function([x], [relgraph.grad(cost, x) for cost in costs])(value)
    places = stored_places(value) if structured else 1
    np.testing.assert_allclose(found[0].toarray(), d * places)
    np.testing.assert_allclose(found[1].toarray(), np.broadcast_to(v, (5, 4)) * places)
    assert (found[0].nnz == value.nnz) is structured


@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_complex_products(fmt: str, matrices: Matrices) -> None:
    """The gradients of products of complex matrices are those of the dense products."""
    x, y = sparse.matrix(fmt, "x", "complex128"), sparse.csr_zmatrix("y")
    a, b, d = at.zmatrix("a"), at.zmatrix("b"), at.zmatrix("d")
    values = [matrices.sparse((5, 4), "complex128", f) for f in (fmt, "csr")]
    values[1] = values[1].T.tocsr()
    other = matrices.dense((4, 5), "complex128")
    weights = matrices.dense((5, 5), "complex128")

    def cost(p: Any) -> Any:
        return (p * weights).sum().real

    ours = [cost(sparse.dot(x, d)), cost(sparse.dense_from_sparse(sparse.dot(x, y), False))]
    dense = [cost(a @ d), cost(a @ b)]
    found = [
        *relgraph.function([x, d], relgraph.grad(ours[0], [x, d]))(values[0], other),
        *relgraph.function([x, y], relgraph.grad(ours[1], [x, y]))(*values),
    ]
    full = [as_dense(value) for value in values]
    expected = [
        *relgraph.function([a, d], relgraph.grad(dense[0], [a, d]))(full[0], other),
        *relgraph.function([a, b], relgraph.grad(dense[1], [a, b]))(*full),
    ]
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(as_dense(one), two)


def test_elements_at_one_place_get_the_same_gradient() -> None:
    """What is stored twice at one place is added, and has the gradient of the sum twice."""
    data = at.dvector("data")
    x = sparse.CSR(data, [1, 1, 0], [0, 2, 3], (2, 2))
    cost = (x.toarray() * np.array([[1.0, 2.0], [3.0, 4.0]])).sum()
    f = relgraph.function([data], [x, relgraph.grad(cost, data)])
    matrix, g = f([5.0, 6.0, 7.0])
    np.testing.assert_array_equal(matrix.toarray(), [[0, 11], [7, 0]])
    np.testing.assert_array_equal(g, [2.0, 2.0, 3.0])


def test_rows_that_are_taken_twice(matrices: Matrices) -> None:
    x, value = sparse.csr_matrix("x"), matrices.sparse((5, 4))
    w = matrices.dense((3, 4))
    taken = sparse.dense_from_sparse(x[[0, -1, 0]], structured_grad=False)
    g = relgraph.function([x], relgraph.grad((taken * w).sum(), x))(value)
    expected = np.zeros((5, 4))
    expected[0], expected[4] = w[0] + w[2], w[1]
    np.testing.assert_allclose(g.toarray(), expected)


def test_second_derivative(matrices: Matrices) -> None:
    """A gradient by stored elements can be differentiated again."""
    x, v = sparse.csr_matrix("x"), at.dvector("v")
    g = relgraph.grad((sparse.structured_exp(x) @ v).sum(), x)
    second = relgraph.grad((g.data**2).sum(), v)
    value, w = matrices.sparse((5, 4)), matrices.dense(4)
    expected = 2 * w * (np.where(stored_places(value), np.exp(value.toarray()), 0) ** 2).sum(0)
    np.testing.assert_allclose(relgraph.function([x, v], second)(value, w), expected)


def test_integers_have_a_gradient_of_zeros(matrices: Matrices) -> None:
    x, v = sparse.csr_lmatrix("x"), at.dvector("v")
    g = relgraph.grad((x @ v).sum(), x)
    assert g.type.dtype == "float64"
    value = matrices.sparse((5, 4), "int64")
    found = relgraph.function([x, v], g, on_unused_input="ignore")(value, matrices.dense(4))
    assert found.shape == (5, 4) and not found.toarray().any()

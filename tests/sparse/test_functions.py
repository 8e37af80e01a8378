"""Every function of `relgraph.sparse` against NumPy on the same dense matrices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from tests.differences import differences

from .conftest import DTYPES, SHAPES, Matrices, as_dense, stored_places, unsorted

REFERENCE = relgraph.Mode(linker="py", optimizer="fast_run")
MODES = (None, "fast_compile", "fast_run", "strict", "unsafe", REFERENCE)


class Case(NamedTuple):
    """A function of two sparse matrices, a dense one, and two vectors.

    Attributes
    ----------
    graph
        Takes variables: x and y, sparse, and d, dense, of one shape (n, m); v and u of lengths m
        and n.
    expected
        Takes dense arrays in their place; None if it is called as `graph` is.
    kinds
        The kinds of dtypes for which it is defined.
    differentiable
        Whether it has a gradient.
    on_stored
        Whether the result is zero where the first matrix stores nothing.
    """

    graph: Callable[..., Any]
    expected: Callable[..., Any] | None = None
    kinds: str = "biufc"
    differentiable: bool = True
    on_stored: bool = False

    def of_arrays(self, stored: Any, *arrays: Any) -> Any:
        """Return what is expected of dense arrays, where a matrix stores elements at `stored`."""
        made = np.asarray((self.expected or self.graph)(*arrays))
        return np.where(stored, made, made.dtype.type(0)) if self.on_stored else made


def same(x: Any, *others: Any) -> Any:
    """Return the first array: another form of it has the same elements."""
    return x


CASES = {
    "dot vector": Case(lambda x, y, d, v, u: x @ v),
    "vector dot": Case(lambda x, y, d, v, u: u @ x),
    "dot dense": Case(lambda x, y, d, v, u: x @ d.T),
    "dense dot": Case(lambda x, y, d, v, u: d.T @ x),
    "dot sparse": Case(lambda x, y, d, v, u: x @ y.T),
    "full dot": Case(lambda x, y, d, v, u: sparse.dot(x, d.T), lambda x, y, d, v, u: x @ d.T),
    "full dot sparse": Case(
        lambda x, y, d, v, u: sparse.true_dot(x.T, y), lambda x, y, d, v, u: x.T @ y
    ),
    "sampling dot": Case(
        lambda x, y, d, v, u: sparse.sampling_dot(d, d.T @ d, x),
        lambda x, y, d, v, u: x * (d @ (d.T @ d).T),
        kinds="iufc",
    ),
    "transpose": Case(lambda x, y, d, v, u: x.T),
    "toarray": Case(lambda x, y, d, v, u: x.toarray(), same),
    "csr from dense": Case(lambda x, y, d, v, u: sparse.csr_from_dense(d), lambda x, y, d, v, u: d),
    "csc from dense": Case(lambda x, y, d, v, u: sparse.csc_from_dense(d), lambda x, y, d, v, u: d),
    "tocsr": Case(lambda x, y, d, v, u: x.tocsr(), same),
    "tocsc": Case(lambda x, y, d, v, u: x.tocsc(), same),
    "copy": Case(lambda x, y, d, v, u: x.copy(), same),
    "parts": Case(lambda x, y, d, v, u: sparse.CSR(*sparse.csm_properties(x.tocsr())), same),
    "parts of csc": Case(lambda x, y, d, v, u: sparse.CSC(*sparse.csm_properties(x.tocsc())), same),
    "add": Case(lambda x, y, d, v, u: x + y),
    "add dense": Case(lambda x, y, d, v, u: d + x),
    "sub": Case(lambda x, y, d, v, u: x - y, kinds="iufc"),
    "sub dense": Case(lambda x, y, d, v, u: d - x, kinds="iufc"),
    "mul": Case(lambda x, y, d, v, u: x * y),
    "mul dense": Case(lambda x, y, d, v, u: d * x),
    "mul row": Case(lambda x, y, d, v, u: x * v),
    "mul number": Case(lambda x, y, d, v, u: 2 * x),
    "row scale": Case(
        lambda x, y, d, v, u: sparse.row_scale(x, u), lambda x, y, d, v, u: x * u[:, None]
    ),
    "col scale": Case(lambda x, y, d, v, u: sparse.col_scale(x, v), lambda x, y, d, v, u: x * v),
    "div dense": Case(lambda x, y, d, v, u: x / d),
    "mul fraction": Case(lambda x, y, d, v, u: x * 0.5),
    "add number": Case(lambda x, y, d, v, u: 2 + x),
    "power": Case(lambda x, y, d, v, u: x**2, kinds="iufc"),
    "div number": Case(lambda x, y, d, v, u: x / 2),
    "neg": Case(lambda x, y, d, v, u: -x, kinds="iufc"),
    "abs": Case(lambda x, y, d, v, u: abs(x), differentiable=False),
    "sum": Case(lambda x, y, d, v, u: x.sum()),
    "sum 0": Case(lambda x, y, d, v, u: x.sum(axis=0)),
    "sum 1": Case(lambda x, y, d, v, u: x.sum(axis=-1)),
    "diagonal": Case(lambda x, y, d, v, u: x.diagonal()),
    "square diagonal": Case(
        lambda x, y, d, v, u: sparse.square_diagonal(v), lambda x, y, d, v, u: np.diag(v)
    ),
    "rows": Case(lambda x, y, d, v, u: x[1:3]),
    "rows backwards": Case(lambda x, y, d, v, u: x[::-2]),
    "columns": Case(lambda x, y, d, v, u: x[:, 1:]),
    "block": Case(lambda x, y, d, v, u: x[1:, :-1]),
    "one element": Case(lambda x, y, d, v, u: x[0, -1]),
    "elements at pairs": Case(lambda x, y, d, v, u: x[[0, -1, 0], [2, 1, 2]]),
    "picked rows": Case(lambda x, y, d, v, u: x[[2, 0, -1, 2]]),
    "picked columns": Case(lambda x, y, d, v, u: x[1:, [1, 0, -1]]),
    "remove0": Case(lambda x, y, d, v, u: sparse.remove0(x), same),
    "hstack": Case(
        lambda x, y, d, v, u: sparse.hstack([x, y, x]), lambda x, y, d, v, u: np.hstack([x, y, x])
    ),
    "vstack": Case(
        lambda x, y, d, v, u: sparse.vstack([x, y], format="csc"),
        lambda x, y, d, v, u: np.vstack([x, y]),
    ),
    "cast": Case(lambda x, y, d, v, u: x.astype("complex128")),
    "conj": Case(lambda x, y, d, v, u: x.conj(), kinds="iufc"),
    "sin": Case(lambda x, y, d, v, u: sparse.sin(x), lambda x, y, d, v, u: np.sin(x), "fc"),
    "exp": Case(
        lambda x, y, d, v, u: sparse.structured_exp(x),
        lambda x, y, d, v, u: np.exp(x),
        "fc",
        on_stored=True,
    ),
    "sigmoid of exp": Case(
        lambda x, y, d, v, u: sparse.structured_sigmoid(sparse.structured_exp(x)),
        lambda x, y, d, v, u: 1 / (1 + np.exp(-np.exp(x))),
        "f",
        on_stored=True,
    ),
    "maximum": Case(
        lambda x, y, d, v, u: sparse.structured_maximum(x, 0.5),
        lambda x, y, d, v, u: np.maximum(x, 0.5),
        "f",
        differentiable=False,
        on_stored=True,
    ),
    "pow": Case(lambda x, y, d, v, u: x**2, kinds="iufc"),
    "structured": Case(
        lambda x, y, d, v, u: sparse.structured(lambda a, b, c: a * b - c, x, d, y),
        lambda x, y, d, v, u: x * d - y,
        "iufc",
        on_stored=True,
    ),
    "ones like": Case(
        lambda x, y, d, v, u: sparse.sp_ones_like(x),
        lambda x, y, d, v, u: np.ones_like(x),
        on_stored=True,
    ),
    "shape": Case(lambda x, y, d, v, u: x.shape, differentiable=False),
    "size": Case(lambda x, y, d, v, u: x.size, differentiable=False),
    **{
        name: Case(
            lambda x, y, d, v, u, name=name: getattr(sparse, name)(x, y),
            lambda x, y, d, v, u, function=function: function(x, y),
            "biuf",
            differentiable=False,
        )
        for name, function in {
            "eq": np.equal,
            "neq": np.not_equal,
            "lt": np.less,
            "le": np.less_equal,
            "gt": np.greater,
            "ge": np.greater_equal,
        }.items()
    },
    "greater than dense": Case(lambda x, y, d, v, u: x > d, kinds="biuf", differentiable=False),
}

PICKED = {"one element", "elements at pairs", "picked rows", "picked columns"}
"""The functions that pick what a matrix of length 0 or 1 has not."""


def inputs_for(dtype: str, fmt: str, other: str = "csr") -> list[Any]:
    return [
        sparse.matrix(fmt, "x", dtype),
        sparse.matrix(other, "y", dtype),
        at.matrix("d", dtype),
        at.vector("v", dtype),
        at.vector("u", dtype),
    ]


def values_for(drawn: Matrices, shape: Any, dtype: str, fmt: str, other: str = "csr") -> list[Any]:
    n, m = shape
    sparse_ones = [drawn.sparse(shape, dtype, fmt), drawn.sparse(shape, dtype, other)]
    return [*sparse_ones, *[drawn.dense(s, dtype).astype(dtype) for s in (shape, m, n)]]


def check(case: Case, inputs: Any, values: Any, outputs: Any) -> None:
    """Compare results with what the case expects of dense arrays."""
    with np.errstate(all="ignore"):
        expected = case.of_arrays(stored_places(values[0]), *[as_dense(v) for v in values])
    for graph, found in outputs:
        assert sp.issparse(found) == isinstance(graph.type, sparse.SparseTensorType)
        assert found.dtype.name == graph.type.dtype == expected.dtype.name
        graph.type.filter(found, strict=True)
        assert as_dense(found).shape == expected.shape
        tolerance = 1e-5 if found.dtype.itemsize < 8 or found.dtype == "complex64" else 1e-12
        np.testing.assert_allclose(as_dense(found), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values(dtype: str, matrices: Matrices) -> None:
    """Every function, of each dtype, is what NumPy makes of the dense matrices."""
    names = [name for name, case in CASES.items() if np.dtype(dtype).kind in case.kinds]
    fmt = "csr" if len(dtype) % 2 else "csc"
    inputs = inputs_for(dtype, fmt)
    values = values_for(matrices, (5, 4), dtype, fmt)
    graphs = [CASES[name].graph(*inputs) for name in names]
    for name, graph, found in zip(
        names, graphs, evaluate(graphs, dict(zip(inputs, values, strict=True))), strict=True
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(CASES[name], inputs, values, [(graph, found)])


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_modes(mode: Any, fmt: str, matrices: Matrices) -> None:
    """Every mode computes them, on matrices of each shape; no value of the user's is changed."""
    names = [name for name, case in CASES.items() if "f" in case.kinds and name not in PICKED]
    inputs = inputs_for("float64", fmt)
    graphs = [CASES[name].graph(*inputs) for name in names]
    function = relgraph.function(inputs, graphs, mode=mode)
    for shape in SHAPES:
        values = values_for(matrices, shape, "float64", fmt)
        before = [as_dense(value).copy() for value in values]
        if shape == (5, 4):
            values[0] = unsorted(values[0])
        if shape == (1, 4):  # a matrix of SciPy's, not an array
            values[0] = getattr(sp, f"{fmt}_matrix")(values[0])
        parts = [values[0].data.copy(), values[0].indices.copy(), values[0].indptr.copy()]
        results = function(*values)
        for part, old in zip(
            (values[0].data, values[0].indices, values[0].indptr), parts, strict=True
        ):
            np.testing.assert_array_equal(part, old)
        values[0] = inputs[0].type.filter(values[0])
        for name, graph, found in zip(names, graphs, results, strict=True):
            check(CASES[name], inputs, values, [(graph, found)])
            if sp.issparse(found):
                found.data[...] = 7
            else:
                found[...] = 7
        for value, old in zip(values, before, strict=True):
            np.testing.assert_array_equal(as_dense(value), old)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "f" in case.kinds])
def test_inferred_shapes(name: str, matrices: Matrices) -> None:
    """The shape of a result is inferred, without its values where the op says how."""
    inputs = inputs_for("float64", "csr")
    values = values_for(matrices, (5, 4), "float64", "csr")
    graph = CASES[name].graph(*inputs)
    shape = relgraph.function(inputs, graph.shape, on_unused_input="ignore")(*values)
    dense = [as_dense(v) for v in values]
    assert tuple(shape) == CASES[name].of_arrays(stored_places(values[0]), *dense).shape


def test_products_with_float16_are_rounded_to_it() -> None:
    x, y = sparse.csr_matrix(dtype="int8"), at.matrix(dtype="float16")
    half, most = np.full((2, 2), 0.5, "float16"), np.full((2, 2), 65504, "float16")
    product = sparse.structured_dot(x, y)
    for of_y in (half, most):
        made = evaluate([product], {x: sp.csr_array(np.array([[2, 3], [0, 0]], "int8")), y: of_y})
        with np.errstate(over="ignore"):
            expected = np.array([[2, 3], [0, 0]], "float16") @ of_y
        assert made[0].dtype == "float16" and np.array_equal(made[0], expected)


# Gradients against finite differences of the same functions of dense matrices.


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

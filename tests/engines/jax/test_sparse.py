"""Every function of `relgraph.sparse` through the engine: the same elements at the same places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph import Mode, function, grad, shared
from relgraph.graph.reference import evaluate
from relgraph.sparse.op import Elements, FromPlaces, Indices, Majors
from relgraph.sparse.products import SampledProduct
from tests.sparse.conftest import Matrices
from tests.sparse.test_functions import CASES, PICKED, SHAPES, inputs_for, values_for

# In these every class of Ops occurs; the others by hand, as JAX compiles each of their nodes:
# ``python -m tests.engines.jax.test_sparse``
COMPARED = (
    *("dot vector", "dot sparse", "toarray", "tocsc", "csr from dense", "parts", "add", "sub"),
    *("mul dense", "mul", "sum 0", "rows", "remove0", "hstack", "eq"),
)


def assert_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if sp.issparse(found):
        assert found.format == expected.format and found.has_canonical_format
        for part in ("indices", "indptr"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
        found, expected = found.data, expected.data
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def compare(names: Sequence[str], dtype: str, fmt: str, shape: tuple[int, int]) -> None:
    inputs = inputs_for(dtype, fmt)
    values = values_for(Matrices(), shape, dtype, fmt)
    kind = np.dtype(dtype).kind
    chosen = [CASES[name] for name in names if kind in CASES[name].kinds]
    graphs = [case.graph(*inputs) for case in chosen]
    run = function(inputs, graphs, mode=Mode("jax", None), on_unused_input="ignore")
    expected = evaluate(graphs, dict(zip(inputs, values, strict=True)))
    for found, wanted in zip(run(*values), expected, strict=True):
        assert_same(found, wanted)


def test_functions() -> None:
    compare(COMPARED, "float64", "csr", (5, 4))


def test_places_and_sampled_products() -> None:
    data, rows, columns = at.dvector("data"), at.lvector("rows"), at.lvector("columns")
    x, d = sparse.matrix("csr", "x", "float64"), at.dmatrix("d")
    values: list[Any] = [np.array([1.0, 2.0, 3.0, -3.0]), [0, 2, 1, 1], [1, 0, 1, 1]]
    values += [Matrices().sparse((4, 3)), np.arange(12.0).reshape(4, 3)]
    outputs = [FromPlaces("csr")(data, rows, columns, 3, 2), Majors()(Indices("indptr")(x))]
    outputs += [SampledProduct()(x, d, d[:3]), Elements()(x, rows, columns)]
    inputs = [data, rows, columns, x, d]
    found = function(inputs, outputs, mode=Mode("jax", None))(*values)
    for a, b in zip(found, evaluate(outputs, dict(zip(inputs, values, strict=True))), strict=True):
        assert_same(a, b)


def test_products_are_compiled_and_matrices_shared() -> None:
    matrix = sp.random_array((6, 5), density=0.4, format="csr", rng=np.random.default_rng(0))
    x, (_, _, d, v, _) = shared(matrix, "x"), inputs_for("float64", "csr")
    outputs = [x @ v, x @ d.T, (x * 2.0).sum(axis=0), x.T, grad((x @ v).sum(), v)]
    values = [np.ones((3, 5)), np.arange(5.0)]
    run = function([d, v], outputs, mode="jax")
    for found, wanted in zip(run(*values), function([d, v], outputs)(*values), strict=True):
        assert_same(found, wanted)
    assert run._run.compiled
    step = function([], [], updates=[(x, x * 2.0)], mode="jax")
    step()
    assert_same(x.get_value(), matrix * 2.0)


if __name__ == "__main__":
    for dtype in ("float32", "complex64", "bool", "int8", "float64"):
        compare(list(CASES), dtype, "csc", (5, 4))
    for shape in SHAPES:
        compare([n for n in CASES if n not in PICKED], "float64", "csr", shape)

"""Sorting, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import grad, verify_grad
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.tensor.along_axes import ArgSort, Sort, argsort, sort

X = np.array([[3.0, np.nan, -1.0], [0.0, -0.0, 2.0], [1.0, 1.0, -np.inf]])


@pytest.mark.parametrize("axis", [-1, 0, 1, None])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_order(axis, dtype):
    values = np.nan_to_num(X, neginf=-9.0).astype(dtype) if dtype != "float64" else X
    x = at.TensorType(dtype, (None, None))("x")
    for ours, numpys in ((sort, np.sort), (argsort, np.argsort)):
        out = ours(x, axis)
        (found,) = evaluate([out], {x: values})
        expected = numpys(values, axis=axis, kind="stable")
        assert out.type.dtype == found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_types():
    x = at.TensorType("float32", (2, None))("x")
    assert sort(x, 0).type == x.type
    assert argsort(x).type == at.TensorType("int64", (2, None))
    assert str(Sort(1)) == "sort{axis=1}"
    assert str(argsort(x).owner.op) == "argsort{axis=1}"
    with pytest.raises(ValueError, match="axis 2"):
        sort(x, 2)


def test_shapes():
    x = at.dmatrix("x")
    node = sort(x, 0).owner
    fgraph = FunctionGraph([x], [node.outputs[0]], clone=False)
    assert node.op.infer_shape(fgraph, node, [(2, 3)]) == [(2, 3)]


@pytest.mark.parametrize("axis", [0, 1, 2, None])
def test_gradient(axis):
    point = np.random.default_rng(0).permutation(24).reshape(2, 3, 4) / 3.0
    verify_grad(lambda x: at.tanh(sort(x, axis)), [point], rng=np.random.default_rng(1))


def test_places_have_no_gradient():
    x = at.dvector("x")
    (g,) = evaluate([grad(at.sum(at.cast(ArgSort(0)(x), "float64")), x)], {x: X[1]})
    np.testing.assert_array_equal(g, np.zeros(3))

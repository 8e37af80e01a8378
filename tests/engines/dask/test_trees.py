"""What one tree makes of a long axis: softmaxes, least squares, singular values."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.dask import DaskLinker
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from tests.arrays import assert_close

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True, params=[True, False], ids=["passes", "no passes"])
def linker(request: Any) -> Any:
    with dask.config.set(scheduler="sync"):
        yield DaskLinker(compute=True, passes=request.param)


def test_softmaxes_of_values_that_are_not_finite(linker: DaskLinker) -> None:
    x = at.dtensor3("x")
    outputs = [at.softmax(x, None), at.softmax(x, (0, 2)), at.softmax(x, 2)]
    outputs += [at.log_softmax(x, 1), at.log_softmax(x, None)]
    f = function([x], outputs, mode=Mode(linker, None))
    for some in ([], [np.inf], [-np.inf], [np.nan], [1e308, -1e308], [np.inf, -np.inf]):
        value = RNG.normal(size=(4, 5, 6)) * 30
        value[:2, :, 3:] = -np.inf if some else 2000.0
        for number in some:
            value[RNG.random(value.shape) < 0.05] = number
        found = f(da.from_array(value, chunks=(2, 2, 3)))
        assert_close(found, evaluate(outputs, {x: value}), rtol=1e-13, atol=1e-14)


def test_least_squares_and_singular_values(linker: DaskLinker) -> None:
    a, b, several = at.dmatrix("a"), at.dvector("b"), at.dmatrix("several")
    outputs = [*linalg.lstsq(a, b), *linalg.lstsq(a, several), linalg.svd(a, compute_uv=False)]
    f = function([a, b, several], outputs, mode=Mode(linker))
    tall = RNG.normal(size=(50, 4))
    dependent = np.column_stack([tall[:, :3], tall[:, 0] - tall[:, 1]])
    sides = [RNG.normal(size=50), da.from_array(RNG.normal(size=(50, 3)), chunks=(20, 2))]
    values = [np.asarray(side) for side in sides]
    for matrix in (tall, tall * [1, 1e-3, 1, 1], dependent, tall[:, :1]):
        expected = evaluate(outputs, dict(zip([a, b, several], [matrix, *values], strict=True)))
        for chunks in ((7, 2), (3, 4)):
            found = f(da.from_array(matrix, chunks=chunks), *sides)
            for one, other in zip(found, expected, strict=True):
                assert one.shape == other.shape and one.dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_sums_by_groups(linker: DaskLinker) -> None:
    groups, of_rows, x, v = (
        at.lvector("groups"),
        at.dmatrix("of_rows"),
        at.dmatrix("x"),
        at.dvector("v"),
    )
    table = at.dmatrix("table")
    looked_up = (table[groups] ** 2 * x).sum()
    outputs = [
        at.inc_subtensor(at.zeros(5)[groups], v),
        at.inc_subtensor(of_rows[groups], x),
        at.inc_subtensor(v[groups], 1.0),
        relgraph.grad(looked_up, table),
    ]
    variables = [groups, of_rows, x, v, table]
    values = [RNG.integers(-5, 5, 40), *(RNG.normal(size=s) for s in ((5, 3), (40, 3), 40, (5, 3)))]
    expected = function(variables, outputs)(*values)
    f = function(variables, outputs, mode=Mode(linker))
    for rows, columns in ((7, 2), (40, 1)):
        cut = [da.from_array(values[0], chunks=9), values[1]]
        cut += [
            da.from_array(values[2], chunks=(rows, columns)),
            da.from_array(values[3], chunks=11),
        ]
        assert_close(f(*cut, values[4]), expected, rtol=1e-12)

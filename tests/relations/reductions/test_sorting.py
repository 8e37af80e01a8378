"""Each law about sorting at work."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relations.reductions import extremes
from relgraph.tensor.along_axes import argsort, sort
from tests.relations.applied import laws_of
from tests.relations.tables import check_row, check_unchanged

LAWS = laws_of(extremes)
x = at.dmatrix("x")
v = at.dvector("v")
row = at.drow("row")

TABLE = [
    ("sort-twice", sort(sort(x, 0), 0), sort(x, 0)),
    ("sort-one", sort(row, 0), row),
    ("sort-by-argsort", v[argsort(v)], sort(v)),
    ("reduce-of-sort", at.sum(sort(x), axis=1), at.sum(x, axis=1)),
    ("reduce-of-sort", at.max(sort(x, 0)), at.max(x)),
    ("greatest-of-sort", sort(x, 0)[-1], at.max(x, axis=0)),
    ("greatest-of-sorted-vector", sort(v)[-1], at.max(v)),
]


@pytest.mark.parametrize(("name", "before", "after"), TABLE, ids=[row[0] for row in TABLE])
def test_a_law_at_work(name, before, after):
    check_row(LAWS[name], before, after)


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("sort-twice", sort(sort(x, 0), 1)),
        ("sort-one", sort(row, 1)),
        ("sort-by-argsort", v[argsort(v * 2)]),
        ("reduce-of-sort", at.sum(sort(x), axis=0)),
        ("greatest-of-sort", sort(x, 1)[-1]),
    ],
)
def test_what_a_law_leaves_alone(name, graph):
    check_unchanged(LAWS[name], graph)

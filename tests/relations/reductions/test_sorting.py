"""Each law about sorting at work."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.tensor.along_axes import argsort, sort

x = at.dmatrix("x")
v = at.dvector("v")
row = at.drow("row")

TABLE = [
    ("sort-twice", sort(sort(x, 0), 0), sort(x, 0)),
    ("sort-one", sort(row, 0), row),
    ("reduce-of-sort", at.sum(sort(x), axis=1), at.sum(x, axis=1)),
    ("reduce-of-sort", at.max(sort(x, 0)), at.max(x)),
]


LEFT_ALONE = [
    ("sort-twice", sort(sort(x, 0), 1)),
    ("sort-one", sort(row, 1)),
    ("sort-by-argsort", v[argsort(v * 2)]),
    ("reduce-of-sort", at.sum(sort(x), axis=0)),
    ("greatest-of-sort", sort(x, 1)[-1]),
]

"""Each law about running totals at work."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at

x = at.dmatrix("x")
z = at.zmatrix("z")
v = at.dvector("v")
i, n = at.lscalar("i"), at.lscalar("n")
row = at.drow("row")
small = at.TensorType("int8", (1,))("small")

TABLE = [
    ("cumulate-one", at.cumsum(row, axis=0), row),
    ("cumulate-one", at.cumprod(small), at.cast(small, "int64")),
    (
        "cumsum-of-zeros",
        at.cumsum(at.zeros((n, 2)), axis=0),
        "alloc(0.0, len(alloc(0.0, n, 2)), 2)",
    ),
    ("cumprod-of-ones", at.cumprod(at.ones((5,))), "1.0"),
    ("last-of-cumulate", at.cumsum(x, axis=1)[:, -1], at.sum(x, axis=1)),
    ("last-of-cumulate", at.cumprod(v)[-1], at.prod(v)),
    ("prefix-of-cumulate", at.cumsum(v, axis=0)[:2], at.cumsum(v[:2], axis=0)),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[i, :n], at.cumsum(x[i, :n], axis=0)),
    ("prefix-of-cumulate", at.cumprod(x, axis=1)[:, :2], at.cumprod(x[:, :2], axis=1)),
    ("prefix-of-cumulate", at.cumsum(z, axis=0)[:2], at.cumsum(z[:2], axis=0)),
]


LEFT_ALONE = [
    ("cumulate-one", at.cumsum(row, axis=1)),
    ("cumprod-of-ones", at.cumprod(np.full(3, complex(1.0, -0.0)))),  # no one: 1-0j
    ("last-of-cumulate", at.cumsum(x, axis=1)[-1]),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[:, 1:]),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[:, i]),
    # a single product is rounded in another way than several
    ("prefix-of-cumulate", at.cumprod(z, axis=1)[:, :2]),
    ("prefix-of-cumulate", at.cumprod(z, axis=1)[i, :n]),
    ("differences-of-cumsum", at.cumsum(v)[2:] - at.cumsum(v)[:-2]),
]

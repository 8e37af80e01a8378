"""Each law about axes, and about tensors side by side, at work."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.tensor.assembly import Join, Split
from relgraph.tensor.shapes import MakeVector, Shape_i

x, y, z = at.dmatrix("x"), at.dmatrix("y"), at.dmatrix("z")
t = at.dtensor3("t")
v, w = at.dvector("v"), at.dvector("w")
row = at.drow("row")
once = at.exp(x)
c = at.dscalar("c")
m, n = at.lscalar("m"), at.lscalar("n")
six = at.TensorType("float64", (6, None))("six")
sizes = at.TensorType("int64", (2,))("sizes")
none = at.TensorType("float64", (0, None))("none")

fixed = [at.TensorType("float64", (k, None))(f"p{k}") for k in (1, 2, 3, 4)]

free = [at.dmatrix(f"q{k}") for k in range(4)]
join = at.join


def own_lengths(parts):
    return MakeVector("int64")(*[Shape_i(0)(p) for p in parts])


def pieces_of(count):
    """Return the rows of the table for what is in `count` pieces."""
    sizes = (*[1] * (count - 1), 7 - count)
    parts = at.split(six, sizes, axis=0)
    yield "join-of-split", join(0, *parts), six
    for i in range(count):
        given = free[:count]
        yield (
            "split-of-join",
            Split(count, 0)(join(0, *given), own_lengths(given), return_list=True)[i],
            given[i],
        )
        known = fixed[:count]
        lengths = tuple(range(1, count + 1))
        yield "split-of-join", at.split(join(0, *known), lengths)[i], known[i]


TABLE = [
    (
        "dimshuffle-of-dimshuffle",
        t.dimshuffle(2, 0, 1).dimshuffle(1, "x", 0, 2),
        t.dimshuffle(0, "x", 2, 1),
    ),
    ("dimshuffle-of-dimshuffle", v.dimshuffle(0, "x").dimshuffle(0), v.dimshuffle(0)),
    ("dimshuffle-of-dimshuffle", x.T.T, x.dimshuffle(0, 1)),
    ("dimshuffles-cancel", v.dimshuffle(0, "x").dimshuffle(0), v),
    ("dimshuffles-cancel", x.T.T, x),
    ("dimshuffle-unneeded", x.dimshuffle(0, 1), x),
    ("dimshuffle-unneeded", row.dimshuffle("x", 1), row),
    ("dimshuffle-of-elemwise", at.exp(x).T, at.exp(x.T)),
    ("dimshuffle-of-few-ops", at.exp(x).T, at.exp(x.T)),
    ("dimshuffle-of-few-ops", at.exp(x + y).T, at.exp(x.T + y.T)),
    (
        "dimshuffle-of-elemwise",
        (v + at.tanh(w)).dimshuffle("x", 0),
        v.dimshuffle("x", 0) + at.tanh(w.dimshuffle("x", 0)),
    ),
    (
        "dimshuffle-of-elemwise",
        at.switch(at.gt(x, row), x, y).T,
        at.switch(at.gt(x.T, row.T), x.T, y.T),
    ),
    ("dimshuffle-of-elemwise", at.add(x, y, x).T, at.add(x.T, y.T, x.T)),
    ("dimshuffle-of-elemwise", at.cast(x, "float32").T, at.cast(x.T, "float32")),
    ("join-of-dimshuffles", at.join(1, x.T, y.T), at.join(0, x, y).T),
    (
        "join-of-dimshuffles",
        at.join(0, v.dimshuffle(0, "x"), w.dimshuffle(0, "x"), v.dimshuffle(0, "x")),
        at.join(0, v, w, v).dimshuffle(0, "x"),
    ),
    ("join-of-one", Join(0)(x), x),
    ("join-of-joins", join(0, join(0, x, y), z), join(0, x, y, z)),
    ("join-of-joins", join(1, x, join(1, y, z), x), join(1, x, y, z, x)),
    ("join-of-joins", join(0, x, y, join(0, z, x)), join(0, x, y, z, x)),
    ("join-with-nothing", join(0, none, x, y), join(0, x, y)),
    ("join-of-neighbours", join(0, v[:2], v[2:]), "join(v, axis=0)"),
    ("join-of-neighbours", join(0, v[1:2], v[2:]), "join(v[1:], axis=0)"),
    ("join-of-neighbours", join(1, x[:, :-1], x[:, -1:], y), "join(x, y, axis=1)"),
    ("join-of-halves", join(0, v[:n], v[n:]), v),
    ("split-of-one", at.split(six, [6])[0], six),
    *[row for count in (2, 3, 4) for row in pieces_of(count)],
    ("join-of-split", join(1, *at.split(x, sizes, n_splits=2, axis=1)), x),
    ("join-of-allocs", join(0, at.alloc(c, m), at.alloc(c, n), v), join(0, at.alloc(c, m + n), v)),
    ("alloc-of-alloc", at.alloc(at.alloc(c, n), m, n), at.alloc(c, m, n)),
]

LEFT_ALONE = [
    ("dimshuffle-unneeded", x.T),
    ("dimshuffles-cancel", x.T.dimshuffle(0, "x", 1)),
    ("dimshuffle-of-elemwise", at.sum(t, axis=0).T),
    ("join-of-dimshuffles", at.join(1, x.T, y)),
    ("join-of-dimshuffles", at.join(1, v.dimshuffle(0, "x"), w.dimshuffle(0, "x"))),
    ("join-of-dimshuffles", at.join(0, t.dimshuffle(0, 2, 1), t.dimshuffle(2, 1, 0))),
    ("dimshuffle-of-elemwise", once.T, once),
    ("dimshuffle-of-few-ops", once.T, once),
    # it has far to go, and waits for the rest
    ("dimshuffle-of-few-ops", at.exp(at.sin(at.tanh(at.exp(x)))).T),
    ("join-of-one", join(0, x, y)),
    ("join-of-joins", join(0, join(1, x, y), z)),
    ("join-of-neighbours", join(0, v[:2], v[3:])),
    ("join-of-neighbours", join(0, v[:2], w[2:])),
    ("join-of-neighbours", join(0, v[2:], v[:2])),
    ("join-of-neighbours", join(0, v[1:-1], v[-1:])),
    ("join-of-halves", join(0, v[:n], v[m:])),
    ("join-with-nothing", join(0, none, none)),
    ("join-of-split", join(1, *at.split(x, (1, 1)))),
    ("join-of-split", join(0, *reversed(at.split(x, (1, 2))))),
    ("split-of-join", at.split(join(0, *fixed[:2]), (2, 1))[0]),
    ("join-of-allocs", join(0, at.alloc(c, m), at.alloc(1.0, n))),
]

"""Each law about the order of axes at work."""

from __future__ import annotations

import relgraph.tensor as at

x, y = at.dmatrix("x"), at.dmatrix("y")
t = at.dtensor3("t")
v, w = at.dvector("v"), at.dvector("w")
row = at.drow("row")

once = at.exp(x)

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
]

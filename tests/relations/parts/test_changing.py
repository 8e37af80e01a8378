"""Each law about tensors with a part changed at work."""

from __future__ import annotations

import relgraph.tensor as at

x = at.dmatrix("x")
v, w = at.dvector("v"), at.dvector("w")
i, j = at.lscalar("i"), at.lscalar("j")
k = at.lvector("k")
six = at.TensorType("float64", (6,))("six")
small = at.TensorType("int8", (None,))("small")


def put(part, value):
    return at.set_subtensor(part, value)


def raised(part, value):
    return at.inc_subtensor(part, value)


TABLE = [
    ("set-own-part", put(x[i], x[i]), x),
    ("set-own-part-by-array", put(x[k], x[k]), x),
    ("set-after-change", put(put(x[i], v)[i], w), put(x[i], w)),
    ("set-after-change", put(raised(x[:, 1], v)[:, 1], w), put(x[:, 1], w)),
    ("set-after-change-by-array", put(put(x[k], v)[k], w), put(x[k], w)),
    ("inc-twice", raised(raised(x[i], v)[i], w), raised(x[i], v + w)),
    (
        "inc-twice-by-array",
        raised(raised(v[k], 2.0)[k], w),
        "inc_subtensor(v[k], 2.0 + w)",
    ),
    ("inc-by-zero", raised(x[i], 0.0), x),
    ("inc-by-zero-by-array", raised(v[k], 0.0), v),
    ("inc-after-set", raised(put(x[i], v)[i], w), put(x[i], v + w)),
    ("set-everything", put(six[:6], 2.0), "2.0"),
    ("set-everything", put(v[0:], w), w),
    ("inc-everything", raised(v[0:], w), v + w),
    ("inc-of-zeros", raised(at.zeros((3, 3))[i], v), put(at.zeros((3, 3))[i], v)),
]


LEFT_ALONE = [
    ("set-own-part", put(x[i], x[j])),
    ("set-after-change", put(put(x[i], v)[j], w)),
    # a position that is named twice is raised twice
    ("inc-after-set", raised(put(v[k], 1.0)[k], w)),
    ("inc-twice", raised(raised(v[i:], small[i:])[i:], small[i:])),
    ("inc-by-zero", put(x[i], 0.0)),
    ("set-everything", put(v[:6], 2.0)),
    ("inc-of-zeros", raised(x[i], v)),
]

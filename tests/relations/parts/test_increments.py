"""What each law about increments does to an expression."""

from __future__ import annotations

from typing import Any

import relgraph.tensor as at

v, w, x = at.dvector("v"), at.dvector("w"), at.dmatrix("x")
i, j, s = at.lscalar("i"), at.lscalar("j"), at.dscalar("s")
places, others = at.constant([0, 0, 2]), at.constant([1, 1, 0])
zeros = at.second(v, 0.0)
bumped = at.inc_subtensor(v[:2], s)


def incremented(count: int) -> Any:
    """Two increments of the first elements, with a number of others between."""
    out = at.inc_subtensor(v[:2], s)
    for k in range(count):
        out = at.inc_subtensor(out[k + 1 :], s)
    return at.inc_subtensor(out[:2], w[:2])


def at_once(count: int) -> str:
    """The same, as it is written after the law."""
    first = "inc_subtensor(v[:2], s + w[:2])"
    for k in range(count):
        first = f"inc_subtensor({first}[{k + 1}:], s)"
    return first


TABLE = [
    *(("inc-past", incremented(count), at_once(count)) for count in range(1, 6)),
    ("inc-serialize", at.inc_subtensor(v[:2], s) + w, "inc_subtensor((v + w)[:2], s)"),
    (
        "inc-serialize",
        at.add(w, at.inc_subtensor(v[:2], s), w),
        "inc_subtensor((v + w + w)[:2], s)",
    ),
    (
        "inc-serialize",
        at.add(
            at.inc_subtensor(v[:2], s), at.inc_subtensor(w[i:], s), at.set_subtensor(zeros[:1], s)
        ),
        "inc_subtensor(inc_subtensor(inc_subtensor((v + w)[:1], s)[i:], s)[:2], s)",
    ),
    (
        "inc-serialize",
        at.set_subtensor(zeros[:2], s) + at.set_subtensor(zeros[1:], s),
        "inc_subtensor(set_subtensor(second(v, 0.0)[1:], s)[:2], s)",
    ),
    ("inc-serialize", at.inc_subtensor(v[i:], s) + w, "inc_subtensor((v + w)[i:], s)"),
    (
        "inc-serialize",
        at.inc_subtensor(x[i, j], s) + v,
        "inc_subtensor((x + v)[i, j], s)",
    ),
    ("inc-serialize", at.set_subtensor(zeros[:2], s) + w, "inc_subtensor(w[:2], s)"),
    (
        "inc-serialize",
        at.add(w, bumped, bumped),
        "inc_subtensor(inc_subtensor((v + w + v)[:2], s)[:2], s)",
    ),
    ("inc-serialize", at.set_subtensor(zeros[i:], s) + w, "inc_subtensor(w[i:], s)"),
    (
        "inc-serialize",
        at.inc_subtensor(v[places], s) + w,
        "inc_subtensor((v + w)[[0 0 2]], s)",
    ),
    (
        "inc-serialize",
        at.inc_subtensor(x[places, others], s) + v,
        "inc_subtensor((x + v)[[0 0 2], [1 1 0]], s)",
    ),
]

row = at.row("row")
LEFT_ALONE = [
    ("inc-serialize", at.inc_subtensor(row[:, :2], s) + x),  # the sum has more rows
    ("inc-serialize", at.set_subtensor(v[:2], s) + w),
    ("inc-serialize", at.inc_subtensor(at.fvector("f")[:2], 1) + w),  # added up as float32
    ("inc-serialize", at.set_subtensor(v[:2], s) + w),
    ("inc-serialize", at.set_subtensor(at.second(x, 0.0)[:2], s) + row),
]

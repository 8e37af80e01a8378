"""Each law about parts of tensors, and tensors with a part changed, at work."""

from __future__ import annotations

from typing import Any

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import LAWS

x, y, t = at.dmatrix("x"), at.dmatrix("y"), at.dtensor3("t")
v, w, k = at.dvector("v"), at.dvector("w"), at.lvector("k")
c, s = at.dscalar("c"), at.dscalar("s")
i, j, n = at.lscalar("i"), at.lscalar("j"), at.lscalar("n")
row, col, small = at.drow("row"), at.dcol("col"), at.tensor("int8", (None,), "small")
six, three = at.tensor("float64", (6,), "six"), at.tensor("float64", (3,), "three")
zero, one, blanks = (at.constant(a) for a in (np.zeros(1), np.ones(1), np.zeros((3, 2))))
ended, beside = at.join(0, zero, three, one), at.join(1, blanks, col)
once, product, total = at.exp(x), at.dot(x, y), at.sum(t, axis=0)
put, raised = at.set_subtensor, at.inc_subtensor
places, others = at.constant([0, 0, 2]), at.constant([1, 1, 0])
blank, bumped = at.second(v, 0.0), at.inc_subtensor(v[:2], s)


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
    """
    subtensor-of-subtensor: v[1:][1] → v[2]
    subtensor-of-subtensor: v[1:-1][1:] → v[2:-1]
    subtensor-of-subtensor: v[1:][:-1] → v[1:-1]
    subtensor-of-subtensor: v[:-1][:-1] → v[:-2]
    subtensor-of-subtensor: v[1:9:2][1:2] → v[3:5:2]
    subtensor-of-subtensor: v[::-1][0] → v[-1]
    subtensor-of-subtensor: six[::2][::-1] → six[4::-2]
    subtensor-of-subtensor: six[4:][:-3] → six[0:0]
    subtensor-of-subtensor: x[i][j] → x[i, j]
    subtensor-of-subtensor: t[:, i][1:, j] → t[1:, i, j]
    subtensor-of-subtensor: t[:, :n][i] → t[i, :n]
    subtensor-of-subtensor: v[::-1][::-1] → v
    subtensor-unneeded: six[0:6] → six
    diagonal-of-elemwise: diag(exp(x)) → exp(diag(x))
    diagonal-of-elemwise: diag(x - y, 1) → diag(x, 1) - diag(y, 1)
    diagonal-of-elemwise: diag(2.0 * x)
    subtensor-of-elemwise: exp(x)[i] → exp(x[i])
    subtensor-of-elemwise: (x * y)[1:, ::2] → x[1:, ::2] * y[1:, ::2]
    subtensor-of-elemwise: (x + row)[i, 1:] → x[i, 1:] + row[0, 1:]
    subtensor-of-elemwise: (x + v)[:2] → x[:2] + v.dimshuffle("x", 0)
    subtensor-of-elemwise: switch(gt(v, w), v, w)[:n] → switch(gt(v[:n], w[:n]), v[:n], w[:n])
    subtensor-of-elemwise: add(x, col, y)[:, j] → add(x[:, j], col[:, 0], y[:, j])
    subtensor-of-elemwise: second(x, c)[0] → second(x[0], c.dimshuffle("x", "x")[0])
    op-of-reversed: exp(x[::-1]) → exp(x)[::-1]
    op-of-reversed: x[::-1] - y[::-1] → (x - y)[::-1]
    op-of-reversed: v[::-1] - 2 → (v - 2)[::-1]
    op-of-reversed: 2 - v[::-1] → (2 - v)[::-1]
    op-of-reversed: row / x[::-1] → (row / x)[::-1]
    op-of-reversed: add(x[::-1], row, y[::-1]) → add(x, row, y)[::-1]
    subtensor-of-dimshuffle: x.T[i] → x[:, i].dimshuffle(0)
    subtensor-of-dimshuffle: t.dimshuffle(2, 0, 1)[1:, j] → t[j, :, 1:].dimshuffle(1, 0)
    subtensor-of-dimshuffle: v.dimshuffle("x", 0)[0, 1:] → v[1:].dimshuffle(0)
    subtensor-of-dot: dot(x, y)[i] → dot(x[i], y)
    subtensor-of-dot: dot(x, y)[1:, j] → dot(x[1:], y[:, j])
    subtensor-of-dot: dot(x, v)[:2] → dot(x[:2], v)
    subtensor-of-dot: dot(v, x)[j] → dot(v, x[:, j])
    subtensor-of-reduce: sum(x, axis=1)[i] → sum(x[i])
    subtensor-of-reduce: max(t, axis=1)[:, 1:] → max(t[:, :, 1:], axis=1)
    subtensor-of-alloc: alloc(c, n, 3)[:, 1] → alloc(c, n)
    subtensor-of-alloc: alloc(three, 4, 3)[1:3, 2] → alloc(three[2], 2)
    subtensor-of-alloc: zeros((n,))[2:] → alloc(0.0, maximum(n - 2, 0))
    subtensor-of-join: join(0, six, v)[2] → six[2]
    subtensor-of-join: join(0, v, six)[-1] → six[-1]
    subtensor-of-join: join(0, six, three)[6:] → three[:3]
    subtensor-of-join: join(0, three, v)[3:] → v
    subtensor-of-join: join(0, three, v)[5] → v[2]
    subtensor-of-join: join(0, v, three)[1:-3] → v[1:]
    subtensor-of-join: join(0, six.dimshuffle(0, "x"), col)[1:3, 0] → six.dimshuffle(0, "x")[1:3, 0]
    subtensor-of-set-subtensor: put(x[i], v)[i] → v
    subtensor-of-set-subtensor: put(six[1:3], 2.0)[1:3] → 2.0
    subtensor-of-inc-subtensor: inc_subtensor(x[:, 1], v)[:, 1] → x[:, 1] + v
    subtensor-of-change-elsewhere: put(x[0], v)[1] → x[1]
    subtensor-of-change-elsewhere: inc_subtensor(six[::2], 1.0)[1] → six[1]
    take-all: x[arange(shape_i(x, 0))] → x
    take-run: six[np.array([4, 2, 0])] → six[4::-2]
    row-of-taken: x[k][i, 1:] → x[k[i], 1:]
    row-of-taken: v[k][0] → v[k[0]]
    slice-of-taken: x[k][1:] → x[k[1:]]
    steps-of-join: ended[1:] - ended[:-1]
        → join(0, three[:1] - zero, three[1:] - three[:-1], one - three[-1:])
    steps-of-join: beside[:, 1:] - beside[:, :-1]
        → join(1, blanks[:, 1:] - blanks[:, :-1], col - blanks[:, -1:])
    set-own-part: put(x[i], x[i]) → x
    set-own-part-by-array: put(x[k], x[k]) → x
    set-after-change: put(put(x[i], v)[i], w) → put(x[i], w)
    set-after-change: put(raised(x[:, 1], v)[:, 1], w) → put(x[:, 1], w)
    set-after-change-by-array: put(put(x[k], v)[k], w) → put(x[k], w)
    inc-twice: raised(raised(x[i], v)[i], w) → raised(x[i], v + w)
    inc-twice-by-array: raised(raised(v[k], 2.0)[k], w) → inc_subtensor(v[k], 2.0 + w)
    inc-by-zero: raised(x[i], 0.0) → x
    inc-by-zero-by-array: raised(v[k], 0.0) → v
    inc-after-set: raised(put(x[i], v)[i], w) → put(x[i], v + w)
    set-everything: put(six[:6], 2.0) → 2.0
    set-everything: put(v[0:], w) → w
    inc-everything: raised(v[0:], w) → v + w
    inc-of-zeros: raised(zeros((3, 3))[i], v) → put(zeros((3, 3))[i], v)
    inc-serialize: inc_subtensor(v[:2], s) + w → inc_subtensor((v + w)[:2], s)
    inc-serialize: add(w, inc_subtensor(v[:2], s), w) → inc_subtensor((v + w + w)[:2], s)
    inc-serialize:
        add(inc_subtensor(v[:2], s), inc_subtensor(w[i:], s), set_subtensor(blank[:1], s) )
        → inc_subtensor(inc_subtensor(inc_subtensor((v + w)[:1], s)[i:], s)[:2], s)
    inc-serialize: set_subtensor(blank[:2], s) + set_subtensor(blank[1:], s)
        → inc_subtensor(set_subtensor(second(v, 0.0)[1:], s)[:2], s)
    inc-serialize: inc_subtensor(v[i:], s) + w → inc_subtensor((v + w)[i:], s)
    inc-serialize: inc_subtensor(x[i, j], s) + v → inc_subtensor((x + v)[i, j], s)
    inc-serialize: set_subtensor(blank[:2], s) + w → inc_subtensor(w[:2], s)
    inc-serialize: add(w, bumped, bumped) → inc_subtensor(inc_subtensor((v + w + v)[:2], s)[:2], s)
    inc-serialize: set_subtensor(blank[i:], s) + w → inc_subtensor(w[i:], s)
    inc-serialize: inc_subtensor(v[places], s) + w → inc_subtensor((v + w)[[0 0 2]], s)
    inc-serialize: inc_subtensor(x[places, others], s) + v
        → inc_subtensor((x + v)[[0 0 2], [1 1 0]], s)
    """,
    *(("inc-past", incremented(count), at_once(count)) for count in range(1, 6)),
]

LEFT_ALONE = [
    """
    subtensor-of-subtensor: v[:3][-1]
    subtensor-of-subtensor: v[2:4][3]
    subtensor-of-subtensor: v[-3:][0]
    subtensor-of-subtensor: v[i:][j]
    subtensor-unneeded: v[:6]
    # all rows of the sum are one if those of v are, but then v[:1] would broadcast
    subtensor-of-elemwise: (three + v)[:1]
    # a reversed operand is slow to read
    subtensor-of-elemwise: exp(v)[::-1]
    subtensor-of-elemwise: exp(v)[5::-1]
    op-of-reversed: v[::-1] + w
    op-of-reversed: x[::-1] * y[:, ::-1]
    op-of-reversed: exp(v[::-2])
    subtensor-of-dimshuffle: v.dimshuffle("x", 0)[i]
    subtensor-of-alloc: alloc(c, n)[2]
    subtensor-of-join: join(0, v, six)[2]
    subtensor-of-join: join(0, six, three)[4:8]
    # v may be empty
    subtensor-of-join: join(0, three, v)[-1]
    subtensor-of-join: join(0, three, v)[2:]
    subtensor-of-join: join(0, six, three)[i]
    subtensor-of-set-subtensor: put(x[i], v)[j]
    subtensor-of-change-elsewhere: put(x[0], v)[-1]
    subtensor-of-change-elsewhere: put(x[i], v)[0]
    take-run: v[np.array([0, 1])]
    take-run: six[np.array([0, 1, 3])]
    take-all: x[arange(y.shape[0])]
    take-all: x[arange(shape_i(x, 0), dtype="int8")]  # of more than 128 rows these wrap around
    row-of-taken: x[gt(v, 0)][0]
    slice-of-taken: x[k][1:, 0]
    steps-of-join: ended[:-1] - ended[1:]
    steps-of-join: ended[2:] - ended[:-2]
    # a number is in none of the pieces
    steps-of-join: join(0, six, three)[1:] - join(0, six, three)[:-1]
    steps-of-join: join(0, zero, v)[1:] - join(0, zero, v)[:-1]  # v may be empty
    set-own-part: put(x[i], x[j])
    set-after-change: put(put(x[i], v)[j], w)
    inc-after-set: raised(put(v[k], 1.0)[k], w)  # a position that is named twice is raised twice
    inc-twice: raised(raised(v[i:], small[i:])[i:], small[i:])
    inc-by-zero: put(x[i], 0.0)
    set-everything: put(v[:6], 2.0)
    inc-of-zeros: raised(x[i], v)
    inc-serialize: inc_subtensor(row[:, :2], s) + x  # the sum has more rows
    inc-serialize: inc_subtensor(fvector("f")[:2], 1) + w  # added up as float32
    inc-serialize: set_subtensor(v[:2], s) + w
    inc-serialize: set_subtensor(second(x, 0.0)[:2], s) + row
    """,
    # what is read elsewhere is not computed again
    ("subtensor-of-elemwise", once[0], once),
    ("subtensor-of-dot", product[0], product),
    ("subtensor-of-reduce", total[0], total),
]


def test_positions_that_no_part_takes_may_be_out_of_bounds() -> None:
    # so a part of positions is no part of what is taken at all of them
    assert not hasattr(LAWS["slice-of-taken"], "backward")

"""Loops of every kind, and values of their inputs: what the tests of loops compare."""

from __future__ import annotations

from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph import scan, until
from tests.seeds import seed_of

x, m = at.dmatrix("x"), at.dmatrix("m")
h, k = at.dvector("h"), at.dvector("k")
s = at.dscalar("s")
INPUTS = [x, m, h, k, s]


def values(rows: int = 7, length: int = 4) -> list[Any]:
    draw = np.random.default_rng(seed_of("loops", str(rows), str(length))).normal
    return [draw(size=n) * 0.5 for n in ((rows, length), (length, length), length, length, ())]


def loop(*args: Any, **kwargs: Any) -> list[Any]:
    """Return everything that a loop gives: states, rows, and the number of steps."""
    made, _ = scan(*args, **kwargs)
    return made if isinstance(made, list) else [made]


LOOPS = {
    "plain": loop(lambda r, a: a * 0.9 + r, x, h),
    "last": [v[-1] for v in loop(lambda r, a: at.tanh(a) + r, x, h)],
    "last three": [v[-3:] for v in loop(lambda r, a: at.tanh(a) + r, x, h)],
    "number": loop(lambda r, a: at.sin(a) + at.sum(r), x, s),
    "numbers": loop(lambda r, a, b: (a + r, b * at.tanh(a), a * b), x[:, 0], [s, s, None]),
    "two states": loop(lambda r, a, b: (a * 0.5 + b, at.tanh(a) * r), x, [h, k]),
    "one value for two states": loop(lambda r, a, b: (a * 0.5 + r, b * r), x, [h, h]),
    "changing places": loop(lambda r, a, b: (b, a * 0.5 + b + r), x, [h, k]),
    "in turn": loop(lambda a, b, c: (b, c, a), None, [h, k, h * k], n_steps=4),
    "a row": loop(lambda r, a, b: (r, a * 2 + b), x, [h, k]),
    "fixed": loop(lambda r, a, b: (k, at.exp(a * 0.1) + b * 0.2), x, [h, k]),
    "collected before": loop(lambda r, a: (a * 0.9 + r, a * 2), x, [h, None]),
    "collected itself": loop(lambda r, a: (a * 0.9 + r, a * 2, a), x, [h, None, None]),
    "one value for two": loop(lambda r, a, b: ((a + b) * r,) * 2, x, [h, k]),
    "product": loop(lambda r, a: at.tanh(m @ a + r), x, h),
    "product from the left": loop(lambda r, a: at.tanh(a @ m) + r, x, h),
    "matrix": loop(lambda r, a: at.tanh(m @ a @ m.T) + r, x, m),
    "transposed state": loop(lambda a: at.tanh(a.T) + m, outputs_info=m, n_steps=5),
    "outer product": loop(lambda r, a: a * 0.5 + r[:, None] * k[None, :], x, m),
    "system": loop(
        lambda r, a: at.tanh(at.linalg.solve(m + 9 * at.eye(4), a)) + r, x[:, :4], h[:4]
    ),
    "sums": loop(lambda r, a: (a + r - at.max(r), at.sum(a), at.sum(a * r)), x, [h, None, None]),
    "constant": loop(lambda r, a: a * np.array([1.0, 2.0, 3.0, 4.0]) * 0.3 + r, x[:, :4], h[:4]),
    "integers": loop(lambda a: a * 3 + 1, outputs_info=at.cast(s * 4, "int64"), n_steps=20),
    "until": loop(lambda r, a: (a * 1.5 + r, until(at.sum(abs(a)) > 3)), x, h),
    "until, last": [
        v[-1] for v in loop(lambda a: (a * 2 + 1, until(a > 100)), None, s, n_steps=40)
    ],
    "a part": loop(lambda r, a: at.set_subtensor(a[0], r[1]), x, h),
    "views": loop(lambda r, a, b: (b[::-1], at.set_subtensor(b[0], r[0])), x, [h, k]),
    "parts of what is computed": loop(
        lambda r, a: at.set_subtensor(at.exp(r)[0], a.sum()) * 2 + at.outer(r, a)[0], x, h
    ),
}
"""What loops give, of `INPUTS`."""

"""Steps overwrite their states, and never what a caller or another state has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, scan, until
from relgraph.graph.reference import evaluate
from relgraph.tensor.loops.scan_op import Scan

x, h, k = at.dmatrix("x"), at.dvector("h"), at.dvector("k")
rng = np.random.default_rng(0)
VALUES = [rng.normal(size=(7, 4)), rng.normal(size=4), rng.normal(size=4)]

# a loop, whether its step overwrites a state, and which states it copies
LOOPS: dict[str, tuple[Any, bool, set[int]]] = {
    "plain": (scan(lambda r, s: s * 0.9 + r, x, h)[0], True, set()),
    "collected before": (scan(lambda r, s: (s * 0.9 + r, s * 2), x, [h, None])[0], True, set()),
    "changing places": (scan(lambda r, a, b: (b, a * 0.5 + b + r), x, [h, k])[0], True, set()),
    "one value for two": (scan(lambda r, a, b: ((a + b) * r,) * 2, x, [h, k])[0], True, {1}),
    "a row": (scan(lambda r, a, b: (r, a * 2 + b), x, [h, k])[0], True, {0}),
    "fixed": (scan(lambda r, a, b: (k, at.exp(a * 0.1) + b * 0.2), x, [h, k])[0], True, {0}),
    "a part": (scan(lambda r, a: at.set_subtensor(a[0], r[1]), x, h)[0], True, set()),
    "until": (scan(lambda r, a: (a * 1.5 + r, until(at.sum(a) > 3)), x, h)[0], True, set()),
    "last": (scan(lambda r, a: a * 1.5 + r, x, h)[0][-1], True, set()),
    "views": (
        scan(lambda r, a, b: (b[::-1], at.set_subtensor(b[0], r[0])), x, [h, k])[0],
        False,
        set(),
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_values_and_what_is_given(name: str) -> None:
    made, overwrites, copied = LOOPS[name]
    outputs = made if isinstance(made, list) else [made]
    expected = evaluate(outputs, dict(zip((x, h, k), VALUES, strict=True)))
    for mode in ("o4", "o3", "strict", Mode("py", "fast_run")):
        f = function([x, h, k], outputs, mode=mode, on_unused_input="ignore")
        given = [v.copy() for v in VALUES]
        for _ in range(2):
            for found, want in zip(f(*given), expected, strict=True):
                np.testing.assert_allclose(found, want, rtol=1e-12)
        for value, before in zip(given, VALUES, strict=True):
            np.testing.assert_array_equal(value, before)
    f = function([x, h, k], outputs, mode="o4", on_unused_input="ignore")
    (op,) = [n.op for n in f.maker.fgraph.toposort() if isinstance(n.op, Scan)]
    assert op.overwrites_states == overwrites
    assert op.copied_states == copied

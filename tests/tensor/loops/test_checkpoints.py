"""`scan_checkpoints`: the same values and gradients, in less memory."""

import tracemalloc

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import grad, scan, scan_checkpoints, until

x, h, w = at.dmatrix("x"), at.dvector("h"), at.dmatrix("w")


def step(row, h):
    return at.tanh(row + h @ w)


@pytest.mark.parametrize("mode", ["None", "strict", "o4"])
@pytest.mark.parametrize("steps", [0, 1, 4, 7, 8])
def test_values_and_gradients(steps: int, mode: str) -> None:
    plain, _ = scan(step, x, h)
    some, updates = scan_checkpoints(step, x, h, save_every_N=4)
    assert updates == {}
    rng = np.random.default_rng(0)
    values = [rng.normal(size=s) * 0.5 for s in ((steps, 3), (3,), (3, 3))]
    all_rows, rows = relgraph.function([x, h, w], [plain, some], mode=mode)(*values)
    read = [k for k in range(steps) if k % 4 == 3 or k == steps - 1]
    np.testing.assert_allclose(rows, all_rows[read], rtol=1e-14)
    chosen = at.lvector("chosen")
    found = [
        relgraph.function([x, h, w, chosen], grads, mode=mode, on_unused_input="ignore")(
            *values, read
        )
        for grads in (
            grad((plain[chosen] ** 2).sum(), [x, h, w]),
            grad((some**2).sum(), [x, h, w]),
        )
    ]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_second_order() -> None:
    k = at.dscalar("k")
    out, _ = scan_checkpoints(lambda s: s * k, None, at.constant(1.0), n_steps=6, save_every_N=4)
    f = relgraph.function([k], [out, grad(grad(out[-1], k), k)])
    rows, second = f(2.0)
    assert rows.tolist() == [16.0, 64.0]
    assert second == 30 * 2.0**4


def peak_bytes(f, *values) -> int:
    f(*values)
    tracemalloc.start()
    try:
        f(*values)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory() -> None:
    k, s = at.dscalar("k"), at.dvector("s")
    steps, length = 400, 1000
    cost = []
    for build in (scan, scan_checkpoints):
        options = {} if build is scan else {"save_every_N": 20}
        out, _ = build(lambda s: at.sin(s * k), None, s, n_steps=steps, **options)
        cost.append(out[-1].sum())
    plain, less = [relgraph.function([k, s], grad(c, k)) for c in cost]
    values = (0.9, np.linspace(0, 1, length))
    np.testing.assert_allclose(plain(*values), less(*values), rtol=1e-10)
    row = 8 * length
    assert peak_bytes(plain, *values) > steps * row
    # 20 states between parts, 20 within one, each of them joined and turned around
    assert peak_bytes(less, *values) < 200 * row


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="save_every_N is 0; wanted is a positive integer"):
        scan_checkpoints(lambda s: s, None, h, n_steps=3, save_every_N=0)
    with pytest.raises(ValueError, match="end early"):
        scan_checkpoints(lambda s: (s, until(s.sum() > 1)), None, h, n_steps=3)

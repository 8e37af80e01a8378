"""The op of loops, and the storage that it runs on."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import Mode, function, grad, scan, scan_checkpoints
from relgraph.compile.optimize import is_same_graph
from relgraph.graph.reference import evaluate
from relgraph.tensor.loops.scan_op import Scan
from tests.tensor.loops.examples import INPUTS, LOOPS, h, values
from tests.tensor.loops.examples import x as x_matrix

x = at.dvector("x")


def decaying(rate: float):
    return scan(lambda a, s: rate * s + at.exp(a), x, at.constant(0.0), name="decay")[0]


def test_loops_with_equal_steps_are_one_op() -> None:
    assert decaying(0.5).owner.op is decaying(0.5).owner.op
    assert decaying(0.5).owner.op is not decaying(0.25).owner.op
    assert is_same_graph(decaying(0.5), decaying(0.5))
    assert not is_same_graph(decaying(0.5), decaying(0.25))


def test_copies() -> None:
    out = decaying(0.5)
    assert pickle.loads(pickle.dumps(out)).owner.op is out.owner.op
    assert copy.deepcopy(out).owner.op is out.owner.op
    f = relgraph.function([x], out)
    for other in (pickle.loads(pickle.dumps(f)), f.copy(), copy.deepcopy(f)):
        np.testing.assert_array_equal(other([1.0, 2.0]), f([1.0, 2.0]))


def test_text_shows_the_step() -> None:
    text = relgraph.dprint(decaying(0.5), file="str")
    assert text.startswith("scan{for, decay}.1 [id A]")
    assert "Inner graphs:" in text
    assert "exp" in text


def test_inner_graph_as_a_function() -> None:
    op = decaying(0.5).owner.op
    assert op.inner_inputs == list(op.inputs)
    assert [float(v) for v in op.fn(np.array(0.0), np.array(4.0))] == [3.0, 3.0]


def test_an_explanation_is_of_the_step() -> None:
    a = relgraph.lvars("a")
    law = relgraph.law("log-of-exp", at.log(at.exp(a)), a, sound="finite")
    out, _ = scan(lambda row: at.log(at.exp(row)), x)
    assert relgraph.explain(law, out).matches
    assert "in a step of scan{for}, log(exp(" in str(relgraph.explain(law, out))
    out, _ = scan(lambda row: at.log(at.tanh(row)), x)
    other = relgraph.explain(law, out)
    assert not other.matches and other.nearest[0].wanted == "exp(a)"
    assert "in a step of scan{for}, log(tanh(" in str(other)


def test_a_derivation_is_replayed() -> None:
    f = relgraph.function([x], at.log(decaying(0.5) ** 2 + 1), trace=True)
    replayed = f.derivation.replay()
    assert len(replayed.apply_nodes) > 0
    assert any(isinstance(node.op, Scan) for node in replayed.apply_nodes)


def test_a_graph_with_the_loop_as_reference() -> None:
    out = decaying(0.5)
    value = relgraph.graph.reference.evaluate([out], {x: np.array([0.0, 0.0])})[0]
    assert value.tolist() == [1.0, 1.5]


# Steps overwrite their states, and never what a caller or another state has.

OVERWRITTEN = ("plain", "collected before", "changing places", "a part", "until", "last")
OVERWRITING: dict[str, tuple[bool, set[int]]] = {
    **dict.fromkeys(OVERWRITTEN, (True, set())),
    **dict.fromkeys(("views", "collected itself"), (False, set())),
    **dict.fromkeys(("a row", "fixed"), (True, {0})),
    "one value for two": (True, {1}),
}
"""Whether the step of a loop overwrites a state, and which states it copies."""


@pytest.mark.parametrize("name", LOOPS)
def test_values_and_what_is_given(name: str) -> None:
    expected = evaluate(LOOPS[name], dict(zip(INPUTS, values(), strict=True)))
    for mode in ("o4", "o3", "strict", Mode("py", "fast_run")):
        f = function(INPUTS, LOOPS[name], mode=mode, on_unused_input="ignore")
        given = values()
        for _ in range(2):
            for found, want in zip(f(*given), expected, strict=True):
                np.testing.assert_allclose(found, want, rtol=1e-12)
        for value, before in zip(given, values(), strict=True):
            np.testing.assert_array_equal(value, before)
        if mode == "o4" and name in OVERWRITING:
            (op,) = [n.op for n in f.maker.fgraph.toposort() if isinstance(n.op, Scan)]
            assert (op.overwrites_states, op.copied_states) == OVERWRITING[name]


# `scan_checkpoints`: the same values and gradients, in less memory.

w = at.dmatrix("w")


def step(row, h):
    return at.tanh(row + h @ w)


@pytest.mark.parametrize("mode", ["None", "strict", "o4"])
@pytest.mark.parametrize("steps", [0, 1, 4, 7, 8])
def test_values_and_gradients(steps: int, mode: str) -> None:
    plain, _ = scan(step, x_matrix, h)
    some, updates = scan_checkpoints(step, x_matrix, h, save_every_N=4)
    assert updates == {}
    rng = np.random.default_rng(0)
    values = [rng.normal(size=s) * 0.5 for s in ((steps, 3), (3,), (3, 3))]
    all_rows, rows = relgraph.function([x_matrix, h, w], [plain, some], mode=mode)(*values)
    read = [k for k in range(steps) if k % 4 == 3 or k == steps - 1]
    np.testing.assert_allclose(rows, all_rows[read], rtol=1e-14)
    chosen = at.lvector("chosen")
    found = [
        relgraph.function([x_matrix, h, w, chosen], grads, mode=mode, on_unused_input="ignore")(
            *values, read
        )
        for grads in (
            grad((plain[chosen] ** 2).sum(), [x_matrix, h, w]),
            grad((some**2).sum(), [x_matrix, h, w]),
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

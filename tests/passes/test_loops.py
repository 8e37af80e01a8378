"""Passes over loops: each where it changes a loop, and where it must not."""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import Mode, grad, scan, until
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.passes.loops import (
    MergeLoops,
    batch_products,
    clean,
    keep_last_rows,
    push_out,
    sum_products,
    unroll_one_step,
)
from relgraph.passes.open_loop import LoopPass, loops_in
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import Dot
from tests.arrays import assert_close

X, W, V, h, k = at.dmatrix("X"), at.dmatrix("W"), at.dmatrix("V"), at.dvector("h"), at.dscalar("k")
VALUES = {
    X: np.arange(6.0).reshape(3, 2) / 4, W: np.array([[0.5, -0.2], [0.3, 0.1]]),
    V: np.array([[1.0, 0.2], [-0.4, 0.3]]), h: np.array([0.1, -0.3]), k: np.array(0.7),
}  # fmt: skip


def applied(outputs, *passes):
    """Return a graph after some passes, and check that its values are the same."""
    outputs = list(outputs)
    inputs = [v for v in VALUES if v in FunctionGraph(outputs=outputs, clone=False).inputs]
    fgraph = FunctionGraph(inputs, outputs, clone=True)
    changed = [p.apply(fgraph) for p in passes]
    expected, made = (
        evaluate(graph[1], {v: VALUES[u] for v, u in zip(graph[0], inputs, strict=True)})
        for graph in ((inputs, outputs), (fgraph.inputs, fgraph.outputs))
    )
    assert_close(made, expected, rtol=1e-13, atol=1e-14)
    return fgraph, changed


def loop_of(fgraph) -> Scan:
    (node,) = loops_in(fgraph)
    return node.op


def loop(*args, **kwargs):
    """Return the rows of the states of a loop, without its updates."""
    return scan(*args, **kwargs)[0]


def names(op: Scan) -> set[str]:
    return {str(node.op) for node in op.nodes}


# -- what nothing reads, and what does not change ----------------------------------------------


# the states, rows and fixed inputs that are left
CLEANED = {
    "what nothing reads": (loop(lambda row, s, t: (s + row, t * s), X, [h, h])[:1], (1, 1, 0)),
    # the second state is read by the first, though its rows are not
    "what a state reads": (loop(lambda row, s, t: (s + t, t * row), X, [h, h])[:1], (2, 1, 0)),
    "states that do not change": (
        loop(lambda row, s, c: (s * 2.0 + c + row, c), X, [h, k])[:1],
        (1, 1, 1),
    ),
    "rows of a sequence": (loop(lambda row, s: (s + row, row), X, [h, None]), (1, 1, 0)),
}


@pytest.mark.parametrize("name", CLEANED)
def test_what_a_loop_is_without_what_nothing_needs(name: str) -> None:
    outputs, left = CLEANED[name]
    fgraph, changed = applied(outputs, LoopPass(clean))
    op = loop_of(fgraph)
    assert (op.n_states, op.n_rows, len(op.step.fixed)) == left
    assert changed == [1]


# -- what moves out ----------------------------------------------------------------------------


def own_loop(*, fixed, body):
    """Return the rows of a loop whose step has `body` of its own, which `scan` would move out."""
    row, state = X.type.clone(shape=(None,))("row"), h.type("state")
    inner = [v.type(v.name) for v in fixed]
    new = body(row, state, *inner)
    return Scan([row, state, *inner], [new, new], 1, 1)(X.shape[0], X, h, *fixed)[1]


def test_what_does_not_depend_on_the_step_is_pushed_out() -> None:
    out = own_loop(fixed=[W], body=lambda row, s, w: s @ at.exp(w.T) * 0.1 + row)
    fgraph, changed = applied([out], LoopPass(push_out))
    assert changed == [1]
    assert "exp" not in names(loop_of(fgraph))
    assert any(str(node.op) == "exp" for node in fgraph.apply_nodes)


def test_what_may_raise_stays() -> None:
    def checked(row, s, c):
        return s * at.assert_(c, c > 0) + row

    fgraph, _ = applied([own_loop(fixed=[k], body=checked)], LoopPass(push_out))
    assert "assert{}" in names(loop_of(fgraph))


def test_products_with_rows_are_one_product() -> None:
    out, _ = scan(lambda row, s: at.tanh((row * 2) @ W + s @ V), X, h)
    fgraph, changed = applied([out], LoopPass(batch_products), LoopPass(clean))
    assert changed[0] == 1
    inside = [node for node in loop_of(fgraph).nodes if isinstance(node.op, Dot)]
    assert len(inside) == 1  # s @ V
    outside = [node for node in fgraph.apply_nodes if isinstance(node.op, Dot)]
    assert [v.type.ndim for node in outside for v in node.inputs] == [2, 2]


@pytest.mark.parametrize(
    "body",
    [
        lambda row, matrix: W @ row,
        lambda row, matrix: matrix @ row,
        lambda row, matrix: (matrix @ W)[:, 0],
        lambda row, matrix: (W @ matrix).sum(axis=1),
        lambda row, matrix: h @ matrix,
        lambda row, matrix: matrix @ h,
        lambda row, matrix: (matrix @ matrix.T)[0],
        lambda row, matrix: row * at.dot(row, h) + at.dot(row, row),
    ],
)
def test_every_kind_of_product_is_batched(body) -> None:
    matrices = at.outer(X.flatten(), h).reshape((3, 2, 2))
    out, _ = scan(lambda row, matrix, s: s + body(row, matrix), [X, matrices], h)
    fgraph, changed = applied([out], LoopPass(batch_products), LoopPass(clean))
    assert changed[0] == 1
    assert not any("dot" in name or "matmul" in name for name in names(loop_of(fgraph)))


def test_a_loop_without_states_is_no_loop() -> None:
    out, _ = scan(lambda row: at.exp(row @ W).sum(), X)
    fgraph, _ = applied([out], LoopPass(batch_products), LoopPass(clean))
    assert loops_in(fgraph) == []


def test_sums_of_products_are_one_product() -> None:
    out, _ = scan(lambda row, s: at.tanh(row @ W + s @ V), X, h)
    slopes = grad((out**2).sum(), [W, V])
    f = relgraph.function([X, W, V, h], slopes)
    backwards = [
        node.op for node in f.maker.fgraph.apply_nodes
        if isinstance(node.op, Scan) and not any("tanh" in n for n in names(node.op))
    ]  # fmt: skip
    assert len(backwards) == 1
    # the gradients by the matrices are no states
    assert all(v.type.ndim == 1 for v in backwards[0].step.states)


def summed_outer_products():
    """Return all sums of outer products of rows, after each step."""
    zeros = at.zeros((2, 2), dtype="float64")
    return loop(lambda row, s, total: (s + row, total + at.outer(row, s)), X, [h, zeros])[1]


def test_a_sum_of_outer_products_of_which_the_last_is_read_is_one_product() -> None:
    last = summed_outer_products().owner.outputs[1]
    _, changed = applied([last], LoopPass(clean), LoopPass(sum_products), LoopPass(clean))
    assert changed[1] == 1


# -- loops that become one ---------------------------------------------------------------------


def test_loops_of_as_many_steps_are_one() -> None:
    n = X.shape[0]
    a, _ = scan(lambda row, s: s + row, X, h, n_steps=n)
    b, _ = scan(lambda row, s: s * row, X, h, n_steps=n)
    fgraph, changed = applied([a, b], MergeLoops())
    assert changed == [1]
    assert loop_of(fgraph).n_states == 2


def test_states_with_the_same_values_are_one() -> None:
    n = X.shape[0]
    a, _ = scan(lambda row, s: at.tanh(s + row @ W), X, h, n_steps=n)
    b, _ = scan(lambda row, s: (at.tanh(s + row @ W), s * 2), X, [h, None], n_steps=n)
    fgraph, _ = applied([a, b[1]], MergeLoops())
    assert loop_of(fgraph).n_states == 1
    # a state is not another one because it begins alike
    b, _ = scan(lambda row, s: (at.tanh(s - row @ W), s * 2), X, [h, None], n_steps=n)
    fgraph, _ = applied([a, b[1]], MergeLoops())
    assert loop_of(fgraph).n_states == 2


# -- what is kept ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "kept"),
    [
        (lambda v: [v[-1]], 1),
        (lambda v: [v[-3], v[-1]], 3),
        (lambda v: [v[-2:]], 2),
        (lambda v: [v[-2:-1]], 2),
        (lambda v: [v[0]], None),
        (lambda v: [v[1:]], None),
        (lambda v: [v[-1], v.sum()], None),
        (lambda v: [v[::-1]], None),
    ],
)
def test_only_the_last_rows_that_are_read_are_kept(read, kept) -> None:
    out, _ = scan(lambda row, s: s + row, X, h)
    fgraph, _ = applied(read(out), LoopPass(keep_last_rows))
    assert loop_of(fgraph).kept == (kept,)


def test_kept_rows_in_programs() -> None:
    n, s = at.lscalar("n"), at.dscalar("s")
    out, _ = scan(lambda a: (a * 2, at.stack([a, a])), None, [s, None], n_steps=n)
    f = relgraph.function([n, s], [out[0][-2:], out[1][-3:]])
    for steps in (0, 1, 2, 3, 7):
        powers = 2.0 ** np.arange(steps)
        pair, rows = f(steps, 1.0)
        assert pair.tolist() == (2 * powers)[-2:].tolist()
        assert rows.tolist() == np.stack([powers, powers], axis=1)[-3:].tolist()
    last = relgraph.function([n, s], out[0][-1])
    assert last(3, 1.0) == 8.0
    with pytest.raises(IndexError):
        last(0, 1.0)


def test_a_loop_that_makes_one_step_is_that_step() -> None:
    out, _ = scan(lambda row, s: s + row, X, h, n_steps=1)
    fgraph, changed = applied([out], LoopPass(unroll_one_step))
    assert changed == [1]
    assert loops_in(fgraph) == []


# -- what modes do with steps ------------------------------------------------------------------


def test_modes_and_their_own_laws_rewrite_steps() -> None:
    x = relgraph.lvars("x")
    own = relgraph.law("sin-is-cos", at.sin(x), at.cos(x), sound="domain")
    out, _ = scan(lambda row, s: at.log(at.exp(s)) + at.sin(s * row), X, h)

    def inside(mode):
        f = relgraph.function([X, h], out, mode=mode)
        return " ".join(names(loop_of(f.maker.fgraph)))

    assert "exp" in inside("strict")
    assert "exp" not in inside("o4")
    assert "sin" in inside("o4")
    assert "sin" not in inside(Mode().including(own))
    assert "Composite" not in inside("o1")
    assert "Composite" in inside("o2")


# -- what each pass leaves alone ---------------------------------------------------------------


def until_large(new, bound):
    return new, until(new.sum() > bound)


N = X.shape[0]
STATES = loop(lambda row, s: s + row, X, h, n_steps=N)
BOTH = loop(lambda row, s, t: (s + row, t * s), X, [h, h])
LEFT_ALONE = {
    "results that are read": (BOTH, LoopPass(clean)),
    "what depends on the step": (
        [own_loop(fixed=[W], body=lambda row, s, w: at.exp(s) @ w * 0.1 + row)],
        LoopPass(push_out),
    ),
    "products, where few steps may be made": (
        [loop(lambda row, s: until_large(s + row @ W, 0.1), X, h)],
        LoopPass(batch_products),
    ),
    "products with a state": (
        [loop(lambda row, s: at.tanh(s @ W + row), X, h)],
        LoopPass(batch_products),
    ),
    "sums all of which are collected": ([summed_outer_products()[-1]], LoopPass(sum_products)),
    "a loop that reads another": (
        [loop(lambda row, s: s * row, at.exp(STATES), h, n_steps=N)],
        MergeLoops(),
    ),
    "loops of which one may end": (
        [STATES, loop(lambda row, s: until_large(s * row, 9), X, h, n_steps=N)],
        MergeLoops(),
    ),
    "two steps": ([loop(lambda row, s: s + row, X, h, n_steps=2)], LoopPass(unroll_one_step)),
    "a step that may be the last": (
        [loop(lambda row, s: until_large(s + row, 9), X, h, n_steps=1)],
        LoopPass(unroll_one_step),
    ),
    "no loop": ([at.exp(X)], LoopPass(clean)),
    "no loops": ([at.exp(X)], MergeLoops()),
    "no loop to keep rows of": ([at.exp(X)], LoopPass(keep_last_rows)),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_is_left_alone(name: str) -> None:
    outputs, one = LEFT_ALONE[name]
    assert applied(outputs, one)[1] == [0]

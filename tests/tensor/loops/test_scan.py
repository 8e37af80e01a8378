"""`scan`: its arguments, values and gradients, and loops at random."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgraph
import relgraph.tensor as at
from relgraph import foldl, foldr, scan, until
from relgraph.tensor.loops.scan_op import Scan

MODES = ["None", "strict", "o1", "o3", "o4"]


def run(inputs, outputs, values, mode):
    return relgraph.function(inputs, outputs, mode=mode)(*values)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64", "int8"])
@pytest.mark.parametrize("shape", [(0,), (1,), (4,), (3, 2), (0, 2), (2, 1, 3)])
def test_running_sums(dtype: str, shape: tuple[int, ...], mode: str) -> None:
    x = at.TensorType(dtype, (None,) * len(shape))("x")
    first = at.TensorType(dtype, (None,) * (len(shape) - 1))("first")
    out, updates = scan(lambda row, total: total + row, x, first)
    values = (np.arange(np.prod(shape)).reshape(shape) % 5).astype(dtype)
    start = np.ones(shape[1:], dtype)
    found = run([x, first], out, [values, start], mode)
    expected = np.cumsum(np.concatenate([start[None], values]), axis=0, dtype=dtype)[1:]
    assert found.dtype == dtype
    assert found.shape == expected.shape
    assert (found == expected).all()
    assert updates == {}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("steps", [0, 1, 2, 10])
def test_taps_of_outputs(steps: int, mode: str) -> None:
    start, n = at.lvector("start"), at.lscalar("n")
    out, _ = scan(lambda a, b: a + b, outputs_info={"initial": start, "taps": [-3, -1]}, n_steps=n)
    known = [1, 1, 2]
    for _ in range(steps):
        known.append(known[-3] + known[-1])
    found = run([start, n], out, [[1, 1, 2], steps], mode)
    assert found.tolist() == known[3:]


def row_product(row, total):
    inner, _ = scan(lambda a, p: a * p, row, at.constant(1.0))
    return total + inner[-1]


v, w, rows, n = at.dvector("v"), at.dvector("w"), at.dmatrix("rows"), at.lscalar("n")
GIVEN = {
    **{v: np.array([1.0, 4.0, 9.0, 16.0, 26.0]), w: np.array([4.0, 5.0]), n: 100},
    rows: np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
}
doubled = scan(lambda a: (2 * a, until(2 * a > 50)), outputs_info=at.constant(1), n_steps=n)[0]
LOOPS = {
    "taps of a sequence": (
        scan(lambda a, b, c: a - 2 * b + c, {"input": v, "taps": [-1, 0, 1]}),
        np.diff(GIVEN[v], 2),
    ),
    "a tap ahead": (scan(lambda a: a, {"input": v, "taps": [2]}), [9, 16, 26]),
    "sequences of different lengths": (scan(lambda a, b: a * b, [v, w]), [4, 20]),
    "backwards": (scan(lambda a, s: a + 2 * s, w, 0.0, go_backwards=True), [5, 14]),
    "some steps backwards": (scan(lambda a: a, v, n_steps=2, go_backwards=True), [26, 16]),
    "a loop in a loop": (scan(row_product, rows, 0.0), [6, 126]),
    "until": ((doubled,), [2, 4, 8, 16, 32, 64]),
    "the number of steps until": ((doubled.shape[0],), 6),
    "the last value until": ((doubled[-1],), 64),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str, mode: str) -> None:
    (out, *_), expected = LOOPS[name]
    f = relgraph.function([*GIVEN], out, mode=mode, on_unused_input="ignore")
    np.testing.assert_array_equal(f(*GIVEN.values()), expected)


@pytest.mark.parametrize("mode", MODES)
def test_several_states_and_outputs(mode: str) -> None:
    x, k = at.dmatrix("x"), at.dscalar("k")

    def step(row, a, b):
        return a + row.sum(), b * k + a, row * a, row.max()

    outs, _ = scan(step, x, [at.constant(0.5), at.constant(1.0), None, None])
    values = np.arange(8.0).reshape(4, 2)
    a, b, expected = 0.5, 1.0, []
    for row in values:
        a, b, *rest = a + row.sum(), b * 3.0 + a, row * a, row.max()
        expected.append([a, b, *rest])
    found = run([x, k], outs, [values, 3.0], mode)
    for got, wanted in zip(found, zip(*expected, strict=True), strict=True):
        np.testing.assert_array_equal(got, np.array(wanted))


@pytest.mark.parametrize("mode", MODES)
def test_what_the_step_uses_from_outside(mode: str) -> None:
    x, w = at.dvector("x"), at.dscalar("w")
    factor = relgraph.shared(2.0, "factor")
    outside = at.exp(w) + 1
    closed, _ = scan(lambda a, s: s * factor + a * outside, x, at.constant(0.0))
    given, _ = scan(
        lambda a, s, f, o: s * f + a * o, x, at.constant(0.0), [factor, outside], strict=True
    )
    total, expected = 0.0, []
    for a in (1.0, 2.0):
        total = total * 2.0 + a * (np.exp(0.5) + 1)
        expected.append(total)
    for out in (closed, given):
        np.testing.assert_array_equal(run([x, w], out, [[1.0, 2.0], 0.5], mode), expected)


@pytest.mark.parametrize("mode", MODES)
def test_shared_variables_are_updated(mode: str) -> None:
    total, x = relgraph.shared(1.0, "total"), at.dvector("x")
    out, updates = scan(lambda a: (a * total, {total: total + a}), x)
    f = relgraph.function([x], out, updates=updates, mode=mode)
    assert f([1.0, 2.0, 3.0]).tolist() == [1.0, 4.0, 12.0]
    assert total.get_value() == 7.0
    assert f([1.0]).tolist() == [7.0]
    assert total.get_value() == 8.0


def test_draws_are_new_in_each_step_and_the_same_in_every_mode() -> None:
    stream = at.random.RandomStream(5)
    x = at.dmatrix("x")
    out, updates = scan(lambda row: row + stream.normal(0.0, 1.0, size=2), x)
    assert len(updates) == 1
    found = []
    for mode in MODES:
        stream.seed(5)
        f = relgraph.function([x], out, mode=mode)  # the generator updates itself
        found.append(np.concatenate([f(np.zeros((3, 2))), f(np.zeros((2, 2)))]))
    assert len(set(found[0].ravel())) == 10
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_results_share_no_storage_with_arguments() -> None:
    x, s = at.dmatrix("x"), at.dvector("s")
    out, _ = scan(lambda row, s: (row, s, s), x, [None, s, None])
    rows, states, others = relgraph.function([x, s], out)(xs := np.ones((2, 3)), ss := np.ones(3))
    for result in (rows, states, others):
        assert not any(np.may_share_memory(result, given) for given in (xs, ss))
        result[:] = 7
    assert not np.may_share_memory(states, others)
    assert (xs == 1).all()
    assert (ss == 1).all()


def test_the_dtype_of_a_number_of_python_is_that_of_the_step() -> None:
    x = at.dvector("x")
    total, count = scan(lambda a, s, n: (a + s, n + 1), x, [0, 0])[0]
    assert total.type.dtype == "float64"
    assert count.type.dtype == "int64"
    assert total.eval({x: [1, 2]}).tolist() == [1.0, 3.0]


def test_static_shapes_and_shapes_without_running() -> None:
    x = at.TensorType("float64", (5, 3))("x")
    out, _ = scan(lambda row, s: row + s, x, at.zeros((3,), dtype="float64"))
    assert out.type.shape == (5, 3)
    y, n = at.dmatrix("y"), at.lscalar("n")
    out, _ = scan(lambda row: at.outer(row, row), y, n_steps=n)
    f = relgraph.function([y, n], out.shape)
    assert not any(isinstance(node.op, Scan) for node in f.maker.fgraph.apply_nodes)
    assert f(np.ones((4, 2)), 3).tolist() == [3, 2, 2]
    # what a step would give where none is made
    assert relgraph.function([y, n], out, mode="None")(np.ones((4, 2)), 0).shape == (0, 2, 2)
    assert relgraph.function([y, n], out)(np.ones((4, 2)), 0).shape == (0, 2, 2)


def test_a_state_of_which_less_is_known_after_a_step() -> None:
    s = at.TensorType("float64", (3,))("s")
    k = at.lscalar("k")
    out, _ = scan(lambda s: s[:k] * 2, outputs_info=s, n_steps=2)
    assert out.type.shape == (2, None)
    assert out.eval({s: [1, 2, 3], k: 3}).tolist() == [[2, 4, 6], [4, 8, 12]]


def test_nothing_is_left_where_nothing_is_returned() -> None:
    x = at.dvector("x")
    total = relgraph.shared(0.0)
    out, updates = scan(lambda a: {total: total + a}, x)
    assert out is None
    relgraph.function([x], updates=updates)([1.0, 2.0])
    assert total.get_value() == 3.0
    listed, _ = scan(lambda a: a, x, return_list=True)
    assert isinstance(listed, list)


# What `scan` answers to wrong arguments: which one is at fault, and what was expected.

x = at.fvector("x")


@pytest.mark.parametrize("mode", ["None", "strict", "o4"])
def test_wrong_values(mode: str) -> None:
    n, s = at.lscalar("n"), at.dvector("s")
    f = relgraph.function([x, n], scan(lambda a, s: s + a, x, 0, n_steps=n)[0], mode=mode)
    with pytest.raises(ValueError, match="the number of steps is -1; wanted is 0 or more"):
        f([1, 2], -1)
    with pytest.raises(ValueError, match="sequence 0 has 2 rows, and 3 steps are to be made"):
        f([1, 2], 3)
    growing, _ = scan(lambda s: at.concatenate([s, s]), None, s, n_steps=2)
    with pytest.raises(ValueError, match=r"state 0 has shape \(3,\) before a step and \(6,\)"):
        relgraph.function([s], growing, mode=mode)(np.zeros(3))
    k = at.lvector("k")
    ragged, _ = scan(lambda i: at.arange(i), k)
    with pytest.raises(ValueError, match=r"as 0 has shape \(1,\) in one step and \(2,\)"):
        relgraph.function([k], ragged, mode=mode)([1, 2])


@pytest.mark.parametrize("mode", ["None", "o4"])
def test_rows_that_are_missing_are_missed_by_what_leaves_the_loop(mode: str) -> None:
    n = at.lscalar("n")
    f = relgraph.function([x, n], scan(lambda a: a * 2, x, n_steps=n)[0], mode=mode)
    for wrong in (-1, 3):
        with pytest.raises((ValueError, AssertionError), match=r"the number of steps|rows"):
            f([1, 2], wrong)


def test_an_error_names_the_node_of_the_step() -> None:
    s, w = at.dvector("s"), at.dmatrix("w")
    out, _ = scan(lambda s: at.tanh(w @ s), None, s, n_steps=3)
    with pytest.raises(ValueError, match="shape") as caught:
        relgraph.function([s, w], out)(np.zeros(3), np.zeros((3, 4)))
    assert any("while computing this node" in note for note in caught.value.__notes__)


# `map`, `reduce`, `foldl` and `foldr`.


def test_map() -> None:
    x = at.dmatrix("x")
    out, updates = relgraph.map(lambda row: at.dot(row, row), x)
    assert out.eval({x: [[1.0, 2.0], [3.0, 4.0]]}).tolist() == [5.0, 25.0]
    assert updates == {}


def test_reduce_gives_the_last_value() -> None:
    x = at.dvector("x")
    total, _ = relgraph.reduce(lambda a, s: s + a, x, 0.0)
    assert total.eval({x: [1.0, 2.0, 3.0]}) == 6.0
    # the first value where there is no step
    assert total.eval({x: np.zeros(0)}) == 0.0
    last, _ = relgraph.reduce(lambda a: a * 2, x, None)
    assert last.eval({x: [1.0, 2.0, 3.0]}) == 6.0


def test_folds_go_both_ways() -> None:
    x = at.dvector("x")
    left, _ = foldl(lambda a, s: a - s, x, 0.0)
    right, _ = foldr(lambda a, s: a - s, x, 0.0)
    assert left.eval({x: [1.0, 2.0, 4.0]}) == 3.0
    assert right.eval({x: [1.0, 2.0, 4.0]}) == 1.0 - (2.0 - (4.0 - 0.0))


# Random steps: a loop beside the same steps written out, with gradients, in every mode.

SIZE = 2
STEPS = 3

UNARY = [at.tanh, at.sin, lambda v: v**2, lambda v: -v, lambda v: v.sum() + v, at.sigmoid]
BINARY = [at.add, at.sub, at.mul, lambda a, b: a @ W + b, lambda a, b: at.outer(a, b)[0]]

X, H, G, W = at.dmatrix("x"), at.dvector("h"), at.dvector("g"), at.dmatrix("w")

choices = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=6
)


def step_of(chosen, taps):
    """Return a step of a row and the states, that computes what was chosen."""

    def step(row, *states):
        known = [row, *states, W[0]]
        for kind, i, j in chosen:
            a, b = known[i % len(known)], known[j % len(known)]
            known.append(UNARY[kind](a) if kind < len(UNARY) else BINARY[kind - len(UNARY)](a, b))
        return at.tanh(known[-1]), 0.5 * known[-2]

    return step


def unrolled(step, taps):
    first = [H, G]  # two steps back, one step back
    history, other, outs, others = list(first), H, [], []
    for t in range(STEPS):
        states = [history[len(history) + tap] for tap in taps]
        new, other = step(X[t], *states, other)
        history.append(new)
        outs.append(new)
        others.append(other)
    return at.stack(outs), at.stack(others)


@settings(max_examples=12)
@given(choices, st.sampled_from([[-1], [-2], [-2, -1]]), st.sampled_from(["strict", "o4", "o1"]))
def test_loops_are_what_they_say(chosen, taps, mode) -> None:
    step = step_of(chosen, taps)
    first = G if taps == [-1] else at.stack([H, G])
    looped, _ = scan(step, X, [{"initial": first, "taps": taps}, H])
    values = [
        np.random.default_rng(0).normal(size=shape) * 0.5
        for shape in ((STEPS, SIZE), (SIZE,), (SIZE,), (SIZE, SIZE))
    ]
    inputs = [X, H, G, W]
    found = []
    for outs in (looped, unrolled(step, taps)):
        cost = (outs[0] ** 2).sum() + at.sin(outs[1]).sum()
        grads = relgraph.grad(cost, inputs, disconnected_inputs="ignore")
        second = relgraph.grad(
            sum((g**2).sum() for g in grads), inputs, disconnected_inputs="ignore"
        )
        results = [*outs, *grads, *second]
        reference = relgraph.function(inputs, results, mode="None", on_unused_input="ignore")
        found.append(reference(*values))
        if outs is looped:
            with relgraph.config.change_flags(check_costs=True):
                f = relgraph.function(inputs, results, mode=mode, on_unused_input="ignore")
            for got, wanted in zip(f(*values), found[0], strict=True):
                if mode == "strict":
                    np.testing.assert_array_equal(got, wanted)
                else:
                    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-10)
    for got, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-10)

"""Gradients of loops, beside finite differences and the same steps written out."""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import grad, scan, until
from relgraph.gradient import Rop, hessian, hvp, verify_grad
from relgraph.tensor.loops.scan_op import Scan

MODES = ["None", "strict", "o4"]
rng = np.random.default_rng(0)


def test_verify_grad_of_states_sequences_and_what_is_fixed() -> None:
    def run(x, h, w):
        (hs, ys), _ = scan(lambda row, h: (at.tanh(row + h @ w), h.sum() * row), x, [h, None])
        return (hs**2).sum() + at.sin(ys).sum()

    verify_grad(run, [rng.normal(size=s) for s in ((4, 3), (3,), (3, 3))], rng=rng)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_number_of_steps_and_rows_that_are_not_read(steps: int) -> None:
    x, s, n = at.dvector("x"), at.dscalar("s"), at.lscalar("n")
    out, _ = scan(lambda a, s: s * a, x, s, n_steps=n)
    cost = out.sum() + s
    for mode in MODES:
        f = relgraph.function([x, s, n], grad(cost, [x, s]), mode=mode)
        values = np.array([2.0, 3.0, 4.0, 5.0])
        by_x, by_s = f(values, 0.5, steps)
        products = np.cumprod(values[:steps])
        assert by_s == 1 + products.sum()
        expected = [0.5 * products[k:].sum() / values[k] for k in range(steps)]
        np.testing.assert_allclose(by_x, [*expected, *np.zeros(4 - steps)])


@pytest.mark.parametrize("mode", MODES)
def test_taps_and_backwards(mode: str) -> None:
    x, start = at.dvector("x"), at.dvector("start")
    out, _ = scan(
        lambda a, b, p, q: a * p + b * q,
        {"input": x, "taps": [-1, 1]},
        {"initial": start, "taps": [-3, -1]},
        go_backwards=True,
    )
    steps = 3

    def unrolled():
        known = [start[0], start[1], start[2]]
        for t in reversed(range(1, 1 + steps)):
            known.append(x[t - 1] * known[-3] + x[t + 1] * known[-1])
        return at.stack(known[3:])

    values = [rng.normal(size=5), rng.normal(size=3)]
    found = [
        relgraph.function([x, start], grad((o**3).sum(), [x, start]), mode=mode)(*values)
        for o in (out, unrolled())
    ]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_second_and_third_order(mode: str) -> None:
    w, x = at.dscalar("w"), at.dvector("x")
    out, _ = scan(lambda a, s: s * w + a, x, at.constant(1.0))
    derivatives = [out[-1]]
    for _ in range(3):
        derivatives.append(grad(derivatives[-1], w))
    # w³ + 2 w² + 3 w + 4
    polynomial = np.polynomial.Polynomial([4.0, 3.0, 2.0, 1.0])
    found = relgraph.function([w, x], derivatives, mode=mode)(0.7, [2.0, 3.0, 4.0])
    np.testing.assert_allclose(found, [polynomial.deriv(k)(0.7) for k in range(4)])


@pytest.mark.parametrize("mode", MODES)
def test_hessian_and_products_with_vectors(mode: str) -> None:
    w = at.TensorType("float64", (2,))("w")
    v = at.dvector("v")
    out, _ = scan(lambda s: at.tanh(s * w), None, at.ones((2,), dtype="float64"), n_steps=3)
    cost = (out[-1] ** 2).sum() + out[-1][0] * out[-1][1]
    f = relgraph.function(
        [w, v], [hessian(cost, w), hvp(cost, w, v), Rop(out[-1], w, v)], mode=mode
    )
    point, along = np.array([0.3, -0.8]), np.array([0.5, 2.0])
    matrix, product, slope = f(point, along)
    gradient = relgraph.function([w], grad(cost, w), mode="None")
    value = relgraph.function([w], out[-1], mode="None")
    step = 1e-6
    expected = [
        (gradient(point + step * e) - gradient(point - step * e)) / (2 * step) for e in np.eye(2)
    ]
    np.testing.assert_allclose(matrix, expected, atol=1e-8)
    np.testing.assert_allclose(product, matrix @ along, rtol=1e-10)
    differences = (value(point + step * along) - value(point - step * along)) / (2 * step)
    np.testing.assert_allclose(slope, differences, atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_until(mode: str) -> None:
    w, x = at.dscalar("w"), at.dvector("x")
    out, _ = scan(lambda a, s: (s * w + a, until(s * w + a > 20)), x, at.constant(1.0))
    f = relgraph.function([w, x], [out.shape[0], *grad(out[-1], [w, x])], mode=mode)
    steps, by_w, by_x = f(2.0, np.ones(9))
    assert steps == 4  # 3, 7, 15, 31
    assert by_w == 4 * 8 + 3 * 4 + 2 * 2 + 1
    assert by_x.tolist() == [8, 4, 2, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_truncated(mode: str) -> None:
    w, x, s = at.dscalar("w"), at.dvector("x"), at.dscalar("s")
    out, _ = scan(lambda a, s: s * w + a, x, s, truncate_gradient=2)
    f = relgraph.function([w, x, s], [out[-1], *grad(out[-1], [w, x, s])], mode=mode)
    value, by_w, by_x, by_s = f(3.0, [1.0, 2.0, 3.0, 4.0], 1.0)
    states = [1.0, 4.0, 14.0, 45.0, 139.0]
    assert value == states[-1]
    assert by_w == states[3] + 3.0 * states[2]
    assert by_x.tolist() == [0.0, 0.0, 3.0, 1.0]
    assert by_s == 0.0
    # as many steps as there are
    assert f(3.0, [1.0, 2.0], 1.0)[3] == 9.0


@pytest.mark.parametrize("mode", MODES)
def test_complex_numbers(mode: str) -> None:
    z = at.zvector("z")
    out, _ = scan(lambda a, s: s * a + a**2, z, at.constant(1j))
    s = at.constant(1j)
    for t in range(3):
        s = s * z[t] + z[t] ** 2
    values = np.array([1 + 2j, 0.5 - 1j, 2j])
    for cost in (lambda v: at.abs(v) ** 2, lambda v: (v * (2 - 1j)).real):
        found = [relgraph.function([z], grad(cost(v), z), mode=mode)(values) for v in (out[-1], s)]
        np.testing.assert_allclose(*found)


@pytest.mark.parametrize("mode", MODES)
def test_integers_and_what_is_not_connected(mode: str) -> None:
    k, x, w = at.lvector("k"), at.dvector("x"), at.dscalar("w")
    (count, out), _ = scan(
        lambda i, a, n, s: (n + i, s + a * w * n), [k, x], [at.constant(0), at.constant(0.0)]
    )
    cost = out[-1] + count[-1]
    f = relgraph.function([k, x, w], grad(cost, [k, x, w]), mode=mode)
    by_k, by_x, by_w = f([1, 2, 3], [1.0, 2.0, 3.0], 0.5)
    assert by_k.tolist() == [0, 0, 0]
    assert by_x.tolist() == [0.0, 0.5, 1.5]
    assert by_w == 0 + 2 * 1 + 3 * 3
    with pytest.raises(relgraph.gradient.DisconnectedInputError):
        grad(count[-1].astype("float64"), w)
    # only a shape depends on it
    with pytest.raises(relgraph.gradient.DisconnectedInputError):
        grad(scan(lambda a: a * 0 + x.shape[0], at.dvector("y"))[0].sum(), x)


def test_draws_are_not_made_again() -> None:
    stream = at.random.RandomStream(0)
    s, w = at.dvector("s"), at.dscalar("w")
    out, _ = scan(lambda s: s * w * stream.bernoulli(0.5, size=4) + s, None, s, n_steps=3)
    cost = out[-1].sum()
    for mode in MODES:
        stream.seed(1)
        f = relgraph.function([s, w], [cost, *grad(cost, [s, w])], mode=mode)
        value, by_s, by_w = f(np.ones(4), 0.5)
        # each element is a product of 1.5 and 1
        assert by_s.sum() == value
        exponents = np.log(by_s) / np.log(1.5)
        np.testing.assert_allclose(by_w, (exponents * by_s / 1.5).sum())


def test_gradients_in_a_step_are_stabilized() -> None:
    x = at.dvector("x")
    out, _ = scan(lambda a, s: s + at.log(1 + at.exp(a)), x, at.constant(0.0))
    for mode in ("o1", "o4"):
        f = relgraph.function([x], grad(out[-1], x), mode=mode)
        np.testing.assert_array_equal(f([1000.0, -1000.0, 0.0]), [1.0, 0.0, 0.5])


def test_the_gradient_is_one_loop_backwards_beside_one_forwards() -> None:
    x, h, w = at.dmatrix("x"), at.dvector("h"), at.dmatrix("w")
    out, _ = scan(lambda row, h: at.tanh(row @ w + h @ w), x, h, name="rnn")
    f = relgraph.function([x, h, w], [out[-1].sum(), grad(out[-1].sum(), w)])
    loops = [node.op for node in f.maker.fgraph.apply_nodes if isinstance(node.op, Scan)]
    assert sorted(op.name for op in loops) == ["gradient of rnn", "rnn"]

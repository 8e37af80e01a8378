"""`rewrite`, `from_jax` and `to_jax`: functions of JAX as graphs, and stabilized ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import relgraph.tensor as at
from relgraph import function, grad, law, lvars, pprint
from relgraph.bridges import from_jax, rewrite, to_jax
from relgraph.bridges.jax.opaque import JaxOp
from relgraph.graph.reference import evaluate
from relgraph.tensor.type import TensorType
from tests.arrays import assert_close

FAR = np.array([1000.0, 999.0, -5.0])


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@rewrite
def softplus(x: Any) -> Any:
    return jnp.log(1 + jnp.exp(x))


@rewrite
def softmax(x: Any) -> Any:
    return jnp.exp(x) / jnp.sum(jnp.exp(x))


def test_values_and_derivatives_of_any_order_are_stable() -> None:
    assert softplus(800.0) == 800.0 and softplus.__name__ == "softplus"
    assert jax.grad(softplus)(800.0) == 1.0
    slope = 1 / (1 + np.exp(40.0))
    assert np.isclose(jax.grad(softplus)(-40.0), slope, rtol=1e-14)
    # 1 less a sigmoid has no digits there
    assert np.isclose(jax.jit(jax.grad(jax.grad(softplus)))(40.0), slope, rtol=1e-14)
    share = 1 / (1 + np.exp(-1.0))
    curved = share * (1 - share) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for jacobian in (jax.jacfwd, jax.jacrev):
        assert np.allclose(jax.jit(jacobian(softmax))(FAR)[:2, :2], curved, rtol=1e-13)
    curvature = jax.jit(jax.hessian(rewrite(lambda x: jnp.log(jnp.sum(jnp.exp(x))))))
    hessian = curvature(FAR)
    assert np.allclose(hessian[:2, :2], curved, rtol=1e-13)


def test_what_surrounds_a_rule_of_ones_own_is_stable() -> None:
    @jax.custom_vjp
    def clipped(x: Any) -> Any:
        return jnp.clip(x, -5, 5)

    clipped.defvjp(lambda x: (jnp.clip(x, -5, 5), None), lambda _, g: (3 * jnp.clip(g, -1, 1),))

    def around(x: Any) -> Any:
        return clipped(jnp.log(1 + jnp.exp(x))).sum() - jnp.log(1 / (1 + jnp.exp(x[0])))

    x = jnp.array([800.0, -800.0])
    value, slope = jax.value_and_grad(rewrite(around))(x)
    assert value == 805.0 and np.array_equal(slope, [4.0, 0.0])


def test_it_works_under_the_transformations_of_jax() -> None:
    assert np.allclose(jax.vmap(softplus)(FAR), np.logaddexp(FAR, 0))
    assert np.allclose(jax.jit(jax.vmap(jax.grad(softplus)))(FAR), 1 / (1 + np.exp(-FAR)))
    value, tangent = jax.jvp(softmax, (FAR,), (np.ones(3),))
    assert np.allclose(tangent, 0) and np.isclose(value.sum(), 1)
    assert np.allclose(jax.vjp(softmax, FAR)[1](np.ones(3))[0], 0)
    value, along = jax.linearize(softplus, 800.0)
    assert value == 800.0 and along(2.0) == 2.0
    mapped = jax.pmap(rewrite(lambda x: jnp.log(1 + jnp.exp(x)) + lax.psum(x, "i")), axis_name="i")
    assert np.array_equal(mapped(jnp.ones((1, 2)) * 500.0), [[1000.0, 1000.0]])
    assert np.array_equal(jax.jit(rewrite(softplus))(FAR), jax.jit(softplus)(FAR))


def test_tangents_of_integers_and_conditions_are_those_of_jax():
    def both(x):
        def parts(x):
            return jnp.log(jnp.exp(x)), jnp.argmax(x), x > 0

        return jax.jvp(parts, (x,), (jnp.ones_like(x),))

    x = np.arange(3, dtype="float32")
    expected = jax.tree.leaves(both(x))
    traced = from_jax(both, x)
    for found in (
        jax.tree.leaves(rewrite(both)(x)),
        to_jax(traced.inputs, traced.outputs)(x),
        *(function(traced.inputs, traced.outputs, mode=mode)(x) for mode in ("fast_run", "jax")),
    ):
        assert [v.dtype for v in found] == [v.dtype for v in expected]
        assert_close(found[:4], expected[:4], rtol=1e-6)


@partial(rewrite, static_argnums=2, static_argnames="kind")
def loss(params: Any, batch: Any, power: int, *, scale: Any = 1.0, kind: str = "mean") -> Any:
    rows, labels = batch
    p = jax.nn.softmax(rows @ params["w"] + params["b"])
    each = -jnp.log(p)[jnp.arange(len(labels)), labels] * scale
    total = jnp.mean(each**power) if kind == "mean" else jnp.sum(each**power)
    return total, {"hits": jnp.mean(jnp.argmax(p, -1) == labels)}


@pytest.mark.parametrize("given", [3, "exp", [jnp.exp]])
def test_only_functions_are_rewritten(given) -> None:
    with pytest.raises(TypeError, match="rewrite takes a function"):
        rewrite(given)


def test_pytrees_names_and_static_arguments() -> None:
    params = {"w": jnp.eye(3) * 900.0, "b": jnp.zeros(3)}
    batch = (jnp.eye(3), jnp.array([0, 1, 1]))
    value, found = loss(params, batch, power=1, scale=2.0, kind="sum")
    assert value == 1800.0 and np.isclose(found["hits"], 2 / 3)
    run = jax.jit(jax.value_and_grad(loss, has_aux=True), static_argnums=2)
    (value, _), slopes = run(params, batch, 1)
    assert value == 300.0 and np.allclose(slopes["b"], [0, -1 / 3, 1 / 3])
    assert slopes["w"].shape == (3, 3) and bool(jnp.isfinite(slopes["w"]).all())
    doubled = rewrite(lambda x, flag: x * 2 if flag is True else x, static_argnums=1)
    assert (doubled(1.0, 1), doubled(1.0, True)) == (1.0, 2.0)
    with pytest.raises(TypeError, match="name such an argument in static_argnums"):
        rewrite(lambda x, kind: x)(1.0, "sum")


class Model:
    def __init__(self) -> None:
        self.weights = jnp.ones(3) * 300.0

    @partial(rewrite, static_argnums=0)
    def loss(self, x: Any) -> Any:
        return jnp.log(1 + jnp.exp(self.weights @ x))


def test_what_is_taken_from_outside() -> None:
    def outer(w: Any) -> Any:
        inner = rewrite(lambda x: jnp.log(jnp.sum(jnp.exp(w * x))))
        return inner(FAR)

    # `w` is being traced when the inner function is rewritten
    assert jax.grad(outer)(2.0) == pytest.approx(1000 * 0.880797 + 999 * 0.119203)
    assert np.allclose(jax.jit(jax.vmap(outer))(jnp.ones(2)), outer(1.0))
    assert Model().loss(jnp.ones(3)) == 900.0


def test_loops_and_conditions_are_stabilized_inside() -> None:
    total = rewrite(
        lambda x: lax.scan(lambda c, y: (jnp.log(jnp.exp(c) + jnp.exp(y)), c), 0.0, x)[0]
    )
    assert np.isclose(total(FAR), np.logaddexp(1000, 999))
    assert np.allclose(jax.jit(jax.grad(total))(FAR), softmax(FAR), rtol=1e-12)
    either = rewrite(
        lambda x: lax.cond(x > 0, lambda x: jnp.log(1 + jnp.exp(x)), lambda x: jnp.exp(x) - 1, x)
    )
    assert either(800.0) == 800.0 and np.isclose(either(-1e-12), -1e-12, rtol=1e-15)
    slopes = jax.jit(jax.vmap(jax.grad(either)))(jnp.array([800.0, -1e-12]))
    assert np.array_equal(slopes, [1.0, 1 - 1e-12])


def test_a_choice_is_differentiated_after_vmap() -> None:
    def root(x: Any) -> Any:
        return lax.cond(x > 0, jnp.sqrt, lambda x: 2 * x, x)

    rows = jnp.array([4.0, 0.0, -1.0])
    slopes = jax.jit(jax.grad(lambda x: jnp.sum(jax.vmap(rewrite(root))(x))))(rows)
    assert slopes.tolist() == [0.25, 2.0, 2.0]  # not the infinite slope of the root


STACK = np.random.default_rng(0).normal(size=(3, 3, 3)) + 2 * np.eye(3)[:, :, None]


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: jax.vmap(jnp.linalg.det, in_axes=2)(x),
        lambda x: jax.vmap(jnp.linalg.inv, in_axes=1)(x),
        lambda x: jax.vmap(jnp.linalg.slogdet, in_axes=2)(x),
        lambda x: jax.vmap(jnp.linalg.solve, in_axes=(None, 0))(x[:, :, 0], x[:, :, 1]),
        lambda x: jax.vmap(jnp.logaddexp, in_axes=(0, 1))(x[0], x[1]),
        lambda x: jax.vmap(jax.nn.softmax, in_axes=2)(x),
        *(
            jax.grad(lambda x, of=of: jnp.sum(of(x[:, :, 0]) * x[0, 0, 1]))
            for of in (
                *(jnp.linalg.det, jnp.linalg.inv, lambda a: jnp.linalg.slogdet(a)[1]),
                *(lambda a: jnp.linalg.solve(a, a[0]), lambda a: jnp.logaddexp(a, 1.0)),
            )
        ),
    ],
)
def test_what_jax_makes_of_a_known_function_is_not_taken_for_it(fn: Callable[..., Any]) -> None:
    wanted = fn(jnp.asarray(STACK))
    found = from_jax(fn, STACK).function("None")(STACK)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert np.allclose(a, b, rtol=1e-10)


def test_fractions_of_subnormal_numbers_are_not_those_of_zeros() -> None:
    values = np.array([5e-324, -1e-310, 0.75, 0.0])
    graph = from_jax(jnp.frexp, values)
    assert_close(graph.function("None")(values), np.frexp(values))


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("name", ["det", "inv", "slogdet", "solve"])
def test_functions_of_linear_algebra_are_one_op(name: str, stacked: bool) -> None:
    known = getattr(jnp.linalg, name)
    fn = jax.vmap(known) if stacked else known
    a = ("float64", (5, 4, 4) if stacked else (4, 4))
    graph = from_jax(fn, *[a] * (2 if name == "solve" else 1))
    assert all(v.owner.inputs == graph.inputs for v in graph.outputs)


def test_laws_and_modes_are_chosen() -> None:
    a = lvars("a")
    circle = law("circle", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="finite")
    fn = lambda x: (jnp.sin(x) ** 2 + jnp.cos(x) ** 2) * jnp.log(1 + jnp.exp(x))  # noqa: E731
    assert "cos" not in pprint(rewrite(fn, laws=circle).graph(1.0).outputs[0])
    assert jnp.isinf(rewrite(fn, laws=circle)(800.0))  # that law alone
    assert rewrite(fn, laws=circle, mode="fast_run")(800.0) == 800.0
    assert rewrite(mode="stabilize")(fn)(800.0) == pytest.approx(800.0)
    text = pprint(rewrite(fn, laws=[circle], mode="stabilize").graph(1.0).outputs[0])
    assert "sin" not in text and "softplus" in text


def test_rules_of_ones_own_for_derivatives_are_kept() -> None:
    @jax.custom_vjp
    def clipped(x: Any) -> Any:
        return x * 1.0

    clipped.defvjp(lambda x: (x * 1.0, None), lambda _, g: (jnp.clip(g, -1, 1),))
    fn = rewrite(lambda x: clipped(x) * 5 + jnp.log(1 + jnp.exp(x)) + lax.stop_gradient(x))
    assert fn(800.0) == 5600.0 and jax.grad(fn)(800.0) == 2.0
    assert jax.grad(rewrite(jax.nn.relu))(0.0) == 0.0
    # draws are JAX's own
    key = jax.random.key(3)
    noisy = rewrite(lambda key, x: jnp.log(1 + jnp.exp(x + jax.random.normal(key, x.shape))))
    noise = jax.random.normal(key, (3,))
    assert np.allclose(noisy(key, FAR), np.logaddexp(FAR + noise, 0))
    assert np.allclose(jax.jit(jax.grad(lambda x: noisy(key, x).sum()))(FAR)[:2], 1)


def test_derivatives_of_complex_numbers_and_of_floats_that_numpy_has_not() -> None:
    z = np.array([1 + 2j, 0.3 - 1j])
    fn = lambda z: jnp.linalg.inv(jnp.outer(z, jnp.conj(z)) + jnp.eye(2)) * jnp.exp(z)  # noqa: E731
    row = np.full((2, 2), 1 + 0.5j)

    @partial(jax.jit, static_argnums=0)
    def slopes(fn: Any, z: Any) -> Any:
        return jax.jvp(fn, (z,), (1j * z,))[1], jax.vjp(fn, z)[1](row)[0]

    for found, wanted in zip(slopes(rewrite(fn), z), slopes(fn, z), strict=True):
        assert np.allclose(found, wanted)
    x = jnp.array([3.0, -2.0], "bfloat16")
    brief = rewrite(lambda x: jnp.log(1 + jnp.exp(x.astype("float32"))).astype("bfloat16") * x)
    assert brief(x).dtype == "bfloat16"
    total = jax.jit(jax.grad(lambda x: brief(x).astype("float32").sum()))
    found = total(x).astype("float32")
    assert np.allclose(found, [5.9, -0.11], rtol=0.05)


def test_without_the_flag_for_64_bits_nothing_is_said_of_it() -> None:
    with jax.enable_x64(False):
        fn = rewrite(lambda x: x[jnp.argmax(x)] + jnp.log(jnp.sum(jnp.exp(x))))
        x = jnp.array([200.0, 100.0])
        assert fn(x).dtype == "float32" and jax.jit(fn)(x) == 400.0
        assert np.array_equal(jax.jit(jax.grad(fn))(x), [2.0, 0.0])


def test_graphs_become_functions_of_jax() -> None:
    x, y = at.dvector("x"), at.dscalar("y")
    made = to_jax([x, y], at.sum(at.log(1 + at.exp(x * y))))
    assert jax.jit(made)(FAR, 1.0) == pytest.approx(np.logaddexp(FAR, 0).sum(), abs=np.inf)
    assert np.array_equal(jax.grad(made)(FAR, 1.0)[:2], [1.0, 1.0])  # stable as `relgraph.grad` is
    both = to_jax([x], [x * 2, x.argmax()])
    doubled, place = jax.vmap(both)(jnp.stack([FAR, FAR]))
    assert np.array_equal(doubled[1], FAR * 2) and place.tolist() == [0, 0]
    with pytest.raises(TypeError, match="the graph has 2 inputs, not 1"):
        made(FAR)
    # a round trip sees through what `to_jax` made
    back = from_jax(made, FAR, 1.0)
    assert not any(isinstance(n.op, JaxOp) for n in back.fgraph().apply_nodes)


# `from_jax`: graphs of JAX functions have their values, and what they carry through is known.

RNG = np.random.default_rng(0)
X, A, B = RNG.normal(size=4), RNG.normal(size=(4, 4)), RNG.normal(size=(2, 3, 4))
P = A @ A.T + np.eye(4)
PLACES, LABELS = np.array([0, 2, -1]), np.array([1, 3, 0, 2])


def elementwise(x: Any) -> Any:
    return (
        *(f(x) for f in (jnp.exp, jnp.tanh, jnp.abs, jnp.sign, jnp.round, jnp.cbrt, jnp.exp2)),
        *(f(x) for f in (jax.nn.sigmoid, jax.nn.gelu, jax.scipy.special.erf, lax.rsqrt, jnp.sinc)),
        *(x**2, x**3, jnp.abs(x) ** 2.5, jnp.abs(x) ** LABELS, jnp.clip(x, -1, 1)),
        *(jnp.where(x > 0, x, 0), jnp.arctan2(x, 2.0), jnp.isfinite(x), x.astype("float32")),
        jax.scipy.special.gammainc(2.0, x**2),
    )


def integers(n: Any) -> Any:
    return (
        *(n // 2, (n - 2) // 2, n % 3, lax.div(n - 2, n + 1), lax.rem(n - 2, n + 1), n**2),
        *(n << 1, n >> 1, n & 1, ~n, lax.population_count(n.astype("uint8")), -n),
    )


def softmaxes(x: Any) -> Any:
    return (
        *(jnp.log(jax.nn.softmax(x)), jax.nn.log_softmax(x), jax.nn.logsumexp(x)),
        *(jnp.logaddexp(x, 0.0), jax.nn.softplus(x), jnp.log(jax.nn.softmax(x.reshape(2, 2), 0))),
    )


def matrices(a: Any) -> Any:
    return (
        *(jnp.linalg.det(a), jnp.linalg.slogdet(a), jnp.linalg.inv(a), jnp.linalg.solve(a, a[0])),
        *(jnp.linalg.cholesky(a), jnp.linalg.eigh(a)[0], jnp.linalg.svd(a)[1]),
        *(jnp.abs(jnp.linalg.qr(a)[1]), jax.scipy.linalg.solve_triangular(a, a[0], trans=1)),
        lax.linalg.triangular_solve(a, a, left_side=False, lower=True),
    )


def parts(x: Any, a: Any, b: Any) -> Any:
    first, order = jnp.argmax(x), jnp.argsort(x)
    return (
        *(x[0], x[-1], x[::2], x[PLACES], x[first], a[PLACES], a[:, PLACES], a[PLACES[:, None], 0]),
        *(a[np.arange(4), LABELS], b[:, PLACES - 1], b[0, :, PLACES], b[:, 1:2, PLACES], a[::-1]),
        *(b[jnp.array([0, 1]), :, order[:2]], jnp.take(x, order + 2), a[order], a[first, order]),
        *(jnp.take_along_axis(a, LABELS[:, None], 1), lax.dynamic_slice(a, (first, 1), (2, 2))),
        *(jax.vmap(lambda row, i: row[i])(a, order), lax.dynamic_index_in_dim(a, first, 1)),
    )


def changed_parts(x: Any, a: Any) -> Any:
    first, order = jnp.argmax(x), jnp.argsort(x)
    return (
        *(x.at[0].set(3.0), x.at[PLACES].add(2.0), a.at[:, 1].set(x), a.at[first].set(x)),
        *(a.at[1:3, ::2].add(1.0), a.at[np.arange(4), LABELS].set(0.0), x.at[order + 1].add(1.0)),
        *(lax.dynamic_update_slice(a, a[:2, :2], (first, 1)), x.at[first + 2].set(0.0)),
    )


def reductions(a: Any) -> Any:
    return (
        *(a.sum(0), a.mean(), a.var(1), a.max(1), a.min(), a.prod(), jnp.argmax(a, 1)),
        *((a > 0).any(0), (a > 0).all(), jnp.argmin(a), a.astype("int32").sum(0), jnp.median(a)),
        *(jnp.cumsum(a, 1), jnp.cumprod(a, 0), lax.cummax(a, 1, reverse=True)),
        *(lax.cumlogsumexp(a), jnp.sort(a, 0), jnp.argsort(a), jnp.linalg.norm(a)),
    )


def products(x: Any, a: Any, b: Any) -> Any:
    return (
        *(a @ x, x @ a, x @ x, a @ a, jnp.outer(x, x), jnp.tensordot(b, a, 1), jnp.kron(a, a)),
        *(jnp.einsum("bij,jk->bik", b, a), jnp.einsum("bij,bkj->bik", b, b)),
        *(jnp.einsum("bij,bij->", b, b), jnp.einsum("ij,ij->i", a, a)),
    )


def shapes(x: Any, a: Any, b: Any) -> Any:
    return (
        *(a.T, b.transpose(2, 0, 1), b.reshape(6, 4), jnp.pad(a, ((1, 2), (0, 1)))),
        *(jnp.concatenate([a, a], 1), jnp.stack([x, x]), jnp.broadcast_to(x, (3, 4)), x[None]),
        *(jnp.tile(x, 3), jnp.repeat(x, 2), jnp.roll(x, 1), jnp.flip(a), jnp.tril(a), jnp.diag(x)),
        *(lax.pad(x, 0.0, [(-1, 2, 1)]), jnp.eye(3) * x[0], jnp.split(a, 2)[1], jnp.arange(4) * x),
    )


def control(x: Any, a: Any) -> Any:
    doubled = lambda v: v * 2  # noqa: E731
    return (
        lax.scan(lambda c, y: (c * 0.5 + y, c + y), 1.0, x),
        lax.scan(lambda c, y: (a @ c + y, c.sum()), x, a, reverse=True),
        lax.fori_loop(0, 3, lambda i, c: c * 2 + i, x),
        lax.cond(x[0] > 0, doubled, lambda v: v + 1, x),
        lax.switch(jnp.argmax(x), [doubled, lambda v: v, lambda v: -v, lambda v: v - 1], x),
        jax.grad(lambda v: jax.nn.logsumexp(a @ v))(x),
        jax.checkpoint(doubled)(x),
        lax.stop_gradient(x),
    )


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elementwise": (elementwise, (X,)),
    "integers": (integers, (LABELS,)),
    "softmaxes": (softmaxes, (X,)),
    "matrices": (matrices, (P,)),
    "parts": (parts, (X, A, B)),
    "changed parts": (changed_parts, (X, A)),
    "reductions": (reductions, (A,)),
    "products": (products, (X, A, B)),
    "shapes": (shapes, (X, A, B)),
    "control": (control, (X, A)),
}


def carried_through(traced: Any) -> set[str]:
    return {str(n.op) for n in traced.fgraph().apply_nodes if isinstance(n.op, JaxOp)}


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_jax(name: str) -> None:
    fn, given = CASES[name]
    traced = from_jax(fn, *given)
    found = evaluate(traced.outputs, dict(zip(traced.inputs, given, strict=True)))
    wanted = [np.asarray(v) for v in jax.tree.leaves(jax.jit(fn)(*given))]
    for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), i
        assert np.allclose(a, b, rtol=1e-9, atol=1e-11, equal_nan=True), i
    # only what has a rule of its own for its derivative, and is no op here
    assert carried_through(traced) <= {"jax.custom_jvp_call[_sinc_maclaurin]"}


def test_what_has_no_counterpart_is_carried_through_with_its_derivative() -> None:
    @jax.custom_vjp
    def triple_slope(x: Any) -> Any:
        return x * 2

    triple_slope.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 3,))

    def fn(key: Any, x: Any) -> Any:
        noise = jax.random.normal(key, x.shape)
        below = lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x))[1]
        return jnp.sum(triple_slope(x) + noise * below)

    key = jax.random.key(1)
    traced = from_jax(fn, key, X)
    names = carried_through(traced)
    assert {"jax.custom_vjp_call[triple_slope]", "jax.random_bits", "jax.while"} < names
    values = dict(zip(traced.inputs, (key, X), strict=True))
    assert np.allclose(evaluate(traced.outputs, values)[0], fn(key, X))
    # JAX differentiates what it computes
    simple = from_jax(lambda x: jnp.sum(triple_slope(x) ** 2), X)
    (slope,) = evaluate([grad(simple.outputs[0], simple.inputs[0])], {simple.inputs[0]: X})
    assert np.allclose(slope, 12 * X)


def test_specifications_and_names() -> None:
    v = at.dvector("v")
    traced = from_jax(
        lambda params, row, *, scale: {"sum": params["w"] @ row * scale},
        {"w": ("float32", (2, 3))},
        jax.ShapeDtypeStruct((3,), "float32"),
        scale=2.0,
    )
    assert [x.name for x in traced.inputs] == ["params.w", "row", "scale"]
    assert traced.inputs[0].type == TensorType("float32", (2, 3))
    assert set(traced.result) == {"sum"}
    found = traced.function()({"w": np.ones((2, 3), "f")}, np.ones(3, "f"), scale=2.0)
    assert np.array_equal(found["sum"], [6, 6])
    fixed = TensorType("float64", (3,))()
    assert from_jax(jnp.sum, fixed).inputs == [fixed]
    with pytest.raises(TypeError, match=r"argument a .*JAX knows all lengths"):
        from_jax(jnp.sum, v)
    with pytest.raises(TypeError, match="argument a is specified by 'x'"):
        from_jax(jnp.sum, "x")
    with pytest.raises(TypeError, match="debug_print computes nothing"):
        from_jax(lambda x: [jax.debug.print("{}", x), x], X)


def test_dtypes_are_those_that_jax_would_have() -> None:
    with jax.enable_x64(False):
        assert from_jax(jnp.sin, X).inputs[0].type == TensorType("float32", (4,))
        with pytest.raises(TypeError, match="of which JAX would make float32"):
            from_jax(jnp.sin, TensorType("float64", (3,))("x"))

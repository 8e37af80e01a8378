"""`rewrite` and `to_jax`: what JAX compiles, differentiates and vectorizes, made stable."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import relgraph.tensor as at
from relgraph import law, lvars, pprint
from relgraph.bridges import from_jax, rewrite, to_jax
from relgraph.bridges.jax.opaque import JaxOp

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
    assert np.isclose(jax.grad(jax.grad(softplus))(40.0), slope, rtol=1e-14)
    share = 1 / (1 + np.exp(-1.0))
    curved = share * (1 - share) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for jacobian in (jax.jacfwd, jax.jacrev):
        assert np.allclose(jax.jit(jacobian(softmax))(FAR)[:2, :2], curved, rtol=1e-13)
    hessian = jax.hessian(rewrite(lambda x: jnp.log(jnp.sum(jnp.exp(x)))))(FAR)
    assert np.allclose(hessian[:2, :2], curved, rtol=1e-13)


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
    assert np.allclose(jax.grad(total)(FAR), softmax(FAR), rtol=1e-12)
    either = rewrite(
        lambda x: lax.cond(x > 0, lambda x: jnp.log(1 + jnp.exp(x)), lambda x: jnp.exp(x) - 1, x)
    )
    assert either(800.0) == 800.0 and np.isclose(either(-1e-12), -1e-12, rtol=1e-15)
    assert np.array_equal(jax.vmap(jax.grad(either))(jnp.array([800.0, -1e-12])), [1.0, 1 - 1e-12])


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
    assert np.allclose(jax.grad(lambda x: noisy(key, x).sum())(FAR)[:2], 1)


def test_derivatives_of_complex_numbers_and_of_floats_that_numpy_has_not() -> None:
    z = np.array([1 + 2j, 0.3 - 1j])
    fn = lambda z: jnp.linalg.inv(jnp.outer(z, jnp.conj(z)) + jnp.eye(2)) * jnp.exp(z)  # noqa: E731
    assert np.allclose(jax.jvp(rewrite(fn), (z,), (1j * z,))[1], jax.jvp(fn, (z,), (1j * z,))[1])
    row = np.full((2, 2), 1 + 0.5j)
    assert np.allclose(jax.vjp(rewrite(fn), z)[1](row)[0], jax.vjp(fn, z)[1](row)[0])
    x = jnp.array([3.0, -2.0], "bfloat16")
    brief = rewrite(lambda x: jnp.log(1 + jnp.exp(x.astype("float32"))).astype("bfloat16") * x)
    assert brief(x).dtype == "bfloat16"
    found = jax.grad(lambda x: brief(x).astype("float32").sum())(x).astype("float32")
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

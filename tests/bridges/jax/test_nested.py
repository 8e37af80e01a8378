"""What JAX calls inside of a function is rewritten there and stays what it is; reports of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import relgraph.tensor as at
from relgraph.bridges import rewrite
from relgraph.gradient import Rop
from relgraph.graph.basic import io_toposort
from tests.arrays import assert_close
from tests.seeds import sampled

X = jnp.array([800.0, -3.0, 2.0])


def naive(x: Any) -> Any:
    return jnp.log(1 + jnp.exp(x))


def twice(x: Any) -> Any:
    return naive(naive(x))


@jax.custom_vjp
def with_pull_back(x: Any) -> Any:
    return naive(x)


with_pull_back.defvjp(lambda x: (naive(x), x), lambda x, g: (3 * g * jax.nn.sigmoid(x),))


@jax.custom_jvp
def with_push_forward(x: Any) -> Any:
    return naive(x)


with_push_forward.defjvp(lambda x, t: (with_push_forward(*x), 3 * t[0] * jax.nn.sigmoid(*x)))


def _until(x: Any) -> Any:
    return lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, naive(s[1])), (0, x))[1]


def _sharded(x: Any) -> Any:
    mesh = jax.make_mesh((1,), ("i",), axis_types=(AxisType.Auto,))
    each = lambda x: naive(x) + lax.psum(naive(x), "i")  # noqa: E731
    return jax.shard_map(each, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(x) / 2


ONCE, TWICE = jax.nn.softplus, lambda x: jax.nn.softplus(jax.nn.softplus(x))

# The function, what it is without overflow, and how its slope compares with that of it.
CALLS: dict[str, tuple[Any, Any, float]] = {
    "while": (_until, TWICE, 1),
    "fori_loop": (
        lambda x: lax.fori_loop(0, jnp.argmax(x) + 2, lambda i, s: naive(s), x),
        TWICE,
        1,
    ),
    "scan": (lambda x: lax.scan(lambda s, _: (naive(s), None), x, None, 2)[0], TWICE, 1),
    "map": (lambda x: lax.map(naive, x), ONCE, 1),
    "cond": (lambda x: lax.cond(x[0] > 0, naive, jnp.exp, x), ONCE, 1),
    "jit": (jax.jit(naive), ONCE, 1),
    "checkpoint": (jax.checkpoint(twice), TWICE, 1),
    "checkpoint with a policy": (
        jax.checkpoint(twice, policy=jax.checkpoint_policies.dots_saveable),
        TWICE,
        1,
    ),
    "custom_vjp": (with_pull_back, ONCE, 3),
    "custom_jvp": (with_push_forward, ONCE, 3),
    "shard_map": (_sharded, ONCE, 1),
}
_NO_REVERSE, _NO_FORWARD = ("while", "fori_loop"), ("custom_vjp",)


@pytest.mark.parametrize("kind", CALLS)
def test_it_is_rewritten_inside(kind: str) -> None:
    function, stable, factor = CALLS[kind]
    rewritten = rewrite(function)
    np.testing.assert_allclose(rewritten(X), stable(X), rtol=1e-6)
    slope = factor * jax.grad(lambda x: stable(x).sum())(X)
    if kind not in _NO_REVERSE:
        found = jax.jit(jax.grad(lambda x: rewritten(x).sum()))(X)
        np.testing.assert_allclose(found, slope, rtol=1e-5)
    if kind not in _NO_FORWARD:
        found = jax.jvp(rewritten, (X,), (jnp.ones(3),))[1]
        np.testing.assert_allclose(found, slope, rtol=1e-5)


@pytest.mark.parametrize("kind", ["while", "checkpoint", "custom_vjp", "custom_jvp", "shard_map"])
def test_it_stays_what_it_is(kind: str) -> None:
    names = {"checkpoint": "checkpoint|remat2"}.get(kind, kind)
    text = str(jax.make_jaxpr(rewrite(CALLS[kind][0]))(X))
    assert re.search(rf"= ({names})(_call)?\[", text), text


def test_a_checkpoint_computes_again_when_it_is_differentiated() -> None:
    text = str(jax.make_jaxpr(jax.grad(lambda x: rewrite(jax.checkpoint(twice))(x).sum()))(X))
    assert re.search(r"= (checkpoint|remat2)\[", text)


def test_a_report_says_which_laws_were_applied_and_what_is_left_to_jax() -> None:
    def loss(x: Any) -> Any:
        return jnp.sum(
            jax.checkpoint(naive)(x) + lax.conv(x[None, None], x[None, None], (1,), "SAME")
        )

    report = rewrite(loss).report(X)
    assert report.laws == {"softplus": 1}
    assert report.carried == {
        ("remat2", "rewritten inside"): 1,
        ("conv_general_dilated", "no op is its counterpart"): 1,
    }
    assert str(report).splitlines() == [
        "loss: laws that were applied",
        "  softplus",
        "loss: carried through to JAX",
        "  remat2: rewritten inside",
        "  conv_general_dilated: no op is its counterpart",
    ]
    in_a_loop = rewrite(CALLS["scan"][0]).report(X)
    assert in_a_loop.laws == {"softplus": 1} and not in_a_loop.carried


@pytest.mark.filterwarnings("error")
def test_it_warns_where_nothing_at_all_was_rewritten() -> None:
    def convolved(x: Any) -> Any:
        return lax.conv(x[None, None], x[None, None], (1,), "SAME")

    with pytest.warns(UserWarning, match=r"no law[^$]*conv_general_dilated: no op is"):
        rewrite(convolved)(X)
    rewrite(lambda x: x * 3)(X)
    rewrite(lambda x: convolved(x) + naive(x))(X)


# Gradients are finite where a branch that is not taken has an infinite slope.


CHOSEN_X = np.array([4.0, 0.0, 1.0, -2.0])
MASK = np.array([True, False, True, False])

# Each with its slope at X.
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "log": (lambda v: jnp.where(v > 0, jnp.log(v), 0), [0.25, 0, 1, 0]),
    "known": (lambda v: jnp.where(MASK, jnp.log(v), 0), [0.25, 0, 1, 0]),
    "square of log": (lambda v: jnp.where(v > 0, jnp.log(v) ** 2, 0), [np.log(4) / 2, 0, 0, 0]),
    "x log x": (lambda v: jnp.where(v > 0, v * jnp.log(v), 0), [np.log(4) + 1, 0, 1, 0]),
    "sqrt": (lambda v: jnp.where(v > 0, jnp.sqrt(v), 0), [0.25, 0, 0.5, 0]),
    "power": (lambda v: jnp.where(v > 0, v**-1.5, 7), [-1.5 / 32, 0, -1.5, 0]),
    "quotient": (lambda v: jnp.where(v > 0, 1 / v, 0), [-1 / 16, 0, -1, 0]),
    "other branch": (lambda v: jnp.where(v > 0, jnp.log(v), v * v), [0.25, 0, 1, -4]),
    "in another": (
        lambda v: jnp.where(v > 0, jnp.where(v > 2, jnp.log(v), jnp.sqrt(v)), 0),
        [0.25, 0, 0.5, 0],
    ),
    "rows": (
        lambda v: jnp.where(v[:, None] > 0, jnp.log(v)[:, None] * jnp.array([1.0, 2.0, 3.0]), 1),
        [1.5, 0, 6, 0],
    ),
    "repeated rows": (
        lambda v: jnp.where((v > 0)[:, None], jnp.broadcast_to(jnp.sqrt(v)[:, None], (4, 3)), 1),
        [0.75, 0, 1.5, 0],
    ),
    "sinc": (
        lambda v: jnp.where(v != 0, jnp.sin(v) / v, 1),
        [
            (np.cos(4) * 4 - np.sin(4)) / 16,
            0,
            np.cos(1) - np.sin(1),
            (np.cos(2) * -2 + np.sin(2)) / 4,
        ],
    ),
}
WAYS: dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]] = {
    "gradient of a rewritten function": lambda f: jax.grad(rewrite(f)),
    "rewritten gradient": lambda f: rewrite(jax.grad(f)),
    "forwards": lambda f: jax.jacfwd(rewrite(f)),
}


@pytest.mark.parametrize(
    ("name", "way"), sampled(product(FUNCTIONS, WAYS), 18, "slopes of branches")
)
def test_the_slope_is_that_of_the_branch_that_is_taken(name: str, way: str) -> None:
    function, slope = FUNCTIONS[name]
    with jax.enable_x64(True):
        run = jax.jit(WAYS[way](lambda v: jnp.sum(function(v))))
        found = run(jnp.asarray(CHOSEN_X))
    np.testing.assert_allclose(found, slope, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 6, "second derivatives of branches"))
def test_second_derivatives_are_finite_too(name: str) -> None:
    function, _ = FUNCTIONS[name]
    with jax.enable_x64(True):
        found = jax.jit(jax.hessian(rewrite(lambda v: jnp.sum(function(v)))))(jnp.asarray(CHOSEN_X))
        right = jax.jit(jax.hessian(lambda v: jnp.sum(function(v))))(jnp.asarray(CHOSEN_X))
    taken = np.isfinite(np.diag(right))
    assert taken[0] and taken[2]
    np.testing.assert_allclose(np.diag(found)[taken], np.diag(right)[taken], rtol=1e-12, atol=1e-14)
    assert np.isfinite(found).all()


def test_the_work_for_many_choices_is_bounded() -> None:
    def chosen(v: Any) -> Any:
        for k in range(40):
            v = jnp.where(v > k - 20, v * 0.5 + 1, jnp.sin(v))
        return jnp.sum(v)

    x = jnp.asarray(CHOSEN_X)
    here = len(jax.make_jaxpr(jax.grad(rewrite(chosen)))(x).jaxpr.eqns)
    plain = len(jax.make_jaxpr(jax.grad(chosen))(x).jaxpr.eqns)
    assert here <= 5 * plain
    np.testing.assert_allclose(jax.grad(rewrite(chosen))(x), jax.grad(chosen)(x), rtol=1e-5)


# What the value and the gradient of a rewritten function cost, over the depth of the function.


DEPTHS = {"layers": (4, 12, 48), "recurrence": (4, 12, 48), "transformer": (2, 4)}
_MOST = 1.5


def _layers(depth):
    def loss(parameters, x, y):
        for weights, bias in parameters:
            x = jnp.tanh(x @ weights + bias)
        return jnp.mean(jnp.log(1 + jnp.exp(-y * x.sum(1))))

    random = np.random.default_rng(0)
    parameters = [(_drawn(random, 8, 8), np.zeros(8, "f")) for _ in range(depth)]
    return loss, (parameters, _drawn(random, 4, 8), np.sign(_drawn(random, 4)))


def _recurrence(depth):
    def loss(weights, x):
        state = jnp.zeros(4)
        for row in x:
            state = jnp.tanh(state @ weights + row)
        return (state**2).sum()

    return loss, (np.eye(4, dtype="f"), np.ones((depth, 4), "f"))


def _normalized(x, gain):
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain


def transformer(depth, width=8, length=6, words=5):
    def loss(embedding, blocks, out, tokens, labels):
        h = embedding[tokens]
        for first, wq, wk, wv, wo, second, w1, w2 in blocks:
            a = _normalized(h, first)
            scores = (a @ wq) @ (a @ wk).T / width**0.5
            scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
            powers = jnp.exp(scores)
            h = h + powers / powers.sum(-1, keepdims=True) @ (a @ wv) @ wo
            h = h + jax.nn.gelu(_normalized(h, second) @ w1) @ w2
        p = jnp.exp(h @ out)
        p = p / p.sum(-1, keepdims=True)
        return -jnp.mean(jnp.log(p[jnp.arange(length), labels]))

    random = np.random.default_rng(0)
    ones = np.ones(width, "f")
    squares = [[_drawn(random, width, width) for _ in range(4)] for _ in range(depth)]
    blocks = [
        (ones, *four, ones, _drawn(random, width, 2 * width), _drawn(random, 2 * width, width))
        for four in squares
    ]
    tokens, labels = random.integers(0, words, (2, length))
    ends = _drawn(random, words, width), _drawn(random, width, words)
    return loss, (ends[0], blocks, ends[1], tokens, labels)


def _drawn(random, *shape):
    return (0.1 * random.normal(size=shape)).astype("f")


def _equations(jaxpr):
    """Return how many equations a jaxpr has, with those of the jaxprs that it calls."""
    count = 0
    for eqn in jaxpr.eqns:
        inner = [p for v in eqn.params.values() for p in (v if isinstance(v, tuple) else (v,))]
        inner = [getattr(p, "jaxpr", p) for p in inner]
        inner = [p for p in inner if hasattr(p, "eqns")]
        count += sum(map(_equations, inner)) if inner else 1
    return count


def _of_value_and_gradient(function, args):
    return _equations(jax.make_jaxpr(jax.value_and_grad(function))(*args).jaxpr)


MADE = {"layers": _layers, "recurrence": _recurrence, "transformer": transformer}


@pytest.mark.parametrize(("made", "depth"), [(name, n) for name in MADE for n in DEPTHS[name]])
def test_value_and_gradient_have_no_more_equations_at_any_depth(made, depth):
    function, args = MADE[made](depth)
    naive = _of_value_and_gradient(function, args)
    assert _of_value_and_gradient(rewrite(function), args) <= _MOST * naive


@pytest.mark.parametrize("depth", [4, 48])
def test_jacobian_products_of_all_layers_cost_a_constant_for_each_layer(depth):
    x = at.fvector("x")
    weights = [at.fmatrix(f"w{i}") for i in range(depth)]
    outputs, h = [], x
    for w in weights:
        h = at.tanh(w @ h)
        outputs.append(h)
    tangents = [w.type(f"t{i}") for i, w in enumerate(weights)]
    moved = Rop(outputs, weights, tangents)
    assert len(list(io_toposort([x, *weights, *tangents], moved))) <= 40 * depth


def test_a_graph_is_lowered_once_for_all_calls_of_one_signature():
    function, args = _layers(4)
    rewritten = rewrite(function)
    traced = jax.make_jaxpr(jax.value_and_grad(rewritten))
    assert str(traced(*args)) == str(traced(*args))
    value, slopes = jax.jit(jax.value_and_grad(rewritten))(*args)
    by_jax, slopes_by_jax = jax.value_and_grad(function)(*args)
    np.testing.assert_allclose(value, by_jax, rtol=1e-6)
    assert_close(jax.tree.leaves(slopes), jax.tree.leaves(slopes_by_jax), rtol=1e-4, atol=1e-7)

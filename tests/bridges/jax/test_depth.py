"""What the value and the gradient of a rewritten function cost, over the depth of the function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.bridges.jax import rewrite
from relgraph.gradient import Rop
from relgraph.graph.basic import io_toposort
from tests.arrays import assert_close

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

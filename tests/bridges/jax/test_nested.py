"""What JAX calls inside of a function is rewritten there and stays what it is; reports of it."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from relgraph.bridges import rewrite

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

"""Gradients are finite where a branch that is not taken has an infinite slope."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from relgraph.bridges.jax import rewrite
from tests.seeds import sampled

X = np.array([4.0, 0.0, 1.0, -2.0])
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
        found = run(jnp.asarray(X))
    np.testing.assert_allclose(found, slope, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 6, "second derivatives of branches"))
def test_second_derivatives_are_finite_too(name: str) -> None:
    function, _ = FUNCTIONS[name]
    with jax.enable_x64(True):
        found = jax.jit(jax.hessian(rewrite(lambda v: jnp.sum(function(v)))))(jnp.asarray(X))
        right = jax.jit(jax.hessian(lambda v: jnp.sum(function(v))))(jnp.asarray(X))
    taken = np.isfinite(np.diag(right))
    assert taken[0] and taken[2]
    np.testing.assert_allclose(np.diag(found)[taken], np.diag(right)[taken], rtol=1e-12, atol=1e-14)
    assert np.isfinite(found).all()


def test_the_work_for_many_choices_is_bounded() -> None:
    def chosen(v: Any) -> Any:
        for k in range(40):
            v = jnp.where(v > k - 20, v * 0.5 + 1, jnp.sin(v))
        return jnp.sum(v)

    x = jnp.asarray(X)
    here = len(jax.make_jaxpr(jax.grad(rewrite(chosen)))(x).jaxpr.eqns)
    plain = len(jax.make_jaxpr(jax.grad(chosen))(x).jaxpr.eqns)
    assert here <= 5 * plain
    np.testing.assert_allclose(jax.grad(rewrite(chosen))(x), jax.grad(chosen)(x), rtol=1e-5)

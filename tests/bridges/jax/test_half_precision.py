"""Functions of floats of 16 bits: they are computed in 32, and products are left in 16."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from relgraph.bridges import from_jax, rewrite
from tests.bridges.jax.test_nested import transformer

HALF = ("float16", "bfloat16")


def _naive(x: Any) -> Any:
    return jnp.log(jnp.sum(jnp.exp(x)))


@pytest.mark.parametrize("dtype", HALF)
def test_laws_are_applied_through_the_casts_of_sums(dtype: str) -> None:
    x = jnp.array([300.0, 20.0, -5.0], dtype)
    assert jnp.isinf(_naive(x))
    stable = rewrite(_naive)
    found = stable(x)
    assert found == 300 and found.dtype == dtype
    for slope in (jax.grad(stable), jax.jacfwd(stable)):
        found = jax.jit(slope)(x)
        assert found.dtype == dtype and np.array_equal(found.astype("float32"), [1, 0, 0])


@pytest.mark.parametrize("dtype", HALF)
def test_products_stay_in_16_bits(dtype: str) -> None:
    x, weights = jnp.ones((2, 3), dtype), jnp.ones((3, 4), dtype)
    stable = rewrite(lambda x, w: jnp.log(1 + jnp.exp(200 * x @ w)))
    assert np.array_equal(np.asarray(stable(x, weights), "float32"), np.full((2, 4), 600))
    products = [
        line for line in str(jax.make_jaxpr(stable)(x, weights)).splitlines() if "dot_" in line
    ]
    assert products and not any("f32" in line.partition("=")[0] for line in products)
    slopes = jax.jit(jax.grad(lambda w: stable(x, w).sum()))(weights)
    assert slopes.dtype == dtype and np.array_equal(np.asarray(slopes, "float32"), [[400] * 4] * 3)


@pytest.mark.parametrize("dtype", HALF)
def test_loops_conditions_and_what_is_captured(dtype: str) -> None:
    x = jnp.array([90.0, 95.0, -3.0], dtype)

    @rewrite
    def total(x: Any) -> Any:
        return jax.lax.scan(lambda c, y: (jnp.log(jnp.exp(c) + jnp.exp(y)), c), x[0] * 0, x)[0]

    found = total(x)
    assert abs(float(found) - 95.007) < 1 and found.dtype == dtype

    def outer(w: Any) -> Any:
        return rewrite(lambda x: jax.lax.cond(x[0] > 0, _naive, jnp.sum, w * x))(x)

    assert abs(float(jax.jit(jax.grad(outer))(jnp.asarray(2.0, dtype))) - 95) < 1


def test_graphs_of_functions_keep_their_dtypes() -> None:
    graph = from_jax(lambda x: x * 2 + 1, ("float16", (3,)))
    assert graph.outputs[0].type.dtype == "float16"


def test_a_transformer_trains_in_bfloat16_where_the_naive_one_overflows() -> None:
    loss, (embedding, blocks, out, tokens, labels) = transformer(2)
    parameters = jax.tree.map(
        lambda a: jnp.asarray(a, "bfloat16"), (10 * embedding, blocks, 1000 * out)
    )

    def trained(loss: Any) -> list[float]:
        def step(parameters: Any) -> Any:
            value, slopes = jax.value_and_grad(lambda p: loss(*p, tokens, labels))(parameters)
            moved = jax.tree.map(lambda a, g: (a - 1e-5 * g).astype(a.dtype), parameters, slopes)
            return value, moved

        run, held, values = jax.jit(step), parameters, []
        for _ in range(8):
            value, held = run(held)
            values.append(float(value))
        return values

    assert np.isnan(trained(loss)[1:]).all()
    values = trained(rewrite(loss))
    assert np.isfinite(values).all() and values[-1] < values[0]

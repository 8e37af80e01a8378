"""`from_jax`: graphs of JAX functions have their values, and what they carry through is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import relgraph.tensor as at
from relgraph import grad
from relgraph.bridges import from_jax
from relgraph.bridges.jax.opaque import JaxOp
from relgraph.graph.reference import evaluate
from relgraph.tensor.type import TensorType

RNG = np.random.default_rng(0)
X, A, B = RNG.normal(size=4), RNG.normal(size=(4, 4)), RNG.normal(size=(2, 3, 4))
P = A @ A.T + np.eye(4)
PLACES, LABELS = np.array([0, 2, -1]), np.array([1, 3, 0, 2])


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


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

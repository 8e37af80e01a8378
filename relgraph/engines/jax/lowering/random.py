"""Draws by JAX's keys, which are another stream than those of NumPy's generators.

A generator is a key of JAX's, two numbers of uint32. The formulas are those of
`numpy.random.Generator`, of JAX's own draws where it has them. What JAX does not draw, NumPy draws
on the host, by a generator whose seed is the key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import output_shapes, static
from relgraph.engines.jax.values import as_dtype, call_host, generator_of
from relgraph.graph.basic import Apply
from relgraph.tensor.random.op import Permuted, RandomVariable

r = jax.random

Draw = Callable[..., Any]
"""Takes a key, the shape of the draws, a dtype of floats and the parameters."""


def _positive_uniform(key: Any, shape: Any, dtype: Any) -> Any:
    return r.uniform(key, shape, dtype, minval=jnp.finfo(dtype).tiny)


def _categorical(key: Any, shape: Any, dtype: Any, p: Any) -> Any:
    totals = jnp.cumsum(p, axis=-1)
    drawn = r.uniform(key, (*shape, 1), dtype)
    return jnp.sum(totals / totals[..., -1:] <= drawn, axis=-1)


def _integers(key: Any, shape: Any, dtype: Any, low: Any, high: Any, endpoint: bool) -> Any:
    if high.dtype == jnp.uint64 or low.dtype == jnp.uint64:
        low, high = as_dtype(low, "uint64"), as_dtype(high, "uint64")
    else:
        low, high = as_dtype(low, "int64"), as_dtype(high, "int64")
    return r.randint(key, shape, low, high + endpoint, low.dtype)


def _multivariate_normal(
    key: Any, shape: Any, dtype: Any, mean: Any, cov: Any, method: str, **options: Any
) -> Any:
    # what NumPy checks of the covariance is not checked
    return r.multivariate_normal(key, mean, cov, shape, dtype, method=method)


def _choice(
    key: Any, shape: Any, dtype: Any, a: Any, p: Any = None, *, replace: bool, shuffle: bool
) -> Any:
    # without repetition JAX shuffles in any case
    return r.choice(key, int(a), shape, replace=replace, p=p)


def _of(draw: Any) -> Draw:
    """Return the draws of a function of JAX's that has the same parameters."""
    return lambda key, shape, dtype, *parameters: draw(
        key, *[jnp.broadcast_to(x, shape) for x in parameters], shape, dtype
    )


def _times(draw: Any) -> Draw:
    """Return draws multiplied by a scale."""
    return lambda key, shape, dtype, scale: scale * draw(key, shape, dtype)


def _placed(draw: Any) -> Draw:
    """Return draws multiplied by a scale, behind a location."""
    return lambda key, shape, dtype, loc, scale: loc + scale * draw(key, shape, dtype)


def _absolute(draw: Any) -> Any:
    return lambda key, shape, dtype: jnp.abs(draw(key, shape, dtype))


def _gamma(key: Any, shape: Any, dtype: Any, a: Any, scale: Any = 1.0) -> Any:
    return scale * r.gamma(key, jnp.broadcast_to(a, shape), shape, dtype)


_SAME = ("beta", "chisquare", "f", "rayleigh", "triangular")
_PLACED = ("cauchy", "gumbel", "laplace", "logistic", "normal")

DRAWS: dict[str, Draw] = {
    **{name: _of(getattr(r, name)) for name in _SAME},
    **{name: _placed(getattr(r, name)) for name in _PLACED},
    "binomial": lambda key, shape, dtype, n, p: r.binomial(key, n.astype(dtype), p, shape, dtype),
    "dirichlet": lambda key, shape, dtype, alpha: r.dirichlet(key, alpha, shape, dtype),
    "exponential": _times(r.exponential),
    "gamma": _gamma,
    "geometric": lambda key, shape, dtype, p: jnp.maximum(
        jnp.ceil(jnp.log(_positive_uniform(key, shape, dtype)) / jnp.log1p(-p)), 1
    ),
    "lognormal": lambda key, shape, dtype, mean, sigma: jnp.exp(
        mean + sigma * r.normal(key, shape, dtype)
    ),
    "multinomial": lambda key, shape, dtype, n, p: r.multinomial(
        key, n.astype(dtype), p, shape=(*shape, p.shape[-1]), dtype=dtype
    ),
    "pareto": lambda key, shape, dtype, a: jnp.expm1(r.exponential(key, shape, dtype) / a),
    "poisson": lambda key, shape, dtype, lam: r.poisson(key, jnp.broadcast_to(lam, shape), shape),
    "power": lambda key, shape, dtype, a: jnp.exp(-r.exponential(key, shape, dtype) / a),
    "random": r.uniform,
    "standard_cauchy": r.cauchy,
    "standard_exponential": lambda key, shape, dtype, method: r.exponential(key, shape, dtype),
    "standard_gamma": _gamma,
    "standard_normal": r.normal,
    "standard_t": _of(r.t),
    "uniform": lambda key, shape, dtype, low, high: (
        low + (high - low) * r.uniform(key, shape, dtype)
    ),
    "wald": lambda key, shape, dtype, mean, scale: scale * r.wald(key, mean / scale, shape, dtype),
    "weibull": lambda key, shape, dtype, a: jnp.power(r.exponential(key, shape, dtype), 1 / a),
    "integers": _integers,
    "multivariate_normal": _multivariate_normal,
    "bernoulli": lambda key, shape, dtype, p: r.uniform(key, shape, dtype) < p,
    "categorical": _categorical,
    "halfcauchy": _placed(_absolute(r.cauchy)),
    "halfnormal": _placed(_absolute(r.normal)),
    "invgamma": lambda key, shape, dtype, a, scale: scale / _gamma(key, shape, dtype, a),
    "t": lambda key, shape, dtype, df, loc, scale: loc + scale * r.t(key, df, shape, dtype),
    "choice": _choice,
}
"""The draws that JAX makes, by the names of the distributions."""


def _next_and_own(key: Any) -> tuple[Any, Any]:
    """Return the key for what is drawn later, and that for one draw."""
    both = jax.random.split(jax.random.wrap_key_data(jnp.asarray(key), impl="threefry2x32"))
    return jax.random.key_data(both[0]), both[1]


def random_variable(op: RandomVariable, node: Apply, key: Any, *values: Any) -> Any:
    size = tuple(static(node, 1, values[0]).tolist()) if op.sized else None
    given = values[1:] if op.sized else values
    parameters = op.distribution.parameters
    batches = [x.shape[: x.ndim - len(p.core)] for x, p in zip(given, parameters, strict=True)]
    shape = jnp.broadcast_shapes(*batches) if size is None else size
    out = node.outputs[1].type.dtype
    dtype = np.dtype("float32" if out in ("float16", "float32") else "float64")
    later, own = _next_and_own(key)
    draw = DRAWS.get(op.distribution.name)
    if draw is None:
        return later, _drawn_by_numpy(op, node, r.key_data(own), *values)
    arrays = [
        jnp.asarray(x) if p.integer else as_dtype(jnp.asarray(x), dtype)
        for x, p in zip(given, parameters, strict=True)
    ]
    if op.distribution.name == "choice":
        arrays[0] = static(node, 1 + op.sized, given[0])
    return later, as_dtype(draw(own, shape, dtype, *arrays, **dict(op.options)), out)


def _drawn_by_numpy(op: RandomVariable, node: Apply, key: Any, *values: Any) -> Any:
    def draw(key: Any, *given: Any) -> list[Any]:
        return [op.draw(generator_of(key), node, given)]

    result = output_shapes(node, [key, *values])[1], node.outputs[1].type.numpy_dtype
    return call_host(draw, [result], [key, *values], "sequential")[0]


def permuted(op: Permuted, node: Apply, key: Any, x: Any) -> Any:
    later, own = _next_and_own(key)
    return later, jax.random.permutation(own, jnp.asarray(x), axis=op.axis, independent=True)


TABLE: dict[type, Any] = {
    RandomVariable: random_variable,
    Permuted: permuted,
}

"""Draws by JAX's keys, which are another stream than those of NumPy's generators.

A generator is a key of JAX's, two numbers of uint32. The formulas are those of
`numpy.random.Generator`, of JAX's own draws where it has them. Some draw by loops: what is rejected
is drawn again, and what is counted is counted one by one (Devroye, Non-Uniform Random Variate
Generation, 1986, ch. X; Best and Fisher, Efficient Simulation of the von Mises Distribution, 1979;
Kemp, Efficient Generation of Logarithmically Distributed Pseudo-Random Variables, 1981).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from relgraph.engines.jax.lowering.dispatch import LoweringError, static
from relgraph.engines.jax.values import as_dtype
from relgraph.graph.basic import Apply
from relgraph.tensor.random.op import Permutation, Permuted, RandomVariable

r = jax.random


def _until_accepted(key: Any, first: Any, propose: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return draws, each the first of its proposals that is accepted.

    Parameters
    ----------
    first
        An array of the shape and dtype of the draws.
    propose
        Makes of a key proposals, and whether each is accepted.
    """

    def goes_on(state: Any) -> Any:
        return ~jnp.all(state[2])

    def body(state: Any) -> Any:
        key, drawn, done = state
        key, own = r.split(key)
        proposed, accepted = propose(own)
        return key, jnp.where(done, drawn, proposed), done | accepted

    return lax.while_loop(goes_on, body, (key, first, jnp.zeros(first.shape, bool)))[1]


def vonmises(key: Any, shape: Any, dtype: Any, mu: Any, kappa: Any) -> Any:
    tau = 1 + jnp.sqrt(1 + 4 * kappa * kappa)
    rho = (tau - jnp.sqrt(2 * tau)) / (2 * kappa)
    # where the formula loses its digits, or divides by zero
    s = jnp.where(kappa < 1e-5, 1 / jnp.maximum(kappa, 1e-300) + kappa, (1 + rho * rho) / (2 * rho))

    def propose(key: Any) -> tuple[Any, Any]:
        u, v, side = r.uniform(key, (3, *shape), dtype)
        z = jnp.cos(np.pi * u)
        w = (1 + s * z) / (s + z)
        y = kappa * (s - w)
        accepted = (y * (2 - y) - v >= 0) | (jnp.log(y / v) + 1 - y >= 0)
        angle = jnp.arccos(jnp.clip(w, -1, 1))
        return jnp.where(side < 0.5, -angle, angle), accepted

    first, second = r.split(key)
    flat = r.uniform(first, shape, dtype, minval=-np.pi, maxval=np.pi)
    drawn = _until_accepted(second, jnp.zeros(shape, dtype), propose)
    turned = jnp.where(kappa < 1e-8, flat, drawn) + mu
    return jnp.remainder(turned + np.pi, 2 * np.pi) - np.pi


def zipf(key: Any, shape: Any, dtype: Any, a: Any) -> Any:
    b = jnp.power(2.0, a - 1)

    def propose(key: Any) -> tuple[Any, Any]:
        u, v = _positive_uniform(key, (2, *shape), dtype)
        x = jnp.floor(jnp.power(u, -1 / (a - 1)))
        t = jnp.power(1 + 1 / x, a - 1)
        return x, (x < 2.0**63) & (v * x * (t - 1) / (b - 1) <= t / b)

    return _until_accepted(key, jnp.ones(shape, dtype), propose)


def logseries(key: Any, shape: Any, dtype: Any, p: Any) -> Any:
    u, v = _positive_uniform(key, (2, *shape), dtype)
    q = -jnp.expm1(jnp.log1p(-p) * u)
    small = jnp.maximum(jnp.floor(1 + jnp.log(v) / jnp.log(q)), 1)
    return jnp.where(v >= p, 1, jnp.where(v <= q * q, small, jnp.where(v >= q, 1, 2)))


def hypergeometric(key: Any, shape: Any, dtype: Any, ngood: Any, nbad: Any, nsample: Any) -> Any:
    good, bad, sample = (
        jnp.broadcast_to(as_dtype(n, "int64"), shape) for n in (ngood, nbad, nsample)
    )

    def goes_on(state: Any) -> Any:
        return state[1] < jnp.max(sample, initial=0)

    def body(state: Any) -> Any:
        key, drawn, left = state
        key, own = r.split(key)
        hit = r.uniform(own, shape, dtype) * (good + bad - drawn) < left
        return key, drawn + 1, left - (hit & (drawn < sample))

    return good - lax.while_loop(goes_on, body, (key, jnp.asarray(0), good))[2]


def multivariate_hypergeometric(
    key: Any, shape: Any, dtype: Any, colors: Any, nsample: Any, method: str
) -> Any:
    count = colors.shape[-1]
    colors = jnp.broadcast_to(as_dtype(colors, "int64"), (*shape, count))
    left = jnp.broadcast_to(as_dtype(nsample, "int64"), shape)
    rest = jnp.sum(colors, axis=-1)
    drawn = []
    for i in range(count):
        key, own = r.split(key)
        rest = rest - colors[..., i]
        found = hypergeometric(own, shape, dtype, colors[..., i], rest, left)
        left = left - found
        drawn.append(found)
    return jnp.stack(drawn, axis=-1)


Draw = Callable[..., Any]
"""Takes a key, the shape of the draws, a dtype of floats and the parameters."""


def _positive_uniform(key: Any, shape: Any, dtype: Any) -> Any:
    return r.uniform(key, shape, dtype, minval=jnp.finfo(dtype).tiny)


def _chisquare(key: Any, shape: Any, dtype: Any, df: Any) -> Any:
    return 2 * r.gamma(key, jnp.broadcast_to(df / 2, shape), shape, dtype)


def _noncentral_chisquare(key: Any, shape: Any, dtype: Any, df: Any, nonc: Any) -> Any:
    first, second = r.split(key)
    count = r.poisson(first, jnp.broadcast_to(nonc / 2, shape), shape)
    return _chisquare(second, shape, dtype, df + 2 * count.astype(dtype))


def _noncentral_f(key: Any, shape: Any, dtype: Any, dfnum: Any, dfden: Any, nonc: Any) -> Any:
    first, second = r.split(key)
    above = _noncentral_chisquare(first, shape, dtype, dfnum, nonc)
    return above / dfnum / (_chisquare(second, shape, dtype, dfden) / dfden)


def _negative_binomial(key: Any, shape: Any, dtype: Any, n: Any, p: Any) -> Any:
    first, second = r.split(key)
    rate = r.gamma(first, jnp.broadcast_to(n, shape), shape, dtype) * (1 - p) / p
    return r.poisson(second, rate, shape)


def _wald(key: Any, shape: Any, dtype: Any, mean: Any, scale: Any) -> Any:
    first, second = r.split(key)
    y = mean * jnp.square(r.normal(first, shape, dtype))
    x = mean + mean / (2 * scale) * (y - jnp.sqrt(4 * scale * y + y * y))
    return jnp.where(r.uniform(second, shape, dtype) <= mean / (mean + x), x, mean * mean / x)


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


DRAWS: dict[str, Draw] = {
    "beta": lambda key, shape, dtype, a, b: r.beta(key, a, b, shape, dtype),
    "binomial": lambda key, shape, dtype, n, p: r.binomial(key, n.astype(dtype), p, shape, dtype),
    "chisquare": _chisquare,
    "dirichlet": lambda key, shape, dtype, alpha: r.dirichlet(key, alpha, shape, dtype),
    "exponential": _times(r.exponential),
    "f": lambda key, shape, dtype, dfnum, dfden: _noncentral_f(
        key, shape, dtype, dfnum, dfden, jnp.zeros((), dtype)
    ),
    "gamma": _gamma,
    "geometric": lambda key, shape, dtype, p: jnp.maximum(
        jnp.ceil(jnp.log(_positive_uniform(key, shape, dtype)) / jnp.log1p(-p)), 1
    ),
    "gumbel": _placed(r.gumbel),
    "hypergeometric": hypergeometric,
    "laplace": _placed(r.laplace),
    "logistic": _placed(r.logistic),
    "lognormal": lambda key, shape, dtype, mean, sigma: jnp.exp(
        mean + sigma * r.normal(key, shape, dtype)
    ),
    "logseries": logseries,
    "multinomial": lambda key, shape, dtype, n, p: r.multinomial(
        key, n.astype(dtype), p, shape=(*shape, p.shape[-1]), dtype=dtype
    ),
    "negative_binomial": _negative_binomial,
    "noncentral_chisquare": _noncentral_chisquare,
    "noncentral_f": _noncentral_f,
    "normal": _placed(r.normal),
    "pareto": lambda key, shape, dtype, a: jnp.expm1(r.exponential(key, shape, dtype) / a),
    "poisson": lambda key, shape, dtype, lam: r.poisson(key, jnp.broadcast_to(lam, shape), shape),
    "power": lambda key, shape, dtype, a: jnp.exp(-r.exponential(key, shape, dtype) / a),
    "random": r.uniform,
    "rayleigh": _times(lambda key, shape, dtype: jnp.sqrt(2 * r.exponential(key, shape, dtype))),
    "standard_cauchy": r.cauchy,
    "standard_exponential": lambda key, shape, dtype, method: r.exponential(key, shape, dtype),
    "standard_gamma": _gamma,
    "standard_normal": r.normal,
    "standard_t": lambda key, shape, dtype, df: r.t(key, df, shape, dtype),
    "triangular": lambda key, shape, dtype, left, mode, right: r.triangular(
        key, left, mode, right, shape, dtype
    ),
    "uniform": lambda key, shape, dtype, low, high: (
        low + (high - low) * r.uniform(key, shape, dtype)
    ),
    "vonmises": vonmises,
    "wald": _wald,
    "weibull": lambda key, shape, dtype, a: jnp.power(r.exponential(key, shape, dtype), 1 / a),
    "zipf": zipf,
    "integers": _integers,
    "multivariate_hypergeometric": multivariate_hypergeometric,
    "multivariate_normal": _multivariate_normal,
    "bernoulli": lambda key, shape, dtype, p: r.uniform(key, shape, dtype) < p,
    "categorical": _categorical,
    "cauchy": _placed(r.cauchy),
    "halfcauchy": _placed(_absolute(r.cauchy)),
    "halfnormal": _placed(_absolute(r.normal)),
    "invgamma": lambda key, shape, dtype, a, scale: scale / _gamma(key, shape, dtype, a),
    "t": lambda key, shape, dtype, df, loc, scale: loc + scale * r.t(key, df, shape, dtype),
    "choice": _choice,
}
"""The draws, by the names of the distributions."""


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
    draw = DRAWS.get(op.distribution.name)
    if draw is None:
        raise LoweringError(f"{op} ({type(op).__name__}): JAX has no draw for this distribution")
    arrays = [
        jnp.asarray(x) if p.integer else as_dtype(jnp.asarray(x), dtype)
        for x, p in zip(given, parameters, strict=True)
    ]
    if op.distribution.name == "choice":
        arrays[0] = static(node, 1 + op.sized, given[0])
    later, own = _next_and_own(key)
    return later, as_dtype(draw(own, shape, dtype, *arrays, **dict(op.options)), out)


def permutation(op: Permutation, node: Apply, key: Any, n: Any) -> Any:
    later, own = _next_and_own(key)
    count = max(int(static(node, 1, n)), 0)
    return later, as_dtype(jax.random.permutation(own, count), "int64")


def permuted(op: Permuted, node: Apply, key: Any, x: Any) -> Any:
    later, own = _next_and_own(key)
    return later, jax.random.permutation(own, jnp.asarray(x), axis=op.axis, independent=True)


TABLE: dict[type, Any] = {
    RandomVariable: random_variable,
    Permutation: permutation,
    Permuted: permuted,
}

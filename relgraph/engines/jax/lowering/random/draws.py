"""How each distribution is drawn from: functions of a key, a shape, a dtype and the parameters.

The formulas are those of `numpy.random.Generator`, of JAX's own draws where it has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from relgraph.engines.jax.lowering.random.rejection import (
    hypergeometric,
    logseries,
    multivariate_hypergeometric,
    vonmises,
    zipf,
)
from relgraph.engines.jax.lowering.scalars.loops import as_dtype

r = jax.random

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


def _f(key: Any, shape: Any, dtype: Any, dfnum: Any, dfden: Any) -> Any:
    return _noncentral_f(key, shape, dtype, dfnum, dfden, jnp.zeros((), dtype))


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
    "f": _f,
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
    "random": lambda key, shape, dtype: r.uniform(key, shape, dtype),
    "rayleigh": _times(lambda key, shape, dtype: jnp.sqrt(2 * r.exponential(key, shape, dtype))),
    "standard_cauchy": lambda key, shape, dtype: r.cauchy(key, shape, dtype),
    "standard_exponential": lambda key, shape, dtype, method: r.exponential(key, shape, dtype),
    "standard_gamma": _gamma,
    "standard_normal": lambda key, shape, dtype: r.normal(key, shape, dtype),
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

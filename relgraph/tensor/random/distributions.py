"""The table of distributions, those of `numpy.random.Generator` first.

A row has the parameters with their axes, the dtype of draws if they are integers, how to draw where
NumPy has no such method, and the derivatives by parameters where a draw is a formula of noise that
does not depend on them. Rows made by `N` never draw less than zero. A draw with batches of
parameters, where NumPy has none, is one draw after the other, in the order of the elements of the
result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from relgraph.tensor.memory_layout import in_order
from relgraph.tensor.random.distribution import Distribution
from relgraph.tensor.random.slopes import (
    LocationScale,
    between_bounds,
    exponential_of_noise,
    exponential_of_normal,
    power_of_noise,
)

Array = np.ndarray[Any, Any]
Size = tuple[int, ...] | None

# -- how to draw where NumPy does not --------------------------------------------------------------


def _broadcast(size: Size, *parameters: Array) -> tuple[int, ...]:
    return np.broadcast_shapes(*[x.shape for x in parameters]) if size is None else size


def _bernoulli(generator: Any, p: Array, size: Size) -> Any:
    return generator.binomial(1, p, size)


def _cauchy(generator: Any, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * generator.standard_cauchy(_broadcast(size, loc, scale))


def _halfcauchy(generator: Any, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * np.abs(generator.standard_cauchy(_broadcast(size, loc, scale)))


def _halfnormal(generator: Any, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * np.abs(generator.standard_normal(_broadcast(size, loc, scale)))


def _invgamma(generator: Any, shape: Array, scale: Array, size: Size) -> Any:
    return scale / generator.standard_gamma(shape, _broadcast(size, shape, scale))


def _student_t(generator: Any, df: Array, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * generator.standard_t(df, _broadcast(size, df, loc, scale))


def _categorical(generator: Any, p: Array, size: Size) -> Any:
    """Return indices as ``generator.choice(len(p), p=p)`` draws them, for each row of `p`."""
    shape = p.shape[:-1] if size is None else size
    if p.ndim == 1:
        return generator.choice(p.shape[0], shape, p=p)
    totals = np.cumsum(np.asarray(p, "float64"), axis=-1)
    # the tolerance of `choice`, which would check one row
    precision = np.finfo(p.dtype if p.dtype.kind == "f" else "float64").eps
    tolerance = np.sqrt(max(precision, np.finfo("float64").eps))
    if not ((p >= 0).all() and (np.abs(totals[..., -1:] - 1.0) <= tolerance).all()):
        raise ValueError("categorical: each row of p must be probabilities whose sum is 1")
    drawn = generator.random((*shape, 1))
    return np.sum(totals / totals[..., -1:] <= drawn, axis=-1)


def _weighted_choice(generator: Any, a: Array, p: Array, size: Size, **options: Any) -> Any:
    return generator.choice(int(a), size, p=p, **options)


def _one_by_one(draw: Callable[..., Any], cores: Sequence[int], size: Size, *given: Array) -> Any:
    """Return draws for each combination of the leading axes of the parameters.

    Parameters
    ----------
    draw
        Draws for parameters without leading axes; it takes the keyword `size`.
    cores
        The ranks of the parameters of one draw.
    size
        The leading axes of the result; None for those of the parameters, broadcast.
    given
        The parameters.
    """
    batches = [x.shape[: x.ndim - rank] for x, rank in zip(given, cores, strict=True)]
    if not any(batches):
        return draw(*given, size=size)
    shape = np.broadcast_shapes(*batches) if size is None else size
    rows = [
        np.broadcast_to(x, shape + x.shape[x.ndim - rank :])
        for x, rank in zip(given, cores, strict=True)
    ]
    drawn = [draw(*[x[place] for x in rows], size=None) for place in np.ndindex(*shape)]
    core = given[0].shape[given[0].ndim - cores[0] :]
    return np.array(drawn).reshape(shape + core)


def _dirichlet(generator: Any, alpha: Array, size: Size) -> Any:
    def draw(alpha: Array, size: Size) -> Any:
        drawn = alpha != 0
        if drawn.all() or not (alpha > 0).any():
            return generator.dirichlet(alpha, size)
        # beside small numbers NumPy tries forever to draw what has a share of 0
        shares = generator.dirichlet(alpha[drawn], size)
        made = np.zeros((*shares.shape[:-1], len(alpha)))
        made[..., drawn] = shares
        return made

    return _one_by_one(draw, (1,), size, alpha)


def _multivariate_hypergeometric(
    generator: Any, colors: Array, nsample: Array, size: Size, method: str
) -> Any:
    def draw(colors: Array, nsample: Array, size: Size) -> Any:
        return generator.multivariate_hypergeometric(colors, int(nsample), size, method=method)

    return _one_by_one(draw, (1, 0), size, colors, nsample)


def _multivariate_normal(
    generator: Any, mean: Array, cov: Array, size: Size, **options: Any
) -> Any:
    mean, cov = in_order(mean), in_order(cov)
    if not np.isfinite(cov).all():
        # LAPACK may search forever for the factors of an infinite matrix
        raise ValueError("multivariate_normal: cov holds a nan or an infinity")
    if cov.ndim == 2 and mean.ndim > 1:
        # one factor of the covariance for all
        shape = mean.shape[:-1] if size is None else size
        centre = np.zeros(mean.shape[-1])
        return mean + generator.multivariate_normal(centre, cov, shape, **options)

    def draw(mean: Array, cov: Array, size: Size) -> Any:
        return generator.multivariate_normal(mean, cov, size, **options)

    return _one_by_one(draw, (1, 2), size, mean, cov)


# -- the table -------------------------------------------------------------------------------------

D = Distribution
N = partial(Distribution, nonnegative=True)
_OF_SCALE = LocationScale(None, "scale")
_OF_BOTH = LocationScale("loc", "scale")

_NUMPY = (
    N("beta", "a, b -> ()"),
    N("binomial", "n: int, p -> ()", "int64"),
    N("chisquare", "df -> ()"),
    N("dirichlet", "alpha(k) -> (k)", draw=_dirichlet),
    N("exponential", "scale=1.0 -> ()", slopes=_OF_SCALE),
    N("f", "dfnum, dfden -> ()"),
    N("gamma", "shape, scale=1.0 -> ()", slopes=_OF_SCALE),
    N("geometric", "p -> ()", "int64"),
    D("gumbel", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    N("hypergeometric", "ngood: int, nbad: int, nsample: int -> ()", "int64"),
    D("laplace", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    D("logistic", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    N("lognormal", "mean=0.0, sigma=1.0 -> ()", slopes=exponential_of_normal),
    N("logseries", "p -> ()", "int64"),
    N("multinomial", "n: int, pvals(k) -> (k)", "int64"),
    N("negative_binomial", "n, p -> ()", "int64"),
    N("noncentral_chisquare", "df, nonc -> ()"),
    N("noncentral_f", "dfnum, dfden, nonc -> ()"),
    D("normal", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    N("pareto", "a -> ()", slopes=exponential_of_noise),
    N("poisson", "lam=1.0 -> ()", "int64"),
    N("power", "a -> ()", slopes=power_of_noise),
    N("random", "-> ()", takes_dtype=True),
    N("rayleigh", "scale=1.0 -> ()", slopes=_OF_SCALE),
    D("standard_cauchy", "-> ()"),
    N("standard_exponential", "-> ()", options=(("method", "zig"),), takes_dtype=True),
    N("standard_gamma", "shape -> ()", takes_dtype=True),
    D("standard_normal", "-> ()", takes_dtype=True),
    D("standard_t", "df -> ()"),
    D("triangular", "left, mode, right -> ()"),
    D("uniform", "low=0.0, high=1.0 -> ()", slopes=between_bounds),
    D("vonmises", "mu, kappa -> ()", slopes=LocationScale("mu", None)),
    D("wald", "mean, scale -> ()"),  # where the mean is large, NumPy's formula cancels
    N("weibull", "a -> ()", slopes=power_of_noise),
    N("zipf", "a -> ()", "int64"),
    D(
        "integers",
        "low: int, high: int -> ()",
        "int64",
        options=(("endpoint", False),),
        takes_dtype=True,
    ),
    N(
        "multivariate_hypergeometric",
        "colors(k): int, nsample: int -> (k)",
        "int64",
        draw=_multivariate_hypergeometric,
        options=(("method", "marginals"),),
    ),
    D(
        "multivariate_normal",
        "mean(n), cov(n,n) -> (n)",
        draw=_multivariate_normal,
        options=(("check_valid", "warn"), ("tol", 1e-8), ("method", "svd")),
        slopes=LocationScale("mean", None),
    ),
)

_OTHERS = (
    N("bernoulli", "p -> ()", "int64", _bernoulli),
    N("categorical", "p(k) -> ()", "int64", _categorical),
    D("cauchy", "loc=0.0, scale=1.0 -> ()", draw=_cauchy, slopes=_OF_BOTH),
    D("halfcauchy", "loc=0.0, scale=1.0 -> ()", draw=_halfcauchy, slopes=_OF_BOTH),
    D("halfnormal", "loc=0.0, scale=1.0 -> ()", draw=_halfnormal, slopes=_OF_BOTH),
    D("invgamma", "shape, scale=1.0 -> ()", draw=_invgamma, slopes=_OF_SCALE),
    D("t", "df, loc=0.0, scale=1.0 -> ()", draw=_student_t, slopes=_OF_BOTH),
)

DISTRIBUTIONS = {row.name: row for row in (*_NUMPY, *_OTHERS)}
"""The distributions that have a function of their name in `relgraph.tensor.random`."""

_CHOICE_OPTIONS = (("replace", True), ("shuffle", True))
CHOICE = N("choice", "a: int -> ()", "int64", options=_CHOICE_OPTIONS, batched=False)
"""An index below `a`, or several with or without repetition."""
WEIGHTED_CHOICE = N(
    "choice", "a: int, p(k) -> ()", "int64", _weighted_choice, _CHOICE_OPTIONS, batched=False
)
"""The same with a probability for each index."""

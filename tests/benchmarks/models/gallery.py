"""Fifteen models of case studies, written for PyMC with small data that is made here, the same
in each process.

Each function returns a model; `MODELS` has them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt


def eight_schools() -> pm.Model:
    effects = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
    errors = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
    with pm.Model() as model:
        mean = pm.Normal("mean", 0, 5)
        spread = pm.HalfCauchy("spread", 5)
        offset = pm.Normal("offset", 0, 1, shape=8)
        pm.Normal("seen", mean + spread * offset, errors, observed=effects)
    return model


def radon() -> pm.Model:
    rng = np.random.default_rng(20)
    counties = rng.integers(0, 20, 200)
    floor = rng.integers(0, 2, 200)
    log_radon = 1.4 - 0.7 * floor + rng.normal(0, 0.3, 20)[counties] + rng.normal(0, 0.7, 200)
    with pm.Model() as model:
        mean, spread = pm.Normal("mean", 0, 10), pm.HalfNormal("spread", 1)
        offset = pm.Normal("offset", 0, 1, shape=20)
        slope = pm.Normal("slope", 0, 10)
        noise = pm.Exponential("noise", 1)
        level = (mean + spread * offset)[counties] + slope * floor
        pm.Normal("seen", level, noise, observed=log_radon)
    return model


def logistic_with_groups() -> pm.Model:
    rng = np.random.default_rng(20)
    x, group = rng.normal(size=(300, 4)), rng.integers(0, 12, 300)
    y = rng.random(300) < 1 / (1 + np.exp(-x @ np.array([1.0, -0.5, 0.0, 2.0])))
    with pm.Model() as model:
        spread = pm.HalfNormal("spread", 1)
        of_group = pm.Normal("of_group", 0, spread, shape=12)
        slopes = pm.Normal("slopes", 0, 2, shape=4)
        pm.Bernoulli("seen", logit_p=pt.dot(x, slopes) + of_group[group], observed=y)
    return model


def robust_regression() -> pm.Model:
    rng = np.random.default_rng(20)
    x = np.linspace(0, 1, 100)
    y = 1 + 2 * x + rng.standard_t(3, 100) / 2
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 10), pm.Normal("b", 0, 10)
        noise, freedom = pm.HalfCauchy("noise", 2), pm.Gamma("freedom", 2, 0.1)
        pm.StudentT("seen", nu=freedom, mu=a + b * x, sigma=noise, observed=y)
    return model


def poisson_counts() -> pm.Model:
    rng = np.random.default_rng(20)
    x = rng.normal(size=(150, 3))
    y = rng.poisson(np.exp(0.5 + x @ np.array([0.3, -0.2, 0.1])))
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2), pm.Normal("b", 0, 1, shape=3)
        pm.Poisson("seen", mu=pt.exp(a + pt.dot(x, b)), observed=y)
    return model


def negative_binomial_counts() -> pm.Model:
    rng = np.random.default_rng(20)
    x = rng.normal(size=(150, 3))
    y = rng.negative_binomial(3, 0.4, 150)
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2), pm.Normal("b", 0, 1, shape=3)
        shape = pm.Exponential("shape", 0.5)
        pm.NegativeBinomial("seen", mu=pt.exp(a + pt.dot(x, b)), alpha=shape, observed=y)
    return model


def mixture_of_three() -> pm.Model:
    rng = np.random.default_rng(20)
    y = np.concatenate([rng.normal(m, 1, 70) for m in (-4.0, 0.0, 5.0)])
    with pm.Model() as model:
        weights = pm.Dirichlet("weights", np.ones(3))
        means = pm.Normal("means", np.array([-3.0, 0.0, 3.0]), 3, shape=3)
        spreads = pm.HalfNormal("spreads", 2, shape=3)
        pm.NormalMixture("seen", w=weights, mu=means, sigma=spreads, observed=y)
    return model


def zero_inflated_counts() -> pm.Model:
    rng = np.random.default_rng(20)
    y = rng.poisson(2.5, 200) * (rng.random(200) < 0.7)
    with pm.Model() as model:
        share, rate = pm.Beta("share", 1, 1), pm.Gamma("rate", 2, 1)
        pm.ZeroInflatedPoisson("seen", psi=share, mu=rate, observed=y)
    return model


def ordinal() -> pm.Model:
    rng = np.random.default_rng(20)
    x = rng.normal(size=200)
    y = np.digitize(x + rng.logistic(size=200), [-1.0, 0.5, 2.0])
    with pm.Model() as model:
        slope = pm.Normal("slope", 0, 2)
        ordered = pm.distributions.transforms.ordered
        cuts = pm.Normal(
            "cuts", 0, 3, shape=3, transform=ordered, initval=np.array([-1.0, 0.0, 1.0])
        )
        pm.OrderedLogistic("seen", eta=slope * x, cutpoints=cuts, observed=y)
    return model


def censored_survival() -> pm.Model:
    rng = np.random.default_rng(20)
    x = rng.normal(size=120)
    times = rng.weibull(1.5, 120) * np.exp(0.5 - 0.3 * x)
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 3), pm.Normal("b", 0, 3)
        shape = pm.HalfNormal("shape", 2)
        whole = pm.Weibull.dist(alpha=shape, beta=pt.exp(a + b * x))
        pm.Censored("seen", whole, lower=None, upper=2.0, observed=np.minimum(times, 2.0))
    return model


def autoregression() -> pm.Model:
    rng = np.random.default_rng(20)
    y = np.zeros(120)
    for t in range(2, 120):
        y[t] = 0.6 * y[t - 1] - 0.2 * y[t - 2] + rng.normal()
    with pm.Model() as model:
        b = pm.Normal("b", 0, 0.5, shape=2)
        noise = pm.HalfNormal("noise", 1)
        start = pm.Normal.dist(0, 1, shape=2)
        pm.AR("seen", b, sigma=noise, init_dist=start, observed=y)
    return model


def stochastic_volatility() -> pm.Model:
    rng = np.random.default_rng(20)
    returns = rng.normal(0, np.exp(0.1 * np.cumsum(rng.normal(size=100))))
    with pm.Model() as model:
        step = pm.Exponential("step", 10)
        walk = pm.GaussianRandomWalk("walk", sigma=step, init_dist=pm.Normal.dist(0, 1), shape=100)
        freedom = pm.Exponential("freedom", 0.1)
        pm.StudentT("seen", nu=freedom, lam=pt.exp(-2 * walk), observed=returns)
    return model


def unrolled(step, sequences, outputs_info, non_sequences, **options):
    """Return what a scan of a constant number of steps returns, without a loop."""
    (sequence,), (state,) = sequences, outputs_info
    states = []
    for k in range(sequence.type.shape[0]):
        state = step(sequence[k], state, *non_sequences)
        states.append(state)
    return pt.stack(states)


def hidden_markov(scan: Callable[..., pt.TensorVariable] = pytensor.scan) -> pm.Model:
    rng = np.random.default_rng(20)
    y = np.concatenate([rng.normal(m, 1, 30) for m in (0.0, 3.0, 0.0)])
    with pm.Model() as model:
        stay = pm.Beta("stay", 8, 2, shape=2)
        means = pm.Normal("means", np.array([0.0, 3.0]), 2, shape=2)
        change = pt.log(
            pt.stack([pt.stack([stay[0], 1 - stay[0]]), pt.stack([1 - stay[1], stay[1]])])
        )
        emitted = -0.5 * (pt.as_tensor(y)[:, None] - means[None, :]) ** 2

        def step(here: pt.TensorVariable, before: pt.TensorVariable, change: pt.TensorVariable):
            return here + pt.logsumexp(before[:, None] + change, axis=0)

        forward = scan(
            step,
            sequences=[emitted[1:]],
            outputs_info=[emitted[0] + np.log(0.5)],
            non_sequences=[change],
            return_updates=False,
        )
        pm.Potential("seen", pt.logsumexp(forward[-1]))
    return model


def gaussian_process() -> pm.Model:
    rng = np.random.default_rng(20)
    x = np.linspace(0, 10, 60)[:, None]
    y = np.sin(x[:, 0]) + rng.normal(0, 0.2, 60)
    with pm.Model() as model:
        length, height = pm.Gamma("length", 2, 1), pm.HalfNormal("height", 2)
        noise = pm.HalfNormal("noise", 1)
        process = pm.gp.Marginal(cov_func=height**2 * pm.gp.cov.Matern52(1, length))
        process.marginal_likelihood("seen", X=x, y=y, sigma=noise)
    return model


def correlated_slopes() -> pm.Model:
    rng = np.random.default_rng(20)
    group, x = rng.integers(0, 8, 160), rng.normal(size=160)
    y = 1 + 0.5 * x + rng.normal(0, 0.5, 8)[group] + rng.normal(0, 0.5, 160)
    with pm.Model() as model:
        cholesky, _, _ = pm.LKJCholeskyCov(
            "cholesky", n=2, eta=2.0, sd_dist=pm.Exponential.dist(1.0, shape=2)
        )
        raw = pm.Normal("raw", 0, 1, shape=(2, 8))
        means, noise = pm.Normal("means", 0, 2, shape=2), pm.HalfNormal("noise", 1)
        each = means[:, None] + pt.dot(cholesky, raw)
        pm.Normal("seen", each[0, group] + each[1, group] * x, noise, observed=y)
    return model


def matrix_factorization() -> pm.Model:
    rng = np.random.default_rng(20)
    users, films = rng.integers(0, 20, 300), rng.integers(0, 15, 300)
    ratings = rng.normal(3, 1, 300)
    with pm.Model() as model:
        u = pm.Normal("u", 0, 1, shape=(20, 3))
        v = pm.Normal("v", 0, 1, shape=(15, 3))
        noise = pm.HalfNormal("noise", 1)
        pm.Normal("seen", (u[users] * v[films]).sum(axis=1) + 3, noise, observed=ratings)
    return model


MODELS: dict[str, Callable[[], pm.Model]] = {
    f.__name__: f
    for f in (
        *(eight_schools, radon, logistic_with_groups, robust_regression, poisson_counts),
        *(negative_binomial_counts, mixture_of_three, zero_inflated_counts, ordinal),
        *(censored_survival, autoregression, stochastic_volatility, hidden_markov),
        *(gaussian_process, correlated_slopes, matrix_factorization),
    )
}

WITHOUT_LOOPS: dict[str, Callable[[], pm.Model]] = {
    **MODELS,
    "hidden_markov": partial(hidden_markov, unrolled),
}
"""The same models for what can't compute loops."""

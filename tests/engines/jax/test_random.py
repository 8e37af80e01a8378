"""Draws by JAX's keys: distributed as NumPy's, the same for the same seed, each drawn once.

``python -m tests.engines.jax.test_random`` compares all distributions, and not those alone that
JAX compiles soon.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

import relgraph.tensor as at
import relgraph.tensor.random as random
from relgraph import Mode, function, scan, shared
from relgraph.tensor.random import RandomStream
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import Permuted, RandomVariable
from tests.tensor.random.test_distributions import PARAMETERS as UNIVARIATE

CLASSES = (Permuted, RandomVariable)
"""The Ops that are tested here."""

COUNT = 20_000

PARAMETERS: dict[str, tuple[Any, ...]] = {
    **{name: given[0] for name, given in UNIVARIATE.items()},
    "categorical": ([0.2, 0.3, 0.5],),
    "dirichlet": ([1.0, 2.0, 3.0],),
    "multinomial": (10, [0.2, 0.3, 0.5]),
    "multivariate_hypergeometric": ([5, 7, 4], 6),
    "multivariate_normal": ([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]]),
}
QUICK = [
    *("normal", "uniform", "exponential", "integers", "bernoulli", "categorical", "laplace"),
    *("weibull", "pareto", "wald", "random", "logseries", "halfnormal", "power", "rayleigh", "f"),
    *("vonmises", "zipf", "noncentral_f", "multivariate_hypergeometric"),
]


def compare(names: list[str], least: float = 1e-4) -> None:
    """Compare draws with NumPy's, by the test of Kolmogorov and Smirnov."""
    rng = shared(np.random.default_rng(0))
    draws = [getattr(random, n)(rng, *PARAMETERS[n], size=(COUNT,))[1] for n in names]
    found = function([], draws, mode=Mode("jax", None))()
    wanted = function([], draws, mode=Mode("py", None))()
    for name, a, b in zip(names, found, wanted, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape, name
        for x, y in zip(a.reshape(COUNT, -1).T, b.reshape(COUNT, -1).T, strict=True):
            assert stats.ks_2samp(x, y).pvalue > least, name


def test_distributions() -> None:
    compare(QUICK)
    assert set(DISTRIBUTIONS) == set(PARAMETERS)


def test_parameters_broadcast() -> None:
    rng, x = shared(np.random.default_rng(0)), at.dvector("x")
    several = [
        random.f(rng, x, x[:, None]),
        random.wald(rng, x, x[:, None]),
        random.beta(rng, x, x[:, None]),
        random.triangular(rng, 0.0, x, x[:, None] + 3.0, size=(2, 3, 3)),
        random.vonmises(rng, x, x[:, None]),
        random.noncentral_f(rng, x, x[:, None], 2.0),
        random.chisquare(rng, x, size=(4, 3)),
        random.rayleigh(rng, x),
        random.standard_t(rng, x),
        random.zipf(rng, x + 1.5),
    ]
    draws = [drawn for _, drawn in several]
    values = np.array([1.0, 2.0, 3.0])
    found = function([x], draws, mode=Mode("jax", None))(values)
    for a, b in zip(found, function([x], draws)(values), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)


def test_a_stream_goes_on_and_begins_again() -> None:
    stream = RandomStream(3)
    x = stream.normal(size=3)
    f = function([], x, mode="jax")
    first, second = f(), f()
    assert not np.array_equal(first, second)
    again = RandomStream(3).normal(size=3)
    g = function([], again, mode="jax")
    np.testing.assert_array_equal(g(), first)
    np.testing.assert_array_equal(g(), second)
    assert isinstance(x.owner.inputs[0].get_value(), np.random.Generator)
    f()  # NumPy's generator is another stream, and the one that JAX has goes on
    assert not np.array_equal(function([], x)(), f())


def test_a_draw_is_drawn_once_and_two_are_two() -> None:
    stream = RandomStream(1)
    x, y = stream.uniform(size=4), stream.uniform(size=4)
    a, b, c = function([], [x, x * 2.0, y], mode="jax")()
    np.testing.assert_array_equal(2 * a, b)
    assert not np.isclose(a, c).any()


def test_permutations_and_generators_as_arguments() -> None:
    rng = random.random_generator_type.make_variable("rng")
    later, order = random.permutation(rng, 50)
    later, rows = Permuted(1)(later, at.constant(np.arange(40).reshape(2, 20)), return_list=True)
    f = function([rng], [later, order, rows], mode="jax")
    seed = np.random.default_rng(5)
    generator, order_, rows_ = f(seed)
    assert isinstance(generator, np.random.Generator)
    assert sorted(order_) == list(range(50)) and not (order_ == np.arange(50)).all()
    np.testing.assert_array_equal(np.sort(rows_, axis=1), np.arange(40).reshape(2, 20))
    np.testing.assert_array_equal(f(seed)[1], order_)  # the generator of the caller is as it was
    assert not np.array_equal(f(generator)[1], order_)


def test_a_loop_draws_at_each_step() -> None:
    stream = RandomStream(0)
    walk, updates = scan(lambda s: s + stream.normal(), outputs_info=[np.float64(0.0)], n_steps=6)
    f = function([], walk, updates=updates, mode="jax")
    steps = np.diff(f())
    assert len(np.unique(steps)) == 5
    assert not np.isclose(np.diff(f()), steps).any()


if __name__ == "__main__":
    compare(list(PARAMETERS))

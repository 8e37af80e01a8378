"""Each distribution draws the numbers of NumPy, and leaves the generator as NumPy does."""

import inspect

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.settings import config
from relgraph.tensor.random import DRAWS, functions
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.type import random_generator_type

RNG = random_generator_type("rng")
ROW = np.array([[0.5, 1.5, 4.0]])
COLUMN = np.array([[0.25], [2.0]])
P_ROW, P_COLUMN = np.array([[0.1, 0.5, 0.9]]), np.array([[0.3], [0.75]])
N_ROW, N_COLUMN = np.array([[1, 5, 20]]), np.array([[3], [40]])

# Numbers, and arrays that broadcast to (2, 3), for the parameters of each distribution.
PARAMETERS = {
    "bernoulli": [(0.3,), (P_ROW,)],
    "beta": [(0.5, 2.0), (ROW, COLUMN)],
    "binomial": [(10, 0.3), (N_ROW, P_COLUMN), (5, P_ROW)],
    "cauchy": [(1.0, 2.0), (ROW, COLUMN)],
    "chisquare": [(2.5,), (ROW,)],
    "exponential": [(2.0,), (ROW,)],
    "f": [(2.0, 3.5), (ROW, COLUMN)],
    "gamma": [(0.5, 2.0), (ROW, COLUMN)],
    "geometric": [(0.3,), (P_ROW,)],
    "gumbel": [(1.0, 2.0), (ROW, COLUMN)],
    "halfcauchy": [(1.0, 2.0), (ROW, COLUMN)],
    "halfnormal": [(1.0, 2.0), (ROW, COLUMN)],
    "hypergeometric": [(10, 5, 7), (N_ROW, N_COLUMN, 4)],
    "invgamma": [(2.0, 3.0), (ROW, COLUMN)],
    "laplace": [(1.0, 2.0), (ROW, COLUMN)],
    "logistic": [(1.0, 2.0), (ROW, COLUMN)],
    "lognormal": [(1.0, 0.5), (ROW, COLUMN)],
    "logseries": [(0.3,), (P_ROW,)],
    "negative_binomial": [(10, 0.3), (N_ROW, P_COLUMN), (2.5, 0.3)],
    "noncentral_chisquare": [(2.5, 1.0), (ROW, COLUMN)],
    "noncentral_f": [(2.0, 3.5, 1.0), (ROW, COLUMN, 2.0)],
    "normal": [(1.0, 2.0), (ROW, COLUMN), (1, ROW), (0.0, 0.0)],
    "pareto": [(2.0,), (ROW,)],
    "poisson": [(3.0,), (ROW,)],
    "power": [(2.0,), (ROW,)],
    "random": [()],
    "rayleigh": [(2.0,), (ROW,)],
    "standard_cauchy": [()],
    "standard_exponential": [()],
    "standard_gamma": [(2.0,), (ROW,)],
    "standard_normal": [()],
    "standard_t": [(2.0,), (ROW,)],
    "t": [(3.0, 1.0, 2.0), (ROW, COLUMN, 2.0)],
    "triangular": [(-1.0, 0.5, 2.0), (-COLUMN, ROW, 5.0)],
    "uniform": [(-1.0, 3.0), (-ROW, COLUMN)],
    "vonmises": [(1.0, 2.0), (ROW, COLUMN)],
    "wald": [(1.0, 2.0), (ROW, COLUMN)],
    "weibull": [(2.0,), (ROW,)],
    "zipf": [(2.5,), (1.5 + ROW,)],
    "integers": [(0, 10), (N_ROW, 50 + N_COLUMN)],
}
SIZES = [None, (), 4, (2, 3), (5, 2, 3), (0,), (2, 0)]


def standard(method):
    """Return how NumPy's users draw from a family that has only its standard member there."""

    def draw(generator, loc, scale, size):
        if size is None:
            size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
        return loc + scale * method(generator, size)

    return draw


REFERENCES = {
    "bernoulli": lambda g, p, size: g.binomial(1, p, size),
    "cauchy": standard(lambda g, size: g.standard_cauchy(size)),
    "halfcauchy": standard(lambda g, size: abs(g.standard_cauchy(size))),
    "halfnormal": standard(lambda g, size: abs(g.standard_normal(size))),
    "invgamma": lambda g, a, scale, size: 1.0 / g.gamma(a + 0 * scale, 1.0, size) * scale,
    "t": lambda g, df, loc, scale, size: loc + scale * g.standard_t(df + 0 * loc, size),
}


def fits(size, parameters):
    """Return whether NumPy can broadcast the parameters to a size."""
    if size is None:
        return True
    size = size if isinstance(size, tuple) else (size,)
    try:
        return np.broadcast_shapes(size, *map(np.shape, parameters)) == size
    except ValueError:
        return False


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_numbers_of_numpy(name, as_numpy):
    function = getattr(functions, name)
    reference = REFERENCES.get(name) or getattr(np.random.Generator, name)
    rtol = 1e-14 if name == "invgamma" else 0.0
    for given in PARAMETERS[name]:
        for size in SIZES:
            if fits(size, given):
                as_numpy(
                    lambda rng, given=given, size=size: function(rng, *given, size=size),
                    lambda g, given=given, size=size: reference(g, *given, size=size),
                    rtol=rtol,
                )


def test_every_distribution_is_tested():
    multivariate = {name for name, row in DISTRIBUTIONS.items() if row.core} | {"categorical"}
    assert set(PARAMETERS) == set(DISTRIBUTIONS) - multivariate
    assert set(DISTRIBUTIONS) | {"choice", "permutation", "permuted", "shuffle"} == set(DRAWS)


def test_defaults_are_those_of_numpy():
    for name, row in DISTRIBUTIONS.items():
        method = getattr(np.random.Generator, name, None)
        if method is None:
            continue
        signature = inspect.signature(getattr(functions, name))
        text = (method.__doc__ or "").strip().partition("\n\n")[0]
        for p in row.parameters:
            if name != "integers":
                default = signature.parameters[p.name].default
                required = default is inspect.Parameter.empty
                assert (p.name if required else f"{p.name}={default}") in text


def test_numbers_do_not_depend_on_how_arrays_lie():
    forward = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    scale = at.dmatrix("scale")
    _, x = functions.normal(RNG, 0.0, scale)
    expected = np.random.default_rng(1).normal(0.0, forward)
    for value in (forward, np.asfortranarray(forward), np.flipud(forward)[::-1]):
        (found,) = evaluate([x], {RNG: np.random.default_rng(1), scale: value})
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "name", ["random", "standard_normal", "standard_exponential", "standard_gamma"]
)
def test_float32_is_that_of_numpy(name, as_numpy):
    given = (2.0,) if name == "standard_gamma" else ()
    as_numpy(
        lambda rng: getattr(functions, name)(rng, *given, size=5, dtype="float32"),
        lambda g: getattr(g, name)(*given, size=5, dtype="float32"),
    )


def test_other_dtypes(as_numpy):
    as_numpy(
        lambda rng: functions.normal(rng, 1.0, 2.0, size=5, dtype="float32"),
        lambda g: g.normal(1.0, 2.0, 5).astype("float32"),
    )
    as_numpy(
        lambda rng: functions.bernoulli(rng, 0.5, size=9, dtype="bool"),
        lambda g: g.binomial(1, 0.5, 9) == 1,
    )
    for dtype in ("bool", "uint8", "int32"):
        as_numpy(
            lambda rng, dtype=dtype: functions.integers(rng, 0, 2, 9, dtype),
            lambda g, dtype=dtype: g.integers(0, 2, 9, dtype),
        )


def test_float16_is_rounded(as_numpy):
    as_numpy(
        lambda rng: functions.random(rng, 5, "float16"), lambda g: g.random(5).astype("float16")
    )


def test_floatX(as_numpy, monkeypatch):
    monkeypatch.setattr(config, "floatX", "float32")
    as_numpy(lambda rng: functions.random(rng, 5), lambda g: g.random(5, "float32"))
    as_numpy(
        lambda rng: functions.normal(rng, 0.1, 0.3, 5),
        lambda g: g.normal(0.1, 0.3, 5).astype("float32"),
    )
    as_numpy(lambda rng: functions.poisson(rng, 3.1, 5), lambda g: g.poisson(3.1, 5))


def test_integers(as_numpy):
    for given, options in [((10,), {}), ((3, 7), {"endpoint": True}), ((np.array([1, 100]),), {})]:
        as_numpy(
            lambda rng, a=given, o=options: functions.integers(rng, *a, size=(4, 2), **o),
            lambda g, a=given, o=options: g.integers(*a, size=(4, 2), **o),
        )


def test_options(as_numpy):
    as_numpy(
        lambda rng: functions.standard_exponential(rng, size=3, method="inv"),
        lambda g: g.standard_exponential(3, method="inv"),
    )


def test_lengths_that_are_not_known(as_numpy):
    loc, scale = at.dmatrix("loc"), at.drow("scale")
    n = at.lscalar("n")
    givens = {loc: COLUMN + ROW, scale: ROW, n: np.array(2)}
    as_numpy(
        lambda rng: functions.normal(rng, loc, scale), lambda g: g.normal(COLUMN + ROW, ROW), givens
    )
    as_numpy(
        lambda rng: functions.normal(rng, loc, scale, size=(4, n, 3)),
        lambda g: g.normal(COLUMN + ROW, ROW, (4, 2, 3)),
        givens,
    )
    as_numpy(
        lambda rng: functions.bernoulli(rng, 0.5, size=loc.shape),
        lambda g: g.binomial(1, 0.5, (2, 3)),
        givens,
    )
    as_numpy(lambda rng: functions.random(rng, n), lambda g: g.random(2), givens)

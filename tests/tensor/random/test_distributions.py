"""Distributions of one and of several variables, and their functions."""

import inspect

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.reference import evaluate
from relgraph.settings import config
from relgraph.tensor import random
from relgraph.tensor.random import functions
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
MATRIX = np.arange(12.0).reshape(4, 3)
PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
ALPHAS = np.array([[0.5, 1.0, 3.0], [2.0, 2.0, 2.0]])
MEANS = np.array([[0.0, 1.0], [5.0, -1.0], [2.0, 2.0]])
COV = np.array([[2.0, 0.3], [0.3, 0.5]])
COVS = np.array([COV, np.eye(2), 4 * COV])
COLORS = np.array([[5, 3, 7], [2, 9, 4]])
MULTIVARIATE = {
    "categorical": (PROBABILITIES[0],),
    "dirichlet": (ALPHAS[0],),
    "multinomial": (10, PROBABILITIES[0]),
    "multivariate_hypergeometric": (COLORS[0], 6),
    "multivariate_normal": (MEANS[0], COV),
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
    assert set(PARAMETERS) | set(MULTIVARIATE) == set(DISTRIBUTIONS)
    draws = set(DISTRIBUTIONS) | {"choice", "permutation", "permuted", "shuffle"}
    assert {name for name in random.__all__ if name.islower()} == draws | {"random_generator_type"}


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


def call(name, *arguments, **options):
    return pytest.param(name, arguments, options, id=f"{name}-{arguments}-{options}"[:60])


n, x = at.lscalar("n"), at.dmatrix("x")
loc, scale, alpha = at.dmatrix("loc"), at.drow("scale"), at.dmatrix("alpha")
mean, cov = at.dvector("mean"), at.dmatrix("cov")
GIVEN = {
    **{n: 2, x: MATRIX, loc: COLUMN + ROW, scale: ROW},
    **{alpha: ALPHAS, mean: MEANS[0], cov: COV},
}
FEW_SIZES = [None, (), 4, (2, 3), (0,)]
OF_NUMPY = [
    *[call(f"standard_{of}", size=5, dtype="float32") for of in ("normal", "exponential")],
    call("standard_gamma", 2.0, size=5, dtype="float32"),
    call("standard_exponential", size=3, method="inv"),
    call("random", size=5, dtype="float32"),
    *[call("integers", 0, 2, 9, dtype) for dtype in ("bool", "uint8", "int32")],
    call("integers", 10, size=(4, 2)),
    call("integers", 3, 7, size=(4, 2), endpoint=True),
    call("integers", np.array([1, 100]), size=(4, 2)),
    *[
        call("choice", a, size, replace=replace, p=p, axis=axis)
        for a, axis in [(4, 0), (MATRIX[:, 0], 0), (MATRIX, 0), (MATRIX.T, 1), (MATRIX.T, -1)]
        for size in [None, (), 3, (2, 2), (0,)]
        for replace in (True, False)
        for p in (None, [0.1, 0.2, 0.3, 0.4])
    ],
    call("choice", 100, 30, False, shuffle=False),
    *[call("permutation", n) for n in (7, 0, -2)],
    *[call("permutation", v, 0) for v in (MATRIX[:, 0], MATRIX, MATRIX[:0])],
    *[call("permutation", MATRIX, axis) for axis in (1, -1)],
    *[
        call("permuted", v, axis=axis)
        for v in (MATRIX[:, 0], MATRIX, MATRIX.reshape(2, 2, 3), MATRIX.astype("int8"), MATRIX[:0])
        for axis in (None, *range(v.ndim), -1)
    ],
    *[
        call(name, *given, size=size)
        for name, given in MULTIVARIATE.items()
        for size in FEW_SIZES
        if name != "categorical"
    ],
    call("multivariate_normal", MEANS[0], COV, 3, method="cholesky"),
    call("normal", loc, scale),
    call("normal", loc, scale, size=(4, n, 3)),
    call("random", n),
    call("permutation", n),
    call("choice", x, (n, 3), axis=1),
    call("permuted", x, axis=1),
    call("multivariate_normal", mean, cov, size=3),
]


def known(value):
    """Return an argument as NumPy takes it: values in the place of variables."""
    if isinstance(value, tuple):
        return tuple(map(known, value))
    return GIVEN[value] if isinstance(value, Variable) else value


@pytest.mark.parametrize(("name", "arguments", "options"), OF_NUMPY)
def test_calls_that_numpy_has_too(as_numpy, name, arguments, options):
    as_numpy(
        lambda rng: getattr(functions, name)(rng, *arguments, **options),
        lambda g: getattr(g, name)(*known(arguments), **{k: known(v) for k, v in options.items()}),
        GIVEN,
    )


def test_sizes_that_are_shapes(as_numpy):
    as_numpy(
        lambda rng: functions.bernoulli(rng, 0.5, size=loc.shape),
        lambda g: g.binomial(1, 0.5, (2, 3)),
        GIVEN,
    )


@pytest.mark.parametrize("size", FEW_SIZES)
def test_categories(as_numpy, size):
    as_numpy(
        lambda rng: functions.categorical(rng, PROBABILITIES[0], size=size),
        lambda g: g.choice(3, p=PROBABILITIES[0], size=size),
    )


def test_numbers_do_not_depend_on_how_arrays_lie():
    forward = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    scale = at.dmatrix("scale")
    _, x = functions.normal(RNG, 0.0, scale)
    expected = np.random.default_rng(1).normal(0.0, forward)
    for value in (forward, np.asfortranarray(forward), np.flipud(forward)[::-1]):
        (found,) = evaluate([x], {RNG: np.random.default_rng(1), scale: value})
        np.testing.assert_array_equal(found, expected)


def test_other_dtypes(as_numpy):
    as_numpy(
        lambda rng: functions.normal(rng, 1.0, 2.0, size=5, dtype="float32"),
        lambda g: g.normal(1.0, 2.0, 5).astype("float32"),
    )
    as_numpy(
        lambda rng: functions.bernoulli(rng, 0.5, size=9, dtype="bool"),
        lambda g: g.binomial(1, 0.5, 9) == 1,
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


# Elements in random order, and chosen at random; draws in laws.


def test_shuffle(as_numpy):
    def shuffled(g, x, axis):
        x = x.copy()
        g.shuffle(x, axis)
        return x

    for x, axis in [(MATRIX[:, 0], 0), (MATRIX, 0), (MATRIX, 1)]:
        as_numpy(
            lambda rng, x=x, axis=axis: functions.shuffle(rng, x, axis),
            lambda g, x=x, axis=axis: shuffled(g, x, axis),
        )


def test_choices_that_there_are_not(drawn):
    with pytest.raises(ValueError, match="a and p must have same size"):
        drawn(lambda rng: functions.choice(rng, 5, p=[0.5, 0.5]))
    with pytest.raises(ValueError, match="larger sample than population"):
        drawn(lambda rng: functions.choice(rng, 5, 6, replace=False))


def test_a_law_about_a_draw():
    rng, scale = lvars("rng scale")
    _, x = functions.exponential(rng, scale)
    positive = law("absolute-value-of-exponential", at.abs(x), x)
    generator, s = random_generator_type("rng"), at.dvector("s")
    next_rng, draw = functions.exponential(generator, s)
    graph = FunctionGraph([generator, s], [at.abs(draw), at.abs(s), next_rng], clone=False)
    EquilibriumOptimizer([positive.forward]).optimize(graph)
    # the right side is a draw from the same generator: another call, the same numbers
    assert graph.outputs[0].owner.op is draw.owner.op
    assert graph.outputs[0].owner.inputs == draw.owner.inputs
    assert graph.outputs[1].owner.op == at.abs(s).owner.op
    assert graph.outputs[2] is next_rng


# Draws that have axes of their own, and their batches by leading axes of the parameters.


@pytest.mark.parametrize("repeated", [False, True])
def test_batches_are_one_draw_after_the_other(as_numpy, repeated):
    size, times = ((2, 2), 2) if repeated else (None, 1)

    def rows(draw):
        def reference(g):
            found = [[draw(g, i) for i in range(2)] for _ in range(times)]
            return np.array(found) if repeated else np.array(found[0])

        return reference

    as_numpy(
        lambda rng: functions.dirichlet(rng, ALPHAS, size=size),
        rows(lambda g, i: g.dirichlet(ALPHAS[i])),
    )
    as_numpy(
        lambda rng: functions.multivariate_hypergeometric(rng, COLORS, [6, 3], size=size),
        rows(lambda g, i: g.multivariate_hypergeometric(COLORS[i], [6, 3][i])),
    )
    as_numpy(
        lambda rng: functions.categorical(rng, PROBABILITIES, size=size),
        rows(lambda g, i: g.choice(3, p=PROBABILITIES[i])),
    )
    as_numpy(
        lambda rng: functions.multivariate_normal(rng, MEANS[:2], COVS[:2], size=size),
        rows(lambda g, i: g.multivariate_normal(MEANS[i], COVS[i])),
    )
    as_numpy(
        lambda rng: functions.multinomial(rng, [10, 5], PROBABILITIES, size=size),
        lambda g: g.multinomial([10, 5], PROBABILITIES, size=size),
    )


def test_many_means_of_one_covariance(as_numpy):
    as_numpy(
        lambda rng: functions.multivariate_normal(rng, MEANS, COV),
        lambda g: np.array([g.multivariate_normal(m, COV) for m in MEANS]),
        rtol=1e-14,
    )


def test_one_category_has_all_the_weight(drawn):
    found, _ = drawn(lambda rng: functions.categorical(rng, np.eye(3)[[2, 0, 1]], size=(50, 3)))
    np.testing.assert_array_equal(found, np.broadcast_to([2, 0, 1], (50, 3)))


def test_many_categories(as_numpy):
    p = np.random.default_rng(2).dirichlet(np.full(200, 0.1), size=40)
    as_numpy(
        lambda rng: functions.categorical(rng, p),
        lambda g: np.array([g.choice(200, p=row) for row in p]),
    )


def test_probabilities_of_float32(drawn):
    p = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], "float32")
    assert abs(p.sum(-1, dtype="float64") - 1).max() > 1e-9
    found, _ = drawn(lambda rng: functions.categorical(rng, p))
    assert found.shape == (2,)


@pytest.mark.parametrize("p", [[[0.5, 0.4]], [[1.5, -0.5]], [[np.nan, 1.0]], [0.5, 0.4]])
def test_what_are_no_probabilities(drawn, p):
    with pytest.raises(ValueError, match="robabilities"):
        drawn(lambda rng: functions.categorical(rng, p))


def test_a_share_of_zero_is_drawn_at_once(drawn):
    """NumPy tries forever where the other parameters are small."""
    alpha = np.array([4.6e-12, -0.0, 1e-8])
    shares, _ = drawn(lambda rng: functions.dirichlet(rng, alpha, size=500))
    assert not shares[:, 1].any()
    np.testing.assert_allclose(shares.sum(1), 1.0)

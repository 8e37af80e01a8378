"""Derivatives of draws by their parameters, for a generator that is held fixed."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, grad, shared
from relgraph.gradient.backward import DisconnectedInputError, NullTypeGradError
from relgraph.graph.reference import evaluate
from relgraph.tensor.random import functions
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.type import random_generator_type

RNG = random_generator_type("rng")
ROW, COLUMN = np.array([[0.5, 1.5, 4.0]]), np.array([[0.25], [2.0]])

# The parameters that a draw has a derivative by, among parameters that broadcast to (2, 3).
DIFFERENTIABLE = {
    "cauchy": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "exponential": ({"scale": ROW}, "scale"),
    "gamma": ({"shape": ROW, "scale": COLUMN}, "scale"),
    "gumbel": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "halfcauchy": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "halfnormal": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "invgamma": ({"shape": ROW, "scale": COLUMN}, "scale"),
    "laplace": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "logistic": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "lognormal": ({"mean": ROW, "sigma": COLUMN}, "mean sigma"),
    "multivariate_normal": ({"mean": np.array([0.5, 2.0]), "cov": np.eye(2)}, "mean"),
    "normal": ({"loc": ROW, "scale": COLUMN}, "loc scale"),
    "pareto": ({"a": ROW}, "a"),
    "power": ({"a": ROW}, "a"),
    "rayleigh": ({"scale": ROW}, "scale"),
    "t": ({"df": ROW, "loc": COLUMN, "scale": np.array([[3.0]])}, "loc scale"),
    "uniform": ({"low": -ROW, "high": COLUMN}, "low high"),
    "vonmises": ({"mu": ROW / 10, "kappa": COLUMN}, "mu"),
    "weibull": ({"a": ROW}, "a"),
}


def test_every_slope_is_tested():
    assert set(DIFFERENTIABLE) == {name for name, row in DISTRIBUTIONS.items() if row.slopes}


def differences(cost, variable, givens, step=1e-6):
    """Return the derivative of a cost by each element of an array, by central differences."""
    value = givens[variable]
    found = np.zeros_like(value)
    for place in np.ndindex(value.shape):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            moved[place] += sign * step
            (end,) = evaluate([cost], {**givens, RNG: np.random.default_rng(3), variable: moved})
            ends.append(end)
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.parametrize("sized", [False, True])
@pytest.mark.parametrize("name", sorted(DIFFERENTIABLE))
def test_slopes_against_differences(name, sized):
    values, wrt = DIFFERENTIABLE[name]
    variables = {
        key: at.TensorType("float64", [1 if n == 1 else None for n in v.shape])(key)
        for key, v in values.items()
    }
    shape = np.broadcast_shapes(*[v.shape for v in values.values()])
    if name == "multivariate_normal":
        shape = values["mean"].shape
    core = len(DISTRIBUTIONS[name].core)
    size = (2, *shape[: len(shape) - core]) if sized else None
    _, x = getattr(functions, name)(RNG, **variables, size=size)
    weights = np.random.default_rng(1).normal(size=(2, *shape) if sized else shape)
    cost = (at.tanh(x) * weights).sum()
    givens = {variables[key]: v for key, v in values.items()}
    chosen = [variables[key] for key in wrt.split()]
    found = evaluate(grad(cost, chosen), {**givens, RNG: np.random.default_rng(3)})
    for variable, slope in zip(chosen, found, strict=True):
        np.testing.assert_allclose(slope, differences(cost, variable, givens), rtol=2e-6, atol=1e-8)


def test_slopes_where_nothing_is_random():
    loc, scale = at.dvector("loc"), at.dvector("scale")
    rng = shared(np.random.default_rng(1))
    _, x = functions.normal(rng, loc, scale)
    run = function([loc, scale], [x, *grad(x.sum(), [loc, scale])])
    x_, by_loc, by_scale = run([1.0, 2.0], [0.0, 0.0])
    np.testing.assert_array_equal(x_, [1.0, 2.0])
    np.testing.assert_array_equal(by_loc, [1.0, 1.0])
    np.testing.assert_array_equal(by_scale, np.random.default_rng(1).standard_normal(2))


def test_slopes_keep_their_digits_beside_a_large_location():
    scale = at.scalar("scale", dtype="float32")
    rng = shared(np.random.default_rng(1))
    _, x = functions.normal(rng, np.float32(1e6), scale, size=4, dtype="float32")
    run = function([scale], grad(x.sum(), scale))
    noise = np.random.default_rng(1).standard_normal(4)
    np.testing.assert_allclose(run(np.float32(1e-3)), noise.sum(), rtol=1e-5)


def test_draws_of_nothing_have_slopes():
    loc, scale = at.dvector("loc"), at.dscalar("scale")
    _, x = functions.normal(shared(np.random.default_rng(1)), loc, scale)
    by_loc, by_scale = function([loc, scale], grad(x.sum(), [loc, scale]))([], 1.0)
    assert by_loc.shape == (0,)
    assert by_scale == 0.0


def test_what_has_no_slope_says_so():
    a = at.dvector("a")
    _, x = functions.gamma(RNG, a, 2.0)
    with pytest.raises(NullTypeGradError, match="no derivative of a draw from gamma by shape"):
        grad(x.sum(), a)
    _, x = functions.beta(RNG, a, 2.0)
    with pytest.raises(NullTypeGradError, match="no derivative of a draw from beta by a is known"):
        grad(x.sum(), a)


def test_integers_are_disconnected():
    a, w = at.dvector("a"), at.dvector("w")
    _, x = functions.poisson(RNG, a)
    with pytest.raises(DisconnectedInputError, match="a "):
        grad((x * 2.0).sum(), a)
    by_w = grad((x * w).sum(), w)
    (found,) = evaluate([by_w], {RNG: np.random.default_rng(1), a: np.ones(3), w: np.ones(3)})
    np.testing.assert_array_equal(found, np.random.default_rng(1).poisson(np.ones(3)))


def test_the_generator_and_the_size_are_disconnected():
    loc = at.dvector("loc")
    _, x = functions.normal(RNG, 0.0, 1.0, size=loc.shape)
    with pytest.raises(DisconnectedInputError):
        grad(x.sum(), loc)
    with pytest.raises(DisconnectedInputError):
        grad(functions.normal(RNG, loc, 1.0)[1].sum(), RNG)


def test_chosen_elements_have_the_gradient_of_the_whole():
    a = at.dvector("a")
    for draw in (
        functions.choice(RNG, a, 5)[1],
        functions.permutation(RNG, a)[1],
        functions.permuted(RNG, a)[1],
    ):
        weights = np.arange(1.0, 6.0)
        cost = (draw * weights).sum()
        givens = {a: np.array([1.0, 2.0, 3.0, 4.0, 5.0])}
        (found,) = evaluate([grad(cost, a)], {**givens, RNG: np.random.default_rng(3)})
        np.testing.assert_allclose(found, differences(cost, a, givens), rtol=1e-6)
        assert found.sum() == weights.sum()

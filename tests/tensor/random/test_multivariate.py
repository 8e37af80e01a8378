"""Draws that have axes of their own, and their batches by leading axes of the parameters."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.tensor.random import functions

PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
ALPHAS = np.array([[0.5, 1.0, 3.0], [2.0, 2.0, 2.0]])
MEANS = np.array([[0.0, 1.0], [5.0, -1.0], [2.0, 2.0]])
COV = np.array([[2.0, 0.3], [0.3, 0.5]])
COVS = np.array([COV, np.eye(2), 4 * COV])
COLORS = np.array([[5, 3, 7], [2, 9, 4]])
SIZES = [None, (), 4, (2, 3), (0,)]


@pytest.mark.parametrize("size", SIZES)
def test_one_set_of_parameters(as_numpy, size):
    def same(name, *given):
        as_numpy(
            lambda rng: getattr(functions, name)(rng, *given, size=size),
            lambda g: getattr(g, name)(*given, size=size),
        )

    same("multinomial", 10, PROBABILITIES[0])
    same("dirichlet", ALPHAS[0])
    same("multivariate_normal", MEANS[0], COV)
    same("multivariate_hypergeometric", COLORS[0], 6)
    as_numpy(
        lambda rng: functions.categorical(rng, PROBABILITIES[0], size=size),
        lambda g: g.choice(3, p=PROBABILITIES[0], size=size),
    )


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


def test_options_of_the_covariance(as_numpy):
    as_numpy(
        lambda rng: functions.multivariate_normal(rng, MEANS[0], COV, 3, method="cholesky"),
        lambda g: g.multivariate_normal(MEANS[0], COV, 3, method="cholesky"),
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


def test_lengths_that_are_not_known(as_numpy):
    mean, cov, alpha = at.dvector("mean"), at.dmatrix("cov"), at.dmatrix("alpha")
    givens = {mean: MEANS[0], cov: COV, alpha: ALPHAS}
    as_numpy(
        lambda rng: functions.multivariate_normal(rng, mean, cov, size=3),
        lambda g: g.multivariate_normal(MEANS[0], COV, 3),
        givens,
    )
    as_numpy(
        lambda rng: functions.dirichlet(rng, alpha),
        lambda g: np.array([g.dirichlet(a) for a in ALPHAS]),
        givens,
    )


def test_a_share_of_zero_is_drawn_at_once(drawn):
    """NumPy tries forever where the other parameters are small."""
    alpha = np.array([4.6e-12, -0.0, 1e-8])
    shares, _ = drawn(lambda rng: functions.dirichlet(rng, alpha, size=500))
    assert not shares[:, 1].any()
    np.testing.assert_allclose(shares.sum(1), 1.0)

"""Distribution functions by JAX beside SciPy: some here, all by hand.

JAX compiles an inverse for seconds; ``python -m tests.engines.jax.special.distributions`` compares
every function on the ordinary range, the wide one and the edges.
"""

from __future__ import annotations

import math

import jax
import mpmath
import numpy as np

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.jax.precision import wide
from relgraph.engines.jax.special.distributions import DISTRIBUTIONS
from relgraph.tensor import special
from tests.engines.jax.special.distributions.cases import (
    KINDS,
    SCIPY_IS_WRONG,
    TRUE_SHARES,
    arguments,
    by_scipy,
    edges,
    errors,
)

AT_EDGES = ["erfcx", "erfi", "shichi.0", "wrightomega", "frexp.0", "kolmogorov", "stdtr", "smirnov"]
"""Those of which the edges are SciPy's, but for signs of zero."""

COMPARED = [*AT_EDGES, "tklmbda", "frexp.1", "zetac", "binom", "voigt_profile", "gammaincinv"]

# SciPy has no digits there: its series ends, or it takes 1e-14 for zero.
NOT_BY_SCIPY = {"zetac", "tklmbda"}


def test_every_function_has_arguments() -> None:
    assert set(KINDS) == set(DISTRIBUTIONS)


def test_values_are_scipys() -> None:
    given = {}
    for name in COMPARED:
        parts = [arguments(name, 40, False), arguments(name, 40, True), edges(name)]
        given[name] = [np.concatenate(v) for v in zip(*parts, strict=True)]
    with wide(True):
        run = jax.jit(lambda given: {n: DISTRIBUTIONS[n](*given[n]) for n in given})
        found = {name: np.asarray(v) for name, v in run(given).items()}
    wrong = {}
    for name, values in given.items():
        error = errors(name, found[name], values)
        bounds = [1e-12] * 40 + [1e-9 if name not in NOT_BY_SCIPY else math.inf] * 40
        at_edges = 1e-9 if name in AT_EDGES else math.inf
        bad = np.flatnonzero(error > bounds + [at_edges] * (len(error) - 80))
        if bad.size:
            wrong[name] = [(*(float(v[i]) for v in values), found[name][i]) for i in bad]
    assert not wrong


def test_true_values_where_scipy_is_wrong() -> None:
    mpmath.mp.dps = 30
    for name, (given, true) in SCIPY_IS_WRONG.items():
        share, asked = TRUE_SHARES[name](mpmath.mpf(true), *map(mpmath.mpf, given))
        assert abs(share / asked - 1) < 1e-11, name
        assert abs(by_scipy(name, *given) / true - 1) > 1e-9, name
    with wide(True):
        for name in ("zetac", "tklmbda"):
            given, true = SCIPY_IS_WRONG[name]
            found = jax.jit(DISTRIBUTIONS[name])(*map(np.float64, given))
            assert abs(float(found) / true - 1) < 1e-12


def test_dtypes_are_the_references() -> None:
    x, i = at.fvector("x"), at.lvector("i")
    outputs = [special.zetac(x), special.zetac(i), *at.frexp(x), *at.frexp(i)]
    run = function([x, i], outputs, mode=Mode("jax", None))
    values = [np.array([0.5, 3.0, -1.5], "float32"), np.array([2, 3, -7])]
    expected = [by_scipy("zetac", v) for v in values]
    expected += [by_scipy(f"frexp.{k}", v) for v in values for k in (0, 1)]
    for a, b in zip(run(*values), expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-6 if a.dtype == np.float32 else 1e-13)

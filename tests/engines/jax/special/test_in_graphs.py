"""Functions of ``scipy.special`` in graphs: the JAX engine computes them without the host."""

from __future__ import annotations

import jax
import numpy as np

import relgraph.tensor as at
from relgraph import function
from relgraph.engines.jax import lower_graph
from relgraph.engines.jax.precision import wide
from relgraph.tensor import special


def test_nothing_is_computed_on_the_host() -> None:
    n, x = at.lvector("n"), at.fvector("x")
    outputs = [special.eval_legendre(n, x), special.agm(x, 1.0), *special.modfresnelp(x)]
    values = [np.array([0, 3, 5]), np.array([0.1, 0.5, 0.9], "float32")]
    expected = function([n, x], outputs, mode=None)(*values)
    found = function([n, x], outputs, mode="jax")(*values)
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-5)
    with wide(True):
        assert "callback" not in str(jax.make_jaxpr(lower_graph([n, x], outputs))(*values))

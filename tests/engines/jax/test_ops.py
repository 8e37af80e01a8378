"""Every Op through the engine: equal to the reference but for rounding.

Each subject is one graph with many outputs, so that JAX compiles few functions.
"""

from __future__ import annotations

import numpy as np
import pytest

from relgraph import Mode, function
from relgraph.graph.reference import evaluate

from .graphs import GRAPHS


@pytest.mark.parametrize("name", GRAPHS)
def test_ops_compute_what_the_reference_does(name: str) -> None:
    graph = GRAPHS[name]()
    with np.errstate(all="ignore"):
        expected = evaluate(graph.outputs, dict(zip(graph.inputs, graph.values, strict=True)))
    run = function(graph.inputs, graph.outputs, mode=Mode("jax", None), on_unused_input="ignore")
    found = run(*graph.values)
    wrong = []
    for v, a, b in zip(graph.outputs, found, expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape, v.owner
        eps = np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0
        if not np.allclose(a, b, rtol=64 * eps, atol=64 * eps, equal_nan=True):
            wrong.append((v.owner.op, a, b))
    assert run._run.compiled
    assert not wrong

"""Every Op on blocks cut at random: equal to the reference but for rounding."""

from __future__ import annotations

import pickle
from random import Random

import cloudpickle
import dask
import numpy as np
import pytest

from relgraph import Mode, function
from relgraph.engines.dask import DaskLinker
from relgraph.graph.reference import evaluate
from tests.engines.dask.programs.campaign import cut_at_random
from tests.engines.jax.graphs import GRAPHS
from tests.seeds import seed_of


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", GRAPHS)
def test_ops_compute_what_the_reference_does(name: str, seed: int) -> None:
    graph, rng = GRAPHS[name](), Random(seed_of(name, seed))
    with np.errstate(all="ignore"):
        expected = evaluate(graph.outputs, dict(zip(graph.inputs, graph.values, strict=True)))
    mode = Mode(DaskLinker(compute=bool(seed), passes=bool(seed)), None)
    run = function(graph.inputs, graph.outputs, mode=mode, on_unused_input="ignore")
    with dask.config.set(scheduler="sync"):
        found = run(*[cut_at_random(np.asarray(v), rng) for v in graph.values])
        if not seed:  # as it goes to workers
            found = dask.compute(*pickle.loads(cloudpickle.dumps(found)))
    for v, a, b in zip(graph.outputs, found, expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape, v.owner
        eps = np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0
        np.testing.assert_allclose(a, b, rtol=64 * eps, atol=64 * eps, err_msg=str(v.owner))

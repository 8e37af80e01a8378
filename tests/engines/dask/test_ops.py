"""Every op on blocks cut at random, and parts: equal to the reference but for rounding."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import cloudpickle
import dask
import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.dask import DaskLinker
from relgraph.graph.reference import evaluate
from tests.arrays import assert_close
from tests.engines.dask.test_fuzz import cut_at_random
from tests.engines.graphs import GRAPHS
from tests.notebooks.scripts import script
from tests.seeds import seed_of


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", GRAPHS)
def test_ops_compute_what_the_reference_does(name: str, seed: int) -> None:
    graph, rng = GRAPHS[name](), Random(seed_of(name, seed))
    mode = Mode(DaskLinker(compute=bool(seed), passes=bool(seed)), None)
    run = function(graph.inputs, graph.outputs, mode=mode, on_unused_input="ignore")
    with dask.config.set(scheduler="sync"), np.errstate(all="ignore"):
        found = run(*[cut_at_random(np.asarray(v), rng) for v in graph.values])
        if not seed:  # as it goes to workers
            found = dask.compute(*pickle.loads(cloudpickle.dumps(found)))
    graph.compare(found)


# Parts that are taken, set and added to, by integers and slices of all kinds.


def drawn_index(rng: Random, n: int) -> Any:
    if rng.random() < 0.3:
        return rng.randrange(-n, n)
    bounds = [None, *range(-n - 1, n + 2)]
    return slice(rng.choice(bounds), rng.choice(bounds), rng.choice([None, 1, -1, 2, -2, 3]))


@pytest.mark.parametrize("number", range(30))
def test_parts_are_those_of_numpy(number: int) -> None:
    rng = Random(seed_of("parts", number))
    shape = [rng.choice([1, 3, 5, 6]) for _ in range(rng.choice([1, 2, 3]))]
    value = np.arange(float(np.prod(shape))).reshape(shape)
    index = tuple(drawn_index(rng, n) for n in shape[: rng.randrange(1, len(shape) + 1)])
    new = -1.0 - np.asarray(value[index])
    x = at.tensor("float64", (None,) * len(shape), "x")
    y = at.tensor("float64", tuple(1 if n == 1 else None for n in new.shape), "y")
    outputs = [at.set_subtensor(x[index], y), at.inc_subtensor(x[index], y), x[index]]
    outputs.append(at.inc_subtensor(x[index], 2.0))
    f = function([x, y], outputs, mode=Mode(DaskLinker(compute=True, passes=False), None))
    with dask.config.set(scheduler="sync"):
        found = f(cut_at_random(value, rng), cut_at_random(new, rng) if rng.random() < 0.7 else new)
    assert_close(found, evaluate(outputs, {x: value, y: new}))


# The page of the documentation that says how each Op is computed.


def test_the_page_is_what_the_script_writes() -> None:
    ops = script("dask_ops")
    assert ops.PAGE.read_text(encoding="utf-8") == ops.page(), "python notebooks/dask_ops.py"

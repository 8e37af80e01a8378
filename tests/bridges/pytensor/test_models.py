"""Five models, taken over, stabilized and taken back: right where the formula as written is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytensor.compile.mode import Mode

from relgraph.bridges.pytensor import from_pytensor, relational_rewriter, to_pytensor
from relgraph.compile import optimize_graph
from tests.bridges.pytensor.models import MODELS, Model
from tests.bridges.pytensor.running import PLAIN, values_of

STABLE = ("canonicalize", "stabilize")
FAST_COMPILE = Mode(linker="py", optimizer="fast_compile")


def stabilized(outputs: list[Any], inputs: list[Any]) -> list[Any]:
    ours, read = from_pytensor(outputs, inputs)
    back, written = to_pytensor(optimize_graph(read, include=STABLE), ours)
    assert all(a is b for a, b in zip(back, inputs, strict=True))
    return list(written)


def close(found: list[Any], model: Model, values: list[Any]) -> bool:
    pairs = zip(found, model.truth(values), strict=True)
    return all(np.allclose(a, b, rtol=1e-11, atol=1e-13) for a, b in pairs)


@pytest.mark.parametrize("name", MODELS)
def test_a_density_that_was_stabilized_has_a_right_gradient(name: str) -> None:
    model = MODELS[name]()
    naive = model.outputs(model.density)
    (density,) = stabilized([model.density], model.parameters)
    stable = model.outputs(density)
    for mode in (PLAIN, FAST_COMPILE):
        for values in (model.ordinary, model.extreme):
            given = dict(zip(model.parameters, values, strict=True))
            assert close(values_of(stable, given, mode), model, values)
    ordinary = dict(zip(model.parameters, model.ordinary, strict=True))
    extreme = dict(zip(model.parameters, model.extreme, strict=True))
    assert close(values_of(naive, ordinary), model, model.ordinary)
    assert not np.isfinite(values_of(naive[:1], extreme)[0])


@pytest.mark.parametrize("name", MODELS)
def test_laws_apply_to_the_gradient_that_pytensor_has_made(name: str) -> None:
    model = MODELS[name]()
    stable = stabilized(model.outputs(model.density), model.parameters)
    ordinary = dict(zip(model.parameters, model.ordinary, strict=True))
    extreme = dict(zip(model.parameters, model.extreme, strict=True))
    assert close(values_of(stable, ordinary), model, model.ordinary)
    assert close(values_of(stable, extreme), model, model.extreme)


def test_the_rewriter_stabilizes_a_model_inside_pytensor_function() -> None:
    model = MODELS["logistic"]()
    rewriter = relational_rewriter(include=STABLE, name="relgraph")
    mode = Mode(linker="py", optimizer="fast_compile").register((rewriter, 0.7))
    given = dict(zip(model.parameters, model.extreme, strict=True))
    outputs = model.outputs(model.density)
    assert not close(values_of(outputs, given, FAST_COMPILE), model, model.extreme)
    assert close(values_of(outputs, given, mode), model, model.extreme)

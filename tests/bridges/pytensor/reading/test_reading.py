"""PyTensor's graphs, read: the same values, and the very same variables on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.bridges.pytensor.reading import HeldOp
from relgraph.graph.basic import applys_between, clone
from relgraph.graph.reference import evaluate
from tests.bridges.pytensor.reading.cases import HELD, NAMES, READ, VALUES, inputs
from tests.bridges.pytensor.running import values_of


def made(expression: str) -> tuple[dict[Any, Any], list[Any]]:
    """Return the inputs of an expression with their values, and its outputs."""
    given = inputs()
    found = eval(expression, {**NAMES, **given})
    outputs = list(found) if isinstance(found, list | tuple) else [found]
    return {v: VALUES[name] for name, v in given.items()}, outputs


def held_in(inputs: list[Any], outputs: list[Any]) -> list[str]:
    return [str(n.op.op) for n in applys_between(inputs, outputs) if isinstance(n.op, HeldOp)]


def check(expression: str) -> list[str]:
    """Check an expression, and return what is held."""
    given, theirs = made(expression)
    ours, outputs = from_pytensor(theirs, list(given))
    expected = values_of(theirs, given)
    values = dict(zip(ours, given.values(), strict=True))
    for v, out, found, wanted in zip(
        theirs, outputs, evaluate(outputs, values), expected, strict=True
    ):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert out.type.dtype == v.type.dtype and out.type.ndim == v.type.ndim
        np.testing.assert_allclose(found, wanted, rtol=1e-6 if found.dtype == "float32" else 1e-12)
    back_inputs, back = to_pytensor(outputs, ours)
    assert all(a is b for a, b in zip(back_inputs, given, strict=True))
    assert all(a is b for a, b in zip(back, theirs, strict=True))
    copied_inputs, copied = clone(ours, outputs, copy_inputs=False)
    _, written = to_pytensor(copied, copied_inputs)
    for found, wanted in zip(values_of(written, given), expected, strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-6 if found.dtype == "float32" else 1e-11)
    return held_in(ours, outputs)


@pytest.mark.parametrize("expression", READ)
def test_what_is_read_has_the_same_values_and_goes_back_as_it_was(expression: str) -> None:
    assert check(expression) == []


@pytest.mark.parametrize("expression", HELD)
def test_what_has_no_counterpart_is_held_and_goes_back_as_it_was(expression: str) -> None:
    held = check(expression)
    assert any(HELD[expression] in name for name in held)

"""Loops: PyTensor's read, and this library's written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.scan.utils import until

import relgraph
import relgraph.tensor as at
from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.bridges.pytensor.reading.reader import HeldOp
from relgraph.bridges.pytensor.writing.writer import CarriedOp
from relgraph.graph.basic import applys_between
from relgraph.graph.reference import evaluate
from tests.bridges.pytensor.running import values_of

x, r = pt.vector("x"), pt.scalar("r")
VALUES = {x: np.array([0.1, 0.2, 0.5, -0.3]), r: np.array(0.7)}


def loop(step: Any, **given: Any) -> list[Any]:
    return list(pytensor.scan(step, **given, return_list=True, return_updates=False))


LOOPS: dict[str, Any] = {
    "a state": lambda: loop(
        lambda v, h, r: pt.tanh(r * h + v),
        sequences=[x],
        outputs_info=[pt.zeros(())],
        non_sequences=[r],
    ),
    "two taps and what is collected": lambda: loop(
        lambda v, a, b: [a * 0.5 + b * 0.2 + v, v * 2],
        sequences=[x],
        outputs_info=[{"initial": pt.ones(2), "taps": [-2, -1]}, None],
    ),
    "an early tap": lambda: loop(
        lambda v, a: a * 0.5 + v,
        sequences=[x],
        outputs_info=[{"initial": pt.ones(3), "taps": [-3]}],
    ),
    "a number of steps": lambda: loop(lambda h: pt.log(pt.exp(h) * r), outputs_info=[r], n_steps=5),
    "a condition": lambda: loop(lambda h: (h * 2, until(h > 10)), outputs_info=[r], n_steps=50),
    "rows alone": lambda: loop(lambda a, b: a * b, sequences=[x[1:], x[:-1]], outputs_info=[None]),
    "no step": lambda: loop(lambda h: h * 2, outputs_info=[r], n_steps=pt.shape(x)[0] - 4),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_read_and_written(name: str) -> None:
    theirs = LOOPS[name]()
    expected = values_of(theirs, VALUES)
    ours, read = from_pytensor(theirs, [x, r])
    nodes = applys_between(ours, read)
    assert not any(isinstance(n.op, HeldOp) for n in nodes)
    for found, wanted in zip(
        evaluate(read, dict(zip(ours, VALUES.values(), strict=True))), expected, strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
    _, back = to_pytensor(read, ours)
    assert all(a is b for a, b in zip(back, theirs, strict=True))
    new = relgraph.optimize_graph(list(read), include=("canonicalize", "stabilize"), clone=True)
    _, written = to_pytensor(new)
    assert not any(
        isinstance(n.op, CarriedOp)
        for n in pytensor.graph.traversal.applys_between([x, r], written)
    )
    for found, wanted in zip(values_of(written, VALUES), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_the_gradient_of_a_loop_is_held() -> None:
    gradient = pytensor.grad(LOOPS["a state"]()[0].sum(), r)
    ours, read = from_pytensor(gradient, [x, r])
    held = [str(n.op) for n in applys_between(ours, [read]) if isinstance(n.op, HeldOp)]
    assert any("Scan" in name for name in held)
    (expected,) = values_of([gradient], VALUES)
    given = dict(zip(ours, VALUES.values(), strict=True))
    np.testing.assert_allclose(evaluate([read], given)[0], expected)
    own = relgraph.grad(from_pytensor(LOOPS["a state"]()[0].sum(), [x, r])[1], ours[1])
    np.testing.assert_allclose(evaluate([own], given)[0], expected)


def test_a_loop_of_this_library_is_written() -> None:
    v = at.dvector("v")
    total, _ = relgraph.reduce(lambda row, state: state + at.sin(row), v, at.constant(0.0))
    (theirs,), written = to_pytensor(total, [v])
    value = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(values_of([written], {theirs: value})[0], np.sin(value).sum())

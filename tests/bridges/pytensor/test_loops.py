"""Loops: PyTensor's read, and this library's written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.compile.mode import Mode
from pytensor.graph.basic import equal_computations
from pytensor.scan.op import Scan
from pytensor.scan.utils import until
from pytensor.tensor.subtensor import Subtensor

import relgraph
import relgraph.tensor as at
from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.graph.basic import clone
from relgraph.graph.reference import evaluate
from tests.arrays import assert_close
from tests.bridges.pytensor.running import PLAIN, carried_in, held_in, values_of

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
    assert not held_in(ours, read)
    assert_close(evaluate(read, dict(zip(ours, VALUES.values(), strict=True))), expected, 1e-14)
    _, back = to_pytensor(read, ours)
    assert all(a is b for a, b in zip(back, theirs, strict=True))
    new = relgraph.optimize_graph(list(read), include=("canonicalize", "stabilize"), clone=True)
    _, written = to_pytensor(new)
    assert not carried_in([x, r], written)
    assert_close(values_of(written, VALUES), expected, rtol=1e-14)


def written_again(outputs: list[Any], include: Any = ()) -> list[Any]:
    """Return what a graph is after it was read, rewritten or only copied, and written back."""
    ours, read = from_pytensor(outputs, [x, r])
    new = relgraph.optimize_graph(list(read), include=include, clone=True)
    return list(to_pytensor(new if include else clone(ours, read, copy_inputs=False)[1])[1])


def indices_of_a_loop(v: Any) -> int:
    """Return how often a result of a loop is indexed for `v`."""
    count = 0
    while not isinstance(v.owner.op, Scan):
        assert isinstance(v.owner.op, Subtensor)
        v, count = v.owner.inputs[0], count + 1
    return count


def ops_of(outputs: list[Any]) -> list[str]:
    nodes = pytensor.graph.traversal.applys_between([x, r], outputs)
    return [type(node.op).__name__ for node in nodes]


SUMS = loop(lambda v, h: h + v, sequences=[x], outputs_info=[pt.zeros(())])[0]
WAVES = loop(
    lambda v, a, b: a * 0.5 + b * 0.2 + v,
    sequences=[x],
    outputs_info=[{"initial": pt.ones(2), "taps": [-2, -1]}],
)[0]
GRID = loop(lambda v, h: h * 0.5 + v, sequences=[x], outputs_info=[pt.ones(3)])[0]
# The array of a state as a rewriter leaves it, beside what `scan` returns.
SUMS_ARRAY, WAVES_ARRAY = SUMS.owner.inputs[0], WAVES.owner.inputs[0]
PARTS = {
    "all": SUMS,
    "the last": SUMS[-1],
    "the third": SUMS[2],
    "the first two": SUMS[:2],
    "the last two": SUMS[-2:],
    "backwards": SUMS[::-1],
    "the last of two taps": WAVES[-1],
    "an element of the last": GRID[-1, 1],
    "columns": GRID[1:, ::2],
    "the last of the array": SUMS_ARRAY[-1],
    "the third of the array": SUMS_ARRAY[3],
    "the array backwards": SUMS_ARRAY[:0:-1],
    "the first of the array": SUMS_ARRAY[0],
    "the array of two taps, the last but one": WAVES_ARRAY[-2],
    "the array of two taps, without its ends": WAVES_ARRAY[2:-1],
}


@pytest.mark.parametrize(
    "include", [(), ("canonicalize", "stabilize")], ids=["copied", "rewritten"]
)
@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_loop_is_written_as_people_write_it(name: str, include: Any) -> None:
    out = PARTS[name]
    (written,) = written_again([out], include)
    assert "Join" not in ops_of([written])
    assert name == "the first of the array" or indices_of_a_loop(written) <= 2
    (again,) = written_again([written], ("canonicalize",))
    (once_more,) = written_again([again], ("canonicalize",))
    assert equal_computations([again], [once_more])
    (expected,) = values_of([out], VALUES)
    fast = Mode(linker="py", optimizer="fast_run")
    for mode in (PLAIN, fast):
        for theirs in (written, again):
            (found,) = values_of([theirs], VALUES, mode)
            np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_the_last_row_of_a_loop_is_written_as_one_index() -> None:
    (written,) = written_again([SUMS[-1]], ("canonicalize", "stabilize"))
    assert len(ops_of([written])) <= len(ops_of([SUMS[-1]])) + 1
    scan = written.owner.inputs[0].owner.inputs[0].owner
    # the state and the rows that are collected are one result
    assert isinstance(scan.op, Scan) and len(scan.outputs) == 1
    # and what the loop reads is `x` itself, which `scan` cuts to the number of steps
    assert ops_of([written]).count("Subtensor") == ops_of([SUMS[-1]]).count("Subtensor") - 1


def test_of_no_step_the_last_state_is_the_first() -> None:
    empty = {x: np.array([]), r: np.array(2.0)}
    for part in (SUMS_ARRAY[-1], WAVES_ARRAY[-1]):
        (written,) = written_again([part], ("canonicalize",))
        np.testing.assert_array_equal(values_of([written], empty), values_of([part], empty))


m = pt.matrix("m")
MATRIX = np.array([[0.1, 0.2], [0.5, -0.3], [-0.4, 0.7], [0.9, 0.3]])
DIFFERENTIATED: dict[str, Any] = {
    **{name: LOOPS[name] for name in LOOPS if name != "rows alone"},
    "rows of a matrix, backward": lambda: loop(
        lambda row, h: pt.tanh(row * h + r),
        sequences=[m],
        outputs_info=[pt.ones(2)],
        go_backwards=True,
    ),
    "two taps of vectors": lambda: loop(
        lambda row, a, b: pt.sin(a) * b + row * r,
        sequences=[m],
        outputs_info=[{"initial": m[:2], "taps": [-2, -1]}],
    ),
    "taps that are apart": lambda: loop(
        lambda v, a, b: a * b + v,
        sequences=[x],
        outputs_info=[{"initial": x[:3], "taps": [-3, -1]}],
    ),
    "two states of each other": lambda: loop(
        lambda v, a, b: [a * b + v, b - r * a],
        sequences=[x],
        outputs_info=[r, pt.ones(())],
    ),
    "a few steps back": lambda: loop(
        lambda v, h: pt.tanh(r * h + v),
        sequences=[x],
        outputs_info=[pt.zeros(())],
        truncate_gradient=2,
    ),
}


READ = {"all rows": slice(None), "the last row": -1, "some rows": slice(1, None, 2)}
# without a step there is no last row
DIFFERENTIATED_PARTS = [
    (name, part)
    for name in DIFFERENTIATED
    for part in READ
    if (name, part) != ("no step", "the last row")
]


@pytest.mark.parametrize(("name", "part"), DIFFERENTIATED_PARTS)
def test_the_gradient_of_a_loop_is_read(name: str, part: str) -> None:
    given = {**VALUES, m: MATRIX}
    cost = sum((rows[READ[part]] ** 2).sum() for rows in DIFFERENTIATED[name]())
    gradients = pytensor.grad(cost, list(given), disconnected_inputs="ignore")
    ours, read = from_pytensor(gradients, list(given))
    assert bool(held_in(ours, read)) is (name == "a few steps back")
    values = list(given.values())
    compute = relgraph.function(ours, list(read), on_unused_input="ignore")
    assert_close(compute(*values), values_of(gradients, given), rtol=1e-12, atol=1e-14)


def test_a_loop_over_an_array_that_is_not_new_is_held() -> None:
    rows = LOOPS["a state"]()[0]
    scan = rows.owner.inputs[0].owner
    buffer = pt.set_subtensor(pt.vector("buffer")[:1], 0.0)
    inputs = [buffer if v is scan.inputs[2] else v for v in scan.inputs]
    other = scan.op(*inputs)
    ours, read = from_pytensor(other, None)
    assert any("Scan" in name for name in held_in(ours, [read]))


def test_a_loop_of_this_library_is_written() -> None:
    v = at.dvector("v")
    total, _ = relgraph.reduce(lambda row, state: state + at.sin(row), v, at.constant(0.0))
    (theirs,), written = to_pytensor(total, [v])
    value = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(values_of([written], {theirs: value})[0], np.sin(value).sum())

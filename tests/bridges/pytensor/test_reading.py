"""PyTensor's graphs, read: values, variables, shared values, generators, and ops that are held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.raise_op import CheckAndRaise

import relgraph
import relgraph.tensor as at
from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.bridges.pytensor.counterparts import DISTRIBUTION_OF_CLASS
from relgraph.bridges.pytensor.reading import HeldOp
from relgraph.graph.basic import applys_between, clone
from relgraph.graph.reference import evaluate
from relgraph.graph.shared_values import SharedVariable
from tests.bridges.pytensor.cases import HELD, NAMES, READ, VALUES, inputs
from tests.bridges.pytensor.running import assert_same, held_in, values_of
from tests.tensor.random.test_distributions import PARAMETERS


def made(expression: str) -> tuple[dict[Any, Any], list[Any]]:
    """Return the inputs of an expression with their values, and its outputs."""
    given = inputs()
    found = eval(expression, {**NAMES, **given})
    outputs = list(found) if isinstance(found, list | tuple) else [found]
    return {v: VALUES[name] for name, v in given.items()}, outputs


def check(expression: str) -> list[str]:
    """Check an expression, and return what is held."""
    given, theirs = made(expression)
    ours, outputs = from_pytensor(theirs, list(given))
    expected = values_of(theirs, given)
    values = dict(zip(ours, given.values(), strict=True))
    assert_same(evaluate(outputs, values), expected)
    for v, out in zip(theirs, outputs, strict=True):
        assert out.type.dtype == v.type.dtype and out.type.ndim == v.type.ndim
    back_inputs, back = to_pytensor(outputs, ours)
    assert all(a is b for a, b in zip(back_inputs, given, strict=True))
    assert all(a is b for a, b in zip(back, theirs, strict=True))
    copied_inputs, copied = clone(ours, outputs, copy_inputs=False)
    _, written = to_pytensor(copied, copied_inputs)
    assert_same(values_of(written, given), expected, 1e-11)
    return held_in(ours, outputs)


@pytest.mark.parametrize("expression", READ)
def test_what_is_read_has_the_same_values_and_goes_back_as_it_was(expression: str) -> None:
    assert check(expression) == []


@pytest.mark.parametrize("expression", HELD)
def test_what_has_no_counterpart_is_held_and_goes_back_as_it_was(expression: str) -> None:
    held = check(expression)
    assert any(HELD[expression] in name for name in held)


# What becomes of variables, shared values, generators, and ops that are held.

x = pt.vector("x")
VALUE = np.array([0.5, 2.0, 0.75])


def test_inputs_are_those_without_a_value_in_order() -> None:
    y = pt.scalar("y")
    ours, out = from_pytensor(pt.exp(y) * x + 1)
    assert sorted(v.name for v in ours) == ["x", "y"]
    ours, _ = from_pytensor(pt.exp(y) * x + 1, [x, y])
    assert [v.name for v in ours] == ["x", "y"]
    assert isinstance(out, at.TensorVariable)


def test_what_is_computed_may_be_an_input() -> None:
    part = pt.exp(x)
    (ours,), out = from_pytensor(pt.log(part), [part])
    np.testing.assert_allclose(evaluate([out], {ours: VALUE})[0], np.log(VALUE))
    (back,), _ = to_pytensor(out, [ours])
    assert back is part


def test_names_and_static_lengths_stay() -> None:
    y = pt.tensor("y", dtype="float32", shape=(1, None, 3))
    out = pt.exp(y)
    out.name = "growth"
    (ours,), read = from_pytensor(out)
    assert (ours.name, read.name) == ("y", "growth")
    assert ours.type.shape == read.type.shape == (1, None, 3)
    assert ours.type.dtype == "float32"


def test_a_shared_variable_has_a_copy_of_the_value_and_goes_back_as_itself() -> None:
    weights = pytensor.shared(np.array([1.0, 2.0, 3.0]), name="weights")
    (ours,), out = from_pytensor(x * weights)
    run = relgraph.function([ours], out)
    np.testing.assert_array_equal(run(VALUE), VALUE * [1, 2, 3])
    (own,) = [v for v in out.owner.inputs if isinstance(v, SharedVariable)]
    own.set_value(np.zeros(3))
    np.testing.assert_array_equal(weights.get_value(), [1.0, 2.0, 3.0])
    _, back = to_pytensor(relgraph.optimize_graph(out * 2, clone=True))
    assert weights in pytensor.graph.traversal.graph_inputs([back])


def test_a_graph_that_was_changed_is_written_anew() -> None:
    out = pt.log(pt.exp(x)) + pt.cos(x)
    (ours,), read = from_pytensor(out, [x])
    new = relgraph.optimize_graph(read, include=("canonicalize", "stabilize"))
    (back,), written = to_pytensor(new, [ours])
    assert back is x and written is not out
    assert any(v is out.owner.inputs[1] for v in written.owner.inputs)
    np.testing.assert_allclose(values_of([written], {x: VALUE})[0], VALUE + np.cos(VALUE))


def test_a_held_op_has_the_gradient_of_pytensor() -> None:
    held = pt.linalg.block_diag(pt.outer(x, x), x[None, :])
    (ours,), out = from_pytensor((held**2).sum(), [x])
    assert held_in([ours], [out])
    gradient = relgraph.grad(out, ours)
    (expected,) = values_of([pytensor.grad((held**2).sum(), x)], {x: VALUE})
    np.testing.assert_allclose(evaluate([gradient], {ours: VALUE})[0], expected)


def test_a_held_check_raises_what_it_raised() -> None:
    class NotPositive(Exception):
        pass

    out = pt.log(CheckAndRaise(NotPositive, "must be positive")(x, pt.all(x > 0)))
    (ours,), read = from_pytensor(out, [x])
    run = relgraph.function([ours], read)
    np.testing.assert_allclose(run(VALUE), np.log(VALUE))
    with pytest.raises(NotPositive, match="must be positive"):
        run(-VALUE)


def test_laws_go_through_what_lies_around_a_held_op() -> None:
    out = pt.log(pt.exp(pt.fill_diagonal(pt.outer(x, x), 1.0)))
    (ours,), read = from_pytensor(out, [x])
    new = relgraph.optimize_graph(read, include=("canonicalize", "stabilize"))
    assert "exp" not in {str(n.op) for n in applys_between([ours], [new])}


@pytest.mark.parametrize("cls", DISTRIBUTION_OF_CLASS, ids=DISTRIBUTION_OF_CLASS.get)
@pytest.mark.parametrize("size", [None, (4,)])
def test_draws_are_the_same_numbers(cls: Any, size: Any) -> None:
    rng = pytensor.shared(np.random.default_rng(7), name="rng")
    parameters = [pt.as_tensor(p) for p in PARAMETERS[DISTRIBUTION_OF_CLASS[cls]][0]]
    following, draw = cls()(*parameters, size=size, rng=rng, return_next_rng=True)
    _, read = from_pytensor([following, draw], [rng])
    assert not isinstance(read[1].owner.op, HeldOp)
    (expected,) = values_of([draw], {})
    given = {read[1].owner.inputs[0]: np.random.default_rng(7)}
    np.testing.assert_array_equal(evaluate([read[1]], given)[0], expected)
    _, back = to_pytensor(read, [read[1].owner.inputs[0]])
    assert back[1] is draw
    copied = clone([read[1].owner.inputs[0]], [read[1]], copy_inputs=False)
    _, written = to_pytensor(copied[1])
    np.testing.assert_array_equal(values_of(written, {})[0], expected)


def test_other_distributions_are_held() -> None:
    rng = pytensor.shared(np.random.default_rng(7), name="rng")
    _, draw = pt.random.dirichlet([1.0, 2.0], rng=rng, return_next_rng=True)
    (ours,), read = from_pytensor(draw, [rng])
    assert isinstance(read.owner.op, HeldOp)
    (expected,) = values_of([draw], {})
    np.testing.assert_array_equal(evaluate([read], {ours: np.random.default_rng(7)})[0], expected)


def test_what_is_no_variable_is_refused() -> None:
    with pytest.raises(TypeError, match="is no variable of PyTensor's"):
        from_pytensor([3])

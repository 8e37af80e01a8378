"""What a law makes of an expression, beside its true value and its true slope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.gradient import grad
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.traversal import io_toposort
from relgraph.truth.graphs import rounded, true_values
from tests.relations.applied import applied, inputs_of, value_of
from tests.relations.compositions import meant

X = [1e-9, 3e-7, 1e-4, 0.02, 0.25, 0.75, 1.5, 3.0, 250.0, 1e5, 1e12]
Y = [1e-12, 1.0, 1e-9, 1e-3, 0.5, 1e-8, 1e-9, 2.0, 1e-6, 1e-7, 3.0]
Z = [2.0, 1e-3, 0.5, 1.0, 1.5, 3.0, 0.1, 0.3, 2.0, 1.0, 0.2]
POINTS = {
    name: np.array([*values, *(-v for v in values)])
    for name, values in {"x": X, "y": Y, "z": Z}.items()
}
POINTS["y"][11:] *= -1
POINTS["z"][11:] *= -1


def points_of(graph: Any) -> dict[str, Any]:
    """Return values for the inputs of a graph, by name."""
    return {v.name: POINTS[v.name] for v in inputs_of(graph)}


def truth(graph: Any, values: dict[str, Any]) -> Any:
    """Return the true values of a graph as numbers, nan where there are none."""
    inputs = {v: values[v.name] for v in inputs_of(graph)}
    nodes = io_toposort(list(inputs), [graph])
    known = {v: meant(v.data) for node in nodes for v in node.inputs if hasattr(v, "data")}
    return rounded(true_values(nodes, {**known, **inputs}, graph))


def true_value_and_slopes(cost: Any, inputs: Sequence[Any], point: Sequence[Any]) -> list[Any]:
    """Return the true value of a cost at a point, and its true slopes by the inputs, as numbers."""
    values = {v.name: np.asarray(number) for v, number in zip(inputs, point, strict=True)}
    slopes = grad(cost, list(inputs), stabilize=False)
    return [float(truth(out, values)) for out in (cost, *slopes)]


def assert_true(law: Relation, before: Any, tolerance: float = 1e-13) -> None:
    """Check that a law fires once, and that the value that it gives is the true one."""
    after = applied(law, before)
    assert after.owner.op is not before.owner.op or after.owner.inputs != before.owner.inputs
    values = points_of(before)
    found, expected = value_of(after, values), truth(before, values)
    defined = np.isfinite(expected)
    assert defined.sum() > 4
    np.testing.assert_allclose(found[defined], expected[defined], rtol=tolerance, atol=1e-300)


def assert_true_slopes(law: Relation, before: Any, tolerance: float = 1e-7) -> None:
    """Check that the slopes of what a law gives are the true ones of what was there."""
    after = applied(law, before)
    values = points_of(before)
    has_value = np.isfinite(truth(before, values))
    for old in inputs_of(before):
        (new,) = [v for v in inputs_of(after) if v.name == old.name]
        slope = grad(at.sum(after), new, disconnected_inputs="ignore")
        expected = truth(grad(at.sum(before), old), values)
        found = np.broadcast_to(value_of(slope, values), expected.shape)
        # a slope may itself be a difference of what is near each other
        defined = has_value & np.isfinite(expected)
        assert not np.isnan(found[defined]).any()
        scale = np.abs(expected[defined]).max(initial=0)
        close = np.isclose(found[defined], expected[defined], rtol=tolerance, atol=1e-8 * scale)
        assert close.all(), (old.name, found[defined], expected[defined])

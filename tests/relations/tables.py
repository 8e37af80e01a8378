"""Rows of the tables that show what each law about the structure of tensors does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable, equal_computations, graph_inputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.notation import algebra
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.reference import evaluate
from relgraph.testing.judge.evaluation import array_of
from tests.seeds import seed_of

LENGTH = 3
"""How long the axes are whose length is not known."""


def value_for(v: Any) -> Any:
    """Return a value for an input: lengths m and n are 3, sizes add up to 3, and other integers of
    rank 0 are 1."""
    rng = np.random.default_rng(seed_of("tables", v.name))
    shape = tuple(LENGTH if n is None else n for n in v.type.shape)
    kind = np.dtype(v.type.dtype).kind
    if v.name == "sizes":
        return np.array([1, LENGTH - 1])
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        single = LENGTH if v.name in ("m", "n") else 1
        return np.asarray(rng.integers(0, 3, shape) if shape else single, dtype=v.type.dtype)
    drawn = rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "c" else 0)
    return np.asarray(drawn, dtype=v.type.dtype)


def values_of(outputs: Sequence[Variable]) -> list[Any]:
    """Evaluate graphs at the values for their inputs."""
    inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
    with np.errstate(all="ignore"):
        return evaluate(list(outputs), {v: value_for(v) for v in inputs})


def rewritten(laws: Sequence[Any], outputs: Sequence[Variable]) -> list[Variable]:
    """Return graphs rewritten by some laws until these change nothing."""
    fgraph = FunctionGraph(outputs=list(outputs), clone=False)
    EquilibriumOptimizer(list(laws)).optimize(fgraph)
    return list(fgraph.outputs)


def same_values(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Return whether arrays have the same dtypes and shapes, and elements but for rounding."""
    return all(
        a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, equal_nan=True)
        for a, b in zip(map(array_of, found), map(array_of, expected), strict=True)
    )


def check_unchanged(law: Any, *outputs: Any) -> None:
    """Assert that `law` leaves some graphs alone."""
    found = rewritten([law], outputs)
    assert all(a is b for a, b in zip(found, outputs, strict=True)), list(map(algebra, found))


def check_fires(law: Any, before: Any, after: Any = None) -> Variable:
    """Assert that `law` alone changes a graph but not its values; return what it makes.

    Parameters
    ----------
    after
        The graph that it makes, or how that is written as algebra; None if it is not told.
    """
    expected = values_of([before])
    (found,) = rewritten([law], [before])
    assert found is not before
    if isinstance(after, str):
        assert algebra(found, 200) == after
    elif after is not None:
        assert equal_computations([found], [after]), f"{algebra(found)} is not {algebra(after)}"
    assert same_values(values_of([found]), expected)
    assert before.type.is_super(found.type)
    return found

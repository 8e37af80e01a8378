"""Graphs of laws about products of matrices are drawn by the names of their axes, not by luck."""

from __future__ import annotations

from random import Random

import pytest

import relgraph.tensor as at
from relgraph.graph.kanren.rules import Rule
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.linalg.products import _kron, _matmul
from relgraph.tensor.linalg.systems import _solve
from relgraph.tensor.math import _dot
from relgraph.testing.discovery import discover_laws
from relgraph.testing.instances.arguments import STACK, axes_in
from relgraph.testing.instances.instance import CannotInstantiate, direction_of
from relgraph.testing.instances.instance_search import InstanceSearch
from relgraph.testing.instances.instantiation import PatternInstantiator
from tests.seeds import SEED

b, n, x, y, z = lvars("b n x y z")


def named(pattern):
    """Return the names of the axes of each variable, in the order of their first letters."""
    found = axes_in(pattern)
    names = "".join(name for v in sorted(found, key=str) for name in found[v])
    letters = dict.fromkeys(names.replace(STACK, ""))
    known = {STACK: STACK, **dict(zip(letters, "ijklmnop", strict=False))}
    return {
        str(v).removeprefix("~"): " ".join("".join(known[c] for c in name) for name in axes)
        for v, axes in found.items()
    }


def test_factors_have_a_length_in_common():
    assert named(_dot(_dot(x, y), z)) == {"x": "i j", "y": "j k", "z": "k l"}
    assert named(_matmul(x, -y)) == {"x": "* i j", "y": "* j k"}
    assert named(b + _dot(x, y)) == {"b": "i j", "x": "i k", "y": "k j"}
    assert named(_dot(at.DimShuffle(2, (1, 0))(x), x)) == {"x": "i j"}
    assert named(at.exp(x) + y) == {}


def test_matrices_that_are_solved_for_are_square():
    assert named(_solve(b + _dot(x, y), z)) == {"b": "i i", "x": "i j", "y": "j i", "z": "i k"}
    assert named(_dot(_kron(x, y), z)) == {"x": "i j", "y": "k l", "z": "jl m"}
    assert named(_solve(x, at.eye(n, n, 0))) == {"n": "i", "x": "i i"}


@pytest.mark.parametrize(
    "name",
    ["trace-cycle", "matmul-divided-left", "solve-diagonal-vector", "solve-eye", "trace-kron"],
)
def test_each_law_is_met_soon(name):
    direction = direction_of(discover_laws()[name], "forward")
    (rule,) = direction.rules
    for seed in range(2):
        search = InstanceSearch(direction, rule, Random(f"{SEED} {seed}"))
        search.find(12, 600)
        assert len(search.instances) >= 6


def test_most_products_fit():
    instantiator = PatternInstantiator(Rule("product", _dot(_dot(x, y), z), None), Random(SEED))
    made = 0
    for _ in range(200):
        try:
            instantiator.instantiate()
            instantiator.choices.record_outcome(success=True)
            made += 1
        except CannotInstantiate:
            instantiator.choices.record_outcome(success=False)
    assert made > 100

"""The code that matches a side of a law finds the instances that the side has by definition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.formulas.expressions import INPUT, NUMBER, from_graph, inputs_of, parts
from relgraph.formulas.parsing import parsed
from relgraph.formulas.true_values import Known, Sampler
from relgraph.graph.utils import Deadline
from relgraph.search.candidates import equations
from relgraph.search.equations import (
    COMMUTATIVE,
    MOST_MATCHES,
    MOST_NODES,
    Equation,
    Pattern,
    built,
)
from relgraph.search.refinement import Search

TEXTS = (
    "sqrt(x * x + y) - x",
    "sin(x + y) - sin(x)",
    "(x * y) / (y * z) + x / z",
    "(x + y) ** 3 - x ** 3",
)


def instances(equation: Equation, pattern: Pattern, c: Any, bound: dict[int, Any]) -> Iterator[Any]:
    """Yield what the variables represent when a class holds an instance of a pattern."""
    if pattern.op is INPUT:
        if bound.setdefault(pattern.value, c) is c:
            yield bound
    elif pattern.op is NUMBER:
        if c.constant is pattern:
            yield bound
    elif c.constant is None and pattern.op in c.nodes:
        for node in c.nodes[pattern.op][:MOST_NODES]:
            swaps = pattern.op in COMMUTATIVE and node.classes[0] is not node.classes[1]
            for classes in (node.classes, node.classes[::-1]) if swaps else (node.classes,):
                yield from of_arguments(
                    equation, list(zip(pattern.args, classes, strict=True)), bound
                )


def of_arguments(equation: Equation, todo: list[Any], bound: dict[int, Any]) -> Iterator[Any]:
    if not todo:
        yield bound
        return
    for found in instances(equation, *todo[0], dict(bound)):
        yield from of_arguments(equation, todo[1:], found)


def test_ops_of_any_number_of_arguments_have_two() -> None:
    x, y, z = at.dvectors("x", "y", "z")
    found = from_graph(at.maximum(x, y, z), [x, y, z], "xyz")
    assert found is parsed("maximum(maximum(x, y), z)")
    for equation in equations():
        assert all(len(e.args) < 3 for e in parts(equation.left) if e.op in COMMUTATIVE)


@pytest.mark.parametrize("text", TEXTS)
def test_all_instances_are_found(text: str) -> None:
    expr = parsed(text)
    known: Known = Sampler(expr, inputs_of(expr), parsed("x > 0"), np.float64, 0).points(12, 2.0)
    with np.errstate(all="ignore"):
        search = Search(expr, known, equations(), most_nodes=250)
        search.run(3, Deadline(20.0))
    graph = search.graph
    graph.rebuild()
    matched = 0
    for equation in equations():
        for c in graph.classes():
            found = equation.matches(graph, c)
            expected = [
                tuple(b.get(k) for k in range(equation.count))
                for b in instances(equation, equation.left, c, {})
            ]
            matched += len(found)
            if len(expected) < MOST_MATCHES:
                assert sorted(map(str, map(indices, found))) == sorted(
                    map(str, map(indices, expected))
                )
            else:
                assert len(found) == MOST_MATCHES and set(found) <= set(expected)
    assert matched > 50


def indices(bound: tuple[Any, ...]) -> list[int]:
    return [-1 if c is None else c.index for c in bound]


def test_what_is_nested_deeply_is_matched() -> None:
    (deep,) = [e for e in equations() if e.name == "root-of-square-less-product" and e.backward]
    source = [p.op for p in parts(deep.left)]
    assert len(source) > 20
    expr = parsed("x * y + z")
    known = Sampler(expr, inputs_of(expr), parsed("x > 0"), np.float64, 0).points(4, 1.0)
    search = Search(expr, known, (), most_nodes=200)
    values = dict(enumerate(map(parsed, "xyz")))
    c = search.graph.add(built(deep.left, values))
    found = {tuple(b.best.value for b in bound) for bound in deep.matches(search.graph, c.root())}
    assert ("x", "y", "z") in found

"""Groups of nodes: convex, without cycles between them, found in time that is linear."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import Any

import numpy as np
import pytest

from relgraph import tensor as at
from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.fusion import MAX_NODES, FuseElemwise, Groups
from relgraph.tensor.elemwise import Elemwise
from tests.seeds import seed_of


def joins(before: Apply, node: Apply) -> bool:
    return isinstance(before.op, Elemwise) and isinstance(node.op, Elemwise)


def groups_of(outputs: list[Any], before: dict[Apply, list[Apply]] | None = None) -> Groups:
    fgraph = FunctionGraph(outputs=outputs, clone=False)
    return Groups(fgraph, fgraph.toposort(), joins, before or {})


def random_graph(seed: int, size: int) -> list[Any]:
    """Return the outputs of a graph in which every third node can't be in a group."""
    rng = np.random.default_rng(seed)
    known: list[Any] = [at.dvector("x"), at.dvector("y")]
    for _ in range(size):
        near = rng.integers(max(0, len(known) - 12), len(known), 2)
        a, b = known[near[0]], known[near[1]]
        kind = rng.random()
        known.append(at.cumsum(a) if kind < 0.33 else a * b if kind < 0.8 else a + b)
    return [v for v in known[-3:] if v.owner is not None]


def assert_acyclic(groups: list[list[Apply]], before: dict[Apply, list[Apply]]) -> None:
    """Assert that there is an order of groups in which each comes after all that it reads, and all
    that must run before it."""
    group_of = {node: i for i, group in enumerate(groups) for node in group}
    order: TopologicalSorter[int] = TopologicalSorter()
    for node, i in group_of.items():
        earlier = [v.owner for v in node.inputs if v.owner is not None] + before.get(node, [])
        order.add(i, *{group_of[one] for one in earlier} - {i})
    order.prepare()


@pytest.mark.parametrize("number", range(60))
def test_groups_never_read_each_other_in_a_circle(number: int) -> None:
    outputs = random_graph(seed_of("groups", number), 80)
    fgraph = FunctionGraph(outputs=outputs, clone=False)
    found = Groups(fgraph, fgraph.toposort(), joins, {}).all()
    assert sorted(map(id, fgraph.apply_nodes)) == sorted(id(n) for group in found for n in group)
    assert_acyclic(found, {})
    assert any(len(group) > 2 for group in found)
    FuseElemwise().apply(fgraph)
    fgraph.check_integrity()
    fgraph.toposort()


@pytest.mark.parametrize("number", range(20))
def test_what_must_run_before_keeps_nodes_apart(number: int) -> None:
    outputs = random_graph(seed_of("groups", number), 40)
    order = FunctionGraph(outputs=outputs, clone=False).toposort()
    rng = np.random.default_rng(seed_of("before", number))
    before = {
        order[j]: [order[i]]
        for i, j in (sorted(rng.integers(0, len(order), 2)) for _ in range(9))
        if i < j
    }
    found = groups_of(outputs, before).all()
    group_of = {node: i for i, group in enumerate(found) for node in group}
    for node, earlier in before.items():
        assert group_of[node] != group_of[earlier[0]]
    assert_acyclic(found, before)


def test_naive_grouping_would_make_a_circle() -> None:
    x = at.dvector("x")
    a, b = at.exp(x), at.tanh(x)
    # each of two pairs reads the other's first node by way of a sum
    c, d = a * at.cumsum(b), b * at.cumsum(a)
    assert_acyclic(groups_of([c, d]).all(), {})


def chain(length: int) -> list[Any]:
    x, y = at.dvectors("x", "y")
    z = x
    for _ in range(length):
        z = z * y
    return [z]


def ladder(length: int) -> list[Any]:
    a, b = at.dvectors("a", "b")
    for i in range(length // 2):
        a, b = a * b, at.cumsum(a) if i % 5 == 0 else a + b
    return [a, b]


@pytest.mark.parametrize("family", [chain, ladder])
def test_visits_grow_in_step_with_the_graph(family: Any) -> None:
    per_node = []
    visits = 0

    def counted(before: Apply, node: Apply) -> bool:
        nonlocal visits
        visits += 1
        return joins(before, node)

    for length in (100, 1000, 10_000):
        visits = 0
        fgraph = FunctionGraph(outputs=family(length), clone=False)
        groups = Groups(fgraph, fgraph.toposort(), counted, {})
        per_node.append(visits / length)
        assert all(len(group) <= MAX_NODES for group in groups.all())
    assert max(per_node) <= 1.2 * min(per_node)
    assert max(per_node) < 5


def test_long_chains_are_cut_into_few_groups() -> None:
    groups = groups_of(chain(10_000)).all()
    assert len(groups) == -(-10_000 // MAX_NODES)

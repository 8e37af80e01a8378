"""The work for each node of a graph does not depend on how many nodes there are."""

from itertools import product

import pytest

import relgraph.tensor as at
from relgraph import grad
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.basic import applys_between
from relgraph.graph.opt.limits import VISITS_PER_NODE
from tests.families import FAMILIES, value_and_gradient
from tests.families.counting import (
    COUNTS,
    MOST_GROWTH,
    calls_of,
    counted,
    counted_in_copy,
    growth,
    most_applied,
)
from tests.families.rewritten import GRAPHS, PHASES
from tests.seeds import sampled

# o3 has the laws of o4.
MODES = ("o1", "o2", "o4", "stabilize", "strict", "unsafe")
SIZES = (200, 600)
# At such sizes what happens at the edge of a graph weighs as much as this for each node.
FLOOR = 0.25


@pytest.mark.parametrize(
    ("name", "mode"),
    sampled(product(FAMILIES, MODES), 10, "counts by node"),
)
def test_counts_by_node_do_not_grow_with_the_graph(name, mode):
    for gradient in (False, True):
        small, large = (counted(FAMILIES[name], n, mode, gradient) for n in SIZES)
        grown = {count: growth(small, large, count, FLOOR) for count in COUNTS}
        which = "with gradient" if gradient else "forward"
        most = "; ".join(most_applied(small, large))
        assert max(grown.values()) <= MOST_GROWTH, f"{which}: {grown}; most applied: {most}"
        assert large.visits <= VISITS_PER_NODE * (large.nodes + large.made)


# Visits, calls, changes, nodes made, and nodes left. Where less is done, less goes in here.
MOST = {
    "cancel100": (5, 1, 102, 1, 1),
    "chain100": (1100, 450, 50, 50, 250),
    "logexp300": (4, 3, 300, 0, 1),
    # the exponential of a log_softmax that is read anyway stays one, with a node and 23 calls more
    "mlp_grad": (302, 315, 26, 21, 74),
}


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("name", GRAPHS)
def test_no_more_is_done_to_the_graphs_that_are_timed(name, times):
    found = counted_in_copy(GRAPHS[name](at, grad, times), PHASES)
    counts = found.visits, found.calls, found.applied.total(), found.made, found.left
    pairs = zip(counts, MOST[name], strict=True)
    assert all(count <= times * most for count, most in pairs), (counts, dict(found.applied))


@pytest.mark.parametrize("name", GRAPHS)
def test_a_timed_graph_of_twice_as_many_parts_takes_twice_as_many_calls(name):
    """All functions are counted: also those that copy the graph, and what laws ask and compute."""
    calls_once, calls_twice = (
        calls_to_rewrite(lambda k=k: GRAPHS[name](at, grad, k)) for k in (1, 2)
    )
    assert calls_twice <= 2.2 * calls_once


def calls_to_rewrite(build):
    for _ in range(2):
        # the first use of laws compiles them
        optimize_graph(build(), PHASES)
    outputs = build()
    return calls_of(lambda: optimize_graph(outputs, PHASES))[0]


def products_in_a_row(n):
    product = 1.0
    for _ in range(n):
        v = at.dvector()
        product = product * v * v
    return [product]


def differences_in_a_row(n):
    total = at.exp(at.dvector())
    for _ in range(n):
        total = (total - at.exp(at.dvector())) + at.exp(at.dvector())
    return [at.log(total)]


def logarithms_in_a_row(n):
    out, x, y = at.dvectors("out", "x", "y")
    for _ in range(n):
        out = at.log(at.exp(out) + at.exp(x) + 2 * at.exp(y))
    return [out]


def pairs(n):
    return [at.mul(*[factor for v in vectors(n) for factor in (v, v)])]


def logarithm_of_a_sum(n):
    return [at.log(at.add(*[at.exp(v) for v in vectors(n)]))]


def root_of_squares(n):
    return [at.sqrt(at.add(*[at.sqr(v) for v in vectors(n)]))]


def vectors(n):
    return [at.dvector() for _ in range(n)]


@pytest.mark.parametrize(
    "build",
    [
        products_in_a_row,
        differences_in_a_row,
        logarithms_in_a_row,
        pairs,
        logarithm_of_a_sum,
        root_of_squares,
    ],
)
def test_laws_of_any_number_of_terms_walk_them_once(build):
    small, large = (calls_to_rewrite(lambda n=n: build(n)) for n in (40, 80))
    assert large <= 2.2 * small


# What the families promise: about as many nodes as asked for, and a gradient.

EVERY = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))


@EVERY
def test_they_grow_with_the_number_of_nodes_asked_for(family):
    small, large = (
        len(list(applys_between(inputs, [out])))
        for inputs, out in (family.build(at, 300), family.build(at, 3_000))
    )
    assert 100 <= small <= 1_000
    assert 5 <= large / small <= 20


@pytest.mark.parametrize("name", sampled(FAMILIES, 8, "gradients of families"))
def test_gradients_grow_with_the_graph(name):
    small, large = (
        len(list(applys_between([], value_and_gradient(FAMILIES[name], at, grad, size))))
        for size in (300, 3_000)
    )
    assert 5 <= large / small <= 20

"""No law and no pass makes a graph cost more: what is written once is computed once.

Each replacement is checked, and in the end the operations of the graph are counted beside those of
the graph as it was written. Laws for accuracy have a price, which they are granted. The losses of
`tests.losses` and the programs of `tests.fuzz` are compiled with ``config.check_costs`` too.
"""

from __future__ import annotations

from itertools import product

import pytest

import relgraph.tensor as at
from relgraph import grad
from relgraph.compile import optdb, predefined_optimizers
from relgraph.compile.optimize import cost_check
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.costs import NeverCostlier, cost_of, operations
from tests.families import FAMILIES, value_and_gradient
from tests.seeds import sampled

# o3 has the laws of o4; a Composite is what its parts are.
MODES = ("o1", "o2", "o4", "stabilize", "strict", "unsafe")
NO_LAWS = ("elemwise_fusion", "inplace")
SIZES = (60, 200)
ROUNDING = 1 + 1e-8


def priced(outputs, mode):
    """Return a graph that is rewritten, checked at each change, and the price of accuracy."""
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    check = cost_check()
    fgraph.attach_feature(check)
    optdb.query(predefined_optimizers[mode].excluding(*NO_LAWS)).optimize(fgraph)
    check.finish(fgraph)
    fgraph.remove_feature(check)
    return fgraph, sum(check.paid.values())


@pytest.mark.parametrize(
    ("name", "mode", "size"), sampled(product(FAMILIES, MODES, SIZES), 24, "costs of families")
)
def test_a_family_costs_no_more_than_it_was_written(name, mode, size):
    outputs = value_and_gradient(FAMILIES[name], at, grad, size)
    for some in (outputs[:1], outputs):
        fgraph, price = priced(some, mode)
        assert cost_of(fgraph.outputs, operations) <= ROUNDING * (cost_of(some, operations) + price)


x, y, z = at.dvectors("x", "y", "z")


@pytest.mark.parametrize("mode", ["o4", "unsafe"])
def test_powers_that_are_read_one_after_the_other_are_made_so(mode):
    square, cube = x * x, x * x * x
    running = [square, cube, cube * x, cube * x * x]
    fgraph, price = priced(running, mode)
    assert price == 0 and cost_of(fgraph.outputs, operations) <= 400
    fgraph, price = priced([y * x, y * x * x, y * x * x * x], mode)
    assert price == 0 and cost_of(fgraph.outputs, operations) <= 300


def test_what_nothing_else_reads_is_collected():
    (found,) = priced([x * x * x * x * x * x * x], "o4")[0].outputs
    assert cost_of(found, operations) == 400
    (found,) = priced([2 * x + 3 * x], "o4")[0].outputs
    assert cost_of(found, operations) == 100
    (found,) = priced([(x * y) / x], "o4")[0].outputs
    assert cost_of(found, operations) == 0


@pytest.mark.parametrize("mode", ["o4", "strict"])
def test_a_value_that_two_read_is_not_computed_for_each(mode):
    shared = x / y
    for readers in (
        [-shared, shared * z],
        [1 / shared, shared + z],
        [at.neg(-shared), -shared * z],
        [at.exp(-shared), at.sum(-shared), -shared / z],
        [(x + y) + z, (x + y) * z, (x + y) - z],
    ):
        fgraph, price = priced(readers, mode)
        written = cost_of(readers, operations)
        assert price == 0 and cost_of(fgraph.outputs, operations) <= written


def test_the_count_that_is_kept_is_that_of_the_graph():
    outputs = value_and_gradient(FAMILIES["adam"], at, grad, 200)
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    check = cost_check()
    fgraph.attach_feature(check)
    optdb.query(predefined_optimizers["o4"].excluding(*NO_LAWS)).optimize(fgraph)
    check.finish(fgraph)
    afresh = NeverCostlier()
    fgraph.attach_feature(afresh)
    assert check.total == pytest.approx(afresh.total)

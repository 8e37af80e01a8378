"""A graph whose destroyers conflict can't be run, but it can be rewritten: perhaps into one that
can."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph import dprint, optimize_graph, scalar
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    MergeOptimizer,
    TopoOptimizer,
    in2out,
    local_optimizer,
    out2in,
)
from relgraph.graph.utils import InconsistencyError
from relgraph.tensor.elemwise import Elemwise


def crossed():
    """Return one in which each of two destroyers reads what the other one overwrites."""
    x, y = at.dvectors("x", "y")
    a, b = at.exp(x), at.exp(y)
    add_inplace = Elemwise(scalar.add, ((0, 0),))
    out = at.mul(add_inplace(a, b), add_inplace(b, a))
    return FunctionGraph([x, y], [out], [DestroyHandler()], clone=False)


@local_optimizer([Elemwise])
def without_any_overwriting(fgraph, node):
    if not node.op.inplace_pattern:
        return False
    return [Elemwise(node.op.scalar_op)(*node.inputs)]


def test_it_has_no_order_of_evaluation():
    with pytest.raises(ValueError, match="cycle"):
        crossed().toposort()
    assert len(crossed().toposort(with_orderings=False)) == 5
    fgraph = crossed()
    fgraph.attach_feature(ReplaceValidate())
    with pytest.raises(InconsistencyError, match="overwrites"):
        fgraph.validate()


@pytest.mark.parametrize(
    "rewriter",
    [
        EquilibriumOptimizer([without_any_overwriting]),
        TopoOptimizer(without_any_overwriting),
        in2out(without_any_overwriting),
        out2in(without_any_overwriting),
    ],
)
def test_rewriting_may_resolve_the_conflict(rewriter):
    fgraph = crossed()
    rewriter.optimize(fgraph)
    assert len(fgraph.toposort()) == len(fgraph.apply_nodes)
    fgraph.check_integrity()
    assert not any(node.op.destroy_map for node in fgraph.apply_nodes)


def test_what_does_not_concern_it_is_done():
    fgraph = crossed()
    MergeOptimizer().optimize(fgraph)
    assert len(fgraph.apply_nodes) == 5
    optimize_graph(fgraph)
    assert isinstance(optimize_graph(crossed(), clone=True), FunctionGraph)


def test_it_is_printed_without_positions():
    fgraph = crossed()
    (first, *_) = dprint(fgraph, file="str").splitlines()
    TopoOptimizer(without_any_overwriting).optimize(fgraph)
    (resolved, *_) = dprint(fgraph, file="str").splitlines()
    assert resolved.split()[-1] == "4"
    assert first == resolved.removesuffix(" 4")

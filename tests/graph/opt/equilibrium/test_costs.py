"""Frugal rewriters: applied only where the graph costs no more after that."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import law
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.tensor.lawkit.vocabulary import lvars

a, b, c = lvars("a b c")
x, y, z = at.dvectors("x", "y", "z")

MOVE = law("move", (a + b) * c, a * c + b * c, sound="finite")
TWICE = law("twice", a + a, 2.0 * a)
SIGN = law("sign", at.exp(-a), 1 / at.exp(a), sound="finite")
DROP = law("drop", a + b - b, a, sound="finite")


def rewritten(outputs, *laws, cost=lambda node: 1.0):
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    frugal = [one.forward for one in laws]
    applied = EquilibriumOptimizer(frugal, frugal=frugal, cost=cost).optimize(fgraph).applied
    return {one.name: applied[one.name] for one in laws if applied[one.name]}


def test_what_adds_nodes_is_left_alone():
    assert not rewritten([(x + y) * z], MOVE)


def test_what_is_there_already_is_not_added():
    assert rewritten([(x + y) * z, x * z, y * z], MOVE) == {"move": 1}


@pytest.mark.parametrize("read", [False, True])
def test_what_is_read_elsewhere_does_not_go(read):
    """exp(-x) is two nodes, and so is 1 / exp(x); the sign stays where it is read."""
    outputs = [at.exp(-x), *([at.sin(-x)] if read else [])]
    assert rewritten(outputs, SIGN) == ({} if read else {"sign": 1})


def test_it_is_tried_again_when_the_other_reader_has_gone():
    shared = -x
    readers = [at.exp(shared) * y, at.sin(y + shared - shared)]
    assert rewritten(readers, SIGN, DROP) == {"sign": 1, "drop": 1}


def test_costs_are_weighed_by_what_is_given():
    assert rewritten([x + x], TWICE) == {"twice": 1}
    dear = {at.mul: 3.0}
    assert not rewritten([x + x], TWICE, cost=lambda node: dear.get(node.op, 1.0))


def test_rewriters_that_are_not_frugal_are_applied_wherever_they_match():
    fgraph = FunctionGraph(outputs=[(x + y) * z], clone=True)
    assert EquilibriumOptimizer([MOVE]).optimize(fgraph).applied["move"] == 1

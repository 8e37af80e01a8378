"""Ops that are not functions of their inputs: each node is a call of its own."""

from __future__ import annotations

import itertools

import pytest

import relgraph.tensor as at
from relgraph import function, law, lvars, optimize_graph
from relgraph.graph.basic import Apply, clone, equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.opt import EquilibriumOptimizer, MergeOptimizer
from relgraph.scalar.op import FloatOp
from relgraph.tensor.elemwise import DimShuffle, Elemwise

a, f, order = lvars("a f order")
COUNTER = itertools.count()


class Draw(Op):
    """A vector of a number that is another one each time."""

    __props__ = ("length",)
    pure = False

    def __init__(self, length):
        self.length = length

    def make_node(self, x):
        x = at.as_tensor_variable(x)
        return Apply(self, [x], [at.dvector()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 0 + [next(COUNTER)] * self.length


class Noise(FloatOp):
    name = "noise"
    pure = False

    @staticmethod
    def ufunc(x):
        return x * 0.0 + next(COUNTER)


draw, noise = Draw(2), Elemwise(Noise())
X = at.dvector("x")
MODES = ["fast_compile", "fast_run", "strict", "stabilize", "unsafe"]


@pytest.mark.parametrize("call", [draw, noise])
@pytest.mark.parametrize("mode", MODES)
def test_two_calls_are_two(call, mode):
    run = function([X], call(X) - call(X), mode=mode)
    assert (run([1.0, 2.0]) != 0).all()
    assert (function([X], call(X) / call(X), mode=mode)([1.0, 2.0]) != 1).all()


def test_one_variable_is_one_call():
    one = draw(X)
    assert (function([X], one - one)([1.0, 2.0]) == 0).all()


@pytest.mark.parametrize("call", [draw, noise])
@pytest.mark.parametrize("mode", MODES)
def test_a_call_on_constants_is_made_each_time(call, mode):
    run = function([], call(at.constant([1.0, 2.0])), mode=mode)
    assert (run() != run()).all()


def test_what_merges_leaves_them_apart():
    for optimizer in (MergeOptimizer(), EquilibriumOptimizer([])):
        graph = FunctionGraph([X], [draw(X), draw(X), at.exp(X), at.exp(X)], clone=True)
        optimizer.optimize(graph)
        assert len(graph.apply_nodes) == 3
    first, second = optimize_graph([draw(X), draw(X)], clone=True)
    assert first is not second


def test_copies_are_written_in_the_same_way():
    inputs, outputs = clone([X], [draw(X)])
    assert equal_computations([draw(X)], outputs, [X], inputs)
    assert not equal_computations([draw(X)], [draw(X)], same_calls=True)


def test_laws_about_classes_do_not_match_them():
    moved = law(
        "moved",
        DimShuffle(1, order)(Elemwise(f, ())(a)),
        Elemwise(f, ())(DimShuffle(1, order)(a)),
        sound="exact",
    )
    for call, op in ((at.exp, at.exp), (noise, None)):
        after = optimize_graph(call(X).dimshuffle("x", 0), include=(), custom_opt=moved)
        assert (after.owner.op is op) is (op is not None)


def test_a_law_that_names_the_op_matches_it():
    written = law("scaled", 2 * draw(a), draw(a + a), sound="domain")
    after = optimize_graph(2 * draw(X), include=(), custom_opt=written)
    assert after.owner.op is draw


def test_a_law_that_asks_for_one_thing_twice_takes_two_calls_for_two():
    same = law("same", at.maximum(a, a), a, sound="exact")
    kept = at.maximum(draw(X), draw(X))
    assert optimize_graph(kept, include=(), custom_opt=same, clone=False) is kept
    one = draw(X)
    assert optimize_graph(at.maximum(one, one), include=(), custom_opt=same, clone=False) is one

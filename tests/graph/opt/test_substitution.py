"""Substitution of patterns and of ops."""

import numpy as np
import pytest

from relgraph.graph.opt import EquilibriumOptimizer, OpRemove, OpSub, PatternSub, TopoOptimizer
from relgraph.scalar import (
    add,
    constant,
    exp,
    float32,
    identity,
    log,
    mul,
    neg,
    sub,
    true_div,
)
from tests.graph.toys import MyOp


def rewritten(graphs, pattern, *outputs):
    fgraph = graphs(*outputs)
    TopoOptimizer(pattern).optimize(fgraph)
    fgraph.check_integrity()
    return str(fgraph)[len("FunctionGraph(") : -1]


def skip(var):
    is_identity = var.owner is not None and var.owner.op == identity
    return var.owner.inputs[0] if is_identity else None


CANCEL = ((true_div, (mul, "a", "b"), "b"), "a")
ADD_NEG = ((add, (neg, "a"), "b"), (sub, "b", "a"))
NEG_OVER = ((true_div, (neg, "a"), "b"), (neg, (true_div, "a", "b")))
TIMES_ONE = ((mul, "x", 1), "x")
NAMED_Y = {"pattern": "v", "constraint": lambda var: var.name == "y"}
NEG_NEG = ((neg, (neg, "v")), "v")
LOG_EXP = ((log, (exp, "v")), "v")

# (a pattern and what replaces it, the outputs of a graph, how it is written then)
REWRITTEN = [
    (CANCEL, lambda x, y, z: true_div(mul(x, y), z), "true_div(mul(x, y), z)"),
    (CANCEL, lambda x, y, z: true_div(x, y), "true_div(x, y)"),
    (CANCEL, lambda x, y, z: true_div(add(x, y), y), "true_div(add(x, y), y)"),
    # commutative heads match in any order, others in theirs
    (ADD_NEG, lambda x, y, z: add(neg(x), y), "sub(y, x)"),
    (ADD_NEG, lambda x, y, z: add(y, neg(x)), "sub(y, x)"),
    (NEG_OVER, lambda x, y, z: true_div(neg(x), y), "neg(true_div(x, y))"),
    (NEG_OVER, lambda x, y, z: true_div(y, neg(x)), "true_div(y, neg(x))"),
    # numbers are constants of that value
    (TIMES_ONE, lambda x, y, z: exp(mul(x, 1.0)), "exp(x)"),
    (TIMES_ONE, lambda x, y, z: exp(mul(x, constant(1.0))), "exp(x)"),
    (((mul, "x", np.float32(1)), "x"), lambda x, y, z: exp(mul(x, 1.0)), "exp(x)"),
    (TIMES_ONE, lambda x, y, z: exp(mul(x, 2.0)), "exp(mul(x, 2.0))"),
    (((exp, NAMED_Y), (log, "v")), lambda x, y, z: add(exp(x), exp(y)), "add(exp(x), log(y))"),
    (((exp, "v"), (lambda v: add(v, v), "v")), lambda x, y, z: exp(x), "add(x, x)"),
    # inner nodes that others read
    (LOG_EXP, lambda x, y, z: [log(e := exp(x)), neg(e)], "log(*1 -> exp(x)), neg(*1)"),
    (LOG_EXP, lambda x, y, z: [log(e := exp(x)), e], "log(*1 -> exp(x)), *1"),
    (((sub, (exp, "v"), (exp, "v")), 0.0), lambda x, y, z: sub(e := exp(x), e), "0.0"),
    (NEG_NEG, lambda x, y, z: [neg(neg(e := exp(x))), log(e)], "*1 -> exp(x), log(*1)"),
]


@pytest.mark.parametrize(("pattern", "build", "text"), REWRITTEN)
def test_patterns(graphs, pattern, build, text):
    outputs = build(*graphs.inputs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    assert rewritten(graphs, PatternSub(*pattern), *outputs) == text


class TestMatching:
    def test_graph_variables_in_a_pattern(self, graphs):
        x, y = graphs.x, graphs.y
        pattern = PatternSub((exp, x), y)
        assert rewritten(graphs, pattern, add(exp(x), exp(y))) == "add(y, exp(y))"

    def test_a_replacement_that_does_not_fit_is_not_used(self, graphs):
        other = float32("other")
        out = exp(graphs.x)
        pattern = PatternSub((exp, "v"), other)
        answer = pattern.transform(graphs(out), out.owner)
        assert answer is False or answer[0].type is out.type


class TestClients:
    def test_inner_nodes_that_others_read(self, graphs):
        x = graphs.x
        inner = exp(x)
        pattern = PatternSub(*LOG_EXP, allow_multiple_clients=True)
        assert rewritten(graphs, pattern, log(inner), neg(inner)) == "x, neg(exp(x))"


class TestOptions:
    def test_skip_identities(self, graphs):
        x, y = graphs.x, graphs.y
        out = true_div(identity(mul(identity(x), y)), identity(identity(y)))
        args = ((true_div, (mul, "a", "b"), "b"), (neg, "a"))
        assert rewritten(graphs, PatternSub(*args), out) == str(graphs(out))[14:-1]
        pattern = PatternSub(*args, skip_identities_fn=skip)
        assert rewritten(graphs, pattern, out) == "neg(x)"

    def test_skipped_identities_keep_inner_readers_in_view(self, graphs):
        inner = exp(identity(graphs.x))
        pattern = PatternSub((log, (exp, "v")), "v", skip_identities_fn=skip)
        assert "log" in rewritten(graphs, pattern, log(inner), neg(inner))

    def test_get_nodes_and_tracks(self, graphs):
        def readers(fgraph, node):
            return [reader for reader, _ in fgraph.clients[node.outputs[0]]]

        pattern = PatternSub((log, (exp, "v")), "v", tracks=[exp], get_nodes=readers)
        assert list(pattern.tracks()) == [exp]
        assert rewritten(graphs, pattern, neg(log(exp(graphs.x)))) == "neg(x)"
        with pytest.raises(ValueError, match="get_nodes needs tracks"):
            PatternSub((log, (exp, "v")), "v", get_nodes=readers)

    def test_values_eq_approx(self, graphs):
        def always(a, b):
            return True

        fgraph = graphs(exp(graphs.x))
        TopoOptimizer(PatternSub((exp, "v"), (log, "v"), values_eq_approx=always)).optimize(fgraph)
        assert fgraph.outputs[0].tag.values_eq_approx is always

    def test_names(self):
        pattern = PatternSub((true_div, (mul, "x", "y"), 2.0), "x")
        assert str(pattern) == pattern.name == "true_div(mul(x, y), 2.0) -> x"
        assert PatternSub((exp, "x"), "x", name="no-exp").name == "no-exp"
        assert list(pattern.tracks()) == [true_div]

        def make(v):
            return v

        text = str(PatternSub((exp, {"pattern": "v", "constraint": callable}), (make, "v")))
        assert text == "exp(v subject to callable) -> make(v)"

    def test_depth(self):
        assert PatternSub((log, (exp, (neg, "x"))), "x").depth == 3
        assert PatternSub((log, "x"), "x").depth == 1
        # the sums nested in a sum are part of it
        assert PatternSub((log, (add, "x", "y")), "x").depth == 2


class TestWrongUse:
    @pytest.mark.parametrize("pattern", ["x", (), ("x", "y"), 3])
    def test_patterns_without_an_op(self, pattern):
        with pytest.raises(TypeError, match="begins with an Op"):
            PatternSub(pattern, "x")

    def test_unbound_variables(self):
        with pytest.raises(ValueError, match="uses 'y', which exp"):
            PatternSub((exp, "x"), (add, "x", "y"))


@pytest.mark.parametrize("transfer", [True, False])
def test_op_sub_transfers_tags(graphs, transfer):
    out = add(graphs.x, graphs.y)
    out.tag.note = "out"
    out.owner.tag.note = "node"
    fgraph = graphs(out)
    TopoOptimizer(OpSub(add, mul, transfer_tags=transfer)).optimize(fgraph)
    (new,) = fgraph.outputs
    assert new.owner.op == mul
    assert hasattr(new.tag, "note") is transfer
    assert hasattr(new.owner.tag, "note") is transfer
    if transfer:
        assert (new.tag.note, new.owner.tag.note) == ("out", "node")


def test_op_remove_of_several(graphs):
    swap = MyOp("swap", nout=2)
    fgraph = graphs(add(*swap(graphs.x, exp(graphs.y))))
    EquilibriumOptimizer([OpRemove(swap)]).optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(add(x, exp(y)))"


def test_op_remove_needs_as_many_inputs_as_outputs(graphs):
    fgraph = graphs(add(graphs.x, graphs.y))
    before = str(fgraph)
    with pytest.raises(TypeError, match="add can't be removed: it has 2 inputs and 1 outputs"):
        TopoOptimizer(OpRemove(add)).optimize(fgraph)
    assert str(fgraph) == before


def test_names():
    assert str(OpSub(add, mul)) == "add -> mul"
    assert str(OpRemove(neg)) == "neg(x) -> x"
    assert list(OpSub(add, mul).tracks()) == [add]
    assert list(OpRemove(neg).tracks()) == [neg]

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.basic import graph_inputs, io_toposort
from relgraph.graph.op import TypedOp
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing import expressions, graphs, tensor_types
from relgraph.testing.draw.graphs import local_optimizers_in, patterns_of

slow = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])


def op_names(graph):
    return [str(node.op).split("{")[0] for node in io_toposort(*graph)]


@slow
@given(st.data())
def test_graphs_can_be_computed(data):
    graph = data.draw(graphs())
    inputs, outputs = graph
    assert 1 <= len(inputs) <= 4
    assert 1 <= len(outputs) <= 3
    drawn = data.draw(graph.values())
    for v, value in zip(inputs, drawn, strict=True):
        assert v.type.filter(value, strict=True) is value
        assert value.shape == graph.shapes[v]
    try:
        found = evaluate(outputs, dict(zip(inputs, drawn, strict=True)))
    except ValueError as error:  # whether a power is defined depends on its exponent's value
        assert "negative integer powers" in str(error)
        return
    for v, value in zip(outputs, found, strict=True):
        assert v.type.filter(value, strict=True) is value


def test_they_have_many_ops_shapes_and_dtypes():
    ops, dtypes, ranks = Counter(), set(), set()

    @settings(max_examples=600, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(graphs())
    def draw(graph):
        ops.update(op_names(graph))
        dtypes.update(v.type.dtype for v in graph.inputs)
        ranks.update(v.type.ndim for v in graph.inputs)

    draw()
    assert len(ops) > 70
    assert {"float64", "float32", "int64", "bool", "complex128"} <= dtypes
    assert {0, 1, 2, 3} <= ranks
    common = {"exp", "sum", "DimShuffle", "dot", "reshape", "subtensor", "join", "switch", "alloc"}
    assert common <= set(ops)
    assert ops.keys() & {"set_subtensor", "inc_subtensor", "advanced_inc_subtensor"}


@slow
@given(graphs(ops=[at.exp, at.add, at.sum], dtypes="float64"))
def test_only_the_given_ops(graph):
    assert set(op_names(graph)) <= {"exp", "add", "sum", "DimShuffle", "identity"}
    assert {v.type.dtype for v in graph.inputs} == {"float64"}


class Twice(TypedOp):
    __props__ = ()

    def as_inputs(self, *inputs):
        (x,) = inputs
        return [x]

    def output_types(self, *input_types):
        return list(input_types)

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = 2 * inputs[0]


def test_an_op_of_ones_own_and_a_function():
    seen = set()

    @settings(max_examples=30, database=None)
    @given(graphs(ops=[Twice(), lambda x: at.sqr(x) + 1], dtypes=["float64"]))
    def draw(graph):
        seen.update(op_names(graph))

    draw()
    assert {"Twice", "sqr", "add"} <= seen


@pytest.mark.parametrize(("ops", "error"), [([], ValueError), ([3], TypeError)])
def test_no_ops(ops, error):
    with pytest.raises(error, match="graphs: "):
        graphs(ops=ops)


def test_indices_stay_within_their_axes():
    seen = Counter()

    @settings(max_examples=150, database=None)
    @given(st.data())
    def draw(data):
        graph = data.draw(graphs(ops=[at.getitem, at.take]))
        for v, value in zip(graph.inputs, data.draw(graph.values()), strict=True):
            if v in graph.ranges:
                seen["index"] += 1
                assert v.type.dtype in ("int64", "int32", "int8", "uint8")
                np.arange(graph.ranges[v])[value]

    draw()
    assert seen["index"] > 10


@given(st.data())
def test_expressions_are_of_their_type(data):
    type_ = data.draw(tensor_types(["float64", "int8", "complex64", "bool"]))
    leaf = type_("leaf")
    made = data.draw(expressions(type_, [leaf]))
    assert made.type is type_
    assert {v.type for v in graph_inputs([made])} == {type_}


def test_graphs_that_laws_match():
    x, y, a = lvars("x y a")
    laws = [
        law("odd", at.sum(at.arctanh(x), axis=a), at.arctanh(at.sum(x, axis=a))),
        law("even", at.cosh(x) * at.sinh(y), at.sinh(y) * at.cosh(x), sound="rounding"),
    ]
    optimizer = EquilibriumOptimizer(laws)
    assert [len(patterns_of(local)) for local in local_optimizers_in(optimizer)] == [1, 1]
    seen = Counter()

    @settings(max_examples=100, database=None)
    @given(graphs(matching=optimizer, dtypes="float64"))
    def draw(graph):
        for node in io_toposort(*graph):
            text = str(node.op).split("{")[0]
            inner = sorted(str(v.owner.op) for v in node.inputs if v.owner is not None)
            seen[(text, *inner)] += 1

    draw()
    assert seen["sum", "arctanh"] > 5
    assert seen["mul", "cosh", "sinh"] > 5


def test_a_failure_shows_the_graph_as_python():
    @settings(max_examples=20, phases=[Phase.generate])
    @given(graphs(ops=[at.exp], max_nodes=3))
    def fails(graph):
        raise AssertionError

    with pytest.raises(AssertionError) as failure:
        fails()
    (shown, *_) = failure.value.__notes__
    assert "    import relgraph.tensor as at\n" in shown
    assert "    inputs = [x0]\n" in shown and "    outputs = [" in shown

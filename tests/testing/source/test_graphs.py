import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import relgraph.scalar as scalar
import relgraph.tensor as at
from relgraph.graph.basic import equal_computations
from relgraph.graph.op import TypedOp
from relgraph.testing import as_python, graphs, tensor_types, values
from relgraph.testing.source import array_source


def made(source):
    namespace = {}
    exec(source, namespace)
    return namespace


def same_bytes(a, b):
    # the payload of a nan is not written
    a, b = (np.where(np.isnan(x), np.nan, x) if x.dtype.kind in "fc" else x for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_source_makes_the_graph_again(data):
    graph = data.draw(graphs())
    drawn = data.draw(graph.values())
    found = made(as_python(*graph, drawn))
    assert equal_computations(
        list(graph.outputs), found["outputs"], list(graph.inputs), found["inputs"]
    )
    assert [v.type for v in found["inputs"]] == [v.type for v in graph.inputs]
    assert all(map(same_bytes, found["values"], drawn))


@given(st.data())
def test_arrays_keep_numbers_and_layout(data):
    value = data.draw(values(data.draw(tensor_types())))
    found = eval(array_source(value), {"np": np, "nan": np.nan, "inf": np.inf})
    assert same_bytes(found, value)
    if value.size > 1 and max(value.shape) > 1:
        for here, there, n in zip(found.strides, value.strides, value.shape, strict=True):
            assert n == 1 or (here < 0) == (there < 0)
            assert n == 1 or (here == 0) == (there == 0)


def test_what_is_read_once_is_inlined():
    x = at.dvector("x")
    text = as_python([x], [at.exp(x) + 1, at.sum(x, axis=0)])
    assert (
        "outputs = [at.add(at.exp(x), at.constant(np.array([1.0], 'float64'))), at.sum(x)]" in text
    )


def test_fused_ops():
    a, b = scalar.float64("a"), scalar.float64("b")
    op = at.Elemwise(scalar.Composite([a, b], [scalar.exp(a) + b * 2]))
    x = at.dvector("x")
    found = made(as_python([x], [op(x, x), at.sqr(x)]))
    assert found["outputs"][0].owner.op is op


def test_several_outputs():
    x = at.dvector("x")
    parts = at.split(x, [1, 2], 2)
    found = made(as_python([x], [parts[1]]))
    assert found["outputs"][0].index == 1


def test_names_that_are_taken():
    x, y = at.dvector("inputs"), at.dvector("two words")
    found = made(as_python([x, y], [x + y]))
    assert equal_computations([x + y], found["outputs"], [x, y], found["inputs"])
    assert [v.name for v in found["inputs"]] == ["inputs", "two words"]


class Opaque(TypedOp):
    __props__ = ("thing",)

    def __init__(self, thing):
        self.thing = thing

    def as_inputs(self, x):
        return [x]

    def output_types(self, *input_types):
        return list(input_types)


class Nameless(TypedOp):
    __props__ = None

    def as_inputs(self, x):
        return [x]

    def output_types(self, *input_types):
        return list(input_types)


def test_what_has_no_source():
    x = at.dvector("x")
    with pytest.raises(TypeError, match="has no source"):
        as_python([x], [Opaque(frozenset())(x)])
    with pytest.raises(TypeError, match="no __props__"):
        as_python([x], [Nameless()(x)])

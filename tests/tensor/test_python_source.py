"""Failures written as Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.scalar as scalar
import relgraph.tensor as at
from relgraph.graph.basic import equal_computations
from relgraph.graph.op import TypedOp
from relgraph.tensor.python_source import array_source
from relgraph.testing import as_python, tensor_types, values


def made(source):
    namespace = {}
    exec(source, namespace)
    return namespace


def same_bytes(a, b):
    # the payload of a nan is not written
    a, b = (np.where(np.isnan(x), np.nan, x) if x.dtype.kind in "fc" else x for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


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
    assert "outputs = [at.exp(x) + at.constant(np.array([1.0], 'float64')), at.sum(x)]" in text


A, v, k = at.dmatrix("A"), at.dvector("v"), at.lscalar("k")
WRITTEN = {
    "A.T @ v": A.T @ v,
    "A - v": A - v,
    "A[1:, k]": A[1:, k],
    "at.sum(A, axis=(0,), keepdims=True)": at.sum(A, axis=0, keepdims=True),
    "at.cast(v, 'float32')": at.cast(v, "float32"),
    "at.set_subtensor(v[:k], v[:k] * v[:k])": at.set_subtensor(v[:k], v[:k] * v[:k]),
    "A.shape[1]": A.shape[1],
    "A.dimshuffle('x', 1, 0)": A.dimshuffle("x", 1, 0),
    # the operator of a constant on the right comes first, and means another op
    "at.gt(v, at.constant(np.array([0.0], 'float64')))": v > 0,
}


@pytest.mark.parametrize("text", WRITTEN)
def test_graphs_are_written_as_users_write_them(text):
    source = as_python([A, v, k], [WRITTEN[text]])
    found = made(source)
    assert equal_computations(found["outputs"], [WRITTEN[text]], found["inputs"], [A, v, k])
    assert f"outputs = [{text}]" in source


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

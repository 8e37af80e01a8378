"""What each law about shapes and reshapes does to an expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relations import layout
from relgraph.compile import function, optimize_graph
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.tensor.shapes import MakeVector, Reshape, Shape_i, SpecifyShape, _shape
from tests.relations.applied import laws_of

LAWS = laws_of(layout)
x, y, v = at.dmatrix("x"), at.dmatrix("y"), at.dvector("v")
n, m = at.lscalar("n"), at.lscalar("m")
rows = at.TensorType("float64", (None, 3))("rows")
cube = at.TensorType("float64", (None, None, None))("cube")


class Silent(Op):
    """An op with two outputs that says nothing of its shapes."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        x = at.as_tensor_variable(inputs[0])
        return Apply(self, [x], [x.type(), x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Any) -> None:
        for cell in output_storage:
            cell[0] = inputs[0] * 2


class Telling(Silent):
    """The same, but its second output has the shape of its input."""

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[0][1], shapes[0][0]), shapes[0]]


def shape_laws() -> EquilibriumOptimizer:
    return EquilibriumOptimizer(list(LAWS.values()))


known = at.TensorType("float64", (3, 3))("known")

CASES = [
    ("length", Shape_i(0)(at.log(x)), "len(x)"),
    ("length", Shape_i(1)(at.dot(x, y)), "y.shape[1]"),
    ("length", Shape_i(1)(rows), "3"),
    ("length", Shape_i(0)(at.second(at.exp(v), 0.0)), "len(v)"),
    ("length", Shape_i(0)(v[1:]), "maximum(len(v) - 1, 0)"),
    ("length", Shape_i(0)(at.concatenate([x, y])), "len(x) + len(y)"),
    ("shape", at.log(x).shape, "x.shape"),
    ("shape", _shape(at.ones((2, 3))), "[2 3]"),
    ("shape", _shape(at.alloc(v[0], n, 3)), "make_vector{int64}(n, 3)"),
    ("shape", at.dot(x, y).shape, "make_vector{int64}(len(x), y.shape[1])"),
    ("element-of-shape", x.shape[-1], "x.shape[1]"),
    ("shape-of-lengths", MakeVector()(Shape_i(0)(v)), "v.shape"),
    ("shape-of-lengths", MakeVector()(Shape_i(0)(x), Shape_i(1)(x)), "x.shape"),
    ("shape-of-lengths", MakeVector()(*[Shape_i(i)(cube) for i in range(3)]), "cube.shape"),
    ("element-of-vector", MakeVector()(n, m, n + 1)[-2], "m"),
    ("part-of-vector", MakeVector()(n, m, n + 1)[1:], "make_vector{int64}(m, n + 1)"),
    ("reshape-of-one", at.reshape(at.dscalar("s"), (1, -1)), "s[None, None]"),
    ("reshape-chain", at.reshape(at.reshape(x, (-1,)), (1, 9)), "reshape{2}(x, [1 9])"),
    ("reshape-of-dimshuffle", at.reshape(x.dimshuffle(0, "x", 1), (-1,)), "reshape{1}(x, -1)"),
    ("reshape-to-known-shape", at.reshape(v, (-1,)), "v"),
    ("reshape-to-own-shape", Reshape(2)(x, x.shape), "x"),
    ("reshape-to-known-shape", at.reshape(known, (3, 3)), "known"),
    ("reshape-to-known-shape", at.reshape(known, (3, -1)), "known"),
    ("specify-known-shape", SpecifyShape((3, None))(known), "known"),
    (
        "specify-shape-twice",
        SpecifyShape((3, None))(SpecifyShape((None, 3))(x)),
        "specify_shape{3, 3}(x)",
    ),
]

NOT_MATCHED = [
    ("length", Shape_i(0)(x)),
    ("shape", x.shape),
    ("element-of-shape", x.shape[n]),
    ("shape-of-lengths", MakeVector()(Shape_i(1)(x), Shape_i(0)(x))),
    ("shape-of-lengths", MakeVector()(Shape_i(0)(x), Shape_i(1)(y))),
    ("shape-of-lengths", MakeVector()(Shape_i(0)(x))),
    ("element-of-vector", MakeVector()(n, m)[n]),
    ("reshape-of-dimshuffle", at.reshape(x.T, (-1,))),
    ("reshape-to-known-shape", at.reshape(v, (3, 1))),
    ("reshape-to-known-shape", at.reshape(v, (1,))),  # it has one element: the shape says so
    ("reshape-to-own-shape", at.reshape(x, x.T.shape)),
    ("reshape-to-known-shape", at.reshape(x, (3, 3))),
    ("reshape-to-known-shape", at.reshape(x, (x.shape[0], -1))),  # where there are no rows
    ("specify-known-shape", SpecifyShape((3, None))(x)),
]


def test_ops_of_several_outputs_and_ops_that_do_not_tell() -> None:
    def shape_of(op: Op, output: int) -> Any:
        before = op.make_node(x).outputs[output].shape[0]
        return optimize_graph(before, include=(), custom_opt=shape_laws(), clone=True)

    assert str(shape_of(Telling(), 0).owner.op) == "shape_i{1}"
    assert str(shape_of(Telling(), 1).owner.op) == "shape_i{0}"
    kept = shape_of(Silent(), 1).owner.inputs[0].owner
    assert isinstance(kept.op, Silent)


def test_a_length_that_takes_arithmetic_is_taken_of_a_result_that_is_there_anyway() -> None:
    part = x[1:]
    both = optimize_graph([part, part.shape[0]], include=(), custom_opt=shape_laws(), clone=True)
    assert both[1].owner.inputs[0] is both[0]
    alone = optimize_graph(part.shape[0], include=(), custom_opt=shape_laws(), clone=True)
    assert alone.owner.op is at.maximum
    product = at.dot(x, y)
    both = optimize_graph([product, product.shape], include=(), custom_opt=shape_laws(), clone=True)
    assert both[1].owner.inputs[0] is both[0]


def test_nothing_is_computed_for_its_shape() -> None:
    z = at.tanh(at.dot(at.exp(x), y) + v)
    f = function([x, y, v], [z.shape, z.shape[0] * z.shape[1], at.mean(z, axis=0).shape])
    ops = {str(node.op) for node in f.maker.fgraph.toposort()}
    assert not ops & {"exp", "dot", "dot22", "tanh", "add", "sum{axis=(0,)}"}
    shape, size, mean = f(np.ones((2, 3)), np.ones((3, 4)), np.ones(4))
    assert shape.tolist() == [2, 4] and size == 8 and mean.tolist() == [4]


def test_a_shape_made_of_own_lengths() -> None:
    f = function([x], at.reshape(x, (x.shape[0], x.shape[1])))
    assert "reshape" not in " ".join(str(node.op) for node in f.maker.fgraph.toposort())
    assert f(np.ones((2, 3))).shape == (2, 3)

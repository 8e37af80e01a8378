import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.scalar.op import FloatOp
from relgraph.tensor.elemwise import Elemwise
from relgraph.testing.judge.graph_comparison import ReferenceGraph

X = at.TensorType("float32", (None,))("x")
Y = at.TensorType("float32", (None,))("y")


def compare(old, new, sound, *values):
    inputs = [X, Y][: len(values)]
    reference = ReferenceGraph(inputs, [old], [np.array(v, "float32") for v in values])
    return reference.compare(inputs, [new], sound)


@pytest.mark.parametrize(
    ("old", "new", "sound", "values"),
    [
        (X + Y - Y, X, "finite", ([1e-6, 3.0], [1.0, 1e7])),
        (X * Y / Y, X, "finite", ([1.0, 3.0], [0.0, 1e30])),
        (X * 0, at.zeros_like(X), "finite", ([1.0, np.inf, np.nan],)),
        ((X + Y) + 1, X + (Y + 1), "rounding", ([1e8, np.inf], [-1e8, 1.0])),
        (at.log(1 + X), at.log1p(X), "stable", ([1e-9, 2.0, np.inf],)),
        (at.log1p(X), at.log(1 + X), "rounding", ([1e-5, 2.0],)),
        (X + 0, X, "rounding", ([-0.0],)),
        (at.neg(at.neg(X)), X, "exact", ([-0.0, np.nan, np.inf],)),
        (X / Y / 1e30, X / (Y * 1e30), "finite", ([1e30], [1e30])),  # Y * 1e30 overflows
        (at.eq(X, X + Y), at.eq(X - X, Y), "rounding", ([1.0], [1e-9])),
        (at.exp(X), -X, "domain", ([1.0],)),
        (at.eq(X, at.log(at.exp(X))), at.eq(X, X), "stable", ([0.5, 1.0, 1.25],)),
    ],
)
def test_graphs_that_agree(old, new, sound, values):
    assert compare(old, new, sound, *values) is None


@pytest.mark.parametrize(
    ("old", "new", "sound", "values"),
    [
        (X + 0, X, "exact", ([-0.0],)),
        (X * 0, at.zeros_like(X), "rounding", ([np.inf],)),
        (X, X + 1e-4, "finite", ([1.0],)),
        (X / Y, Y / X, "finite", ([1.0], [2.0])),
        (X, X * (Y / Y), "rounding", ([1.0], [0.0])),  # nan where there was a number
        (at.log1p(X), at.log(1 + X), "stable", ([1e-5],)),
        (at.gt(X, Y), at.le(X, Y), "finite", ([1.0, 2.0], [0.0, 2.0])),
        (at.sum(X), at.sum(at.abs(X)), "finite", ([1.0, -1e-3],)),
        (at.isnan(X), at.isinf(X), "rounding", ([np.nan],)),
    ],
)
def test_graphs_that_differ(old, new, sound, values):
    found = compare(old, new, sound, *values)
    assert found is not None
    assert found.output == 0
    assert "differs" in found.reason


class Rounded(FloatOp):
    """The same number, but for an error in the last place that depends on the layout in memory."""

    name, ufunc = "rounded", None

    def output_dtype(self, *input_dtypes):
        return input_dtypes[0]

    def impl(self, x):
        return x if x.flags.c_contiguous else x * x.dtype.type(1 + np.finfo("float32").eps)


def test_exact_is_meant_for_every_layout():
    rounded = Elemwise(Rounded())
    spaced = np.arange(1, 9, dtype="float32")[::2]
    old, new = rounded(at.neg(at.neg(X))), rounded(X)
    reference = ReferenceGraph([X], [old], [spaced])
    assert reference.compare([X], [new], "exact") is not None
    assert reference.compare([X], [new], "rounding") is None


@pytest.mark.parametrize("sound", ["exact", "domain"])
def test_dtypes_and_shapes_always_agree(sound):
    assert "it is a" in compare(X, at.cast(X, "float64"), sound, [1.0]).reason
    assert "shape" in compare(X, X[:1], sound, [1.0, 2.0]).reason


def test_values_that_are_accepted():
    reference = ReferenceGraph([X], [X / 3, X], [np.array([1.0], "float32")])
    third, one = np.array([1 / 3], "float32"), np.array([1.0], "float32")
    assert reference.accepts([third, one])
    assert reference.accepts([np.nextafter(third, one), one])
    assert not reference.accepts([third * np.float32(1.001), one])
    assert not reference.accepts([third, one.astype("float64")])


def test_a_graph_that_raises():
    wrong = at.specify_shape(X, (3,))
    found = compare(X, wrong, "finite", [1.0])
    assert found.output is None
    assert "raises ValueError" in found.reason

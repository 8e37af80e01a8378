"""What each law about reshapes does to an expression."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.tensor.shapes import Reshape, SpecifyShape

x, v = at.dmatrix("x"), at.dvector("v")
known = at.TensorType("float64", (3, 3))("known")

CASES = [
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
    ("reshape-of-dimshuffle", at.reshape(x.T, (-1,))),
    ("reshape-to-known-shape", at.reshape(v, (3, 1))),
    ("reshape-to-known-shape", at.reshape(v, (1,))),  # it has one element: the shape says so
    ("reshape-to-own-shape", at.reshape(x, x.T.shape)),
    ("reshape-to-known-shape", at.reshape(x, (3, 3))),
    ("reshape-to-known-shape", at.reshape(x, (x.shape[0], -1))),  # where there are no rows
    ("specify-known-shape", SpecifyShape((3, None))(x)),
]


def test_a_shape_made_of_own_lengths() -> None:
    f = function([x], at.reshape(x, (x.shape[0], x.shape[1])))
    assert "reshape" not in " ".join(str(node.op) for node in f.maker.fgraph.toposort())
    assert f(np.ones((2, 3))).shape == (2, 3)

"""What each law about repeated values does to an expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.compile.optimize import optimize_graph
from relgraph.tensor.assembly import Alloc
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.shapes import Shape_i
from tests.relations.applied import LAWS

x, y, z, t = (at.dmatrix(name) for name in "xyzt")
small, tiny = (at.TensorType("float64", (1, 1))(name) for name in ("small", "tiny"))
row, column = at.row("row"), at.col("column")
v, w, s = at.dvector("v"), at.dvector("w"), at.dscalar("s")
one = at.TensorType("float64", (1,))("one")
cube = at.TensorType("float64", (3, 3, 3))("cube")
known = at.TensorType("float64", (3, 3))("known")
complex_y = at.zmatrix("complex_y")
n, m = at.lscalar("n"), at.lscalar("m")

TABLE = [
    ("fill-sink", at.exp(at.second(x, small)), "second(x, exp(small))"),
    ("fill-sink", at.second(x, small) - tiny, "second(x, small - tiny)"),
    ("fill-sink", tiny - at.second(x, small), "second(x, tiny - small)"),
    ("fill-sink", at.switch(at.second(x, small), y, z), "second(x, switch(small, y, z))"),
    ("fill-sink", at.switch(y, at.second(x, small), z), "second(x, switch(y, small, z))"),
    ("fill-sink", at.clip(y, z, at.second(x, small)), "second(x, clip(y, z, small))"),
    ("fill-sink", at.add(y, at.second(x, small), z, t), "second(x, y + small + z + t)"),
    ("fill-sink", at.mul(y, at.second(x, small), z, t), "second(x, y * small * z * t)"),
    # factors keep their order, by which complex ones with an infinity give nan or not
    ("fill-sink", at.mul(complex_y, at.second(x, small), z), "second(x, complex_y * small * z)"),
    ("fill-cut", at.second(x, y), "y"),
    ("fill-cut", at.second(row, x), "x"),
    ("fill-cut-in-operands", at.second(x, at.second(row, small)), "second(x, small)"),
    ("fill-cut-in-operands", at.second(v, at.alloc(s, n)), "second(v, s)"),
    ("fill-cut-in-operands", at.second(x, at.alloc(row, n, m)), "second(x, row)"),
    ("fill-cut-in-operands", at.second(cube, at.alloc(x, n, m, n)), "second(cube, x)"),
    (
        "fill-cut-in-operands",
        at.second(v, s).dimshuffle("x", 0) * x,
        "s * x",
    ),
    (
        "fill-cut-in-operands",
        at.second(x, at.second(row, small).T),
        "second(x, small.T)",
    ),
    ("fill-like", at.second(at.exp(x), small), "second(x, small)"),
    ("fill-like", at.second(x - row, small), "second(x, small)"),
    ("fill-like", at.second(row - x, small), "second(x, small)"),
    ("fill-like", at.second(at.switch(x, row, column), small), "second(x, small)"),
    ("fill-like", at.second(at.switch(row, x, column), small), "second(x, small)"),
    ("fill-like", at.second(at.switch(row, column, x), small), "second(x, small)"),
    ("fill-like", at.second(at.add(row, x, column, tiny), small), "second(x, small)"),
    ("fill-like", at.second(at.mul(row, x, column, tiny), small), "second(x, small)"),
    ("fill-known", at.second(known, small), "alloc(small, 3, 3)"),
    ("alloc-unneeded", at.alloc(known, 3, 3), "known"),
    ("alloc-unneeded", at.alloc(known[0], 3), "known[0]"),
    ("alloc-unneeded", at.alloc(v, Shape_i(0)(v)), "v"),
    ("alloc-unneeded", at.alloc(x, Shape_i(0)(x), Shape_i(1)(x)), "x"),
    ("alloc-smaller", at.alloc(at.constant([2.0]), n), "alloc(2.0, n)"),
    ("alloc-smaller", at.alloc(at.constant([[1.0, 2.0, 3.0]]), n, m), "alloc([1. 2. 3.], n, m)"),
    ("alloc-smaller", at.alloc(at.constant([[2.0]]), n, m, n), "alloc(2.0, n, m, n)"),
    ("alloc-of-ones", at.alloc(s, 1), "s[None]"),
    ("alloc-of-ones", at.alloc(one, 1, 1), "one[None]"),
    ("alloc-of-ones", at.alloc(s, 1, 1, 1), "s[None, None, None]"),
    ("alloc-fill", at.second(at.alloc(s, n, m), small), "alloc(small, n, m)"),
    ("alloc-sink", at.exp(at.alloc(s, n, m)), "alloc(exp(s), n, m)"),
    ("fill-cut-in-operands", at.alloc(s, n, m) - x, "s - x"),
    ("fill-cut-in-operands", x - at.alloc(v, n, m), "x - v"),
    ("alloc-sink", at.alloc(s, n, m) - small, "alloc(s - small, n, m)"),
    ("alloc-sink", row - at.alloc(s, n, m), "alloc(row - s, n, m)"),
    ("fill-cut-in-operands", at.switch(at.alloc(s, n, m), x, row), "switch(s, x, row)"),
    ("alloc-sink", at.add(row, at.alloc(s, n, m), small), "alloc(row + s + small, n, m)"),
    ("alloc-fill", at.second(at.alloc(s, n), one), "alloc(one, n)"),
    ("alloc-sink", at.exp(at.alloc(s, n)), "alloc(exp(s), n)"),
    ("fill-cut-in-operands", at.alloc(s, n) / v, "s / v"),
    ("fill-cut-in-operands", v / at.alloc(s, n), "v / s"),
    ("alloc-sink", at.alloc(s, n) - one, "alloc(s - one, n)"),
    ("alloc-sink", one - at.alloc(s, n), "alloc(one - s, n)"),
    ("alloc-unneeded", at.alloc(cube, 3, 3, 3), "cube"),
    ("alloc-fill", at.second(at.alloc(s, n, m, n), small), "alloc(small[None], n, m, n)"),
    ("alloc-sink", at.exp(at.alloc(v, n, m, 3)), "alloc(exp(v), n, m, 3)"),
    ("fill-cut-in-operands", at.alloc(s, n, m, n) - cube, "s - cube"),
    ("fill-cut-in-operands", cube - at.alloc(x, n, m, n), "cube - x"),
    ("alloc-sink", at.alloc(s, n, m, n) - row, "alloc(s - row, n, m, n)"),
    ("alloc-sink", row - at.alloc(s, n, m, n), "alloc(row - s, n, m, n)"),
]

LEFT_ALONE = [
    ("fill-cut", at.second(x, row)),
    ("fill-cut-in-operands", at.second(row, at.second(x, small))),
    ("fill-sink", at.second(y, at.second(x, small))),  # they would change places for ever
    ("fill-like", at.second(row - column, small)),
    ("fill-known", at.second(x, small)),
    ("alloc-unneeded", at.alloc(v, n)),
    ("alloc-unneeded", at.alloc(v, Shape_i(0)(w))),
    ("alloc-unneeded", at.alloc(x, Shape_i(1)(x), Shape_i(0)(x))),
    ("fill-cut-in-operands", at.alloc(s, n, m) - row),
    ("fill-cut", at.second(x, at.alloc(s, n, m))),
    ("fill-cut-in-operands", at.second(row, at.alloc(s, n, m))),
    ("fill-cut-in-operands", at.second(at.alloc(s, n, m), at.alloc(row, n, m))),
    ("alloc-smaller", at.alloc(at.constant(2.0), n, m)),
    ("alloc-smaller", at.alloc(small, n, m)),
    ("alloc-of-ones", at.alloc(s, n, 1)),
    ("alloc-sink", at.alloc(s, n, 1) - x),
    ("fill-cut-in-operands", at.second(v, s).dimshuffle("x", 0) * column),
    # of an empty `x` no negative power is computed
    ("fill-sink", at.second(x, at.lscalar("i")) ** at.lscalar("j")),
    ("alloc-sink", at.lscalar("i") ** at.alloc(at.lscalar("j"), n)),
]


@pytest.mark.parametrize("shape", [(1, 5, 1), (1, None, 1), (None, 1, 1), (1, 1, 1)])
def test_what_is_allocated_to_its_own_lengths_goes_in_no_circle(shape: Any) -> None:
    y = at.sin(at.TensorType("float64", shape)("y"))
    full = at.alloc(y, Shape_i(0)(y), Shape_i(1)(y), 1)
    made = optimize_graph(full, include=("fast_run",), clone=True)
    assert made.type.ndim == 3


def test_what_is_of_length_one_by_and_by_goes_in_no_circle() -> None:
    # the length is known only once it is folded, and the type of what it is the length of stays
    single = at.TensorType("float64", (1,))("single")
    length = at.constant(np.array([1]))[0]
    positive = Alloc()(single, length) > at.constant(np.array([0.0]))
    f = function([single], at.switch(~positive, single, single), mode="o3")
    assert f(np.array([2.0])).tolist() == [2.0]


@pytest.mark.parametrize("name", ["fill-sink", "fill-cut-in-operands", "alloc-sink"])
def test_ops_that_overwrite_an_argument_stay_as_they_are(name: str) -> None:
    # the storage of what is filled may be smaller
    x, v = at.TensorType("float64", (None, 0))("x"), at.dvector("v")
    copies = at.alloc(v, 3, 4) if name == "alloc-sink" else at.second(x, at.constant(0.0))
    beside = x if name == "fill-cut-in-operands" else v
    assert LAWS[name].forward.transform(None, at.add(copies, beside).owner)
    overwriting = Elemwise(at.add.scalar_op, {0: 0})(copies, beside)
    assert LAWS[name].forward.transform(None, overwriting.owner) is False

"""Each law about products of matrices at work."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.graph.basic import equal_computations
from relgraph.tensor.linalg import assume, solve
from relgraph.tensor.linalg.blas import _dot22
from relgraph.tensor.linalg.matrix_op import Assume
from tests.relations.applied import LAWS, applied
from tests.relations.matrices.inputs import a, b, four, x, y, z
from tests.relations.tables import rewritten

v, w = at.dvector("v"), at.dvector("w")
s, t, u = at.dtensor3("s"), at.dtensor3("t"), at.dtensor3("u")
c = at.dscalar("c")
n = at.lscalar("n")
row, col = at.drow("row"), at.dcol("col")
three = at.TensorType("float64", (3,))("three")
tall = at.TensorType("float64", (30, 3))("tall")
wide = at.TensorType("float64", (3, 30))("wide")
stack = at.TensorType("float64", (None, 2, 30))("stack")
tall_stack = at.TensorType("float64", (None, 30, 2))("tall_stack")
ones = np.ones(3)
dot, matmul = at.dot, at.matmul
cc, ccc = c.dimshuffle("x", "x"), c.dimshuffle("x", "x", "x")
product = dot(x, y)


LAW = LAWS["dot-to-dot22"]


TABLE = [
    ("dot-transposed", dot(x, y.T).T, dot(y.T.T, x.T)),
    ("dot-of-transpose-and-vector", dot(x.T, v), dot(v, x)),
    ("dot-of-vector-and-transpose", dot(v, x.T), dot(x, v)),
    ("dot-column", dot(x, v.dimshuffle(0, "x")), dot(x, v).dimshuffle(0, "x")),
    ("dot-row", dot(v.dimshuffle("x", 0), x), dot(v, x).dimshuffle("x", 0)),
    ("dot-outer", dot(col, row), col * row),
    ("dot-identity-left", dot(at.eye(n), x), x),
    ("dot-identity-right", dot(x, at.eye(x.shape[1])), x),
    ("dot-identity-left", dot(np.eye(3), three), three),
    ("dot-identity-right", dot(tall, np.eye(3)), tall),
    ("dot-ones-left", dot(ones, x), at.sum(x, axis=0)),
    ("dot-ones-right", dot(x, ones), at.sum(x, axis=1)),
    ("inner-ones-left", dot(ones, v), at.sum(v)),
    ("inner-ones-right", dot(v, ones), at.sum(v)),
    ("dot-zero-left", dot(np.zeros((2, 3)), tall.T), at.constant(np.zeros((2, 30)))),
    (
        "dot-zero-right",
        dot(x, at.zeros((3, n))),
        "alloc(0.0, len(x), alloc(0.0, 3, n).shape[1])",
    ),
    ("dot-neg-left", dot(-x, v), -dot(x, v)),
    ("dot-neg-right", dot(x, -y), -dot(x, y)),
    ("dot-scalar-left", dot(cc * x, v), "c * (x @ v)"),
    ("dot-scalar-right", dot(v, 2.0 * x), "2.0 * (v @ x)"),
    ("dot-divided-left", dot(x / 2.0, v), "x @ v / 2.0"),
    ("dot-divided-right", dot(wide, tall / c), dot(wide, tall) / cc.dimshuffle()),
    ("matmul-zero-left", matmul(np.zeros((2, 3, 3)), x), "alloc(0.0, 2, 3, x.shape[1])"),
    (
        "matmul-zero-right",
        matmul(s, at.zeros((3, 5))),
        "alloc(0.0, len(s), s.shape[1], 5)",
    ),
    ("matmul-neg-left", matmul(-s, t), -matmul(s, t)),
    ("matmul-neg-right", matmul(x, -s), -matmul(x, s)),
    ("matmul-scalar-left", matmul(c * stack, tall), ccc * matmul(stack, tall)),
    ("matmul-scalar-right", matmul(wide, c * tall_stack), ccc * matmul(wide, tall_stack)),
    ("matmul-divided-left", matmul(stack / c, tall), matmul(stack, tall) / ccc),
    ("matmul-divided-right", matmul(wide, tall_stack / c), matmul(wide, tall_stack) / ccc),
    ("dot-factor-left-add", dot(x, y) + dot(x, z), dot(x, y + z)),
    ("dot-factor-right-add", dot(x, v) + dot(y, v), dot(x + y, v)),
    ("dot-factor-left-sub", dot(x, v) - dot(x, w), dot(x, v - w)),
    ("dot-factor-right-sub", dot(x, z) - dot(y, z), dot(x - y, z)),
    ("matmul-factor-left-add", matmul(s, t) + matmul(s, u), matmul(s, t + u)),
    ("matmul-factor-right-add", matmul(s, x) + matmul(t, x), matmul(s + t, x)),
    ("matmul-factor-left-sub", matmul(s, t) - matmul(s, u), matmul(s, t - u)),
    ("matmul-factor-right-sub", matmul(s, u) - matmul(t, u), matmul(s - t, u)),
    ("dot-from-right", dot(dot(x, y), v), dot(x, dot(y, v))),
    ("chain-of-products", dot(dot(tall, wide), tall), dot(tall, dot(wide, tall))),
    ("dot-from-left", dot(v, dot(x, y)), dot(dot(v, x), y)),
    ("chain-of-products", dot(wide, dot(tall, wide)), dot(dot(wide, tall), wide)),
    ("chain-of-products", (a @ b) @ four, a @ (b @ four)),
    ("chain-of-products", four @ (a @ b), (four @ a) @ b),
    ("assumption-used", assume(x, "lower triangular"), x),
]

LEFT_ALONE = [
    ("dot-identity-left", dot(at.eye(n, n + 0), x)),
    ("dot-identity-left", dot(at.eye(3, k=1), x)),
    ("dot-identity-left", dot(np.ones((3, 3)), x)),
    # rows of sums are no vector of sums
    ("dot-ones-right", dot(x, np.ones((3, 3)))),
    ("dot-scalar-left", dot(row * x, y)),
    # the product may be no smaller than what is scaled
    ("dot-scalar-left", dot(c * x, y)),
    ("dot-scalar-right", dot(tall, c * wide)),
    ("dot-divided-right", dot(x, v / c)),
    ("matmul-scalar-right", matmul(s, c * tall)),
    ("matmul-divided-left", matmul(stack / c, s)),
    ("dot-column", dot(v, at.dot(x, w).dimshuffle(0, "x"))),
    ("dot-from-right", dot(dot(x, y), z)),
    ("dot-from-right", dot(dot(col, row), v)),
    ("dot-from-left", dot(x, dot(y, v))),
    ("dot-factor-left-add", dot(x, y) + dot(y, z)),
    ("dot-factor-left-add", product + dot(x, z), product),
    ("dot-transposed", product.T, product),
    # 8-bit integers would wrap around otherwise
    ("dot-neg-left", dot(-at.cast(x, "int8"), at.cast(y, "int16"))),
    ("chain-of-products", (x @ y) @ z),
    # these are the cheapest already
    ("chain-of-products", a @ (b @ four)),
    ("chain-of-products", a @ b),
    ("chain-of-products", (a @ b) @ a),
    # dtypes are not mixed
    ("chain-of-products", (a @ at.TensorType("float32", (4, 4))("narrow")) @ four),
]

CASES = [
    ("dot-to-gemv", at.dot(x, v), "gemv(x, v)"),
    ("dot-to-gemv", at.dot(v, x), "gemv(v, x)"),
    ("matmul-to-batched-dot", at.matmul(s, x), "batched_dot(s, x)"),
    ("matmul-to-batched-dot", at.batched_dot(s, s), "batched_dot(s, s)"),
]

NOT_MATCHED = [
    ("dot-to-dot22", at.dot(x, v)),
    ("dot-to-dot22", at.dot(v, x)),
    ("dot-to-dot22", at.dot(v, v)),
    ("dot-to-dot22", at.dot(at.lmatrix("i"), at.lmatrix("j"))),
    ("dot-to-dot22", at.dot(x, at.fmatrix("f"))),
    ("matmul-to-batched-dot", at.matmul(s, at.fmatrix("f"))),
    ("matmul-to-batched-dot", at.matmul(at.ltensor3("k"), x)),
]


@pytest.mark.parametrize(
    "shapes", [[(9, 2), (2, 9), (9, 1)], [(1, 9), (9, 9), (9, 9)], [(3,), (3, 4), (4, 5)]]
)
def test_a_chain_is_multiplied_in_the_cheaper_order(shapes):
    a, b, c = (
        at.TensorType("float64", shape)(name) for name, shape in zip("abc", shapes, strict=True)
    )

    def cost(p, q):
        return int(np.prod(p[:-1]) * np.prod(q))

    left = cost(shapes[0], shapes[1]) + cost(dot(a, b).type.shape, shapes[2])
    right = cost(shapes[1], shapes[2]) + cost(shapes[0], dot(b, c).type.shape)
    ways = [dot(dot(a, b), c), dot(a, dot(b, c))]
    cheaper = ways[0] if left < right else ways[1]
    for way in ways:
        (found,) = rewritten([LAWS["chain-of-products"]], [way])
        assert equal_computations([found], [cheaper])


def test_no_declaration_is_left_in_a_function():
    y = at.dvector("y")
    f = function([x, y], solve(assume(x, "upper triangular"), y))
    assert not any(isinstance(node.op, Assume) for node in f.maker.fgraph.toposort())
    value = np.array([[2.0, 1.0], [0.0, 4.0]])
    np.testing.assert_allclose(f(value, np.ones(2)), np.linalg.solve(value, np.ones(2)))


def test_complex_matrices() -> None:
    assert applied(LAW, at.dot(at.zmatrix(), at.zmatrix())).owner.op is _dot22


def test_it_comes_after_what_has_something_to_say_about_products() -> None:
    f = function([x, y], at.dot(x, y).T)
    assert _dot22 in [node.op for node in f.maker.fgraph.toposort()]

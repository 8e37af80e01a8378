"""What each law about matrices does to an expression."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function, optimize_graph
from relgraph.graph.basic import equal_computations
from relgraph.graph.notation import algebra
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.tensor import linalg
from relgraph.tensor.linalg import (
    assume,
    det,
    slogdet,
    solve,
)
from relgraph.tensor.linalg.blas import _dot22
from relgraph.tensor.linalg.diagonals import SetDiagonal
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.tensor.linalg.products import Kron
from relgraph.tensor.math import Dot
from tests.relations.applied import LAWS, applied, check_fires, rows_of

x, y, z, p = at.dmatrices(*"xyzp")
v, w, c, n = at.dvector("v"), at.dvector("w"), at.dscalar("c"), at.lscalar("n")
s, t, u = at.dtensor3("s"), at.dtensor3("t"), at.dtensor3("u")
row, col = at.drow("row"), at.dcol("col")
a, b = at.tensor("float64", (4, 4), "a"), at.tensor("float64", (4, 4), "b")
tall, wide = at.tensor("float64", (4, 2), "tall"), at.tensor("float64", (2, 4), "wide")
high, broad = at.tensor("float64", (30, 3), "tall"), at.tensor("float64", (3, 30), "wide")
three, four = at.tensor("float64", (3,), "three"), at.tensor("float64", (4,), "four")
sixteen = at.tensor("float64", (16,), "sixteen")
stack = at.tensor("float64", (None, 2, 30), "stack")
tall_stack = at.tensor("float64", (None, 30, 2), "tall_stack")
five = 5.0 * at.eye(x.shape[0])
lower = assume(at.tril(x) + five, "lower triangular")
upper = assume(at.triu(x) + five, "upper triangular")
positive = assume(x @ x.T + five, "positive definite")
symmetric = assume(x + x.T, "symmetric")
orthogonal = assume(linalg.qr(x, "complete")[0], "orthogonal")
diagonal = at.diag(v + 5.0)
factor = linalg.cholesky(positive)
identity = at.constant(at.eye(4).eval())
squared = x @ x.T


def sign(matrix):
    return slogdet(matrix)[0]


def log_size(matrix):
    return slogdet(matrix)[1]


along = at.constant([0, 1, 2, 3])
ones = np.ones(3)
dot, matmul, with_diagonal = at.dot, at.matmul, SetDiagonal()
cc, ccc = c.dimshuffle("x", "x"), c.dimshuffle("x", "x", "x")
xy = dot(x, y)
product = tall @ wide
d = (at.abs(a) + 1.0) * identity
one = at.constant(np.eye(3, dtype="float16"))
half = at.tensor("float16", (3, 1), "u"), at.tensor("float16", (1, 3), "v")
of_half = one + half[0] @ half[1]
turned = (0, 2, 1)
TABLE = """
    # determinants, traces and diagonals
    log-det-of-positive-definite: log(det(positive)) → log_size(positive)
    log-multiple-of-det-of-positive-definite: log(2.0 * det(positive))
        → log(2.0) + log_size(positive)
    log-multiple-of-det: log(2.0 * det(squared))
    log-det: log(det(squared))
    sign-det-transposed: sign(x.T) → sign(x)
    log-det-transposed: log_size(x.T) → log_size(x)
    det-inverse: det(inv(x)) → reciprocal(det(x))
    log-det-inverse: log_size(inv(x)) → -log_size(x)
    det-of-product: det(a @ b) → det(a) * det(b)
    sign-det-of-product: sign(a @ b)
    log-det-of-product: log_size(a @ b)
    det-scaled: det(2.0 * x)
    det-triangular: det(lower)
    det-triangular: det(upper)
    log-det-triangular: log_size(lower)
    log-det-triangular: log_size(upper)
    log-det-positive-definite: log_size(positive)
    sign-det-positive-definite: sign(positive) → constant(1.0)
    trace-cycle: sum(diag((tall @ wide) @ a))
    diagonal-of-product: diag(a @ b)
    diagonal-of-diagonal: diag(diag(b[0]))
    diagonal-of-diagonal: diag(with_diagonal(a, b[0]))
    diagonal-of-diagonal: diag(diag(b[0], -2), -2)
    diagonal-by-positions: a[along, along]
    diagonal-by-positions: (tall @ wide)[arange(4), arange(4)]
    diagonal-by-positions: wide[arange(2), arange(2)]
    # products
    dot-transposed: dot(x, y.T).T → dot(y.T.T, x.T)
    dot-of-transpose-and-vector: dot(x.T, v) → dot(v, x)
    dot-of-vector-and-transpose: dot(v, x.T) → dot(x, v)
    dot-column: dot(x, v.dimshuffle(0, "x")) → dot(x, v).dimshuffle(0, "x")
    dot-row: dot(v.dimshuffle("x", 0), x) → dot(v, x).dimshuffle("x", 0)
    dot-outer: dot(col, row) → col * row
    dot-identity-left: dot(eye(n), x) → x
    dot-identity-right: dot(x, eye(x.shape[1])) → x
    dot-identity-left: dot(np.eye(3), three) → three
    dot-identity-right: dot(high, np.eye(3)) → high
    dot-ones-left: dot(ones, x) → sum(x, axis=0)
    dot-ones-right: dot(x, ones) → sum(x, axis=1)
    inner-ones-left: dot(ones, v) → sum(v)
    inner-ones-right: dot(v, ones) → sum(v)
    dot-zero-left: dot(np.zeros((2, 3)), high.T) → constant(np.zeros((2, 30)))
    dot-zero-right: dot(x, zeros((3, n))) → alloc(0.0, len(x), alloc(0.0, 3, n).shape[1])
    dot-neg-left: dot(-x, v) → -dot(x, v)
    dot-neg-right: dot(x, -y) → -dot(x, y)
    dot-scalar-left: dot(cc * x, v) → c * (x @ v)
    dot-scalar-right: dot(v, 2.0 * x) → 2.0 * (v @ x)
    dot-divided-left: dot(x / 2.0, v) → x @ v / 2.0
    dot-divided-right: dot(broad, high / c) → dot(broad, high) / cc.dimshuffle()
    matmul-zero-left: matmul(np.zeros((2, 3, 3)), x) → alloc(0.0, 2, 3, x.shape[1])
    matmul-zero-right: matmul(s, zeros((3, 5))) → alloc(0.0, len(s), s.shape[1], 5)
    matmul-neg-left: matmul(-s, t) → -matmul(s, t)
    matmul-neg-right: matmul(x, -s) → -matmul(x, s)
    matmul-scalar-left: matmul(c * stack, high) → ccc * matmul(stack, high)
    matmul-scalar-right: matmul(broad, c * tall_stack) → ccc * matmul(broad, tall_stack)
    matmul-divided-left: matmul(stack / c, high) → matmul(stack, high) / ccc
    matmul-divided-right: matmul(broad, tall_stack / c) → matmul(broad, tall_stack) / ccc
    dot-factor-left-add: dot(x, y) + dot(x, z) → dot(x, y + z)
    dot-factor-right-add: dot(x, v) + dot(y, v) → dot(x + y, v)
    dot-factor-left-sub: dot(x, v) - dot(x, w) → dot(x, v - w)
    dot-factor-right-sub: dot(x, z) - dot(y, z) → dot(x - y, z)
    matmul-factor-left-add: matmul(s, t) + matmul(s, u) → matmul(s, t + u)
    matmul-factor-right-add: matmul(s, x) + matmul(t, x) → matmul(s + t, x)
    matmul-factor-left-sub: matmul(s, t) - matmul(s, u) → matmul(s, t - u)
    matmul-factor-right-sub: matmul(s, u) - matmul(t, u) → matmul(s - t, u)
    dot-from-right: dot(dot(x, y), v) → dot(x, dot(y, v))
    chain-of-products: dot(dot(high, broad), high) → dot(high, dot(broad, high))
    dot-from-left: dot(v, dot(x, y)) → dot(dot(v, x), y)
    chain-of-products: dot(broad, dot(high, broad)) → dot(dot(broad, high), broad)
    chain-of-products: (a @ b) @ four → a @ (b @ four)
    chain-of-products: four @ (a @ b) → (four @ a) @ b
    assumption-used: assume(x, "lower triangular") → x
    # Kronecker products, and updates of few rows and columns
    kron-transposed: kron(x, y).T
    kron-times-kron: kron(a, tall) @ kron(b, wide)
    kron-times-vector: kron(wide, a) @ sixteen
    inverse-kron: inv(kron(a, b))
    solve-kron: solve(kron(a, b), sixteen)
    det-kron: det(kron(a, b))
    log-det-kron: slogdet(kron(a, b))[1]
    trace-kron: trace(kron(a, b))
    push-through: solve(identity + product, tall)
    woodbury: solve(d + product, four)
    determinant-lemma: det(d + product)
    log-determinant-lemma: slogdet(d + product)[1]
    det-of-identity-and-product: det(identity + product)
    log-det-of-identity-and-product: slogdet(identity + product)[1]
    # inverses and systems of equations
    vector-times-inverse: v @ inv(x) → solve(x.T, v)
    times-symmetric-inverse: y @ inv(symmetric) → solve(symmetric, y.T).T
    vector-times-symmetric-inverse: v @ inv(symmetric) → solve(symmetric, v)
    stacked-inverse-times: inv(s) @ t → solve(s, t)
    times-stacked-inverse: t @ inv(s)
        → solve(s.dimshuffle(*turned), t.dimshuffle(*turned)).dimshuffle(*turned)
    product-with-solution: solve(x, y) @ v → solve(x, y @ v)
    product-with-symmetric-solution: solve(symmetric, y, assume_a="sym") @ v
        → solve(symmetric, y @ v, assume_a="sym")
    product-with-triangular-solution: solve_triangular(lower, y, lower=True) @ v
        → solve_triangular(lower, y @ v, lower=True)
    product-with-triangular-solution: solve_triangular(upper, y) @ v
        → solve_triangular(upper, y @ v)
    product-with-cholesky-solution: cho_solve((factor, True), y) @ v
    solve-identity: solve(x, eye(lscalar("n"))) → inv(x)
    solve-identity: solve(a, identity) → inv(a)
    solve-inverse: solve(inv(x), y) → x @ y
    solve-symmetric-transposed: solve(symmetric.T, v) → solve(symmetric, v)
    solve-diagonal-vector: solve(eye(3) * z, w)
    solve-diagonal: solve(eye(3) * z, y)
    solve-orthogonal: solve(orthogonal, y) → orthogonal.T @ y
    solve-triangular: solve(lower, y) → solve_triangular(lower, y, lower=True)
    solve-triangular: solve(upper, y) → solve_triangular(upper, y)
    solve-positive-definite: solve(positive, v) → cho_solve((linalg.cholesky(positive), True), v)
    solve-symmetric: solve(symmetric, y) → solve(symmetric, y, assume_a="sym")
    inverse-diagonal: inv(eye(3) * z)
    inverse-orthogonal: inv(orthogonal) → orthogonal.T
    inverse-triangular: inv(lower)
    inverse-triangular: inv(upper)
    solve-by-lower-factor: solve_triangular(factor.T, solve_triangular(factor, v, lower=True))
        → cho_solve((factor, True), v)
    solve-by-upper-factor: solve_triangular(upper, solve_triangular(upper.T, v, lower=True))
        → cho_solve((upper, False), v)
    # products
    dot-to-gemv: dot(x, v) → gemv(x, v)
    dot-to-gemv: dot(v, x) → gemv(v, x)
    matmul-to-batched-dot: matmul(s, x) → batched_dot(s, x)
    matmul-to-batched-dot: batched_dot(s, s) → batched_dot(s, s)
"""
LEFT_ALONE = [
    """
    # determinants, traces and diagonals
    det-of-product: det(x @ x.T)
    det-triangular: det(x)
    log-det-positive-definite: log_size(x)
    det-scaled: det(a * b)
    det-scaled: det(c * a.dimshuffle("x", 0, 1))
    det-scaled: det(0.25 * bmatrix())  # a count of rows is no small integer
    diagonal-of-product: diag(a @ b, 1)
    diagonal-of-diagonal: diag(diag(b[0], 1))
    diagonal-by-positions: a[along, along[::-1]]
    diagonal-by-positions: wide[arange(2, dtype="int8"), arange(2, dtype="int8")]
    diagonal-by-positions: a[along[:2], along[:2]]
    diagonal-by-positions: p[along, along]
    trace-cycle: sum(diag((p @ p) @ p))
    # products
    dot-identity-left: dot(eye(n, n + 0), x)
    dot-identity-left: dot(eye(3, k=1), x)
    dot-identity-left: dot(np.ones((3, 3)), x)
    dot-ones-right: dot(x, np.ones((3, 3)))  # rows of sums are no vector of sums
    dot-scalar-left: dot(row * x, y)
    dot-scalar-left: dot(c * x, y)  # the product may be no smaller than what is scaled
    dot-scalar-right: dot(high, c * broad)
    dot-divided-right: dot(x, v / c)
    matmul-scalar-right: matmul(s, c * high)
    matmul-divided-left: matmul(stack / c, s)
    dot-column: dot(v, dot(x, w).dimshuffle(0, "x"))
    dot-from-right: dot(dot(x, y), z)
    dot-from-right: dot(dot(col, row), v)
    dot-from-left: dot(x, dot(y, v))
    dot-factor-left-add: dot(x, y) + dot(y, z)
    # 8-bit integers would wrap around otherwise
    dot-neg-left: dot(-cast(x, "int8"), cast(y, "int16"))
    chain-of-products: (x @ y) @ z
    # these are the cheapest already
    chain-of-products: a @ (b @ four)
    chain-of-products: a @ b
    chain-of-products: (a @ b) @ a
    chain-of-products: (a @ TensorType("float32", (4, 4))("narrow")) @ four  # dtypes are not mixed
    # Kronecker products, and updates of few rows and columns
    kron-times-kron: kron(x, y) @ kron(y, x)
    inverse-kron: inv(kron(tall, wide))
    solve-kron: solve(kron(x, y), sixteen)
    trace-kron: trace(kron(a, b), 1)
    trace-kron: trace(kron(tall, wide))
    # LAPACK has float32 or float64 for what is solved for, and no float16 for the parts
    woodbury: solve(of_half, TensorType("uint64", (3,))("b"))
    woodbury: solve(of_half, TensorType("float32", (3, 2))("b"))
    woodbury: solve(a + product, four)
    woodbury: solve(d + a @ b, four)
    woodbury: solve(d + x @ y, four)
    det-of-identity-and-product: det(d + product)
    push-through: solve(identity + product, wide.T)
    # inverses and systems of equations
    solve-positive-definite: solve(symmetric, v)
    solve-triangular: solve(x, v)
    solve-symmetric-transposed: solve(x.T, v)
    solve-identity: solve(x, np.ones((3, 3)))
    solve-by-lower-factor: solve_triangular(x.T, solve_triangular(y, v, lower=True))
    inverse-orthogonal: inv(lower)
    # products
    dot-to-dot22: dot(x, v)
    dot-to-dot22: dot(v, x)
    dot-to-dot22: dot(v, v)
    dot-to-dot22: dot(lmatrix("i"), lmatrix("j"))
    dot-to-dot22: dot(x, fmatrix("f"))
    matmul-to-batched-dot: matmul(s, fmatrix("f"))
    matmul-to-batched-dot: matmul(ltensor3("k"), x)
    """,
    ("dot-factor-left-add", xy + dot(x, z), xy),
    ("dot-transposed", xy.T, xy),
]


def test_the_logarithm_of_a_determinant_that_overflows():
    value = 1e200 * np.eye(3)
    found = applied(LAWS["log-det"], at.log(det(x)))
    np.testing.assert_allclose(evaluate([found], {x: value}), 3 * np.log(1e200))
    value[0, 0] = -1
    with np.errstate(invalid="ignore"):
        assert np.isnan(evaluate([found], {x: value}))


def test_a_trace_takes_no_product():
    (found,) = [check_fires(LAWS["diagonal-of-product"], at.diag(a @ b))]
    assert all(not isinstance(node.op, Dot) for node in io_toposort([a, b], [found]))


def test_the_cheapest_cycle():
    found = check_fires(LAWS["trace-cycle"], at.sum(at.diag((tall @ wide) @ a)))
    product = found.owner.inputs[0].owner.inputs[0].owner.inputs[0]
    assert product.type.shape == (2, 4)


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
        found = applied(LAWS["chain-of-products"], way)
        assert equal_computations([found], [cheaper])


def test_no_declaration_is_left_in_a_function():
    y = at.dvector("y")
    f = function([x, y], solve(assume(x, "upper triangular"), y))
    assert not any(isinstance(node.op, Assume) for node in f.maker.fgraph.toposort())
    value = np.array([[2.0, 1.0], [0.0, 4.0]])
    np.testing.assert_allclose(f(value, np.ones(2)), np.linalg.solve(value, np.ones(2)))


def test_complex_matrices() -> None:
    assert applied(LAWS["dot-to-dot22"], at.dot(at.zmatrix(), at.zmatrix())).owner.op is _dot22


def test_it_comes_after_what_has_something_to_say_about_products() -> None:
    f = function([x, y], at.dot(x, y).T)
    assert _dot22 in [node.op for node in f.maker.fgraph.toposort()]


@pytest.mark.parametrize(
    ("name", "before"), [row for row in rows_of(globals(), "TABLE") if "kron" in row[0]]
)
def test_few_kronecker_products_are_left(name, before):
    found = check_fires(LAWS[name], before)
    left = [n for n in io_toposort([], [found]) if isinstance(n.op, Kron)]
    assert len(left) == (name in ("kron-transposed", "kron-times-kron", "inverse-kron"))


def test_the_diagonal_of_a_vector_is_not_taken_out_again():
    found = optimize_graph(
        solve(diagonal, w), include=["canonicalize", "stabilize", "specialize"], clone=True
    )
    assert algebra(found, 200) == "w / (v + 5.0)"

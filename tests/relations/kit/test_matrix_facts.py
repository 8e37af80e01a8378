"""What is known of matrices from declarations and the ops that make them."""

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit.matrix_facts import facts_about, is_lower_triangular, symmetrico
from relgraph.compile import optimize_graph
from relgraph.tensor import linalg
from relgraph.tensor.linalg import assume

a, b = at.dmatrix("a"), at.dmatrix("b")
t = at.dtensor3("t")
v, c, n = at.dvector("v"), at.dscalar("c"), at.lscalar("n")
s = assume(at.dmatrix("s"), "symmetric")
p = assume(at.dmatrix("p"), "positive definite")
low = assume(at.dmatrix("low"), "lower triangular")
q = assume(at.dmatrix("q"), "orthogonal")
z = at.zmatrix("z")
hermitian = assume(z, "symmetric")
known = at.TensorType("float64", (3, 3))("known")

DIAGONAL = {"diagonal", "lower triangular", "upper triangular"}
POSITIVE = {"positive definite", "positive semidefinite", "symmetric"}
SEMIDEFINITE = {"positive semidefinite", "symmetric"}

FACTS = [
    (a, set()),
    (s, {"symmetric"}),
    (p, POSITIVE),
    (low, {"lower triangular"}),
    (low.T, {"upper triangular"}),
    (assume(t, "lower triangular").dimshuffle(0, 2, 1), {"upper triangular"}),
    (assume(t, "lower triangular").dimshuffle(1, 0, 2), set()),
    (q.T, {"orthogonal"}),
    (assume(low, "upper triangular"), DIAGONAL | {"lower triangular", "symmetric"}),
    (a * np.ones((3, 1)), set()),
    (a * np.array([[1.0, 0, 0]]), set()),
    (low * [[2.0]], {"lower triangular"}),
    (low * np.ones((3, 1)), {"lower triangular"}),
    (a @ a.T, SEMIDEFINITE),
    (a.T @ a, SEMIDEFINITE),
    (a @ b.T, set()),
    (z @ z.T, set()),
    (z @ at.conj(z.T), SEMIDEFINITE),
    (a @ s @ a.T, {"symmetric"}),
    (a @ (p @ a.T), SEMIDEFINITE),
    (a + a.T, {"symmetric"}),
    (a - a.T, set()),
    (p + p, POSITIVE),
    (p + a @ a.T, SEMIDEFINITE),
    (p - s, {"symmetric"}),
    (s + c, {"symmetric"}),
    (low + 1.0, set()),
    (low * a, {"lower triangular"}),
    (2.0 * p, POSITIVE),
    (-2.0 * p, {"symmetric"}),
    (at.exp(c) * p, SEMIDEFINITE),
    (c * low, {"lower triangular"}),
    (s / c, {"symmetric"}),
    (-q, {"orthogonal"}),
    (low @ low, {"lower triangular"}),
    (low @ low.T, SEMIDEFINITE),
    (q @ q, {"orthogonal"}),
    (linalg.inv(p), POSITIVE),
    (linalg.inv(low), {"lower triangular"}),
    (linalg.cholesky(a), {"lower triangular"}),
    (linalg.cholesky(a, lower=False), {"upper triangular"}),
    (linalg.qr(a)[1], {"upper triangular"}),
    (linalg.qr(a)[0], set()),
    (linalg.qr(known)[0], {"orthogonal"}),
    (linalg.qr(a, "complete")[0], {"orthogonal"}),
    (linalg.eigh(a)[1], {"orthogonal"}),
    (at.eye(n), DIAGONAL | POSITIVE | {"orthogonal"}),
    (at.eye(n, 3), DIAGONAL | {"symmetric"}),
    (at.eye(n, k=1), set()),
    (at.tril(a), {"lower triangular"}),
    (at.tril(a, -1), {"lower triangular"}),
    (at.tril(a, 1), set()),
    (at.triu(a), {"upper triangular"}),
    (at.triu(a, -1), set()),
    (at.tril(known), {"lower triangular"}),
    (at.triu(known), {"upper triangular"}),
    (at.diag(v), DIAGONAL | {"symmetric"}),
    (at.constant(np.eye(3)), DIAGONAL | POSITIVE | {"orthogonal"}),
    (at.constant(np.diag([1.0, -1.0])), DIAGONAL | {"symmetric"}),
    (at.constant(np.ones((2, 2))), {"symmetric"}),
    (at.specify_shape(low, (3, 3)), {"lower triangular"}),
    (hermitian, {"symmetric"}),
    (assume(z, "diagonal"), DIAGONAL),
    (at.cast(assume(at.lmatrix(), "symmetric"), "float64"), {"symmetric"}),
    (at.lmatrix() @ at.lmatrix().T, set()),
]


@pytest.mark.parametrize(("matrix", "expected"), FACTS)
def test_facts(matrix, expected):
    found = facts_about(optimize_graph(matrix, include=["canonicalize"], clone=True))
    assert set(found) == expected


def test_integers_wrap_around():
    k = at.TensorType("int8", (3, 3))("k")
    assert set(facts_about(k @ k.T)) == {"symmetric"}


def test_one_number_is_no_diagonal_matrix():
    one = at.TensorType("float64", (1, 1))("one")
    assert "diagonal" in facts_about(one)
    assert "diagonal" not in facts_about(one + a)
    assert "diagonal" not in facts_about(one * a)


def test_facts_are_inferred_without_recursion():
    made = low
    for _ in range(300):
        made = made @ low
    assert is_lower_triangular(made)
    for _ in range(100_000):
        made = made + low
    # what is too far away counts as unknown
    assert not is_lower_triangular(made)


def test_wrong_declarations():
    with pytest.raises(ValueError, match=r"assume: a fact is one of diagonal, .*, not 'round'"):
        assume(a, "round")
    with pytest.raises(ValueError, match="not square"):
        assume(at.constant(np.ones((2, 3))), "symmetric")
    with pytest.raises(TypeError, match="neither a matrix nor a stack"):
        assume(v, "diagonal")
    assert str(symmetrico(s)).startswith("is_symmetric")

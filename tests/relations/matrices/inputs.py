"""Matrices of which something is known, for the tests of laws about them."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.tensor import linalg

x, y, z = at.dmatrix("x"), at.dmatrix("y"), at.dmatrix("z")
v, w = at.dvector("v"), at.dvector("w")
c = at.dscalar("c")
s, t = at.dtensor3("s"), at.dtensor3("t")
square = at.TensorType("float64", (4, 4))
a, b = square("a"), square("b")
tall, wide = at.TensorType("float64", (4, 2))("tall"), at.TensorType("float64", (2, 4))("wide")
four = at.TensorType("float64", (4,))("four")
five = 5.0 * at.eye(x.shape[0])

lower = linalg.assume(at.tril(x) + five, "lower triangular")
upper = linalg.assume(at.triu(x) + five, "upper triangular")
positive = linalg.assume(x @ x.T + five, "positive definite")
symmetric = linalg.assume(x + x.T, "symmetric")
orthogonal = linalg.assume(linalg.qr(x, "complete")[0], "orthogonal")
diagonal = at.diag(v + 5.0)
factor = linalg.cholesky(positive)
identity = at.constant(at.eye(4).eval())

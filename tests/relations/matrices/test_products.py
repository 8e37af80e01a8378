"""Which products become one of the BLAS."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.tensor.linalg.blas import _dot22
from tests.relations.applied import LAWS, applied

LAW = LAWS["dot-to-dot22"]
x, y, v = at.dmatrix("x"), at.dmatrix("y"), at.dvector("v")
stack = at.dtensor3("stack")

CASES = [
    ("dot-to-gemv", at.dot(x, v), "gemv(x, v)"),
    ("dot-to-gemv", at.dot(v, x), "gemv(v, x)"),
    ("matmul-to-batched-dot", at.matmul(stack, x), "batched_dot(stack, x)"),
    ("matmul-to-batched-dot", at.batched_dot(stack, stack), "batched_dot(stack, stack)"),
]


NOT_MATCHED = [
    ("dot-to-dot22", at.dot(x, v)),
    ("dot-to-dot22", at.dot(v, x)),
    ("dot-to-dot22", at.dot(v, v)),
    ("dot-to-dot22", at.dot(at.lmatrix("i"), at.lmatrix("j"))),
    ("dot-to-dot22", at.dot(x, at.fmatrix("f"))),
    ("matmul-to-batched-dot", at.matmul(stack, at.fmatrix("f"))),
    ("matmul-to-batched-dot", at.matmul(at.ltensor3("k"), x)),
]


def test_complex_matrices() -> None:
    assert applied(LAW, at.dot(at.zmatrix(), at.zmatrix())).owner.op is _dot22


def test_it_comes_after_what_has_something_to_say_about_products() -> None:
    f = function([x, y], at.dot(x, y).T)
    assert _dot22 in [node.op for node in f.maker.fgraph.toposort()]

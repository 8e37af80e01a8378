"""Which products become one of the BLAS."""

from __future__ import annotations

import pytest

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


def test_complex_matrices() -> None:
    assert applied(LAW, at.dot(at.zmatrix(), at.zmatrix())).owner.op is _dot22


@pytest.mark.parametrize(
    "before",
    [
        at.dot(x, v),
        at.dot(v, x),
        at.dot(v, v),
        at.dot(at.lmatrix(), at.lmatrix()),
        at.dot(x, at.fmatrix()),
        at.matmul(stack, at.fmatrix()),
        at.matmul(at.ltensor3(), x),
    ],
)
def test_what_is_left_alone(before: at.TensorVariable) -> None:
    assert applied(LAW, before).owner.op is before.owner.op


def test_it_comes_after_what_has_something_to_say_about_products() -> None:
    f = function([x, y], at.dot(x, y).T)
    assert _dot22 in [node.op for node in f.maker.fgraph.toposort()]

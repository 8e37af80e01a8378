"""What each law about softmax does to an expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relations import softmax
from relgraph.compile import function
from tests.relations.applied import applied, assert_same_values, laws_of, written

LAWS = laws_of(softmax)
x, v = at.dmatrix("x"), at.dvector("v")


def by_sum(e: Any, axis: Any) -> Any:
    return e / at.sum(e, axis=axis, keepdims=True)


CASES = [
    ("log-softmax", at.log(at.softmax(x)), "log_softmax(x, axis=1)"),
    ("exp-log-softmax", at.exp(at.log_softmax(x, axis=None)), "softmax(x, axis=None)"),
    ("softmax", by_sum(at.exp(x), 1), "softmax(x, axis=1)"),
    ("softmax", by_sum(at.exp(x), 0), "softmax(x, axis=0)"),
    ("softmax", by_sum(at.exp(x), None), "softmax(x, axis=None)"),
    ("softmax", at.exp(v) / at.sum(at.exp(v)), "softmax(v, axis=None)"),
    (
        "log-softmax-of-kept-sum",
        x - at.log(at.sum(at.exp(x), axis=1, keepdims=True)),
        "log_softmax(x, axis=1)",
    ),
    (
        "softmax-shifted",
        at.softmax(x - at.max(x, axis=1, keepdims=True)),
        "softmax(x, axis=1)",
    ),
    (
        "log-softmax-shifted",
        at.log_softmax(x - at.max(x, axis=0, keepdims=True), axis=0),
        "log_softmax(x, axis=0)",
    ),
]

square = at.TensorType("float64", (3, 3))("square")
NOT_MATCHED = [
    ("softmax", at.exp(square) / at.sum(at.exp(square), axis=1)),  # by another axis
    ("softmax", at.exp(x) / at.sum(at.exp(2 * x), axis=1, keepdims=True)),
    ("softmax-shifted", at.softmax(x - at.max(x, axis=0, keepdims=True), axis=1)),
    ("log-softmax", at.log2(at.softmax(x))),
]


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=[case[0] for case in CASES])
def test_what_it_does(name: str, before: Any, after: str) -> None:
    assert written(LAWS[name], before) == after
    assert_same_values(before, applied(LAWS[name], before))


@pytest.mark.parametrize(("name", "before"), NOT_MATCHED)
def test_what_it_leaves_alone(name: str, before: Any) -> None:
    assert applied(LAWS[name], before).owner.op is before.owner.op


def test_every_law_has_a_case() -> None:
    assert set(LAWS) == {name for name, *_ in CASES}


def test_what_is_written_out_does_not_overflow() -> None:
    value = np.array([[1000.0, 0.0], [-1000.0, 1.0]])
    p = by_sum(at.exp(x - at.max(x, axis=1, keepdims=True)), 1)
    assert function([x], at.log(p))(value).tolist() == [[0.0, -1000.0], [-1001.0, 0.0]]
    naive = function([x], at.log(by_sum(at.exp(x), 1)))
    assert naive(value).tolist() == [[0.0, -1000.0], [-1001.0, 0.0]]

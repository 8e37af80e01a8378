"""Graphs as algebra, numbers as laws write them, and what operators mean."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import lvars
from relgraph.graph.notation import (
    LeadingOperators,
    Operators,
    OpNamespace,
    algebra,
    is_written,
    number_of,
    roundings,
    same_number,
)

x, y, c, X = at.dvector("x"), at.dvector("y"), at.dscalar("c"), at.dmatrix("X")


@pytest.mark.parametrize(
    ("var", "text"),
    [
        (x, "x"),
        (at.constant(2.0), "2.0"),
        (at.constant([1.0, 2.0]), "[1. 2.]"),
        (x - (y - c), "x - (y - c)"),
        ((x - y) - c, "x - y - c"),
        (x * (y + 1), "x * (y + 1.0)"),
        (-(x**2), "-(x ** 2.0)"),
        ((-x) ** 2, "(-x) ** 2.0"),
        (x - -y, "x - -y"),
        (at.neg(-x), "--x"),
        (x + c, "x + c"),
        (X.T @ x, "X.T @ x"),
        ((-X).T, "(-X).T"),
        (X.dimshuffle("x", 1, 0), "X.dimshuffle('x', 1, 0)"),
        (at.sum(X, axis=0), "sum(X, axis=(0,))"),
        (at.exp(-x), "exp(-x)"),
    ],
)
def test_how_it_is_written(var: Any, text: str) -> None:
    assert algebra(var) == text


def test_names_of_what_is_computed_are_seen_through() -> None:
    p = at.exp(x)
    p.name = "p"
    assert algebra(at.log(p)) == "log(exp(x))"


def test_what_does_not_fit_is_left_out_from_the_bottom() -> None:
    deep = x
    for _ in range(10_000):
        deep = at.exp(deep)
    assert algebra(deep, limit=20) == "exp(exp(exp(…)))"
    twice = x
    for _ in range(200):
        twice = twice * twice + y
    assert len(algebra(twice)) <= 72
    assert algebra(at.add(*[at.dvector(f"v{i}") for i in range(500)])).endswith("v6 + …")


def test_what_is_written_is_read_as_it_was_in_python() -> None:
    """Comparisons are weaker than `&` there, and a sign than a power."""
    names = dict(zip("abc", lvars("a b c"), strict=True))
    a, b, c = names.values()
    written = (
        *((a < b) & (b > c), (a | b) & c, a | b & c, (a & b) < c, a ^ b | c),
        *((a**b) ** c, a ** (b**c), (-a) ** b, -(a**b), a**-b, (-2) ** a, -(a - b), a - -b),
        *(a - (b - c), a - (b + c), a / (b * c), a * -b, -(a * b), -a * b, (a @ b) @ c, a // b % c),
    )
    for term in written:
        read = eval(str(term), {}, names)
        assert read.etuple == term.etuple, str(term)


# Numbers as laws write them, and as dtypes hold them.


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0.0, -0.0, False),
        (math.nan, math.nan, True),
        (math.inf, math.inf, True),
        (1, None, False),
        (2, 3, False),
        (1, complex(1.0, 0.0), True),
        (1, complex(1.0, -0.0), False),
        (complex(-0.0, 1.0), complex(0.0, 1.0), False),
    ],
)
def test_value_and_kind(a, b, same):
    assert same_number(a, b) is same


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("number", [0.1, -2.5, math.pi, 1e-40, 1e300, math.inf, 0.0, 1 / 3])
def test_a_dtype_holds_a_number_in_its_way(dtype, number):
    with np.errstate(over="ignore"):
        held = np.dtype(dtype).type(number)
    if not np.isfinite(held) and math.isfinite(number):
        assert dtype not in roundings(number)
        return
    for constant in (at.constant(held), at.constant(np.full((2, 3), held))):
        assert is_written(number, constant)
        assert not is_written(number + 1, constant) or number_of(constant) == number + 1
    wide = at.constant(np.float64(held.real))
    assert is_written(number, wide) is (float(held.real) == number)


def test_whole_numbers_and_truth_values_are_exact():
    assert is_written(1, at.constant(np.float32(1)))
    assert not is_written(True, at.constant(np.float32(1)))
    assert not is_written(0.1, at.constant(0))
    assert not is_written(0.1, at.dvector("x"))
    assert roundings(0.1) != roundings(0.1 + 0j)


# Which operand says what an operator means.

NAMES = {
    **{"add": "add", "sub": "sub", "mul": "mul", "truediv": "true_div", "matmul": "matmul"},
    **{"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"},
}


class Plain(Operators):
    pass


class Leading(LeadingOperators):
    pass


for kind in (Plain, Leading):
    kind._ops = OpNamespace(
        kind,
        **{
            name: lambda x, y, name=name, kind=kind: (kind, name, type(x), type(y))
            for name in NAMES.values()
        },
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_leading_operand_says(name: str) -> None:
    apply, op = getattr(operator, name), NAMES[name]
    assert apply(Plain(), Plain()) == (Plain, op, Plain, Plain)
    assert apply(Leading(), Leading()) == (Leading, op, Leading, Leading)
    assert apply(Leading(), Plain()) == (Leading, op, Leading, Plain)
    assert apply(Plain(), Leading()) == (Leading, op, Plain, Leading)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "matmul"])
def test_an_array_on_the_left(name: str) -> None:
    found = getattr(operator, name)(np.ones(2), Leading())
    assert found == (Leading, NAMES[name], np.ndarray, Leading)

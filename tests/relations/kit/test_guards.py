"""Conditions of laws: dtypes, constants, numbers, signs, shapes, axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit import guards, numbers
from relations.kit import type_guards as types
from relations.kit.guards import is_nonnegative, is_positive
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.notation import algebra
from relgraph.tensor.shapes import MakeVector, Shape_i, known_entries, known_length
from relgraph.testing.discovery import discover_laws
from tests.relations.compositions import Composition, errors
from tests.relations.kit.test_arithmetic import const
from tests.seeds import sampled

x_matrix, v, row, column = at.dmatrix("x"), at.dvector("v"), at.row("row"), at.col("column")
known = at.TensorType("float64", (2, 3))("known")


# A law does not take the rounding out of one of two parts whose roundings cancel.

x, y = at.dvectors("x", "y")
square, step = x * x, 1 + at.sqr(x)
u, e, s = 1 + x, 1 + at.exp(x), at.sigmoid(x)
root = at.sqrt(y + at.sqr(x))
arc, half, ratio = (
    at.arccos(1 - x),
    at.sqrt((1 - x) / 2),
    at.log((1 + x) / (1 - x)),
)
tangent, sheared = at.tan(x), at.tan(x + y)
ONES = at.constant([1.0, 0.5] * 10)
negated = -x

COMPENSATED = {
    "square": at.log(square) / (1 - square) - (1 - square),
    "erf": at.erf(x) - 1 - at.log(at.erf(x)),
    "cosine": (1 - at.cos(x)) / at.log(at.cos(x)),
    "sine": at.log(at.sqr(at.sin(x))) / (1 - at.sqr(at.sin(x))),
    "share": s - 1 - at.log(s),
    "softplus": at.log(e) / (1 - e),
    "arcosine": at.sqr(at.arccos(1 - x)) / (1 - (1 - x)),
    "reciprocal": at.log(1 / u) / (u - 1 / u),
    "hypotenuse": (at.sqrt(step) - 1) / (1 - step),
    "power": (u**3 - 1) / at.log(u**3),
    "square, less its root": at.log(square) - (square - x),
    "decimal logarithm": at.log10(u) / (u - 1),
    "binary logarithm": at.log2(1 - x) * x / (1 - (1 - x)),
    "double angle": 2 * at.sqr(at.cos(x)) - x - (2 * at.sqr(at.cos(x)) - 1),
    "scaled square": (at.log1p(0.5 * at.sqr(x)) - 0.5 * at.sqr(x)) / at.sqr(x),
    "two terms": (2 * s - 1) - (2 * s - x),
    "a multiple and a term": 1.0 * at.sqr(x + y) + (at.sqr(x) - at.sqr(x + y)),
    "two terms, deeper": (1 - (root - x)) + root,
    "squares": (at.sqr(x - y) - at.sqr(x)) + (y - at.sqr(x - y)),
    "the function twice": (x - arc) + arc,
    "its logarithm twice": x - at.log(u) + 2 * at.log(u),
    "a multiple": at.arcsin(half) + half - at.arcsin(half) * 2,
    "a number taken away again": ratio / (1 - ratio - at.alloc(1.0, 20)),
    "less its own reciprocal": (square - 1) * (square - 1 / square),
    "less its own logarithm": 0.25 - at.tan(x + math.pi / 4) + at.log(at.tan(x + math.pi / 4)),
    "the root of a square": at.sqrt(square - 0.0) + x - at.sqrt(square),
    "the same beside it": (tangent * x - sheared) / (sheared - tangent),
    "a negation beside its like": (y - negated) / (at.sqrt(square + y) + negated) * negated,
    "a one among others": (s * ONES - ONES) / 1.0 / at.log(s * ONES),
    "logarithm": at.log(u) * x / (u - 1),
    "logarithm of what is less than one": at.log(1 - x) * x / (1 - (1 - x)),
    "area sine": at.log(x + at.sqrt(step)) / (1 - (x + at.sqrt(step))),
    "reciprocal of a square": 1 - 1 / at.sqr(x) + at.log(1 / at.sqr(x)),
    "product of exponentials": 1 - at.prod(at.exp(x)) + at.log(at.prod(at.exp(x))),
    "either way round": (1 - at.sqrt(step)) / (at.sqrt(step) - 1),
}


def stays_right(name: str, mode: str) -> None:
    formula = COMPENSATED[name]
    best = optimize_graph(formula, include=[mode], exclude=["inplace"], clone=True)
    measured = errors(Composition(name, formula, {x: (20,), y: (20,)}), best, 1, 12, 300)
    assert measured is not None
    assert measured.mine < measured.naive + (0.1 if measured.naive < 3 else 1), measured
    assert not measured.worse(), measured


@pytest.mark.parametrize("name", COMPENSATED)
def test_what_is_right_by_cancelling_roundings_stays_right(name: str) -> None:
    stays_right(name, "stabilization")


@pytest.mark.parametrize("name", sampled(COMPENSATED, 6, "compensated"))
def test_it_stays_right_in_the_default_mode(name: str) -> None:
    stays_right(name, "fast_run")


@pytest.mark.parametrize("rounded", (lambda d: d + 1 - 1, lambda d: 1 - d - 1))
def test_a_difference_that_has_its_own_rounding_is_left_alone(
    rounded: Callable[[Any], Any],
) -> None:
    """Its error is in the numerator and in the denominator."""
    difference = x - at.sqrt(square + y)
    formula = difference / rounded(difference)
    assert "switch" not in algebra(optimize_graph(formula, include=["stabilization"]))
    assert "switch" in algebra(optimize_graph(difference, include=["stabilization"]))


# The other reader does not enlarge the error, or there are laws about both.
STABILIZED = [
    (at.log(u) + at.sqrt(u), "log1p(x) + sqrt(1.0 + x)"),
    (at.log(u) * (u * y), "log1p(x) * ((1.0 + x) * y)"),
    ((1 - at.cos(x)) / (y - at.cos(x)), "-(cosm1(x) / (y - cos(x)))"),
    ((at.exp(x) - 1) * (at.exp(x) - x), "expm1(x) * (exp(x) - x)"),
    (at.log(u) * (1 - at.log(u)), "log1p(x) * (1.0 - log1p(x))"),
    (
        (at.sqrt(1 + x) - at.sqrt(x)) / (at.sqrt(1 + x) + at.sqrt(x)),
        "switch(… < …, 1.0 / …, … - …) / (sqrt(…) + sqrt(x))",
    ),
    ((at.exp(x) - 1) / at.log(at.exp(x)), "expm1(x) / x"),
    (at.log(square) / (1 - square), "2.0 * log(abs(x)) / sqr_less_sqr(1.0, x)"),
]


@pytest.mark.parametrize(("formula", "expected"), STABILIZED)
def test_what_cancels_nothing_is_stabilized(formula: Any, expected: str) -> None:
    assert algebra(optimize_graph(formula, include=["stabilization"], clone=True)) == expected


def test_readers_are_not_asked_where_there_are_laws_about_both() -> None:
    book = discover_laws()
    assert book["log-exp"].forward.collapses
    # of exp2 there is no law about the difference from 1
    assert not book["log2-exp2"].forward.collapses


# What ops tell of signs.

i = at.TensorType("int8", (None,))("i")
k, u_vector = at.lvector("k"), at.vector("u", dtype="uint8")


NEVER_NEGATIVE = [
    *(at.sqr(x), at.abs(x), at.exp(x), at.sqr(x) * at.sqrt(x), at.maximum(x, 0), i > 0, x > 0),
    *(at.exp(x) ** x, (1 + at.sqr(x)) ** x, 2.0**x, at.sqr(x) + at.exp(x), at.sum(at.sqr(x))),
    *(abs(x).dimshuffle("x", 0), at.sqr(x)[::-1], at.switch(x > 0, at.exp(x), 2.0), u_vector),
    at.constant([0.0, 1.0]),
]
MAY_BE_NEGATIVE = [
    *(x, -at.exp(x), at.log(x), at.exp(x) - 1, at.minimum(x, 0), at.constant([0.0, -1.0])),
    at.zvector("z"),
    # the least int8 is -128, and so is its absolute value; squares wrap around
    *(i, at.abs(i), at.sqr(i), at.sqr(i) + at.abs(i), at.sqr(k) * abs(k)),
    # the root of -0.0 is -0.0, and one by that is minus infinity
    *(x**2.0, at.sqrt(x) ** x, at.exp(x) / at.sqrt(x)),
]


@pytest.mark.parametrize("v", NEVER_NEGATIVE)
def test_never_negative(v):
    assert is_nonnegative(v)


@pytest.mark.parametrize("v", MAY_BE_NEGATIVE)
def test_may_be_negative(v):
    assert not is_nonnegative(v)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "int64"])
def test_lengths_and_casts(dtype):
    length = x.shape[0]
    wraps = dtype == "int8"
    assert is_nonnegative(length) and not is_positive(length)
    assert is_nonnegative(at.cast(length, dtype)) is not wraps
    assert not is_nonnegative(at.cast(i, dtype))


def test_a_small_number_is_zero_in_fewer_digits():
    assert is_positive(at.cast(1 + at.exp(at.fvector()), "float64"))
    assert not is_positive(at.cast(1 + at.exp(x), "float32"))


def test_deep_terms_are_looked_at_to_a_depth_only():
    var = at.sqr(x)
    for _ in range(5_000):
        var = at.exp(x) + var
    assert not is_nonnegative(var)


# What guards say of arguments.

n, size = at.lscalar("n"), Shape_i(1)(x_matrix)
i_vector, b, z = at.lvector("i"), at.bvector("b"), at.zvector("z")
two, twos, flags = const(2.0), const([[2.0]]), x > 0

GUARDS: list[tuple[Callable[..., Any], list[Any], list[Any]]] = [
    (guards.includes_axis, [(None, 4), ((0, 2), 2)], [((0, 2), 1)]),
    (
        guards.is_constant_along,
        [(row, (0,), x_matrix), (column, (1,), x_matrix)],
        [(row, None, x_matrix), (v, (0,), x_matrix)],
    ),
    (guards.has_length_one, [(row, 0)], [(row, 1)]),
    (guards.has_length_one_along, [(row, (0,))], [(row, None), (row, ())]),
    (guards.is_nonempty_along, [(known, None)], [(x_matrix, (0,))]),
    (guards.are_nonzero_lengths, [((1,), (0, 3))], [(None, (0, 3))]),
    (guards.is_constant, [two.dimshuffle("x", "x")], [x]),
    (guards.is_uniform, [two.dimshuffle("x", "x")], [const([1.0, 2.0])]),
    (
        guards.is_true_everywhere,
        [at.constant([1, 2]), at.second(x, True)],
        [at.constant([1, 0]), n],
    ),
    (guards.is_zero_everywhere, [const([0.0, -0.0])], [at.constant([1, 0])]),
    (guards.is_one_everywhere, [at.constant([True, True])], [at.constant([1, 2]), const([])]),
    (guards.is_discrete_zero, [const(0, "int8")], [const(0.0), at.lvector()]),
    (
        guards.covers_shape,
        [(v, const([2.0])), (x_matrix, row)],
        [(const([2.0]), v), (row, x_matrix), (x_matrix, v)],
    ),
    (guards.broadcast_alike, [(x_matrix, known)], [(x_matrix, row)]),
    (guards.has_one_element, [twos], [row]),
    (guards.is_length_of, [(2, known, 0), (size, x_matrix, 1)], [(3, known, 0), (n, x_matrix, 1)]),
    (is_positive, [1 + at.exp(x), at.cosh(x)], [at.exp(x), const([0.0])]),  # exp(x) underflows
    (types.is_float, [x], [i_vector, z]),
    (types.is_integer, [u_vector], [flags]),
    (types.is_unsigned, [u_vector], [b]),
    (types.is_signed, [i_vector, b], [u_vector]),
    (types.is_discrete, [flags], [x]),
    (types.is_boolean, [flags], [b]),
    (types.is_signed_or_float, [x], [u_vector]),
    (types.is_complex, [z], [x]),
    (types.is_real, [flags], [z]),
    (types.have_same_dtype, [(x, x + 1), (x, x, x)], [(x, i_vector), (x, x, i_vector)]),
    (types.has_rank, [(x, 1)], [(x, 2)]),
    *(
        (guard, [const(value) for value in yes], [*map(const, no), at.dvector()])
        for guard, yes, no in (
            (guards.is_finite_number, [2.0, 0.0], [np.nan, np.inf, [1.0, 2.0]]),
            (guards.is_nonzero_number, [2.0, -0.5], [0.0, np.nan, np.inf, [1.0, 2.0]]),
            (guards.has_normal_reciprocal, [3.0, -0.1], [0.0, 1e-310, np.inf]),
            (numbers.is_power_of_two, [2.0, 0.25, -8.0, 2.0**1000], [0.0, 3.0, 2.0**-1074]),
            (numbers.is_positive_number, [1.0], [0.0, -1.0, np.inf]),
            (numbers.is_even, [0.0, 2.0, -4.0], [1.0, 0.5, np.inf]),
            (numbers.is_odd, [1.0, -3.0], [2.0, 0.5, -0.9999999999999999]),
            (numbers.is_small_whole, [3.0, -64.0], [0.5, 65.0, np.nan]),
        )
    ),
    (guards.is_finite_number, [], [const(True, "bool")]),
]


@pytest.mark.parametrize(("guard", "yes", "no"), GUARDS)
def test_what_a_guard_says(guard: Callable[..., Any], yes: list[Any], no: list[Any]) -> None:
    for arguments in (*yes, *no):
        given = arguments if isinstance(arguments, tuple) else (arguments,)
        assert bool(guard(*given)) is any(arguments is one for one in yes), given


def test_numbers_that_constants_hold() -> None:
    assert guards.constant_data(two.dimshuffle("x", "x")) == 2.0 and guards.constant_data(x) is None
    assert guards.constant_number(two.dimshuffle("x", "x")) == 2.0
    assert np.isnan(guards.constant_number(const([np.nan, np.nan])))
    # zeros of both signs are no one number
    for several in (const([1.0, 2.0]), const([0.0, -0.0]), "no variable"):
        assert guards.constant_number(several) is None


def test_lengths_and_axes_that_are_known() -> None:
    assert guards.axis_numbers(None, 3) == (0, 1, 2) and guards.axis_numbers((1,), 3) == (1,)
    assert known_length(at.constant(3)) == 3 and known_length(n) is n
    assert known_entries(at.constant([2, -1])) == [2, -1]
    assert known_entries(MakeVector()(n, 3)) == [n, 3]
    assert known_entries(at.lvector()) is None

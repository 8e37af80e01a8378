"""What laws for accuracy make of differences, lengths, and inverse functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.compile.optimize import optimize_graph
from relgraph.gradient import grad
from relgraph.graph.notation import algebra
from relgraph.graph.reference import evaluate
from relgraph.tensor.norms import Norm
from tests.relations.applied import LAWS, applied, value_of

x, y, z, v, w = at.dvectors(*"xyzvw")
i, j = at.lvectors("i", "j")
a, b, c = at.sqr(x), at.sqr(y), at.sqr(z)
m, q = at.dmatrices("m", "q")
norm, row_norm = Norm(), Norm((1,))


def of_pairs(by_point, factor):
    return at.sum(by_point * v * v) - factor * at.sum(at.sum(m * v, axis=1) * v)


CHANGES = (at.cosm1(x), at.x_less_sin(x), at.tan_less_x(x))
PI = at.constant(math.pi)
OF_SQUARES: list[Callable[[Any], Any]] = [
    lambda square: square(x) - 1,
    lambda square: square(x + y) - square(x),
    lambda square: at.sqrt(square(x) + square(y)),
    lambda square: at.sqrt(square(x) + y) - x,
    lambda square: at.sqrt(1 + square(x)) - 1,
    lambda square: at.log1p(square(x)),
    lambda square: at.log(x + at.sqrt(1 + square(x))),
    lambda square: at.log(square(x)),
    lambda square: at.cosm1(x) / square(x),
    lambda square: at.sqrt(at.sum(square(x))),
    lambda square: at.mean(square(x)) - square(at.mean(x)),
    lambda square: at.exp(x) / square(1 + at.exp(x)),
    lambda square: 1 - square(at.sin(x)),
]
OF_TURNS: list[Callable[[Any], Any]] = [
    lambda part: at.arctan(x) - part(4),
    lambda part: part(2) - at.arccos(x),
    lambda part: at.log(at.tan(part(4) + x)),
]


def stabilized(graph: Any) -> str:
    return algebra(optimize_graph(graph, include=["stabilization"], clone=True), 1000)


@pytest.mark.parametrize("square", [lambda v: v * v, lambda v: v**2])
@pytest.mark.parametrize("formula", OF_SQUARES)
def test_squares(formula: Callable[[Any], Any], square: Callable[[Any], Any]) -> None:
    assert stabilized(formula(square)) == stabilized(formula(at.sqr)) != algebra(formula(at.sqr))


@pytest.mark.parametrize("formula", OF_TURNS)
def test_fractions_of_pi(formula: Callable[[Any], Any]) -> None:
    written, number = formula(lambda n: PI / n), formula(lambda n: at.constant(math.pi / n))
    assert stabilized(written) == stabilized(number) != algebra(number)


def test_what_nothing_is_computed_of_stays_as_it_is() -> None:
    assert stabilized(x**2) == "x ** 2.0"
    assert stabilized(x * x) == "x * x"


TABLE = """
    # lengths without the overflow of their squares
    norm: sqrt(sum(sqr(v))) → norm(v)
    norm: sqrt(sum(sqr(m), axis=1)) → norm(m, axis=(1,))
    product-of-norms: sqrt(sum(sqr(v)) * sum(sqr(w))) → norm(v) * norm(w)
    ratio-of-norms: sum(sqr(m)) / sum(sqr(v)) → sqr(norm(m) / norm(v))
    cosine: sum(v * w) / (norm(v) * norm(w)) → cosine(v, w)
    cosine: sum(m * q, axis=1) / (row_norm(m) * row_norm(q)) → cosine(m, q, axis=(1,))
    weighted-squares-less: of_pairs(sum(m, axis=1) + sum(m, axis=0), 2)
        → sum(sqr(v[:, None] - v) * m)
    weighted-squares:
        sum(sum(m, axis=1) * sqr(v)) + sum(v * (sum(m, axis=0) * v - 2.0 * sum(m * v, axis=1)))
        → sum(sqr(v[:, None] - v) * m)
    # inverse functions near the ends of their domains, and as logarithms
    # the slope of both overflows far from zero
    gudermannian: 2 * arctan(exp(x)) - math.pi / 2 → arctan(sinh(x))
    turn-as-number: cos(PI / 4) * x → cos(0.7853981633974483) * x
    turn-as-number: PI / 2 + x → 1.5707963267948966 + x
"""
EXACT = [
    """
    # differences of values of one function at points that are near each other
    x-log-x-step: (x + z) * log(x + z) - x * log(x)
    arctan-step: arctan(x + y) - arctan(x)
    # lengths without the overflow of their squares
    hypot: sqrt(a + b)
    hypot: sqrt(a + a)
    hypot: sqrt(a + 4.0 * b + c)
    hypot-by-constant: sqrt((a + b + c) / 3.0)
    hypot-by-constant: sqrt((a + b) / 2.0)
    hypot-of-scaled: sqrt(0.25 * (a + 3.0 * b + c))
    root-of-scaled-square: sqrt(2.0 * a)
    by-constant-and-square: x / (1 + a)
    by-constant-and-square: x / (0.3 + a)
    log-one-and-scaled-square: log1p(0.25 * a)
    written-out-square: b + 2.0 * (x * y) + a
    written-out-square-less: a + b - 2.0 * x * y
    written-out-square: a - 2.0 * x * y + b
    written-out-square: 1 + a + 2.0 * x
    written-out-square-less: 1 + a - 2.0 * x
    written-out-square: a - 2.0 * x + 1
    written-out-square: 1 - 2.0 * x + a
    written-out-square: c + a - 2.0 * x * y + b
    written-out-square: 4.0 * a - 4.0 * x * y + b
    written-out-square-less: 2.0 * x * y - a - b
    written-out-square: a / b + 2.0 * x / y * z + c
    # inverse functions near the ends of their domains, and as logarithms
    inverse-gudermannian: log(tan(math.pi / 4 + x))
    inverse-gudermannian-mirrored: log(tan(math.pi / 4 - x))
    arctan-less-eighth-turn: arctan(x) - math.pi / 4
    quarter-turn-less-arccos: math.pi / 2 - arccos(x)
    quarter-turn-less-arcsin: math.pi / 2 - arcsin(x)
    """,
    # what vanishes at zero faster than its terms do
    *(("neg-change-by", -change / y) for change in CHANGES),
    *(("by-neg-change", y / -change) for change in CHANGES),
]
LEFT_ALONE = """
    # differences of values of one function at points that are near each other
    sqrt-step: sqrt(x + y) - sqrt(z)
    one-by-step: 1 / (x + y) - 2 / x
    power-step: (x + y) ** z - x**y
    arctan-step: arctan(x + y) - arctan(z)
    square-less-one: sqr(x) - 2
    # lengths without the overflow of their squares
    # as many squares as there are exponents
    norm: spelled(sqrt(sum(tensor("float64", (1,), "u") ** np.full(3, 2.0))))
    norm: sqrt(sum(v**3))
    product-of-norms: sqrt(sum(sqr(v)) * sum(w))
    cosine: sum(v * w) / (norm(v) * norm(x))
    cosine-of-dot: dot(m, w) / (norm(m) * norm(w))
    log-one-and-scaled-square: log1p(-0.25 * sqr(x))
    root-less: sqrt(sqr(y) + x) - x
    root-more: sqrt(sqr(x) + y) + y
    hypot: sqrt(sqr(x) - sqr(y))
    hypot: sqrt(sqr(cast(i, "int8")) + sqr(cast(j, "int8")))  # they wrap around
    root-of-scaled-square: sqrt(-2.0 * sqr(x))
    hypot: sqrt(sqr(x) + sqr(y) + z)
    hypot: sqrt(sqr(x) - 2.0 * sqr(y))
    hypot: sqrt(sqr(x) + -2.0 * sqr(y))
    hypot-by-constant: sqrt((sqr(x) + sqr(y)) / -3.0)
    hypot-by-constant: sqrt((sqr(x) + y) / 3.0)
    hypot-of-scaled: sqrt(-3.0 * (sqr(x) + sqr(y)))
    by-constant-and-square: y / (1 + sqr(x))
    by-constant-and-square: x / (-1 + sqr(x))
    written-out-square: sqr(x) + 2.0 * x * z + sqr(y)
    written-out-square-less: sqr(x) - 2.0 * x * y - sqr(y)
    written-out-square-less: sqr(x) + 2.0 - 2.0 * x
    written-out-square: sqr(i) + 2 * i * j + sqr(j)  # integers don't cancel
    weighted-squares-less: of_pairs(sum(m, axis=1), 2)
    weighted-squares-less: of_pairs(sum(m, axis=1) + sum(q, axis=0), 2)
    weighted-squares-less: of_pairs(sum(m, axis=1) + sum(m, axis=0), 3)
    # inverse functions near the ends of their domains, and as logarithms
    arctanh-mirrored: log((1 - x) / (1 + y))
    inverse-gudermannian: log(tan(0.78 + x))
    arctan-less-eighth-turn: arctan(x) - 0.78
    arccos-near-one: arccos(1 - switch(x > 0, x, y))  # what a switch gives has been seen to
    # what vanishes at zero faster than its terms do
    x-less-sin: y - sin(x)
    one-by-x-less-one-by-tan: 1 / y - 1 / tan(x)
    cosm1-by-sin: cosm1(x) / sin(y)
"""


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("one-by-step-around", 1 / (x + y) - 1 / (x - y)),
        ("second-difference-of-one-by", 1 / (x + y) + 1 / (x - y) - 2 / x),
    ],
)
def test_where_one_sum_overflows_the_other_may_be_small(name, before):
    (together,) = LAWS[name].forward.transform(None, before.owner)
    for sign in (1, -1):
        values = {x: np.array([1.7e308]), y: np.array([sign * 1.69e308])}
        with np.errstate(over="ignore"):
            old, new = evaluate([before, together], values)
        assert old != 0
        np.testing.assert_allclose(new, old, rtol=0.05)


def test_squares_that_were_written_out_do_not_cancel():
    wholes = [x**2 - 2 * x * y + y**2, x**2 + y**2 - 2 * x * y, x * x + 2 * (x * -y) + y * y]
    ones = [x**2 - 2 * x + 1, 1 - 2 * x + x**2, x**2 + 1 - 2 * x, x * x + 2 * -x + 1]
    near, small = np.array([1e8 + 1, 3.0]), np.array([1 + 2.0**-40])
    for whole in wholes:
        values = function([x, y], [whole, grad(at.sum(whole), x)])(near, np.array([1e8, 3.0]))
        np.testing.assert_array_equal(values, [[1.0, 0.0], [2.0, 0.0]])
    for one in ones:
        values = function([x], [one, grad(at.sum(one), x)])(small)
        np.testing.assert_array_equal(values, [[2.0**-80], [2.0**-39]])


def test_squared_distances_are_exact_near_the_diagonal():
    length = at.dscalar("length")
    z = v / length
    columns = v[:, None] * (1 / length)
    squares = at.sum(at.sqr(columns), axis=1)
    for distances in (
        at.sqr(z)[:, None] + at.sqr(z) - 2 * z[:, None] * z,
        -2 * at.dot(columns, columns.T) + squares[:, None] + squares,
    ):
        kernel = function([v, length], distances)(np.array([1e8, 1e8 + 1, 3e8]), 2.0)
        np.testing.assert_array_equal(kernel[:2, :2], [[0.0, 0.25], [0.25, 0.0]])


def slope_by_rows_and_columns(weights, points, length):
    """The sum of weights times squared distances, and what was written for its slope."""
    z = points / length
    by_points = (at.sum(weights, axis=1) + at.sum(weights, axis=0)) * z * 2.0
    across = 2.0 * at.sum(weights / length * points[:, None], axis=0)
    pairs = at.sum(weights * (-2.0 * points[:, None] * z))
    return at.sum((by_points - across) * points) / at.sqr(length) + pairs / at.sqr(length)


def test_sums_over_pairs_vanish_where_only_the_diagonal_has_weight():
    length = at.dscalar("length")
    compute = function([m, v, length], slope_by_rows_and_columns(m, v, length))
    rng = np.random.default_rng(0)
    points, weights = rng.normal(size=7), rng.normal(size=(7, 7))
    pairs = np.subtract.outer(points, points) ** 2
    for scale in (0.5, 1e-35):
        found = compute(weights, points, scale)
        np.testing.assert_allclose(found, 2 * (weights * pairs).sum() / scale**3, rtol=1e-12)
        assert compute(np.diag(points), points, scale) == 0


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_squares_neither_overflow_nor_vanish(size):
    values = {"x": np.array([3 * size]), "y": np.array([4 * size]), "z": np.zeros(1)}
    for name, before, factor in (
        ("hypot", at.sqrt(a + b), 5.0),
        ("hypot", at.sqrt(a + b + c + a + b), 50**0.5),
        ("hypot-by-constant", at.sqrt((a + b + c) / 3.0), 5 / 3**0.5),
        ("hypot-of-scaled", at.sqrt(3.0 * (a + b)), 75**0.5),
        ("root-of-scaled-square", at.sqrt(2.0 * a), 18**0.5),
    ):
        found = value_of(applied(LAWS[name], before), values)
        assert found.item() == pytest.approx(factor * size, rel=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_lengths_of_any_number_in_any_shape(dtype):
    large = {"float64": 1e200, "float32": 1e25}[dtype]
    shapes = ((), (3,), (2, 3), (2, 1), (1, 3))
    inputs = [at.tensor(dtype, tuple(n if n == 1 else None for n in shape)) for shape in shapes]
    length = at.sqrt(at.add(*[v * v for v in inputs]))
    run = function(inputs, [length, *grad(at.sum(length), inputs)])
    values = [np.full(shape, large, dtype) for shape in shapes]
    found, *slopes = run(*values)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, np.full((2, 3), large * 5**0.5), rtol=1e-6)
    for slope, value in zip(slopes, values, strict=True):
        np.testing.assert_allclose(slope, np.full(value.shape, 6 / value.size / 5**0.5), rtol=1e-6)
    assert all(np.all(v == 0) for v in run(*[np.zeros_like(v) for v in values]))


def test_what_is_rounded_to_the_end_of_the_domain_keeps_its_value():
    """A half precise ``1 - x`` is 2 where x is a little less than -1."""
    half = at.tensor("float16", (None,), "half")
    before = 2 * at.arcsin(at.sqrt((1 - half) / 2))
    after = applied(LAWS["arccos-by-half"], before)
    values = {"half": np.array([-1.0009765625, -1.5, -1.0, 1.0], "float16")}
    np.testing.assert_array_equal(value_of(after, values), value_of(before, values))
    assert not np.isnan(value_of(after, values)[[0, 2, 3]]).any()

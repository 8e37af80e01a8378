"""How two sides are compared: claims of soundness classes, bounds of rounding, evaluation."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.scalar.op import FloatOp
from relgraph.tensor import linalg
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.linalg import inv
from relgraph.testing.judge.claims import (
    _leaves_range,
    backward_error,
    marked_elements,
    size_of_logarithms,
    unclaimed_elements,
)
from relgraph.testing.judge.evaluation import (
    Computed,
    EvaluationError,
    RewritePair,
    Side,
    evaluate_all,
)
from relgraph.testing.judge.graph_comparison import ReferenceGraph
from relgraph.testing.judge.law_comparison import Comparison
from relgraph.testing.judge.rounding import (
    is_rounding_alone,
    overflowed_by_rounding,
    rounding_error_bound,
)

x, y, m = at.dvector("x"), at.dvector("y"), at.dmatrix("m")


def side_of(out, inputs, values):
    """Return an output with the values of all variables."""
    pair = RewritePair(inputs, out, out, inputs)
    return Side(pair.nodes_of(out), pair.run(values), out)


def evaluated(out, **given):
    """Return an output of some of `x`, `y` and `m` with the values of all variables."""
    inputs = [v for v in (x, y, m) if v.name in given]
    return side_of(out, inputs, [np.array(given[v.name]) for v in inputs])


# The elements about which soundness classes make claims.


@pytest.mark.parametrize(
    ("out", "value", "rounding", "finite"),
    [
        (at.exp(x), 1000.0, True, True),  # overflow
        (at.exp(x), -1000.0, True, False),  # underflow
        (at.exp(x), 1.0, False, False),
        (at.exp(x), np.inf, False, True),
        (1 / x, 0.0, False, True),  # a pole is no overflow
        (at.log(x), 0.0, False, True),
        (x * 1e200, 1e200, True, True),
        (x * 1e-200, 1e-200, True, False),
        (x * 1e-200, 0.0, False, False),
        (x - 1, 1.0, False, False),  # what cancels does not underflow
        (at.log(x), 1.0, False, False),
        (x + 1, np.nan, False, True),
        (at.cosm1(x), 0.0, False, False),  # it is 0 there
        (at.cosm1(x), 1e-200, True, False),
        (at.x_less_sin(x), 0.0, False, False),
        (at.sqr_less_sqr(x, 2.0), 2.0, False, False),
        (at.sqr_less_sqr(x, 1e-200), 2e-200, True, False),
    ],
)
def test_where_there_is_no_claim(out, value, rounding, finite):
    side = evaluated(out, x=[value])
    assert unclaimed_elements(side, "rounding").tolist() == [rounding]
    assert unclaimed_elements(side, "finite").tolist() == [finite]


LARGEST = float(np.finfo("float64").max)
TWICE = at.inc_subtensor(x[np.array([0, 0, 1])], y)
UNCLAIMED = {
    "finite, by elements": ("finite", at.exp(x) + y, [1, 1000, 2], [1, 2, np.nan], [0, 1, 1]),
    "rounding, by elements": ("rounding", at.exp(x) + y, [1, 1000, 2], [1, 2, np.nan], [0, 1, 0]),
    "a partial sum": ("rounding", at.sum(x), [1e308, 1e308, -1e308], None, 1),
    "a partial product that vanishes": ("rounding", at.prod(x), [1e-300, 1e-300, 1e300], None, 1),
    "two that vanish": ("rounding", at.prod(x), [1e-200, 1e-200, 1e300], None, 1),
    "one that is too large": ("rounding", at.prod(x), [LARGEST, 2.0, 0.25], None, 1),
    "a product within the range": ("rounding", at.prod(x), [2.0, 3.0], None, 0),
    "the largest first": ("rounding", at.prod(x), [LARGEST, 0.25, 0.5], None, 0),
    "large and small": ("rounding", at.prod(x), [1e200, 1e100, 1e-200], None, 0),
    "a share that vanishes": ("rounding", at.softmax(x), [-800.0, 0, 1], None, [1, 0, 0]),
    "a subnormal share": ("rounding", at.softmax(x), [-740.0, 0, 1], None, [1, 0, 0]),
    "a share that is zero": ("rounding", at.softmax(x), [-np.inf, 0, 1], None, [0, 0, 0]),
    "beside an infinite exponent": ("rounding", at.softmax(x), [-800, np.inf, 1], None, [0, 0, 0]),
    "two increments": ("rounding", TWICE, [1e308, 1, 2], [1e308, -1e308, 1], [1, 0, 0]),
    "finite, two increments": ("finite", TWICE, [1e308, 1, 2], [1e308, -1e308, 1], [1, 0, 0]),
    "a part set": ("rounding", at.set_subtensor(x[:1], y), [1e308, 1.0], [1e308], [0, 0]),
    "a zero times infinity in a dot": ("rounding", at.dot(x, y), [0.0, 1.0], [np.inf, 1.0], 1),
    "nan in a dot": ("rounding", at.dot(x, y), [np.nan, 1.0], [0.0, 1.0], 1),
    "an infinity in a dot": ("rounding", at.dot(x, y), [2.0, 1.0], [np.inf, 1.0], 0),
    "a zero in a dot": ("rounding", at.dot(x, y), [0.0, 1.0], [1.0, 1.0], 0),
}
"""The class, an output, values of `x` and `y`, and of which elements nothing is claimed."""


@pytest.mark.parametrize("name", UNCLAIMED)
def test_of_which_elements_nothing_is_claimed(name):
    sound, out, left, right, unclaimed = UNCLAIMED[name]
    given = {v: np.array(value, float) for v, value in (("x", left), ("y", right)) if value}
    np.testing.assert_array_equal(unclaimed_elements(evaluated(out, **given), sound), unclaimed)


def test_sums_of_three_terms_are_added_in_any_order_where_a_law_is_stable():
    for out, unclaimed in ((at.add(x, y, y), True), (x + (y + y), True), (x + y, False)):
        side = evaluated(out, x=[np.inf], y=[-1e308])
        assert unclaimed_elements(side, "stable").tolist() == [unclaimed]


def test_a_factor_may_underflow_where_two_of_several_have_become_one():
    least = 5e-324
    before = evaluated(at.mul(at.expm1(x), y, at.sigmoid(-x)), x=[least], y=[np.inf])
    side = evaluated(at.tanh(x / 2) * y, x=[least, 1.0, 0.0], y=[np.inf] * 3)
    assert np.isnan(side.value).tolist() == [True, False, True]
    of_several = unclaimed_elements(side, "stable", before.nodes)
    assert of_several.tolist() == [True, False, False]  # 0 has not underflowed
    two = evaluated(at.expm1(x) * y, x=[least], y=[np.inf])
    assert not unclaimed_elements(side, "stable", two.nodes).any()


def test_a_share_may_underflow_beside_an_infinite_factor_where_the_sides_differ():
    factors = at.mul(y, y, at.exp(y))
    before = evaluated(
        at.exp(x) * factors / at.sum(at.exp(x)), x=[-700.0, 700.0], y=[np.inf, np.inf]
    )
    side = evaluated(at.softmax(x) * factors, x=[-700.0, 700.0], y=[np.inf, np.inf])
    assert np.isnan(side.value).tolist() == [True, False]
    assert unclaimed_elements(side, "stable", before.nodes).tolist() == [True, False]


def test_which_elements_come_from_a_nan():
    side = evaluated(at.exp(x) + y, x=[np.nan, 1.0], y=[1.0, 2.0])
    assert marked_elements(side, np.isnan).tolist() == [True, False]
    side = evaluated(at.sum(x), x=[np.nan, 1.0])
    assert marked_elements(side, np.isnan).all()


@pytest.mark.parametrize(("factor", "unclaimed"), [(0.0, True), (1e-17, True), (1e-3, False)])
@pytest.mark.parametrize(
    "made",
    [
        at.dot(x, linalg.inv(m)),
        at.dot(linalg.inv(m), x),
        at.dot(linalg.solve(m, np.eye(2)), x),
    ],
)
def test_what_rounding_makes_of_a_zero_beside_an_infinity_is_no_claim(made, factor, unclaimed):
    matrix = [[1.0, -factor], [-factor, 1.0]]
    side = evaluated(made, m=matrix, x=[np.inf, 1.0])
    assert unclaimed_elements(side, "stable").tolist() == [False, unclaimed]


# Bounds on the rounding of a graph.

EPS = float(np.finfo("float64").eps)


BOUNDS = {
    "the largest intermediate value": (8e9, (x + y) - x, (1e10, 1.0), 2e10),
    "an intermediate value": (3, (x + y) - x, (1.0, 2.0), 10),
    "the terms of a sum": (10, at.sum(x), ([5.0, -5.0],), 10),
    "a sum": (2, x + 1, (1.0,), 2),
    "not what is compared": (4, at.switch(1e154 - x > 0, x + 1, -x), (3.0,), 4),
    "not what is given": (1, at.tanh(-x), (1e300,), 1),
    "what is given and added": (1e300, x + y + at.exp(x), (1.0, -1e300), 1e301),
    # one unit in the last place of 1e300 would excuse any angle
    "not what an arctan makes small": (0, at.arctan(x + y) - at.arctan(x), (1.0, 1e300), 8),
    "not what a sigmoid makes small": (0, at.sigmoid(x - y), (1.0, 31.0), 1e-11),
    "what an exp makes large": (300e300, at.exp(at.log(x)), (1e300,), 3000e300),
    "partial sums": (1e16, at.sum(x) * 1e6, ([1e10, 1.0, -1e10],), np.inf),
    "partial sums of three": (1e19, at.add(x, y, 3.0), (1e19, -1e19), np.inf),
    "partial products": (20 * 3.0**20, at.prod(x), ([3.0] * 20,), np.inf),
    "not underflow": (0, x * y / y, (1e-200, 1e-200), 1e-200 / EPS),
}
"""The least and the greatest bound, in units of the last place of 1, on a graph of two numbers."""

UNDERFLOWING = {
    "a factor": (1e-200, x * y / y, (1e-200, 1e-200), np.inf),
    "the first of three factors": (1e-30, at.mul(x, y, 1e300), (1e-300, 1e-30), np.inf),
    "one of three factors": (1e-300, at.mul(x / y, 0.25, y), (1e-300, 1e300), np.inf),
    "not factors of any order": (0, at.mul(x, y, 1e300), (1e-300, 1.0), 1e-14),
    "a sigmoid beside an infinite exp": (4e-309, at.sigmoid(x), (-710.0,), 3e-308),
    "not a right zero": (0, 1 / at.sinh(x), (-0.0,), 1e-300),
}
"""The least and the greatest bound where underflow counts."""


def bound_on(out, values, underflow):
    given = {v.name: np.atleast_1d(value) for v, value in zip((x, y), values, strict=False)}
    return np.ravel(rounding_error_bound(evaluated(out, **given), underflow, 1.0))


@pytest.mark.parametrize("name", BOUNDS)
def test_what_counts_for_a_bound(name):
    least, out, values, most = BOUNDS[name]
    assert least * EPS <= bound_on(out, values, False) <= most * EPS


@pytest.mark.parametrize("name", UNDERFLOWING)
def test_what_counts_where_underflow_does(name):
    least, out, values, most = UNDERFLOWING[name]
    assert least <= bound_on(out, values, True) <= most


def test_a_new_side_is_not_excused_by_leaving_a_domain_or_by_the_other_branch():
    for made in (at.arccos(x * y), at.switch(x * y < 1, 0.0, 9.0)):
        side = evaluated(made, x=[1.0], y=[1.0])
        assert rounding_error_bound(side, True, 1.0) > 5
        assert rounding_error_bound(side, True, 1.0, strict=True) < 1e-7


def test_a_determinant_is_rounded_as_the_exponential_of_its_logarithm():
    found = size_of_logarithms(np.array([[np.e**20, 0.0], [0.0, np.e**-20]]))
    np.testing.assert_allclose(found, 40.0)


def test_one_of_several_outputs_is_compared_with_itself():
    _sign, size = at.linalg.slogdet(m * 3)
    side = evaluated(size, m=[[1e9, 0.0], [0.0, 1e9]])
    assert rounding_error_bound(side, False, 1.0) < 1e-10


def test_what_may_be_a_pole_has_no_bound_but_is_no_excuse_for_a_new_side():
    noise = at.add(x, y, 3.0)
    for made in (1 / noise, at.reciprocal(noise), noise**-2.0):
        side = evaluated(made, x=[1e19], y=[-1e19])
        assert rounding_error_bound(side, False, 1.0) == np.inf
        assert rounding_error_bound(side, False, 1.0, strict=True) < np.inf
    side = evaluated(noise**2.0, x=[1e19], y=[-1e19])
    assert rounding_error_bound(side, False, 1.0) < np.inf


def test_zero_times_a_magnitude_that_overflows_is_zero():
    x, rows, y = at.zmatrix("x"), at.zmatrix("rows"), at.zvector("y")
    product = at.dot(at.dot(x, rows), y)
    # their product is finite, and that of their absolute values is not
    factor, most = complex(1, 1e-3), float(np.finfo("float64").max)
    given = [np.array([[factor]]), np.array([[most, 1]], complex)]
    of_zero, of_some = (
        side_of(product, [x, rows, y], [*given, np.array([first, 1j])]) for first in (0, 0.25j)
    )
    (error,) = rounding_error_bound(of_zero, True, EPS)
    assert EPS / 2 < error < 10 * EPS
    assert rounding_error_bound(of_some, True, EPS) == np.inf


def test_a_matrix_that_is_singular_but_for_rounding():
    def lost(matrix: list[list[float]]) -> bool:
        return is_rounding_alone(evaluated(inv(m), m=matrix))

    assert lost([[1.0, 1.0], [1.0, 1.0 + EPS]])
    assert not lost([[1.0, 1.0], [1.0, 1.0 + 1e-9]])
    assert not lost([[2.0, 0.0], [0.0, 1e-9]])
    assert not lost([[1e308, 0.0], [0.0, 1.7e308]]), "near the end of the range nothing warns"


# How far the rounding inside an op on matrices can move its result.


def error_of(matrix):
    a = at.dmatrix()
    return backward_error(linalg.inv(a).owner, [matrix], 0, EPS)


def test_it_grows_with_the_condition():
    mild, bad = np.diag([1.0, 2.0]), np.diag([1.0, 1e-8])
    assert EPS / 10 < error_of(mild) < 100 * EPS
    assert error_of(bad) > 1e6 * error_of(mild)


def test_it_covers_what_lapack_makes():
    for n in range(2, 8):
        hilbert = 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
        true = np.linalg.inv(hilbert.astype("float64"))
        single = np.linalg.inv(hilbert.astype("float32"))
        a = at.fmatrix()
        node = linalg.inv(a).owner
        error = backward_error(node, [hilbert.astype("float32")], 0, 2.0**-23)
        assert np.abs(single - true).max() <= 16 * error


def test_integers_are_moved_too():
    assert error_of(np.array([[3, 1], [1, 2]])) > 0


X = at.TensorType("float32", (None,))("x")


def test_inputs_are_not_overwritten():
    out = at.set_subtensor(X[:1], 5.0, inplace=True)
    value = np.zeros(2, "float32")
    found = evaluate_all([X], [out], [value])
    assert found[out].tolist() == [5.0, 0.0]
    assert value.tolist() == [0.0, 0.0]


Y = at.TensorType("float32", (None,))("y")


def compare(old, new, sound, *values):
    inputs = [X, Y][: len(values)]
    reference = ReferenceGraph(inputs, [old], [np.array(v, "float32") for v in values])
    return reference.compare(inputs, [new], sound)


@pytest.mark.parametrize(
    ("old", "new", "sound", "values"),
    [
        (X + Y - Y, X, "finite", ([1e-6, 3.0], [1.0, 1e7])),
        (X * Y / Y, X, "finite", ([1.0, 3.0], [0.0, 1e30])),
        (X * 0, at.zeros_like(X), "finite", ([1.0, np.inf, np.nan],)),
        ((X + Y) + 1, X + (Y + 1), "rounding", ([1e8, np.inf], [-1e8, 1.0])),
        (at.log(1 + X), at.log1p(X), "stable", ([1e-9, 2.0, np.inf],)),
        (at.log1p(X), at.log(1 + X), "rounding", ([1e-5, 2.0],)),
        (X + 0, X, "rounding", ([-0.0],)),
        (at.neg(at.neg(X)), X, "exact", ([-0.0, np.nan, np.inf],)),
        (X / Y / 1e30, X / (Y * 1e30), "finite", ([1e30], [1e30])),  # Y * 1e30 overflows
        (at.eq(X, X + Y), at.eq(X - X, Y), "rounding", ([1.0], [1e-9])),
        (at.exp(X), -X, "domain", ([1.0],)),
        (at.eq(X, at.log(at.exp(X))), at.eq(X, X), "stable", ([0.5, 1.0, 1.25],)),
    ],
)
def test_graphs_that_agree(old, new, sound, values):
    assert compare(old, new, sound, *values) is None


@pytest.mark.parametrize(
    ("old", "new", "sound", "values"),
    [
        (X + 0, X, "exact", ([-0.0],)),
        (X * 0, at.zeros_like(X), "rounding", ([np.inf],)),
        (X, X + 1e-4, "finite", ([1.0],)),
        (X / Y, Y / X, "finite", ([1.0], [2.0])),
        (X, X * (Y / Y), "rounding", ([1.0], [0.0])),  # nan where there was a number
        (at.log1p(X), at.log(1 + X), "stable", ([1e-5],)),
        (at.gt(X, Y), at.le(X, Y), "finite", ([1.0, 2.0], [0.0, 2.0])),
        (at.sum(X), at.sum(at.abs(X)), "finite", ([1.0, -1e-3],)),
        (at.isnan(X), at.isinf(X), "rounding", ([np.nan],)),
    ],
)
def test_graphs_that_differ(old, new, sound, values):
    found = compare(old, new, sound, *values)
    assert found is not None
    assert found.output == 0
    assert "differs" in found.reason


class Rounded(FloatOp):
    """The same number, but for an error in the last place that depends on the layout in memory."""

    name, ufunc = "rounded", None

    def output_dtype(self, *input_dtypes):
        return input_dtypes[0]

    def impl(self, x):
        return x if x.flags.c_contiguous else x * x.dtype.type(1 + np.finfo("float32").eps)


def test_exact_is_meant_for_every_layout():
    rounded = Elemwise(Rounded())
    spaced = np.arange(1, 9, dtype="float32")[::2]
    old, new = rounded(at.neg(at.neg(X))), rounded(X)
    reference = ReferenceGraph([X], [old], [spaced])
    assert reference.compare([X], [new], "exact") is not None
    assert reference.compare([X], [new], "rounding") is None


@pytest.mark.parametrize("sound", ["exact", "domain"])
def test_dtypes_and_shapes_always_agree(sound):
    assert "it is a" in compare(X, at.cast(X, "float64"), sound, [1.0]).reason
    assert "shape" in compare(X, X[:1], sound, [1.0, 2.0]).reason


def test_values_that_are_accepted():
    reference = ReferenceGraph([X], [X / 3, X], [np.array([1.0], "float32")])
    third, one = np.array([1 / 3], "float32"), np.array([1.0], "float32")
    assert reference.accepts([third, one])
    assert reference.accepts([np.nextafter(third, one), one])
    assert not reference.accepts([third * np.float32(1.001), one])
    assert not reference.accepts([third, one.astype("float64")])


def test_a_graph_that_raises():
    wrong = at.specify_shape(X, (3,))
    found = compare(X, wrong, "finite", [1.0])
    assert found.output is None
    assert "raises ValueError" in found.reason


def is_free(out, *values, sound="finite"):
    """Return whether a graph's values may be others, wherever they are not the same in bits."""
    inputs = [X, Y][: len(values)]
    given = [np.array(v, "float32") for v in values]
    value = evaluate_all(inputs, [out], given)[out]
    other = ~value if value.dtype.kind == "b" else np.where(value == 7, 8, value.dtype.type(7))
    reference = ReferenceGraph([*inputs, out.clone()], [out], [*given, other])
    return reference.compare(reference.inputs, [reference.inputs[-1]], sound) is None


@pytest.mark.parametrize(
    ("out", "value"),
    [
        (at.switch(at.gt(at.exp(X), 1), X, 1.0), 100.0),  # exp overflows
        (at.switch(at.isinf(1 / X), 1.0, 0.0), 0.0),  # 1/0
        (at.sum(1 / X, axis=0), 0.0),
        (at.second(X, 1.0) * at.log(X), -1.0),  # nan
        (at.switch(X * 0, 0.0, X), -np.inf),
        (at.neq((X / X + X) * X, 0), 0.0),
    ],
)
def test_what_depends_on_what_is_not_finite_is_free(out, value):
    assert is_free(out, [value])
    assert not is_free(out, [0.75])


def test_what_depends_on_what_leaves_the_range_is_free():
    assert is_free(at.eq(at.exp(X), 0), [-200.0], sound="rounding")
    assert not is_free(at.eq(at.exp(X), 0), [2.0], sound="rounding")


def test_two_comparisons_of_what_is_equal_but_for_rounding_are_free():
    near = X / np.float32(1.43e-7) * np.float32(1.43e-7)
    assert is_free(at.and_(at.le(X, near), at.ge(X, near)), np.linspace(0.1, 1, 50))


def test_what_compares_two_that_are_not_finite_is_free():
    assert is_free(at.lt(at.softplus(-X) + X, Y), [-np.inf], [np.inf])


def test_infinities_count_for_what_rounds():
    assert not is_free(at.switch(at.isinf(X), 1.0, 0.0), [np.inf], sound="rounding")


def test_the_sign_of_zero_is_free():
    assert is_free(1 / (X - X), [1.0], sound="rounding")


@pytest.mark.parametrize("compare", [at.eq, at.neq, at.lt, at.le, at.gt, at.ge])
def test_comparisons_of_what_is_equal_but_for_rounding_are_free(compare):
    values = np.linspace(0.5, 1.5, 40)
    assert is_free(compare(X, at.log(at.exp(X))), values)
    for v in values:
        assert not is_free(compare(X, X + 0.125), [v])
    for v in (*values, np.inf, np.nan):
        assert not is_free(compare(X, at.neg(-X)), [v], sound="rounding")


def test_what_is_taken_from_a_place_that_rounding_may_move_is_free():
    first = at.cast(at.neq(at.sum(X), 1.5), "int64")  # an index that is out of bounds if it moves
    assert is_free(Y[first], [0.5, 1.0], [2.0])


def test_integers_are_as_usual():
    i = at.TensorType("int8", (None,))("i")
    reference = ReferenceGraph([i], [i + i], [np.array([100, -100], "int8")])
    assert reference.compare([i], [2 * i], "rounding") is None
    assert reference.compare([i], [i + i + 1], "finite") is not None


# Infinities that only rounding makes, at the end of the range of half precision.


@pytest.mark.parametrize(
    ("formula", "values", "expected"),
    [
        (lambda x, y: at.sum(x * y), ([0.8181, 0.1826], -65504.0), True),
        (lambda x, y: at.sum(x * y) / 2 - 1, ([0.8181, 0.1826], -65504.0), True),
        (lambda x, y: at.sum(x * y), ([0.8181, 0.2], -65504.0), False),  # beyond the range
        (lambda x, y: at.sum(x * y), ([0.8181, np.inf], -65504.0), False),  # it was infinite
        (lambda x, y: at.sum(x * y), ([0.8181, 0.1], -65504.0), False),  # it is finite
        (lambda x, y: at.sum(at.exp(x) * y), ([12.0, 1.0], 1.0), False),
        (lambda x, y: at.max(x + y), ([32.0, 1.0], 65504.0), True),
        (lambda x, y: at.max(y / x), ([0.9995, 1.0], 65504.0), True),
        (lambda x, y: at.max(y / x), ([0.0, 1.0], 65504.0), False),
    ],
)
def test_what_only_rounding_takes_beyond_the_range(formula, values, expected):
    x, y = at.vector("x", dtype="float16"), at.scalar("y", dtype="float16")
    side = side_of(formula(x, y), [x, y], [np.array(v, "float16") for v in values])
    assert overflowed_by_rounding(side).any() == expected


def test_a_mean_of_numbers_at_the_end_of_the_range():
    """Where the weights of a softmax round upward, the mean of the largest numbers is infinite."""
    m, y = at.matrix("m", dtype="float16"), at.scalar("y", dtype="float16")
    divisor = np.float16(-2.092)
    weights, shares = at.exp(m), at.softmax(m, axis=1)
    old = at.sum(weights * y, axis=1) / (divisor * at.sum(weights, axis=1))
    new = at.sum(shares * y, axis=1) / at.sum(shares, axis=1) / divisor
    values = [np.array([[-0.5, -2.0], [0.0, 0.0]], "float16"), np.array(-65504.0, "float16")]
    pair = RewritePair([m, y], old, new, [m, y])
    found = pair.run(values)
    assert np.isinf(found[new]).any() and np.isfinite(found[old]).any()
    assert Comparison(pair, found).difference("stable") is None
    # a product that truly lies beyond the range is no rounding
    wrong = at.sum(shares * (y * np.float16(1.02)), axis=1) / divisor
    worse = RewritePair([m, y], old, wrong, [m, y])
    assert Comparison(worse, worse.run(values)).difference("stable") is not None


# Two graphs that are evaluated together.


def test_an_error_names_the_graph_that_raised_it():
    old, new = x + y, x[5]
    pair = RewritePair([x, y], old, at.stack([new, new]), [x, y])
    with pytest.raises(EvaluationError) as found:
        pair.run([np.ones(2), np.ones(2)])
    assert found.value.in_new
    with pytest.raises(EvaluationError) as found:
        pair.run([np.ones(2), np.ones(3)])
    assert not found.value.in_new


def test_what_the_new_side_reads_behind_a_leaf_is_a_part_of_both():
    """``(x + 1) - 1 → x``: the law has looked behind ``x + 1``, and its rounding counts."""
    inner = x + 1
    for new in (x, at.neg(x)):
        pair = RewritePair([x], inner - 1, new, [inner])
        assert pair.pattern_leaves == [] and len(pair.nodes_of(pair.old)) == 2
    kept = RewritePair([x], inner - 1, inner + 0, [inner])
    assert kept.pattern_leaves == [inner] and len(kept.nodes_of(kept.old)) == 1


def test_an_overflow_of_the_real_part_is_seen_beside_an_infinite_imaginary_part() -> None:
    x, y = at.zvector("x"), at.zvector("y")
    node = at.inc_subtensor(x[:1], y).owner
    inputs = [np.array([complex(1.7e308, -np.inf)]), np.array([complex(1.7e308, 0.0)])]
    with np.errstate(all="ignore"):
        total = Computed(node, node.outputs[0], inputs, inputs[0] + inputs[1])
        assert _leaves_range(total).all()
        small = Computed(node, node.outputs[0], [inputs[0], inputs[1] / 1e9], inputs[0])
        assert not _leaves_range(small).any()


def test_the_bound_of_a_sum_of_many_terms_is_that_of_its_terms():
    terms = [at.exp(x + i / 8) for i in range(24)]
    of_terms = sum(bound_on(term, (0.5,), False) for term in terms)
    assert of_terms <= bound_on(at.add(*terms), (0.5,), False) <= 3 * of_terms

"""Sums, products and extremes along axes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.special
from mpmath import mp

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph import function, scalar
from relgraph.compile import Mode
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.softmaxes import LogSumExp, Softmax
from tests.seeds import seed_of


def test_a_mean_of_nothing(against_numpy):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nan = np.full(3, np.nan)
        against_numpy(lambda v: at.mean(v, axis=0), lambda v: nan, np.zeros((0, 3)))


@pytest.mark.parametrize("op", [scalar.neq, scalar.lt, scalar.sub, scalar.hypot])
def test_an_op_whose_order_matters_reduces_nothing(op):
    with pytest.raises(TypeError, match=f"CAReduce: {op} is no FoldOp"):
        CAReduce(op, 0)


def test_all_axes_are_spelt_none():
    x = at.dmatrix()
    op = at.sum(x, axis=(0, 1)).owner.op
    assert op is CAReduce(scalar.add, None) is at.sum(x).owner.op
    assert CAReduce(scalar.add, (1, 0))(x).owner.op is op
    assert CAReduce(scalar.add, (-1,))(x).owner.op is CAReduce(scalar.add, (1,))
    assert at.sum(x, axis=-1).owner.op.axis == (1,)
    assert str(op) == "sum"
    assert str(at.max(x, axis=1).owner.op) == "max{axis=(1,)}"


def test_types_are_remembered():
    x = at.dmatrix()
    assert at.sum(x, axis=0).type is at.sum(at.dmatrix(), axis=0).type


def test_keepdims_broadcasts():
    x = at.dmatrix("x")
    assert at.max(x, axis=1, keepdims=True).type.shape == (None, 1)
    a = np.random.default_rng(0).normal(size=(3, 4))
    (found,) = evaluate([x - at.max(x, axis=1, keepdims=True)], {x: a})
    np.testing.assert_array_equal(found, a - a.max(axis=1, keepdims=True))


@pytest.mark.parametrize("zeros", [[], [1], [0, 2], [0, 1, 2]])
def test_gradients_of_a_product_with_zeros(zeros):
    x = np.array([2.0, 3.0, -4.0, 0.5])
    x[zeros] = 0
    verify_grad(lambda m: at.prod(m, axis=1), [np.stack([x, [1.0, 2.0, 3.0, 4.0]])])
    verify_grad(lambda v: grad(at.prod(v), v, stabilize=False), [x])


def test_ties_share_the_gradient():
    v = at.dvector()
    (found,) = evaluate([grad(at.max(v), v)], {v: np.array([1.0, 5.0, 5.0, 2.0])})
    np.testing.assert_array_equal(found, [0, 0.5, 0.5, 0])
    (found,) = evaluate([grad(at.min(v), v)], {v: np.array([1.0, np.inf])})
    np.testing.assert_array_equal(found, [1, 0])


def test_the_gradient_of_a_position_is_zero():
    v = at.dvector()
    g = grad(at.sum(v * at.argmax(v)), v)
    (found,) = evaluate([g], {v: np.array([1.0, 5.0, 2.0])})
    np.testing.assert_array_equal(found, [1, 1, 1])


def test_a_complex_product_has_a_conjugate_gradient():
    v = at.zvector()
    x = np.array([1 + 2j, 3 - 1j])
    (found,) = evaluate([grad(at.real(at.prod(v)), v)], {v: x})
    np.testing.assert_allclose(found, np.conj([x[1], x[0]]))


def test_terms():
    x, axis = lvars("x axis")
    for term in (
        at.sum(x),
        at.max(x, axis=1),
        at.prod(x, axis=axis),
        at.sum(at.dmatrix(), axis=axis),
    ):
        assert not hasattr(term, "owner")
    for term in (at.sum(x, keepdims=True), at.sum(x, dtype="float32"), at.mean(x)):
        with pytest.raises(TypeError, match="depends on the rank of x"):
            law("of-a-rank", term, at.prod(x))


# NumPy refuses an axis for the mean of a number.
REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_tensor_without_axes_is_reduced_over_its_first_or_last(name):
    s = at.dscalar("s")
    for axis in (0, -1, None):
        (found,) = evaluate([getattr(at, name)(s, axis=axis)], {s: 2.5})
        assert found == getattr(np, name)(2.5, axis=axis)
    (found,) = evaluate([getattr(at, name)(s, axis=0, keepdims=True)], {s: 2.5})
    assert found.shape == ()
    for axis in (1, -2):
        with pytest.raises(ValueError, match=f"axis {axis} of an array with 0 dimensions"):
            getattr(at, name)(s, axis=axis)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_mean_of_complex_numbers_has_the_bits_of_numpy(axis):
    """NumPy divides by an integer, which is exact but for the last rounding."""
    rng = np.random.default_rng(seed_of("complex means"))
    x = at.TensorType("complex64", (None, None))("x")
    f = function([x], at.mean(x, axis=axis), mode="strict")
    for _ in range(100):
        shape = rng.integers(1, 9, 2)
        value = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("complex64")
        assert f(value).tobytes() == np.asarray(value.mean(axis=axis)).tobytes()


# Axes as integers, tuples, lists and what else NumPy takes; what is no axis is named.

X = np.array([[[3.0, 1, 2], [0, 5, 4]], [[7, 7, 1], [9, 0, 9]]])
ARG = ["argmax", "argmin", "nanargmax", "nanargmin"]
ALONG_ONE = ["cumsum", "cumprod", "nancumsum", "sort", "argsort", "diff", "trapezoid"]
SHARES = {"softmax": scipy.special.softmax, "logsumexp": scipy.special.logsumexp}
AXES_REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "ptp", "nansum"]


@pytest.mark.parametrize("name", ARG)
@pytest.mark.parametrize("axis", [[0, 1], (0, 1), [2, 0], [-1, 1], [0, 1, 2], [1], (2,), None])
def test_positions_along_several_axes(name, axis):
    given = (0, 1, 2) if axis is None else tuple(sorted(a % 3 for a in axis))
    kept = [i for i in range(3) if i not in given]
    flat = X.transpose(*kept, *given).reshape(*[X.shape[i] for i in kept], -1)
    wanted = getattr(np, name)(flat, axis=-1)
    x = at.dtensor3()
    outs = [getattr(at, name)(x, axis=axis, keepdims=keep) for keep in (False, True)]
    found, keeping = function([x], outs)(X)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(keeping, np.expand_dims(wanted, given))


def reference(name):
    return SHARES.get(name) or getattr(np, name)


@pytest.mark.parametrize("name", [*ARG, *ALONG_ONE, *AXES_REDUCTIONS, *SHARES])
@pytest.mark.parametrize(
    ("axis", "number"), [(-1, -1), (np.int64(1), 1), (np.array(1), 1), (at.constant(1), 1)], ids=str
)
def test_integers_of_any_kind(name, axis, number):
    found = getattr(at, name)(at.constant(X), axis=axis).eval()
    np.testing.assert_allclose(found, reference(name)(X, axis=number))


NO_AXES = {
    TypeError: [1.0, "0", True, np.True_, [1.0], ((0,),), np.array(1.0), at.lscalar("n")],
    ValueError: [3, -4, [0, 0], [3]],
}


@pytest.mark.parametrize("name", [*ARG, *ALONG_ONE, *AXES_REDUCTIONS, *SHARES])
@pytest.mark.parametrize(
    ("error", "axis"), [(e, axis) for e, axes in NO_AXES.items() for axis in axes], ids=str
)
def test_what_is_no_axis(name, error, axis):
    several = name in ALONG_ONE and isinstance(axis, list)
    of = "max" if name == "ptp" else name.removeprefix("nan")
    with pytest.raises(TypeError if several else error, match=f"{of}.*axis"):
        getattr(at, name)(at.dtensor3(), axis=axis)


@pytest.mark.parametrize("name", ALONG_ONE)
@pytest.mark.parametrize("axis", [[0, 1], (0,), []])
def test_one_axis_is_wanted(name, axis):
    with pytest.raises(TypeError, match=r"axis is .*, not an integer"):
        getattr(at, name)(at.dtensor3(), axis=axis)


def test_no_axis_at_all():
    with pytest.raises(ValueError, match="argmax: there is no axis"):
        at.argmax(at.dmatrix(), axis=[])
    np.testing.assert_array_equal(at.sum(at.constant(X), axis=[]).eval(), X)


def test_rolls_along_several_axes():
    for shift, axis in ((1, (0, 2)), ((1, 2), (0, 2)), ((1, 2), [1]), (2, [1]), ([2], [0, 1])):
        found = at.roll(at.constant(X), shift, axis).eval()
        np.testing.assert_array_equal(found, np.roll(X, shift, axis))


@pytest.mark.parametrize("axis", [1, np.int64(1), (1,), [0, 1]])
def test_norms(axis):
    found = at.linalg.norm(at.constant(X[0]), axis=axis).eval()
    wanted = np.linalg.norm(X[0], axis=tuple(axis) if isinstance(axis, list) else axis)
    np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize(("axis", "axes"), [([0, -1], (0, -1)), (np.array([0]), (0,))])
def test_axes_of_shares(name, axis, axes):
    wanted = SHARES[name](X, axis=axes)
    np.testing.assert_allclose(getattr(at, name)(at.constant(X), axis=axis).eval(), wanted)


def test_no_axis_where_one_is_wanted():
    x = at.dtensor3()
    for call in (
        lambda: at.diff(x, axis=None),
        lambda: at.trapezoid(x, axis=None),
        lambda: at.roll(x, 1, (0, None)),
        lambda: at.roll(x, 1, ([0], 1)),
    ):
        with pytest.raises(TypeError, match=r"axis is .*, not an integer"):
            call()


def test_slopes_along_an_axis_twice():
    found = at.gradient(at.constant(X), axis=[0, 1])
    for one, wanted in zip(found, np.gradient(X, axis=(0, 1)), strict=True):
        np.testing.assert_allclose(one.eval(), wanted)


# The Euclidean norm of numbers at the ends of a dtype.

PLAIN = Mode("py", None)


def norm(value, axis=None):
    value = np.asarray(value)
    x = at.tensor(value.dtype, (None,) * value.ndim)
    return function([x], Norm(axis)(x), mode=PLAIN)(value)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nothing_over_or_underflows(dtype):
    limits = np.finfo(dtype)
    for scale in (limits.max / 16, limits.tiny * 16, limits.smallest_subnormal, 1):
        rows = np.array([[3, 4, 0], [8, 0, 6]], dtype) * np.asarray(scale, dtype)
        found = norm(rows, (1,))
        assert found.dtype == dtype
        assert found.tolist() == (np.array([5, 10], dtype) * np.asarray(scale, dtype)).tolist()


def test_rows_of_other_sizes_do_not_matter():
    found = norm([[3e200, 4e200], [3e-200, 4e-200], [3.0, 4.0]], (1,))
    np.testing.assert_allclose(found, [5e200, 5e-200, 5.0], rtol=1e-15)


def test_edges():
    assert norm([np.inf, 1.0]) == np.inf
    assert np.isnan(norm([np.inf, np.nan]))
    assert np.isnan(norm([np.nan, 0.0]))
    assert norm([0.0, -0.0]) == 0
    assert norm(np.zeros((0,))) == 0
    assert norm(np.zeros((0, 2)), (0,)).tolist() == [0, 0]
    assert norm(-3.0) == 3


def test_other_kinds_of_numbers_are_refused():
    with pytest.raises(TypeError, match=r"norm: input 0 is .*not of real"):
        Norm(None)(at.lvector())


def test_slope_where_squares_overflow_and_at_the_origin():
    x = at.dmatrix("x")
    slope = function([x], grad(at.sum(Norm((1,))(x)), x), mode=PLAIN)
    found = slope(np.array([[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6, 0.8], [0.0, 0.0]], rtol=1e-15)


# Cosines and covariances at the edges.


def run(op, x, y):
    x, y = np.asarray(x), np.asarray(y)
    inputs = [at.tensor(v.dtype, (None,) * v.ndim) for v in (x, y)]
    return function(inputs, op(*inputs), mode=PLAIN)(x, y)


@pytest.mark.parametrize("op", [Cosine, Covariance])
def test_wrong_inputs(op):
    with pytest.raises(TypeError, match=rf"{op.name}: the inputs, .* are not of one type"):
        op(None)(at.dvector(), at.fvector())
    with pytest.raises(TypeError, match=rf"{op.name}: .*not of real"):
        op(None)(at.lvector(), at.lvector())
    with pytest.raises(TypeError, match=rf"{op.name} takes 2 inputs, not 1"):
        op(None)(at.dvector())
    with pytest.raises(ValueError, match=rf"{op.name}: the inputs have the shapes"):
        run(op(None), np.ones(1), np.ones(3))


def test_cosines_at_the_ends():
    x, y = np.array([1e200, 2e200]), np.array([1e-200, 3e-200])
    assert run(Cosine(None), x, y) == pytest.approx(7 / np.sqrt(50), rel=1e-15)
    v, w = at.dvectors("v", "w")
    slope = function([v, w], grad(Cosine(None)(v, w), w), mode=PLAIN)(x, y)
    np.testing.assert_allclose(slope, [3 * np.sqrt(2) * 1e198, -np.sqrt(2) * 1e198], rtol=1e-13)
    for empty in (np.zeros(0), np.zeros(2)):
        assert np.isnan(run(Cosine(None), empty, empty))


def test_covariances_at_the_ends():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([0.3, 0.1, 0.9])
    assert run(Covariance(None), x + 1e8, y) == pytest.approx(np.cov(x, y, ddof=0)[0, 1], rel=1e-12)
    # what the moments are where deviations are infinite
    huge = np.array([0.0, 1e308, -1e308])
    assert run(Covariance(None), huge, np.array([1e200, 0.0, 0.0])) == 0
    assert run(Covariance(None), np.array([np.inf, 0.0]), np.array([2.0, -3.0])) == np.inf
    assert np.isnan(run(Covariance(None), np.zeros(0), np.zeros(0)))


def test_a_reduction_without_a_known_gradient_says_so():
    x = at.dvector("x")
    with pytest.raises(MethodNotDefined, match="reduce_logaddexp has no gradient"):
        grad(CAReduce(scalar.logaddexp)(x), x)


# Softmax and its relatives.


def test_second_derivative():
    x = np.random.default_rng(2).normal(size=4)
    verify_grad(lambda v: grad(at.sum(at.softmax(v) ** 2), v), [x])
    verify_grad(lambda v: grad(at.sum(at.log_softmax(v) ** 2), v), [x])


def test_extremes():
    v = at.dvector()
    low = np.array([-np.inf, 0.0, -np.inf])
    found = evaluate([at.softmax(v), at.log_softmax(v), at.logsumexp(v)], {v: low})
    np.testing.assert_array_equal(found[0], [0, 1, 0])
    np.testing.assert_array_equal(found[1], [-np.inf, 0, -np.inf])
    assert found[2] == 0
    (found_inf,) = evaluate([at.logsumexp(v)], {v: np.array([np.inf, 1.0])})
    assert found_inf == np.inf
    assert evaluate([at.softmax(v)], {v: np.ones(0)})[0].shape == (0,)


def test_logsumexp_is_one_op():
    m = at.dmatrix("m")
    assert at.logsumexp(m, axis=-1).owner.op is LogSumExp(1)
    assert at.logsumexp(m).owner.op is LogSumExp(None)
    assert at.logsumexp(m, axis=0, keepdims=True).type.shape == (1, None)
    assert at.logsumexp(at.fmatrix()).type.dtype == "float32"
    assert str(at.logsumexp(m, axis=0).owner.op) == "logsumexp{axis=0}"


def test_types():
    assert at.softmax(at.lvector()).type.dtype == "float64"
    assert at.softmax(at.dmatrix()).owner.op is at.softmax(at.dmatrix(), -1).owner.op is Softmax(1)
    assert at.softmax(at.dvector()).owner.op is Softmax(None)


@pytest.mark.parametrize(
    ("index", "axis"),
    [((0,), 0), ((slice(None), 2), 1), ((slice(None), -1), -1), ((1, 2), None)],
)
def test_the_slope_of_one_share_has_all_digits(index, axis):
    x = at.dmatrix("x")
    point = np.array([[40.0, 0.0, 1.0], [0.5, 80.0, 100.0]])
    weights = np.arange(1.0, 1.0 + point[index].size).reshape(point[index].shape)
    (found,) = evaluate([grad(at.sum(at.softmax(x, axis)[index] * weights), x)], {x: point})
    with mp.workprec(400):
        shares = np.vectorize(lambda v: mp.exp(mp.mpf(v)))(point)
        shares = shares / np.sum(shares, axis=axis, keepdims=True)
        g = np.zeros(point.shape, object)
        g[index] = weights
        true = shares * (g - np.sum(shares * g, axis=axis, keepdims=True))
    np.testing.assert_allclose(found, true.astype(float), rtol=1e-13)


def test_the_slope_of_several_shares_is_that_of_any():
    x = at.dmatrix("x")
    point = np.random.default_rng(2).normal(size=(2, 3))
    for index in (slice(0, 1), (slice(None), slice(0, 2)), 0):
        verify_grad(lambda v, index=index: at.softmax(v, 1)[index], [point])
    verify_grad(lambda v: at.softmax(v, (0, 1))[0], [point])
    (found,) = evaluate([grad(at.softmax(x, 1)[0, 0], x)], {x: np.ones((1, 1))})
    assert found == 0

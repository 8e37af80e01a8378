"""Axes as integers, tuples, lists and what else NumPy takes; what is no axis is named."""

import numpy as np
import pytest
import scipy.special

import relgraph.tensor as at
from relgraph import function

X = np.array([[[3.0, 1, 2], [0, 5, 4]], [[7, 7, 1], [9, 0, 9]]])
ARG = ["argmax", "argmin", "nanargmax", "nanargmin"]
ALONG_ONE = ["cumsum", "cumprod", "nancumsum", "sort", "argsort", "diff", "trapezoid"]
SHARES = {"softmax": scipy.special.softmax, "logsumexp": scipy.special.logsumexp}
REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "ptp", "nansum"]


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


@pytest.mark.parametrize("name", ARG + ALONG_ONE + REDUCTIONS)
@pytest.mark.parametrize(
    ("axis", "number"), [(-1, -1), (np.int64(1), 1), (np.array(1), 1), (at.constant(1), 1)], ids=str
)
def test_integers_of_any_kind(name, axis, number):
    found = getattr(at, name)(at.constant(X), axis=axis).eval()
    np.testing.assert_allclose(found, getattr(np, name)(X, axis=number))


@pytest.mark.parametrize("name", ARG + ALONG_ONE + REDUCTIONS)
@pytest.mark.parametrize(
    "axis", [1.0, "0", True, np.True_, 3, [0, 0], [3], [1.0], ((0,),)], ids=str
)
def test_what_is_no_axis(name, axis):
    with pytest.raises((TypeError, ValueError), match="axis"):
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
    with pytest.raises(ValueError, match="roll: 3 shifts along 2 axes"):
        at.roll(at.constant(X), (1, 2, 3), (0, 1))


@pytest.mark.parametrize("axis", [1, np.int64(1), (1,), [0, 1]])
def test_norms(axis):
    found = at.linalg.norm(at.constant(X[0]), axis=axis).eval()
    wanted = np.linalg.norm(X[0], axis=tuple(axis) if isinstance(axis, list) else axis)
    np.testing.assert_allclose(found, wanted)


def test_a_property_without_a_hash_is_named():
    with pytest.raises(TypeError, match=r"Argmax: axis is \[0, 1\], which has no hash"):
        at.argmax(at.dmatrix()).owner.op.__class__([0, 1])


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("axis", [np.int64(1), np.array(1), at.constant(1), [0, -1], np.array([0])])
def test_axes_of_shares(name, axis):
    known = axis.data if isinstance(axis, at.TensorConstant) else axis
    number = tuple(known) if np.ndim(known) else int(known)
    wanted = SHARES[name](X, axis=number)
    np.testing.assert_allclose(getattr(at, name)(at.constant(X), axis=axis).eval(), wanted)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("axis", [1.0, np.array(1.0), "0", 3, [0, 0], at.lscalar("n")], ids=str)
def test_what_is_no_axis_of_shares(name, axis):
    with pytest.raises((TypeError, ValueError), match="axis"):
        getattr(at, name)(at.dtensor3(), axis=axis)


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
    with pytest.raises(ValueError, match=r"gradient: axis .* names an axis twice"):
        at.gradient(at.dtensor3(), axis=(1, -2))
    found = at.gradient(at.constant(X), axis=[0, 1])
    for one, wanted in zip(found, np.gradient(X, axis=(0, 1)), strict=True):
        np.testing.assert_allclose(one.eval(), wanted)

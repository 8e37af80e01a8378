"""The same elements in another shape, or with their axes in another order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.gradient import DisconnectedInputError, grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.shapes import Reshape, SpecifyShape


def count(*shape):
    return np.arange(np.prod(shape), dtype="float64").reshape(shape)


@pytest.mark.parametrize("new", [(6,), (3, 2), (-1,), (1, -1, 3), 6, (2, 3), -1])
def test_reshape(against_numpy, new):
    against_numpy(lambda v: at.reshape(v, new), lambda v: np.reshape(v, new), count(2, 3))
    against_numpy(lambda v: v.reshape(new), lambda v: np.reshape(v, new), count(2, 3))
    verify_grad(lambda v: at.reshape(v, new), [count(2, 3)])


@given(st.permutations([1, 2, 3, 2]), st.integers(0, 3), st.booleans())
def test_one_length_is_what_remains(shape, at_place, partly):
    x = count(3, 4)
    v, n = at.dmatrix(), at.lscalar()
    wanted = list(shape)
    wanted[at_place] = -1
    symbolic = [n if partly and k != -1 and i == 3 else k for i, k in enumerate(wanted)]
    out = at.reshape(v, symbolic)
    (found,) = evaluate([out], {v: x, n: np.array(shape[3])})
    np.testing.assert_array_equal(found, x.reshape(wanted))
    assert out.type.is_valid_value(found)


def test_symbolic_shapes(against_numpy):
    shape = np.array([3, -1])
    build = lambda v, s: at.reshape(v, s, ndim=2)  # noqa: E731
    against_numpy(build, lambda v, s: np.reshape(v, tuple(s)), count(2, 3), shape)
    against_numpy(
        lambda v, w: at.reshape(v, w.shape), lambda v, w: v.reshape(w.shape), count(6), count(2, 3)
    )
    against_numpy(
        lambda v, w: at.reshape(v, (w.shape[1], 2)),
        lambda v, w: v.reshape(3, 2),
        count(6),
        count(2, 3),
    )


def test_what_is_known_of_a_shape():
    x = at.tensor("float64", (2, 3))
    assert at.reshape(x, (-1, 2)).type.shape == (3, 2)
    assert at.reshape(at.dmatrix(), (-1, 2)).type.shape == (None, 2)
    assert at.reshape(x, (at.lscalar(), 2)).type.shape == (None, 2)
    assert at.flatten(x).type.shape == (6,)


def test_reshape_errors():
    x = at.dmatrix("x")
    with pytest.raises(
        ValueError, match=r"reshape: 6 elements \(shape \(2, 3\)\) don't fit \(4,\)"
    ):
        at.reshape(at.tensor("float64", (2, 3)), (4,))
    with pytest.raises(ValueError, match="one element may be -1"):
        at.reshape(x, (-1, -1))
    with pytest.raises(TypeError, match="unknown length; give ndim"):
        at.reshape(x, at.lvector())
    with pytest.raises(ValueError, match=r"reshape: x has shape \(2, 3\), .* don't fit \(4,\)"):
        evaluate([at.reshape(x, (4,))], {x: count(2, 3)})
    with pytest.raises(ValueError, match="has 1 elements"):
        Reshape(2)(x, (6,))
    with pytest.raises(DisconnectedInputError):
        n = at.lscalar()
        grad(at.sum(at.reshape(x, (n, 1))), n)


def test_it_is_a_view():
    x = at.dmatrix()
    a = count(2, 3)
    for out in (at.reshape(x, (6,)), at.specify_shape(x, (2, None)), at.transpose(x)):
        assert out.owner.op.view_map == {0: [0]}
        assert np.shares_memory(evaluate([out], {x: a})[0], a)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_flatten(against_numpy, ndim):
    shape = {1: (-1,), 2: (2, -1), 3: (2, 3, 4)}[ndim]
    against_numpy(lambda v: at.flatten(v, ndim), lambda v: v.reshape(shape), count(2, 3, 4))
    verify_grad(lambda v: at.flatten(v, ndim), [count(2, 3, 2)])


def test_flatten_of_nothing(against_numpy):
    against_numpy(lambda v: at.flatten(v, 2), lambda v: v.reshape(0, 12), np.ones((0, 3, 4)))
    against_numpy(at.ravel, np.ravel, np.ones((0, 3)))
    with pytest.raises(ValueError, match="flatten: ndim is 3"):
        at.flatten(at.dmatrix(), 3)


def test_specify_shape(against_numpy):
    x = at.dmatrix("x")
    y = at.specify_shape(x, (2, None))
    assert y.type.shape == (2, None)
    assert at.specify_shape(y, (2, None)) is y
    against_numpy(lambda v: at.specify_shape(v, (None, 3)), lambda v: v, count(2, 3))
    verify_grad(lambda v: at.specify_shape(v, (None, 3)), [count(2, 3)])
    with pytest.raises(ValueError, match="axis 0 of x has length 3, not 2"):
        evaluate([y], {x: count(3, 3)})
    with pytest.raises(ValueError, match="axis 0 of the input has length 2, not 3"):
        at.specify_shape(y, (3, None))
    with pytest.raises(TypeError, match="of 2 dimensions"):
        at.specify_shape(x, (3,))
    with pytest.raises(TypeError, match="n is not an int"):
        at.specify_shape(x, (at.lscalar("n"), 2))
    assert str(SpecifyShape((2, None))) == "specify_shape{2, ?}"


def test_squeeze_and_expand_dims(against_numpy):
    x = count(1, 3, 1)
    against_numpy(lambda v: at.squeeze(v), np.squeeze, x)
    against_numpy(lambda v: at.squeeze(v, 0), lambda v: np.squeeze(v, 0), x)
    against_numpy(lambda v: at.squeeze(v, (0, -1)), lambda v: np.squeeze(v, (0, -1)), x)
    verify_grad(lambda v: at.squeeze(v, -1), [x])
    for axis in (0, 1, -1, (0, 2), (-1, 0)):
        against_numpy(
            lambda v, a=axis: at.expand_dims(v, a),
            lambda v, a=axis: np.expand_dims(v, a),
            count(2, 3),
        )
        verify_grad(lambda v, a=axis: at.expand_dims(v, a), [count(2, 3)])


def test_squeeze_checks_what_is_not_known():
    x = at.dmatrix("x")
    y = at.squeeze(x, 0)
    np.testing.assert_array_equal(evaluate([y], {x: count(1, 3)})[0], count(3))
    with pytest.raises(ValueError, match="axis 0 of x has length 2, not 1"):
        evaluate([y], {x: count(2, 3)})
    with pytest.raises(ValueError, match="squeeze: axis 0 has length 2"):
        at.squeeze(at.tensor("float64", (2, 3)), 0)


def test_orders_of_axes(against_numpy):
    x = count(2, 3, 4)
    against_numpy(at.transpose, np.transpose, x)
    against_numpy(lambda v: v.T, np.transpose, x)
    for axes in ((1, 0, 2), (-1, 0, 1)):
        against_numpy(lambda v, a=axes: at.transpose(v, a), lambda v, a=axes: np.transpose(v, a), x)
        verify_grad(lambda v, a=axes: at.transpose(v, a), [x], n_tests=1)
    against_numpy(lambda v: at.swapaxes(v, 0, -1), lambda v: np.swapaxes(v, 0, -1), x)
    against_numpy(lambda v: at.moveaxis(v, 0, -1), lambda v: np.moveaxis(v, 0, -1), x)
    with pytest.raises(ValueError, match="no order of 2 axes"):
        at.transpose(at.dmatrix(), (0, 0))

"""The binary op behind `dot`."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.math import Dot, _dot

RANKS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((0, 3), (3, 4)),
    ((2, 0), (0,)),
]


@pytest.mark.parametrize(("left", "right"), RANKS)
@pytest.mark.parametrize("dtypes", [("float64",) * 2, ("float32", "int8"), ("bool",) * 2])
def test_values(against_numpy, left, right, dtypes):
    rng = np.random.default_rng(1)
    x, y = (rng.integers(0, 3, s).astype(d) for s, d in zip((left, right), dtypes, strict=True))
    against_numpy(at.dot, np.dot, x, y, rtol=1e-6)
    against_numpy(lambda a, b: a.dot(b), np.dot, x, y, rtol=1e-6)


@pytest.mark.parametrize(("left", "right"), RANKS)
def test_gradients(left, right):
    rng = np.random.default_rng(2)
    verify_grad(at.dot, [rng.normal(size=left), rng.normal(size=right)])


def test_complex_gradient():
    x, y = at.zvector(), at.zvector()
    a, b = np.array([1 + 2j, 3j]), np.array([2 - 1j, 1 + 1j])
    (found,) = evaluate([grad(at.real(at.dot(x, y)), x)], {x: a, y: b})
    np.testing.assert_allclose(found, np.conj(b))


def test_it_is_one_op():
    assert _dot is Dot()
    assert str(_dot) == "dot"
    assert at.dot(at.dmatrix(), at.dvector()).owner.op is _dot


def test_errors_name_the_input():
    with pytest.raises(TypeError, match=r"dot: the second input is a .* of 3 dimensions"):
        _dot(at.dmatrix(), at.tensor3())
    with pytest.raises(TypeError, match="dot takes 2 inputs, not 1"):
        _dot(at.dmatrix())
    x, y = at.dmatrix("x"), at.dmatrix("y")
    with pytest.raises(ValueError, match=r"dot: axis 1 of the first input has length 3, axis 0"):
        evaluate([at.dot(x, y)], {x: np.ones((2, 3)), y: np.ones((2, 3))})
    with pytest.raises(ValueError, match="has length 3"):
        at.dot(at.tensor(shape=(2, 3)), at.tensor(shape=(2, 3)))


@pytest.mark.parametrize("lie", [np.asfortranarray, lambda v: np.broadcast_to(v[:1], v.shape)])
@pytest.mark.parametrize("mode", [None, "strict", "fast_run"])
def test_integers_beside_floats_are_multiplied_alike_however_they_lie(lie, mode):
    rng = np.random.default_rng(5)
    x, y = at.dmatrix(), at.TensorType("uint8", (None, None))()
    left, right = rng.normal(size=(1, 7)), lie(rng.integers(0, 9, (7, 5)).astype("uint8"))
    (found,) = function([x, y], [at.dot(x, y)], mode=mode)(left, right)
    assert found.tobytes() == np.dot(left, np.ascontiguousarray(right)).tobytes()

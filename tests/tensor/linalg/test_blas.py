"""Products that are one call of the BLAS."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import verify_grad
from relgraph.tensor.linalg.blas import BLAS_DTYPES, _dot22, _gemv, fits_blas, fits_gemv

rng = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", BLAS_DTYPES)
def test_it_is_the_product_of_two_matrices(dtype: str) -> None:
    x, y = (at.TensorType(dtype, (None, None))(name) for name in "xy")
    a, b = (rng.normal(size=shape).astype(dtype) for shape in ((2, 3), (3, 4)))
    f = function([x, y], _dot22(x, y), Mode("py", None))
    assert f(a, b).dtype == dtype
    np.testing.assert_array_equal(f(a, b), np.dot(a, b))
    np.testing.assert_array_equal(f(a.T.copy().T, b[:, ::-1]), np.dot(a, b[:, ::-1]))
    assert f(a[:0], b).shape == (0, 4)
    assert f(a[:, :0], b[:0]).tolist() == np.zeros((2, 4)).tolist()
    with pytest.raises(ValueError, match="axis 1 of the first input has length 3"):
        f(a, b[:2])


def test_what_it_takes() -> None:
    x = at.dmatrix("x")
    for other in (at.fmatrix(), at.dvector(), at.lmatrix()):
        assert not fits_blas(x, other)
        with pytest.raises(TypeError, match="dot22"):
            _dot22(x, other)
    known = at.TensorType("float64", (2, 3))("known")
    assert _dot22(known, x).type.shape == (2, None)
    with pytest.raises(ValueError, match="length 3"):
        _dot22(known, known)


@pytest.mark.parametrize("dtype", BLAS_DTYPES)
def test_a_matrix_and_a_vector(dtype: str) -> None:
    m, v = at.TensorType(dtype, (None, None))("m"), at.TensorType(dtype, (None,))("v")
    a, b = rng.normal(size=(3, 4)).astype(dtype), rng.normal(size=4).astype(dtype)
    f = function([m, v], _gemv(m, v), Mode("py", None))
    np.testing.assert_array_equal(f(a, b), np.dot(a, b))
    np.testing.assert_allclose(f(np.asfortranarray(a), b), np.dot(a, b), rtol=1e-5)
    np.testing.assert_array_equal(
        function([v, m], _gemv(v, m), Mode("py", None))(b[:3], a), b[:3] @ a
    )
    with pytest.raises(ValueError, match="axis 1 of the first input has length 4"):
        f(a, b[:2])
    assert fits_gemv(m, v) and fits_gemv(v, m) and not fits_gemv(m, m)
    with pytest.raises(TypeError, match="gemv: the inputs are"):
        _gemv(m, m)
    if dtype == "float64":
        verify_grad(_gemv, [a, b], rng=rng)
        verify_grad(_gemv, [b[:3], a], rng=rng)


def test_gradient_and_shape() -> None:
    verify_grad(_dot22, [rng.normal(size=(2, 3)), rng.normal(size=(3, 2))], rng=rng)
    x, y = at.dmatrix("x"), at.dmatrix("y")
    f = function([x, y], _dot22(x, at.exp(y)).shape)
    assert at.exp not in [node.op for node in f.maker.fgraph.toposort()]
    assert f(np.ones((2, 3)), np.ones((3, 4))).tolist() == [2, 4]

"""Cholesky, QR and singular value decompositions, and eigenvalues."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from tests.tensor.linalg.matrices import (
    check_complex_gradient,
    regular,
    some,
)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_gradients_of_rectangles(batch, shape):
    a = some(*batch, *shape)

    def known(x):
        return at.specify_shape(x, a.shape)

    for fun in (
        lambda x: linalg.qr(known(x))[0],
        lambda x: linalg.qr(known(x))[1],
        lambda x: linalg.qr(known(x), "r"),
        lambda x: linalg.svd(known(x), False)[0] ** 2,
        lambda x: linalg.svd(known(x), False)[2] ** 2,
        lambda x: linalg.svd(known(x))[1],
        lambda x: linalg.svdvals(known(x)),
    ):
        verify_grad(fun, [a], n_tests=1)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 2), (2, 2, 4), (1, 3), (0, 3), (3, 0)])
def test_gradients_of_qr_of_any_shape(shape):
    """The shape is not known when the graph is built."""
    a = some(*shape)
    for fun in (
        lambda x: linalg.qr(x)[0],
        lambda x: linalg.qr(x)[1],
        lambda x: linalg.qr(x, "r"),
        lambda x: linalg.qr(x, "complete")[1],
        lambda x: at.sum(linalg.qr(x)[0]) * linalg.qr(x)[1],
    ):
        verify_grad(fun, [a], n_tests=1)


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (1, 3)])
def test_gradients_of_a_complete_qr(shape):
    def known(x):
        return at.specify_shape(x, shape)

    verify_grad(lambda x: linalg.qr(known(x), "complete")[0], [some(*shape)], n_tests=1)
    verify_grad(lambda x: linalg.qr(known(x), "complete")[1], [some(*shape)], n_tests=1)


def test_second_derivative_of_wide_qr():
    def slope(x):
        return grad(at.sum(linalg.qr(x)[1] ** 3), x, stabilize=False)

    verify_grad(slope, [some(2, 3)], n_tests=1)


@pytest.mark.parametrize("mode", ["o4", "jax"])
def test_a_compiled_gradient_of_wide_qr(mode):
    x = at.dmatrix()
    q, r = linalg.qr(x)
    slope = grad(at.sum(q @ r * np.arange(6.0).reshape(2, 3)), x, stabilize=False)
    np.testing.assert_allclose(
        function([x], slope, mode=mode)(some(2, 3)), np.arange(6.0).reshape(2, 3), atol=1e-12
    )


def test_complex_gradients():
    a = regular(2, 2, dtype="complex128")

    def hermitian(x):
        return x @ at.conj(linalg.matrix_transpose(x))

    check_complex_gradient(lambda x: linalg.cholesky(hermitian(x)), a)
    check_complex_gradient(lambda x: linalg.cholesky(hermitian(x), lower=False), a)
    check_complex_gradient(lambda x: linalg.qr(x)[0], a)
    check_complex_gradient(lambda x: linalg.qr(x)[1], a)
    for wide in (some(2, 3, dtype="complex128"), some(2, 1, 3, dtype="complex128")):
        check_complex_gradient(lambda x: linalg.qr(x)[0], wide)
        check_complex_gradient(lambda x: linalg.qr(x)[1], wide)
    check_complex_gradient(lambda x: linalg.eigvalsh(hermitian(x)), a)
    check_complex_gradient(lambda x: at.abs(linalg.eigh(hermitian(x))[1]), a)
    check_complex_gradient(linalg.svdvals, a)
    check_complex_gradient(linalg.eigvals, a)
    # only what does not depend on the phases of the vectors

    def truncated(x):
        u, s, vh = linalg.svd(x, False)
        return u[:, :1] @ vh[:1] * s[0] ** 2

    check_complex_gradient(truncated, a)
    check_complex_gradient(lambda x: at.abs(linalg.eig(x)[1]), a)


def test_what_is_not_positive_definite_raises():
    a = at.dmatrix()
    with pytest.raises(np.linalg.LinAlgError):
        evaluate([linalg.cholesky(a)], {a: -np.eye(2)})
    (found,) = evaluate([linalg.cholesky(a)], {a: np.full((2, 2), np.nan)})
    assert np.isnan(found).all()

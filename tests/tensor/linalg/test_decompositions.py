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

RECTANGLES = [(*batch, *shape) for batch in ((), (2,)) for shape in ((3, 3), (4, 2), (2, 4))]
SHAPES = [*RECTANGLES, (1, 3), (0, 3), (3, 0)]
FUNCTIONS = {
    "q": (lambda x: linalg.qr(x)[0], SHAPES),
    "r": (lambda x: linalg.qr(x)[1], SHAPES),
    "r alone": (lambda x: linalg.qr(x, "r"), SHAPES),
    "r of a complete one": (lambda x: linalg.qr(x, "complete")[1], SHAPES),
    "q of a complete one": (lambda x: linalg.qr(x, "complete")[0], [(2, 2), (2, 3), (1, 3)]),
    "both": (lambda x: at.sum(linalg.qr(x)[0]) * linalg.qr(x)[1], SHAPES),
    "slope": (lambda x: grad(at.sum(linalg.qr(x)[1] ** 3), x, stabilize=False), [(2, 3)]),
    "left vectors": (lambda x: linalg.svd(x, False)[0] ** 2, RECTANGLES),
    "right vectors": (lambda x: linalg.svd(x, False)[2] ** 2, RECTANGLES),
    "values": (lambda x: linalg.svd(x)[1], RECTANGLES),
    "values alone": (linalg.svdvals, RECTANGLES),
}


@pytest.mark.parametrize("known", [False, True], ids=["open shape", "known shape"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_rectangles(name, known):
    function_, shapes = FUNCTIONS[name]
    if name == "q of a complete one" and not known:
        return  # its last columns are arbitrary
    for shape in shapes:
        verify_grad(
            lambda x, s=shape: function_(at.specify_shape(x, s) if known else x),
            [some(*shape)],
            n_tests=1,
        )


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

"""Powers, norms, einsum, and the functions that arrange matrices."""

from itertools import pairwise

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from relgraph.tensor.linalg.products import cheapest_order
from tests.tensor.linalg.matrices import check_complex_gradient, check_outputs, regular, some


def test_a_complex_gradient():
    check_complex_gradient(linalg.expm, some(2, 2, dtype="complex128"))


EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iij->ji", (3, 3, 2)),
    ("ij,ij->", (2, 3), (2, 3)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("...ij,jk->...ik", (5, 2, 3), (3, 4)),
    ("...ij,...jk->...ik", (1, 2, 3), (5, 3, 4)),
    ("i...->...", (2, 3, 4)),
    ("i,j->ji", (2,), (3,)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ab,bc,cd,de", (2, 3), (3, 4), (4, 2), (2, 3)),
    ("ijk,jl,kl->il", (2, 3, 4), (3, 5), (4, 5)),
    ("ijab,jkab->ikab", (2, 3, 4, 5), (3, 2, 4, 5)),
    ("i,i,i->i", (3,), (3,), (3,)),
    ("ij,ij,ij->j", (2, 3), (2, 3), (2, 3)),
    ("ijk->", (2, 3, 4)),
    ("i,->i", (3,), ()),
    ("ij,j->i", (0, 3), (3,)),
    ("ij,jk->ik", (2, 0), (0, 3)),
]


@pytest.mark.parametrize(("subscripts", "shapes"), [(s, shapes) for s, *shapes in EINSUMS])
def test_einsum(subscripts, shapes):
    values = [some(*shape) for shape in shapes]
    check_outputs(
        lambda *xs: linalg.einsum(subscripts, *xs),
        lambda *xs: np.einsum(subscripts, *xs),
        *values,
    )
    if all(v.size for v in values):
        verify_grad(lambda *xs: linalg.einsum(subscripts, *xs), values, n_tests=1)


def test_einsum_of_integers_keeps_their_dtype():
    values = [np.arange(6, dtype="int8").reshape(2, 3), np.arange(6, dtype="int8").reshape(3, 2)]
    for subscripts in ("ij,jk->ik", "ij,ji->", "ij,jk->i"):
        check_outputs(
            lambda x, y, s=subscripts: linalg.einsum(s, x, y),
            lambda x, y, s=subscripts: np.einsum(s, x, y),
            *values,
        )


def test_wrong_einsums():
    x = at.dmatrix()
    for subscripts, message in (
        ("ij,jk", "names 2 tensors, not 1"),
        ("ijk", "names 3 axes of input 0, which has 2"),
        ("ij->k", "the result's axis k is no axis of an input"),
        ("ij->ii", "named twice"),
        ("i1->i", "no letter"),
    ):
        with pytest.raises(ValueError, match=message):
            linalg.einsum(subscripts, x)
    with pytest.raises(TypeError, match="the subscripts are a text"):
        linalg.einsum(x, [0, 1])


@pytest.mark.parametrize(
    "shapes",
    [
        ((10, 2), (2, 10), (10, 3)),
        ((4,), (4, 5), (5, 6), (6,)),
        ((2, 9), (9, 2), (2, 9), (9, 1)),
        ((3,), (3,)),
    ],
)
def test_multi_dot(shapes):
    values = [some(*shape) for shape in shapes]
    check_outputs(
        lambda *xs: linalg.multi_dot(xs),
        lambda *xs: np.linalg.multi_dot(xs) if len(xs) > 2 else np.dot(*xs),
        *values,
    )


def test_cheapest_order():
    # Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, 15.2
    sides = [30, 35, 15, 5, 10, 20, 25]
    shapes = list(pairwise(sides))
    assert cheapest_order(shapes) == (((0, (1, 2)), ((3, 4), 5)), 15125)


# Decompositions.


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

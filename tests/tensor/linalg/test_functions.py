"""Powers, norms, einsum, and the functions that arrange matrices."""

from itertools import pairwise

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import verify_grad
from relgraph.tensor import linalg
from relgraph.tensor.linalg.products import cheapest_order
from tests.tensor.linalg.matrices import (
    check_complex_gradient,
    check_outputs,
    some,
)


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

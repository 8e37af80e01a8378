"""Solutions of systems of equations."""

import numpy as np
import pytest
import scipy.linalg

import relgraph
import relgraph.tensor as at
from relgraph.gradient import verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from tests.tensor.linalg.matrices import (
    DTYPES,
    STACKS,
    check_complex_gradient,
    check_outputs,
    positive,
    regular,
    some,
)


@pytest.mark.parametrize("shape", STACKS)
@pytest.mark.parametrize("columns", [None, 0, 2])
def test_solve(shape, columns):
    b = some(shape[-1]) if columns is None else some(*shape[:-1], columns)
    check_outputs(linalg.solve, np.linalg.solve, regular(*shape), b)
    for assume_a in ("sym", "her", "pos"):
        for lower in (False, True):
            check_outputs(
                lambda a, b, how=assume_a, low=lower: linalg.solve(a, b, lower=low, assume_a=how),
                np.linalg.solve,
                positive(*shape),
                b,
            )


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    a, b = regular(3, 3, dtype=dtype), some(3, 2, dtype=dtype)
    check_outputs(linalg.solve, np.linalg.solve, a, b)
    mixed = at.linalg.solve(at.fmatrix(), at.bmatrix())
    assert mixed.dtype == "float64"
    if dtype.startswith("complex"):
        check_outputs(
            lambda a, b: linalg.solve(a, b, assume_a="her"),
            np.linalg.solve,
            positive(3, 3, dtype=dtype),
            b,
        )
        symmetric = a + a.T
        check_outputs(
            lambda a, b: linalg.solve(a, b, assume_a="sym"), np.linalg.solve, symmetric, b
        )


def test_stacks_broadcast_where_a_length_is_known_to_be_1():
    a, b = regular(1, 3, 3), some(4, 3, 2)
    x, y = at.TensorType("float64", (1, 3, 3))(), at.dtensor3()
    (found,) = evaluate([linalg.solve(x, y)], {x: a, y: b})
    np.testing.assert_allclose(found, np.linalg.solve(a, b))
    z = at.dtensor3()
    with pytest.raises(ValueError, match="only an axis whose length is known to be 1 broadcasts"):
        evaluate([linalg.solve(z, y)], {z: a, y: b})


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit_diagonal", [True, False])
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float64", "complex128", "float32"])
def test_solve_triangular(lower, unit_diagonal, trans, dtype):
    a, b = regular(3, 3, dtype=dtype), some(3, 2, dtype=dtype)

    def reference(a, b):
        return scipy.linalg.solve_triangular(
            a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal
        )

    check_outputs(
        lambda a, b: linalg.solve_triangular(a, b, trans, lower, unit_diagonal), reference, a, b
    )


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("shape", STACKS)
def test_cho_solve(lower, shape):
    a, b = positive(*shape), some(*shape[:-1], 2)
    c = np.linalg.cholesky(a)
    factor = c if lower else np.ascontiguousarray(np.swapaxes(c, -1, -2))
    check_outputs(
        lambda c, b: linalg.cho_solve((c, lower), b),
        lambda c, b: np.linalg.solve(a, b),
        factor,
        b,
    )


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("columns", [None, 2])
def test_gradients(batch, columns):
    a = regular(*batch, 3, 3)
    b = some(3) if columns is None else some(*batch, 3, columns)

    def symmetric(x):
        return linalg.matrix_transpose(x) @ x

    verify_grad(linalg.solve, [a, b], n_tests=1)
    for how in ("sym", "her", "pos"):
        verify_grad(
            lambda x, y, h=how: linalg.solve(symmetric(x), y, assume_a=h), [a, b], n_tests=1
        )
    for lower in (True, False):
        for trans in (0, 1, 2):
            for unit in (True, False):
                verify_grad(
                    lambda x, y, t=trans, low=lower, u=unit: linalg.solve_triangular(
                        x, y, t, low, u
                    ),
                    [a, b],
                    n_tests=1,
                )
        verify_grad(lambda x, y, low=lower: linalg.cho_solve((x, low), y), [a, b], n_tests=1)


def test_complex_gradients():
    a, b = regular(2, 2, dtype="complex128"), some(2, 2, dtype="complex128")
    check_complex_gradient(linalg.solve, a, b)
    check_complex_gradient(lambda a, b: linalg.solve_triangular(a, b, 2, True), a, b)
    check_complex_gradient(lambda c, b: linalg.cho_solve((c, True), b), a, b)
    check_complex_gradient(lambda c, b: linalg.cho_solve((c, False), b), a, b)


def test_nan_and_infinities():
    """A matrix with nan gives nan, and a column with an infinity is multiplied by the inverse."""
    a, b = at.dmatrix(), at.dmatrix()
    value = np.array([[2.0, 0.0], [0.0, 4.0]])
    right = np.array([[np.inf, 1.0], [1.0, 1.0]])
    for out in (
        linalg.solve(a, b),
        linalg.solve(a, b, assume_a="pos"),
        linalg.solve_triangular(a, b, lower=True),
    ):
        (found,) = evaluate([out], {a: value, b: right})
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(found, np.linalg.inv(value) @ right)
        (found,) = evaluate([out], {a: value * np.nan, b: right})
        assert np.isnan(found).all()


def test_a_singular_matrix_raises_where_there_are_no_columns_too():
    a, b = at.dmatrices("a", "b")
    run = relgraph.function([a, b], linalg.solve(a, b))
    assert run(np.eye(2), np.zeros((2, 0))).shape == (2, 0)
    with pytest.raises(np.linalg.LinAlgError, match="a matrix is singular"):
        run(np.ones((2, 2)), np.zeros((2, 0)))


def test_singular_matrices_raise():
    a, b = at.dmatrix(), at.dvector()
    zeros = {a: np.zeros((2, 2)), b: np.ones(2)}
    for out in (
        linalg.solve(a, b),
        linalg.solve(a, b, assume_a="sym"),
        linalg.solve(a, b, assume_a="pos"),
        linalg.solve_triangular(a, b),
        linalg.inv(a),
    ):
        with pytest.raises(np.linalg.LinAlgError):
            evaluate([out], zeros)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_singular_matrices_raise_where_there_is_nothing_to_solve(batch):
    """As in NumPy; so a solution may be multiplied before or after it is solved for."""
    a, b = (at.TensorType("float64", (None,) * (2 + len(batch)))() for _ in "ab")
    for n in (3, 0):
        nothing = {a: np.zeros((*batch, n, n)), b: np.zeros((*batch, n, 0))}
        for out in (
            *(linalg.solve(a, b, assume_a=how) for how in ("gen", "sym", "pos")),
            linalg.solve_triangular(a, b),
            linalg.cho_solve((a, True), b),
        ):
            if n:
                with pytest.raises(np.linalg.LinAlgError):
                    evaluate([out], nothing)
            (found,) = evaluate([out], {**nothing, a: np.broadcast_to(np.eye(n), (*batch, n, n))})
            assert found.shape == (*batch, n, 0)


def test_errors_name_what_is_wrong():
    with pytest.raises(TypeError, match=r"solve: input 0 is a .*neither a matrix nor a stack"):
        linalg.solve(at.dvector(), at.dvector())
    with pytest.raises(TypeError, match=r"solve: input 1 is a .*neither a vector nor a matrix"):
        linalg.solve(at.dmatrix(), at.dscalar())
    with pytest.raises(ValueError, match="not square: 2 rows and 3 columns"):
        linalg.solve(at.constant(np.ones((2, 3))), at.dvector())
    with pytest.raises(ValueError, match="the matrices have 3 rows, and the right side 2"):
        linalg.solve(at.constant(np.eye(3)), at.constant(np.ones(2)))
    with pytest.raises(TypeError, match="LAPACK has no float16"):
        linalg.solve(at.TensorType("float16", (3, 3))(), at.TensorType("float16", (3,))())
    with pytest.raises(ValueError, match="assume_a is one of gen, sym, her, pos"):
        linalg.solve(at.dmatrix(), at.dvector(), assume_a="banded")
    with pytest.raises(ValueError, match="trans is one of"):
        linalg.solve_triangular(at.dmatrix(), at.dvector(), trans=3)
    x, y = at.dmatrix(), at.dvector()
    with pytest.raises(ValueError, match="not square"):
        evaluate([linalg.solve(x, y)], {x: np.ones((2, 3)), y: np.ones(2)})


def test_whether_a_system_raises_is_for_its_matrix_to_say():
    """Not for the right side: the inverse of ``c @ c.T`` does not exist where both halves do."""
    factor, b = at.dmatrix(), at.dvector()
    near = np.array([[1.0, 0.0], [2.0**30, 2.0**-30]])
    out = linalg.cho_solve((factor, True), b)
    (finite,) = evaluate([out], {factor: near, b: np.ones(2)})
    (infinite,) = evaluate([out], {factor: near, b: np.array([np.inf, 1.0])})
    assert np.isfinite(finite).all()
    assert not np.isfinite(infinite).any()

"""Inverses, and systems of equations."""

import itertools

import numpy as np
import pytest
import scipy.linalg

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from relgraph.tensor.linalg.functions import Cofactors, SecondCofactors
from tests.tensor.linalg.matrices import (
    DTYPES,
    check_complex_gradient,
    check_outputs,
    regular,
    some,
)


def test_pinv_of_lower_rank():
    a = some(4, 2) @ some(2, 3)
    check_outputs(linalg.pinv, np.linalg.pinv, a, rtol=1e-7)
    # along matrices of the same rank
    verify_grad(lambda x, y: linalg.pinv(x @ y), [some(4, 2), some(2, 3)], n_tests=1)


SINGULAR = {
    "rank 2 of 3": some(3, 2) @ some(2, 3),
    "rank 1 of 3": some(3, 1) @ some(1, 3),
    "rank 2 of 4": some(4, 2) @ some(2, 4),
    "ones": np.ones((3, 3)),
    "diagonal": np.diag([1.0, 2, 0, 3]),
    "zeros": np.zeros((2, 2)),
    "one zero": np.zeros((1, 1)),
    "empty": np.zeros((0, 0)),
    "some of a stack": np.stack([np.eye(3), np.ones((3, 3)), some(3, 3), np.zeros((3, 3))]),
}


@pytest.mark.parametrize("a", SINGULAR.values(), ids=SINGULAR.keys())
def test_singular_matrices_have_cofactors(a):
    verify_grad(linalg.det, [a], n_tests=1)
    slope = lambda x: grad(at.sum(linalg.det(x) ** 2 + linalg.det(x)), x, stabilize=False)  # noqa: E731
    verify_grad(slope, [a], n_tests=1)


def test_complex_singular_matrices_have_cofactors():
    a = some(3, 2, dtype="complex128") @ some(2, 3, dtype="complex128")
    check_complex_gradient(linalg.det, a)
    check_complex_gradient(Cofactors(), a)
    check_complex_gradient(SecondCofactors(), regular(2, 2, dtype="complex128"), a[:2, :2])


def test_third_derivative_of_det():
    def second(x):
        slope = grad(linalg.det(x), x, stabilize=False)
        return grad(at.sum(slope**2), x, stabilize=False)

    verify_grad(second, [some(3, 3)], n_tests=1)


@pytest.mark.parametrize("mode", ["strict", "o4", "jax"])
def test_the_compiled_gradient_of_a_singular_determinant(mode):
    x = at.dmatrix()
    slope = grad(linalg.det(x), x)
    f = function([x], [slope, grad(at.sum(slope**2), x)], mode=mode)
    by_x, second = f(np.ones((2, 2)))
    np.testing.assert_allclose(by_x, [[1, -1], [-1, 1]], atol=1e-14)
    np.testing.assert_allclose(second, np.full((2, 2), 2.0), atol=1e-14)


def test_cofactors_where_the_determinant_under_or_overflows():
    a = at.dmatrix()
    slope = grad(linalg.det(a), a)
    for value in (1e-110, 1e110):
        (found,) = evaluate([slope], {a: value * np.eye(3)})
        np.testing.assert_allclose(found, value**2 * np.eye(3), rtol=1e-12)


def test_a_singular_matrix_has_no_slope_of_the_logarithm():
    a = at.dmatrix()
    slope = grad(linalg.slogdet(a)[1], a)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        evaluate([slope], {a: np.ones((2, 2))})


def test_complex_gradients():
    a = regular(2, 2, dtype="complex128")
    check_complex_gradient(linalg.inv, a)
    check_complex_gradient(linalg.det, a)
    check_complex_gradient(lambda x: linalg.slogdet(x)[0], a)
    check_complex_gradient(lambda x: linalg.slogdet(x)[1], a)
    check_complex_gradient(linalg.pinv, some(3, 2, dtype="complex128"))


def test_determinants_that_overflow():
    a = at.dmatrix()
    value = 1e200 * np.eye(3)
    found, sign, logarithm = evaluate([linalg.det(a), *linalg.slogdet(a)], {a: value})
    assert np.isinf(found) and sign == 1
    np.testing.assert_allclose(logarithm, 3 * np.log(1e200))


@pytest.mark.parametrize(
    ("first", "second"),
    [((3, 3), (3,)), ((5, 3), (5,)), ((3, 5), (3, 2)), ((2, 4, 3), (4,)), ((2, 3, 4), (2, 3, 2)),
     ((4, 3), (5, 4, 1)), ((2, 1, 4, 2), (3, 4, 2))],
)  # fmt: skip
def test_slopes_of_lstsq(first, second):
    solution = lambda x, y: linalg.lstsq(x, y)[0]  # noqa: E731
    verify_grad(solution, [some(*first), some(*second)], n_tests=1)


def test_lstsq_of_a_stack_with_dependent_columns():
    """There are no sums of squares then, nor of an empty stack."""
    a = np.stack([some(4, 2), np.ones((4, 2))])
    x, b = at.dtensor3(), at.dvector()
    _, residuals, rank, _ = evaluate(linalg.lstsq(x, b), {x: a, b: some(4)})
    assert residuals.shape == (2, 0)
    assert rank.tolist() == [2, 1]
    _, residuals, rank, values = evaluate(linalg.lstsq(x, b), {x: a[:0], b: some(4)})
    assert [v.shape for v in (residuals, rank, values)] == [(0, 0), (0,), (0, 2)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_determinant_and_its_logarithm_agree_on_singular_matrices(dtype):
    """Both are made by one LAPACK, so that of a singular matrix both are 0 or neither is."""
    rng = np.random.default_rng(3)
    x = at.tensor(dtype, (None, None))
    both = function([x], [linalg.det(x), *linalg.slogdet(x)])
    for n in (2, 3, 4) * 20:
        value = rng.normal(size=(n, n)).astype(dtype)
        value[:, -1] = value[:, 0]
        determinant, sign, logarithm = both(value)
        assert np.sign(determinant) == sign
        assert (determinant == 0) == np.isneginf(logarithm)


# Solutions of systems of equations.


def symmetric(a, how):
    """Return a matrix with a structure, of an array or a variable."""
    turned = np.swapaxes(a, -1, -2)
    return (turned if how == "sym" else np.conj(turned)) @ a


SOLVERS = {
    "solve": (linalg.solve, np.linalg.solve),
    **{
        f"solve {how} {lower}": (
            lambda a, b, how=how, low=lower: linalg.solve(symmetric(a, how), b, low, how),
            lambda a, b, how=how: np.linalg.solve(symmetric(a, how), b),
        )
        for how, lower in itertools.product(("sym", "her", "pos"), (False, True))
    },
    **{
        f"triangular {how}": (
            lambda a, b, how=how: linalg.solve_triangular(a, b, *how),
            lambda a, b, how=how: scipy.linalg.solve_triangular(a, b, *how),
        )
        for how in itertools.product((0, 1, 2), (False, True), (False, True))
    },
    **{
        f"cho_solve {lower}": (
            lambda c, b, low=lower: linalg.cho_solve((c, low), b),
            lambda c, b, low=lower: scipy.linalg.cho_solve((c, low), b),
        )
        for lower in (False, True)
    },
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("batch", [(), (2,), (2, 1)])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_solutions(name, batch, columns):
    ours, reference = SOLVERS[name]
    a, b = regular(*batch, 3, 3), some(*(batch if columns else ()), 3, *columns)
    check_outputs(ours, reference, a, b)
    verify_grad(ours, [a, b], n_tests=1)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("shapes", [((0, 0), (0, 2)), ((0, 3, 3), (0, 3, 2)), ((3, 3), (3, 0))])
def test_solutions_of_nothing(name, shapes):
    ours, nothing = SOLVERS[name][0], lambda a, b: np.zeros(b.shape)
    check_outputs(ours, nothing, regular(*shapes[0]), some(*shapes[1]))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_of_solutions(name, dtype):
    a, b = regular(2, 2, dtype=dtype), some(2, 2, dtype=dtype)
    check_outputs(*SOLVERS[name], a, b)
    if dtype == "complex128":
        check_complex_gradient(SOLVERS[name][0], a, b)


def test_a_solution_of_mixed_dtypes():
    assert linalg.solve(at.fmatrix(), at.bmatrix()).dtype == "float64"


def test_stacks_broadcast_where_a_length_is_known_to_be_1():
    a, b = regular(1, 3, 3), some(4, 3, 2)
    x, y = at.TensorType("float64", (1, 3, 3))(), at.dtensor3()
    (found,) = evaluate([linalg.solve(x, y)], {x: a, y: b})
    np.testing.assert_allclose(found, np.linalg.solve(a, b))
    z = at.dtensor3()
    with pytest.raises(ValueError, match="only an axis whose length is known to be 1 broadcasts"):
        evaluate([linalg.solve(z, y)], {z: a, y: b})


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


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("columns", [0, 2])
def test_singular_matrices_raise(batch, columns):
    """Where there is nothing to solve too, as in NumPy; so a solution may be multiplied before or
    after it is solved for."""
    a, b = (at.TensorType("float64", (None,) * (2 + len(batch)))() for _ in "ab")
    for n in (3, 0):
        right = np.ones((*batch, n, columns))
        for out in (
            *(linalg.solve(a, b, assume_a=how) for how in ("gen", "sym", "pos")),
            linalg.solve_triangular(a, b),
            linalg.cho_solve((a, True), b),
            linalg.inv(a) @ b,
        ):
            if n:
                with pytest.raises(np.linalg.LinAlgError):
                    evaluate([out], {a: np.zeros((*batch, n, n)), b: right})
            regular_one = np.broadcast_to(np.eye(n), (*batch, n, n))
            np.testing.assert_array_equal(evaluate([out], {a: regular_one, b: right})[0], right)
    run = function([a, b], linalg.solve(a, b))
    message = "Singular matrix" if batch else "a matrix is singular"
    with pytest.raises(np.linalg.LinAlgError, match=message):
        run(np.ones((*batch, 2, 2)), np.ones((*batch, 2, columns)))


def test_whether_a_system_raises_is_for_its_matrix_to_say():
    """Not for the right side: the inverse of ``c @ c.T`` does not exist where both halves do."""
    factor, b = at.dmatrix(), at.dvector()
    near = np.array([[1.0, 0.0], [2.0**30, 2.0**-30]])
    out = linalg.cho_solve((factor, True), b)
    (finite,) = evaluate([out], {factor: near, b: np.ones(2)})
    (infinite,) = evaluate([out], {factor: near, b: np.array([np.inf, 1.0])})
    assert np.isfinite(finite).all()
    assert not np.isfinite(infinite).any()

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.judge.evaluation import evaluate_all
from relgraph.testing.judge.graph_comparison import is_rounded, run_monte_carlo

X = at.TensorType("float32", (None,))("x")
Y = at.TensorType("float32", (None,))("y")


def perturbed(out, *values, excluded="infinite"):
    inputs = [X, Y][: len(values)]
    values = [np.array(v, "float32") for v in values]
    native = evaluate_all(inputs, [out], values)
    found = run_monte_carlo(inputs, [out], values, native, excluded)
    runs = np.stack([run[0] for run in found.runs])
    if out.type.dtype == "bool":
        return found.exact[0], (runs != found.exact[0]).any(axis=0)
    with np.errstate(invalid="ignore"):
        return found.exact[0], np.abs(runs - found.exact[0]).max(axis=0)


def test_values_are_exact_beyond_the_dtype():
    exact, _moved = perturbed(X + Y, [1.0], [1e-9])
    assert exact.dtype == np.longdouble
    assert exact[0] == np.longdouble(1) + np.longdouble(np.float32(1e-9))


def test_a_sum_moves_by_its_terms():
    eps = np.finfo("float32").eps
    _exact, moved = perturbed(X + Y, [1e6, 1.0], [-1e6, 1.0])
    assert 0.1 * 1e6 * eps < moved[0] < 4 * 1e6 * eps
    assert moved[1] < 8 * eps


def test_what_is_moved_about_is_not_rounded():
    assert is_rounded(at.exp(X).owner)
    assert is_rounded(at.sum(X).owner)
    assert is_rounded(at.cast(at.dvector(), "float32").owner)
    for same in (-X, X[::-1], at.maximum(X, Y), at.cast(X, "float64"), at.max(X), X.dimshuffle(0)):
        assert not is_rounded(same.owner)


@pytest.mark.parametrize(
    ("out", "value"),
    [
        (at.switch(at.gt(at.exp(X), 1), X, 1.0), 100.0),  # exp overflows
        (at.eq(at.exp(X), 0), -200.0),  # exp underflows
        (at.switch(at.isinf(1 / X), 1.0, 0.0), 0.0),  # 1/0
        (at.sum(1 / X, axis=0), 0.0),
        (at.second(X, 1.0) * at.log(X), -1.0),  # nan
        (at.switch(X * 0, 0.0, X), -np.inf),
        (at.neq((X / X + X) * X, 0), 0.0),
    ],
)
def test_what_depends_on_what_is_excluded_does_not_stay(out, value):
    _exact, moved = perturbed(out, [value])
    assert not (moved < 1e-3).any()


def test_two_comparisons_of_what_is_equal_but_for_rounding_do_not_stay():
    near = X / np.float32(1.43e-7) * np.float32(1.43e-7)
    _exact, moved = perturbed(at.and_(at.le(X, near), at.ge(X, near)), np.linspace(0.1, 1, 50))
    assert moved.all()


def test_what_compares_two_that_are_excluded_does_not_stay():
    _exact, moved = perturbed(at.lt(at.softplus(-X) + X, Y), [-np.inf], [np.inf])
    assert moved.all()


def test_infinities_stay_where_they_are_not_excluded():
    exact, moved = perturbed(at.switch(at.isinf(X), 1.0, 0.0), [np.inf, 1.0], excluded="range")
    assert exact.tolist() == [1.0, 0.0]
    assert moved.tolist() == [0.0, 0.0]


def test_the_sign_of_zero_moves():
    _exact, moved = perturbed(1 / (X - X), [1.0], excluded="range")
    assert not moved[0] < 1e30


@pytest.mark.parametrize("compare", [at.eq, at.neq, at.lt, at.le, at.gt, at.ge])
def test_comparisons_of_what_is_equal_but_for_rounding_do_not_stay(compare):
    values = np.linspace(0.5, 1.5, 40)
    _exact, moved = perturbed(compare(X, at.log(at.exp(X))), values)
    assert moved.all()
    _exact, moved = perturbed(compare(X, X + 0.125), values)
    assert not moved.any()
    _exact, moved = perturbed(compare(X, at.neg(-X)), [*values, np.inf, np.nan], excluded="range")
    assert not moved.any()


def test_what_can_not_be_computed_once_it_is_moved_does_not_stay():
    first = at.cast(at.neq(at.sum(X), 1.5), "int64")  # an index that is out of bounds if it moves
    exact, moved = perturbed(Y[first], [0.5, 1.0], [2.0])
    assert exact == 2.0
    assert not moved < 1e30


def test_discrete_values_are_as_usual():
    i = at.TensorType("int8", (None,))("i")
    value = np.array([100, -100], "int8")
    native = evaluate_all([i], [i + i, i / 3], [value])
    found = run_monte_carlo([i], [i + i], [value], native, "infinite")
    assert found.exact[0].dtype == "int8"
    assert (found.exact[0] == value + value).all()

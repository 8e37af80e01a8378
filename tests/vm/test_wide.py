"""Sums and products of any number of terms."""

from functools import reduce

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function
from tests.seeds import sampled

FOLDS = [(at.add, np.add), (at.mul, np.multiply), (at.maximum, np.maximum)]


def terms_of(x, count):
    return [x * (0.5 + i / count) if i % 3 else at.constant(1.0 + i / count) for i in range(count)]


def values_of(x, count):
    return [x * (0.5 + i / count) if i % 3 else np.float64(1.0 + i / count) for i in range(count)]


@pytest.mark.parametrize("count", [50, 51, 100, 202, 2_000])
@pytest.mark.parametrize(("op", "ufunc"), FOLDS, ids=[f[1].__name__ for f in FOLDS])
@pytest.mark.parametrize("kind", ["dscalar", "dvector", "fscalar"])
def test_any_number_of_terms(op, ufunc, count, kind):
    x = getattr(at, kind)("x")
    point = np.array(0.75 if "scalar" in kind else [0.5, -1.25, 2.0]).astype(x.type.dtype)
    f = function([x], op(*terms_of(x, count)), mode=Mode("vm", None))
    reference = function([x], op(*terms_of(x, count)), mode=Mode("py", None))
    with np.errstate(all="ignore"):
        expected = reduce(ufunc, values_of(point, count))
    np.testing.assert_allclose(f(point), expected, rtol=1e-5 if kind[0] == "f" else 1e-10)
    np.testing.assert_array_equal(f(point), reference(point))


def test_a_hundred_thousand_terms():
    x = at.dscalar("x")
    f = function([x], at.add(*[x] * 100_000), mode=Mode("vm", None))
    assert f(0.5) == 50_000


def test_any_number_of_arguments():
    inputs = [at.dvector(f"x{i}") for i in range(5_000)]
    f = function(inputs, at.add(*inputs), mode=Mode("vm", None))
    assert f(*[np.full(2, float(i)) for i in range(5_000)]).tolist() == [5_000 * 4_999 / 2] * 2


MANY = {
    "concatenate": lambda inputs: at.concatenate(inputs),
    "stack": lambda inputs: at.stack(inputs).sum(axis=1),
    "columns": lambda inputs: at.stack(inputs, axis=1).sum(axis=0),
    "nested sums": lambda inputs: at.add(*[at.exp(at.add(x, x, x)) for x in inputs]),
    "nested calls": lambda inputs: reduce(at.maximum, inputs),
    "one by one": lambda inputs: sum(inputs),
    "conditions": lambda inputs: at.and_(*[x > 0 for x in inputs]),
    "logaddexp": lambda inputs: at.logaddexp(*inputs),
}


@pytest.mark.parametrize("mode", ["fast_run", "strict"])
@pytest.mark.parametrize("name", sampled(MANY, 12, "wide graphs"))
def test_any_number_of_inputs_in_every_mode(name, mode):
    inputs = [at.dvector(f"x{i}") for i in range(1_500)]
    values = [np.array([1.0 + i % 3, 0.5]) for i in range(1_500)]
    out = MANY[name](inputs)
    expected = function(inputs, out, mode=Mode("py", None))(*values)
    np.testing.assert_allclose(function(inputs, out, mode=mode)(*values), expected, rtol=1e-12)


def test_terms_that_do_not_fit_are_named():
    x, y = at.dvector("x"), at.dvector("y")
    f = function([x, y], at.add(*[x] * 200, y), mode=Mode("vm", None))
    with pytest.raises(ValueError, match=r"axis 0 of input 200 \(y\) has length 1"):
        f([1.0, 2.0], [1.0])

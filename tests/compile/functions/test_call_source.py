"""The call of a function: what it takes as it is, what it converts, and what it refuses."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import In, Mode, function, shared

every_linker = pytest.mark.parametrize("linker", ["py", "vm"])


@every_linker
@pytest.mark.parametrize(
    "value", [2.0, 2, True, np.float64(2), np.float32(2), np.array(2.0), np.array(2), np.int8(2)]
)
def test_numbers_for_a_scalar(linker, value):
    s = at.dscalar("s")
    f = function([s], [s * 2 + 1, at.exp(s).dimshuffle("x"), s], mode=Mode(linker, None))
    found, vector, same = f(value)
    assert type(found) is type(same) is np.ndarray and found.shape == same.shape == ()
    assert found.dtype == same.dtype == np.float64
    assert (found, vector.shape, same) == (2 * float(value) + 1, (1,), float(value))


@every_linker
def test_a_strict_argument_takes_arrays_only(linker):
    s, mode = at.dscalar("s"), Mode(linker, None)
    f = function([In(s, strict=True)], s + 1, mode=mode)
    assert f(np.array(1.0)) == 2
    with pytest.raises(TypeError, match="expected strictly"):
        f(1.0)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("dscalar", 1j), ("dscalar", [1.0]), ("dscalar", "1"), ("dscalar", None),
        ("fscalar", np.float64(0.1)), ("iscalar", 1.5), ("lscalar", 2.0**70),
        ("dvector", 1.0), ("dvector", [[1.0]]), ("dvector", np.zeros(2, complex)),
        ("fvector", np.array([0.1])), ("ivector", np.zeros(2)), ("dmatrix", np.zeros(2)),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(kind, value):
    x = getattr(at, kind)("x")
    with pytest.raises(TypeError, match="argument 0 `x` of function `f`: expected TensorType"):
        function([x], x * x, name="f")(value)


def test_arrays_of_a_wrong_static_length_are_refused():
    x = at.TensorType("float64", (None, 3))("x")
    f = function([x], x.sum())
    assert f(np.ones((2, 3))) == 6
    with pytest.raises(TypeError, match="argument 0 `x`"):
        f(np.ones((3, 2)))


@every_linker
def test_equal_dtypes_and_subclasses_of_arrays(linker):
    x = at.dvector("x")
    f = function([x], x * 2, mode=Mode(linker, None))
    np.testing.assert_array_equal(f(np.array([1.0, 2.0], dtype=">f8")), [2, 4])
    for value in (np.ma.array([1.0, 2.0]), np.array([1.0, 2.0]).view(np.recarray), [1, 2], (1, 2)):
        np.testing.assert_array_equal(np.asarray(f(value)), [2, 4])


@every_linker
def test_arguments_by_name_are_checked_even_if_trusted(linker):
    x, s = at.dvector("x"), at.dscalar("s")
    f = function([x, s], x * s, mode=Mode(linker, None))
    f.trust_input = True
    assert f.trust_input and f(np.array([1.0]), np.array(2.0)).tolist() == [2.0]
    assert f(x=[1], s=2).tolist() == [2.0]
    with pytest.raises(TypeError, match="argument 0 `x`"):
        f(x=[1j], s=2)
    f.trust_input = False
    assert f([1], 2).tolist() == [2.0]


def test_a_trusted_scalar_may_be_any_number():
    s = at.dscalar("s")
    f = function([s], s * 2)
    f.trust_input = True
    assert [f(v) for v in (1.0, np.float64(1), np.array(1.0))] == [2, 2, 2]


@every_linker
def test_updates_defaults_and_names(linker):
    w, x, d = shared(np.zeros(2), "w"), at.dvector("x"), at.dscalar("d")
    given = In(d, value=1.0, update=d + 1)
    f = function([x, given], [w.sum(), x * d], updates=[(w, w + x * d)], mode=Mode(linker, None))
    assert [r.tolist() for r in f([1.0, 2.0])] == [0.0, [1.0, 2.0]]
    assert [r.tolist() for r in f([1.0, 2.0])] == [3.0, [2.0, 4.0]]
    assert w.get_value().tolist() == [3, 6] and f["d"] == 3
    assert [r.tolist() for r in f([1.0, 2.0], d=10.0)] == [9.0, [10.0, 20.0]]


@pytest.mark.parametrize("outputs", ["none", "empty", "one", "list", "dict"])
def test_forms_of_results(outputs):
    x = at.dscalar("x")
    forms = {
        "none": (None, None),
        "empty": ([], []),
        "one": (x + 1, 2),
        "list": ([x, x + 1], [1, 2]),
        "dict": ({"a": x, "b": x + 1}, {"a": 1, "b": 2}),
    }
    given, expected = forms[outputs]
    assert function([x], given, on_unused_input="ignore")(1.0) == expected


def test_the_profile_counts_calls_that_pass_by_name():
    x = at.dscalar("x")
    f = function([x], x + 1, profile=True)
    f(1.0)
    f(x=1.0)
    assert f.profile.calls == 2

"""TensorType: filtering, comparing and fitting values."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import ancestors
from relgraph.scalar.type import DTYPES
from relgraph.settings import config
from relgraph.tensor.type import (
    TensorType,
    values_eq_approx,
    values_eq_approx_always_true,
    values_eq_approx_remove_inf,
    values_eq_approx_remove_inf_nan,
    values_eq_approx_remove_nan,
)


def test_types_are_interned() -> None:
    t = TensorType("float64", (None, 3))
    assert TensorType(np.float64, [None, np.int64(3)]) is t
    assert TensorType(float, (False, 3)) is t
    assert t.clone(shape=(None, None)) is TensorType("float64", (None, None))
    assert t.clone(dtype="int8").dtype == "int8"
    assert pickle.loads(pickle.dumps(t)) is t
    assert (t.ndim, t.broadcastable, t.shape) == (2, (False, False), (None, 3))
    assert str(t) == "TensorType(float64, (?, 3))"
    assert str(TensorType("bool", (True,))) == "TensorType(bool, (1,))"
    with config.change_flags(floatX="float32"):
        assert TensorType("floatX", ()).dtype == "float32"


def test_is_super() -> None:
    wide, narrow = TensorType("float64", (None, None)), TensorType("float64", (None, 3))
    assert wide.is_super(narrow) and wide.is_super(wide) and not narrow.is_super(wide)
    assert not wide.is_super(TensorType("float32", (None, 3)))
    assert not wide.is_super(TensorType("float64", (None,)))
    assert wide.in_same_class(narrow)
    assert not wide.in_same_class(TensorType("float64", (1, None)))


def test_filter() -> None:
    t = TensorType("float64", (None,))
    array = np.ones(3)
    assert t.filter(array) is array
    assert t.filter(array, strict=True) is array
    assert t.filter([1, 2]).dtype == "float64"
    assert t.filter(np.ones(2, "int8")).dtype == "float64"
    assert TensorType("float32", ()).filter(0.1) == np.float32(0.1)
    assert type(TensorType("float64", ()).filter(np.float64(1))) is np.ndarray
    assert TensorType("float32", (None,)).filter(array, allow_downcast=True).dtype == "float32"
    assert TensorType("complex64", ()).filter(2).dtype == "complex64"


@pytest.mark.parametrize(
    ("t", "data", "options", "message"),
    [
        (("float64", (None,)), np.ones((2, 2)), {}, r"a matrix of dtype float64 and shape \(2, 2"),
        (("float64", (3,)), np.ones(2), {}, r"expected .*\(3,\)\), not a vector .* shape \(2,\)"),
        (("float32", (None,)), np.ones(2), {}, "a vector of dtype float64 .* could lose precision"),
        (("float32", ()), 0.1, {"allow_downcast": False}, "could lose precision"),
        (("float64", ()), 1.0, {"strict": True}, r"expected strictly .*, not 1.0 \(float\)"),
        (("int64", (None,)), [1.5], {}, r"\[1.5\] \(list\), which has no value of dtype int64"),
        (("int8", ()), 300, {}, r"300 \(int\), which has no value of dtype int8"),
        (("float64", ()), "a", {}, r"not 'a' \(str\)"),
        (("float64", ()), None, {}, r"not None \(NoneType\)"),
        (("float64", ()), 1j, {"allow_downcast": True}, "could lose precision|no value"),
    ],
)
def test_filter_says_what_is_expected_and_what_was_given(
    t: Any, data: Any, options: Any, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        TensorType(*t).filter(data, **options)


def test_filter_refuses_variables() -> None:
    x = at.dvector("x")
    with pytest.raises(TypeError, match=r"expected a value of .*, not the variable x"):
        x.type.filter(x)


@given(st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.data())
def test_conversions_keep_values(source: str, target: str, data: st.DataObject) -> None:
    array = data.draw(hnp.arrays(source, 3))
    t = TensorType(target, (3,))
    if np.can_cast(source, target, "safe"):
        assert t.filter(array).dtype == target
    elif source != target:
        with pytest.raises(TypeError):
            t.filter(array)


def test_values_eq() -> None:
    t = TensorType("float64", (None,))
    nan = np.array([np.nan, 1.0])
    assert t.values_eq(nan, nan.copy())
    assert not t.values_eq(nan, np.array([np.nan, 2.0]))
    assert not t.values_eq(nan, nan[:1])
    assert not t.values_eq(nan, nan.astype("float32"))
    assert t.values_eq_approx(nan, nan + 1e-12)
    assert not t.values_eq_approx(nan, nan + 1e-3)
    assert t.values_eq_approx(nan, nan + 1e-3, atol=1e-2)
    assert values_eq_approx(np.float32([1]), np.float32([1.00001]))
    assert not values_eq_approx(np.array([1]), np.array([2]))
    inf = np.array([np.inf, 1.0])
    assert not values_eq_approx(inf, np.ones(2))
    assert values_eq_approx_remove_inf(inf, np.ones(2))
    assert not values_eq_approx_remove_inf(nan, np.ones(2))
    assert values_eq_approx_remove_nan(nan, np.ones(2))
    assert values_eq_approx_remove_inf_nan(np.array([np.nan, np.inf]), np.ones(2))
    assert values_eq_approx_always_true(nan, inf)


# fit: what may represent a variable


def fits(new: Any, old: Any, **values: Any) -> Any:
    """Check that what fits is not computed from `old`, then return its value."""
    fitted = old.type.fit(new, old)
    assert fitted is not None
    assert old.type.is_super(fitted.type)
    assert fitted is old or old not in list(ancestors([fitted])) or old.owner is None
    inputs = {v: values[v.name] for v in ancestors([old, fitted]) if v.name in values}
    result, reference = evaluate([fitted, old], inputs)
    assert result.shape == reference.shape
    return result


def test_numbers_fit_if_their_value_does() -> None:
    x = at.dvector("x")
    assert fits(0, x * x, x=np.ones(3)).tolist() == [0, 0, 0]
    assert fits(True, x < x, x=np.ones(2)).tolist() == [True, True]
    assert np.isnan(fits(np.nan, x * x, x=np.ones(2))).all()
    for new, dtype in [
        (1, "bool"), (0.5, "int8"), (300, "int8"), (-1, "uint8"), (np.nan, "int64"),
        (-0.0, "int64"), (0.1, "float32"), (1j, "float64"), (2**60 + 1, "float64"), ("a", "int8"),
    ]:  # fmt: skip
        old = at.tensor(dtype, (None,))
        assert old.type.fit(new, old) is None, (new, dtype)
    assert at.zvector().type.fit(1, at.zvector("z")) is not None
    assert x.type.fit(np.ones((2, 2)), x) is None


def test_numbers_are_written_out_where_the_shape_is_known() -> None:
    s = at.dscalar("s")
    assert isinstance(s.type.fit(1, s), at.TensorConstant)
    x = at.tensor("float64", (2, 3), "x")
    assert x.type.fit(1, x).type is x.type
    large = at.tensor("float64", (1000, 1000), "x")
    assert large.type.fit(1, large * 2).owner.op is at.second
    assert x.type.fit(np.ones(3), x).data.shape == (2, 3)
    assert x.type.fit(np.ones(2), x) is None


def test_filling_does_not_compute_what_is_replaced() -> None:
    A, x, r = at.dmatrix("A"), at.dvector("x"), at.drow("r")
    c = at.dcol("c")
    values = {"A": np.ones((2, 3)), "x": np.arange(3.0), "r": np.ones((1, 3)), "c": np.ones((2, 1))}
    assert fits(x, A + x, **values).tolist() == [[0, 1, 2]] * 2
    assert fits(0, r + c, **values).shape == (2, 3)
    assert fits(r, r + c, **values).shape == (2, 3)
    assert fits(x, r + c, **values).shape == (2, 3)
    assert fits(0, A.dot(x), **values).tolist() == [0, 0]
    assert fits(0, A.T, **values).shape == (3, 2)
    assert fits(at.constant(np.ones((1, 1))), A * 2, **values).shape == (2, 3)
    assert fits(0, A.sum(axis=0), **values).shape == (3,)
    assert fits(0, x.sum(), **values).shape == ()


def test_variables_fit_if_a_cast_keeps_their_values() -> None:
    d, f, i = at.dvector("d"), at.fvector("f"), at.lvector("i")
    y = d * 2
    assert y.type.fit(d, y) is d
    assert y.type.fit(f, y).type == y.type
    assert y.type.fit(at.ivector(), y).type == y.type
    assert y.type.fit(i, y) is None
    assert f.type.fit(d, f) is None
    assert y.type.fit(at.constant(np.array([1.0], "float32")), y).type.dtype == "float64"
    assert y.type.fit(at.dmatrix(), y) is None
    assert y.type.fit(at.dcol(), y) is None
    fixed = at.tensor("float64", (3,), "x") * 2
    assert fixed.type.fit(d, fixed) is None


def test_a_length_of_1_is_filled() -> None:
    x, one = at.dvector("x"), at.tensor("float64", (1,), "o")
    values = {"x": np.ones(3), "o": np.zeros(1)}
    assert fits(one, x + one, **values).shape == (3,)


def test_types_are_cloned_by_position_and_by_name() -> None:
    vector = TensorType("float64", (None,))
    assert (
        vector.clone("float32") is vector.clone(dtype="float32") is TensorType("float32", (None,))
    )
    assert vector.clone("float32", (3,)) is TensorType("float32", (3,))
    assert at.dvector.clone() is vector
    assert at.dvector.clone("float32") is TensorType("float32", (None,))
    assert at.row.clone(shape=(1, 3)) is TensorType("floatX", (1, 3))


def test_without_downcasting_a_number_still_keeps_its_value() -> None:
    scalar, vector = TensorType("float32", ()), TensorType("int8", (None,))
    for value in (2.0, 3, True, 0.5, np.float16(0.1)):
        assert scalar.filter(value, allow_downcast=False) == value
    assert vector.filter([1, -5], allow_downcast=False).tolist() == [1, -5]
    for kind, value in ((scalar, 0.1), (scalar, np.float64(2.0)), (vector, [300]), (vector, [1.5])):
        with pytest.raises(TypeError, match="could lose precision"):
            kind.filter(value, allow_downcast=False)


def test_an_array_that_is_not_numpys_is_converted_by_the_rules_of_filter() -> None:
    class Stored:
        def __init__(self, dtype: str, *shape: int) -> None:
            self.dtype, self.shape, self.ndim = np.dtype(dtype), shape, len(shape)

    rows = TensorType("float64", (None, 3))
    assert rows.has_shape((0, 3)) and not rows.has_shape((0, 2)) and not rows.has_shape((3,))
    assert rows.converts(Stored("float32", 5, 3), False, None)
    assert not rows.converts(Stored("float32", 5, 3), True, None)
    assert not rows.converts(Stored("complex128", 5, 3), False, None)
    assert not rows.converts(Stored("float64", 5, 2), False, None)
    assert not rows.converts(Stored("float64", 5), False, None)

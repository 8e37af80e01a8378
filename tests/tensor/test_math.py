"""The functions of relgraph.tensor.math beyond the plain ops, their names, and logic terms."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.lawkit.vocabulary import lvars

FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, np.nan, np.inf, -np.inf])


def value(f: Any, *arrays: Any) -> Any:
    xs = [at.tensor(a.dtype, a.shape) for a in arrays]
    out = f(*xs)
    (result,) = evaluate([out], dict(zip(xs, arrays, strict=True)))
    return result


@pytest.mark.parametrize(
    "name",
    ["erf", "erfc", "erfinv", "expit", "gammaln", "digamma"],
)
def test_scipys_functions(name: str) -> None:
    ours = getattr(at, {"expit": "sigmoid"}.get(name, name))
    for dtype in ("float32", "float64", "int8"):
        x = np.array([-2, -1, 0, 1, 3], dtype)
        expected = getattr(scipy.special, name)(x)
        result = value(ours, x)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_polygamma() -> None:
    x = np.array([0.5, 2.0])
    np.testing.assert_allclose(
        value(lambda v: at.polygamma(2, v), x), scipy.special.polygamma(2, x)
    )


def test_stable_functions() -> None:
    x = np.array([-1000.0, -40.0, -1e-20, 0.0, 40.0, 1000.0, np.nan, np.inf, -np.inf])
    soft = value(at.softplus, x)
    np.testing.assert_allclose(soft, [0, np.exp(-40), np.log(2), np.log(2), 40, 1000, np.nan,
                                      np.inf, 0])  # fmt: skip
    below = np.array([-1000.0, -40.0, -0.5, -1e-20])
    expected = [0.0, -4.248354255291589e-18, -0.9327521295671886, -46.051701859880914]
    np.testing.assert_allclose(value(at.log1mexp, below), expected, rtol=1e-14)


@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=5), st.booleans())
def test_isclose_is_numpys(pairs: list[tuple[float, float]], equal_nan: bool) -> None:
    a, b = np.array(pairs, "float64").reshape(-1, 2).T
    result = value(lambda x, y: at.isclose(x, y, equal_nan=equal_nan), a, b)
    with np.errstate(all="ignore"):
        assert np.array_equal(result, np.isclose(a, b, equal_nan=equal_nan))


@pytest.mark.parametrize("dtype", ["bool", "int8", "float64"])
def test_logic_is_numpys(dtype: str) -> None:
    a, b = np.array([0, 0, 1, 3]).astype(dtype), np.array([0, 2, 0, 1]).astype(dtype)
    for name in ("logical_and", "logical_or", "logical_xor"):
        assert np.array_equal(value(getattr(at, name), a, b), getattr(np, name)(a, b))
    assert np.array_equal(value(at.logical_not, a), np.logical_not(a))
    assert np.array_equal(value(at.isfinite, a), np.isfinite(a))


def test_degrees() -> None:
    x = np.array([0.0, 90.0])
    np.testing.assert_allclose(value(at.deg2rad, x), np.deg2rad(x))
    np.testing.assert_allclose(value(at.rad2deg, x), np.rad2deg(x))


def test_cast() -> None:
    x = at.dvector("x")
    assert at.cast(x, "float64") is x
    assert at.cast(x, np.int8).type.dtype == "int8"
    assert at.cast(2, "float32").type.dtype == "float32"
    assert value(lambda v: at.cast(v, "bool"), np.array([0.0, np.nan, 2.0])).tolist() == [0, 1, 1]
    with pytest.raises(TypeError, match="would drop the imaginary part"):
        at.cast(at.zvector(), "float64")
    with pytest.raises(TypeError, match="'flot64' is not a dtype"):
        at.cast(x, "flot64")


def test_where_is_numpys() -> None:
    c, x, y = np.array([True, False]), np.array([1.0, 2.0]), np.array([3, 4])
    result = value(at.where, c, x, y)
    assert result.dtype == "float64"
    assert result.tolist() == [1, 4]


@pytest.mark.parametrize(
    "name",
    [
        "subtract",
        "multiply",
        "divide",
        "true_divide",
        "floor_divide",
        "remainder",
        "power",
        "negative",
        "absolute",
        "square",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "conjugate",
        "sqrt",
        "reciprocal",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "arctan2",
        "sinh",
        "cosh",
        "tanh",
        "arcsinh",
        "arccosh",
        "arctanh",
        "ceil",
        "floor",
        "trunc",
        "round",
        "isnan",
        "isinf",
        "isfinite",
        "isclose",
        "sign",
        "maximum",
        "minimum",
        "clip",
        "conj",
        "real",
        "imag",
        "angle",
        "where",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "deg2rad",
        "rad2deg",
        "abs",
        "pow",
        "sum",
        "prod",
        "mean",
        "max",
        "min",
        "any",
        "all",
        "dot",
    ],
)
def test_numpys_names_are_there(name: str) -> None:
    assert name in at.__all__
    assert callable(getattr(at, name))
    assert callable(getattr(np, name))


def test_every_exported_name_exists() -> None:
    assert len(set(at.__all__)) == len(at.__all__)
    assert not [name for name in at.__all__ if not hasattr(at, name)]


def test_logic_terms_pass() -> None:
    x, y, d = lvars("x y d")
    for term in (
        at.exp(x), x + y * 2, 2 - x, at.add(x, at.dvector("v")), at.switch(x, y, 0),
        at.clip(x, 0, 1), at.cast(x, "int8"), at.cast(x, d), at.where(x, y, y), at.isclose(x, y),
        at.logical_and(x, y), at.isfinite(x), at.deg2rad(x), at.second(x, 0), at.dot(x, y),
        at.sum(x, axis=d), -x, x < y,
    ):  # fmt: skip
        assert isinstance(term, LogicTerm)


def test_scipy_special_is_not_imported_with_tensor() -> None:
    code = "import sys, relgraph.tensor; print('scipy.special' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.strip() == "False"

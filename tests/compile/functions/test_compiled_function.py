"""Calling functions: arguments, defaults, copies."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Function, In, function, shared
from relgraph.graph.type import Type


class Elsewhere:
    """An array of another library."""

    dtype, shape = np.dtype("float64"), (2, 2)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.zeros(self.shape)


@pytest.fixture
def f() -> Function:
    x, y = at.dvector("x"), at.dvector("y")
    return function([x, In(y, value=[10.0, 20.0])], x - y, name="minus")


def test_by_position_and_by_name(f: Function) -> None:
    for result in (f([1, 2], [3, 4]), f([1, 2], y=[3, 4]), f(y=[3, 4], x=[1, 2])):
        np.testing.assert_array_equal(result, [-2, -2])
    np.testing.assert_array_equal(f([1, 2]), [-9, -18])


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "`minus` takes 2 arguments, got 0: argument 0 `x` is missing"),
        (([1], [2], [3]), {}, "`minus` takes 2 arguments, got 3"),
        (([1],), {"z": [1]}, "no argument called 'z'; its names are 'x', 'y'"),
        (([1],), {"x": [1]}, "got argument 'x' twice"),
    ],
)
def test_wrong_arguments(f: Function, args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        f(*args, **kwargs)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.zeros((2, 2)), "a matrix of dtype float64 and shape \\(2, 2\\)"),
        (np.zeros(2, complex), "a vector of dtype complex128 and shape \\(2,\\)"),
        (Elsewhere(), "an Elsewhere of tests of dtype float64 and shape \\(2, 2\\)"),
        ([[1.0]], "a matrix of dtype float64 and shape \\(1, 1\\)"),
        (1.0, "a scalar of dtype float64"),
        ("text", "'text' \\(str\\)"),
    ],
)
def test_wrong_values(f: Function, value: Any, found: str) -> None:
    expected = r"argument 0 `x` of function `minus`: expected TensorType\(float64, \(\?,\)\), not "
    with pytest.raises(TypeError, match=expected + found) as raised:
        f(value)
    assert str(raised.value).count("expected") == 1


def test_a_variable_is_no_value(f: Function) -> None:
    expected = r"expected a value of TensorType\(float64, \(\?,\)\), not the variable z"
    with pytest.raises(TypeError, match=expected):
        f(at.dvector("z"))


def test_a_type_that_says_nothing_of_itself() -> None:
    class Even(Type):
        def filter(self, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
            raise ValueError("it is odd")

        def __str__(self) -> str:
            return "Even()"

    x = Even()("x")
    with pytest.raises(TypeError, match=r"expected Even\(\), not 3 \(int\): it is odd"):
        function([x], x)(3)


def test_conversions() -> None:
    x = at.fvector("x")
    wide = np.array([0.1])
    with pytest.raises(TypeError, match=r"argument 0 `x` of function: expected .*float32"):
        function([x], x)(wide)
    assert function([x], x)([0.1])[0] == np.float32(0.1), "Python floats are rounded"
    assert function([x], x, allow_input_downcast=True)(wide)[0] == np.float32(0.1)
    with pytest.raises(TypeError, match="expected"):
        function([In(x, strict=True)], x)([1])


def test_trusted_input_is_not_checked() -> None:
    x = at.dvector("x")
    f = function([x], x + 1)
    f.trust_input = True
    value = np.array([1.0])
    assert f(value)[0] == 2
    assert f.copy().trust_input


def test_variables_of_one_name() -> None:
    x, y = at.dscalar("x"), at.dscalar("x")
    f = function([x, y], x - y)
    assert f(3, 1) == 2
    with pytest.raises(TypeError, match="no argument called 'x'"):
        f(3, x=1)


def test_a_default_that_is_updated() -> None:
    n = at.lscalar("n")
    count = function([In(n, value=0, update=n + 1)], n * 10)
    other = count.copy()
    assert [int(count()) for _ in range(3)] == [0, 10, 20]
    assert count["n"] == count[n] == 3
    assert other() == 0
    count["n"] = 7
    assert count() == 70
    assert count(1) == 10 and count[n] == 2


def test_values_by_name(f: Function) -> None:
    np.testing.assert_array_equal(f["y"], [10, 20])
    with pytest.raises(KeyError, match="argument x of function `minus` has no default"):
        f["x"]
    with pytest.raises(KeyError, match="has no input z"):
        f["z"]
    a = shared(1.0, "a")
    g = function([], a * 2)
    g[a] = 5.0
    assert (g(), a.get_value(), g["a"]) == (10, 5, 5)


def test_copies_share_the_graph_and_shared_values() -> None:
    a, x = shared(1.0, "a"), at.dscalar("x")
    f = function([x], x + a, updates={a: a + 1}, name="f")
    g = f.copy(name="g")
    assert (f.name, g.name) == ("f", "g")
    assert g.maker.fgraph is f.maker.fgraph
    assert [f(0), g(0), f(0)] == [1, 2, 3]


def test_copies_with_other_shared_values() -> None:
    a, b, c = shared(1.0, "a"), shared(100.0, "b"), shared([1.0], "c")
    f = function([], a * 2, updates={a: a + 1})
    g = f.copy(swap={a: b})
    assert (f(), g(), f(), g()) == (2, 200, 4, 202)
    assert (a.get_value(), b.get_value()) == (3, 102)
    with pytest.raises(ValueError, match="does not use the shared variable b"):
        f.copy(swap={b: a})
    with pytest.raises(ValueError, match="uses a already"):
        f.copy(swap={a: a})
    with pytest.raises(TypeError, match="c is of type"):
        f.copy(swap={a: c})


def test_copies_without_updates() -> None:
    a, b, n = shared(1.0, "a"), shared(5.0, "b"), at.dscalar("n")
    f = function([In(n, value=1, update=n + 1)], {"r": a * n}, updates={a: a + 1})
    g = f.copy(delete_updates=True, swap={a: b}, name="g")
    assert [g()["r"], g()["r"]] == [5, 5]
    assert (a.get_value(), b.get_value()) == (1, 5)
    assert f()["r"] == 1 and f()["r"] == 4


def test_repr(f: Function) -> None:
    assert repr(f) == "<function `minus` of (x, y)>"

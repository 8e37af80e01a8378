"""NumPy's and SciPy's functions, ufuncs and methods of ufuncs on variables."""

from typing import Any

import numpy as np
import pytest
from scipy import special

import relgraph.tensor as at
from relgraph.graph.reference import evaluate

X = at.dmatrix("x")
VALUE = np.array([[1.0, -2.0, 0.5], [3.0, 0.25, 2.0]])
ALL = np.ones((2, 3), bool)

CALLS = {
    "a number first": lambda x: np.float64(2) * x,
    "an array first": lambda x: np.ones((3, 2)) @ x,
    "matmul": lambda x: x @ np.ones((3, 3)),
    "a list beside it": lambda x: np.maximum([0.0, 1.0, 2.0], x),
    "dtype of a ufunc": lambda x: np.add(x, 1, dtype="float32"),
    "where=True": lambda x: np.add(x, 1, where=True),
    "out=None": lambda x: np.sum(x, 0, out=None),
    "dtype of a sum": lambda x: np.sum(x, dtype="float32", axis=0),
    "sum of some": lambda x: np.sum(x, where=x > 0, initial=3.0),
    "product of some": lambda x: np.prod(x, axis=1, where=x > 0),
    "greatest of some": lambda x: np.max(x, where=x < 1, initial=-5.0, axis=1),
    "least and a bound": lambda x: np.min(x, initial=-2.5),
    "all of some": lambda x: np.all(x > 0, where=x < 3),
    "any of some": lambda x: np.any(x > 2, where=x < 3, axis=0),
    "mean of some": lambda x: np.mean(x, axis=0, where=x > 0),
    "reduce": lambda x: np.add.reduce(x, axis=1),
    "reduce by default": lambda x: np.multiply.reduce(x),
    "reduce over all": lambda x: np.maximum.reduce(x, axis=None, keepdims=True),
    "reduce of some": lambda x: np.add.reduce(x, axis=1, where=x > 0),
    "reduce of logarithms": lambda x: np.logaddexp.reduce(x, axis=0),
    "accumulate": lambda x: np.add.accumulate(x, axis=1),
    "accumulated maximum": lambda x: np.maximum.accumulate(x, axis=1),
    "accumulated minimum": lambda x: np.minimum.accumulate(x),
    "accumulated logarithms": lambda x: np.logaddexp.accumulate(x, axis=1),
    "cumulative sums of a dtype": lambda x: np.cumsum(x, axis=1, dtype="complex64"),
    "outer": lambda x: np.subtract.outer(x[0], x[1]),
    "clip below": lambda x: np.clip(x, 0, None),
    "clip above by name": lambda x: np.clip(x, max=1),
    "decimals": lambda x: np.round(x, 1),
    "the same by another name": lambda x: np.around(x, 1) + np.amax(x, initial=5.0),
    "decimals before the point": lambda x: np.round(x * 37, -1),
    "decimals of integers": lambda x: np.round(x.astype("int64") * 37, -1),
    "other shape": lambda x: np.zeros_like(x, shape=(2,)),
    "filled": lambda x: np.full_like(x, 2, dtype="int8"),
    "order": lambda x: np.ravel(x, order="C"),
    "kind": lambda x: np.sort(x, axis=0, kind="heapsort"),
    "where is it true": lambda x: np.where(x > 0)[1],
    "equal": lambda x: np.equal(x, 0.5),
    "not equal": lambda x: np.not_equal(x, x.T[:2, :2].sum()),
    "rank": lambda x: x * np.ndim(x),
    "size of an axis": lambda x: np.size(x, 1),
    "a function of SciPy's": lambda x: special.expit(x),
    "two of SciPy's": lambda x: special.jv(2, special.ndtr(x)),
    "split": lambda x: np.split(x, 2)[1],
    "split between": lambda x: np.split(x, [1, 2], axis=1)[1],
}


@pytest.mark.parametrize("call", CALLS)
def test_calls_give_what_numpy_gives(call: str) -> None:
    (found,) = evaluate([CALLS[call](X)], {X: VALUE})
    expected = np.asarray(CALLS[call](VALUE))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-14, strict=True)


def test_what_is_asked_of_the_type_is_no_graph() -> None:
    assert np.ndim(X) == 2
    assert np.iscomplexobj(X) is False


def test_an_array_is_not_written_to() -> None:
    array: Any = np.zeros((2, 3))
    with pytest.raises(TypeError, match="takes no `out`"):
        array += X
    assert not array.any()


def test_known_lengths_are_integers() -> None:
    x = at.tensor("float64", (2, 3), "x")

    def centred(x: Any) -> Any:
        n, d = x.shape
        return x - np.ones((n, n)) @ x / n + sum(x[0, j] for j in range(d))

    (found,) = evaluate([centred(x)], {x: VALUE})
    np.testing.assert_allclose(found, centred(VALUE))
    with pytest.raises(TypeError, match="is symbolic, not a number"):
        range(X.shape[0])

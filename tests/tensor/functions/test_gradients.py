"""Gradients of NumPy's functions, against differences."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from tests.tensor.functions.calls import ONE, TWO
from tests.tensor.functions.test_against_numpy import OF_VECTORS

# What counts, finds places or compares: it has no gradient.
FLAT = (
    *("argwhere", "flatnonzero", "count_nonzero", "isreal", "iscomplex", "signbit", "spacing"),
    *("isposinf", "isneginf", "nanargmax", "nanargmin", "ix_", "tril_indices_from", "nonzero"),
    *("triu_indices_from", "isin", "isin, inverted", "digitize", "searchsorted right"),
    *(
        "unique_counts",
        "unique_index",
        "unique_inverse",
        "histogram",
        "histogram edges",
        "histogram of given",
    ),
    *("lexsort", "bitwise_count", "bincount", "bincount with weights", "average returned"),
    *("left_shift", "right_shift", "gcd", "lcm", "ravel_multi_index", "vecdot of integers"),
)


def cost(out: Any) -> Any:
    """Return a real number that every element of a result is part of, the imaginary part too."""
    out = at.as_tensor_variable(out)
    if out.type.dtype.startswith("complex"):
        return (out.real * 1.3).sum() + (out.imag * 0.7).sum() + (out.real * out.imag).sum()
    return at.sum(at.sqrt(1.0 + out * out))


@pytest.mark.parametrize("name", [n for n in (*ONE, *TWO) if n not in FLAT])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_gradients(name: str, shape: tuple[int, ...]) -> None:
    call = ONE.get(name) or TWO[name]
    count = 1 if name in ONE else 2
    rng = np.random.default_rng(5)
    values = [rng.permutation(np.linspace(0.31, 2.83, int(np.prod(shape)))).reshape(shape)]
    values += [rng.permutation(v.ravel() * 0.77 + 0.2).reshape(shape) for v in values[: count - 1]]
    xs = [at.TensorType("float64", v.shape)() for v in values]
    try:
        call(*values)
    except (TypeError, ValueError, IndexError):
        pytest.skip("NumPy has it for other ranks")
    if name in OF_VECTORS and len(shape) > 1:
        pytest.skip("it is for vectors")
    total = cost(call(*xs))
    given = dict(zip(xs, values, strict=True))
    slopes = evaluate(grad(total, xs), given)
    for i, (v, slope) in enumerate(zip(values, slopes, strict=True)):
        direction = rng.normal(size=v.shape)
        moved = [
            evaluate([total], {**given, xs[i]: v + step * direction})[0] for step in (1e-5, -1e-5)
        ]
        difference = (moved[0] - moved[1]) / 2e-5
        np.testing.assert_allclose(np.sum(slope * direction), difference, rtol=2e-6, atol=2e-7)


ZEROS = ([2.0, 0.0, 3.0, 0.0, 5.0], [0.0, 2.0, 3.0], [2.0, 3.0, 0.0], [0.0, 0.0], [2.0, -3.0, 4.0])


@pytest.mark.parametrize("value", ZEROS, ids=str)
def test_cumulative_products_with_zeros(value: list[float]) -> None:
    """The products are polynomials, so differences by complex steps are exact."""
    x, weights = at.dvector("x"), np.arange(1.0, len(value) + 1)
    (slope,) = evaluate([grad((at.cumprod(x) * weights).sum(), x)], {x: value})
    for j in range(len(value)):
        step = np.array(value, complex)
        step[j] += 1e-30j
        assert slope[j] == pytest.approx((np.cumprod(step) * weights).sum().imag / 1e-30)


@pytest.mark.parametrize("value", ZEROS, ids=str)
def test_products_to_second_order(value: list[float]) -> None:
    x = at.dvector("x")
    first = grad(at.prod(x), x)
    for i in range(len(value)):
        (row,) = evaluate([grad(first[i], x)], {x: value})
        expected = [
            0.0 if i == j else np.prod([v for k, v in enumerate(value) if k not in (i, j)])
            for j in range(len(value))
        ]
        np.testing.assert_allclose(row, expected)


def test_first_of_equal_elements() -> None:
    x = at.dvector("x")
    value = [1.0, 3.0, 3.0, 2.0, 5.0]
    (slope,) = evaluate([grad(at.cummax(x).sum(), x)], {x: value})
    assert slope.tolist() == [1.0, 3.0, 0.0, 0.0, 1.0]
    (slope,) = evaluate([grad((at.unique(x) * np.arange(4.0)).sum(), x)], {x: value})
    assert slope.tolist() == [0.0, 2.0, 0.0, 1.0, 3.0]

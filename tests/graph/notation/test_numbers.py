"""Numbers as laws write them, and as dtypes hold them."""

import math

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.notation import is_written, number_of, roundings, same_number


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0.0, -0.0, False),
        (math.nan, math.nan, True),
        (math.inf, math.inf, True),
        (1, None, False),
        (2, 3, False),
        (1, complex(1.0, 0.0), True),
        (1, complex(1.0, -0.0), False),
        (complex(-0.0, 1.0), complex(0.0, 1.0), False),
    ],
)
def test_value_and_kind(a, b, same):
    assert same_number(a, b) is same


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("number", [0.1, -2.5, math.pi, 1e-40, 1e300, math.inf, 0.0, 1 / 3])
def test_a_dtype_holds_a_number_in_its_way(dtype, number):
    with np.errstate(over="ignore"):
        held = np.dtype(dtype).type(number)
    if not np.isfinite(held) and math.isfinite(number):
        assert dtype not in roundings(number)
        return
    for constant in (at.constant(held), at.constant(np.full((2, 3), held))):
        assert is_written(number, constant)
        assert not is_written(number + 1, constant) or number_of(constant) == number + 1
    wide = at.constant(np.float64(held.real))
    assert is_written(number, wide) is (float(held.real) == number)


def test_whole_numbers_and_truth_values_are_exact():
    assert is_written(1, at.constant(np.float32(1)))
    assert not is_written(True, at.constant(np.float32(1)))
    assert not is_written(0.1, at.constant(0))
    assert not is_written(0.1, at.dvector("x"))
    assert roundings(0.1) != roundings(0.1 + 0j)
